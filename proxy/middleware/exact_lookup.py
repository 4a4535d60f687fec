"""The same key, a fresh entry: answered from this process's memory, without an await."""

from collections.abc import Awaitable, Callable

from proxy.acceptance import Acceptance
from proxy.cache.exact import Entry, ExactCache, Expired, Fresh, Stale, freshness
from proxy.context import Handler, Outcome, Reply, RequestContext
from proxy.errors import NotCached, ProxyError
from proxy.metrics import Metrics
from proxy.replay import Marks
from proxy.revalidation import Revalidation
from proxy.stored_reply import stored_reply


class ExactLookup:
    """Serves a hit; else lets the request go on to the flights, with no suspension in between."""

    def __init__(
        self,
        cache: ExactCache,
        marks: Marks,
        metrics: Metrics,
        acceptance: Acceptance | None,
        revalidation: Revalidation,
        clock: Callable[[], float],
    ) -> None:
        """`acceptance`: where an engine judges credentials, whom it accepted lately."""
        self._cache = cache
        self._marks = marks
        self._metrics = metrics
        self._acceptance = acceptance
        self._revalidation = revalidation
        self._clock = clock

    def __call__(self, ctx: RequestContext, call_next: Handler) -> Awaitable[Reply]:
        entry = self._cache.get(ctx.key) if ctx.permits.look_up else None
        return call_next(ctx) if entry is None else self._found(ctx, entry, call_next)

    async def _found(self, ctx: RequestContext, entry: Entry, call_next: Handler) -> Reply:
        acceptance = self._acceptance
        if acceptance is not None and not acceptance.holds(ctx):
            ctx.client.watch()
            if not await acceptance.ask(ctx):
                return await call_next(ctx)
            # Looked up once more: after the wait, nothing may suspend between a miss here and the join.
            looked_up_again = self._cache.get(ctx.key)
            if looked_up_again is None:
                return await call_next(ctx)
            entry = looked_up_again
        now_s = self._clock()
        match freshness(entry, now_s, ctx.family.exact, ctx.permits.max_age_s):
            case Fresh(age_s, ttl_s):
                reply = self._serve(ctx, entry, Outcome.HIT, age_s, ttl_s)
                if reply is not None:
                    entry.used_s = now_s  # only here: what is stale does not get fresh again by being served
            case Stale() if ctx.permits.max_age_s is not None:
                reply = None  # who limits the age takes nothing stale (RFC 9111 section 5.2.1.1)
            case Stale(age_s, while_revalidate=True):
                reply = self._serve(ctx, entry, Outcome.STALE, age_s, ctx.family.exact.ttl_s - age_s)
                if reply is not None and not ctx.permits.only_if_cached:
                    self._revalidation.start(ctx, call_next)
            case Stale():
                return await self._or_stale(ctx, entry, call_next)
            case Expired():
                reply = None
        return await call_next(ctx) if reply is None else reply

    def _serve(self, ctx: RequestContext, entry: Entry, outcome: Outcome, age_s: float, ttl_s: float) -> Reply | None:
        reply = stored_reply(ctx, entry, self._marks)
        if reply is not None:
            reply.outcome = outcome
            reply.age_s = age_s
            reply.ttl_s = ttl_s
            self._metrics.hit(entry, outcome)
        return reply

    async def _or_stale(self, ctx: RequestContext, entry: Entry, call_next: Handler) -> Reply:
        """A new answer, or the stale one if the engine fails before it has begun to answer, or its probes do."""
        if not ctx.permits.only_if_cached and all(upstream.health.is_ill for upstream in ctx.route.upstreams):
            instead = self._stale(ctx, entry)
            if instead is not None:
                return instead
        try:
            reply = await call_next(ctx)
        except ProxyError as error:
            stale = None if error.status < 500 or isinstance(error, NotCached) else self._stale(ctx, entry)
            if stale is None:
                raise
            return stale
        if reply.status < 500:
            return reply
        stale = self._stale(ctx, entry)
        if stale is None:
            return reply
        if not isinstance(reply.body, bytes):
            await reply.body.aclose()
        return stale

    def _stale(self, ctx: RequestContext, entry: Entry) -> Reply | None:
        if self._cache.peek(ctx.key) is not entry:  # purged meanwhile
            return None
        age_s = self._clock() - entry.created_s
        return self._serve(ctx, entry, Outcome.STALE, age_s, ctx.family.exact.ttl_s - age_s)
