"""Lead or follow: what many ask at the same moment is asked once."""

import asyncio
from collections.abc import AsyncIterator

import orjson

from proxy.context import Handler, Outcome, Reply, RequestContext, Stream, Withheld
from proxy.errors import Headers, ProxyError, UpstreamFailed
from proxy.flight import Flight, Flights, Reader
from proxy.metrics import Metrics
from proxy.openai import fold_stream

JSON_HEADERS: Headers = [(b"content-type", b"application/json")]
SHARED_HEADERS = frozenset({b"content-type", b"content-encoding"})
"""What the body can't be read without. (A coding is there only if the engine coded although asked not to.)"""
RETRY_WAIT_MAX_S = 5.0
"""A `Retry-After` up to this is waited for before a flight with several readers asks once more."""


class SingleFlight:
    """Above it runs what is each client's own; below it what is asked once, in the flight's own task."""

    def __init__(self, flights: Flights[Reply], metrics: Metrics) -> None:
        self._flights = flights
        self._metrics = metrics

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        ctx.client.watch()
        if not ctx.permits.share:
            return await in_wire_mode(ctx, await call_next(ctx))
        flights = self._flights
        stream = ctx.request.stream or ctx.route.always_stream
        key = _flight_key(ctx)
        flight = None if ctx.permits.fresh_flight else flights.find(key, stream=stream)
        led = flight is None
        if flight is None:
            flight = flights.start(key, stream=stream, produce=lambda flight: self._produce(flight, ctx, call_next))
        if flight is None:
            return await in_wire_mode(ctx, await call_next(ctx))
        reader = flight.join()
        try:
            head = await reader.head()
            reply = self._reply(ctx, head, reader, alone=led and flight.readers == 1)
            if not led:
                self._metrics.followed()
            return await in_wire_mode(ctx, reply)
        except BaseException:
            reader.close()
            raise

    async def _produce(self, flight: Flight[Reply], ctx: RequestContext, call_next: Handler) -> None:
        """Ask, once more if that may help several, and copy the answer into the flight's log."""
        reply = await self._ask(flight, ctx, call_next)
        try:
            lone_headers = any(name == b"set-cookie" for name, _ in reply.headers)
            flight.open(reply, joinable=not lone_headers)
            if isinstance(reply.body, bytes):
                flight.append(reply.body)
                return
            async for chunk in reply.body:
                if not flight.append(chunk, withheld=type(chunk) is Withheld):
                    await flight.room()
        finally:
            if not isinstance(reply.body, bytes):
                await reply.body.aclose()

    async def _ask(self, flight: Flight[Reply], ctx: RequestContext, call_next: Handler) -> Reply:
        try:
            reply = await call_next(ctx)
            if not _transient(reply.status):
                return reply
            wait_s = _retry_after(reply.headers)
            if flight.readers < 2 or wait_s > RETRY_WAIT_MAX_S:
                return reply
            if not isinstance(reply.body, bytes):
                await reply.body.aclose()
        except ProxyError as error:
            wait_s = error.retry_after_s or 0.0
            if flight.readers < 2 or not _transient(error.status) or wait_s > RETRY_WAIT_MAX_S:
                raise
        self._metrics.asked_again()
        await asyncio.sleep(wait_s)
        return await call_next(ctx)

    def _reply(self, ctx: RequestContext, head: Reply, reader: Reader[Reply], *, alone: bool) -> Reply:
        """The flight's head as this reader gets it: only one that is alone sees more than the content type."""
        reader.with_withheld = ctx.request.include_usage or not ctx.request.stream
        headers = head.headers if alone else [item for item in head.headers if item[0] in SHARED_HEADERS]
        reply = Reply(head.status, [*headers], FromFlight(reader), head.events, head.outcome, head.detail)
        reply.upstream = head.upstream
        if not alone and head.outcome is Outcome.MISS:
            reply.outcome = Outcome.COLLAPSED
        return reply


class FromFlight:
    """One reader's view of a flight, as a body."""

    def __init__(self, reader: Reader[Reply]) -> None:
        self._reader = reader

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._reader

    async def aclose(self) -> None:
        self._reader.close()


async def in_wire_mode(ctx: RequestContext, reply: Reply) -> Reply:
    """`reply` as its client asked for it: a plain client gets an event stream folded, and nobody what is withheld."""
    body = reply.body
    if isinstance(body, bytes):
        return reply
    if not reply.events:
        # A plain answer: read to its end, so that a failure on the way still has a status to say so.
        if isinstance(body, FromFlight):
            reply.body = await _read(body)
        return reply
    if ctx.request.stream:
        if not isinstance(body, FromFlight) and not ctx.request.include_usage:
            reply.body = _WithoutUsage(body)
        return reply
    raw = await _read(body)
    folded = fold_stream(raw)
    if folded.error_body is not None:
        status, error = folded.error_body
        return Reply(
            status, [*JSON_HEADERS], error, outcome=reply.outcome, detail=reply.detail, upstream=reply.upstream
        )
    if folded.record is None or not folded.done:
        raise UpstreamFailed("The upstream's stream ended before its answer was complete.", code="stream_incomplete")
    headers = [item for item in reply.headers if item[0] != b"content-type"]
    reply.headers = [*JSON_HEADERS, *headers]
    reply.body = orjson.dumps(folded.record)
    reply.events = False
    return reply


async def _read(body: Stream) -> bytes:
    try:
        return b"".join([chunk async for chunk in body])
    finally:
        await body.aclose()


class _WithoutUsage:
    """A stream without the events that only askonce asked for."""

    def __init__(self, source: Stream) -> None:
        self._source = source
        self._next = source.__aiter__().__anext__

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        while type(chunk := await self._next()) is Withheld:
            pass
        return chunk

    async def aclose(self) -> None:
        await self._source.aclose()


def _flight_key(ctx: RequestContext) -> bytes:
    """The key, apart for clients who may not be given the same answer although they asked the same.

    Younger than a limit of the client's own: a flight may end in a semantic hit of any age. A stream without usage:
    neither a plain client nor one that asks for usage can be served from it.
    """
    key = ctx.key
    if ctx.permits.max_age_s is not None:
        key += b"/%d" % int(ctx.permits.max_age_s)
    if ctx.request.stream and not ctx.request.include_usage and not ctx.route.asks_usage:
        key += b"/no-usage"
    return key


def _transient(status: int) -> bool:
    return status in (408, 429) or status >= 500


def _retry_after(headers: Headers) -> float:
    """Seconds an upstream asks to wait; a date counts as too long."""
    for name, value in headers:
        if name == b"retry-after":
            return float(value) if value.isdigit() and len(value) < 9 else RETRY_WAIT_MAX_S + 1
    return 0.0
