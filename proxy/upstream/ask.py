"""The end of the chain: ask an upstream, and ask another only where that can't cost a second generation."""

import hashlib
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping

import orjson

from policies.model import TimeoutsPolicy
from proxy.acceptance import Acceptance
from proxy.context import Outcome, Reply, RequestContext, Stream, Withheld
from proxy.errors import NotCached, ProxyError, UpstreamFailed, UpstreamTimeout, UpstreamUnreachable
from proxy.gate import Place
from proxy.headers import request_headers, response_headers
from proxy.metrics import Metrics
from proxy.openai import is_usage_only
from proxy.sse import EventSplitter
from proxy.upstream.client import Timeouts, UpstreamReply, UpstreamRequest
from proxy.upstream.coding import Decoded, coding_of, decoded, is_readable, without_coding
from proxy.upstream.credentials import Credentials
from proxy.upstream.pool import Pool, Upstream

EVENT_STREAM = b"text/event-stream"

FAILURES = frozenset({500, 502, 503, 504})
"""Statuses by which an engine says that it, not the request, is at fault. A poison body may cause them too."""
OURS = b"x-askonce-"
"""Headers that only this askonce writes, whoever else stands behind it."""


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
        while True:
            upstream = self._pool.choose(ctx.route, tried)
            try:
                reply = await self._ask(ctx, upstream)
                self._acceptance.note(ctx, upstream.name, reply.status)
                return reply
            except UpstreamFailed as error:
                tried.append(upstream)
                if not error.unprocessed:
                    raise

    async def _ask(self, ctx: RequestContext, upstream: Upstream) -> Reply:
        body, asks_usage = outgoing(ctx, upstream)
        target = upstream.base_path + ctx.path
        request = UpstreamRequest(
            "POST",
            target.encode("ascii") + (b"?" + ctx.query if ctx.query else b""),
            request_headers(
                ctx.raw_headers,
                authorization=self._credentials.for_upstream(upstream, ctx.fields),
                request_id=ctx.request_id if not ctx.permits.share else None,
            ),
            body,
        )
        limits = _limits(upstream.timeouts, ctx.family.timeouts)
        exchange = await open_exchange(upstream, request, limits, ctx.tenant.label, self._metrics, self._clock)
        try:
            return await self._reply(ctx, upstream, exchange, withhold=asks_usage)
        except BaseException as error:
            await exchange.fail(error)
            raise

    async def _reply(self, ctx: RequestContext, upstream: Upstream, exchange: "Exchange", *, withhold: bool) -> Reply:
        headers = [item for item in response_headers(exchange.reply.headers) if not item[0].startswith(OURS)]
        coding = coding_of(headers)
        events = _content_type(headers).startswith(EVENT_STREAM)
        outcome = Outcome.BYPASS if ctx.permits.reason else Outcome.MISS
        reply = Reply(exchange.reply.status, headers, exchange, events, outcome, ctx.permits.reason)
        reply.upstream = upstream.name
        if not events:
            whole = await exchange.reply.read(self._max_entry_bytes)
            if whole is not None:
                await exchange.aclose()
                reply.body = whole
                if coding is not None and is_readable(coding):
                    plain = decoded(whole, self._max_entry_bytes)
                    if plain is not None:
                        reply.headers, reply.body = without_coding(headers), plain
        elif coding is None:
            reply.body = _Events(exchange, self._max_entry_bytes, withhold=withhold)
        elif is_readable(coding):
            reply.headers = without_coding(headers)
            reply.body = _Events(Decoded(exchange), self._max_entry_bytes, withhold=withhold)
        elif ctx.permits.share or not ctx.request.stream:
            raise UpstreamFailed("The upstream coded its stream although asked not to.", code="coded_stream")
        else:
            reply.events = False  # as bytes: it can't be cut into events, so nothing may be put between them
        return reply


def _limits(upstream: Timeouts, family: TimeoutsPolicy) -> Timeouts:
    """The upstream's four limits, with those that the family sets in their place."""
    if not family.model_fields_set:
        return upstream
    names = ("connect_s", "first_byte_s", "between_chunks_s", "total_s")
    given = [getattr(family, name) for name in names]
    return Timeouts(*(getattr(upstream, name) if own is None else own for name, own in zip(names, given, strict=True)))


class Exchange:
    """An upstream's reply together with its place at the gate; both are given back at the end, whatever it is."""

    def __init__(
        self,
        upstream: Upstream,
        request: UpstreamRequest,
        reply: UpstreamReply,
        place: Place,
        metrics: Metrics,
        elapsed_s: Callable[[], float],
    ) -> None:
        self.upstream = upstream
        self.reply = reply
        self._request = request
        self._next = reply.__aiter__().__anext__
        self._place = place
        self._metrics = metrics
        self._elapsed_s = elapsed_s
        self._over = False
        self._failed = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
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
            self._failed = True
        await self.aclose()

    async def aclose(self) -> None:
        if not self._over:
            self._over = True
            self._place.leave()
            if not self._failed:
                note_status(self.upstream, self._request, self.reply.status)
            self._metrics.upstream_time(self.upstream.name, self._elapsed_s())
        await self.reply.aclose()


async def open_exchange(
    upstream: Upstream,
    request: UpstreamRequest,
    limits: Timeouts,
    tenant: str,
    metrics: Metrics,
    clock: Callable[[], float],
) -> Exchange:
    """Wait for a place at `upstream`, send `request`, and wait for the head of the reply."""
    place = await upstream.gate.enter(tenant)
    asked_s = clock()
    try:
        reply = await upstream.client.send(request, limits)
    except BaseException as error:
        place.leave()
        note_failure(upstream, request, error, metrics)
        raise
    return Exchange(upstream, request, reply, place, metrics, lambda: clock() - asked_s)


def note_failure(upstream: Upstream, request: UpstreamRequest, error: BaseException, metrics: Metrics) -> None:
    """What a failed exchange says of its upstream; a cancellation, or a fault of the client's, says nothing."""
    if isinstance(error, UpstreamFailed | UpstreamTimeout):
        metrics.upstream_failed(upstream.name, str(error.code))
        if isinstance(error, UpstreamUnreachable):
            upstream.health.unreachable()
        else:
            upstream.health.failed(_identity(request), str(error.code))


def note_status(upstream: Upstream, request: UpstreamRequest, status: int) -> None:
    """What an answered exchange says of its upstream."""
    if status in FAILURES:
        upstream.health.failed(_identity(request), f"status {status}")
    else:
        upstream.health.succeeded()


def _identity(request: UpstreamRequest) -> bytes:
    """The same bytes for the same request."""
    body = request.body if isinstance(request.body, bytes) else b""
    return hashlib.sha256(request.target + b"\n" + body).digest()


def outgoing(ctx: RequestContext, upstream: Upstream) -> tuple[bytes, bool]:
    """The body for `upstream`, and whether it asks for a stream's usage, be it that askonce adds that.

    The bytes that arrived, unless an alias, `always_stream` or `ask_usage` changes them.
    """
    request = ctx.request
    payload = request.payload
    changes: dict[str, object] = {}
    if request.model is not None and ctx.route.model != request.model:
        changes["model"] = ctx.route.model
    forced = upstream.always_stream and not request.stream and request.keyable
    if forced:
        changes["stream"] = True
    asks_usage = request.include_usage
    permits = ctx.permits
    if forced or (
        request.stream and not request.include_usage and upstream.ask_usage and (permits.store or permits.share)
    ):
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

    def __init__(self, source: Stream, max_event_bytes: int, *, withhold: bool) -> None:
        self._source = source
        self._next = source.__aiter__().__anext__
        self._withhold = withhold
        self._max_event_bytes = max_event_bytes
        self._splitter = EventSplitter()
        self._ready: deque[bytes] = deque()
        self._in_event = False
        """A piece of an event has gone out, and not its end."""
        self._failure: ProxyError | None = None

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        ready = self._ready
        while not ready:
            if self._failure is not None:
                raise self._failure
            try:
                chunk = await self._next()
            except StopAsyncIteration:
                rest, self._splitter = self._splitter.rest, EventSplitter()
                if rest:
                    return rest
                raise
            except ProxyError as error:
                if not self._in_event:
                    raise
                self._failure = error
                return b"\n\n"
            # The usual case: the read ends where an event ends, and none in it can be a usage event.
            if not len(self._splitter) and chunk.endswith(b"\n\n") and not (self._withhold and b'"usage"' in chunk):
                self._in_event = False
                return chunk
            self._split(chunk)
        return ready.popleft()

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
        if run:
            self._ready.append(b"".join(run))

    async def aclose(self) -> None:
        await self._source.aclose()


def _content_type(headers: list[tuple[bytes, bytes]]) -> bytes:
    for name, value in headers:
        if name == b"content-type":
            return value.lower()
    return b""
