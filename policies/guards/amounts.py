"""Amounts asked for without "how many", and a "how long" that asks for no time."""

from __future__ import annotations

from itertools import pairwise

from policies.guards.draft import Draft
from policies.guards.facts import Term
from policies.guards.lexicon import Lexicon
from policies.guards.reading import START, Item
from policies.guards.vocabulary import base_form

_LEFT = frozenset(("until", "till", "left", "remaining"))
_NEEDED = frozenset(("needed", "required", "burned", "burnt"))
_HOW_MANY = [Item("how", START, "how"), Item("many", 0, "many")]
_LENGTH = frozenset(("@duration", "@length", "@span"))
"""What "how long" may ask for where the answer is to be in miles."""
_AS = frozenset(("in", "to", "into", "@count", "as"))
"""Words before the unit in which a measure is wanted."""
_FAR = 4
"""How many words may stand before "needed"."""


def with_how_many(items: list[Item], lexicon: Lexicon) -> list[Item]:
    """The words with "how many" before them, if a fragment asks that: "days until Easter", "hours of sleep needed"."""
    if len(items) < 3 or not items[0].word.endswith("s") or base_form(items[0].word) not in lexicon.spelled:
        return items
    asks = items[1].word in _LEFT or (
        any(item.word in _NEEDED for item in items[1:_FAR]) and (items[1].word == "of" or items[1].word in _NEEDED)
    )
    return [*_HOW_MANY, *items] if asks else items


def settle_length(draft: Draft) -> None:
    """Where the answer is to be in units: tell whether "how long" and "distance" ask for the same."""
    words = [term.word for term in draft.terms]
    if "distance" in words:
        draft.terms = [_without_span(term, draft) for term in draft.terms]
    elif "@duration" in words and _is_length(draft):
        draft.terms = [term._replace(aspects=_LENGTH) if term.word == "@duration" else term for term in draft.terms]


def _without_span(term: Term, draft: Draft) -> Term:
    """ "The distance of the race" is how long it is, "the distance to the lake" is not."""
    if term.word != "distance":
        return term
    reaching = "around" in draft.words or any(other.slot not in ("", "of", "in") for other in draft.terms)
    return term._replace(aspects=term.aspects - _LENGTH) if reaching else term


def _is_length(draft: Draft) -> bool:
    """ "How long is the race in miles" asks for no time."""
    return all(unit <= draft.lexicon.sources["units"]["length"].keys() for unit in draft.units)


def is_weighed(draft: Draft, index: int) -> bool:
    """ "A cup of flour in grams", "a gallon of water is how many pounds"."""
    if draft.word_at(index + 1) != "of":
        return False
    spelled, symbols = draft.lexicon.spelled, draft.lexicon.symbols
    behind = draft.words[index + 2 :]
    return any(
        before in _AS and (word in spelled or base_form(word) in spelled or (len(word) > 1 and word in symbols))
        for before, word in pairwise(behind)
    )
