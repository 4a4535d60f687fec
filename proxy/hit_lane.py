"""The shortest way of an exact hit: answered in the server's protocol, before there is a task or an ASGI message.

It answers only what the chain has answered from the cache before, for the very same bytes: request line, headers and
body. What was decided then (tenant, family, route, key, permissions) is remembered by those bytes, until a reload or a
change of the route; what changes by itself (the entry, its age, whether the credential still holds) is asked each time.
Everything else returns None and goes the usual way.
"""

from collections.abc import Callable

from cachetools import LRUCache

from proxy.acceptance import Acceptance
from proxy.account import Account, head_of
from proxy.cache.exact import ExactCache, Fresh, freshness
from proxy.context import Outcome, Reply, RequestContext
from proxy.errors import Headers
from proxy.headers import request_id
from proxy.metrics import Metrics
from proxy.permit import ALL
from proxy.replay import Marks
from proxy.stored_reply import stored_reply
from proxy.upstream.pool import Pool

MAX_REMEMBERED_BYTES = 16_777_216
"""Of requests that are remembered, heads and bodies together."""

MAX_BODY_BYTES = 65_536
"""A longer body goes the usual way: it is seldom sent twice, and reading it is the smaller part of its cost."""

VARYING = frozenset({b"x-request-id", b"traceparent", b"tracestate", b"x-stainless-retry-count"})
"""Headers that differ from request to request and have no part in any decision."""

_Name = tuple[bytes, bytes, tuple[tuple[bytes, bytes], ...]]


class HitLane:
    """Called by the protocol with a whole request; the whole reply, or None."""

    def __init__(
        self,
        cache: ExactCache,
        pool: Pool,
        acceptance: Acceptance,
        marks: Marks,
        metrics: Metrics,
        account: Account,
        clock: Callable[[], float],
    ) -> None:
        self._cache = cache
        self._pool = pool
        self._acceptance = acceptance
        self._marks = marks
        self._metrics = metrics
        self._account = account
        self._clock = clock
        self._remembered: LRUCache[_Name, RequestContext] = LRUCache(MAX_REMEMBERED_BYTES, getsizeof=_size)
        self.generation = 0
        """Counts the reloads: what was decided before one does not count after it."""

    def remember(self, ctx: RequestContext, reply: Reply, generation: int) -> None:
        """The chain has answered `ctx` with `reply`: the next equal request may take this way.

        `generation` is that of the time when the request came. A tenant with a rate is counted by the usual way, and
        whether `x-tenant` counts depends on the peer, which is not remembered.
        """
        if (
            reply.outcome is Outcome.HIT
            and ctx.permits is ALL
            and not ctx.query
            and len(ctx.body) <= MAX_BODY_BYTES
            and ctx.tenant.unlimited
            and b"x-tenant" not in ctx.fields
            and generation == self.generation
        ):
            self._remembered[_name(ctx.path.encode("ascii"), ctx.raw_headers, ctx.body)] = ctx

    def forget(self) -> None:
        """A reload: nothing that was decided before counts."""
        self.generation += 1
        self._remembered.clear()

    def __call__(self, url: bytes, headers: Headers, body: bytes) -> bytes | None:
        """The reply to a request of the same bytes as one that was answered from the cache; None: the usual way."""
        ctx = self._remembered.get(_name(url, headers, body))
        if ctx is None or self._pool.route(ctx.request.model) is not ctx.route:
            return None
        entry = self._cache.get(ctx.key)
        if entry is None or not self._acceptance.holds(ctx):
            return None
        arrived_s = self._clock()
        verdict = freshness(entry, arrived_s, ctx.family.exact, None)
        if not isinstance(verdict, Fresh):
            return None
        reply = stored_reply(ctx, entry, self._marks)
        if reply is None:
            return None
        entry.used_s = arrived_s
        reply.outcome = Outcome.HIT
        reply.age_s = verdict.age_s
        reply.ttl_s = verdict.ttl_s
        named = request_id([value for name, value in headers if name == b"x-request-id"])
        head = b"".join([b"%b: %b\r\n" % item for item in head_of(reply, named, ctx)])
        content: bytes = reply.body  # type: ignore[assignment]  # a stored reply is whole
        self._metrics.hit(entry, Outcome.HIT)
        self._account.note(
            ctx.path,
            ctx,
            reply,
            request_id=named,
            arrived_s=arrived_s,
            first_byte_s=None,
            sent_bytes=len(content),
        )
        return b"HTTP/1.1 200 OK\r\n%bcontent-length: %d\r\n\r\n%b" % (head, len(content), content)


def _name(url: bytes, headers: Headers, body: bytes) -> _Name:
    return url, body, tuple([item for item in headers if item[0] not in VARYING])


def _size(ctx: RequestContext) -> int:
    return 2048 + 2 * len(ctx.body)
