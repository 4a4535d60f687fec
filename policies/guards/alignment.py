"""Which words of one prompt stand for which words of the other, and what is left over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from policies.guards.facts import ASPECT, NAME, Term
from policies.guards.spelling import same_but_for_a_slip

_VARIABLES = frozenset("xyz")
_NOT_AGAIN = frozenset(
    (
        "resign",
        "recover",
        "recreation",
        "reform",
        "release",
        "reserve",
        "remark",
        "resort",
        "recollect",
        "repress",
        "represent",
    )
)
"""Words that a hyphen behind "re" makes another: "re-sign" is to sign again."""


class Alignment(NamedTuple):
    pairs: list[tuple[int, int]]
    """Positions in the cached and in the asked terms that stand for each other."""
    cached_left: list[Term]
    asked_left: list[Term]


def align(cached: Sequence[Term], asked: Sequence[Term]) -> Alignment:
    """Pair terms off: equal words first, then synonyms, denied opposites, compounds, slips of the pen."""
    pairs: list[tuple[int, int]] = []
    places: dict[tuple[str, bool], list[int]] = {}
    for j, term in enumerate(asked):
        places.setdefault((term.word, term.negated), []).append(j)
    cached_open: list[int] = []
    for i, term in enumerate(cached):
        found = places.get((term.word, term.negated))
        if found:
            pairs.append((i, found.pop(0)))
        else:
            cached_open.append(i)
    asked_open = sorted(j for rest in places.values() for j in rest)
    if cached_open and asked_open:
        for same in (_synonyms, _denied_opposites, _misspelled):
            cached_open = _pair(cached, asked, cached_open, asked_open, same, pairs)
        if cached_open and asked_open:
            _pair_compounds(cached, asked, cached_open, asked_open, pairs)
            _pair_compounds(asked, cached, asked_open, cached_open, pairs, swapped=True)
    cached_rest, asked_rest = _drop_repeats(cached, cached_open), _drop_repeats(asked, asked_open)
    if len(cached_rest) == len(cached_open) or len(asked_rest) == len(asked_open):
        # Otherwise each says another word twice ("left or right? … left", "left or right? … right").
        cached_open, asked_open = cached_rest, asked_rest
    return Alignment(pairs, [cached[i] for i in cached_open], [asked[j] for j in asked_open])


def _pair(
    cached: Sequence[Term],
    asked: Sequence[Term],
    cached_open: list[int],
    asked_open: list[int],
    same: Callable[[Term, Term], bool],
    pairs: list[tuple[int, int]],
) -> list[int]:
    """Pair what is open by one rule; removes from asked_open, returns what stays open of the cached side."""
    still_open = []
    for i in cached_open:
        for j in asked_open:
            if same(cached[i], asked[j]):
                pairs.append((i, j))
                asked_open.remove(j)
                break
        else:
            still_open.append(i)
    return still_open


def _synonyms(one: Term, other: Term) -> bool:
    if one.negated != other.negated:
        return False
    if one.kind == ASPECT or other.kind == ASPECT:
        return not one.aspects.isdisjoint(other.aspects)
    return not one.keys.isdisjoint(other.keys) and not opposed(one, other)


def _denied_opposites(one: Term, other: Term) -> bool:
    return one.negated != other.negated and one.word != other.word and not one.poles.isdisjoint(other.poles)


def _misspelled(one: Term, other: Term) -> bool:
    """Whether the one unknown word of the two is the other with a slip. Two unknown words may be two names."""
    if one.known == other.known or one.negated != other.negated:
        return False
    unknown, known = (other, one) if one.known else (one, other)
    if unknown.kind == NAME == known.kind and known.label == "entity" and not known.listed:
        return unknown.word.rstrip("s") == known.word.rstrip("s")  # "Jansen" and "Janssen" are two
    return (
        not unknown.guess.isdisjoint(known.keys)
        or same_but_for_a_slip(unknown.word, known.word)
        or (known.plural and unknown.word.endswith("s") and same_but_for_a_slip(unknown.word[:-1], known.word))
    )


def opposed(one: Term, other: Term) -> bool:
    """Whether the two lie on opposite poles of an axis."""
    return any(-pole in other.poles for pole in one.poles)


def _pair_compounds(
    whole: Sequence[Term],
    parts: Sequence[Term],
    whole_open: list[int],
    parts_open: list[int],
    pairs: list[tuple[int, int]],
    swapped: bool = False,
) -> None:
    """Pair "homepage" with "home page" where both halves are free."""
    for i in list(whole_open):
        for j in parts_open:
            if (
                j + 1 in parts_open
                and parts[j].word + parts[j + 1].word == whole[i].word
                and not (parts[j].word == "re" and whole[i].word in _NOT_AGAIN)
            ):
                pairs.append((j, i) if swapped else (i, j))
                whole_open.remove(i)
                parts_open.remove(j)
                parts_open.remove(j + 1)
                break


def _drop_repeats(terms: Sequence[Term], still_open: list[int]) -> list[int]:
    """A word said twice on one side needs no second partner; a variable does."""
    if not still_open:
        return still_open
    paired = {term.word for k, term in enumerate(terms) if k not in still_open}
    return [
        i for i in still_open if terms[i].kind == ASPECT or terms[i].word in _VARIABLES or terms[i].word not in paired
    ]
