"""The upstream client over aiohttp: for https, and as the fallback for http.

aiohttp's session retries, redirects, unpacks, keeps cookies and adds headers of its own; all of that is switched off.
Its parser is kinder than ours: folded lines, bare line feeds and a space before the colon pass. The framing of a body
is strict.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable

from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    HttpVersion10,
    HttpVersion11,
)
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from proxy.errors import BadRequest, Headers, ProxyError
from proxy.upstream.aiohttp_connection import AiohttpConnector, AiohttpRequest
from proxy.upstream.aiohttp_exchange import AiohttpExchange
from proxy.upstream.client import Timeouts, UpstreamRequest
from proxy.upstream.failures import MAX_HEAD_BYTES, client_closed, not_http, total_timeout
from proxy.upstream.origin import OWN_HEADERS, Origin, check_request_line

_AUTOMATIC = ("accept", "accept-encoding", "content-type", "user-agent")
_READ_BUFFER_BYTES = 131072  # aiohttp pauses reading at twice this


class AiohttpClient:
    """Exchanges with one origin. Its session begins with the first request, inside the running loop."""

    def __init__(
        self,
        origin: Origin,
        *,
        stale_window_s: float,
        keepalive_s: float,
        tls: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._base = f"{origin.scheme}://{origin.authority}"
        self._stale_window_s = stale_window_s
        self._keepalive_s = keepalive_s
        self._tls: ssl.SSLContext | bool = tls if tls is not None else True
        self._clock = clock
        self._session: ClientSession | None = None
        self.connector: AiohttpConnector | None = None
        self._closed = False

    async def send(self, request: UpstreamRequest, timeouts: Timeouts) -> "AiohttpReply":
        """See UpstreamClient.send."""
        if self._closed:
            raise client_closed()
        check_request_line(request.method, request.target)
        exchange = AiohttpExchange(self._stale_window_s, self._clock, timeouts)
        try:
            response = await self._open_session().request(
                request.method,
                URL(self._base + _ascii(request.target), encoded=True),
                headers=_header_map(request.headers),
                data=exchange.payload(request),
                skip_auto_headers=_AUTOMATIC,
                allow_redirects=False,
                middlewares=(exchange,),
                ssl=self._tls,
                timeout=ClientTimeout(total=timeouts.total_s, connect=timeouts.connect_s, ceil_threshold=86400),
            )
        except TimeoutError as error:
            raise total_timeout() from error
        if not _is_http(response):
            _cut(response, exchange)
            raise not_http()
        return AiohttpReply(response, exchange)

    def _open_session(self) -> ClientSession:
        if self._session is None:
            self.connector = AiohttpConnector(self._keepalive_s, self._clock)
            self._session = ClientSession(
                connector=self.connector,
                cookie_jar=DummyCookieJar(),
                auto_decompress=False,
                request_class=AiohttpRequest,
                read_bufsize=_READ_BUFFER_BYTES,
                max_line_size=MAX_HEAD_BYTES,
                max_field_size=MAX_HEAD_BYTES,
            )
        return self._session

    async def aclose(self) -> None:
        """See UpstreamClient.aclose."""
        self._closed = True
        if self._session is None or self.connector is None:
            return
        for connection in list(self.connector.live):
            connection.fail(client_closed())
        await self._session.close()


class AiohttpReply:
    """A reply whose head has arrived. See UpstreamReply."""

    __slots__ = ("_exchange", "_kept", "_loop", "_response", "headers", "status")

    def __init__(self, response: ClientResponse, exchange: AiohttpExchange) -> None:
        self.status = response.status
        self.headers: Headers = [(name.lower(), value) for name, value in response.raw_headers]
        self._loop = asyncio.get_running_loop()
        self._response = response
        self._exchange = exchange
        self._kept: list[bytes] = []
        """Read by `read`, still to be iterated."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        chunk = self._kept.pop(0) if self._kept else await self._next()
        if not chunk:
            raise StopAsyncIteration
        return chunk

    async def read(self, limit: int) -> bytes | None:
        """See UpstreamReply.read."""
        length = self._response.content_length
        if length is not None and length > limit and not self._response.content.is_eof():
            return None
        size = sum(map(len, self._kept))
        while size <= limit:
            chunk = await self._next()
            if not chunk:
                whole = b"".join(self._kept)
                self._kept.clear()
                return whole
            self._kept.append(chunk)
            size += len(chunk)
        return None

    async def _next(self) -> bytes:
        """The next piece of the body, empty at its end."""
        content = self._response.content
        try:
            if content.exception() is not None and content._buffer:
                # aiohttp drops what it had read before the failure; the interface yields it.
                return content._read_nowait(-1)
            return await content.readany()
        except (asyncio.CancelledError, GeneratorExit):
            _cut(self._response, self._exchange)
            raise
        except (ClientError, HttpProcessingError, ProxyError, OSError) as error:
            _cut(self._response, self._exchange)
            raise self._exchange.failure_of_body(error) from error

    async def aclose(self) -> None:
        """See UpstreamReply.aclose."""
        self._kept.clear()
        if self._response.content.is_eof():
            self._response.release()
        elif not self._response.closed:
            _cut(self._response, self._exchange)

    def __del__(self) -> None:
        # A reply that was dropped, maybe in another thread: the collector runs anywhere.
        if not self._response.closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_cut, self._response, self._exchange)


def _cut(response: ClientResponse, exchange: AiohttpExchange) -> None:
    exchange.cut()
    response.close()


def _is_http(response: ClientResponse) -> bool:
    """Whether status, version and transfer coding are ones that HTTP/1.1 knows and aiohttp undoes."""
    if not 200 <= response.status < 600 or response.version not in (HttpVersion10, HttpVersion11):
        return False
    codings = response.headers.getall("transfer-encoding", [])
    return not codings or (response.version == HttpVersion11 and [coding.lower() for coding in codings] == ["chunked"])


def _ascii(target: bytes) -> str:
    # aiohttp would write other bytes as UTF-8 of something else; percent-encoded they mean the same.
    if target.isascii():
        return target.decode("ascii")
    return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in target)


def _header_map(headers: Headers) -> CIMultiDict[str]:
    """The headers as aiohttp takes them: text, which it writes as UTF-8.

    Raises:
        BadRequest: a value is not UTF-8, so aiohttp could not send it as it is.
    """
    fields: CIMultiDict[str] = CIMultiDict()
    for name, value in headers:
        if name not in OWN_HEADERS:
            try:
                fields.add(name.decode("ascii"), value.decode("utf-8"))
            except UnicodeDecodeError as error:
                raise BadRequest("A header's value is not UTF-8 text: send it percent-encoded.") from error
    return fields
