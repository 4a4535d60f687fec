"""SSE comments on a stream that has gone silent, so that nothing between us and the client gives up."""

import asyncio
from collections.abc import Awaitable, Callable

COMMENT = b": askonce\n\n"

EVENT_ENDS = (b"\n\n", b"\n\r\n", b"\r\r")
"""How a chunk ends behind which something of our own may be put. Only an event too long to be held has others."""


class Heartbeat:
    """Sends a comment whenever its stream has been silent for a whole interval.

    The stream's own loop sets `since_s` to the time before each wait for a chunk, unless the last one stopped within an
    event, and to None before each send; so a comment starts neither within a send nor within an event. One timer a
    stream, none a chunk.
    """

    __slots__ = ("_interval_s", "_loop", "_send", "_task", "_timer", "since_s")

    def __init__(self, send: Callable[[bytes], Awaitable[None] | None], interval_s: float) -> None:
        self._send = send
        self._interval_s = interval_s
        self._loop = asyncio.get_running_loop()
        self.since_s: float | None = None
        """Loop time since which the stream waits; None while it sends."""
        self._task: asyncio.Task[None] | None = None
        self._timer = self._loop.call_later(interval_s, self._tick)

    def _tick(self) -> None:
        now_s = self._loop.time()
        silent_s = 0.0 if self.since_s is None else now_s - self.since_s
        wait_s = self._interval_s - silent_s
        if wait_s <= 0:
            wait_s = self._interval_s
            if self._task is None or self._task.done():
                self.since_s = now_s
                self._task = self._loop.create_task(self._beat())
        self._timer = self._loop.call_later(wait_s, self._tick)

    async def _beat(self) -> None:
        if (sending := self._send(COMMENT)) is not None:
            await sending

    async def aclose(self) -> None:
        """Stop; a comment under way is cancelled."""
        self._timer.cancel()
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
