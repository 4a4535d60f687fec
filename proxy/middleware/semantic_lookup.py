"""An answered question in other words: served where the family has proven that safe."""

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from proxy.acceptance import Acceptance
from proxy.cache.exact import ExactCache
from proxy.cache.lookup import Hit
from proxy.context import Handler, Matched, Outcome, Reply, RequestContext
from proxy.metrics import Metrics
from proxy.replay import Marks
from proxy.stored_reply import stored_reply, stored_stream

if TYPE_CHECKING:  # loading it loads numpy
    from proxy.semantics import Semantics

logger = logging.getLogger("askonce.semantics")


class SemanticLookup:
    """Runs in the flight, once for all who ask the same; a hit is not stored again under the asker's key."""

    def __init__(
        self,
        cache: ExactCache,
        marks: Marks,
        metrics: Metrics,
        acceptance: Acceptance,
        clock: Callable[[], float],
    ) -> None:
        self.semantics: Semantics | None = None
        """Set by the app once a family needs it."""
        self._cache = cache
        self._marks = marks
        self._metrics = metrics
        self._acceptance = acceptance
        self._clock = clock

    def __call__(self, ctx: RequestContext, call_next: Handler) -> Awaitable[Reply]:
        semantics, permits = self.semantics, ctx.permits
        if semantics is None or ctx.family.semantic.mode == "off" or not (permits.look_up or permits.store):
            return call_next(ctx)
        return self._look_up(semantics, ctx, call_next)

    async def _look_up(self, semantics: "Semantics", ctx: RequestContext, call_next: Handler) -> Reply:
        mode = ctx.family.semantic.mode
        permits = ctx.permits
        matched = ctx.matched = semantics.matched(ctx)
        if matched is None or not permits.look_up or not self._acceptance.holds(ctx):
            return await call_next(ctx)
        found = await semantics.look_up(ctx, matched)
        verdict = found.verdict
        if isinstance(verdict, Hit):
            if mode == "on":
                reply = self._serve(ctx, semantics, matched, verdict)
                if reply is not None:
                    return reply
            else:
                self._metrics.semantic_miss(ctx.family.name, "shadow")
                logger.info("shadow: family %s would have served at %.3f", ctx.family.name, verdict.similarity)
            return await call_next(ctx)
        self._metrics.semantic_miss(ctx.family.name, verdict.reason)
        reply = await call_next(ctx)
        if reply.outcome is Outcome.MISS and verdict.reason != "empty":
            reply.detail = f"semantic-{verdict.reason.replace('_', '-')}"
        return reply

    def _serve(self, ctx: RequestContext, semantics: "Semantics", matched: Matched, hit: Hit) -> Reply | None:
        """The hit's answer in the asker's wire mode; its age, origin and expiry stay its own."""
        entry = self._cache.get(hit.candidate.key)
        if entry is None:
            return None
        answer = stored_stream if ctx.request.stream else stored_reply
        reply = answer(ctx, entry, self._marks)
        if reply is None:
            return None
        now_s = self._clock()
        entry.used_s = now_s
        reply.outcome = Outcome.SEMANTIC
        reply.detail = "semantic"
        reply.similarity = hit.similarity
        reply.headers.append((b"x-askonce-similarity", b"%.4f" % hit.similarity))
        reply.age_s = now_s - entry.created_s
        reply.ttl_s = max(0.0, ctx.family.exact.ttl_s - reply.age_s)
        self._metrics.hit(entry, Outcome.SEMANTIC)
        semantics.served(hit, matched.text)
        return reply
