"""The idle connections of one client, and a roll of the open ones."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proxy.upstream.http1_connection import Http1Connection


class Http1Pool:
    """Its whole state: `idle`, oldest first, used from the end; `open`, every connection not yet lost.

    Connections are unlimited, since admission is decided before; idle ones are at most `max_idle`, each for at most
    `keepalive_s`.
    """

    def __init__(self, keepalive_s: float, max_idle: int, clock: Callable[[], float]) -> None:
        self.idle: list[Http1Connection] = []
        self.open: set[Http1Connection] = set()
        self.closed = False
        self._keepalive_s = keepalive_s
        self._max_idle = max_idle
        self._clock = clock
        self._sweep: asyncio.TimerHandle | None = None
        self._emptied: asyncio.Future[None] | None = None

    def take(self, now: float) -> "Http1Connection | None":
        """The connection used last, unless it has been idle too long."""
        while self.idle:
            connection = self.idle.pop()
            if connection.idle_since + self._keepalive_s < now:
                connection.cut()
                self._expire()
            elif not connection.transport.is_closing():
                return connection
        return None

    def put(self, connection: "Http1Connection") -> None:
        """Keep a connection that has carried a whole exchange."""
        if self.closed:
            connection.cut()
            return
        connection.idle_since = self._clock()
        self.idle.append(connection)
        if len(self.idle) > self._max_idle:
            self.idle.pop(0).cut()
        if self._sweep is None:
            self._sweep = connection.loop.call_later(self._keepalive_s, self._on_sweep, connection.loop)

    def forget(self, connection: "Http1Connection") -> None:
        """The connection is lost."""
        self.open.discard(connection)
        if connection in self.idle:
            self.idle.remove(connection)
        if self._emptied is not None and not self.open and not self._emptied.done():
            self._emptied.set_result(None)

    async def aclose(self, error: Exception) -> None:
        """Fail every exchange with `error`, close every connection, and wait until the transports are gone."""
        self.closed = True
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        self.idle.clear()
        for connection in list(self.open):
            connection.fail(error)
        if self.open:
            if self._emptied is None:
                self._emptied = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._emptied)

    def _expire(self) -> None:
        oldest = self._clock() - self._keepalive_s
        while self.idle and self.idle[0].idle_since < oldest:
            self.idle.pop(0).cut()

    def _on_sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        self._expire()
        self._sweep = None
        if self.idle:
            wait_s = self.idle[0].idle_since + self._keepalive_s - self._clock()
            # A little later than due, or rounding would sweep again and again.
            self._sweep = loop.call_later(max(wait_s, 0.0) + 0.01, self._on_sweep, loop)
