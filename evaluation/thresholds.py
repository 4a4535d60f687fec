"""Thresholds: what each would serve, which is the best without a wrong answer, and whether it holds on other prompts.

A guard's verdict doesn't depend on the threshold, so one scoring tells what every threshold would serve: a lookup is
served by the nearest candidate that no guard refuses, if the threshold reaches down to it.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.dataset import Lookup
from evaluation.scored import Scored
from policies.model import SemanticPolicy

NEVER = math.inf
"""The threshold that serves equal requests only."""

FLOOR = SemanticPolicy().floor
"""No threshold is chosen below this unless a family's policy says so (safety.md 1.5)."""


Thresholds = Callable[[str], float]
"""Each family's."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One lookup, as far as thresholds are concerned."""

    family: str
    group: Hashable
    """The stored prompt it is about. Splits keep a group together: rewordings of one prompt are no independent test."""
    should_hit: bool
    right: bool
    """Whether what would be served is what should be."""
    reach: float
    """The highest threshold at which it is served: −inf if never, inf if its request is equal."""

    def served(self, threshold: float) -> bool:
        return self.reach >= threshold


@dataclass(frozen=True, slots=True)
class Tally:
    """What thresholds would serve of some probes."""

    n_hit: int
    hits: int
    n_miss: int
    false_hits: int
    wrong_entry: int

    @property
    def wrong(self) -> int:
        return self.false_hits + self.wrong_entry

    @property
    def hit_rate(self) -> float:
        return self.hits / self.n_hit if self.n_hit else 0.0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.n_hit + other.n_hit,
            self.hits + other.hits,
            self.n_miss + other.n_miss,
            self.false_hits + other.false_hits,
            self.wrong_entry + other.wrong_entry,
        )


EMPTY = Tally(0, 0, 0, 0, 0)


def probes(lookups: Sequence[Lookup], rows: Sequence[Scored]) -> list[Probe]:
    """One for each lookup, from its scores."""
    return [
        Probe(
            family=row.family,
            group=_group(lookup, row),
            should_hit=row.expected is not None,
            right=row.expected is not None and row.servable == row.expected,
            reach=_reach(row),
        )
        for lookup, row in zip(lookups, rows, strict=True)
    ]


def _reach(row: Scored) -> float:
    if row.reason == "exact":
        return math.inf
    return -math.inf if row.servable_similarity is None else row.servable_similarity


def _group(lookup: Lookup, row: Scored) -> Hashable:
    """The labelled prompt, else the one that would be served wrongly, else the one stored; by its text."""
    wanted = row.expected or row.nearest
    for stored in lookup.stored:
        if stored.key == wanted:
            return str(stored.messages[-1]["content"])
    return row.id


def everywhere(threshold: float) -> Thresholds:
    return lambda family: threshold


def or_never(thresholds: Mapping[str, float]) -> Thresholds:
    """A family without one stays exact."""
    return lambda family: thresholds.get(family, NEVER)


def tally(probes: Iterable[Probe], thresholds: Thresholds) -> Tally:
    """What they would serve."""
    n_hit = hits = n_miss = false_hits = wrong_entry = 0
    for probe in probes:
        served = probe.served(thresholds(probe.family))
        if probe.should_hit:
            n_hit += 1
            hits += served and probe.right
            wrong_entry += served and not probe.right
        else:
            n_miss += 1
            false_hits += served
    return Tally(n_hit, hits, n_miss, false_hits, wrong_entry)


def best_without_wrong(probes: Iterable[Probe], floor: float = FLOOR) -> float:
    """The threshold that serves all it can with no wrong answer; `NEVER` if that is no more than equal requests.

    It lies half-way between the nearest wrong answer and the farthest right one above it, and never below the floor:
    where no wrong answer was seen, it is the floor.
    """
    right: list[float] = []
    wrong: list[float] = []
    for probe in probes:
        (right if probe.right else wrong).append(probe.reach)
    bar = max(wrong, default=-math.inf)
    above = [reach for reach in right if bar < reach < math.inf]
    return max((bar + min(above)) / 2, floor) if above else NEVER


def by_family(probes: Iterable[Probe], floor: Callable[[str], float] = lambda family: FLOOR) -> dict[str, float]:
    """The best threshold without a wrong answer for each family by itself."""
    return {family: best_without_wrong(group, floor(family)) for family, group in families(probes).items()}


def families(probes: Iterable[Probe]) -> dict[str, list[Probe]]:
    """By name, sorted."""
    found: dict[str, list[Probe]] = defaultdict(list)
    for probe in probes:
        found[probe.family].append(probe)
    return dict(sorted(found.items()))


def for_half_of_hits(probes: Iterable[Probe]) -> float:
    """The highest threshold at which half of the lookups that should hit do; −inf if none gets so far."""
    wanted = [probe for probe in probes if probe.should_hit]
    reaches = sorted((probe.reach if probe.right else -math.inf for probe in wanted), reverse=True)
    return reaches[(len(wanted) + 1) // 2 - 1] if wanted else -math.inf


def halves(probes: Iterable[Probe], seed: int = 0) -> tuple[list[Probe], list[Probe]]:
    """Split by stored prompt, the same way on every machine."""
    one: list[Probe] = []
    other: list[Probe] = []
    for probe in probes:
        digest = hashlib.sha256(f"{seed}\0{probe.family}\0{probe.group}".encode("utf-8", "surrogatepass")).digest()
        (one if digest[0] % 2 else other).append(probe)
    return one, other


def transferred(probes: Sequence[Probe], choose: Callable[[Sequence[Probe]], Thresholds], seed: int = 0) -> Tally:
    """Thresholds chosen on one half and scored on the other, and the other way round."""
    total = EMPTY
    one, other = halves(probes, seed)
    for here, there in ((one, other), (other, one)):
        total += tally(there, choose(here))
    return total
