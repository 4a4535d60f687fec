"""The stub engine on a socket: asyncio.Protocol and httptools, so that it is not what a bench measures."""

import asyncio
import collections
import http.client
import socket
import struct
from dataclasses import dataclass
from types import TracebackType
from typing import cast

import httptools

from bench.stub_engine import StubEngine
from bench.stub_reply import Headers, StubReply
from bench.stub_stream import Broken

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: closing sends a reset."""

REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived."""

    method: str
    target: str
    headers: Headers
    """Names as sent."""
    body: bytes
    keep_alive: bool


class StubUpstream:
    """A stub engine on a port, as an async context manager; port 0 takes a free one.

    `idle_s` closes a connection that has been idle for so long; `received` holds the last requests.
    """

    def __init__(
        self, engine: StubEngine | None = None, *, host: str = "127.0.0.1", port: int = 0, idle_s: float | None = None
    ) -> None:
        self.engine = engine or StubEngine()
        self.host = host
        self.port = port
        self.idle_s = idle_s
        self.received: collections.deque[Received] = collections.deque(maxlen=REMEMBERED)
        self.connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def __aenter__(self) -> "StubUpstream":
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), self.host, self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        tasks = [task for connection in self.connections if (task := connection.stop()) is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.wait_closed()


class _Connection(asyncio.Protocol):
    """One client's connection. Requests are answered one after the other, in a task that ends with the connection."""

    def __init__(self, upstream: StubUpstream) -> None:
        self._upstream = upstream
        self._transport: asyncio.Transport = None  # type: ignore[assignment]  # set before anything else is called
        self._parser = httptools.HttpRequestParser(self)
        self._waiting: collections.deque[Received] = collections.deque()
        self._task: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._reset_message()

    def _reset_message(self) -> None:
        self._target = b""
        self._headers: Headers = []
        self._body: list[bytes] = []

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but inheritance
        self._upstream.connections.add(self)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # this server speaks HTTP/1.1 and nothing else, so it may ignore the offer
            pass
        except httptools.HttpParserError:
            self._transport.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._upstream.connections.discard(self)
        self._stir()
        self._writable.set()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # What the parser calls.

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        if any(name.lower() == b"expect" and value.lower() == b"100-continue" for name, value in self._headers):
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        request = Received(
            self._parser.get_method().decode("ascii"),
            self._target.decode("latin-1"),
            self._headers,
            b"".join(self._body),
            self._parser.should_keep_alive(),
        )
        self._reset_message()
        self._upstream.received.append(request)
        self._waiting.append(request)
        self._stir()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._answer_all())

    # What answers.

    def stop(self) -> asyncio.Task[None] | None:
        """Close the connection; the task that still has to end, if there is one."""
        self._transport.abort()
        if self._task is not None:
            self._task.cancel()
        return self._task

    def _rest(self) -> None:
        if self._upstream.idle_s is not None and not self._transport.is_closing():
            self._idle = asyncio.get_running_loop().call_later(self._upstream.idle_s, self._transport.close)

    def _stir(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def _answer_all(self) -> None:
        try:
            while self._waiting:
                await self._answer(self._waiting.popleft())
        except Broken as broken:
            self._break(reset=broken.reset)
        except Exception:  # a fault of the stub's own: the client must not take what it got for whole
            self._transport.abort()
            raise
        finally:
            self._task = None
        self._rest()

    async def _answer(self, request: Received) -> None:
        reply = await self._upstream.engine.reply(request.method, request.target, request.headers, request.body)
        keep_alive = request.keep_alive and not reply.close
        head = _head(reply, keep_alive=keep_alive)
        if request.method == "HEAD":
            self._transport.write(head)
        elif isinstance(reply.body, bytes):
            self._transport.write(head + (_chunk(reply.body) + END if reply.chunked else reply.body))
        else:
            await self._stream(head, reply)
        if not keep_alive:
            self._transport.close()

    async def _stream(self, head: bytes, reply: StubReply) -> None:
        assert not isinstance(reply.body, bytes)
        self._transport.write(head)
        try:
            async for burst in reply.body:
                self._transport.write(b"".join([_chunk(data) for data in burst]))
                await self._writable.wait()
            self._transport.write(END)
        finally:
            await reply.body.aclose()

    def _break(self, *, reset: bool) -> None:
        """Close inside the reply; what was written goes out first, and the reset comes behind it."""
        if reset:
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._transport.close()


END = b"0\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _head(reply: StubReply, *, keep_alive: bool) -> bytes:
    phrase = http.client.responses.get(reply.status, "Unknown")
    lines = [b"HTTP/1.1 %d %b" % (reply.status, phrase.encode()), b"server: stub"]
    lines += [b"%b: %b" % header for header in reply.headers]
    if reply.chunked:
        lines.append(b"transfer-encoding: chunked")
    else:
        assert isinstance(reply.body, bytes)
        lines.append(b"content-length: %d" % (len(reply.body) + reply.missing_bytes))
    if not keep_alive:
        lines.append(b"connection: close")
    return b"\r\n".join(lines) + b"\r\n\r\n"
