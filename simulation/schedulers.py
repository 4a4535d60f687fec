"""The reference model: one server, three ways to fill its slots, no memory limits.

- sequential: one request at a time, in order of arrival.
- static: when the server is free it takes all that wait, up to its slots. Every slot costs its share of each step until
  the longest output of the batch ends; nobody joins before.
- continuous: at each step boundary whoever waits takes a free slot. The prefill of those admitted stalls the batch,
  then all decode one step; the first token comes from that step, and a slot is free the moment its request ends.

Time is not walked step by step. Between two admissions the batch only changes when somebody finishes, so the steps up
to the next finish (those running are kept sorted by it) or the next arrival are taken at once. `simulation.stepping`
walks every step and must agree.
"""

from bisect import bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass, fields
from math import ceil, inf
from typing import Literal

import numpy as np

from simulation.cost import CostError, CostModel
from simulation.settings import MOST_SEQUENCES
from simulation.workload import Workload

Discipline = Literal["sequential", "static", "continuous"]
DISCIPLINES: tuple[Discipline, ...] = ("sequential", "static", "continuous")

# What of a cost model the reference model can express.
_EXPRESSED = frozenset(
    ("name", "provenance", "seen", "step_s", "sequence_s", "prompt_token_s", "overhead_step_s", "sequence_table")
)

# An arrival this close after a step boundary counts as there: adding steps one by one and at once rounds differently.
ON_TIME_S = 1e-9


@dataclass(frozen=True, slots=True)
class Server:
    """decode_s[n] is a step of n sequences, in seconds; prompts cost prompt_token_s a token."""

    decode_s: tuple[float, ...]
    prompt_token_s: float

    @property
    def slots(self) -> int:
        return len(self.decode_s) - 1


@dataclass(frozen=True, slots=True)
class Timeline:
    """What became of each request of a workload, in its order; seconds on the workload's clock.

    paid_slot_steps counts slots times steps they were charged for; without waste it is the number of output tokens.
    """

    scheduled_s: list[float]
    first_s: list[float]
    finish_s: list[float]
    paid_slot_steps: int


def reference_server(cost: CostModel, slots: int) -> Server:
    """The part of a cost model that the reference model can express.

    Raises:
        CostError: the model has a term that depends on context or on the mix of a step, or too few or many slots.
    """
    if not 1 <= slots <= MOST_SEQUENCES:
        raise CostError(f"a server of {slots} slots; use 1 to {MOST_SEQUENCES:,}")
    unknown = [
        one.name for one in fields(cost) if one.name not in _EXPRESSED and getattr(cost, one.name) != one.default
    ]
    if unknown:
        raise CostError(f"cost {cost.name}: the reference model has no {unknown[0]}; use the full engine")
    return Server(tuple(cost.decode_s(sequences) for sequences in range(slots + 1)), cost.prompt_token_s)


def sequential(work: Workload, server: Server) -> Timeline:
    """First come, first served, alone.

    Lindley's recursion in closed form: who waits finishes when all work since the last idle moment is done.
    """
    step_s = server.decode_s[1]
    arrival = np.asarray(work.arrival_s)
    prefill = np.asarray(work.prompt_tokens) * server.prompt_token_s
    service = prefill + np.asarray(work.output_tokens) * step_s
    total = np.cumsum(service)
    finish = total + np.maximum.accumulate(arrival - (total - service))
    scheduled = finish - service
    first = scheduled + prefill + step_s
    return Timeline(scheduled.tolist(), first.tolist(), finish.tolist(), sum(work.output_tokens))


def static(work: Workload, server: Server) -> Timeline:
    """Batches of whoever waits; all of a batch are answered when its longest output ends."""
    arrivals, prompts, outputs = work.arrival_s, work.prompt_tokens, work.output_tokens
    scheduled: list[float] = []
    first: list[float] = []
    finish: list[float] = []
    now, done, paid = 0.0, 0, 0
    while done < len(arrivals):
        now = max(now, arrivals[done])
        end = bisect_right(arrivals, now + ON_TIME_S, done, min(done + server.slots, len(arrivals)))
        size = end - done
        step_s = server.decode_s[size]
        scheduled += [now] * size
        now += sum(prompts[done:end]) * server.prompt_token_s
        first += [now + step_s] * size
        longest = max(outputs[done:end])
        now += longest * step_s
        finish += [now] * size
        paid += size * longest
        done = end
    return Timeline(scheduled, first, finish, paid)


def continuous(work: Workload, server: Server) -> Timeline:
    """Joins and leaves at step boundaries."""
    prompts, outputs = work.prompt_tokens, work.output_tokens
    decode_s, prompt_s, slots = server.decode_s, server.prompt_token_s, server.slots
    count = len(prompts)
    # From when on a boundary may admit each request; the last entry ends the walk.
    joins = [arrival - ON_TIME_S for arrival in work.arrival_s]
    joins.append(inf)
    scheduled: list[float] = []
    first: list[float] = []
    finish = [0.0] * count
    # Who runs, soonest finish last: -(finish step * count + row). One integer an entry compares faster than a tuple,
    # and insertion into so short a sorted list is faster than a heap.
    running: list[int] = []
    now, step, size, row = 0.0, 0, 0, 0
    due = 0  # the finish step of running[-1]
    coming = joins[0]
    while True:
        if not size:
            if row == count:
                return Timeline(scheduled, first, finish, sum(outputs))
            if coming > now:
                now = work.arrival_s[row]
            due = step + outputs[row]
        if coming <= now and size < slots:
            boundary, begin, tokens = now, row, 0
            while coming <= boundary and size < slots:
                end = step + outputs[row]
                if end < due:
                    due = end
                insort(running, -(end * count + row))
                tokens += prompts[row]
                scheduled.append(boundary)
                size += 1
                row += 1
                coming = joins[row]
            now += tokens * prompt_s
            step_s = decode_s[size]
            if row - begin == 1:
                first.append(now + step_s)
            else:
                first += [now + step_s] * (row - begin)
        else:
            step_s = decode_s[size]
        jump = due - step
        if size < slots and now + jump * step_s > coming:
            # The first boundary at which the next request can be admitted; one step is always taken.
            reach = ceil((coming - now) / step_s)
            if reach < jump:  # compared by hand: min and max cost a tenth of the whole run
                jump = reach if reach > 1 else 1
        now += jump * step_s
        step += jump
        while due == step:
            finish[-running.pop() % count] = now
            size -= 1
            if not size:
                break
            due = -running[-1] // count


RUN: dict[Discipline, Callable[[Workload, Server], Timeline]] = {
    "sequential": sequential,
    "static": static,
    "continuous": continuous,
}
