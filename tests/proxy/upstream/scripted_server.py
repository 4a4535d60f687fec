"""A server on a real socket that does what a script says, byte by byte, and keeps what it was sent.

    server = await ScriptedServer.start([[READ, b"HTTP/1.1 200 OK\r\n", gate, b"content-length: 0\r\n\r\n"]])

The nth connection follows the nth script; the last script serves all later ones. A step is

    bytes          sent as they are
    asyncio.Event  waited for
    READ           waits for one whole request, which is appended to `requests`
    HEAD           waits for a request's head only, and leaves its body unread
    END            shuts the sending side down (FIN); reading goes on
    CLOSE          closes the connection (FIN, whatever was not read makes it a reset)
    RESET          closes it with a reset (RST)

After its last step a connection stays open until the client closes it.
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto


class Step(Enum):
    READ = auto()
    HEAD = auto()
    END = auto()
    CLOSE = auto()
    RESET = auto()


READ, HEAD, END, CLOSE, RESET = Step

Script = Sequence[bytes | asyncio.Event | Step]


@dataclass
class Request:
    """A request as it arrived; `body` with the transfer coding removed."""

    line: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""

    def all(self, name: bytes) -> list[bytes]:
        return [value for field_name, value in self.headers if field_name.lower() == name]


@dataclass
class Peer:
    """The server's side of one connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    """The client has closed, or the script has."""


class ScriptedServer:
    def __init__(self, scripts: Sequence[Script]) -> None:
        self._scripts = scripts
        self._tasks: set[asyncio.Task[None]] = set()
        self.requests: list[Request] = []
        self.peers: list[Peer] = []
        self._news = asyncio.Event()

    @classmethod
    async def start(cls, scripts: Sequence[Script], tls: ssl.SSLContext | None = None) -> "ScriptedServer":
        server = cls(scripts)
        server._tls = tls is not None
        server._server = await asyncio.start_server(server._serve, "127.0.0.1", 0, ssl=tls)
        return server

    _server: asyncio.Server
    _tls: bool

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(self._server.sockets[0].getsockname()[1])

    async def asked(self, count: int) -> None:
        """Wait until `count` requests have been read."""
        while len(self.requests) < count:
            self._news.clear()
            await self._news.wait()

    async def at_most_open(self, count: int) -> None:
        """Wait until the client has closed all but `count` connections."""
        while sum(not peer.closed.is_set() for peer in self.peers) > count:
            self._news.clear()
            await self._news.wait()

    async def aclose(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        script = self._scripts[min(len(self.peers), len(self._scripts) - 1)]
        self.peers.append(peer)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            for step in script:
                await self._do(step, peer)
            while await reader.read(65536):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            peer.closed.set()
            self._news.set()
            writer.transport.abort()

    async def _do(self, step: bytes | asyncio.Event | Step, peer: Peer) -> None:
        match step:
            case bytes():
                peer.writer.write(step)
                await peer.writer.drain()
            case asyncio.Event():
                await step.wait()
            case Step.READ:
                self._note(await read_request(peer.reader))
            case Step.HEAD:
                self._note(await read_head(peer.reader))
            case Step.END:
                peer.writer.write_eof()
            case Step.CLOSE:
                peer.writer.close()
                await peer.writer.wait_closed()
            case Step.RESET:
                raw = peer.writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                peer.writer.transport.abort()

    def _note(self, request: Request) -> None:
        self.requests.append(request)
        self._news.set()


async def read_head(reader: asyncio.StreamReader) -> Request:
    line, *fields = (await reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
    return Request(line, [tuple(part.split(b": ", 1)) for part in fields])  # type: ignore[misc]  # two parts


async def read_request(reader: asyncio.StreamReader) -> Request:
    request = await read_head(reader)
    if request.all(b"transfer-encoding") == [b"chunked"]:
        while size := int((await reader.readuntil(b"\r\n"))[:-2], 16):
            request.body += (await reader.readexactly(size + 2))[:-2]
        await reader.readexactly(2)
    for length in request.all(b"content-length"):
        request.body = await reader.readexactly(int(length))
    return request


def plain(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """A reply with its length."""
    lines = [b"HTTP/1.1 " + status, *headers, b"content-length: %d" % len(body)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def chunked(*chunks: bytes) -> bytes:
    """A chunked reply, complete."""
    return CHUNKED_HEAD + b"".join(map(chunk, chunks)) + LAST_CHUNK


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"
