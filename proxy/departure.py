"""How our server tells the requests of a connection that their client has gone, without a task that waits for it."""

from collections.abc import Callable

DEPARTURE = "askonce.departure"
"""Where a `Departure` is in the scope; another ASGI server has none."""


class Departure:
    """The end of one connection. Written by the protocol, read by the requests on it; all on one loop."""

    __slots__ = ("_calls", "_gone")

    def __init__(self) -> None:
        self._calls: list[Callable[[], None]] = []
        self._gone = False

    def tell(self, call: Callable[[], None]) -> None:
        """Call `call` when the client goes; at once if it has."""
        if self._gone:
            call()
        else:
            self._calls.append(call)

    def forget(self, call: Callable[[], None]) -> None:
        """`call` need not be told any more."""
        if call in self._calls:
            self._calls.remove(call)

    def happened(self) -> None:
        """The connection is lost."""
        self._gone = True
        calls, self._calls = self._calls, []
        for call in calls:
            call()
