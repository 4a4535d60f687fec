"""The writing side of a connection: a request's bytes, and when the last of them was out."""

import asyncio
from collections.abc import AsyncIterator, Callable

_JOINED_BYTES = 65536  # a body up to this is copied behind the head, into one segment


class Http1Sender:
    """Sends one request at a time. `failed` is called with what a streamed body raises."""

    __slots__ = ("_clock", "_drained", "_failed", "_loop", "_paused", "_task", "_transport", "_written", "sent_at")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        transport: asyncio.Transport,
        clock: Callable[[], float],
        failed: Callable[[Exception], None],
    ) -> None:
        self._loop = loop
        self._transport = transport
        self._clock = clock
        self._failed = failed
        self._task: asyncio.Task[None] | None = None
        self._written = False
        """All of the request has been handed to the transport."""
        self._paused = False
        self._drained: asyncio.Future[None] | None = None
        self.sent_at: float | None = None
        """When the request's last byte had gone, or all but the little that the transport still buffers."""

    def send(self, head: bytes, body: bytes | AsyncIterator[bytes], now: float) -> None:
        """Send at once, which is `now`, or begin to."""
        self.sent_at = None
        self._written = False
        if isinstance(body, bytes):
            if len(body) <= _JOINED_BYTES:
                self._transport.write(head + body)
            else:
                self._transport.write(head)
                self._transport.write(body)
            self._written = True
            if not self._paused:
                self.sent_at = now
        else:
            self._transport.write(head)
            self._task = self._loop.create_task(self._send_chunks(body))

    def stop(self) -> None:
        """Send no more of a streamed body."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def pause(self) -> None:
        """The transport's buffer is full."""
        self._paused = True

    def resume(self) -> None:
        """The transport's buffer is nearly empty."""
        self._paused = False
        if self._written and self.sent_at is None:
            self.sent_at = self._clock()
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    async def _send_chunks(self, body: AsyncIterator[bytes]) -> None:
        """As fast as the server reads. Waiting here ends with `resume` or `stop`."""
        try:
            async for chunk in body:
                if self._paused:
                    self._drained = self._loop.create_future()
                    await self._drained
                if chunk:  # an empty one would be the last
                    self._transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        except Exception as error:
            self._task = None
            self._failed(error)
        else:
            self._task = None
            self._transport.write(b"0\r\n\r\n")
            self._written = True
            if not self._paused:
                self.sent_at = self._clock()
