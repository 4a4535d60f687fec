"""The continuous reference scheduler as an engine that is fed while it runs, for routers, caches and closed loops."""

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush
from math import ceil, inf

from simulation.request import Request
from simulation.schedulers import ON_TIME_S, Server


@dataclass(frozen=True, slots=True)
class Completion:
    """A request an engine has answered; row is the caller's name for it."""

    row: int
    scheduled_s: float
    first_s: float
    finish_s: float


class ReferenceEngine:
    """Same times as `schedulers.continuous`, request by request.

    next_s is when something happens if nothing else is submitted: the caller must not pass it without calling
    `advance`. It plans to the next finish; a request that arrives sooner and finds a slot cuts the plan short.
    """

    __slots__ = ("_base_s", "_first", "_jump", "_running", "_server", "_step", "_step_s", "_waiting", "next_s")

    def __init__(self, server: Server) -> None:
        self.next_s = inf
        self._server = server
        self._waiting: deque[tuple[int, Request]] = deque()
        self._running: list[tuple[int, int]] = []  # (finish step, row), a heap
        self._first: dict[int, tuple[float, float]] = {}  # row -> scheduled_s, first_s
        # The plan: `_jump` steps of `_step_s` from `_base_s`, at the end of which the step number is `_step` + `_jump`.
        self._base_s = 0.0
        self._step = 0
        self._jump = 0
        self._step_s = 0.0

    @property
    def outstanding(self) -> int:
        return len(self._running) + len(self._waiting)

    def load(self, now_s: float) -> int:
        return len(self._running) + len(self._waiting)

    def submit(self, row: int, request: Request, now_s: float) -> None:
        self._waiting.append((row, request))
        if not self._running:
            self._base_s = now_s
            self.next_s = min(self.next_s, now_s)
        elif len(self._running) < self._server.slots:
            reach = max(1, ceil((now_s - ON_TIME_S - self._base_s) / self._step_s))
            if reach < self._jump:
                self._jump = reach
                self.next_s = self._base_s + reach * self._step_s

    def advance(self, limit_s: float) -> list[Completion]:
        """Move to next_s: who finished there, in no particular order; then admit and plan on.

        limit_s, before which nothing will be submitted, is not needed here: plans can be cut short.
        """
        now = self.next_s
        self._step += self._jump
        done: list[Completion] = []
        while self._running and self._running[0][0] <= self._step:
            row = heappop(self._running)[1]
            scheduled_s, first_s = self._first.pop(row)
            done.append(Completion(row, scheduled_s, first_s, now))
        admitted: list[int] = []
        tokens = 0
        while self._waiting and len(self._running) < self._server.slots:
            row, request = self._waiting.popleft()
            heappush(self._running, (self._step + request.output_tokens, row))
            tokens += request.prompt_tokens
            admitted.append(row)
        if not self._running:
            self._jump = 0
            self.next_s = inf
            return done
        self._step_s = self._server.decode_s[len(self._running)]
        self._base_s = now + tokens * self._server.prompt_token_s
        for row in admitted:
            self._first[row] = (now, self._base_s + self._step_s)
        self._jump = self._running[0][0] - self._step
        self.next_s = self._base_s + self._jump * self._step_s
        return done
