"""What a reply of the model paths says of itself in its headers, and what is written down of it once it is out."""

from collections.abc import Callable
from functools import lru_cache

import orjson

from proxy.cache.exact import Entry
from proxy.context import Outcome, Reply, RequestContext
from proxy.errors import Headers
from proxy.headers import cache_status
from proxy.journal import Journal
from proxy.metrics import Metrics
from proxy.tally import Count

PRIVATE: Headers = [(b"cache-control", b"private, no-store"), (b"vary", b"Authorization")]
"""A cache in front of askonce must not share what askonce keeps apart."""

REFUSED = Outcome.REFUSED
"""Read once: from the class it is a call."""

GONE = 499
"""The status told of a request whose client left."""

_OURS = frozenset(
    {b"age", b"cache-control", b"cache-status", b"cdn-cache-control", b"content-length", b"date", b"expires"}
    | {b"pragma", b"surrogate-control", b"x-request-id"}
)
"""What askonce or its server says itself, or would contradict what it says."""


def without_ours(headers: Headers) -> Headers:
    """A reply's headers without those that the edge writes."""
    return [item for item in headers if item[0] not in _OURS]


def head_of(reply: Reply, request_id: str, ctx: RequestContext | None) -> Headers:
    """The headers of a reply to a client, but for its length."""
    headers = without_ours(reply.headers)
    headers += PRIVATE
    headers.append((b"x-request-id", request_id.encode("ascii")))
    if reply.outcome is not REFUSED:
        ttl_s = None if reply.ttl_s is None else int(reply.ttl_s)
        headers.append((b"cache-status", _status(reply.outcome, ttl_s, reply.detail, reply.stored)))
        if ctx is not None:
            headers.append((b"x-askonce-family", ctx.family.name.encode("utf-8")))
    if reply.age_s is not None:
        headers.append((b"age", b"%d" % int(reply.age_s)))
    return headers


def lines_of(reply: Reply, request_id: str, ctx: RequestContext | None) -> bytes:
    """`head_of` as it is written: each line with its end.

    Raises:
        ValueError: a header holds a line break or a NUL.
    """
    if reply.ttl_s is not None or reply.age_s is not None or reply.outcome is REFUSED or ctx is None:
        return written(head_of(reply, request_id, ctx))
    told = reply.outcome, reply.detail, reply.stored, ctx.family.name
    before, after = _repeated_lines(tuple(without_ours(reply.headers)), told)
    return b"%b%b%b" % (before, request_id.encode("ascii"), after)


@lru_cache(64)
def _repeated_lines(
    headers: tuple[tuple[bytes, bytes], ...], told: tuple[Outcome, str | None, bool, str]
) -> tuple[bytes, bytes]:
    """What is written before and after the request id. An engine's answers are mostly alike in their headers."""
    outcome, detail, stored, family = told
    before = [*headers, *PRIVATE]
    after = [(b"cache-status", _status(outcome, None, detail, stored))]
    after.append((b"x-askonce-family", family.encode("utf-8")))
    return written(before) + b"x-request-id: ", b"\r\n" + written(after)


def written(headers: Headers) -> bytes:
    """Headers as they are written, each line with its end.

    Raises:
        ValueError: one holds a line break or a NUL.
    """
    lines = b"".join([b"%b: %b\r\n" % item for item in headers])
    count = len(headers)
    if lines.count(b"\n") != count or lines.count(b"\r") != count or b"\0" in lines:
        raise ValueError("a header of a reply holds a line break or a NUL")
    return lines


@lru_cache(1024)
def _status(outcome: Outcome, ttl_s: int | None, detail: str | None, stored: bool) -> bytes:
    return cache_status(outcome.value, ttl_s=ttl_s, detail=detail, stored=stored)


class Account:
    """Metrics and access log of the model paths."""

    def __init__(self, metrics: Metrics, journal: Journal, clock: Callable[[], float]) -> None:
        self._metrics = metrics
        self._journal = journal
        self._clock = clock
        self._tally = lru_cache(1024)(self._tally_of)

    def note(
        self,
        path: str,
        ctx: RequestContext | None,
        reply: Reply | None,
        request_id: str,
        arrived_s: float,
        first_byte_s: float | None,
        sent_bytes: int,
        failed: str | None = None,
    ) -> None:
        """A request is over; without a reply, its client left. Times are the clock's."""
        now_s = self._clock()
        elapsed_s = now_s - arrived_s
        first_s = (first_byte_s or now_s) - arrived_s
        count: Count | None = None
        if ctx is not None and reply is not None and reply.outcome is not REFUSED:
            template, count = self._tally(
                path,
                reply.status,
                reply.outcome,
                reply.detail,
                failed,
                ctx.family.name,
                ctx.route.label,
                reply.upstream,
                ctx.tenant.label,
                ctx.permits.reason,
            )
        else:
            self._metrics.replied("model", GONE if reply is None else reply.status)
            template = _unanswered(path, ctx, reply, failed)
        key = None if ctx is None else ctx.key
        self._journal.note(count, template, request_id, key, sent_bytes, now_s, first_s, elapsed_s)

    def _tally_of(
        self,
        path: str,
        status: int,
        outcome: Outcome,
        detail: str | None,
        failed: str | None,
        family: str,
        model: str,
        upstream: str | None,
        tenant: str,
        reason: str | None,
    ) -> tuple[bytes, Count]:
        """Of all answers that agree in these: their line in the log, as a format, and what counts one of them."""
        template = _format(path, status, outcome, detail, failed, family, model, upstream, tenant)
        return template, self._metrics.answers(status, outcome, family, model, reason)

    def repeated(self, ctx: RequestContext, entry: Entry, reply: Reply) -> "Repeated":
        """For a reply from `entry` that goes out again and again, at once: what is the same each time, made ready."""
        assert isinstance(reply.body, bytes)
        family, model = ctx.family.name, ctx.route.label
        template = _format(
            ctx.head.path,
            reply.status,
            reply.outcome,
            reply.detail,
            None,
            family,
            model,
            reply.upstream,
            ctx.tenant.label,
        )
        count = self._metrics.repeated(ctx, entry, reply)
        return Repeated(count, self._journal, self._clock, template, ctx.key, len(reply.body))


class Repeated:
    """Writes down one reply after another, of which only times and request ids differ."""

    __slots__ = ("_clock", "_count", "_journal", "_key", "_sent_bytes", "_template")

    def __init__(
        self,
        count: Count,
        journal: Journal,
        clock: Callable[[], float],
        template: bytes,
        key: bytes,
        sent_bytes: int,
    ) -> None:
        self._count = count
        self._journal = journal
        self._clock = clock
        self._template = template
        self._key = key
        self._sent_bytes = sent_bytes

    def note(self, request_id: str, arrived_s: float) -> None:
        """As `Account.note`, for a reply that goes out whole."""
        now_s = self._clock()
        elapsed_s = now_s - arrived_s
        told = self._key, self._sent_bytes, now_s, elapsed_s, elapsed_s
        self._journal.note(self._count, self._template, request_id, *told)


def _unanswered(path: str, ctx: RequestContext | None, reply: Reply | None, failed: str | None) -> bytes:
    """The line of a request that was refused, or whose client left."""
    tenant = None if ctx is None else ctx.tenant.label
    if reply is None:
        return _format(path, GONE, "gone", None, failed, None, None, None, tenant)
    return _format(path, reply.status, reply.outcome, reply.detail, failed, None, None, reply.upstream, tenant)


@lru_cache(1024)
def _format(
    path: str,
    status: int,
    outcome: str,
    detail: str | None,
    failed: str | None,
    family: str | None,
    model: str | None,
    upstream: str | None,
    tenant: str | None,
) -> bytes:
    """A line of the access log as a format: of time, request id, key as JSON, bytes, and milliseconds twice."""
    before = {"path": path, "status": status, "outcome": outcome, "detail": detail, "failed": failed}
    before |= {"family": family, "model": model, "upstream": upstream, "tenant": tenant}
    same = orjson.dumps(before)[1:-1].replace(b"%", b"%%")
    return b'{"time":%.3f,"request_id":"%b",' + same + b',"key":%b,"bytes":%d,"ttft_ms":%.2f,"e2e_ms":%.2f}\n'
