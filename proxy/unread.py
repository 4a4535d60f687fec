"""A reply that its client does not read: cut off, or it would hold its place, and maybe an engine's, for ever."""

import asyncio
import fcntl
import sys
import termios
from collections.abc import Callable


class UnreadWatch:
    """For one connection, while its transport holds more than it likes to, and once it is closed with something unread.

    Looks every `timeout_s`: if the client took nothing since the last look, `cut` is called.
    """

    __slots__ = ("_cut", "_loop", "_timeout_s", "_timer", "_unread", "_waiting")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, unread: Callable[[], int], cut: Callable[[], object], timeout_s: float
    ) -> None:
        """`unread`: bytes that the client has not taken; see `unread_bytes`."""
        self._loop = loop
        self._unread = unread
        self._cut = cut
        self._timeout_s = timeout_s
        self._timer: asyncio.TimerHandle | None = None
        self._waiting = 0
        """Bytes at the last look. Nothing is added meanwhile: who writes waits too."""

    def begin(self) -> None:
        """The transport asks to write no more, or is closing. Idempotent."""
        if self._timer is None:
            self._look_later()

    def end(self) -> None:
        """It takes more, or is closed. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_later(self) -> None:
        self._waiting = self._unread()
        self._timer = self._loop.call_later(self._timeout_s, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._unread() < self._waiting:
            self._look_later()
        else:
            self._cut()


def unread_bytes(transport: asyncio.WriteTransport) -> int:
    """Bytes that wait for the client here, and in the system (SIOCOUTQ, tcp(7)) until it acknowledges them.

    Without the system's a client would seem to take nothing until it has read a third of the system's buffer, which
    is megabytes: more than a minute for one that reads 16 kB/s all the time.
    """
    connected = transport.get_extra_info("socket")
    try:
        queued = b"" if connected is None else fcntl.ioctl(connected.fileno(), termios.TIOCOUTQ, bytes(4))
    except OSError:  # a system that does not tell
        queued = b""
    return transport.get_write_buffer_size() + int.from_bytes(queued, sys.byteorder)
