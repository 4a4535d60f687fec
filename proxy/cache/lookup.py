"""The semantic decision: which of the nearest answered texts, if any, may answer this one. Pure; no waiting.

The proxy, `explain` and the evaluation all decide here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from policies.guards import Conflict, Facts, compare
from proxy.cache.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Considered:
    """One candidate and what was found of it."""

    candidate: Candidate
    similarity: float
    """Cosine, −1…1."""
    refused: str | None
    """`expired`, `threshold`, or the guard's reason; None: it may answer."""
    conflict: Conflict | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """The nearest candidate that nothing speaks against."""

    candidate: Candidate
    similarity: float


@dataclass(frozen=True, slots=True)
class Miss:
    """No candidate may answer."""

    reason: str
    """Of the nearest candidate that was fresh and similar enough, the guard's; else `threshold`, `expired`, `empty`."""


def decide(
    nearest: Sequence[tuple[Candidate, float]],
    facts: Facts,
    *,
    threshold: float,
    guards: frozenset[str],
    is_fresh: Callable[[Candidate], bool],
    facts_of: Callable[[Candidate], Facts],
) -> tuple[Hit | Miss, list[Considered]]:
    """Judge candidates, nearest first, in the order: expiry, guards, threshold.

    Args:
        nearest: with their similarity, greatest first.
        facts: the guard's reading of the text that is asked.
        facts_of: the guard's reading of a candidate's text, by the lexicon in force.
    """
    considered: list[Considered] = []
    hit: Hit | None = None
    for candidate, similarity in nearest:
        conflict = None
        refused: str | None
        if not is_fresh(candidate):
            refused = "expired"
        elif (conflict := compare(facts_of(candidate), facts, guards)) is not None:
            refused = conflict.reason
        else:
            refused = "threshold" if similarity < threshold else None
        considered.append(Considered(candidate, similarity, refused, conflict))
        if refused is None and hit is None:
            hit = Hit(candidate, similarity)
            break
    if hit is not None:
        return hit, considered
    return Miss(_reason(considered, threshold)), considered


def _reason(considered: Sequence[Considered], threshold: float) -> str:
    """The most telling refusal: a guard's where similarity alone would have served, else that of the nearest."""
    for one in considered:
        if one.conflict is not None and one.similarity >= threshold:
            return one.conflict.reason
    if any(one.similarity < threshold for one in considered):
        return "threshold"
    return "expired" if considered else "empty"
