"""The end of the chain: ask an upstream, and ask another only where that can't cost a second generation."""

import hashlib
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

import orjson

from policies.model import FamilyPolicy
from proxy.acceptance import Acceptance
from proxy.context import Outcome, Reply, RequestContext, Stream, Withheld
from proxy.errors import (
    Headers,
    NotCached,
    ProxyError,
    Unavailable,
    UpstreamFailed,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.headers import answer_headers, request_headers
from proxy.metrics import Metrics
from proxy.openai import is_usage_only
from proxy.sse import EventSplitter
from proxy.upstream.client import Timeouts, UpstreamReply, UpstreamRequest
from proxy.upstream.coding import Decoded, decoded, is_readable, without_coding
from proxy.upstream.credentials import Credentials
from proxy.upstream.pool import ROUTES_REMEMBERED, Pool, Upstream

EVENT_STREAM = b"text/event-stream"
EVENT_HEADERS: Headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
MISS, BYPASS = Outcome.MISS, Outcome.BYPASS  # read once: from the class it is a call

logger = logging.getLogger("askonce.upstream")

FAILURES = frozenset({500, 502, 503, 504})
"""Statuses by which an engine says that it, not the request, is at fault. A poison body may cause them too."""


class Ask:
    """Sends a request to the upstream that has the least to do, within its limits."""

    def __init__(
        self,
        pool: Pool,
        credentials: Credentials,
        acceptance: Acceptance,
        metrics: Metrics,
        clock: Callable[[], float],
        *,
        max_entry_bytes: int,
    ) -> None:
        self._pool = pool
        self._credentials = credentials
        self._acceptance = acceptance
        self._metrics = metrics
        self._clock = clock
        self._max_entry_bytes = max_entry_bytes

    async def __call__(self, ctx: RequestContext) -> Reply:
        """The upstream's reply.

        Raises:
            NotCached: the client wanted nothing but a cached answer.
            ProxyError: nobody could be asked, or the one asked failed before its head.
        """
        if ctx.permits.only_if_cached:
            raise NotCached("only-if-cached was asked, and no fresh answer is stored.")
        tried: list[Upstream] = []
        late: UpstreamTimeout | None = None
        """Why the last one tried did not take the request, if it was too slow to."""
        refused: Upstream | None = None
        """Who has refused what askonce asks for on top of what the client does."""
        while True:
            try:
                upstream = self._pool.choose(ctx.route, tried)
            except Unavailable:
                if late is not None:
                    raise late from None
                raise
            head = ctx.head
            body, asks_usage = outgoing(ctx, upstream, as_it_came=upstream is refused)
            headers = request_headers(
                head.forwarded,
                authorization=self._credentials.for_upstream(upstream, head.fields),
                request_id=ctx.request_id if not ctx.permits.share else None,
            )
            request = UpstreamRequest("POST", upstream.base_path + head.target, headers, body)
            limits = _limits(upstream, ctx.family)
            try:
                exchange = await open_exchange(upstream, request, limits, ctx.tenant.label, self._metrics, self._clock)
                reply = await self._read(ctx, exchange, withhold=asks_usage)
                self._acceptance.note(ctx, upstream.name, reply.status)
                if asks_usage and not ctx.request.include_usage and refuses_usage(reply):
                    refused = upstream
                    continue
                if upstream is refused and reply.status < 400:
                    self._ask_without_usage(upstream, ctx.route.model)
                return reply
            except (UpstreamFailed, UpstreamTimeout) as error:
                tried.append(upstream)
                if not error.unprocessed:
                    raise
                late = error if isinstance(error, UpstreamTimeout) else None

    def _ask_without_usage(self, upstream: Upstream, model: str) -> None:
        """From now on: it has answered the same request without."""
        if not upstream.without_usage:
            logger.warning(
                "upstream %s refuses stream_options, by which askonce asks for the usage of a stream: the models that "
                "do are asked without from now on; `ask_usage: false` in its settings says so from the start",
                upstream.name,
            )
        if len(upstream.without_usage) < ROUTES_REMEMBERED:
            upstream.without_usage.add(model)
            self._pool.forget_routes()

    async def _read(self, ctx: RequestContext, exchange: "Exchange", *, withhold: bool) -> Reply:
        try:
            headers, content_type, coding = answer_headers(exchange.reply.headers)
            if content_type.startswith(EVENT_STREAM):
                return self._stream(ctx, exchange, headers, coding, withhold=withhold)
            first = b""
            if (ctx.request.stream or exchange.upstream.always_stream) and exchange.reply.status == 200 and not coding:
                first = await anext(exchange, b"")
                if first.lstrip(_BEFORE_EVENTS).startswith(_BEGIN_EVENTS):
                    headers = [*EVENT_HEADERS, *(item for item in headers if item[0] != b"content-type")]
                    body = _Events(exchange, _Resumed(first, exchange.reply), self._max_entry_bytes, withhold=withhold)
                    return _reply(ctx, exchange, headers, body, events=True)
            rest = await exchange.reply.read(self._max_entry_bytes - len(first))
            if rest is None:
                return _reply(ctx, exchange, headers, _Resumed(first, exchange) if first else exchange)
            whole = first + rest
            exchange.ended()
            if coding is not None and is_readable(coding):
                plain = decoded(whole, self._max_entry_bytes)
                if plain is not None:
                    return _reply(ctx, exchange, without_coding(headers), plain)
            return _reply(ctx, exchange, headers, whole)
        except BaseException as error:
            await exchange.fail(error)
            raise

    def _stream(
        self, ctx: RequestContext, exchange: "Exchange", headers: Headers, coding: bytes | None, *, withhold: bool
    ) -> Reply:
        if coding is None:
            body = _Events(exchange, exchange.reply, self._max_entry_bytes, withhold=withhold)
            return _reply(ctx, exchange, headers, body, events=True)
        if is_readable(coding):
            body = _Events(exchange, Decoded(exchange), self._max_entry_bytes, withhold=withhold)
            return _reply(ctx, exchange, without_coding(headers), body, events=True)
        if ctx.permits.share or not ctx.request.stream:
            raise UpstreamFailed("The upstream coded its stream although asked not to.", code="coded_stream")
        # As bytes: it can't be cut into events, so nothing may be put between them.
        return _reply(ctx, exchange, headers, exchange)


def _reply(
    ctx: RequestContext, exchange: "Exchange", headers: Headers, body: bytes | Stream, *, events: bool = False
) -> Reply:
    reason = ctx.permits.reason
    outcome = BYPASS if reason else MISS
    if 300 <= exchange.reply.status < 400:
        own_path = exchange.upstream.own_path
        headers = [(name, own_path(value) if name == b"location" else value) for name, value in headers]
    reply = Reply(exchange.reply.status, headers, body, events, outcome, reason)
    reply.upstream = exchange.upstream.name
    return reply


_BEFORE_EVENTS = b"\xef\xbb\xbf\r\n"
_BEGIN_EVENTS = (b"data:", b":", b"event:", b"id:", b"retry:")
"""How a stream of events begins, and no JSON: some servers between us and an engine call it JSON, or text."""


class _Resumed:
    """A body of which the first piece has been read."""

    def __init__(self, first: bytes, source: Stream) -> None:
        self._first = first
        self._source = source
        self._next = source.__aiter__().__anext__

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        return await self._next()

    async def aclose(self) -> None:
        await self._source.aclose()


def refuses_usage(reply: Reply) -> bool:
    """Whether a refusal is about how usage is asked for: some engines take no `stream_options`, or no such option."""
    return (
        reply.status in (400, 422)
        and isinstance(reply.body, bytes)
        and (b"stream_options" in reply.body or b"include_usage" in reply.body)
    )


def _limits(upstream: Upstream, family: FamilyPolicy) -> Timeouts:
    """The upstream's four limits, with those that the family sets in their place."""
    known = upstream.limits.get(family.name)
    if known is None or known[0] is not family.timeouts:
        names = ("connect_s", "first_byte_s", "between_chunks_s", "total_s")
        own, given = upstream.timeouts, family.timeouts
        merged = (getattr(own if getattr(given, name) is None else given, name) for name in names)
        known = upstream.limits[family.name] = (given, Timeouts(*merged))
    return known[1]


class Exchange:
    """An upstream's reply together with its place at the gate; both are given back at the end, whatever it is."""

    __slots__ = ("_asked_s", "_clock", "_metrics", "_next", "_over", "_request", "reply", "upstream")

    def __init__(
        self,
        upstream: Upstream,
        request: UpstreamRequest,
        reply: UpstreamReply,
        metrics: Metrics,
        clock: Callable[[], float],
        asked_s: float,
    ) -> None:
        self.upstream = upstream
        self.reply = reply
        self._request = request
        self._metrics = metrics
        self._clock = clock
        self._asked_s = asked_s
        self._next: Callable[[], Awaitable[bytes]] | None = None
        self._over = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            if self._next is None:
                self._next = aiter(self.reply).__anext__
            return await self._next()
        except StopAsyncIteration:
            await self.aclose()
            raise
        except BaseException as error:
            await self.fail(error)
            raise

    async def fail(self, error: BaseException) -> None:
        """The reply broke off; told to the upstream's account unless it is a cancellation."""
        if not self._over:
            note_failure(self.upstream, self._request, error, self._metrics)
            self._leave()
        await self.reply.aclose()

    def ended(self) -> None:
        """The reply has been read to its end."""
        if not self._over:
            status = self.reply.status
            if status in FAILURES:
                self.upstream.health.failed(_identity(self._request), f"status {status}")
            else:
                self.upstream.health.succeeded(self._asked_s)
            self._leave()

    async def aclose(self) -> None:
        self.ended()
        await self.reply.aclose()

    def _leave(self) -> None:
        self._over = True
        elapsed_s = self._clock() - self._asked_s
        self.upstream.gate.leave(elapsed_s)
        self._metrics.upstream_time(self.upstream.name, elapsed_s)


async def open_exchange(
    upstream: Upstream,
    request: UpstreamRequest,
    limits: Timeouts,
    tenant: str,
    metrics: Metrics,
    clock: Callable[[], float],
) -> Exchange:
    """Wait for a place at `upstream`, send `request`, and wait for the head of the reply."""
    if not upstream.gate.take():
        await upstream.gate.enter(tenant)
    asked_s = clock()
    try:
        reply = await upstream.client.send(request, limits)
    except BaseException as error:
        upstream.gate.leave(clock() - asked_s)
        note_failure(upstream, request, error, metrics)
        raise
    return Exchange(upstream, request, reply, metrics, clock, asked_s)


def note_failure(upstream: Upstream, request: UpstreamRequest, error: BaseException, metrics: Metrics) -> None:
    """What a failed exchange says of its upstream; a cancellation, or a fault of the client's, says nothing."""
    if isinstance(error, UpstreamFailed | UpstreamTimeout):
        metrics.upstream_failed(upstream.name, str(error.code))
        if isinstance(error, UpstreamUnreachable):
            upstream.health.unreachable()
        else:
            upstream.health.failed(_identity(request), str(error.code))


def _identity(request: UpstreamRequest) -> bytes:
    """The same bytes for the same request."""
    body = request.body if isinstance(request.body, bytes) else b""
    return hashlib.sha256(request.target + b"\n" + body).digest()


def outgoing(ctx: RequestContext, upstream: Upstream, *, as_it_came: bool = False) -> tuple[bytes, bool]:
    """The body for `upstream`, and whether it asks for a stream's usage, be it that askonce adds that.

    The bytes that arrived, unless an alias, `always_stream` or `ask_usage` changes them.

    Args:
        as_it_came: add nothing about usage.
    """
    request = ctx.request
    renamed = request.model is not None and ctx.route.model != request.model
    if not (renamed or request.stream or upstream.always_stream):
        return ctx.body, request.include_usage
    payload = request.payload
    changes: dict[str, object] = {}
    if renamed:
        changes["model"] = ctx.route.model
    forced = upstream.always_stream and not request.stream and request.keyable
    if forced:
        changes["stream"] = True
    asks_usage = request.include_usage
    permits = ctx.permits
    adds_usage = forced or (
        request.stream and not request.include_usage and upstream.ask_usage and (permits.store or permits.share)
    )
    if adds_usage and not as_it_came and ctx.route.model not in upstream.without_usage:
        options = payload.get("stream_options")
        if options is None or isinstance(options, dict):
            changes["stream_options"] = {**(options or {}), "include_usage": True}
            asks_usage = True
    if not changes:
        return ctx.body, asks_usage
    if not request.keyable:
        return _rewritten(ctx.body, changes), asks_usage
    return orjson.dumps({**payload, **changes}), asks_usage


def _rewritten(body: bytes, changes: Mapping[str, object]) -> bytes:
    """A body that orjson can't write again, with other values; as it is where nothing can (a number beyond a double).

    Python's own reader keeps an integer of any length, and its writer a lone surrogate.
    """
    try:
        return json.dumps({**json.loads(body), **changes}, allow_nan=False).encode("ascii")
    except (ValueError, RecursionError):
        return body


class _Events:
    """An event stream in chunks of whole events, so that an error or a heartbeat never falls inside one.

    All bytes stay as they are; where the stream breaks off, the event it broke in is dropped. `withhold` marks the
    usage events, which not every reader has asked for. An event longer than `max_event_bytes` passes in pieces, so
    that no engine can make us hold more; if the stream breaks off in such a one, it is ended before the failure is
    told.
    """

    __slots__ = (
        "_begun",
        "_exchange",
        "_failure",
        "_in_event",
        "_max_event_bytes",
        "_next",
        "_ready",
        "_splitter",
        "_withhold",
    )

    def __init__(self, exchange: Exchange, source: Stream, max_event_bytes: int, *, withhold: bool) -> None:
        """`source` is the reply of `exchange`, or what decodes it; the exchange ends with it."""
        self._exchange = exchange
        self._next = source.__aiter__().__anext__
        self._withhold = withhold
        self._max_event_bytes = max_event_bytes
        self._splitter = EventSplitter()
        self._begun = False
        """The splitter holds the beginning of an event."""
        self._ready: deque[bytes] = deque()
        self._in_event = False
        """A piece of an event has gone out, and not its end."""
        self._failure: ProxyError | None = None

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        while not self._ready:
            if self._failure is not None:
                raise self._failure
            try:
                chunk = await self._next()
            except StopAsyncIteration:
                await self._exchange.aclose()
                if not self._begun:
                    raise
                self._begun = False
                return self._splitter.rest
            except BaseException as error:
                await self._exchange.fail(error)
                if not self._in_event or not isinstance(error, ProxyError):
                    raise
                self._failure = error
                return b"\n\n"
            # The usual case: the read ends where an event ends, and none in it can be a usage event.
            if not self._begun and chunk.endswith(b"\n\n") and not (self._withhold and b'"usage"' in chunk):
                self._in_event = False
                return chunk
            self._split(chunk)
        return self._ready.popleft()

    def _split(self, chunk: bytes) -> None:
        run: list[bytes] = []
        for event in self._splitter.feed(chunk):
            if self._withhold and not self._in_event and is_usage_only(event):
                if run:
                    self._ready.append(b"".join(run))
                    run = []
                self._ready.append(Withheld(event))
            else:
                run.append(event)
            self._in_event = False
        if len(self._splitter) > self._max_event_bytes:
            run.append(self._splitter.rest)
            self._splitter = EventSplitter()
            self._in_event = True
        self._begun = len(self._splitter) > 0
        if run:
            self._ready.append(b"".join(run))

    async def aclose(self) -> None:
        await self._exchange.aclose()
