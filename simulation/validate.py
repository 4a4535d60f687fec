"""A real run against its simulation."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulation.cost import CostModel, ExtrapolationWarning
from simulation.fleet import Fleet, run_fleet
from simulation.outcomes import tpot
from simulation.recorded import RecordedRun
from simulation.request import Request, WorkloadError
from simulation.settings import EngineSettings

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Errors:
    """Simulated against measured over the same requests; fractions, above 0 where the simulation is too slow.

    latency_mape is the mean over requests of |simulated - measured| / measured, the others compare means or
    percentiles.
    """

    requests: int
    latency_mape: float
    latency_mean_err: float
    latency_p95_err: float
    ttft_mean_err: float
    ttft_p95_err: float
    tpot_mean_err: float
    tpot_p99_err: float
    duration_err: float


@dataclass(frozen=True, slots=True)
class Validation:
    """The simulated run and its errors over all requests and over each half (in order of arrival)."""

    every: Errors
    first_half: Errors
    second_half: Errors
    prefix_hit_rate: float
    preemptions: int
    fleet: Fleet


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the simulation's errors become without one of its mechanisms."""

    mechanism: str
    errors: Errors
    preemptions: int


def validate(
    run: RecordedRun,
    cost: CostModel,
    settings: EngineSettings,
    *,
    engines: int = 1,
    step: bool = False,
    warm: Sequence[Request] = (),
) -> Validation:
    """warm: what the real engine had served before, so that its cache was not empty.

    Raises:
        WorkloadError: with file and row, a request that the engine could not have run.
    """
    try:
        fleet = run_fleet(
            run.trace.requests, cost, settings, engines=engines, hash_tokens=run.trace.hash_tokens, step=step, warm=warm
        )
    except WorkloadError as error:
        raise run.trace.located(error) from None
    first, second = halves(len(run.trace.requests))
    return Validation(
        every=errors(run, fleet, slice(None)),
        first_half=errors(run, fleet, first),
        second_half=errors(run, fleet, second),
        prefix_hit_rate=fleet.outcomes.prefix_hit_rate,
        preemptions=int(fleet.outcomes.preemptions.sum()),
        fleet=fleet,
    )


def halves(requests: int) -> tuple[slice, slice]:
    """Rows of a run's first and second half; a run of one request has it in both."""
    middle = requests // 2
    return slice(0, max(1, middle)), slice(middle, requests)


def errors(run: RecordedRun, fleet: Fleet, rows: slice) -> Errors:
    seen = fleet.outcomes.part(rows)
    first, last = run.first_token_s[rows], run.last_token_s[rows]
    measured, simulated = last - seen.arrival_s, seen.latency_s
    per_token, simulated_per_token = tpot(first, last, seen.output_tokens), seen.tpot_s
    return Errors(
        requests=len(measured),
        latency_mape=float(np.mean(np.abs(simulated - measured) / measured)),
        latency_mean_err=_off(simulated.mean(), measured.mean()),
        latency_p95_err=_off(np.percentile(simulated, 95), np.percentile(measured, 95)),
        ttft_mean_err=_off(seen.ttft_s.mean(), (first - seen.arrival_s).mean()),
        ttft_p95_err=_off(np.percentile(seen.ttft_s, 95), np.percentile(first - seen.arrival_s, 95)),
        tpot_mean_err=_off(simulated_per_token.mean(), per_token.mean()) if len(per_token) else 0.0,
        tpot_p99_err=(
            _off(np.percentile(simulated_per_token, 99), np.percentile(per_token, 99)) if len(per_token) else 0.0
        ),
        duration_err=_off(seen.last_token_s.max(), last.max()),
    )


def mechanisms_left_out(run: RecordedRun, cost: CostModel, settings: EngineSettings, engines: int) -> list[LeftOut]:
    """The same costs without each mechanism that the run's engine used: what it is worth."""
    variants = [
        ("nothing", settings),
        ("KV limit", replace(settings, blocks=None)),
        ("prefix caching", replace(settings, prefix_caching=False)),
        ("chunked prefill", replace(settings, max_num_batched_tokens=1 << 20, long_prefill_tokens=0)),
        ("planning ahead", replace(settings, plan_ahead=False)),
        ("¾ of max_num_seqs", replace(settings, max_num_seqs=max(1, settings.max_num_seqs // 4))),
    ]
    found: list[LeftOut] = []
    with warnings.catch_warnings():
        # Without its limits the engine takes steps that nobody measured; that is the point.
        warnings.simplefilter("ignore", ExtrapolationWarning)
        for mechanism, variant in variants:
            if mechanism == "nothing" or variant != settings:
                result = validate(run, cost, variant, engines=engines)
                found.append(LeftOut(mechanism, result.every, result.preemptions))
    return found


def _off(simulated: float, measured: float) -> float:
    """Signed relative error; against nothing measured (no wait at all) there is none to tell."""
    return float(simulated / measured - 1) if measured else 0.0
