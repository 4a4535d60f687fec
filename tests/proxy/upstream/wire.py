"""The other end of the own client's connections without a socket, for the virtual loop.

wires = Wires.install(asyncio.get_running_loop())     # connections of this loop end here
...
wires[0].receive(b"HTTP/1.1 200 OK\r\n…")             # what the client reads
assert wires[0].written.endswith(b"…")                # what it has written
"""

import asyncio
from collections.abc import Callable
from typing import Any

from proxy.upstream.http1_connection import Http1Connection


class Wire(asyncio.Transport):
    """A transport whose peer is the test."""

    def __init__(self, connection: Http1Connection) -> None:
        super().__init__()
        self.connection = connection
        self.written = bytearray()
        self._reading = True
        self.closed = False
        connection.connection_made(self)

    def receive(self, data: bytes) -> None:
        assert self._reading, "the client has paused reading"
        self.connection.data_received(data)

    def end(self) -> None:
        """FIN: the transport closes itself, as asyncio's do."""
        self.connection.eof_received()
        self.abort()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.closed
        self.written += data

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is buffered here."""

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        self._reading = True

    def is_reading(self) -> bool:
        return self._reading

    def is_closing(self) -> bool:
        return self.closed

    def abort(self) -> None:
        if not self.closed:
            self.closed = True
            self.connection.loop.call_soon(self.connection.connection_lost, None)


class Wires(list[Wire]):
    """The connections made so far, in order."""

    timers: int = 0
    """How many timers have been set on the loop."""

    @classmethod
    def install(cls, loop: asyncio.AbstractEventLoop, connect: Callable[[], Any] | None = None) -> "Wires":
        """`connect`, if given, is awaited by each connection before it stands."""
        wires = cls()
        call_later = loop.call_later

        async def create_connection(factory: Callable[[], Http1Connection], *_: object) -> tuple[Wire, Http1Connection]:
            if connect is not None:
                await connect()
            wires.append(Wire(factory()))
            return wires[-1], wires[-1].connection

        def counted(*args: Any, **kwargs: Any) -> asyncio.TimerHandle:
            wires.timers += 1
            return call_later(*args, **kwargs)

        loop.create_connection = create_connection  # type: ignore[method-assign, assignment]  # this loop's only
        loop.call_later = counted  # type: ignore[method-assign, assignment]
        return wires
