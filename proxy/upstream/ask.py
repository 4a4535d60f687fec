"""The end of the chain: ask an upstream, and ask another only where that can't cost a second generation."""

from collections import deque
from collections.abc import AsyncIterator, Callable

import orjson

from proxy.context import Outcome, Reply, RequestContext, Stream, Withheld
from proxy.errors import NotCached, ProxyError, UpstreamFailed
from proxy.gate import Place
from proxy.headers import request_headers, response_headers
from proxy.metrics import Metrics
from proxy.openai import is_usage_only
from proxy.sse import EventSplitter
from proxy.upstream.client import UpstreamReply, UpstreamRequest
from proxy.upstream.credentials import Credentials
from proxy.upstream.pool import Pool, Upstream

EVENT_STREAM = b"text/event-stream"


class Ask:
    """Sends a request to the upstream that has the least to do, within its limits."""

    def __init__(
        self,
        pool: Pool,
        credentials: Credentials,
        metrics: Metrics,
        clock: Callable[[], float],
        *,
        max_entry_bytes: int,
    ) -> None:
        self._pool = pool
        self._credentials = credentials
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
                return await self._ask(ctx, upstream)
            except UpstreamFailed as error:
                tried.append(upstream)
                if not error.unprocessed or len(tried) == len(ctx.route.upstreams):
                    raise

    async def _ask(self, ctx: RequestContext, upstream: Upstream) -> Reply:
        body, added_usage = outgoing(ctx, upstream)
        request = UpstreamRequest(
            "POST",
            (upstream.base_path + ctx.path).encode("ascii"),
            request_headers(
                ctx.raw_headers,
                authorization=self._credentials.for_upstream(upstream, ctx.fields),
                request_id=ctx.request_id if not ctx.permits.share else None,
            ),
            body,
        )
        exchange = await open_exchange(upstream, request, ctx.tenant.label, self._metrics, self._clock)
        reply = exchange.reply
        try:
            headers = response_headers(reply.headers)
            events = _content_type(headers).startswith(EVENT_STREAM)
            whole = None if events else await reply.read(self._max_entry_bytes)
        except BaseException as error:
            await exchange.fail(error)
            raise
        outcome = Outcome.BYPASS if ctx.permits.reason else Outcome.MISS
        answer = Reply(reply.status, headers, exchange, events, outcome, ctx.permits.reason, upstream=upstream.name)
        if whole is not None:
            await exchange.aclose()
            answer.body = whole
        elif events:
            answer.body = _Events(exchange, withhold=added_usage)
        return answer


class Exchange:
    """An upstream's reply together with its place at the gate; both are given back at the end, whatever it is."""

    def __init__(
        self, upstream: Upstream, reply: UpstreamReply, place: Place, metrics: Metrics, elapsed_s: Callable[[], float]
    ) -> None:
        self.upstream = upstream
        self.reply = reply
        self._next = reply.__aiter__().__anext__
        self._place = place
        self._metrics = metrics
        self._elapsed_s = elapsed_s
        self._over = False

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
        if isinstance(error, ProxyError):
            self._metrics.upstream_failed(self.upstream.name, str(error.code))
        await self.aclose()

    async def aclose(self) -> None:
        if not self._over:
            self._over = True
            self._place.leave()
            self._metrics.upstream_time(self.upstream.name, self._elapsed_s())
        await self.reply.aclose()


async def open_exchange(
    upstream: Upstream, request: UpstreamRequest, tenant: str, metrics: Metrics, clock: Callable[[], float]
) -> Exchange:
    """Wait for a place at `upstream`, send `request`, and wait for the head of the reply."""
    place = await upstream.gate.enter(tenant)
    asked_s = clock()
    try:
        reply = await upstream.client.send(request, upstream.timeouts)
    except BaseException as error:
        place.leave()
        if isinstance(error, ProxyError):
            metrics.upstream_failed(upstream.name, str(error.code))
        raise
    return Exchange(upstream, reply, place, metrics, lambda: clock() - asked_s)


def outgoing(ctx: RequestContext, upstream: Upstream) -> tuple[bytes, bool]:
    """The body for `upstream`, and whether usage was added to a stream that did not ask for it.

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
    added_usage = False
    permits = ctx.permits
    if forced or (
        request.stream and not request.include_usage and upstream.ask_usage and (permits.store or permits.share)
    ):
        options = payload.get("stream_options")
        if options is None or isinstance(options, dict):
            changes["stream_options"] = {**(options or {}), "include_usage": True}
            added_usage = True
    if not changes or not request.keyable:
        return ctx.body, False
    return orjson.dumps({**payload, **changes}), added_usage


class _Events:
    """An event stream in chunks of whole events, so that an error or a heartbeat never falls inside one.

    All bytes stay as they are; where the stream breaks off, the event it broke in is dropped. `withhold` marks the
    usage events, which the client did not ask for.
    """

    def __init__(self, source: Stream, *, withhold: bool) -> None:
        self._source = source
        self._next = source.__aiter__().__anext__
        self._withhold = withhold
        self._splitter = EventSplitter()
        self._ready: deque[bytes] = deque()

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        ready = self._ready
        while not ready:
            try:
                chunk = await self._next()
            except StopAsyncIteration:
                rest, self._splitter = self._splitter.rest, EventSplitter()
                if rest:
                    return rest
                raise
            # The usual case: the read ends where an event ends, and none in it can be a usage event.
            if not self._splitter.rest and chunk.endswith(b"\n\n") and not (self._withhold and b'"usage"' in chunk):
                return chunk
            self._split(chunk)
        return ready.popleft()

    def _split(self, chunk: bytes) -> None:
        run: list[bytes] = []
        for event in self._splitter.feed(chunk):
            if self._withhold and is_usage_only(event):
                if run:
                    self._ready.append(b"".join(run))
                    run = []
                self._ready.append(Withheld(event))
            else:
                run.append(event)
        if run:
            self._ready.append(b"".join(run))

    async def aclose(self) -> None:
        await self._source.aclose()


def _content_type(headers: list[tuple[bytes, bytes]]) -> bytes:
    for name, value in headers:
        if name == b"content-type":
            return value.lower()
    return b""
