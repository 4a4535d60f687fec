"""Comparisons turned round ("A is faster than B", "B is slower than A"), and choices: "which is faster, A or B"."""

from __future__ import annotations

from collections.abc import Sequence

from policies.guards.alignment import Alignment, opposed
from policies.guards.facts import ASPECT, SOFT, Facts, Term

_COMPARATIVE = ("er", "less", "more", "worse")


def turned_comparison(cached: Facts, asked: Facts, alignment: Alignment) -> tuple[Term, ...]:
    """The two comparatives of "is A faster than B" and "is B slower than A", which say the same; else none.

    Everything else must have its partner, what stands behind "than" in front of it there, and nothing be measured: "how
    many times faster" is no "how many times slower".
    """
    left, right = alignment.cached_left, alignment.asked_left
    if len(left) != 1 or len(right) != 1 or not opposed(left[0], right[0]) or cached.quantities or asked.quantities:
        return ()
    if cached.negations or asked.negations or left[0].negated or right[0].negated:
        return ()
    if not all(term.word.endswith(_COMPARATIVE) for term in (*left, *right)):
        return ()
    sides = []
    for i, j in alignment.pairs:
        one, other = cached.terms[i], asked.terms[j]
        if ASPECT in (one.kind, other.kind):
            return ()
        if one.word != "than" and one.kind != SOFT:
            sides.append((one.slot == "than", other.slot == "than"))
    if sorted(set(sides)) == [(False, True), (True, False)]:
        return (*left, *right)
    return ()


def choice(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> tuple[set[int], set[int]]:
    """The places in the first prompt of what is to be chosen from in both ("A or B"), and of what else is said."""
    one, other = cached.terms, asked.terms
    if not all(any(term.joined == "or" for term in terms) for terms in (one, other)):
        return set(), set()
    if any(term.slot == "than" for term in (*one, *other)):
        return set(), set()
    tied = [
        {place for place, term in enumerate(terms) if term.joined == "or" or _next_is_or(terms, place)}
        for terms in (one, other)
    ]
    both = {i for i, j in pairs if i in tied[0] and j in tied[1]}
    alone = {i for i, j in pairs if i not in tied[0] and j not in tied[1] and (one[i].graded or _compares(one[i]))}
    return both, alone


def _next_is_or(terms: Sequence[Term], place: int) -> bool:
    return place + 1 < len(terms) and terms[place + 1].joined == "or"


def _compares(term: Term) -> bool:
    return term.word.endswith("er") or term.word in ("more", "less", "better", "worse")


def chooses(cached: Facts, asked: Facts, mine: Term, yours: Term) -> bool:
    """ "Which is faster, A or B", "which of A and B is faster"."""
    listed = mine if mine.joined == "and" else yours
    which = all(not facts.questions.isdisjoint(("which", "what")) for facts in (cached, asked))
    return which and listed.slot in ("of", "between")
