"""Group `order`: two things, sides or persons that change their parts between clauses or about one verb."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from policies.guards.alignment import opposed
from policies.guards.facts import SOFT, Facts, Term
from policies.guards.vocabulary import base_form

_AT = frozenset(("in", "on", "at", "to", "into"))
_TIES = frozenset(("and", "or", "vs", "versus", "from", "to", "than"))
"""Between two opposites they make them one pair: "between left and right"."""
_POSSESSIVES = frozenset(("his", "her", "their"))


def exchanged_parts(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether what is said of one thing here is said of the other there."""
    back = [(j, i) for i, j in pairs]
    return (
        _other_source(cached, asked, pairs)
        or _behind_but(cached, asked, pairs)
        or _opposites_exchanged(cached, asked)
        or any(
            rule(one, other, places)
            for rule in (_in_place_of_person, _told_or_asked, _owner_acts)
            for one, other, places in ((cached, asked, pairs), (asked, cached, back))
        )
    )


def _other_source(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "Delete it from A but keep it in B", "delete it from B but keep it in A"."""
    moved = {
        (mine == "from", yours == "from")
        for mine, yours in ((cached.terms[i].slot, asked.terms[j].slot) for i, j in pairs)
        if (mine == "from" and yours in _AT) or (yours == "from" and mine in _AT)
    }
    return len(moved) > 1


def _behind_but(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "I passed maths but failed physics", "I passed physics but failed maths".

    Some stay and some change over on both sides of the "but"; of clauses that change places nothing stays behind it.
    """
    if not (cached.turn and asked.turn):
        return False
    sides = {
        (i >= cached.turn, j >= asked.turn)
        for i, j in pairs
        if (i >= cached.turn) == (j >= asked.turn) or _tells(cached.terms[i])
    }
    return len(sides) == 4


def parted(facts: Facts, first: int, second: int) -> bool:
    """Whether a "but" stands between two terms."""
    return (first >= facts.turn) != (second >= facts.turn)


def _tells(term: Term) -> bool:
    return term.kind != SOFT or bool(term.poles)


def _opposites_exchanged(cached: Facts, asked: Facts) -> bool:
    """ "Left" and "right" in each other's places, all else the same, also of what is mutual."""
    if len(cached.words) != len(asked.words):
        return False
    places = [place for place, (one, other) in enumerate(zip(cached.words, asked.words, strict=True)) if one != other]
    if len(places) != 2:
        return False
    first, second = places
    one, other = base_form(cached.words[first]), base_form(cached.words[second])
    if (one, other) != (base_form(asked.words[second]), base_form(asked.words[first])):
        return False
    if not _TIES.isdisjoint(cached.words[first:second]) and not (cached.turn and asked.turn):
        return False
    terms = {term.word: term for term in cached.terms}
    return one in terms and other in terms and opposed(terms[one], terms[other])


def _in_place_of_person(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "A friend wants to borrow from me", "borrow from a friend": who acts here stands in my place there."""
    slots = {found.slot for found in one.undergone if found.slot and found.person == "first"}
    if not slots or any(found.person == "first" for found in other.undergone):
        return False
    return any(not one.terms[i].slot and other.terms[j].slot in slots for i, j in pairs)


def _told_or_asked(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "Questions for a candidate to ask", "questions to ask a candidate"."""
    forth = dict(pairs)
    for i, j in pairs:
        verb = forth.get(i + 1)
        if verb is None or one.terms[i].slot != "for":
            continue
        if verb == j - 1 and one.terms[i + 1].slot == "to" == other.terms[verb].slot:
            return other.terms[j].slot in ("", "to")
    return False


def _owner_acts(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "My daughter's teacher lied to her", "my daughter lied to her teacher"."""
    forth, back = dict(pairs), {j: i for i, j in pairs}
    for i, j in pairs:
        if not one.terms[i].owner or other.terms[j].owner or other.terms[j].slot:
            continue
        thing = forth.get(i + 1, j)
        if thing > j + 1 and back.get(j + 1, i) > i + 1 and _is_owned(other, other.terms[thing].word):
            return True
    return False


def _is_owned(facts: Facts, word: str) -> bool:
    return any(owner in _POSSESSIVES and base_form(thing) == word for owner, thing in pairwise(facts.words))
