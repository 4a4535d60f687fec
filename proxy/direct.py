"""The way back on our own server, without ASGI: a reply's bytes straight to the transport.

uvicorn's protocol keeps asking its `RequestResponseCycle` how far a request is: whether its reply has begun, whether it
is complete, whether the connection stays. `DirectCycle` answers the same questions, so that pipelining, keep-alive,
shutdown and refusals go on as they are, and is the edge's `Outlet` and the chain's `Client` besides.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from proxy.outlet import BODYLESS

JOINED_BYTES = 65_536
"""A body up to this goes behind its head in one piece; a longer one is not copied."""

logger = logging.getLogger("askonce.server")


class _Unheard:
    """uvicorn wakes who waits for a body by this event; here the body was whole before the request began."""

    def set(self) -> None:
        return


class DirectCycle:
    """One request whose body has been read, on a connection of ours: its way back, and its client.

    The protocol calls `begin`, and `disconnect` when the connection is lost; uvicorn's part of it clears `keep_alive`.
    """

    __slots__ = (
        "_default_lines",
        "_flow",
        "_held",
        "_on_complete",
        "_tasks",
        "_transport",
        "_watching",
        "disconnected",
        "gone",
        "keep_alive",
        "response_complete",
        "response_started",
        "task",
    )

    more_body: Final = False
    message_event: Final = _Unheard()

    def __init__(
        self,
        transport: asyncio.Transport,
        flow: FlowControl,
        default_lines: Callable[[], bytes],
        on_complete: Callable[[], None],
    ) -> None:
        """`default_lines`: the headers that every reply of the server has, such as the date, as they are written."""
        self._transport = transport
        self._flow = flow
        self._default_lines = default_lines
        self._on_complete = on_complete
        self._watching = False
        self._held = b""
        """The head of a stream, for at most one turn of the loop."""
        self.task: asyncio.Task[None] | None = None
        """What answers the request."""
        self.disconnected = False
        """Nobody reads any more."""
        self.gone = False
        """The task was cancelled because nobody reads any more."""
        self.keep_alive = True
        """Cleared when the server stops: the reply is the connection's last."""
        self.response_started = False
        self.response_complete = False

    def begin(self, task: asyncio.Task[None], tasks: set[asyncio.Task[Any]]) -> None:
        """`task` answers the request; it is among `tasks` until it is done."""
        self.task = task
        self._tasks = tasks
        tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a request's task failed with %s", type(error).__name__)
        if not self.response_complete:
            self._transport.close()  # without an end, so that nobody takes the reply for whole

    def disconnect(self) -> None:
        """Nobody reads any more."""
        if not self.response_complete:
            self.disconnected = True
            self._cancel()

    def _cancel(self) -> None:
        if self._watching and not self.gone and self.task is not None:
            self.gone = True
            self.task.cancel()

    def watch(self) -> None:
        """See Client.watch."""
        self._watching = True
        if self.disconnected:
            self._cancel()

    def close(self) -> None:
        """The request is over, or all but its reply: its client may leave."""
        self._watching = False

    def whole(self, status: int, lines: bytes, body: bytes) -> Awaitable[None] | None:
        """See Outlet.whole."""
        if self._flow.write_paused:
            return self._whole_later(status, lines, body)
        if self.disconnected:
            return None
        if status in BODYLESS:
            framing = body = b""
        else:
            framing = b"content-length: %d\r\n" % len(body)
        head = self._head(status, lines, framing)
        if len(body) <= JOINED_BYTES:
            self._transport.write(head + body)
        else:
            self._transport.write(head)
            self._transport.write(body)
        self._complete()
        return None

    async def _whole_later(self, status: int, lines: bytes, body: bytes) -> None:
        await self._flow.drain()
        if (sending := self.whole(status, lines, body)) is not None:
            await sending

    async def start(self, status: int, lines: bytes) -> None:
        """See Outlet.start."""
        if self._flow.write_paused:
            await self._flow.drain()
        if self.disconnected:
            return
        # Held for one turn of the loop: the first chunk is often there by then, and goes in the same segment.
        self._held = self._head(status, lines, b"transfer-encoding: chunked\r\n")
        asyncio.get_running_loop().call_soon(self._release)

    def chunk(self, data: bytes) -> Awaitable[None] | None:
        """See Outlet.chunk."""
        if self._flow.write_paused:
            return self._chunk_later(data)
        if not self.disconnected:
            self._transport.write(b"%b%x\r\n%b\r\n" % (self._held, len(data), data))
            self._held = b""
        return None

    async def _chunk_later(self, data: bytes) -> None:
        await self._flow.drain()
        self._release()
        if not self.disconnected:
            self._transport.write(b"%x\r\n%b\r\n" % (len(data), data))

    async def end(self) -> None:
        """See Outlet.end."""
        if self._flow.write_paused:
            await self._flow.drain()
        if not self.disconnected:
            self._transport.write(self._held + b"0\r\n\r\n")
            self._held = b""
            self._complete()

    def _release(self) -> None:
        if self._held and not self.disconnected:
            self._transport.write(self._held)
            self._held = b""

    def _head(self, status: int, lines: bytes, framing: bytes) -> bytes:
        """Status line and headers; `framing` is the line that says where the body ends, if it has one."""
        self.response_started = True
        end = b"\r\n" if self.keep_alive else b"connection: close\r\n\r\n"
        return b"".join((STATUS_LINE[status], self._default_lines(), lines, framing, end))

    def _complete(self) -> None:
        self.response_complete = True
        if not self.keep_alive:
            self._transport.close()
        self._on_complete()
