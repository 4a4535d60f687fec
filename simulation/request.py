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
    """A workload that cannot be simulated. The message is one line and says what to write instead.

    index is the position of the offending request, where there is one; who knows the file adds its name and row.
    """

    def __init__(self, reason: str, index: int | None = None) -> None:
        super().__init__(reason if index is None else f"request {index}: {reason}")
        self.reason = reason
        self.index = index


def check(requests: Sequence[Request]) -> None:
    """Refuse what no engine could run; positions in messages count from 0.

    Kept out of the constructor, which runs once per simulated request.

    Raises:
        WorkloadError: a time that is not finite or runs backwards, or a length below 1.
    """
    before = -math.inf
    for index, request in enumerate(requests):
        problem = reason_against(request.arrival_s, request.prompt_tokens, request.output_tokens, before)
        if problem:
            raise WorkloadError(problem, index)
        before = request.arrival_s


def reason_against(arrival_s: float, prompt_tokens: int, output_tokens: int, before_s: float) -> str:
    """Why no engine could run this request after one that arrived at before_s; empty if one could."""
    if arrival_s < before_s:
        return f"arrives at {arrival_s:g} s, before the one ahead of it ({before_s:g} s); sort by arrival"
    if not math.isfinite(arrival_s) or arrival_s < 0:
        return f"arrives at {arrival_s:g} s; it must be 0 or more"
    if prompt_tokens < 1 or output_tokens < 1:
        return f"{prompt_tokens} prompt and {output_tokens} output tokens; both must be 1 or more"
    return ""
