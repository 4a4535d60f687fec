"""The shortest way of an exact hit: answered in the server's protocol, before there is a task.

It answers only what the chain has answered from the cache before, for the very same bytes: request line, headers and
body. What was decided then (tenant, family, route, key, permissions) is remembered by those bytes, until a reload, a
purge or a change of the route; what changes by itself (the entry, its age, whether the credential still holds) is asked
each time. Everything else returns None and goes the usual way.

Two names lead to what is remembered: the parsed request without the headers that vary, and the bytes of one read that
held exactly one such request. By the second name a request need not even be parsed.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import orjson

from proxy.acceptance import Acceptance
from proxy.account import Account, Repeated, head_of
from proxy.cache.exact import Entry, ExactCache, overdue_s
from proxy.context import Outcome, Reply, RequestContext
from proxy.errors import Headers
from proxy.headers import new_request_id
from proxy.permit import ALL
from proxy.replay import Marks
from proxy.request_head import RequestHead
from proxy.stored_reply import identity, stored_reply, template_of
from proxy.upstream.pool import Pool

MAX_REMEMBERED_BYTES = 16_777_216
"""Of requests that are remembered, heads and bodies together; by each of the two names."""

MAX_BODY_BYTES = 65_536
"""A longer body goes the usual way: it is seldom sent twice, and reading it is the smaller part of its cost."""

SMALL_BYTES = 2048
"""What a request's head and its reply count for at least."""

K = TypeVar("K")
V = TypeVar("V")

_Name = tuple[bytes, bytes]
"""`RequestHead.told`, and the body."""


class HitLane:
    """See `proxy.connection.Lane`."""

    def __init__(
        self,
        cache: ExactCache,
        pool: Pool,
        acceptance: Acceptance,
        marks: Marks,
        account: Account,
        clock: Callable[[], float],
    ) -> None:
        self._cache = cache
        self._pool = pool
        self._acceptance = acceptance
        self._marks = marks
        self._account = account
        self._clock = clock
        self._by_parts: _Remembered[_Name, _Known] = _Remembered()
        self._by_bytes: _Remembered[bytes, tuple[_Known, str | None]] = _Remembered()
        self._body_lengths: set[int] = set()
        self._read_lengths: set[int] = set()
        """Of what is, or was, remembered by either name: bytes of another length need not be hashed."""
        self._answered: tuple[_Known, str | None] | None = None
        """What `parsed` has answered last, and the client's own request id. No more of a head is kept for each read."""
        self.generation = 0
        """Counts reloads and purges: what was decided before one does not count after it."""

    def remember(self, ctx: RequestContext, reply: Reply, generation: int) -> None:
        """The chain has answered `ctx` with `reply`: the next equal request may take this way.

        `generation` is that of the time when the request came. A tenant with a rate is counted by the usual way, and
        whether `x-tenant` counts depends on the peer, which is not remembered.
        """
        if (
            reply.outcome is Outcome.HIT
            and isinstance(reply.body, bytes)
            and ctx.permits is ALL
            and not ctx.head.query
            and len(ctx.body) <= MAX_BODY_BYTES
            and ctx.tenant.unlimited
            and b"x-tenant" not in ctx.head.fields
            and generation == self.generation
        ):
            name = ctx.head.told, ctx.body
            known = _Known(ctx, len(name[0]) + _size(ctx.head.headers) + len(reply.body))
            self._body_lengths.add(len(ctx.body))
            self._by_parts.put(name, known, 2 * len(ctx.body) + max(known.size, SMALL_BYTES))

    def forget(self) -> None:
        """A reload, or a purge: nothing that was decided before counts."""
        self.generation += 1
        self._by_parts.clear()
        self._by_bytes.clear()
        self._body_lengths.clear()
        self._read_lengths.clear()
        self._answered = None

    def parsed(self, head: RequestHead, body: bytes) -> bytes | None:
        """The reply to a request of the same bytes as one that was answered from the cache."""
        self._answered = None
        if len(body) not in self._body_lengths:
            return None
        known = self._by_parts.get((head.told, body))
        reply = None if known is None else self._reply(known, head.given_id)
        if known is not None and reply is not None:
            self._answered = known, head.given_id
        return reply

    def arrived_as(self, data: bytes) -> None:
        """What `parsed` was asked last had come as `data`, one read that began and ended with it."""
        if self._answered is not None and len(data) <= MAX_BODY_BYTES:
            self._read_lengths.add(len(data))
            self._by_bytes.put(data, self._answered, len(data) + max(self._answered[0].size, SMALL_BYTES))

    def unparsed(self, data: bytes) -> bytes | None:
        """The reply to a read of the same bytes as one that `parsed` has answered, on a connection between requests."""
        if len(data) not in self._read_lengths:
            return None
        found = self._by_bytes.get(data)
        return None if found is None else self._reply(*found)

    def _reply(self, known: "_Known", given_id: str | None) -> bytes | None:
        ctx = known.ctx
        if self._pool.route(ctx.request.model) is not ctx.route:
            return None
        entry = self._cache.get(ctx.key)
        if entry is None or not self._acceptance.holds(ctx):
            return None
        now_s = self._clock()
        over_s = overdue_s(entry, now_s, ctx.family.exact)
        if over_s >= 0:
            return None
        if known.prepared is None or known.prepared.entry is not entry:
            known.prepared = self._prepare(ctx, entry)
        prepared = known.prepared
        if prepared is None:
            return None
        entry.used_s = now_s
        request_id = given_id or new_request_id()
        answer_id, created = identity(ctx, entry)
        reply = prepared.template % {
            b"request_id": request_id.encode("ascii"),
            b"ttl": int(-over_s),
            b"age": int(now_s - entry.created_s),
            self._marks.id: orjson.dumps(answer_id),
            self._marks.created: b"%d" % created,
        }
        prepared.repeated.note(request_id, now_s)
        return reply

    def _prepare(self, ctx: RequestContext, entry: Entry) -> "_Prepared | None":
        """The reply as a format, head and body; None if this entry can't serve this request."""
        # Every id of a family is as long as every other, so the length of one body is that of all.
        reply, template = stored_reply(ctx, entry, self._marks), template_of(ctx, entry)
        if reply is None or template is None:
            return None
        assert isinstance(reply.body, bytes)
        reply.outcome, reply.age_s, reply.ttl_s = Outcome.HIT, 0, 0
        lines = []
        for name, value in head_of(reply, "", ctx):
            match name:
                case b"x-request-id":
                    told = b"%(request_id)b"
                case b"age":
                    told = b"%(age)d"
                case b"cache-status":
                    told = value.replace(b"%", b"%%").replace(b"ttl=0", b"ttl=%(ttl)d")
                case _:
                    told = value.replace(b"%", b"%%")
            lines.append(name + b": " + told)
        lines.append(b"content-length: %d\r\n\r\n" % len(reply.body))
        return _Prepared(entry, b"\r\n".join(lines) + template, self._account.repeated(ctx, entry, reply))


@dataclass(slots=True, eq=False)
class _Known:
    """A request that the chain has answered from the cache."""

    ctx: RequestContext
    size: int
    """Bytes of its head and of its reply, which is kept as a format."""
    prepared: "_Prepared | None" = None


@dataclass(slots=True, frozen=True, eq=False)
class _Prepared:
    """What a reply from one entry is made of."""

    entry: Entry
    template: bytes
    repeated: Repeated


class _Remembered(Generic[K, V]):
    """A map of at most MAX_REMEMBERED_BYTES; the least recently used leaves first."""

    __slots__ = ("_items", "size")

    def __init__(self) -> None:
        self._items: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.size = 0
        """Bytes that all items count for."""

    def get(self, name: K) -> V | None:
        """What is remembered by this name; a use of it."""
        found = self._items.get(name)
        if found is None:
            return None
        self._items.move_to_end(name)
        return found[0]

    def put(self, name: K, value: V, size: int) -> None:
        """Remember `value`, which counts for `size` bytes."""
        if (replaced := self._items.pop(name, None)) is not None:
            self.size -= replaced[1]
        self._items[name] = value, size
        self.size += size
        while self.size > MAX_REMEMBERED_BYTES:
            self.size -= self._items.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget everything."""
        self._items.clear()
        self.size = 0


def _size(headers: Headers) -> int:
    return sum(len(name) + len(value) for name, value in headers)
