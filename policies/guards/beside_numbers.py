"""What stands beside a number and belongs to it: halves of the day, currencies, bounds, the unit of the next one."""

from __future__ import annotations

from policies.guards.draft import NOTHING, Draft
from policies.guards.number_words import NUMBER_WORDS
from policies.guards.reading import DIGITS, Item

_BOUNDS_BEHIND = {
    **dict.fromkeys(
        ["more", "greater", "higher", "larger", "bigger", "longer", "older", "above", "over", "later", "up"], ">="
    ),
    **dict.fromkeys(["less", "fewer", "lower", "smaller", "shorter", "younger", "below", "under", "earlier"], "<="),
}
_HALVES = {"morning": "am", "afternoon": "pm", "evening": "pm"}
_TYING = frozenset(("and", "or", "to"))
_RANGE = frozenset(("to", "and", "through"))
_CURRENCIES = frozenset(("rs", "inr", "usd", "eur", "gbp", "jpy", "cny", "cad", "aud", "chf"))
"""Written before the number as well."""


def is_number(item: Item) -> bool:
    """Whether a number may begin here."""
    return bool(item.flags & DIGITS) or item.word[0].isdigit() or item.word in NUMBER_WORDS


def half_of_day(draft: Draft, index: int) -> tuple[str, int]:
    """ "(Seven) in the evening", "(seven) this evening": which half of the day, and how many items say so."""
    one, two, three = (draft.word_at(index + place) for place in range(3))
    if one == "in" and two == "the" and three in _HALVES:
        return _HALVES[three], 3
    if (one == "this" and two in _HALVES) or (one == "at" and two == "night"):
        return _HALVES.get(two, "pm"), 2
    return "", 0


def read_currency(draft: Draft, index: int) -> bool:
    """Keep the currency that stands before its number ("Rs 15000"); whether the word was one."""
    item, following = draft.items[index], draft.item_at(index + 1)
    if following is None or not following.flags & DIGITS or item.word not in _CURRENCIES:
        return False
    draft.currency = draft.lexicon.symbols.get(item.word, NOTHING)
    return bool(draft.currency)


def number_follows(draft: Draft, index: int) -> bool:
    """Whether a number stands right behind this place, or behind a currency there ("under Rs 15000")."""
    following = draft.item_at(index + 1)
    if following is None:
        return False
    beyond = draft.item_at(index + 2)
    return is_number(following) or (
        following.word in _CURRENCIES and beyond is not None and bool(beyond.flags & DIGITS)
    )


def bind_behind(draft: Draft, index: int) -> bool:
    """Give a bound that follows its number, "8 or more characters", to that number; whether it did."""
    bound = _BOUNDS_BEHIND.get(draft.word_at(index + 1))
    beyond = draft.word_at(index + 2)
    if bound is None or not draft.quantities or draft.quantities[-1].bound or beyond == "than":
        return False
    before = draft.item_at(index - 1)
    right_behind = before is not None and is_number(before) and draft.word_at(index) == "or"
    if number_follows(draft, index + 1) or not (right_behind or _ends_phrase(draft, beyond)):
        return False
    if not any(is_number(item) for item in draft.items[max(index - 3, 0) : index]):
        return False
    draft.quantities[-1] = draft.quantities[-1]._replace(bound=bound)
    return True


def _ends_phrase(draft: Draft, word: str) -> bool:
    small = draft.lexicon.small
    return not word.isalpha() or word in small.prepositions or word in small.auxiliary or word in ("and", "or")


def continues(draft: Draft, index: int) -> bool:
    """Whether the number before has no unit but this one's: "500 and 1000 rupees"."""
    before = draft.item_at(index - 2)
    if draft.word_at(index - 1) not in _TYING or before is None or not draft.quantities:
        return False
    return bool(before.flags & DIGITS) and not draft.quantities[-1].units


def begins_range(draft: Draft, index: int) -> bool:
    """ "From one to five"."""
    last = draft.item_at(index + 2)
    return draft.word_at(index + 1) in _RANGE and last is not None and is_number(last)
