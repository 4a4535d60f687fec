"""The published batching table, and whether the simulation reproduces it in distribution.

The table gives averages of three runs of 1,500 requests without saying which random stream drew them, so its digits
cannot be hit; what can be tested is whether it is a likely draw. An entry is reproduced when it lies within two
standard deviations of a 3-seed average, widened by half a unit of its last printed digit.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simulation.intervals import p95
from simulation.schedulers import RUN, Discipline, Server
from simulation.workload import Arrivals, Mix

Measure = Literal["p95_s", "slot_use_percent", "done_per_s", "peak_tokens_per_s"]

WORDS: Mapping[Measure, str] = {
    "p95_s": "p95, s",
    "slot_use_percent": "slot use, %",
    "done_per_s": "done per s",
    "peak_tokens_per_s": "peak tokens per s",
}
REQUESTS = 1500
SEEDS_IN_AN_AVERAGE = 3
# The peak was read from a saturated server: at 10 req/s, below its capacity, continuous batching cannot show 1,800
# tokens/s, for no more than about 1,670 arrive. Any load above capacity gives the same within 1 %.
SATURATING_LOAD = 20.0


@dataclass(frozen=True, slots=True)
class Entry:
    """load is None for the peak, the largest average over the loads."""

    discipline: Discipline
    measure: Measure
    load: float | None
    value: float
    half_unit: float

    @property
    def name(self) -> str:
        at = "peak" if self.load is None else f"{self.load:g} req/s"
        return f"{self.discipline} {self.measure} {at}"


ENTRIES: tuple[Entry, ...] = (
    Entry("sequential", "p95_s", 1, 176, 0.5),
    Entry("static", "p95_s", 1, 8.3, 0.05),
    Entry("static", "p95_s", 2, 14.0, 0.05),
    Entry("static", "slot_use_percent", 1, 60, 0.5),
    Entry("static", "slot_use_percent", 2, 36, 0.5),
    Entry("static", "slot_use_percent", 8, 24, 0.5),
    Entry("static", "slot_use_percent", 10, 24, 0.5),
    Entry("static", "done_per_s", 8, 3.0, 0.05),
    Entry("continuous", "p95_s", 1, 3.4, 0.05),
    Entry("continuous", "p95_s", 2, 3.5, 0.05),
    Entry("continuous", "p95_s", 8, 6.3, 0.05),
    Entry("continuous", "p95_s", 10, 9.1, 0.05),
    # 520 and 1,800 are read as rounded to two digits.
    Entry("sequential", "peak_tokens_per_s", None, 157, 0.5),
    Entry("static", "peak_tokens_per_s", None, 520, 5),
    Entry("continuous", "peak_tokens_per_s", None, 1800, 50),
)

# How far the mean peak may be from the published one, in per cent.
PEAK_WITHIN_PERCENT: Mapping[Discipline, float] = {"sequential": 1, "static": 3, "continuous": 2}


@dataclass(frozen=True, slots=True)
class Reproduced:
    """sd is that of one 3-seed average; z is (published - mean) in units of hypot(sd, half_unit)."""

    name: str
    published: float
    mean: float
    sd: float
    z: float
    difference_percent: float
    within: bool


Row = dict[tuple[Discipline, Measure, float], float]


def measure_seed(seed: int, mix: Mix, server: Server) -> Row:
    """The measures of one run of 1,500 requests per discipline and load that the table mentions."""
    row: Row = {}
    drawn = mix.draw(REQUESTS, seed, Arrivals(1.0))
    tokens = sum(drawn.output_tokens)
    loads = {(entry.discipline, SATURATING_LOAD if entry.load is None else entry.load) for entry in ENTRIES}
    tails = {(entry.discipline, entry.load) for entry in ENTRIES if entry.measure == "p95_s"}
    for discipline, load in sorted(loads):
        work = drawn.at_rate(load)
        line = RUN[discipline](work, server)
        last_s = max(line.finish_s)
        if (discipline, load) in tails:
            row[discipline, "p95_s", load] = p95(np.subtract(line.finish_s, work.arrival_s))
        row[discipline, "slot_use_percent", load] = 100 * tokens / line.paid_slot_steps
        row[discipline, "done_per_s", load] = REQUESTS / last_s
        row[discipline, "peak_tokens_per_s", load] = tokens / last_s
    return row


def compare(rows: Sequence[Row]) -> list[Reproduced]:
    """Each entry against averages of three seeds in turn; rows are those of `measure_seed`, at least six."""
    return [_reproduced(entry, rows) for entry in ENTRIES]


def _reproduced(entry: Entry, rows: Sequence[Row]) -> Reproduced:
    loads = (
        [entry.load]
        if entry.load is not None
        else sorted({load for discipline, _, load in rows[0] if discipline == entry.discipline})
    )
    per_seed = np.array([[row[entry.discipline, entry.measure, load] for load in loads] for row in rows])
    groups = len(rows) // SEEDS_IN_AN_AVERAGE
    averages = per_seed[: groups * SEEDS_IN_AN_AVERAGE].reshape(groups, SEEDS_IN_AN_AVERAGE, len(loads)).mean(axis=1)
    values = averages.max(axis=1)
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    z = (entry.value - mean) / math.hypot(sd, entry.half_unit)
    difference = 100 * (mean - entry.value) / entry.value
    within = abs(z) <= 2
    if entry.load is None:
        within = within and abs(difference) <= PEAK_WITHIN_PERCENT[entry.discipline]
    return Reproduced(entry.name, entry.value, mean, sd, z, difference, within)
