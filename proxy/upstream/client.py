"""The interface of an upstream client: one exchange over HTTP/1.1, bytes in and bytes out.

Two implementations pass the same contract tests: `aiohttp_client` (https, and the fallback) and `http1_client`
(plain http). They know nothing of models, caches or retries; `pool` decides whom to ask and `send` whether to ask
again.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from proxy.errors import Headers


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Four limits in seconds; None waits for ever."""

    connect_s: float | None
    """Until the connection stands."""
    first_byte_s: float | None
    """From the end of the request to the first byte of the reply."""
    between_chunks_s: float | None
    """Between two reads of the reply."""
    total_s: float | None
    """From the start of the exchange to the end of the reply."""


@dataclass(slots=True)
class UpstreamRequest:
    """What goes up: complete but for Host, Connection and framing, which the client's own connection decides.

    Nobody changes one; it is not frozen because making it then costs three times as much, for each request.
    """

    method: str
    target: bytes
    """Raw path and query, sent as it is."""
    headers: Headers
    """Names in lower case. Host, connection and framing headers among them are left out."""
    body: bytes | AsyncIterator[bytes]
    """An iterator is sent chunked, and never sent twice."""


class UpstreamReply(Protocol):
    """A reply whose head has arrived.

    Iterate it for the body as it comes (transfer coding removed, content coding kept). `aclose` must be called in
    the end: after a complete body it gives the connection back, before that it closes the connection, which is how
    the engine learns that nobody waits. It is idempotent and never suspends for the network.

    Cancelling a wait for the body closes the connection. Raises while iterating or reading: UpstreamFailed,
    UpstreamTimeout; what had arrived before the failure is yielded first.
    """

    status: int
    headers: Headers
    """As received, in order, repeated fields kept apart, names in lower case."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def read(self, limit: int) -> bytes | None:
        """The whole body, if it ends within `limit` bytes; else None, and iterating yields it from its start.

        With the whole body the connection is given back, and `aclose` has nothing left to do.
        """
        ...

    async def aclose(self) -> None: ...


class UpstreamClient(Protocol):
    """Exchanges with one origin."""

    async def send(self, request: UpstreamRequest, timeouts: Timeouts) -> UpstreamReply:
        """Send `request` and wait for the head of the reply.

        Cancelling closes the connection. A request on a reused connection that the server closed before any byte
        of the reply, within `stale_window_s` of the request's last byte, is sent once more on a fresh connection;
        a later close is a lost generation.

        Raises:
            UpstreamUnreachable: surely unprocessed.
            UpstreamFailed: the connection broke, or the reply is not HTTP/1.1.
            UpstreamTimeout: connect or first byte.
        """
        ...

    async def aclose(self) -> None:
        """Close every connection; exchanges under way fail with UpstreamFailed."""
        ...
