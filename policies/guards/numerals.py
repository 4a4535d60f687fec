"""Roman numerals behind a name, and the ordinal that says the same: "Henry VIII", "Henry the Eighth"."""

from __future__ import annotations

from policies.guards.draft import NOTHING, STOPS, Draft
from policies.guards.facts import NAME, Quantity
from policies.guards.numbers import roman
from policies.guards.reading import CAPITAL

_NUMBERED = frozenset(
    ["ww", "type", "phase", "part", "chapter", "level", "class", "grade", "volume", "act", "book", "stage"]
)
"""What a lone Roman numeral may stand behind."""
_ONLY_NUMERALS = frozenset(("ii", "iii", "vii", "viii", "xii", "xiii", "xiv", "xvi", "xviii"))
"""No words and no abbreviations in lower case either."""
_REIGNING = frozenset(("", "die", "rule", "reign", "live", "become", "marry", "and"))


def read_roman(draft: Draft, index: int) -> bool:
    """Record a Roman numeral behind a name or a numbered thing ("Henry VIII", "world war ii"); whether it was one."""
    item = draft.items[index]
    if not draft.terms or len(item.word) > 5 or not set(item.word) <= set("ivx"):
        return False
    last = draft.terms[-1]
    upper = item.flags & CAPITAL or (
        len(item.word) > 1 and item.raw.isupper() and any(other.raw[1:].islower() for other in draft.items)
    )
    if not (upper or last.word == "ww" or item.word in _ONLY_NUMERALS):
        return False
    at_end = last.kind == NAME and index == len(draft.words) - 1
    if len(item.word) == 1 and not (last.word in _NUMBERED or at_end):
        return False
    value = roman(item.word.upper())
    if value:
        draft.quantities.append(Quantity(value, NOTHING, "", "", len(draft.terms)))
    return bool(value)


def is_regnal(draft: Draft, index: int, taken: int) -> bool:
    """ "Henry the Eighth" is "Henry VIII"."""
    named, following, small = draft.item_at(index - 2), draft.word_at(index + taken), draft.lexicon.small
    if draft.word_at(index - 1) != "the" or named is None or not named.flags & CAPITAL:
        return False
    return (
        following in _REIGNING or following in STOPS or following in small.prepositions or following in small.auxiliary
    )
