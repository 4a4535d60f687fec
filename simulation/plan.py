"""How many engines a recorded workload needs to keep a promise, and what a cache in front of them changes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from simulation.cost import CostModel
from simulation.engine import Engine
from simulation.fleet import largest
from simulation.frontend import FrontEnd, Served, serve
from simulation.request import Request, WorkloadError
from simulation.router import FullEngine, Route, Router
from simulation.settings import EngineSettings
from simulation.traces import Trace
from simulation.workload import of_requests, stream

Measure = Literal["ttft", "latency", "wait"]

_TARGET = r"(?:p(\d+(?:\.\d+)?)|mean)\s+(ttft|latency|wait)\s*<\s*(\d+(?:\.\d+)?)\s*s?"


@dataclass(frozen=True, slots=True)
class Target:
    """A promise: this percentile (None: the mean) of this measure stays below limit_s."""

    percentile: float | None
    measure: Measure
    limit_s: float

    def of(self, seen: Served) -> float:
        """The measure's value over all requests, whoever answered them."""
        ends = {"ttft": seen.first_s, "latency": seen.finish_s, "wait": seen.scheduled_s}[self.measure]
        values = np.array(ends) - np.array(seen.arrival_s)
        return float(values.mean() if self.percentile is None else np.percentile(values, self.percentile))


def read_target(text: str) -> Target:
    """`p95 ttft < 1`, `mean latency < 20`, `p99 wait < 0.5`; seconds.

    Raises:
        ValueError: none of these.
    """
    found = re.fullmatch(_TARGET, text.strip().lower())
    if not found:
        raise ValueError(f"{text!r}: write a target like 'p95 ttft < 1' (p1 to p100 or mean; ttft, latency or wait)")
    percentile = float(found[1]) if found[1] else None
    if percentile is not None and not 0 < percentile <= 100:
        raise ValueError(f"{text!r}: percentiles lie between 0 and 100")
    limit = float(found[3])
    if not limit:
        raise ValueError(f"{text!r}: the limit must be above 0 s")
    measure: Measure = "ttft" if found[2] == "ttft" else "latency" if found[2] == "latency" else "wait"
    return Target(percentile, measure, limit)


@dataclass(frozen=True, slots=True)
class Need:
    """For one front end: the fewest engines that keep the target, or None if max_engines do not.

    value_s is the target's measure with that many engines (with max_engines if there is none), one_less_s with one
    fewer (None for one engine). Shares are of requests.
    """

    front: str
    engines: int | None
    value_s: float
    one_less_s: float | None
    hit_share: float
    coalesced_share: float
    preemptions: int


FRONTS: tuple[tuple[str, FrontEnd], ...] = (
    ("no front end", FrontEnd()),
    ("single flight", FrontEnd(single_flight=True)),
    ("cache and single flight", FrontEnd(cache=True, single_flight=True)),
)


@dataclass(frozen=True, slots=True)
class Site:
    """What is being planned: the engines are all alike, behind a router."""

    cost: CostModel
    settings: EngineSettings
    route: Route = "least-loaded"
    max_engines: int = 64


def plan(
    trace: Trace,
    site: Site,
    target: Target,
    fronts: Sequence[tuple[str, FrontEnd]] = FRONTS,
    told: Callable[[str, int, float], None] = lambda front, engines, value_s: None,
) -> list[Need]:
    """Search each front end's number of engines by doubling and halving; `told` hears of every run.

    More engines are taken never to be worse. Warns if the plan rests on steps larger than the costs were measured on.

    Raises:
        WorkloadError: with file and row, a request that no engine could run.
    """
    probe = Engine(site.cost, site.settings, hash_tokens=trace.hash_tokens)
    try:
        for request in trace.requests:
            probe.submit(request)
    except WorkloadError as error:
        raise trace.located(error) from None
    work = of_requests(trace.requests)

    def run(front: FrontEnd, engines: int) -> _Tried:
        fleet = [Engine(site.cost, site.settings, hash_tokens=trace.hash_tokens) for _ in range(engines)]
        seen = serve(work, front, Router([FullEngine(engine) for engine in fleet], site.route))
        return _Tried(target.of(seen), seen, fleet)

    needs: list[Need] = []
    for name, front in fronts:
        tried: dict[int, _Tried] = {}
        low, high, engines = 0, 0, 1
        # Invariant: `low` engines break the promise, `high` keep it (0: not known yet).
        while engines != high:
            tried[engines] = run(front, engines)
            told(name, engines, tried[engines].value_s)
            if tried[engines].value_s < target.limit_s:
                high = engines
            else:
                low = engines
            if low == site.max_engines:
                break
            engines = (low + high + 1) // 2 if high else min(2 * low, site.max_engines)
        best = tried[high or low]
        site.cost.warn_beyond(largest(best.fleet))
        needs.append(
            Need(
                front=name,
                engines=high or None,
                value_s=best.value_s,
                one_less_s=tried[high - 1].value_s if high > 1 else None,
                hit_share=best.seen.share("hit"),
                coalesced_share=best.seen.share("coalesced"),
                preemptions=sum(sum(engine.preemptions) for engine in best.fleet),
            )
        )
    return needs


@dataclass(frozen=True, slots=True)
class _Tried:
    value_s: float
    seen: Served
    fleet: list[Engine]


def with_repeats(trace: Trace, entries: int, share: float, seed: int, exponent: float = 1.0) -> Trace:
    """The same arrivals, of which a share asks one of the trace's first `entries` questions, by Zipf's law.

    For traces that do not say who asked the same. A repeated question has the lengths of the one it repeats.
    """
    if entries < 1 or not 0 <= share <= 1:
        raise WorkloadError(f"a share of {share} over {entries} questions; use 0 to 1, and 1 or more")
    entries = min(entries, len(trace.requests))
    count = len(trace.requests)
    edges = np.cumsum(np.arange(1, entries + 1, dtype=np.float64) ** -exponent)
    asked = np.searchsorted(edges, stream(seed, "plan question").random(count) * edges[-1], side="right")
    repeats = stream(seed, "plan share").random(count) < share
    requests: list[Request] = []
    for request, question, again in zip(trace.requests, np.minimum(asked, entries - 1), repeats, strict=True):
        if again:
            like = trace.requests[int(question)]
            request = replace(like, arrival_s=request.arrival_s, identity=int(question))
        else:
            request = replace(request, identity=None)
        requests.append(request)
    return replace(trace, requests=tuple(requests))
