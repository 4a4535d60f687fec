"""Counts and histograms of a run: kept by each load process, merged by the one that reports."""

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from bench.ask import Ask, Expected
from bench.reading import Exchange

METRICS = ("ttft", "itl", "tpot", "e2e")
LONGEST = 3_600_000_000
DIGITS = 3
PENDING = 65_536


class Values:
    """An HDR histogram of whole numbers of 1 or more: microseconds, tokens, bytes. Three significant digits."""

    __slots__ = ("_histogram", "_pending")

    def __init__(self, encoded: bytes | None = None) -> None:
        self._histogram = HdrHistogram(1, LONGEST, DIGITS)
        if encoded is not None:
            self._histogram.decode_and_add(encoded)
        self._pending = array("q")

    def __reduce__(self) -> tuple[type[Self], tuple[bytes]]:
        return type(self), (self.encode(),)

    def add(self, value: float) -> None:
        # Recording in Python costs microseconds of the load client's time: values are kept, and recorded by the block.
        self._pending.append(int(value))
        if len(self._pending) >= PENDING:
            self._settle()

    def merge(self, other: "Values") -> None:
        other._settle()
        self._histogram.add(other._histogram)

    def encode(self) -> bytes:
        """Compressed, in HdrHistogram's own V2 form and base64."""
        self._settle()
        encoded: bytes = self._histogram.encode()
        return encoded

    @property
    def count(self) -> int:
        self._settle()
        count: int = self._histogram.get_total_count()
        return count

    @property
    def mean(self) -> float:
        values, counts = self.steps()
        return float(values @ counts / counts.sum()) if len(counts) else 0.0

    def quantile(self, share: float) -> float:
        """The value that at least `share` of all are not above; 0 if there are none."""
        values, counts = self.steps()
        if not len(counts):
            return 0.0
        reached = np.cumsum(counts)
        rank = max(1, math.ceil(share * reached[-1] - 1e-9))
        return float(values[np.searchsorted(reached, rank)])

    def steps(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """What was recorded: ascending values and their counts. The library's own iterators take 50 ms for this."""
        self._settle()
        histogram = self._histogram
        counts = np.ctypeslib.as_array(histogram.counts)
        places = np.flatnonzero(counts)
        values = [histogram.get_value_from_index(place) for place in places.tolist()]
        middle = [(value + histogram.get_highest_equivalent_value(value)) / 2 for value in values]
        return np.array(middle, dtype=np.float64), counts[places].astype(np.int64)

    def _settle(self) -> None:
        if not self._pending:
            return
        values, counts = np.unique(
            np.clip(np.frombuffer(self._pending, dtype=np.int64), 1, LONGEST), return_counts=True
        )
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            self._histogram.record_value(value, count)
        self._pending = array("q")


@dataclass(frozen=True, slots=True)
class Slo:
    """Limits in milliseconds that a good answer keeps; None for no limit."""

    ttft_ms: float | None = None
    tpot_ms: float | None = None
    e2e_ms: float | None = None

    def kept(self, exchange: Exchange) -> bool:
        return (
            (self.ttft_ms is None or 1e3 * exchange.ttft_s <= self.ttft_ms)
            and (self.tpot_ms is None or exchange.tpot_s is None or 1e3 * exchange.tpot_s <= self.tpot_ms)
            and (self.e2e_ms is None or 1e3 * exchange.e2e_s <= self.e2e_ms)
        )


@dataclass(slots=True)
class Tally:
    """What was measured. `merge` adds another process's, or another repeat's."""

    outcomes: Counter[str] = field(default_factory=Counter)
    """Good answers."""
    errors: Counter[str] = field(default_factory=Counter)
    """By word; none that was asked for."""
    injected: Counter[str] = field(default_factory=Counter)
    """Failures that were asked for."""
    families: Counter[str] = field(default_factory=Counter)
    finishes: Counter[str] = field(default_factory=Counter)
    latencies: dict[tuple[str, str], Values] = field(default_factory=dict)
    """By outcome and metric, in microseconds."""
    lateness: Values = field(default_factory=Values)
    """Microseconds between a request's due time and its sending: the load client's own delay."""
    prompt_tokens: Values = field(default_factory=Values)
    output_tokens: Values = field(default_factory=Values)
    tokens: int = 0
    good: int = 0
    """Answers within the SLO."""
    began_s: float = 0.0
    """Monotonic, the first worker's."""
    ended_s: float = 0.0
    """Monotonic, of the last answer."""
    cpu_shares: list[float] = field(default_factory=list)
    """Of a core, by load process."""
    reconnects: int = 0

    @property
    def done(self) -> int:
        return sum(self.outcomes.values())

    @property
    def elapsed_s(self) -> float:
        return max(self.ended_s - self.began_s, 1e-9)

    def record(self, ask: Ask, exchange: Exchange, slo: Slo, family: str = "") -> None:
        if ask.expected is not Expected.ANSWER and (exchange.error is not None):
            self.injected[str(ask.expected)] += 1
            return
        if exchange.error is not None:
            self.errors[exchange.error] += 1
            return
        outcome = exchange.outcome
        self.outcomes[outcome] += 1
        if family:
            self.families[family] += 1
        self.finishes[exchange.finish or "none"] += 1
        self._latency(outcome, "e2e").add(1e6 * exchange.e2e_s)
        self._latency(outcome, "ttft").add(1e6 * exchange.ttft_s)
        if exchange.gaps_s:
            gaps = self._latency(outcome, "itl")
            for gap_s in exchange.gaps_s:
                gaps.add(1e6 * gap_s)
        if exchange.tpot_s is not None:
            self._latency(outcome, "tpot").add(1e6 * exchange.tpot_s)
        if exchange.prompt_tokens is not None:
            self.prompt_tokens.add(exchange.prompt_tokens)
        if exchange.output_tokens is not None:
            self.output_tokens.add(exchange.output_tokens)
            self.tokens += exchange.output_tokens
        self.good += slo.kept(exchange)

    def merge(self, other: "Tally") -> None:
        for counter, added in (
            (self.outcomes, other.outcomes),
            (self.errors, other.errors),
            (self.injected, other.injected),
            (self.families, other.families),
            (self.finishes, other.finishes),
        ):
            counter.update(added)
        for key, values in other.latencies.items():
            self._latency(*key).merge(values)
        self.lateness.merge(other.lateness)
        self.prompt_tokens.merge(other.prompt_tokens)
        self.output_tokens.merge(other.output_tokens)
        self.tokens += other.tokens
        self.good += other.good
        self.began_s = min(self.began_s or other.began_s, other.began_s)
        self.ended_s = max(self.ended_s, other.ended_s)
        self.cpu_shares += other.cpu_shares
        self.reconnects += other.reconnects

    def whole(self, metric: str) -> Values:
        """One metric over all outcomes."""
        values = Values()
        for (_, name), added in self.latencies.items():
            if name == metric:
                values.merge(added)
        return values

    def _latency(self, outcome: str, metric: str) -> Values:
        values = self.latencies.get((outcome, metric))
        if values is None:
            values = self.latencies[outcome, metric] = Values()
        return values
