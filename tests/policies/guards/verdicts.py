"""One-line questions to the guard."""

import pytest

from policies.guards import DEFAULT_GUARDS, compare, parse


def reason(cached: str, asked: str, guards: frozenset[str] = DEFAULT_GUARDS) -> str:
    """Why the answer to one prompt may not serve the other, or "serves". Both directions must agree."""
    forth = compare(parse(cached), parse(asked), guards)
    back = compare(parse(asked), parse(cached), guards)
    assert (forth is None) == (back is None), f"one-way verdict: {forth} / {back}"
    return forth.reason if forth else "serves"


def rows(pairs: str) -> pytest.MarkDecorator:
    """Parameters `one` and `other` of a test, from lines "one | other"."""
    return pytest.mark.parametrize(
        ("one", "other"), [tuple(line.strip().split(" | ")) for line in pairs.strip().splitlines()]
    )
