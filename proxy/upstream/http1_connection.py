"""One connection of the own client: an asyncio protocol that carries one exchange at a time.

The loop calls the protocol's methods; the exchange's task calls `begin`, `wait`, `release` and `cut`. Neither
runs while the other does, so there is nothing to lock.

An exchange ends in one of two ways: `parser.complete`, then `release`; or `error`, set by `fail` or `cut`, which also
close the connection at once. What was read before an error can still be taken from the parser.
"""

import asyncio
from collections.abc import Callable
from typing import cast

from proxy.errors import UpstreamFailed
from proxy.upstream.client import Timeouts, UpstreamRequest
from proxy.upstream.failures import client_closed, closed_unread, cut_short, no_reply, stale
from proxy.upstream.http1_deadlines import LazyTimer, deadline
from proxy.upstream.http1_parser import ReplyParser
from proxy.upstream.http1_pool import Http1Pool
from proxy.upstream.http1_sender import Http1Sender

HIGH_WATER_BYTES = 262144
"""Body read ahead of a slow consumer, beyond which reading pauses until it is taken."""

WAIT_FOR_HEAD = -1
WAIT_FOR_CHUNK = 0


class Http1Connection(asyncio.Protocol):
    """`idle_since` is the pool's; everything else changes here only."""

    transport: asyncio.Transport
    _sender: Http1Sender

    def __init__(
        self, loop: asyncio.AbstractEventLoop, pool: Http1Pool, stale_window_s: float, clock: Callable[[], float]
    ) -> None:
        self.loop = loop
        self.idle_since = 0.0
        self._pool = pool
        self._stale_window_s = stale_window_s
        self._clock = clock
        self._timer = LazyTimer(loop, clock, self._look)
        self.exchanges = 0
        # Of the exchange:
        self.parser = ReplyParser()
        self.error: Exception | None = None
        self._busy = False
        self._limits: Timeouts | None = None
        self._started_at = 0.0
        self._read_at: float | None = None
        """When the reply was last read from, informational ones included; None before its first byte."""
        self.paused = False
        """No more is read until what was read is taken, or waited for more."""
        self._waiter: asyncio.Future[None] | None = None
        self._wake_above = WAIT_FOR_HEAD

    # The task's side.

    def begin(
        self, request: UpstreamRequest, head: bytes, limits: Timeouts, started_at: float, now: float
    ) -> asyncio.Future[None]:
        """Send a request; the returned future is done when its reply's head, or `error`, is there."""
        self.exchanges += 1
        self._busy = True
        self._limits = limits
        self._started_at = started_at
        self._read_at = None
        self.parser.begin(request.method)
        self._wake_above = WAIT_FOR_HEAD
        self._waiter = waiter = self.loop.create_future()
        if self.transport.is_closing():
            self.fail(stale())
        else:
            self._sender.send(head, request.body, now)
            self._timer.arm(limits, now, started_at)
        return waiter

    def wait(self, wake_above: int) -> asyncio.Future[None]:
        """A future, done at the end, on an error, or with more than `wake_above` bytes of body to take."""
        self._wake_above = wake_above
        if self.paused:
            self.resume_reading()
        self._waiter = waiter = self.loop.create_future()
        return waiter

    def resume_reading(self) -> None:
        """After a pause: the body read so far has been taken, or more of it is wanted at once."""
        self.paused = False
        self._read_at = self._clock()
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def release(self) -> None:
        """After a complete reply: back to the pool, if nothing speaks against another exchange."""
        parser = self.parser
        if parser.reusable and self.error is None and self._sender.sent_at is not None:
            self._busy = False
            if parser.size:
                parser.take()
            if self.paused:
                self.resume_reading()
            self._pool.put(self)
        else:
            self.cut()

    def cut(self) -> None:
        """Close at once: what is not sent stays unsent, what is not read stays unread."""
        self.fail(client_closed())

    def fail(self, error: Exception) -> None:
        """End the exchange with `error`, unless it has one already, and close at once."""
        if self.error is None:
            self.error = error
        self._sender.stop()
        self.transport.abort()
        self._wake()

    # The loop's side.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        # uvloop sends what is over the limit at once, and the rest when all that happened in this turn has been dealt
        # with: of a burst, the engine would hear only when the last of it has been read.
        self.transport.set_write_buffer_limits(high=0)
        self._sender = Http1Sender(self.loop, self.transport, self._clock, self.fail)

    def data_received(self, data: bytes) -> None:
        if self.error is not None:
            return
        if not self._busy:
            # Nobody has asked: these bytes would answer the next request.
            self.cut()
            return
        self._read_at = self._clock()
        parser = self.parser
        try:
            parser.feed(data)
        except UpstreamFailed as error:
            self.fail(error)
            return
        if parser.complete or (parser.size > self._wake_above and parser.status):
            waiter = self._waiter
            if waiter is not None:
                self._waiter = None
                if not waiter.done():
                    waiter.set_result(None)
        if parser.size > HIGH_WATER_BYTES and parser.size > self._wake_above and not self.paused:
            self.paused = True
            self.transport.pause_reading()

    def eof_received(self) -> None:
        self._on_end(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._pool.forget(self)
        self._timer.cancel()
        self._sender.stop()
        self._on_end(exc)

    def pause_writing(self) -> None:
        self._sender.pause()

    def resume_writing(self) -> None:
        self._sender.resume()

    def _on_end(self, exc: Exception | None) -> None:
        """The server has closed the connection, or it broke."""
        if not self._busy or self.error is not None or self.parser.complete:
            return
        if exc is None and self.parser.end():
            self._wake()
            return
        answered = self._read_at is not None
        unread = closed_unread(
            reused=self.exchanges > 1,
            answered=answered,
            sent_at=self._sender.sent_at,
            lost_at=self._clock(),
            stale_window_s=self._stale_window_s,
        )
        error = stale() if unread else cut_short() if answered else no_reply()
        error.__cause__ = exc
        self.fail(error)

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _look(self, now: float) -> float | None:
        """For the timer: fail what is overdue, else say when to look again."""
        if not self._busy or self.error is not None or self.parser.complete or self._limits is None:
            return None
        due, error = deadline(
            self._limits,
            started_at=self._started_at,
            sent_at=self._sender.sent_at,
            read_at=self._read_at,
            begun=self.parser.begun,
            paused=self.paused,
        )
        if due > now:
            return due
        self.fail(error())
        return None
