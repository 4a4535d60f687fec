"""Where the terms of a prompt stand, for the tests of words that go unsaid."""

from __future__ import annotations

from collections.abc import Callable

from policies.guards.facts import Facts, Term

Unsaid = Callable[[int, Facts, Facts], bool]
"""Whether the term at a place of the first prompt says nothing that the second one lacks."""


def names(facts: Facts, words: frozenset[str]) -> bool:
    return any(term.word in words for term in facts.terms)


def at(facts: Facts, place: int) -> Term | None:
    return facts.terms[place] if 0 <= place < len(facts.terms) else None


def shared(term: Term | None, other: Facts) -> bool:
    """Whether the other prompt has a word too."""
    return term is not None and any(not term.keys.isdisjoint(found.keys) for found in other.terms)
