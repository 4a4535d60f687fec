"""Lead or follow: what many ask at the same moment is asked once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from functools import partial

import orjson

from proxy.context import Handler, Outcome, Reply, RequestContext, Stream, Withheld
from proxy.errors import Headers, ProxyError, UpstreamFailed
from proxy.flight import Flight, Flights
from proxy.headers import SHARED_HEADERS
from proxy.metrics import Metrics
from proxy.openai import Folded, fold_stream

JSON_HEADERS: Headers = [(b"content-type", b"application/json")]
RETRY_WAIT_MAX_S = 5.0
"""A `Retry-After` up to this is waited for before a flight with several readers asks once more."""


class SingleFlight:
    """Above it runs what is each client's own; below it what is asked once, in the flight's own task."""

    def __init__(self, flights: "Flights[Head]", metrics: Metrics) -> None:
        self._flights = flights
        self._metrics = metrics

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        ctx.client.watch()
        request, permits = ctx.request, ctx.permits
        if not permits.share:
            return await in_wire_mode(ctx, await call_next(ctx))
        flights = self._flights
        key = _flight_key(ctx)
        stream = request.stream or ctx.route.always_stream
        while True:
            flight = None if permits.fresh_flight else flights.find(key, stream=stream)
            led = flight is None
            if flight is None:
                flight = flights.start(
                    key, stream=stream, family=ctx.family.name, produce=partial(self._produce, ctx, call_next)
                )
                if flight is None:
                    return await in_wire_mode(ctx, await call_next(ctx))
            reader = flight.join()
            try:
                if led:
                    flight.begin()
                head = await reader.head()
                alone = reader.alone
                if not head.reply.events:
                    # A plain answer is read to its end, so that a failure on the way still has a status to say so.
                    body = reader.answer()
                    if body is None:
                        body = await reader.whole()
                    if led and alone and body is head.reply.body:
                        reply = head.reply
                    else:
                        reply = _personal(ctx, head, body, led=led, alone=alone)
                elif request.stream:
                    reader.with_withheld = request.include_usage
                    reply = _personal(ctx, head, reader, led=led, alone=alone)
                else:
                    reader.with_withheld = True
                    incomplete = head.fold(await reader.whole())
                    if incomplete and flight.stream and not led and not ctx.route.always_stream:
                        # A plain answer has the usage, and in one piece what the stream told in pieces that do not fit
                        # together: ask plainly, together with others who have to.
                        key, stream = key + b"/plain", False
                        continue
                    plain = head.as_plain()
                    reply = _personal(ctx, plain, plain.reply.body, led=led, alone=alone)
            except BaseException:  # a cancellation too: who leaves must not be waited for
                reader.close()
                raise
            if not led and head.reply.status == 200:
                self._followed(head)
            return reply

    async def _produce(self, ctx: RequestContext, call_next: Handler, flight: "Flight[Head]") -> None:
        """Ask, once more if that may help several, and copy the answer into the flight's log."""
        reply: Reply | ProxyError
        try:
            reply = await call_next(ctx)
        except ProxyError as error:  # an upstream that failed or is full; what is wrong with the request is known above
            reply = error
        try:
            if flight.beginning:
                await asyncio.sleep(0)
            if isinstance(reply, ProxyError) or (reply.status >= 400 and _transient(reply.status)):
                reply = await self._ask_again(flight, ctx, call_next, reply)
            head = Head(reply)
            if isinstance(reply.body, bytes):
                head.took = (ctx.prompt_tokens, ctx.completion_tokens, ctx.upstream_s)
                flight.answer(head, reply.body)
                return
            flight.open(head, joinable=all(name != b"set-cookie" for name, _ in reply.headers))
            async for chunk in reply.body:
                if not flight.append(chunk, withheld=type(chunk) is Withheld):
                    await flight.room()
            head.took = (ctx.prompt_tokens, ctx.completion_tokens, ctx.upstream_s)
            self._metrics.shared(head.followers, *head.took)
            # It is stored by now if it ever will be: who comes after its end is not given it again.
            flight.close_to_joins()
            flight.end()
        finally:
            if isinstance(reply, Reply) and not isinstance(reply.body, bytes):
                await reply.body.aclose()

    async def _ask_again(
        self, flight: "Flight[Head]", ctx: RequestContext, call_next: Handler, first: Reply | ProxyError
    ) -> Reply:
        """The answer to a second asking, if the first failed in passing and several wait; else the first."""
        wait_s = _retry_after(first.headers) if isinstance(first, Reply) else first.retry_after_s or 0.0
        if flight.readers < 2 or wait_s > RETRY_WAIT_MAX_S:
            if isinstance(first, ProxyError):
                raise first
            return first
        if isinstance(first, Reply) and not isinstance(first.body, bytes):
            await first.body.aclose()
        self._metrics.asked_again()
        await asyncio.sleep(wait_s)
        return await call_next(ctx)

    def _followed(self, head: "Head") -> None:
        """Count a follower; what it saved is known at the end of the flight, or now if that is over."""
        self._metrics.followed()
        if head.took is None:
            head.followers += 1
        else:
            self._metrics.shared(1, *head.took)


@dataclass(slots=True)
class Head:
    """A flight's head, and what its readers have in common."""

    reply: Reply
    """As the leader would get it; its body is the flight's log."""
    shared: Headers | None = None
    """Of its headers those for readers who are not alone; one list for all of them. Set by the first."""
    folded: Folded | None = None
    """What its stream came to; set by the first plain reader that has all of it."""
    plain: "Head | None" = None
    """The head of its stream as a plain answer, body included; set likewise."""
    followers: int = 0
    """Those to be counted once it is known what the answer took."""
    took: tuple[int, int, float] | None = None
    """Prompt tokens, completion tokens and upstream seconds; set at the end."""

    def fold(self, raw: bytes) -> bool:
        """Fold the whole stream, once for all readers as it may take tens of milliseconds.

        Returns whether it ended well, and yet has no plain form, or none with a usage.
        """
        folded = self.folded
        if folded is None:
            folded = self.folded = fold_stream(raw)
        return folded.done and not folded.error and not folded.has_usage

    def as_plain(self) -> "Head":
        """The same for readers that asked plainly, once the stream has been folded.

        Raises:
            UpstreamFailed: it is neither a whole answer nor an error.
        """
        if self.plain is None:
            assert self.folded is not None
            self.plain = Head(_plain(self.reply, self.folded))
        return self.plain


def _personal(ctx: RequestContext, head: Head, body: bytes | Stream, *, led: bool, alone: bool) -> Reply:
    """A flight's head for one of its readers.

    Only who is alone when the head arrives sees more of an upstream's headers than the content type. Who follows has
    collapsed into another's request, whatever that one's client allowed: the detail is about its own.
    """
    origin = head.reply
    headers, outcome, detail = origin.headers, origin.outcome, origin.detail
    if outcome is Outcome.MISS or outcome is Outcome.BYPASS:  # else the headers are ours, and not an upstream's
        if not alone:
            if head.shared is None:
                head.shared = [item for item in headers if item[0] in SHARED_HEADERS]
            headers = head.shared
        if not led:
            detail = ctx.permits.reason or (detail if outcome is Outcome.MISS else None)
            outcome = Outcome.COLLAPSED
    return Reply(
        origin.status,
        headers,
        body,
        origin.events,
        outcome,
        detail,
        origin.age_s,
        origin.ttl_s,
        origin.stored and led,
        origin.similarity,
        origin.upstream,
    )


async def in_wire_mode(ctx: RequestContext, reply: Reply) -> Reply:
    """A reply without a flight as its client asked: a plain one gets a stream folded, and nobody what is withheld."""
    body = reply.body
    if isinstance(body, bytes):
        return reply
    if not reply.events:
        return reply
    if ctx.request.stream or not ctx.request.keyable:
        # Not keyable is also `"stream": 1`: if the engine takes that for true, so may the client.
        if not ctx.request.include_usage:
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
    if folded.record is None and folded.done:
        raise UpstreamFailed("The pieces of the upstream's stream make no one answer.", code="stream_unmergeable")
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

    Of a family that is served by similarity: others are not, or by another threshold. Younger than a limit of the
    client's own: a flight may end in a semantic hit of any age. A stream without usage: neither a plain client nor one
    that asks for usage can be served from it.
    """
    key = ctx.key
    if ctx.family.semantic.mode == "on":
        key += b"/" + ctx.family.name.encode()
    if ctx.permits.max_age_s is not None:
        key += b"/%d" % int(ctx.permits.max_age_s)
    if ctx.request.stream and not ctx.request.include_usage and not ctx.route.asks_usage:
        key += b"/no-usage"
    return key


def _transient(status: int) -> bool:
    return status in (408, 429) or status >= 500


def _retry_after(headers: Headers) -> float:
    """Seconds an upstream asks to wait; a date, or that it is not to be asked again, counts as too long."""
    told = dict(headers)
    if told.get(b"x-should-retry") == b"false":
        return RETRY_WAIT_MAX_S + 1
    for name, per_second in ((b"retry-after-ms", 1000), (b"retry-after", 1)):
        if (value := told.get(name)) is not None:
            return int(value) / per_second if value.isdigit() and len(value) < 9 else RETRY_WAIT_MAX_S + 1
    return 0.0
