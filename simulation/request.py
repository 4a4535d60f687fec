"""What arrives at a simulated server: a time, two lengths, and what the prompt shares with others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a workload.

    arrival_s counts from the start of the workload. hash_ids name the full blocks of the prompt from its start,
    chained: equal ids mean equal text up to and including that block; their block size belongs to the workload.
    identity names the whole question, for caches and sharing in front of the engine; None means that it equals no
    other.
    """

    arrival_s: float
    prompt_tokens: int
    output_tokens: int
    hash_ids: tuple[int, ...] = ()
    identity: int | None = None


class WorkloadError(ValueError):
    """A workload that cannot be simulated. The message is one line and says what to write instead."""


def check(requests: Sequence[Request]) -> None:
    """Refuse what no engine could run; positions in messages count from 0.

    Kept out of the constructor, which runs once per simulated request.

    Raises:
        WorkloadError: a time that is not finite or runs backwards, or a length below 1.
    """
    before = -math.inf
    for position, request in enumerate(requests):
        if not math.isfinite(request.arrival_s) or request.arrival_s < 0:
            raise WorkloadError(
                f"request {position}: arrival_s is {request.arrival_s}; it must be 0 or more, in seconds"
            )
        if request.arrival_s < before:
            raise WorkloadError(
                f"request {position}: arrives at {request.arrival_s} s, before the one ahead of it ({before} s); "
                "sort the requests by arrival"
            )
        if request.prompt_tokens < 1 or request.output_tokens < 1:
            raise WorkloadError(
                f"request {position}: {request.prompt_tokens} prompt and {request.output_tokens} output tokens; "
                "both must be 1 or more"
            )
        before = request.arrival_s
