"""When an exchange has waited too long, and one lazy timer to notice it."""

import asyncio
from collections.abc import Callable
from math import inf

from proxy.upstream.client import Timeouts
from proxy.upstream.failures import between_chunks_timeout, first_byte_timeout, total_timeout


def deadline(
    limits: Timeouts, *, started_at: float, sent_at: float | None, read_at: float | None, begun: bool, paused: bool
) -> tuple[float, Callable[[], Exception]]:
    """Until when the exchange may wait for what it waits for now, and the error that it ends with then.

    Args:
        sent_at: when the request was out; None while it is not: then only the total counts.
        read_at: when the reply was last read from.
        begun: the reply has begun; informational ones are no beginning.
        paused: it is our consumer who is slow, not the upstream.
    """
    due: float = inf
    error: Callable[[], Exception] = total_timeout
    if limits.total_s is not None:
        due = started_at + limits.total_s
    if begun and read_at is not None:
        if limits.between_chunks_s is not None and not paused and read_at + limits.between_chunks_s < due:
            due, error = read_at + limits.between_chunks_s, between_chunks_timeout
    elif sent_at is not None and limits.first_byte_s is not None and sent_at + limits.first_byte_s < due:
        due, error = sent_at + limits.first_byte_s, first_byte_timeout
    return due, error


class LazyTimer:
    """One timer for a connection's whole life.

    It never waits longer than the shortest limit, and every deadline that a read sets is at least that far away. So no
    deadline passes before the timer looks, and no read has to set it anew; nor has a request, unless its limits are
    tighter than the last one's.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, clock: Callable[[], float], look: Callable[[float], float | None]
    ) -> None:
        """`look` is called with the time; it returns by when it wants to be called again, or None for no more."""
        self._loop = loop
        self._clock = clock
        self._look = look
        self._limits: Timeouts | None = None
        self._shortest_s = inf
        self._handle: asyncio.TimerHandle | None = None
        self._due = inf

    def arm(self, limits: Timeouts, now: float, started_at: float) -> None:
        """An exchange with these limits, begun at `started_at`, waits from now on."""
        if limits is not self._limits:
            self._limits = limits
            given = (limits.first_byte_s, limits.between_chunks_s, limits.total_s)
            self._shortest_s = min((limit for limit in given if limit is not None), default=inf)
        due = now + self._shortest_s
        if limits.total_s is not None and started_at + limits.total_s < due:
            due = started_at + limits.total_s
        if due < self._due:
            self._set(now, due - now)

    def cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        self._due = inf

    def _set(self, now: float, wait_s: float) -> None:
        self.cancel()
        self._due = now + wait_s
        self._handle = self._loop.call_later(max(wait_s, 0.0), self._fire)

    def _fire(self) -> None:
        self._handle = None
        self._due = inf
        now = self._clock()
        again_at = self._look(now)
        if again_at is not None:
            self._set(now, min(again_at - now, self._shortest_s))
