"""The own upstream client: HTTP/1.1 over plain TCP, an asyncio protocol and httptools, nothing else.

A request costs one list pop, one write and one future; a reply that came in one read costs no further wait.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from proxy.errors import UpstreamUnreachable
from proxy.upstream.client import Timeouts, UpstreamRequest
from proxy.upstream.failures import client_closed, connect_timeout, total_timeout, unreachable
from proxy.upstream.http1_connection import WAIT_FOR_CHUNK, Http1Connection
from proxy.upstream.http1_pool import Http1Pool
from proxy.upstream.http1_request import HeadEncoder
from proxy.upstream.origin import Origin


class Http1Client:
    """Exchanges with one http origin."""

    def __init__(
        self,
        origin: Origin,
        *,
        stale_window_s: float,
        keepalive_s: float,
        max_idle: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.pool = Http1Pool(keepalive_s, max_idle, clock)
        self._origin = origin
        self._heads = HeadEncoder(origin)
        self._stale_window_s = stale_window_s
        self._clock = clock

    async def send(self, request: UpstreamRequest, timeouts: Timeouts) -> "Http1Reply":
        """See UpstreamClient.send."""
        if self.pool.closed:
            raise client_closed()
        head = self._heads.encode(request)
        started_at = now = self._clock()
        connection = self.pool.take(now)
        while True:
            if connection is None:
                connection = await self._connect(timeouts, started_at)
                now = self._clock()
            try:
                await connection.begin(request, head, timeouts, started_at, now)
            except BaseException:  # a cancellation above all: it is how the engine learns that nobody waits
                connection.cut()
                raise
            if connection.parser.status:
                # Even if it failed meanwhile: the reply yields what there is first.
                return Http1Reply(connection)
            error = connection.error
            assert error is not None
            if (
                connection.exchanges == 1
                or not isinstance(error, UpstreamUnreachable)
                or not isinstance(request.body, bytes)
            ):
                raise error
            connection = None  # it was stale: once more, on a fresh one

    async def _connect(self, timeouts: Timeouts, started_at: float) -> Http1Connection:
        loop = asyncio.get_running_loop()
        limit_s = timeouts.connect_s
        expired = connect_timeout
        if timeouts.total_s is not None:
            left_s = started_at + timeouts.total_s - self._clock()
            if limit_s is None or left_s < limit_s:
                limit_s, expired = left_s, total_timeout
        try:
            async with asyncio.timeout(limit_s):
                _, connection = await loop.create_connection(
                    lambda: Http1Connection(loop, self.pool, self._stale_window_s, self._clock),
                    self._origin.host,
                    self._origin.port,
                )
        except TimeoutError as error:
            raise expired() from error
        except OSError as error:
            raise unreachable() from error
        # Not in connection_made: where connecting is cancelled after it, uvloop never calls connection_lost.
        if not connection.transport.is_closing():
            self.pool.open.add(connection)
        if self.pool.closed:
            connection.cut()
            raise client_closed()
        return connection

    async def aclose(self) -> None:
        """See UpstreamClient.aclose."""
        await self.pool.aclose(client_closed())


class Http1Reply:
    """A reply whose head has arrived. See UpstreamReply.

    The connection holds the body and knows nothing of its reply, so that a dropped reply is collected, and closes it.
    """

    __slots__ = ("_connection", "_ended", "headers", "status")

    def __init__(self, connection: Http1Connection) -> None:
        self.status = connection.parser.status
        self.headers = connection.parser.headers
        self._connection: Http1Connection | None = connection
        self._ended = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        connection = self._connection
        if connection is None:
            if self._ended:
                raise StopAsyncIteration
            raise client_closed()
        parser = connection.parser
        if not parser.size:
            if connection.error is None and not parser.complete:
                try:
                    await connection.wait(WAIT_FOR_CHUNK)
                except BaseException:  # as in `send`
                    connection.cut()
                    raise
            if not parser.size:
                if connection.error is not None:
                    raise connection.error
                self._ended = True
                self._connection = None
                connection.release()
                raise StopAsyncIteration
        if connection.paused:
            connection.resume_reading()
        return parser.take()

    async def read(self, limit: int) -> bytes | None:
        """See UpstreamReply.read."""
        connection = self._connection
        if connection is None:
            if self._ended:
                return b""
            raise client_closed()
        parser = connection.parser
        if not parser.complete and connection.error is None and parser.size <= limit:
            if parser.length is not None and parser.length > limit:
                return None
            try:
                await connection.wait(limit)
            except BaseException:  # as in `send`
                connection.cut()
                raise
        if parser.size > limit:
            return None
        if connection.error is not None:
            raise connection.error
        body = parser.take()
        self._ended = True
        self._connection = None
        connection.release()
        return body

    async def aclose(self) -> None:
        """See UpstreamReply.aclose."""
        connection, self._connection = self._connection, None
        if connection is not None:
            if connection.parser.complete:
                connection.release()
            else:
                connection.cut()

    def __del__(self) -> None:
        connection = self._connection
        if connection is not None and not connection.loop.is_closed():
            # Maybe in another thread: the collector runs anywhere.
            connection.loop.call_soon_threadsafe(connection.cut)
