"""A router over N engines: which of them gets a request."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from math import inf, isnan, nextafter
from typing import Literal, Protocol

from simulation.engine import Engine
from simulation.reference_engine import Completion
from simulation.request import Request, WorkloadError

Route = Literal["round-robin", "least-loaded", "prefix-affinity"]
ROUTES: tuple[Route, ...] = ("round-robin", "least-loaded", "prefix-affinity")


class FedEngine(Protocol):
    """An engine that requests are submitted to while it runs.

    next_s is the earliest time at which it may have something to tell, inf when idle. `advance(limit_s)` moves on from
    there, under the promise that nothing is submitted before limit_s; it must make progress, and a completion may lie a
    step beyond limit_s.
    """

    next_s: float

    @property
    def outstanding(self) -> int: ...

    def load(self, now_s: float) -> int:
        """The requests in it at now_s, which never goes back: those that it said would end later count."""
        ...

    def submit(self, row: int, request: Request, now_s: float) -> None: ...

    def advance(self, limit_s: float) -> list[Completion]: ...


class FullEngine:
    """The full engine (`simulation.engine`) behind the interface of a fed one."""

    __slots__ = ("_ending", "_engine", "_open", "next_s")

    def __init__(self, engine: Engine) -> None:
        self.next_s = inf
        self._engine = engine
        self._open: dict[int, int] = {}  # the engine's index -> row
        self._ending: list[float] = []  # when those end that were told of ahead of time

    @property
    def outstanding(self) -> int:
        return len(self._open)

    def load(self, now_s: float) -> int:
        if self._ending:
            self._ending = [end for end in self._ending if end > now_s]
        return len(self._open) + len(self._ending)

    def submit(self, row: int, request: Request, now_s: float) -> None:
        self._open[self._engine.submit(replace(request, arrival_s=now_s))] = row
        self.next_s = min(self.next_s, max(now_s, self._engine.clock))

    def advance(self, limit_s: float) -> list[Completion]:
        engine = self._engine
        # Beyond its own clock by however little: one step at least.
        engine.run_until(max(limit_s, self.next_s + 1e-9, nextafter(self.next_s, inf)))
        ended = [index for index in self._open if not isnan(engine.last_token_s[index])]
        done = [
            Completion(
                self._open.pop(index),
                engine.scheduled_s[index],
                engine.first_token_s[index],
                engine.last_token_s[index],
            )
            for index in ended
        ]
        self._ending += [one.finish_s for one in done if one.finish_s > limit_s]
        self.next_s = max(engine.clock, self.next_s) if self._open else inf
        return done

    @property
    def engine(self) -> Engine:
        return self._engine


class Router:
    """Spreads requests over engines.

    - round-robin: in turn.
    - least-loaded: the engine with the fewest requests in it; of equals the first.
    - prefix-affinity: the engine that was sent the longest part of the prompt before (by block hashes, else by
      identity), unless it has `slack` more requests in it than the least loaded; without a match the least loaded.
      The router remembers the last `memory` blocks it sent to each engine.
    """

    def __init__(self, engines: Sequence[FedEngine], route: Route, *, slack: int = 8, memory: int = 65536) -> None:
        self._engines = engines
        self._route = route
        self._slack = slack
        self._memory = memory
        self._turn = 0
        self._sent: list[OrderedDict[int | tuple[str, int], None]] = [OrderedDict() for _ in engines]
        self.submitted = [0] * len(engines)

    @property
    def next_s(self) -> float:
        return min([engine.next_s for engine in self._engines])

    @property
    def outstanding(self) -> int:
        return sum(engine.outstanding for engine in self._engines)

    def submit(self, row: int, request: Request, now_s: float) -> None:
        """Raises WorkloadError, with the row, for a request that the engine chosen can never run."""
        at = self._choose(request, now_s)
        try:
            self._engines[at].submit(row, request, now_s)
        except WorkloadError as error:
            raise WorkloadError(error.reason, row) from None
        self.submitted[at] += 1

    def advance(self, limit_s: float) -> list[Completion]:
        """Move the engine whose turn it is; as `FedEngine.advance`."""
        return min(self._engines, key=lambda engine: engine.next_s).advance(limit_s)

    def _choose(self, request: Request, now_s: float) -> int:
        if self._route == "round-robin":
            at = self._turn
            self._turn = (at + 1) % len(self._engines)
            return at
        loads = [engine.load(now_s) for engine in self._engines]
        if self._route == "least-loaded":
            return loads.index(min(loads))
        return self._nearest(request, loads)

    def _nearest(self, request: Request, loads: list[int]) -> int:
        parts: Sequence[int | tuple[str, int]] = request.hash_ids
        if not parts and request.identity is not None:
            parts = (("identity", request.identity),)
        # Hashes are chained: the blocks an engine knows are the first ones.
        known = [
            next((count for count, part in enumerate(parts) if part not in sent), len(parts)) for sent in self._sent
        ]
        fits = [at for at, load in enumerate(loads) if load <= min(loads) + self._slack]
        at = max(fits, key=lambda at: (known[at], -loads[at]))
        sent = self._sent[at]
        for part in parts:
            sent[part] = None
            sent.move_to_end(part)
        while len(sent) > self._memory:
            sent.popitem(last=False)
        return at
