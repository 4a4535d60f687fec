"""What became of each request in an engine, or in several: arrays, and their summary."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulation.engine import Engine

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Arrays of shape (requests,), in order of arrival; times in seconds on the workload's clock.

    cached_tokens is the prefix found at a request's first admission; preemptions counts how often it was sent back.
    """

    arrival_s: Floats
    scheduled_s: Floats
    first_token_s: Floats
    last_token_s: Floats
    prompt_tokens: Ints
    output_tokens: Ints
    cached_tokens: Ints
    preemptions: Ints

    @property
    def wait_s(self) -> Floats:
        return self.scheduled_s - self.arrival_s

    @property
    def ttft_s(self) -> Floats:
        return self.first_token_s - self.arrival_s

    @property
    def latency_s(self) -> Floats:
        return self.last_token_s - self.arrival_s

    @property
    def tpot_s(self) -> Floats:
        """Per output token after the first; only the requests that have one, so the shape may be smaller."""
        return tpot(self.first_token_s, self.last_token_s, self.output_tokens)

    @property
    def prefix_hit_rate(self) -> float:
        """Cached prompt tokens over prompt tokens, each request once."""
        return float(self.cached_tokens.sum() / self.prompt_tokens.sum()) if len(self.prompt_tokens) else 0.0

    def part(self, rows: slice) -> "Outcomes":
        return Outcomes(*(getattr(self, name)[rows] for name in self.__slots__))


def outcomes(engines: Sequence[Engine], rows: Sequence[int] | None = None) -> Outcomes:
    """Collect them from engines that have finished.

    rows: the workload's row of each request, engine after engine; None if there is one engine, which got them in order.
    """
    total = sum(len(engine.arrival_s) for engine in engines)
    order = np.argsort(np.arange(total) if rows is None else np.asarray(rows), kind="stable")

    def seconds(name: str) -> Floats:
        return np.concatenate([np.asarray(getattr(engine, name), np.float64) for engine in engines])[order]

    def counts(name: str) -> Ints:
        return np.concatenate([np.asarray(getattr(engine, name), np.int64) for engine in engines])[order]

    return Outcomes(
        seconds("arrival_s"),
        seconds("scheduled_s"),
        seconds("first_token_s"),
        seconds("last_token_s"),
        counts("prompt_tokens"),
        counts("output_tokens"),
        counts("cached_tokens"),
        counts("preemptions"),
    )


def tpot(first_token_s: Floats, last_token_s: Floats, output_tokens: Ints) -> Floats:
    several = output_tokens > 1
    seconds: Floats = (last_token_s - first_token_s)[several] / (output_tokens[several] - 1)
    return seconds


@dataclass(frozen=True, slots=True)
class Spread:
    """Of one measure over requests, in seconds; all 0 if there is no request."""

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float


def spread(values: Floats) -> Spread:
    """Percentiles are interpolated between neighbours (numpy's default)."""
    if not len(values):
        return Spread(0.0, 0.0, 0.0, 0.0, 0.0)
    return Spread(float(values.mean()), *(float(value) for value in np.percentile(values, (50, 90, 95, 99))))
