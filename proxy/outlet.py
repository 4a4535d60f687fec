"""Where a reply goes: what the edge needs of a server, and the same over ASGI."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol

from proxy.errors import Headers

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

BODYLESS = frozenset({204, 304})
"""Replies that have neither a body nor its length (RFC 9110 section 8.6)."""


class Outlet(Protocol):
    """One request's way back to its client: either `whole`, or `start`, chunks and `end`.

    Each may wait until the client takes more, and does nothing once it has gone. A reply that is started and not ended
    is cut off by the server, so that nobody takes it for whole.
    """

    def whole(self, status: int, lines: bytes, body: bytes) -> Awaitable[None] | None:
        """A reply that is all there; `lines` are its headers as they are written, without the length.

        What is returned, if anything, is to be awaited.
        """

    async def start(self, status: int, lines: bytes) -> None:
        """The head of a stream."""

    def chunk(self, data: bytes) -> Awaitable[None] | None:
        """A piece of the stream, not empty. What is returned, if anything, is to be awaited before the next."""

    async def end(self) -> None:
        """The stream is complete."""


class AsgiOutlet:
    """Speaks ASGI to any server."""

    __slots__ = ("_send",)

    def __init__(self, send: Send) -> None:
        self._send = send

    async def whole(self, status: int, lines: bytes, body: bytes) -> None:
        headers = _headers(lines)
        if status not in BODYLESS:
            headers.append((b"content-length", b"%d" % len(body)))
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    async def start(self, status: int, lines: bytes) -> None:
        await self._send({"type": "http.response.start", "status": status, "headers": _headers(lines)})

    def chunk(self, data: bytes) -> Awaitable[None]:
        return self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _headers(lines: bytes) -> Headers:
    """Header lines, each with its end, as ASGI has them."""
    pairs = [line.partition(b": ") for line in lines.split(b"\r\n")[:-1]]
    return [(name, value) for name, _, value in pairs]
