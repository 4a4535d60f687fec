"""One connection of the own client: an asyncio protocol that carries one exchange at a time.

The loop calls the protocol's methods; the exchange's task calls `begin`, `wait`, `take`, `release` and `cut`. Neither
runs while the other does, so there is nothing to lock.

An exchange ends in one of two ways: `parser.complete`, then `release`; or `error`, set by `fail` or `cut`, which also
close the connection at once. What was read before an error stays in `chunks`.
"""

import asyncio
from collections import deque
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
"""Body read ahead of a slow consumer, beyond which reading pauses."""
LOW_WATER_BYTES = 65536

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
        self.chunks: deque[bytes] = deque()
        self.size = 0
        """Of `chunks`, in bytes."""
        self._busy = False
        self._limits: Timeouts | None = None
        self._started_at = 0.0
        self._read_at: float | None = None
        """When the reply was last read from, informational ones included; None before its first byte."""
        self._paused = False
        self._waiter: asyncio.Future[None] | None = None
        self._wake_above = WAIT_FOR_HEAD

    # The task's side.

    def begin(self, request: UpstreamRequest, head: bytes, limits: Timeouts, started_at: float) -> asyncio.Future[None]:
        """Send a request; the returned future is done when its reply's head, or `error`, is there."""
        self.exchanges += 1
        self._busy = True
        self._limits = limits
        self._started_at = started_at
        self._read_at = None
        self.parser.begin(request.method)
        waiter = self.wait(WAIT_FOR_HEAD)
        if self.transport.is_closing():
            self.fail(stale())
        else:
            self._sender.send(head, request.body)
            self._timer.arm(limits, self._clock(), started_at)
        return waiter

    def wait(self, wake_above: int) -> asyncio.Future[None]:
        """A future, done at the end, on an error, or with the head and more than `wake_above` bytes of body."""
        self._wake_above = wake_above
        if self._paused and self.size <= wake_above:
            self._resume_reading()
        self._waiter = waiter = self.loop.create_future()
        return waiter

    def take(self) -> bytes:
        """The next of `chunks`, which must not be empty."""
        chunk = self.chunks.popleft()
        self.size -= len(chunk)
        if self._paused and self.size < LOW_WATER_BYTES:
            self._resume_reading()
        return chunk

    def take_all(self) -> bytes:
        """Everything in `chunks`."""
        body = self.chunks[0] if len(self.chunks) == 1 else b"".join(self.chunks)
        self.chunks.clear()
        self.size = 0
        return body

    def release(self) -> None:
        """After a complete reply: back to the pool, if nothing speaks against another exchange."""
        if (
            self.parser.reusable
            and self._sender.sent_at is not None
            and self.error is None
            and not self.transport.is_closing()
        ):
            self._busy = False
            if self.chunks:
                self.take_all()
            if self._paused:
                self._resume_reading()
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
        error: UpstreamFailed | None = None
        try:
            parser.feed(data)
        except UpstreamFailed as broken:
            error = broken
        if pieces := parser.pieces:
            chunk = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            parser.pieces = []
            self.chunks.append(chunk)
            self.size += len(chunk)
            if self.size > HIGH_WATER_BYTES and self.size > self._wake_above and not self._paused:
                self._paused = True
                self.transport.pause_reading()
        if error is not None:
            self.fail(error)
        elif parser.status and (parser.complete or self.size > self._wake_above):
            self._wake()

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

    def _resume_reading(self) -> None:
        self._paused = False
        self._read_at = self._clock()
        if not self.transport.is_closing():
            self.transport.resume_reading()

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
            paused=self._paused,
        )
        if due > now:
            return due
        self.fail(error())
        return None
