"""Fitting what kernels do not show: two or three overhead numbers, from the latencies of a real run.

The whole run is simulated again and again, and the numbers moved until the measured requests finish when they did
(Levenberg-Marquardt on the relative errors of latencies and, at less weight, times to first token; numbers stay at 0 or
above). Only the given rows count; the
others are served but not looked at, so a run's second half can tell how well the first half's fit holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulation.cost import CostModel
from simulation.fleet import run_fleet
from simulation.request import Request
from simulation.settings import EngineSettings

# Name of a number -> its field, and the size in seconds at which it starts to matter.
NUMBERS = {
    "step": ("overhead_step_s", 1e-3),
    "sequence": ("overhead_sequence_s", 2e-5),
    "prompt": ("overhead_prompt_token_s", 1e-5),
}
DEFAULT_NUMBERS = ("step", "prompt")
# First tokens tell what a prompt costs from what a step costs, but are a step or so uncertain in themselves.
_TTFT_WEIGHT = 0.1
_ROUNDS = 25
# A smaller step would fall between the jumps that scheduling makes, a larger one beyond what is straight.
_DIFFERENCE = 0.3

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Workbench:
    """A run to fit on: what arrived, when each answer ended, and the engine (or several alike) that served it."""

    requests: Sequence[Request]
    first_token_s: Floats
    last_token_s: Floats
    settings: EngineSettings
    hash_tokens: int = 16
    engines: int = 1


def fit_overhead(bench: Workbench, cost: CostModel, rows: slice, numbers: Sequence[str] = DEFAULT_NUMBERS) -> CostModel:
    """The cost model with these overhead numbers fitted on these rows, the others at 0."""
    fields = [NUMBERS[name][0] for name in numbers]
    scale = np.array([NUMBERS[name][1] for name in numbers])
    base = cost.with_overhead(0.0, 0.0)
    arrival = np.array([request.arrival_s for request in bench.requests])[rows]
    first, last = bench.first_token_s[rows], bench.last_token_s[rows]

    def errors(scaled: Floats) -> Floats:
        trial = replace(base, **dict(zip(fields, (scaled * scale).tolist(), strict=True)))
        ran = run_fleet(
            bench.requests, trial, bench.settings, engines=bench.engines, hash_tokens=bench.hash_tokens
        ).outcomes
        latency = (ran.last_token_s[rows] - last) / (last - arrival)
        ttft = (ran.first_token_s[rows] - first) / (first - arrival)
        return np.concatenate([latency, _TTFT_WEIGHT * ttft])

    point = np.zeros(len(fields))
    residual = errors(point)
    damping = 1e-3
    for _ in range(_ROUNDS):
        slopes = np.stack([errors(point + shift) - residual for shift in np.eye(len(fields)) * _DIFFERENCE], axis=1)
        slopes /= _DIFFERENCE
        while damping < 1e6:
            candidate = np.maximum(0.0, point + _downhill(slopes, residual, point, damping))
            tried = errors(candidate)
            if tried @ tried < residual @ residual:
                break
            damping *= 5
        else:
            break
        gain = 1 - (tried @ tried) / (residual @ residual)
        point, residual, damping = candidate, tried, damping / 5
        if gain < 1e-5:
            break
    return replace(base, **dict(zip(fields, (point * scale).tolist(), strict=True)))


def _downhill(slopes: Floats, residual: Floats, point: Floats, damping: float) -> Floats:
    """The damped step; a number that stands at 0 and would go below is left out of it."""
    free = np.ones(len(point), dtype=bool)
    step = np.zeros(len(point))
    while free.any():
        part = slopes[:, free]
        square = part.T @ part
        ridge = np.diag(damping * np.diag(square) + 1e-12)
        step = np.zeros(len(point))
        step[free] = -np.linalg.solve(square + ridge, part.T @ residual)
        stuck = free & (point <= 0) & (step < 0)
        if not stuck.any():
            break
        free &= ~stuck
    return step if free.any() else np.zeros(len(point))
