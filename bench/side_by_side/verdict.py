"""Ratios from a run, and which goals they reach."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.side_by_side.measure import METRICS, Figures, Run

QUIET_LOAD = 1.5
"""Load average before a run above which something else was at work."""
QUIET_SPREAD = 0.15
"""And of the engine alone: how far its requests per second may lie apart over rounds."""
STORE_MB = 256
"""`store.max_bytes` at its default."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A bar for one ratio; `most` is False where more is better."""

    name: str
    must: float
    stretch: float
    most: bool = True


GOALS = (
    Goal("pass32 CPU / nginx", 6, 4),
    Goal("pass32 rps / nginx", 0.18, 0.27, most=False),
    Goal("pass1 added p50 / nginx", 3, 2.2),
    Goal("ttft1 added TTFT / nginx", 4, 3),
    Goal("stream32 CPU / nginx", 2.8, 1.9),
    Goal("hit32 CPU / nginx cache", 2.3, 1),
    Goal("hit32 rps / nginx cache", 0.45, 1, most=False),
    Goal("hit1 p50 / nginx cache", 1.5, 1.1),
    Goal("body32k rps / nginx", 0.2, 0.3, most=False),
    Goal("flight calls", 1, 1),
    Goal("flight slowest / engine", 1.1, 1.03),
    Goal("inflight CPU 256 / 32", 1.2, 1.05),
    Goal("memory warm, MB", 70, 50),
    Goal("memory end over warm, MB", 1.2 * STORE_MB, 1.2 * STORE_MB),
    Goal("pass32 rps / litellm", 40, 60, most=False),
    Goal("pass32 rps / cachellm", 20, 30, most=False),
    Goal("hit32 rps / litellm", 80, 200, most=False),
    Goal("hit32 rps / cachellm", 15, 40, most=False),
)


def ratios(run: Run) -> dict[str, float]:
    """By the names of the goals; NaN for what was not measured."""
    results = run.results

    def over(metric: str, field: str, other: str) -> float:
        return of_rounds(results, metric, field, "proxy", other)

    def added(metric: str, field: str) -> float:
        """What the proxy adds to the engine alone over what nginx adds, unless noise leaves nginx nothing to add."""
        direct = median(results, metric, field, "direct")
        nginx = median(results, metric, field, "nginx") - direct
        return (median(results, metric, field, "proxy") - direct) / nginx if nginx > 0 else math.nan

    warm, end = (run.pss_mb.get(name, {}).get("proxy", math.nan) for name in ("warm", "end"))
    few, many = (run.inflight.get(name, math.nan) for name in ("32", "256"))
    return {
        "pass32 CPU / nginx": over("pass32", "cpu_us", "nginx"),
        "pass32 rps / nginx": over("pass32", "rps", "nginx"),
        "pass1 added p50 / nginx": added("pass1", "p50"),
        "ttft1 added TTFT / nginx": added("ttft1", "ttft50"),
        "stream32 CPU / nginx": over("stream32", "cpu_us", "nginx"),
        "hit32 CPU / nginx cache": over("hit32", "cpu_us", "nginx-cache"),
        "hit32 rps / nginx cache": over("hit32", "rps", "nginx-cache"),
        "hit1 p50 / nginx cache": over("hit1", "p50", "nginx-cache"),
        "body32k rps / nginx": over("body32k", "rps", "nginx"),
        "flight calls": median(results, "flight", "calls", "proxy"),
        "flight slowest / engine": median(results, "flight", "over", "proxy"),
        "inflight CPU 256 / 32": many / few,
        "memory warm, MB": warm,
        "memory end over warm, MB": end - warm,
        "pass32 rps / litellm": over("pass32", "rps", "litellm"),
        "pass32 rps / cachellm": over("pass32", "rps", "cachellm-nocache"),
        "hit32 rps / litellm": over("hit32", "rps", "litellm-cache"),
        "hit32 rps / cachellm": over("hit32", "rps", "cachellm"),
    }


def reached(goal: Goal, value: float) -> str:
    """`stretch`, `must`, `missed`, or `-` where nothing was measured."""
    if math.isnan(value):
        return "-"
    for word, bar in (("stretch", goal.stretch), ("must", goal.must)):
        if value <= bar if goal.most else value >= bar:
            return word
    return "missed"


def unquiet(run: Run, load_before: float) -> list[str]:
    """Why the run's figures should not be quoted; empty for a quiet run."""
    found = []
    if load_before > QUIET_LOAD:
        found.append(f"load average was {load_before} before it began")
    for metric in ("pass32", "body32k"):
        values = [one["rps"] for one in run.results.get(metric, {}).get("direct", []) if "rps" in one]
        if len(values) > 1 and (max(values) - min(values)) / statistics.median(values) > QUIET_SPREAD:
            told = f"{min(values):,.0f} and {max(values):,.0f} requests/s"
            found.append(f"{metric}: the engine alone did between {told}")
    return found


def of_rounds(results: dict[str, dict[str, list[Figures]]], metric: str, field: str, name: str, other: str) -> float:
    """The median over rounds of one target's figure over another's."""
    rounds = results.get(metric, {})
    pairs = zip(rounds.get(name, []), rounds.get(other, []), strict=False)
    return _median([one[field] / two[field] for one, two in pairs if field in one and two.get(field)])


def median(results: dict[str, dict[str, list[Figures]]], metric: str, field: str, name: str) -> float:
    return _median([one[field] for one in results.get(metric, {}).get(name, []) if one.get(field) is not None])


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else math.nan


def summary(run: Run) -> dict[str, Any]:
    """Medians by metric and target, with the ratio to nginx (for hits to its cache)."""
    found: dict[str, Any] = {}
    for metric, by_target in run.results.items():
        if metric not in METRICS:
            continue
        reference = "nginx-cache" if METRICS[metric].kind == "hit" else "nginx"
        found[metric] = {
            name: {
                **{key: median(run.results, metric, key, name) for key in ("rps", "cpu_us", "p50", "p99", "ttft50")},
                "rps_over_nginx": of_rounds(run.results, metric, "rps", name, reference),
                "cpu_over_nginx": of_rounds(run.results, metric, "cpu_us", name, reference),
            }
            for name in by_target
        }
    return found
