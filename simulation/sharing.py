"""What sharing answers is worth in front of the engines: three front ends compared, and hits against load.

Three requests in ten ask one of 500 questions (Zipf), the rest equal no other. Near saturation a few per cent of work
taken away shorten the tail a lot; with room to spare they do less, and both are reported.
"""

from dataclasses import dataclass

import numpy as np

from simulation.frontend import FrontEnd, serve
from simulation.intervals import Estimate, estimate, p95
from simulation.reference_engine import ReferenceEngine
from simulation.router import Router
from simulation.schedulers import Server, continuous
from simulation.workload import Arrivals, Catalogue, Mix, Workload, stream

CATALOGUE = Catalogue(entries=500, share=0.3)
CAPACITY_PER_S = 10.6


@dataclass(frozen=True, slots=True)
class Case:
    """One set-up; bare_name is the set-up it is compared with, on the same requests.

    load is for the reference server, whose capacity is CAPACITY_PER_S; for another one it is scaled in proportion.
    """

    name: str
    engines: int
    load: float
    settings: FrontEnd
    bare_name: str


_BARE, _FLIGHT = FrontEnd(), FrontEnd(single_flight=True)
_BOTH = FrontEnd(cache=True, single_flight=True)

CASES: tuple[Case, ...] = (
    Case("bare", 1, 10, _BARE, "bare"),
    Case("single flight", 1, 10, _FLIGHT, "bare"),
    Case("cache and single flight", 1, 10, _BOTH, "bare"),
    Case("two servers, bare", 2, 8, _BARE, "two servers, bare"),
    Case("two servers, cache and single flight", 2, 8, _BOTH, "two servers, bare"),
)


@dataclass(frozen=True, slots=True)
class CaseRun:
    p95_s: float
    hit: float
    coalesced: float


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Over catalogue draws: which lengths the popular questions happen to have moves one run far more than chance does.

    So p95 is given as median and quartiles, and against the bare set-up draw by draw, as a geometric mean.
    """

    name: str
    engines: int
    load: float
    p95_median_s: float
    p95_quartiles_s: tuple[float, float]
    against_bare: float
    against_bare_interval: tuple[float, float]
    hit_percent: Estimate
    coalesced_percent: Estimate


def run_case(case: Case, scale: float, mix: Mix, server: Server, requests: int, seed: int) -> CaseRun:
    work = Mix(mix.prompt, mix.output, CATALOGUE).draw(requests, seed, Arrivals(scale * case.load))
    router = Router([ReferenceEngine(server) for _ in range(case.engines)], "least-loaded")
    served = serve(work, case.settings, router, seed=seed)
    return CaseRun(p95(served.latencies()), served.share("hit"), served.share("coalesced"))


def summarise(runs: dict[str, list[CaseRun]], scale: float) -> list[CaseResult]:
    """Runs by case name, one a seed, in the same order of seeds for every case."""
    results = []
    for case in CASES:
        mine, bare = runs[case.name], runs[case.bare_name]
        tails = [run.p95_s for run in mine]
        ratio = estimate([float(np.log(one.p95_s / other.p95_s)) for one, other in zip(mine, bare, strict=True)])
        low, median, high = np.quantile(tails, [0.25, 0.5, 0.75]).tolist()
        results.append(
            CaseResult(
                case.name,
                case.engines,
                scale * case.load,
                median,
                (low, high),
                float(np.exp(ratio.mean)),
                (float(np.exp(ratio.mean - ratio.half)), float(np.exp(ratio.mean + ratio.half))),
                estimate([100 * run.hit for run in mine]),
                estimate([100 * run.coalesced for run in mine]),
            )
        )
    return results


HEAT_LOADS: tuple[float, ...] = (4, 6, 8, 9, 10, 11, 12, 14, 16)
HEAT_HITS: tuple[float, ...] = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
HEAT_SEEDS = 2


@dataclass(frozen=True, slots=True)
class HeatRow:
    """p95 over all requests, hits included, at one hit rate and each load; one engine, continuous batching."""

    hit_rate: float
    p95_s: tuple[float, ...]


def heat_row(
    hit_rate: float, loads: tuple[float, ...], mix: Mix, server: Server, requests: int, first_seed: int
) -> HeatRow:
    """Hits fall at random: what is left is the same workload, thinned."""
    hit_s = FrontEnd().hit_s
    tails = np.zeros((HEAT_SEEDS, len(loads)))
    for turn in range(HEAT_SEEDS):
        seed = first_seed + turn
        drawn = mix.draw(requests, seed, Arrivals(1.0))
        missed = (stream(seed, "hits").random(requests) >= hit_rate).nonzero()[0].tolist()
        left = Workload(
            [drawn.arrival_s[row] for row in missed],
            [drawn.prompt_tokens[row] for row in missed],
            [drawn.output_tokens[row] for row in missed],
        )
        for column, load in enumerate(loads):
            work = left.at_rate(load)
            generated = np.subtract(continuous(work, server).finish_s, work.arrival_s)
            tails[turn, column] = p95(np.concatenate([generated, np.full(requests - len(missed), hit_s)]))
    return HeatRow(hit_rate, tuple(tails.mean(axis=0).tolist()))
