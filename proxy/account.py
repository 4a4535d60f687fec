"""What a reply of the model paths says of itself in its headers, and what is written down of it once it is out."""

from collections.abc import Callable

from proxy.access_log import AccessLog
from proxy.context import Outcome, Reply, RequestContext
from proxy.errors import Headers
from proxy.headers import cache_status
from proxy.metrics import Metrics

PRIVATE: Headers = [(b"cache-control", b"private, no-store"), (b"vary", b"Authorization")]
"""A cache in front of askonce must not share what askonce keeps apart."""

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
    if reply.outcome is not Outcome.REFUSED:
        ttl_s = None if reply.ttl_s is None else int(reply.ttl_s)
        status = cache_status(reply.outcome.value, ttl_s=ttl_s, detail=reply.detail, stored=reply.stored)
        headers.append((b"cache-status", status))
        if ctx is not None:
            headers.append((b"x-askonce-family", ctx.family.name.encode("utf-8")))
    if reply.age_s is not None:
        headers.append((b"age", b"%d" % int(reply.age_s)))
    return headers


class Account:
    """Metrics and access log of the model paths."""

    def __init__(self, metrics: Metrics, access_log: AccessLog, clock: Callable[[], float]) -> None:
        self._metrics = metrics
        self._log = access_log
        self._clock = clock

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
        status = 499 if reply is None else reply.status
        self._metrics.replied("model", status)
        complete = ctx is not None and reply is not None and reply.outcome is not Outcome.REFUSED
        if ctx is not None and reply is not None and complete:
            self._metrics.answered(ctx, reply, first_s, elapsed_s)
        if self._log.on:
            self._log.write(
                {
                    "request_id": request_id,
                    "path": path,
                    "status": status,
                    "outcome": "gone" if reply is None else reply.outcome.value,
                    "detail": None if reply is None else reply.detail,
                    "failed": failed,
                    "family": ctx.family.name if ctx is not None and complete else None,
                    "model": ctx.route.label if ctx is not None and complete else None,
                    "upstream": None if reply is None else reply.upstream,
                    "tenant": None if ctx is None else ctx.tenant.label,
                    "key": None if ctx is None else ctx.key[:6].hex(),
                    "bytes": sent_bytes,
                    "ttft_ms": round(first_s * 1000, 2),
                    "e2e_ms": round(elapsed_s * 1000, 2),
                }
            )
