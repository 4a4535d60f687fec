"""The same key, a fresh entry: answered from this process's memory, without an await."""

import re
import time
from collections.abc import Callable

from proxy.cache.exact import Entry, ExactCache, Fresh, freshness
from proxy.context import Handler, Outcome, Reply, RequestContext
from proxy.errors import Headers
from proxy.metrics import Metrics
from proxy.replay import END, Marks, new_id, personal

JSON_HEADERS: Headers = [(b"content-type", b"application/json")]
EVENT_HEADERS: Headers = [(b"content-type", b"text/event-stream; charset=utf-8")]

_SANE_ID = re.compile(r"[!-~]{1,256}")
"""An engine's id that may stand in a header; one with a line break or blanks in it stays in the body."""


def replay(ctx: RequestContext, entry: Entry, marks: Marks) -> Reply | None:
    """`entry` in the wire mode the client asked for, or None if it can't serve that mode.

    Under a new id and time, unless the family replays verbatim.
    """
    stream = ctx.request.stream
    if stream:
        if ctx.request.include_usage:
            if entry.usage_event is None:
                return None
            template = entry.stream + entry.usage_event + END
        else:
            template = entry.stream + END
        headers = [*EVENT_HEADERS]
    elif entry.plain is None:
        return None
    else:
        template = entry.plain
        headers = [*JSON_HEADERS]
    if ctx.family.exact.replay == "fresh":
        body = personal(template, marks, new_id(ctx.path, entry.key), int(time.time()))
    else:
        body = personal(template, marks, entry.origin_id, entry.origin_created)
    if _SANE_ID.fullmatch(entry.origin_id):
        headers.append((b"x-askonce-origin-id", entry.origin_id.encode("ascii")))
    return Reply(200, headers, body, events=stream)


class ExactLookup:
    """Serves a hit; else lets the request go on to the flights, with no suspension in between."""

    def __init__(self, cache: ExactCache, marks: Marks, metrics: Metrics, clock: Callable[[], float]) -> None:
        self._cache = cache
        self._marks = marks
        self._metrics = metrics
        self._clock = clock

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        if not ctx.permits.look_up:
            return await call_next(ctx)
        entry = self._cache.get(ctx.key)
        if entry is None:
            return await call_next(ctx)
        now_s = self._clock()
        verdict = freshness(entry, now_s, ctx.family.exact, ctx.permits.max_age_s)
        if not isinstance(verdict, Fresh):
            return await call_next(ctx)
        reply = replay(ctx, entry, self._marks)
        if reply is None:
            return await call_next(ctx)
        entry.used_s = now_s
        reply.outcome = Outcome.HIT
        reply.detail = "exact"
        reply.age_s = now_s - entry.created_s
        reply.ttl_s = verdict.ttl_s
        self._metrics.hit(entry, Outcome.HIT)
        return reply
