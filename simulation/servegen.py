"""Requests drawn from a client of ServeGen (Alibaba, 2025): its rate and its lengths, window by window.

A client is two files: NAME-trace.csv, rows of `start_s, requests per second, cv, Gamma or Weibull, shape, scale` for
windows of ten minutes, and NAME-dataset.json, histograms of prompt and output lengths for windows of six hours. Gaps
have the window's distribution, scaled so that their mean is one over the window's rate (the fitted scales miss it).
Prompt and output are drawn independently: the files do not say how they go together.
"""

import ast
import csv
import math
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulation.json_file import read_json
from simulation.request import Request
from simulation.traces import Trace, TraceError
from simulation.workload import MOST_REQUESTS, stream

TRACE_ENDING = "-trace.csv"
_WINDOW_S = 600.0


@dataclass(frozen=True, slots=True)
class _Rate:
    start_s: float
    per_s: float
    kind: str
    shape: float


@dataclass(frozen=True, slots=True)
class _Lengths:
    tokens: NDArray[np.int64]
    weights: NDArray[np.float64]  # rising to 1

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        return self.tokens[np.searchsorted(self.weights, rng.random(count), side="right")]


def draw_client(trace_path: Path, seed: int, start_s: float | None = None, duration_s: float = 3600.0) -> Trace:
    """Draw the client's requests of a stretch of its days; start_s None begins with its first active window.

    The rows of the result are those of the trace file whose windows the requests come from.

    Raises:
        TraceError: file and row; or the client is silent for the whole stretch.
    """
    rates = _read_rates(trace_path)
    starts, lengths = _read_lengths(Path(str(trace_path).removesuffix(TRACE_ENDING) + "-dataset.json"))
    if start_s is None:
        start_s = next((rate.start_s for rate in rates if rate.per_s), 0.0)
    arrivals, sizes = stream(seed, "arrivals"), stream(seed, "lengths")
    requests: list[Request] = []
    rows: list[int] = []
    for row, rate in enumerate(rates, 1):
        begin, end = max(rate.start_s, start_s), min(rate.start_s + _WINDOW_S, start_s + duration_s)
        if not rate.per_s or begin >= end:
            continue
        if rate.per_s * (end - begin) > MOST_REQUESTS:
            raise TraceError(
                f"{trace_path}, row {row}: {rate.per_s:g} requests per second for {end - begin:g} s; use "
                f"{MOST_REQUESTS:,} requests at most"
            )
        times = begin + _gaps(rate, end - begin, arrivals)
        prompt, output = lengths[max(0, bisect_right(starts, begin) - 1)]
        drawn = zip(times, prompt.draw(len(times), sizes), output.draw(len(times), sizes), strict=True)
        requests.extend(Request(float(time), int(tokens), int(answer)) for time, tokens, answer in drawn)
        rows.extend([row] * len(times))
    if not requests:
        raise TraceError(f"{trace_path}: no requests between {start_s:g} s and {start_s + duration_s:g} s")
    first = requests[0].arrival_s
    shifted = tuple(
        Request(request.arrival_s - first, request.prompt_tokens, request.output_tokens) for request in requests
    )
    return Trace(str(trace_path), shifted, tuple(rows))


def _gaps(rate: _Rate, length_s: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Arrival times from the start of a window, below length_s."""
    expected = rate.per_s * length_s
    parts: list[NDArray[np.float64]] = []
    last = 0.0
    while last < length_s:
        count = int(expected + 4 * math.sqrt(expected) + 16)
        if rate.kind == "Weibull":
            gaps = rng.weibull(rate.shape, count) / math.gamma(1 + 1 / rate.shape)
        else:
            gaps = rng.gamma(rate.shape, 1 / rate.shape, count)
        parts.append(last + np.cumsum(gaps) / rate.per_s)
        last = float(parts[-1][-1])
    times = np.concatenate(parts)
    return times[times < length_s]


def _read_rates(path: Path) -> list[_Rate]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"{path}: cannot be read ({error})") from None
    rates: list[_Rate] = []
    for row, fields in enumerate(csv.reader(lines, skipinitialspace=True), 1):
        if not any(map(str.strip, fields)):
            continue
        try:
            start, per_s, _, kind, shape, _ = fields
            rate = _Rate(float(start), float(per_s), kind, float(shape))
            if not all(map(math.isfinite, (rate.start_s, rate.per_s, rate.shape))):
                raise ValueError
        except ValueError:
            raise TraceError(
                f"{path}, row {row}: must be start_s, requests per second, cv, Gamma or Weibull, shape, scale"
            ) from None
        if rate.per_s < 0 or (rate.per_s and (kind not in ("Gamma", "Weibull") or rate.shape <= 0)):
            raise TraceError(f"{path}, row {row}: a rate below 0, or no Gamma or Weibull shape above 0 for it")
        if rates and rate.start_s <= rates[-1].start_s:
            raise TraceError(f"{path}, row {row}: starts at {start} s, not after the row ahead of it")
        rates.append(rate)
    if not rates:
        raise TraceError(f"{path}: no windows in it")
    return rates


def _read_lengths(path: Path) -> tuple[list[float], list[tuple[_Lengths, _Lengths]]]:
    """Starts of the windows that have lengths, and prompt and output lengths of each."""
    data = read_json(path)
    if not isinstance(data, dict):
        raise TraceError(f"{path}: must be an object, a window of histograms under each start")
    starts: list[float] = []
    lengths: list[tuple[_Lengths, _Lengths]] = []
    for start, window in data.items():
        try:
            prompt, output = _histogram(window["input_tokens"]), _histogram(window["output_tokens"])
            begin = float(start)
        except (KeyError, TypeError, ValueError, SyntaxError, AttributeError, RecursionError, MemoryError):
            raise TraceError(f"{path}, window {start}: must hold histograms input_tokens and output_tokens") from None
        if prompt and output:
            starts.append(begin)
            lengths.append((prompt, output))
    if not starts:
        raise TraceError(f"{path}: no lengths in it")
    return starts, lengths


def _histogram(text: Any) -> _Lengths | None:
    """`{tokens: share, ...}`, written as text inside the JSON."""
    shares: dict[float, float] = ast.literal_eval(text)
    if not shares:
        return None
    tokens = np.maximum(1, np.array([int(length) for length in shares]))
    weights = np.array([float(share) for share in shares.values()])
    if weights.min() < 0 or not weights.sum() > 0:
        raise ValueError
    rising = np.cumsum(weights) / weights.sum()
    rising[-1] = 1.0
    return _Lengths(tokens, rising)
