"""Lead or follow: what many ask at the same moment is asked once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import orjson

from proxy.context import Handler, Outcome, Reply, RequestContext, Stream, Withheld
from proxy.errors import Headers, ProxyError, UpstreamFailed
from proxy.flight import Flight, Flights, Reader
from proxy.metrics import Metrics
from proxy.openai import Folded, fold_stream

JSON_HEADERS: Headers = [(b"content-type", b"application/json")]
SHARED_HEADERS = frozenset({b"content-type", b"content-encoding", b"retry-after"})
"""What the body can't be read without (a coding is there only if the engine coded although asked not to), and when to
ask again."""
UPSTREAMS_OWN = frozenset({Outcome.MISS, Outcome.BYPASS})
"""Outcomes whose headers are an upstream's, and not ours."""
RETRY_WAIT_MAX_S = 5.0
"""A `Retry-After` up to this is waited for before a flight with several readers asks once more."""


class SingleFlight:
    """Above it runs what is each client's own; below it what is asked once, in the flight's own task."""

    def __init__(self, flights: "Flights[Head]", metrics: Metrics) -> None:
        self._flights = flights
        self._metrics = metrics

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        ctx.client.watch()
        if not ctx.permits.share:
            return await in_wire_mode(ctx, await call_next(ctx))
        key = _flight_key(ctx)
        stream = ctx.request.stream or ctx.route.always_stream
        reply = await self._fly(ctx, call_next, key, stream=stream)
        if reply is None:
            reply = await self._fly(ctx, call_next, key + b"/plain", stream=False)
            assert reply is not None
        return reply

    async def _fly(self, ctx: RequestContext, call_next: Handler, key: bytes, *, stream: bool) -> Reply | None:
        """The answer of a flight that is there, or of a new one.

        None for a plain client that followed a stream without usage, though the engine has usage to tell in plain
        answers: it has to ask plainly, together with those it happened to as well.
        """
        flights = self._flights
        flight = None if ctx.permits.fresh_flight else flights.find(key, stream=stream)
        led = flight is None
        if flight is None:
            flight = flights.start(key, stream=stream, produce=lambda flight: self._produce(flight, ctx, call_next))
        if flight is None:
            return await in_wire_mode(ctx, await call_next(ctx))
        reader = flight.join()
        try:
            head = await reader.head()
            reader.with_withheld = ctx.request.include_usage or not ctx.request.stream
            body = FromFlight(reader)
            reply = _personal(ctx, head.reply, body, led=led, alone=flight.readers == 1)
            if ctx.request.stream or not head.reply.events:
                reply = await in_wire_mode(ctx, reply)
            else:
                folded = await _folded_once(head, body)
                followed_a_stream = flight.stream and not led and not ctx.route.always_stream
                if followed_a_stream and not folded.has_usage and not folded.error and folded.record is not None:
                    return None
                reply = _plain(reply, folded)
            if not led and head.reply.status == 200:
                self._followed(head)
            return reply
        except BaseException:
            reader.close()
            raise

    async def _produce(self, flight: "Flight[Head]", ctx: RequestContext, call_next: Handler) -> None:
        """Ask, once more if that may help several, and copy the answer into the flight's log."""
        reply = await self._ask(flight, ctx, call_next)
        try:
            lone_headers = any(name == b"set-cookie" for name, _ in reply.headers)
            head = Head(reply)
            flight.open(head, joinable=not lone_headers)
            if isinstance(reply.body, bytes):
                flight.append(reply.body)
            else:
                async for chunk in reply.body:
                    if not flight.append(chunk, withheld=type(chunk) is Withheld):
                        await flight.room()
            head.took = (ctx.prompt_tokens, ctx.completion_tokens, ctx.upstream_s)
            self._metrics.shared(head.followers, *head.took)
        finally:
            if not isinstance(reply.body, bytes):
                await reply.body.aclose()

    def _followed(self, head: "Head") -> None:
        """Count a follower; what it saved is known at the end of the flight, or now if that is over."""
        self._metrics.followed()
        if head.took is None:
            head.followers += 1
        else:
            self._metrics.shared(1, *head.took)

    async def _ask(self, flight: "Flight[Head]", ctx: RequestContext, call_next: Handler) -> Reply:
        try:
            reply = await call_next(ctx)
            if not _transient(reply.status):
                return reply
            wait_s = _retry_after(reply.headers)
            if flight.readers < 2 or wait_s > RETRY_WAIT_MAX_S:
                return reply
            if not isinstance(reply.body, bytes):
                await reply.body.aclose()
        except ProxyError as error:  # an upstream that failed or is full; what is wrong with the request is known above
            wait_s = error.retry_after_s or 0.0
            if flight.readers < 2 or wait_s > RETRY_WAIT_MAX_S:
                raise
        self._metrics.asked_again()
        await asyncio.sleep(wait_s)
        return await call_next(ctx)


@dataclass(slots=True)
class Head:
    """A flight's head, and what its readers have in common."""

    reply: Reply
    """As the leader would get it; its body is the flight's log."""
    folded: Folded | None = None
    """What its stream came to; set by the first plain reader that has all of it."""
    followers: int = 0
    """Those to be counted once it is known what the answer took."""
    took: tuple[int, int, float] | None = None
    """Prompt tokens, completion tokens and upstream seconds; set at the end."""


def _personal(ctx: RequestContext, origin: Reply, body: Stream, *, led: bool, alone: bool) -> Reply:
    """A flight's head for one of its readers.

    Only who is alone when the head arrives sees more of an upstream's headers than the content type. Who follows has
    collapsed into another's request, whatever that one's client allowed: the detail is about its own.
    """
    headers, outcome, detail = origin.headers, origin.outcome, origin.detail
    if outcome in UPSTREAMS_OWN:
        if not alone:
            headers = [item for item in headers if item[0] in SHARED_HEADERS]
        if not led:
            detail = ctx.permits.reason or (detail if outcome is Outcome.MISS else None)
            outcome = Outcome.COLLAPSED
    return Reply(
        origin.status,
        [*headers],
        body,
        events=origin.events,
        outcome=outcome,
        detail=detail,
        age_s=origin.age_s,
        ttl_s=origin.ttl_s,
        stored=origin.stored and led,
        similarity=origin.similarity,
        upstream=origin.upstream,
    )


async def _folded_once(head: Head, body: Stream) -> Folded:
    """What a flight's stream came to. One fold serves all plain readers, as it may take tens of milliseconds."""
    raw = await _read(body)
    if head.folded is None:
        head.folded = fold_stream(raw)
    return head.folded


class FromFlight:
    """One reader's view of a flight, as a body."""

    def __init__(self, reader: "Reader[Head]") -> None:
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
    if ctx.request.stream or not ctx.request.keyable:
        # Not keyable is also `"stream": 1`: if the engine takes that for true, so may the client.
        if not isinstance(body, FromFlight) and not ctx.request.include_usage:
            reply.body = _WithoutUsage(body)
        return reply
    return _plain(reply, fold_stream(await _read(body)))


def _plain(reply: Reply, folded: Folded) -> Reply:
    """A streamed reply as a plain one, once its stream has been read; an error event in it is its status and body.

    Raises:
        UpstreamFailed: it is neither a whole answer nor an error.
    """
    if folded.error_body is not None:
        status, error = folded.error_body
        return replace(reply, status=status, headers=[*JSON_HEADERS], body=error, events=False)
    if folded.record is None or not folded.done:
        raise UpstreamFailed("The upstream's stream ended before its answer was complete.", code="stream_incomplete")
    headers = [*JSON_HEADERS, *(item for item in reply.headers if item[0] != b"content-type")]
    return replace(reply, headers=headers, body=orjson.dumps(folded.record), events=False)


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
