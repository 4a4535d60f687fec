"""Words that say little, but are part of a name or tell which place of a name is meant."""

from __future__ import annotations

from policies.guards.draft import Draft
from policies.guards.facts import NAME, SOFT
from policies.guards.reading import CAPITAL, POSSESSIVE, Item
from policies.guards.said import literal_lists
from policies.guards.vocabulary import base_form

_BESIDE_NAME = frozenset(("(", ")", ",", "the", "of", "usa"))


def is_part_of_name(draft: Draft, item: Item, index: int) -> bool:
    """ "Kansas City" is not Kansas, "Georgia (country)" not Georgia, and "New England" not England."""
    word = item.word
    if not (item.flags & CAPITAL or word == "new" or word == "country" or word in literal_lists()["name_parts"]):
        return False
    entry = draft.lexicon.entry(word)
    if entry is None or entry.kind != SOFT:
        return False
    if word == "new":
        return _is_new_place(draft, item, index)
    return _follows_name(draft, item, index) or _tells_namesakes(draft, word, index)


def _is_new_place(draft: Draft, item: Item, index: int) -> bool:
    behind = draft.item_at(index + 1)
    if behind is None or behind.word == "year":
        return False
    if item.flags & behind.flags & CAPITAL:
        return True
    entry = draft.lexicon.entry(behind.word)
    return draft.word_at(index - 1) in ("of", "in", "is") and entry is not None and entry.kind == NAME


def _follows_name(draft: Draft, item: Item, index: int) -> bool:
    may_end = item.word in literal_lists()["name_parts"]
    before = draft.item_at(index - 1)
    last = draft.terms[-1] if draft.terms else None
    if may_end and _is_unlisted_name(draft, index - 1):
        return True
    if before is None or last is None or last.kind != NAME or before.flags & POSSESSIVE:
        return False
    named = last.word in (before.word, base_form(before.word))
    return named and (may_end or bool(item.flags & before.flags & CAPITAL))


def _is_unlisted_name(draft: Draft, index: int) -> bool:
    """ "The population of carson city": a word the lexicon does not list, where names stand."""
    word = draft.word_at(index)
    return word.isalpha() and draft.word_at(index - 1) in ("of", "in") and draft.lexicon.entry(word) is None


def _tells_namesakes(draft: Draft, word: str, index: int) -> bool:
    """Whether the word says which place of a name is meant: "the state of Georgia", "Georgia (country)"."""
    lists = literal_lists()
    if word != "country" and word not in lists["name_parts"]:
        return False
    before = draft.word_at(index - 1)
    if before and before not in _BESIDE_NAME and before not in lists["namesakes"]:
        return False  # "the capital city of Georgia"
    near = [other for other in draft.words[max(index - 4, 0) : index + 4] if other not in _BESIDE_NAME]
    place = near.index(word)
    return not lists["namesakes"].isdisjoint(near[max(place - 1, 0) : place + 2])
