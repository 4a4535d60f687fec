"""A recorded workload through an engine or several: what the requests saw, and whether the engines kept up."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulation.cost import CostModel
from simulation.fleet import Fleet, run_fleet
from simulation.loads import Label
from simulation.outcomes import Outcomes, Spread, spread
from simulation.request import Request, WorkloadError
from simulation.router import Route
from simulation.settings import EngineSettings
from simulation.traces import Trace

# Seconds of a series: some hundred megabytes.
_LONGEST_SERIES_S = 5_000_000
# A backlog that grows by more than this share of what arrives is no chance.
_GROWING = 0.05


@dataclass(frozen=True, slots=True)
class Replay:
    """What a trace met. Times in seconds; rates per second until the last answer's end.

    label: *overloaded*, the queue grew all through the trace's second half, so the latencies say how long the trace
    was; *backlogged*, it did not, but requests were waiting when the last one came; *stable* otherwise.
    """

    label: Label
    requests: int
    engines: int
    rate_per_s: float
    duration_s: float
    done_per_s: float
    output_tokens_per_s: float
    wait: Spread
    ttft: Spread
    tpot: Spread
    latency: Spread
    prefix_hit_rate: float
    preemptions: int
    steps: int
    fleet: Fleet


def replay(
    trace: Trace,
    cost: CostModel,
    settings: EngineSettings,
    *,
    engines: int = 1,
    route: Route = "least-loaded",
    step: bool = False,
    series: bool = False,
    warm: Sequence[Request] = (),
) -> Replay:
    """Raises WorkloadError, with file and row where one request is at fault."""
    try:
        fleet = run_fleet(
            trace.requests,
            cost,
            settings,
            engines=engines,
            route=route,
            hash_tokens=trace.hash_tokens,
            step=step,
            series=series,
            warm=warm,
        )
    except WorkloadError as error:
        raise trace.located(error) from None
    seen = fleet.outcomes
    duration = float(seen.last_token_s.max())
    return Replay(
        label=label(seen),
        requests=len(trace.requests),
        engines=engines,
        rate_per_s=trace.rate_per_s,
        duration_s=duration,
        done_per_s=len(trace.requests) / duration,
        output_tokens_per_s=float(seen.output_tokens.sum()) / duration,
        wait=spread(seen.wait_s),
        ttft=spread(seen.ttft_s),
        tpot=spread(seen.tpot_s),
        latency=spread(seen.latency_s),
        prefix_hit_rate=seen.prefix_hit_rate,
        preemptions=int(seen.preemptions.sum()),
        steps=fleet.steps,
        fleet=fleet,
    )


def label(seen: Outcomes) -> Label:
    """See `Replay`."""
    count = len(seen.arrival_s)
    end = float(seen.arrival_s[-1])
    middle = float(seen.arrival_s[count // 2])

    def backlog(moment: float) -> int:
        return int(((seen.arrival_s <= moment) & (seen.scheduled_s > moment)).sum())

    waiting = backlog(end)
    arrived = int(((seen.arrival_s > middle) & (seen.arrival_s <= end)).sum())
    quarters = [backlog(moment) for moment in np.linspace(middle, end, 4)]
    if waiting - quarters[0] > max(1.0, _GROWING * arrived) and quarters == sorted(quarters):
        return "overloaded"
    return "backlogged" if waiting > 1 else "stable"


def per_second(fleet: Fleet) -> dict[str, list[float]]:
    """The engines' state at every full second, added up; needs a fleet that ran with series.

    Raises:
        WorkloadError: so long a series is no use to anybody.
    """
    end = max([engine.series[-1][0] for engine in fleet.engines if engine.series], default=0.0)
    if end > _LONGEST_SERIES_S:
        raise WorkloadError(f"a series of {end:,.0f} seconds; use {_LONGEST_SERIES_S:,} at most")
    seconds = np.arange(0.0, end + 1)
    total = np.zeros((3, len(seconds)))
    for engine in fleet.engines:
        if engine.series:
            states = np.array([(0.0, 0, 0, 0), *engine.series])
            total += states[np.searchsorted(states[:, 0], seconds, side="right") - 1, 1:].T
    # A jump notes the queue at its end only; what arrived, runs and has ended is known at any time.
    seen = fleet.outcomes
    arrived = np.searchsorted(np.sort(seen.arrival_s), seconds, side="right")
    ended = np.searchsorted(np.sort(seen.last_token_s), seconds, side="right")
    return {
        "t": seconds.tolist(),
        "running": total[0].astype(int).tolist(),
        "waiting": np.maximum(0, arrived - ended - total[0]).astype(int).tolist(),
        "blocks": total[2].astype(int).tolist(),
    }
