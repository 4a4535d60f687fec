"""A reply that its client does not read: cut off, or it would hold its place, and maybe an engine's, for ever."""

import asyncio
from typing import Protocol


class Written(Protocol):
    """Of a transport what it takes."""

    def get_write_buffer_size(self) -> int:
        """Bytes that wait for the client."""

    def abort(self) -> None:
        """Close at once."""


class UnreadWatch:
    """For one connection, from the moment its transport holds more than it likes to until it has been rid of that.

    Looks every `timeout_s`: if the client took nothing since the last look, the connection is aborted.
    """

    __slots__ = ("_loop", "_timeout_s", "_timer", "_transport", "_waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop, transport: Written, timeout_s: float) -> None:
        self._loop = loop
        self._transport = transport
        self._timeout_s = timeout_s
        self._timer: asyncio.TimerHandle | None = None
        self._waiting = 0
        """Bytes at the last look. Nothing is added meanwhile: who writes waits too."""

    def begin(self) -> None:
        """The transport asks to write no more."""
        if self._timer is None:
            self._look_later()

    def end(self) -> None:
        """It takes more, or is closed. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_later(self) -> None:
        self._waiting = self._transport.get_write_buffer_size()
        self._timer = self._loop.call_later(self._timeout_s, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._transport.get_write_buffer_size() < self._waiting:
            self._look_later()
        else:
            self._transport.abort()
