"""One discipline at one load, run long enough to be believed; capacity; and the highest load that keeps a promise."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from simulation.intervals import Estimate, estimate, p95
from simulation.schedulers import RUN, Discipline, Server
from simulation.workload import Arrivals, Mix

Label = Literal["stable", "backlogged", "overloaded"]

SETTLED = 0.03  # doubling a run moves p95 by less than this
PRECISE = 0.05  # half-width of the 95 % interval of p95, relative
NEAR_CAPACITY = 0.95  # beyond it runs are not prolonged: nothing affordable settles there
CAPACITY_REQUESTS = 50_000


@dataclass(frozen=True, slots=True)
class Point:
    """One discipline at one load.

    moved is p95 of the whole runs over p95 of their first halves, less 1. Throughput and slot use are of whole runs.
    overloaded: the load is above capacity, so p95 grows with the run and only says how long the run was.
    backlogged: below capacity, but p95 has not settled (moved by 3 % or more, or known no better than 5 %).
    """

    discipline: Discipline
    load: float
    label: Label
    requests: int
    p95_s: Estimate
    p50_s: Estimate
    first_token_p95_s: Estimate
    slot_use_percent: Estimate
    done_per_s: Estimate
    tokens_per_s: Estimate
    moved: float


@dataclass(frozen=True, slots=True)
class Highest:
    """The load at which p95 reaches the limit, found in each replicate of this run length by itself."""

    discipline: Discipline
    requests: int
    load: Estimate


def capacity_per_s(discipline: Discipline, mix: Mix, server: Server, seed: int) -> float:
    """Requests per second of a server that always has enough waiting."""
    work = mix.draw(CAPACITY_REQUESTS, seed, Arrivals(1e9))
    line = RUN[discipline](work, server)
    # The last to be scheduled leave the server half empty; up to then it was full.
    return (CAPACITY_REQUESTS - server.slots) / line.scheduled_s[-1]


def point(
    discipline: Discipline,
    load: float,
    mix: Mix,
    server: Server,
    capacity: float,
    seeds: range,
    requests: int,
    longest: int = 80_000,
) -> Point:
    """Runs of `requests`, doubled until p95 has settled and is precise, unless the load is near capacity or above."""
    while True:
        found = _measure(discipline, load, mix, server, requests, seeds)
        settled = abs(found.moved) < SETTLED and found.p95_s.half <= PRECISE * found.p95_s.mean
        if load >= capacity:
            return replace(found, label="overloaded")
        if settled:
            return found
        if load > NEAR_CAPACITY * capacity or requests * 2 > longest:
            return replace(found, label="backlogged")
        requests *= 2


def _measure(discipline: Discipline, load: float, mix: Mix, server: Server, requests: int, seeds: range) -> Point:
    columns: dict[str, list[float]] = {
        name: [] for name in ("p95", "half run", "p50", "first", "use", "done", "tokens")
    }
    for seed in seeds:
        work = mix.draw(requests, seed, Arrivals(load))
        line = RUN[discipline](work, server)
        latencies = np.subtract(line.finish_s, work.arrival_s)
        tokens, last_s = sum(work.output_tokens), max(line.finish_s)
        columns["p95"].append(p95(latencies))
        columns["half run"].append(p95(latencies[: requests // 2]))
        columns["p50"].append(float(np.median(latencies)))
        columns["first"].append(p95(np.subtract(line.first_s, work.arrival_s)))
        columns["use"].append(100 * tokens / line.paid_slot_steps)
        columns["done"].append(requests / last_s)
        columns["tokens"].append(tokens / last_s)
    means = {name: estimate(values) for name, values in columns.items()}
    return Point(
        discipline,
        load,
        "stable",
        requests,
        means["p95"],
        means["p50"],
        means["first"],
        means["use"],
        means["done"],
        means["tokens"],
        means["p95"].mean / means["half run"].mean - 1,
    )


def highest(
    discipline: Discipline, slo_s: float, mix: Mix, server: Server, capacity: float, requests: int, seeds: range
) -> Highest:
    """0 where even an idle server is slower than slo_s; at most three times capacity, which only short runs reach."""
    found: list[float] = []
    for seed in seeds:
        # The other replicates' crossing is a good place to begin, unless there was none.
        near = max(float(np.mean(found)), 0.05 * capacity) if found else 0.7 * capacity
        found.append(_crossing(discipline, slo_s, mix, server, capacity, requests, seed, near))
    return Highest(discipline, requests, estimate(found))


def _crossing(
    discipline: Discipline,
    slo_s: float,
    mix: Mix,
    server: Server,
    capacity: float,
    requests: int,
    seed: int,
    near: float,
) -> float:
    """Regula falsi (Illinois) on 1 / p95, which falls almost in a straight line towards capacity; begun at `near`."""
    drawn = mix.draw(requests, seed, Arrivals(1.0))

    def slack(load: float) -> float:
        work = drawn.at_rate(load)
        return 1 / p95(np.subtract(RUN[discipline](work, server).finish_s, work.arrival_s)) - 1 / slo_s

    low = high = near
    at_low = at_high = slack(near)
    width = 0.03
    while at_low <= 0:
        high, at_high, low = low, at_low, low * (1 - width)
        at_low, width = slack(low), min(2 * width, 0.5)
        if low < 0.001 * capacity:
            return 0.0
    while at_high > 0:
        if high >= 3 * capacity:
            return high
        low, at_low, high = high, at_high, min(high * (1 + width), 3 * capacity)
        at_high, width = slack(high), min(2 * width, 0.5)
    # Between ends so near the line is straight enough.
    while high - low > 0.035 * high:
        middle = low + _part(at_low, at_high) * (high - low)
        at_middle = slack(middle)
        if at_middle > 0:
            low, at_low, at_high = middle, at_middle, at_high / 2
        else:
            high, at_high, at_low = middle, at_middle, at_low / 2
    return low + _part(at_low, at_high) * (high - low)


def _part(at_low: float, at_high: float) -> float:
    """Where between its ends a straight line crosses 0; a twentieth off either at least, or the search would stall."""
    return min(max(at_low / (at_low - at_high), 0.05), 0.95)
