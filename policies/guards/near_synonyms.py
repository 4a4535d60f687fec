"""Group `substitution`: words that may stand for one another in most prompts, where they are what is told apart.

A vehicle is a car to whoever wants to register it, not in "is a bicycle a vehicle"; a user uses, but "how do I set the
timer" is not how to set the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from policies.guards.facts import NAME, PLAIN, SOFT, Conflict, Facts, Term
from policies.guards.vocabulary import base_form

_DOING = ("er", "or", "ee", "ist", "eer", "ian")
"""Endings of who or what does it, or has it done to: "timer", "trainee"."""
_COMPARED = frozenset(("difference", "versus", "vs", "differ", "different"))
_KNOWN = frozenset(("the", "my", "your", "our", "his", "her", "their", "this"))
"""They name one that is known, and no kind."""
_ASKING = frozenset(("define", "explain", "term", "word", "use", "mean", "understand", "learn", "help", "show", "see"))
_SORTS = frozenset(("normal", "general", "regular", "common", "proper", "typical", "actual"))
"""Words that say nothing elsewhere: "a common noun"."""
_WHICH = frozenset(("what", "which"))
_OWN = "~"
_ROOT = "+"


def near_synonym_conflict(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> Conflict | None:
    """The first pair of words that are one by a group of synonyms or by their root alone, where that does not do."""
    kinds = _tells_kinds(cached) and _tells_kinds(asked)
    for i, j in pairs:
        one, other = cached.terms[i], asked.terms[j]
        if one.word == other.word:
            continue
        shared = one.keys & other.keys
        if not shared or any(key[0] not in (_OWN, _ROOT) for key in shared):
            continue
        ends = i == len(cached.terms) - 1 and j == len(asked.terms) - 1
        if (kinds and _is_kind(one, other)) or (ends and _is_class(cached, one) and _is_class(asked, other)):
            return Conflict("substitution", one.word, other.word)
        by_root = all(key[0] == _ROOT for key in shared) and "who" not in cached.questions | asked.questions
        if by_root and _does_it(one.word, other.word):
            return Conflict("substitution", one.word, other.word)
    return None


def _tells_kinds(facts: Facts) -> bool:
    """ "The difference between an error and a bug", "what is an error": it asks what a word means."""
    return not _COMPARED.isdisjoint(facts.words) or _is_definition(facts)


def _is_definition(facts: Facts, words: int = 1) -> bool:
    """ "What is an error"; words: how many words may name it."""
    heavy = [term for term in facts.terms if term.kind != SOFT]
    return (
        facts.questions == {"what"}
        and facts.being
        and len(heavy) <= words
        and bool(facts.terms)
        and not any(term.slot for term in heavy)
        and not facts.quantities
        and _KNOWN.isdisjoint(facts.words)
    )


def other_sort(cached: Facts, asked: Facts, rest: Sequence[Term]) -> bool:
    """ "What is a long jump", "what is a jump": in a definition a word that may be missing elsewhere tells the sort.

    rest: the terms without a partner.
    """
    if any(term.kind == NAME for term in (*cached.terms, *asked.terms)):
        return _asks_for_a_sort(cached, asked, rest)
    if not _SORTS.isdisjoint(set(cached.words) ^ set(asked.words)):
        return _is_definition(cached, words=2) and _is_definition(asked, words=2)
    sorts = any(not term.slot and term.kind == SOFT and term.word not in _ASKING for term in rest)
    return sorts and _is_definition(cached) and _is_definition(asked)


def _asks_for_a_sort(cached: Facts, asked: Facts, rest: Sequence[Term]) -> bool:
    """ "What countries are in the EU", "what is the EU": nothing but the name is in both."""
    left = {term.word for term in rest}
    if any(term.kind != NAME and term.word not in left for term in (*cached.terms, *asked.terms)):
        return False
    return any(
        word in _WHICH and base_form(after) in left for side in (cached, asked) for word, after in pairwise(side.words)
    )


def _is_kind(one: Term, other: Term) -> bool:
    return one.kind == PLAIN == other.kind


def _is_class(facts: Facts, term: Term) -> bool:
    """ "Is caffeine a drug"."""
    return "polar" in facts.questions and facts.being and term.determiner == "a" and not term.slot


def _does_it(one: str, other: str) -> bool:
    """Whether the longer of two words of one root names who or what does the shorter."""
    short, long = sorted((one, other), key=len)
    return long.endswith(_DOING) and long.startswith(short[:-1]) and not short.endswith(_DOING)
