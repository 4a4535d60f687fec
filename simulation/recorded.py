"""A real engine's own record of a run, and the arguments it ran with."""

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulation.json_file import read_json
from simulation.request import Request
from simulation.settings import EngineSettings
from simulation.traces import RUN_HASH_TOKENS, TOGETHER_S, Trace, TraceError, count, number, records, request_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """Requests in order of arrival, and when the engine scheduled and answered each; arrays of shape (requests,)."""

    trace: Trace
    scheduled_s: Floats
    first_token_s: Floats
    last_token_s: Floats


@dataclass(frozen=True, slots=True)
class Sample:
    """The engine's state at one moment of its log."""

    t_s: float
    running: int
    waiting: int


def read_run(path: Path) -> RecordedRun:
    """A .jsonl (or .csv) with arrival_s, prompt_tokens, output_tokens, first_token_s, last_token_s (and scheduled_s).

    Raises:
        TraceError: one line naming file and row.
    """
    found: list[tuple[float, int, Request, float, float, float]] = []
    for row, fields in records(path):
        try:
            request, _ = request_of(fields)
            first, last = number(fields, "first_token_s"), number(fields, "last_token_s")
            noted = fields.get("scheduled_s") not in (None, "")
            scheduled = number(fields, "scheduled_s") if noted else request.arrival_s
            if request.prompt_tokens < 1 or request.output_tokens < 1:
                raise ValueError("prompt_tokens and output_tokens must be 1 or more")
            if not request.arrival_s < first <= last:
                raise ValueError(
                    f"arrival_s {request.arrival_s}, first_token_s {first}, last_token_s {last}; the first token must "
                    "come after the arrival, and the last not before it"
                )
        except ValueError as error:
            raise TraceError(f"{path}, row {row}: {error}") from None
        if found and request.arrival_s < found[-1][0] - TOGETHER_S:
            raise TraceError(
                f"{path}, row {row}: arrives at {request.arrival_s} s, before the one ahead of it ({found[-1][0]} s); "
                "sort by arrival"
            )
        found.append((request.arrival_s, row, request, scheduled, first, last))
    if not found:
        raise TraceError(f"{path}: no requests in it")
    found.sort(key=lambda one: one[:2])
    start = found[0][0]
    times = np.array([one[3:] for one in found]) - start
    requests = tuple(replace(one[2], arrival_s=one[0] - start) for one in found)
    trace = Trace(str(path), requests, tuple(one[1] for one in found), RUN_HASH_TOKENS)
    return RecordedRun(trace, times[:, 0], times[:, 1], times[:, 2])


def read_samples(path: Path) -> list[Sample]:
    """The engine's log by the second: a .csv with t, running and waiting.

    Raises:
        TraceError: one line naming file and row.
    """
    samples: list[Sample] = []
    for row, fields in records(path):
        try:
            sample = Sample(number(fields, "t"), count(fields, "running"), count(fields, "waiting"))
        except ValueError as error:
            raise TraceError(f"{path}, row {row}: {error}") from None
        if samples and sample.t_s < samples[-1].t_s:
            raise TraceError(f"{path}, row {row}: t is {sample.t_s}, before the row ahead of it; sort by t")
        samples.append(sample)
    return samples


def read_meta(path: Path) -> dict[str, Any]:
    """The engine's arguments by vLLM's names, and num_gpu_blocks and block_size where the file has them.

    Raises:
        WorkloadError: not JSON, or no `engine_kwargs` object in it.
    """
    data = read_json(path)
    arguments = data.get("engine_kwargs") if isinstance(data, dict) else None
    if not isinstance(arguments, dict):
        raise TraceError(f"{path}: needs an object engine_kwargs, the arguments the engine was started with")
    measured = data.get("kv_cache")
    return {**(measured if isinstance(measured, dict) else {}), **arguments}


# vLLM's name of an argument -> ours.
_COUNTS = {
    "max_num_seqs": "max_num_seqs",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "block_size": "block_tokens",
    "num_gpu_blocks": "blocks",
    "num_gpu_blocks_override": "blocks",
    "long_prefill_token_threshold": "long_prefill_tokens",
}
_SWITCHES = {
    "enable_prefix_caching": "prefix_caching",
    "enable_chunked_prefill": "chunked_prefill",
    "async_scheduling": "plan_ahead",
    "scheduler_reserve_full_isl": "reserve_prompt",
}


# An engine's record holds the arrivals that it noted itself.
DEFAULTS = EngineSettings(noted_at_boundary=True)


def settings_of(arguments: dict[str, Any], path: Path) -> EngineSettings:
    """What the arguments say, the engine's defaults for what they leave out or give as null.

    Raises:
        TraceError: a value of the wrong kind, or a combination no engine accepts.
    """
    changes: dict[str, Any] = {}
    for names, kind, word in ((_COUNTS, int, "a whole number"), (_SWITCHES, bool, "true or false")):
        for name, field in names.items():
            value = arguments.get(name)
            if value is None:
                continue
            if type(value) is not kind:
                raise TraceError(f"{path}: {name} is {value!r}; it must be {word}")
            changes[field] = value
    settings = replace(DEFAULTS, **changes)
    try:
        settings.check()
    except ValueError as error:
        raise TraceError(f"{path}: {error}") from None
    return settings


def replicas_of(arguments: dict[str, Any], path: Path) -> int:
    """How many engines shared the requests (data_parallel_size)."""
    value = arguments.get("data_parallel_size") or 1
    if type(value) is not int or value < 1:
        raise TraceError(f"{path}: data_parallel_size is {value!r}; it must be 1 or more")
    return value


def out_of_order(run: RecordedRun) -> int:
    """Rows of the file that stand behind a later arrival."""
    return sum(later < earlier for earlier, later in pairwise(run.trace.rows))
