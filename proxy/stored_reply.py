"""A stored answer as a reply, in the wire mode asked for, under a new id unless the family replays verbatim."""

import re
import time
from collections import deque
from collections.abc import AsyncIterator

from proxy.cache.exact import Entry
from proxy.context import Reply, RequestContext, Withheld
from proxy.errors import Headers
from proxy.replay import END, Marks, new_id, personal

JSON_HEADERS: Headers = [(b"content-type", b"application/json")]
EVENT_HEADERS: Headers = [(b"content-type", b"text/event-stream; charset=utf-8")]

_SANE_ID = re.compile(r"[!-~]{1,256}")
"""An engine's id that may stand in a header; one with a line break or blanks in it stays in the body."""


def stored_reply(ctx: RequestContext, entry: Entry, marks: Marks) -> Reply | None:
    """The whole answer as one body; None if the entry can't serve this client's mode."""
    template = template_of(ctx, entry)
    if template is None:
        return None
    events = ctx.request.stream
    kind = EVENT_HEADERS if events else JSON_HEADERS
    return Reply(200, _headers(kind, entry), personal(template, marks, *identity(ctx, entry)), events=events)


def template_of(ctx: RequestContext, entry: Entry) -> bytes | None:
    """What `personal` makes the body of, in the wire mode asked for; None if the entry can't serve that."""
    rendered = entry.rendered
    if not ctx.request.stream:
        return rendered.plain if entry.serves_plain else None
    if not ctx.request.include_usage:
        return rendered.stream + END
    return None if rendered.usage_event is None else rendered.stream + rendered.usage_event + END


def identity(ctx: RequestContext, entry: Entry) -> tuple[str, int]:
    """The id and the time of the answer that this client gets."""
    if ctx.family.exact.replay == "fresh":
        return new_id(ctx.head.path, entry.key), int(time.time())
    return entry.origin_id, entry.origin_created


def stored_stream(ctx: RequestContext, entry: Entry, marks: Marks) -> Reply | None:
    """The answer as a stream for a flight, of which each reader takes what it asked for: usage is withheld."""
    rendered = entry.rendered
    if not rendered.has_usage and ctx.request.include_usage:
        return None
    parts = [rendered.stream, rendered.usage_event or b"", END]
    stream, usage, end = personal(_SEAM.join(parts), marks, *identity(ctx, entry)).split(_SEAM)
    return Reply(200, _headers(EVENT_HEADERS, entry), _Chunks([stream, Withheld(usage), end]), events=True)


_SEAM = b"\0"
"""In no event stream of JSON: it keeps parts apart that get one id together."""


def _headers(kind: Headers, entry: Entry) -> Headers:
    if _SANE_ID.fullmatch(entry.origin_id):
        return [*kind, (b"x-askonce-origin-id", entry.origin_id.encode("ascii"))]
    return [*kind]


class _Chunks:
    """A stream that is already there."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = deque(chunk for chunk in chunks if chunk)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if not self._chunks:
            raise StopAsyncIteration
        return self._chunks.popleft()

    async def aclose(self) -> None:
        self._chunks.clear()
