"""What stands in front of the engines: exact cache, single flight, semantic cache, batching window.

A request takes one of four paths, tried in this order: *hit*, an equal one was answered and is fresh; *coalesced*, an
equal one is being generated and its answer is shared; *semantic*, another one's answer is served, rightly or (a false
hit) wrongly; *generated*, an engine does it. What is equal is said by the workload's identities; a request without one
equals no other, but takes its place in the cache like any other.
"""

import math
from dataclasses import dataclass, fields
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, Literal

from simulation.answers import Answers
from simulation.json_file import read_json
from simulation.reference_engine import Completion
from simulation.request import Request, WorkloadError
from simulation.router import Router
from simulation.schedulers import ON_TIME_S
from simulation.workload import ClosedLoop, Workload, stream

ServedBy = Literal["hit", "semantic", "coalesced", "generated"]
PATHS: tuple[ServedBy, ...] = ("hit", "semantic", "coalesced", "generated")


@dataclass(frozen=True, slots=True)
class SemanticRates:
    """How often a semantic cache answers: hit_rate where it should, false_hit_rate where it should not."""

    hit_rate: float
    false_hit_rate: float


def semantic_rates(path: Path) -> SemanticRates:
    """Read them from an evaluation's result file: `n_hit` probes should hit and `hits` did; of `n_miss`, `wrong` hit.

    The false-hit rate is that of the evaluation's probes, chosen to be confusable: ordinary traffic sees less.

    Raises:
        WorkloadError: no such file, not JSON, a key missing or counts that cannot be.
    """
    found = read_json(path)
    counts: dict[str, int] = {}
    for key in ("n_hit", "hits", "n_miss", "wrong"):
        value = found.get(key) if isinstance(found, dict) else None
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise WorkloadError(f"{path}: '{key}' must be a count; needed are n_hit, hits, n_miss and wrong")
        counts[key] = value
    if counts["hits"] > counts["n_hit"] or counts["wrong"] > counts["n_miss"]:
        raise WorkloadError(f"{path}: more hits than probes; hits <= n_hit and wrong <= n_miss must hold")
    return SemanticRates(counts["hits"] / max(1, counts["n_hit"]), counts["wrong"] / max(1, counts["n_miss"]))


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """What is switched on, and what it costs.

    ttl_s counts from the end of generation; max_entries is kept by least recent use. A window of window_s holds what is
    to be generated until max_batch_size wait or the oldest has waited that long; with nothing in flight a request
    leaves at once. wordings is the workload's catalogue's: identity // wordings is the question that a semantic cache
    recognises.
    """

    cache: bool = False
    single_flight: bool = False
    semantic: SemanticRates | None = None
    ttl_s: float = math.inf
    max_entries: int | None = None
    window_s: float = 0.0
    max_batch_size: int = 8
    wordings: int = 1
    hit_s: float = 0.001
    semantic_s: float = 0.01

    def __post_init__(self) -> None:
        if not self.ttl_s > 0 or (self.max_entries is not None and self.max_entries < 1):
            raise WorkloadError(f"a cache of {self.max_entries} entries for {self.ttl_s} s; both must be above 0")
        if not 0 <= self.window_s < math.inf or self.max_batch_size < 1 or self.wordings < 1:
            raise WorkloadError("the window must be 0 s or more, max batch size and wordings 1 or more")


@dataclass(slots=True)
class Served:
    """What became of each request, by row; first_s is the first token the client sees."""

    arrival_s: list[float]
    scheduled_s: list[float]
    first_s: list[float]
    finish_s: list[float]
    path: list[ServedBy]
    false_hit: list[bool]

    def share(self, path: ServedBy) -> float:
        return self.path.count(path) / len(self.path)

    def columns(self) -> dict[str, list[Any]]:
        """Equal lists by name, a row per request."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def latencies(self) -> list[float]:
        return [finish - arrival for finish, arrival in zip(self.finish_s, self.arrival_s, strict=True)]


class _Run:
    """One run of a workload through a front end and a router; its state is all here."""

    def __init__(self, work: Workload, settings: FrontEnd, router: Router, loop: ClosedLoop | None, seed: int) -> None:
        count = len(work)
        self.served = Served(
            list(work.arrival_s), [0.0] * count, [0.0] * count, [0.0] * count, ["generated"] * count, [False] * count
        )
        self._settings = settings
        self._router = router
        self._requests = enumerate(work.requests())
        # One draw a request, used or not: settings that differ see the same luck.
        self._luck: list[float] = stream(seed, "semantic").random(count).tolist() if settings.semantic else []
        self._thinks: list[float] | None = None
        # When requests arrive: the next one's time, or in a closed loop a heap of when each user asks again.
        self._asks: list[float] = work.arrival_s[:1]
        if loop is not None:
            self._thinks = (stream(seed, "think").standard_exponential(count) * loop.think_s).tolist()
            self._asks = [0.0] * min(loop.users, count)
        self._answers = Answers(settings.ttl_s, settings.max_entries, settings.wordings)
        self._flights: dict[int, int] = {}  # key -> row of the leader
        self._leads: dict[int, tuple[int, list[int]]] = {}  # row of the leader -> key, rows of the followers
        self._held: list[tuple[int, Request]] = []  # in the batching window
        self._window_ends = math.inf
        self._ended: list[tuple[float, int, Completion]] = []  # heap of completions whose time has not come

    def to_the_end(self) -> Served:
        while True:
            arrival = self._asks[0] if self._asks else math.inf
            ended = self._ended[0][0] if self._ended else math.inf
            engine = self._router.next_s
            now = min(arrival, ended, engine, self._window_ends)
            if now == math.inf:
                return self.served
            if ended <= now:
                self._complete(heappop(self._ended)[2])
            elif arrival <= now + ON_TIME_S:
                self._arrive(arrival)
            elif self._window_ends <= now:
                self._flush(now)
            else:
                # In a closed loop any completion brings an arrival, so engines may not run ahead.
                limit = min(arrival, self._window_ends) if self._thinks is None else now
                for completion in self._router.advance(limit):
                    heappush(self._ended, (completion.finish_s, completion.row, completion))

    def _arrive(self, now: float) -> None:
        try:
            row, request = next(self._requests)
        except StopIteration:
            self._asks.clear()
            return
        if self._thinks is None:
            following = row + 1
            self._asks = self.served.arrival_s[following : following + 1]
        else:
            heappop(self._asks)
            self.served.arrival_s[row] = now
        key = -1 - row if request.identity is None else request.identity
        settings = self._settings
        if settings.cache and self._answers.has(key, now):
            self._answer(row, "hit", now, now + settings.hit_s)
        elif settings.single_flight and key in self._flights:
            self._leads[self._flights[key]][1].append(row)
        elif settings.semantic is not None and self._resembles(row, key, now, settings.semantic):
            self._answer(row, "semantic", now, now + settings.semantic_s)
        else:
            self._flights[key] = row
            self._leads[row] = (key, [])
            self._generate(row, request, now)

    def _resembles(self, row: int, key: int, now: float, rates: SemanticRates) -> bool:
        if self._answers.has_question(key, now):
            return self._luck[row] < rates.hit_rate
        wrong = self._answers.has_any(now) and self._luck[row] < rates.false_hit_rate
        self.served.false_hit[row] = wrong
        return wrong

    def _generate(self, row: int, request: Request, now: float) -> None:
        lone = len(self._leads) == 1 and not self._held
        if self._settings.window_s and not lone:
            if not self._held:
                self._window_ends = now + self._settings.window_s
            self._held.append((row, request))
            if len(self._held) >= self._settings.max_batch_size:
                self._flush(now)
        else:
            self._router.submit(row, request, now)

    def _flush(self, now: float) -> None:
        for row, request in self._held:
            self._router.submit(row, request, now)
        self._held.clear()
        self._window_ends = math.inf

    def _complete(self, done: Completion) -> None:
        key, followers = self._leads.pop(done.row)
        if self._flights.get(key) == done.row:
            del self._flights[key]
        if self._settings.cache or self._settings.semantic is not None:
            self._answers.store(key, done.finish_s)
        self.served.scheduled_s[done.row] = done.scheduled_s
        self._answer(done.row, "generated", done.first_s, done.finish_s)
        for row in followers:
            # A late follower is given at once what its leader has so far.
            arrival = self.served.arrival_s[row]
            self.served.scheduled_s[row] = arrival
            self._answer(row, "coalesced", max(arrival, done.first_s), done.finish_s)

    def _answer(self, row: int, path: ServedBy, first_s: float, finish_s: float) -> None:
        served = self.served
        served.path[row] = path
        served.finish_s[row] = finish_s
        if path in ("hit", "semantic"):
            served.scheduled_s[row] = served.arrival_s[row]
            first_s = finish_s
        served.first_s[row] = first_s
        if self._thinks is not None:
            heappush(self._asks, finish_s + self._thinks[row])


def serve(
    work: Workload, settings: FrontEnd, router: Router, *, loop: ClosedLoop | None = None, seed: int = 0
) -> Served:
    """Run the workload to its end.

    With a loop the workload gives the requests in order and its arrival times are not used: each user asks the next one
    once answered. The seed is for the luck of semantic lookups and for thinking times.
    """
    return _Run(work, settings, router, loop, seed).to_the_end()
