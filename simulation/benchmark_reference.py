"""How fast the reference model is: requests per second of CPU time, on one core."""

import time
from dataclasses import dataclass

from simulation.cost import PRESETS
from simulation.published import REQUESTS, SEEDS_IN_AN_AVERAGE
from simulation.schedulers import DISCIPLINES, RUN, Discipline, reference_server
from simulation.stepping import walk
from simulation.study import Parameters
from simulation.workload import Arrivals


@dataclass(frozen=True, slots=True)
class Speed:
    """skipping is the model itself, stepping its oracle; both in requests per CPU second."""

    discipline: Discipline
    load: float
    skipping: float
    stepping: float


def speeds(
    loads: tuple[float, ...] = (1, 2, 8, 10), requests: int = 20_000, stepped: int = 500, rounds: int = 3
) -> list[Speed]:
    """The best of `rounds`: what else the machine does can only slow a round down."""
    parameters, server = Parameters(), reference_server(PRESETS["reference"], Parameters().slots)
    found = []
    for discipline in DISCIPLINES:
        for load in loads:
            work = parameters.mix.draw(requests, 0, Arrivals(load))
            short = parameters.mix.draw(stepped, 0, Arrivals(load))
            best = steps = float("inf")
            for _ in range(rounds):
                began = time.process_time()
                RUN[discipline](work, server)
                middle = time.process_time()
                walk(discipline, short, server)
                best = min(best, middle - began)
                steps = min(steps, time.process_time() - middle)
            found.append(Speed(discipline, load, requests / best, stepped / steps))
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
