"""aiohttp's connection, with what the interface demands and aiohttp leaves out.

aiohttp has one read timeout (we need two), forgets when the request's last byte left, reads on after the end of a
reply (an extra reply on a kept connection would answer the next request), takes a reset as the end of a body that is
delimited by the close, and leaves readers of a body waiting when its session is closed.
"""

import asyncio
import functools
import time
from collections.abc import Callable
from typing import Any

from aiohttp import ClientPayloadError, ClientRequest, ClientResponse, ClientTimeout, StreamReader, TCPConnector
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.tracing import Trace

from proxy.upstream.client import Timeouts
from proxy.upstream.failures import MAX_HEAD_BYTES


class AiohttpConnection(ResponseHandler):
    """One connection. Its fields of an exchange are set anew by `begin`."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, live: set["AiohttpConnection"], clock: Callable[[], float]
    ) -> None:
        super().__init__(loop)
        self._live = live
        self._clock = clock
        self._wire: asyncio.BaseTransport | None = None
        self.exchanges = 0
        self.answered = False
        """A byte of the reply has been read."""
        self.sent_at: float | None = None
        self.lost_at: float | None = None
        self._first_byte_s: float | None = None
        self._between_chunks_s: float | None = None
        self._head_bytes = 0
        self._informed = False
        """An informational reply has just been read."""
        self._body: StreamReader | None = None
        """The final reply's body, once its head is there."""
        self._ended = False

    def begin(self, timeouts: Timeouts) -> None:
        """Called when a request gets this connection, before its first byte is written."""
        self.exchanges += 1
        self.answered = self._ended = self._informed = False
        self.sent_at = None
        self._first_byte_s = timeouts.first_byte_s
        self._between_chunks_s = timeouts.between_chunks_s
        self.read_timeout = timeouts.first_byte_s
        self._head_bytes = 0
        self._body = None

    def cut(self) -> None:
        """Close at once, without waiting for what is still to be written."""
        if self._wire is not None:
            self._wire.abort()  # type: ignore[attr-defined]  # BaseTransport, but always a socket's

    def fail(self, error: Exception) -> None:
        """End the exchange with `error`, whoever waits for head or body, and the connection."""
        if self._body is not None and not self._body.is_eof():
            self._body.set_exception(error)
        self.set_exception(error)
        self.cut()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._wire = transport
        self._live.add(self)
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        self.lost_at = self._clock()
        self._live.discard(self)
        self._wire = None
        if exc is not None and self._body is not None and not self._body.is_eof():
            # Else aiohttp would take a reset for the end of a body that the close delimits.
            self._body.set_exception(ClientPayloadError("connection reset"), exc)
        super().connection_lost(exc)

    def start_timeout(self) -> None:
        """aiohttp calls this when the request's last byte has been handed to the transport."""
        self.sent_at = self._clock()
        super().start_timeout()

    def data_received(self, data: bytes) -> None:
        if data:
            if self._ended:
                # Bytes after the end of a reply belong to nobody; the connection can't be trusted with another request.
                self.fail(HttpProcessingError(message="bytes after the end of the reply"))
                return
            self.answered = True
            self.read_timeout = self._between_chunks_s
        super().data_received(data)
        if self._body is None:
            if self._informed:
                # Only a promise: the reply's first byte is still to come. aiohttp has dropped the timer.
                self._informed = False
                self.read_timeout = self._first_byte_s
                super().start_timeout()
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.fail(HttpProcessingError(message="the head of the reply is too long"))
        elif self._body.is_eof():
            self._ended = True

    def feed_data(self, data: Any, size: int = 0) -> None:
        """aiohttp calls this with each message's head, informational ones included, and its body."""
        message, body = data
        if self._body is not None:
            self.fail(HttpProcessingError(message="a second reply to one request"))
            self._buffer.clear()
            return
        if message.code >= 200:
            self._body = body
        else:
            self._informed = True
        super().feed_data(data, size)


class AiohttpRequest(ClientRequest):
    """A request that remembers its connection, and may ask for a fresh one."""

    connection_used: AiohttpConnection | None = None
    fresh = False
    timeouts: Timeouts

    def again(self) -> None:
        """Make ready for a second attempt, on a connection that carried nothing yet."""
        self.connection_used = None
        self.fresh = True

    async def send(self, conn: Connection) -> ClientResponse:
        connection = conn.protocol
        assert isinstance(connection, AiohttpConnection)
        self.connection_used = connection
        connection.begin(self.timeouts)
        return await super().send(conn)


class AiohttpConnector(TCPConnector):
    """Unlimited connections, since admission is decided before; idle ones expire."""

    def __init__(self, keepalive_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(limit=0, keepalive_timeout=keepalive_s, timeout_ceil_threshold=86400)
        self.live: set[AiohttpConnection] = set()
        factory: functools.partial[Any] = functools.partial(AiohttpConnection, self._loop, self.live, clock)
        self._factory = factory

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout) -> Connection:
        connection = await super().connect(req, traces, timeout)
        while getattr(req, "fresh", False) and getattr(connection.protocol, "exchanges", 0):
            # Idle connections beside a stale one are as old as that one.
            connection.close()
            connection = await super().connect(req, traces, timeout)
        return connection
