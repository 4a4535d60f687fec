"""The loosest threshold that keeps a promise, by fixed-sequence testing.

Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei 2021, section 5): thresholds are tested in an order fixed
before any label is seen, from strict to loose, each at the same level, and the first that fails ends the sequence. So
the chance that any accepted threshold breaks the promise is at most the level, however many are tested; and several
families and sets of guards share the level between them. A test is passed when a Clopper–Pearson bound is in budget.

It holds for prompts drawn as the labelled ones were, one label counting as one draw.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.intervals import lower_bound, trials_needed, upper_bound
from evaluation.thresholds import Probe, Tally, everywhere, tally

STEP = 0.005
GRID = tuple(round(1 - STEP * step, 3) for step in range(round(1 / STEP) + 1))
"""Thresholds that are tested, in order."""

SHARE_STARTS = (1.0, 0.95, 0.9, 0.85)
"""Where sequences start when the wrong share is bounded: it falls before it rises, as a strict threshold serves hardly
anything right. Each sequence has its part of the level."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What must hold, with what confidence for all families together."""

    max_false_hit: float = 0.01
    confidence: float = 0.95
    max_wrong_share: float | None = None
    repeat_share: float = 0.3
    """Share of requests whose question has been answered before; of consequence for the wrong share only."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What some labels prove of one threshold."""

    tally: Tally
    false_hit: float
    """Upper bound of the rate of wrong answers among lookups that should miss. Wrong entries count as such lookups."""
    wrong_share: float | None
    """Upper bound of wrong answers ÷ answers served; None where no promise asks for it."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The loosest threshold found to keep the promise."""

    threshold: float
    level: float
    """Chance, at most, that this family's threshold breaks it."""
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class Refused:
    """No threshold was found to keep it."""

    reason: str


def level_of(promise: Promise, families: int, guard_sets: int) -> float:
    """What one family under one set of guards may spend of the chance to be wrong."""
    return (1 - promise.confidence) / (families * guard_sets)


def calibrate(probes: Sequence[Probe], promise: Promise, level: float, floor: float) -> Accepted | Refused:
    """The loosest accepted threshold of one family, at `floor` or above."""
    starts = (1.0,) if promise.max_wrong_share is None else SHARE_STARTS
    share = level / len(starts)
    best: Accepted | None = None
    for start in starts:
        for threshold in GRID:
            if threshold > start:
                continue
            bounds = bounds_of(probes, threshold, promise, share)
            if threshold < floor or not _kept(bounds, promise):
                break
            if best is None or threshold < best.threshold:
                best = Accepted(threshold, level, bounds)
    return best or Refused(_why(probes, promise, share))


def bounds_of(probes: Iterable[Probe], threshold: float, promise: Promise, level: float) -> Bounds:
    found = tally(probes, everywhere(threshold))
    trials = found.n_miss + found.wrong_entry
    # The wrong share rests on three rates, each bounded at a third of the level.
    third = 1 - level / 3
    return Bounds(
        tally=found,
        false_hit=upper_bound(found.wrong, trials, 1 - level),
        wrong_share=None
        if promise.max_wrong_share is None
        else wrong_share(
            false_hit=upper_bound(found.false_hits, found.n_miss, third),
            wrong_entry=upper_bound(found.wrong_entry, found.n_hit, third),
            hit=lower_bound(found.hits, found.n_hit, third),
            repeat_share=promise.repeat_share,
        ),
    )


def wrong_share(*, false_hit: float, wrong_entry: float, hit: float, repeat_share: float) -> float:
    """Wrong answers ÷ answers served, where `repeat_share` of the requests have an answer in the cache."""
    wrong = (1 - repeat_share) * false_hit + repeat_share * wrong_entry
    served = wrong + repeat_share * hit
    return wrong / served if served else 0.0


def _kept(bounds: Bounds, promise: Promise) -> bool:
    if bounds.false_hit > promise.max_false_hit:
        return False
    return bounds.wrong_share is None or bounds.wrong_share <= (promise.max_wrong_share or 0.0)


def _why(probes: Sequence[Probe], promise: Promise, level: float) -> str:
    strictest = bounds_of(probes, 1.0, promise, level)
    found = strictest.tally
    trials = found.n_miss + found.wrong_entry
    needed = trials_needed(promise.max_false_hit, 1 - level, found.wrong)
    if found.wrong <= promise.max_false_hit * trials and trials < needed:
        seen = f" with {found.wrong} wrong at a threshold of 1" if found.wrong else ""
        return (
            f"{trials:,} lookups that should miss{seen} prove a rate of {strictest.false_hit:.2%} at best: "
            f"label {needed - trials:,} more"
        )
    if promise.max_wrong_share is not None and strictest.false_hit <= promise.max_false_hit:
        return (
            f"too little is served to prove a wrong share of {promise.max_wrong_share:.2%} "
            f"when {promise.repeat_share:.0%} of requests repeat: label more lookups that should hit"
        )
    return f"{found.wrong} of {trials:,} lookups that should miss are served even at a threshold of 1"


def splits_kept(
    halves: Iterable[tuple[Sequence[Probe], Sequence[Probe]]], promise: Promise, level: float, floor: float
) -> Mapping[str, int]:
    """Of many splits: thresholds chosen on one part, and how often the other part's observed rate kept the promise.

    A part in which nothing was accepted serves equal requests only, and is counted apart.
    """
    counts = {"splits": 0, "kept": 0, "refused": 0}
    for here, there in halves:
        found = calibrate(here, promise, level, floor)
        counts["splits"] += 1
        if isinstance(found, Refused):
            counts["refused"] += 1
            continue
        seen = tally(there, everywhere(found.threshold))
        allowed = promise.max_false_hit * (seen.n_miss + seen.wrong_entry)
        counts["kept"] += seen.wrong <= math.floor(allowed + 1e-9)
    return counts
