"""Comparisons turned round: "A is faster than B" says what "B is slower than A" says."""

from __future__ import annotations

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
