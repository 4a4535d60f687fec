"""One exchange over aiohttp: its attempts, and what their failures mean in the interface's words."""

import io
from collections.abc import AsyncIterator, Callable

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientHandlerType,
    ClientRequest,
    ClientResponse,
    ClientResponseError,
    ConnectionTimeoutError,
    ServerTimeoutError,
)
from aiohttp.http_exceptions import HttpProcessingError

from proxy.errors import ProxyError, UpstreamFailed
from proxy.upstream.aiohttp_connection import AiohttpConnection, AiohttpRequest
from proxy.upstream.client import Timeouts, UpstreamRequest
from proxy.upstream.failures import (
    between_chunks_timeout,
    closed_unread,
    connect_timeout,
    cut_short,
    first_byte_timeout,
    no_reply,
    not_http,
    stale,
    total_timeout,
    unreachable,
)

_COPY_FREE_BYTES = 1048576  # aiohttp warns of larger bytes bodies; a BytesIO shares them and is written in pieces


class AiohttpExchange:
    """What one request needs to remember; as aiohttp's client middleware it sees each attempt.

    Errors are translated here, inside aiohttp's own retry loop, which therefore never runs.
    """

    def __init__(self, stale_window_s: float, clock: Callable[[], float], timeouts: Timeouts) -> None:
        self._stale_window_s = stale_window_s
        self._clock = clock
        self._timeouts = timeouts
        self._connection: AiohttpConnection | None = None
        self._repeatable = True
        self._upload_error: Exception | None = None

    def payload(self, request: UpstreamRequest) -> bytes | io.BytesIO | AsyncIterator[bytes] | None:
        """The body in the form that aiohttp frames as the interface says."""
        body = request.body
        if not isinstance(body, bytes):
            self._repeatable = False
            return self._watched(body)
        if not body and request.method in ClientRequest.GET_METHODS:
            return None
        return body if len(body) <= _COPY_FREE_BYTES else io.BytesIO(body)

    async def _watched(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        # aiohttp wraps what an upload raises; the caller wants its own error back.
        try:
            async for chunk in body:
                yield chunk
        except Exception as error:
            self._upload_error = error
            raise

    async def __call__(self, req: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        assert isinstance(req, AiohttpRequest)
        req.timeouts = self._timeouts
        try:
            return await self._attempt(req, handler)
        except UpstreamFailed as error:
            if not error.unprocessed or req.connection_used is None or not self._repeatable:
                raise
        # Stale: once more, on a fresh connection. An unfinished writer of the first attempt has failed with it.
        await req.close()
        req.again()
        return await self._attempt(req, handler)

    async def _attempt(self, req: AiohttpRequest, handler: ClientHandlerType) -> ClientResponse:
        try:
            return await handler(req)
        except BaseException as error:
            failure = self._failure_of_head(req.connection_used, error)
            if req.connection_used is not None:
                req.connection_used.cut()
            if failure is error:
                raise
            raise failure from error
        finally:
            self._connection = req.connection_used

    def _failure_of_head(self, connection: AiohttpConnection | None, error: BaseException) -> BaseException:
        """What a failed attempt means to the caller; `error` itself where it is not aiohttp's."""
        if self._upload_error is not None:
            return self._upload_error
        match error:
            case ConnectionTimeoutError():
                return connect_timeout()
            case ClientConnectorError():
                return unreachable()
            case ServerTimeoutError():
                return between_chunks_timeout() if connection and connection.answered else first_byte_timeout()
            case TimeoutError():
                return total_timeout()
            case ClientResponseError() | HttpProcessingError():
                return not_http()
            case ClientError() | OSError():
                return self._lost(connection)
            case _:
                return error

    def _lost(self, connection: AiohttpConnection | None) -> UpstreamFailed:
        if connection is None:
            return unreachable()
        if closed_unread(
            reused=connection.exchanges > 1,
            answered=connection.answered,
            sent_at=connection.sent_at,
            lost_at=self._clock() if connection.lost_at is None else connection.lost_at,
            stale_window_s=self._stale_window_s,
        ):
            return stale()
        return cut_short() if connection.answered else no_reply()

    def failure_of_body(self, error: Exception) -> Exception:
        """What a failure after the head means to the caller."""
        if self._upload_error is not None:
            return self._upload_error
        match error:
            case ProxyError():
                return error
            case ServerTimeoutError():
                return between_chunks_timeout()
            case TimeoutError():
                return total_timeout()
            case HttpProcessingError():
                return not_http()
            case _:
                return cut_short()

    def cut(self) -> None:
        if self._connection is not None:
            self._connection.cut()
