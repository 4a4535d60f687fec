"""What arrives at a simulated server: a time, two lengths, and what the prompt shares with others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# A clock in seconds that counts nanoseconds as well: beyond some years a step would drown in its rounding.
LATEST_S = 1e9
MOST_TOKENS = 10**9


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


def reason_against(
    arrival_s: float, prompt_tokens: int, output_tokens: int, before_s: float, start_s: float = 0.0
) -> str:
    """Why no engine that was started at start_s could run this request after one that arrived at before_s.

    Empty if one could.
    """
    if arrival_s < before_s:
        return f"arrives at {arrival_s:.15g} s, before the one ahead of it ({before_s:.15g} s); sort by arrival"
    if not math.isfinite(arrival_s) or arrival_s < 0:
        return f"arrives at {arrival_s:.15g} s; it must be 0 or more"
    if arrival_s - start_s > LATEST_S:
        return f"arrives {arrival_s - start_s:g} s after the start; it must be {LATEST_S:,.0f} s at most"
    if prompt_tokens < 1 or output_tokens < 1:
        return f"{prompt_tokens} prompt and {output_tokens} output tokens; both must be 1 or more"
    if prompt_tokens > MOST_TOKENS or output_tokens > MOST_TOKENS:
        return f"{prompt_tokens} prompt and {output_tokens} output tokens; both must be {MOST_TOKENS:,} at most"
    return ""
