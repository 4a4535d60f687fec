"""How fast the two models are: requests per second of CPU time on one core, by jumps and step by step.

CPU time of this process, the best of several passes: what else the machine does can only slow a pass down.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from simulation.cost import PRESETS
from simulation.cost_file import load_cost
from simulation.engine import simulate
from simulation.published import REQUESTS, SEEDS_IN_AN_AVERAGE
from simulation.request import Request
from simulation.schedulers import DISCIPLINES, RUN, Discipline, reference_server
from simulation.settings import EngineSettings
from simulation.stepping import walk
from simulation.study import Parameters
from simulation.workload import Arrivals

COST = "rtxpro6000-llama3.1-8b"
# What the specification asks for; of the full engine at this arrival rate.
MUST_REFERENCE, MUST_SKIPPING, MUST_STEPPING, MUST_RATE = 300_000, 15_000, 3_000, 2.0
REFERENCE_LOADS = (1.0, 2.0, 8.0, 10.0)
# The step-by-step oracle is hundreds of times slower.
WALKED = 500


@dataclass(frozen=True, slots=True)
class EngineSpeed:
    """The full engine at one arrival rate, and how many steps a request took."""

    rate_per_s: float
    skipping: float
    stepping: float
    steps_per_request: float


@dataclass(frozen=True, slots=True)
class ReferenceSpeed:
    """One discipline of the reference model at one load; skipping is the model itself, stepping its oracle."""

    discipline: Discipline
    load: float
    skipping: float
    stepping: float


def engine_speed(
    lengths: Sequence[tuple[int, int]], rate_per_s: float, requests: int, passes: int, seed: int = 1
) -> EngineSpeed:
    """lengths: prompt and output tokens, taken in turn."""
    rng = random.Random(seed)
    clock = 0.0
    work: list[Request] = []
    for index in range(requests):
        clock += rng.expovariate(rate_per_s)
        work.append(Request(clock, *lengths[index % len(lengths)]))
    cost, settings = load_cost(COST), EngineSettings()
    skipping = _fastest(passes, requests, simulate, work, cost, settings)
    stepping = _fastest(passes, requests, partial(simulate, step=True), work, cost, settings)
    steps = simulate(work, cost, settings).steps
    return EngineSpeed(rate_per_s, skipping, stepping, steps / requests)


def reference_speeds(requests: int, passes: int) -> list[ReferenceSpeed]:
    parameters, server = Parameters(), reference_server(PRESETS["reference"], Parameters().slots)
    found = []
    for discipline in DISCIPLINES:
        for load in REFERENCE_LOADS:
            work = parameters.mix.draw(requests, 0, Arrivals(load))
            short = parameters.mix.draw(min(requests, WALKED), 0, Arrivals(load))
            skipping = _fastest(passes, len(work), RUN[discipline], work, server)
            stepping = _fastest(passes, len(short), walk, discipline, short, server)
            found.append(ReferenceSpeed(discipline, load, skipping, stepping))
    return found


def table_seconds() -> float:
    """CPU seconds for the published table once: 3 disciplines, 6 loads, 3 seeds of 1,500 requests, drawing included."""
    parameters, server = Parameters(), reference_server(PRESETS["reference"], Parameters().slots)
    began = time.process_time()
    for seed in range(SEEDS_IN_AN_AVERAGE):
        drawn = parameters.mix.draw(REQUESTS, seed, Arrivals(1.0))
        for load in parameters.loads:
            for discipline in DISCIPLINES:
                RUN[discipline](drawn.at_rate(load), server)
    return time.process_time() - began


def slow(engine: Sequence[EngineSpeed], reference: Sequence[ReferenceSpeed], must_reference: float) -> list[str]:
    """A line for each speed below what it must be."""
    lines = [
        f"reference model, {one.discipline} at {one.load:g}/s: {one.skipping:,.0f}, below {must_reference:,.0f}"
        for one in reference
        if one.skipping < must_reference
    ]
    for speed in engine:
        if speed.rate_per_s == MUST_RATE:
            for name, found, must in (
                ("skipping", speed.skipping, MUST_SKIPPING),
                ("step by step", speed.stepping, MUST_STEPPING),
            ):
                if found < must:
                    lines.append(f"full engine, {name} at {MUST_RATE:g}/s: {found:,.0f}, below {must:,}")
    return lines


def _fastest(passes: int, requests: int, function: Callable[..., Any], *arguments: Any) -> float:
    """Requests per CPU second of function(*arguments) in the best of the passes."""
    best = 0.0
    for _ in range(passes):
        begin = time.process_time()
        function(*arguments)
        best = max(best, requests / max(time.process_time() - begin, 1e-9))
    return best
