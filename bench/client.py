"""The load client: HTTP/1.1 with keep-alive on asyncio and httptools, one exchange at a time on a connection.

It times each piece of a body as it is read and looks into none; `bench.reading` does that once the exchange is over.
"""

import asyncio
import ssl
import time
from collections.abc import Mapping
from typing import cast
from urllib.parse import urlsplit

import httptools

from bench.ask import CHAT, Answer, Ask, Expected

CONNECT_S = 10.0
DEFAULT_PORTS = {"http": 80, "https": 443}


class BadUrl(ValueError):
    """A URL that names no server."""


class Target:
    """Where requests go, and the head they all share."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None, path: str = CHAT) -> None:
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise BadUrl(f"{url}: write it as http://HOST:PORT")
        self.host = parts.hostname
        self.port = parts.port or DEFAULT_PORTS[parts.scheme]
        self.ssl = ssl.create_default_context() if parts.scheme == "https" else None
        lines = [f"POST {root_of(url, path_only=True)}{path} HTTP/1.1", f"host: {parts.netloc.rpartition('@')[2]}"]
        lines += ["user-agent: askonce-bench", "accept: */*", "content-type: application/json"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self._head = ("\r\n".join(lines) + "\r\ncontent-length: ").encode("latin-1") + b"%d\r\n\r\n"

    def request(self, body: bytes) -> bytes:
        return self._head % len(body) + body


def root_of(url: str, *, path_only: bool = False) -> str:
    """A server's root: its URL without a trailing slash or `/v1`."""
    root = url.rstrip("/").removesuffix("/v1").rstrip("/")
    return urlsplit(root).path if path_only else root


class LoadClient:
    """Connections to one target. Idle ones are used again, the last first; `max_connections` bounds them all."""

    def __init__(self, target: Target, *, timeout_s: float = 300.0, max_connections: int = 1024) -> None:
        self.target = target
        self.timeout_s = timeout_s
        self.idle: list[Connection] = []
        self.open: set[Connection] = set()
        self.reconnects = 0
        """Kept connections that turned out closed; their requests were sent again, as every client does."""
        self._places = asyncio.Semaphore(max_connections)

    async def ask(self, ask: Ask, due_s: float | None = None) -> Answer:
        """One exchange; it never raises for what server or network do."""
        request = self.target.request(ask.body)
        async with self._places:
            while True:
                answer = Answer(time.monotonic() if due_s is None else due_s)
                kept = self.idle.pop() if self.idle else None
                try:
                    connection = kept or await self._connect()
                except (OSError, TimeoutError):
                    answer.error, answer.ended_s = "connect", time.monotonic()
                    return answer
                await connection.exchange(request, answer, self.timeout_s, leave=ask.expected is Expected.LEFT)
                if answer.error == STALE and kept:
                    self.reconnects += 1
                    continue
                return answer

    async def _connect(self) -> "Connection":
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CONNECT_S):
            _, connection = await loop.create_connection(
                lambda: Connection(self), self.target.host, self.target.port, ssl=self.target.ssl
            )
        return connection

    def close(self) -> None:
        for connection in list(self.open):
            connection.abort()


STALE = "closed before a reply"


class Connection(asyncio.Protocol):
    """One connection; `LoadClient.idle` holds it between exchanges."""

    def __init__(self, client: LoadClient) -> None:
        self._client = client
        self._transport: asyncio.Transport = None  # type: ignore[assignment]  # set before anything else is called
        self._parser = httptools.HttpResponseParser(self)
        self._answer: Answer | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._leave = False
        self._framed = False
        """Whether the reply has a length or is chunked; otherwise its end is the connection's."""
        self._read_s = 0.0

    async def exchange(self, request: bytes, answer: Answer, timeout_s: float, *, leave: bool = False) -> None:
        """Send `request` and fill `answer`; cancelled, it closes the connection."""
        loop = asyncio.get_running_loop()
        if self._transport.is_closing():
            answer.error, answer.ended_s = STALE, time.monotonic()
            return
        self._answer, self._leave, self._framed = answer, leave, False
        self._waiter = loop.create_future()
        timer = loop.call_later(timeout_s, self._end, "timeout")
        answer.sent_s = time.monotonic()
        self._transport.write(request)
        try:
            await self._waiter
        except asyncio.CancelledError:
            self._end("interrupted")
            raise
        finally:
            timer.cancel()

    def abort(self) -> None:
        self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but inheritance
        self._client.open.add(self)

    def data_received(self, data: bytes) -> None:
        self._read_s = time.monotonic()
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._end("not HTTP")

    def connection_lost(self, exc: Exception | None) -> None:
        self._client.open.discard(self)
        if self in self._client.idle:
            self._client.idle.remove(self)
        answer = self._answer
        if answer is None:
            return
        whole = answer.status and not self._framed and exc is None
        self._end(None if whole else STALE if not answer.status else "reset" if exc else "cut short")

    # What the parser calls.

    def on_header(self, name: bytes, value: bytes) -> None:
        answer = self._answer
        if answer is None:
            return
        lowered = name.lower()
        if lowered == b"cache-status":
            answer.cache_status = value
        elif lowered == b"x-askonce-family":
            answer.family = value
        elif lowered in (b"content-length", b"transfer-encoding"):
            self._framed = True

    def on_headers_complete(self) -> None:
        if self._answer is not None:
            self._answer.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        if self._answer is not None:
            self._answer.chunks.append((self._read_s, body))
            if self._leave:
                self._end("left")

    def on_message_complete(self) -> None:
        if self._answer is not None and self._answer.status >= 200:
            self._end(None, keep=self._parser.should_keep_alive())

    def _end(self, error: str | None, *, keep: bool = False) -> None:
        answer, waiter = self._answer, self._waiter
        if answer is None or waiter is None:
            return
        self._answer = self._waiter = None
        answer.error = error
        answer.ended_s = self._read_s if error is None else time.monotonic()
        if keep and not self._transport.is_closing():
            self._client.idle.append(self)
        else:
            self._transport.abort()
        if not waiter.done():
            waiter.set_result(None)
