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
    rendered = entry.rendered
    if not ctx.request.stream:
        if not entry.serves_plain:
            return None
        return Reply(200, _headers(JSON_HEADERS, entry), _personal(ctx, entry, rendered.plain, marks))
    template = rendered.stream + END
    if ctx.request.include_usage:
        if rendered.usage_event is None:
            return None
        template = rendered.stream + rendered.usage_event + END
    return Reply(200, _headers(EVENT_HEADERS, entry), _personal(ctx, entry, template, marks), events=True)


def stored_stream(ctx: RequestContext, entry: Entry, marks: Marks) -> Reply | None:
    """The answer as a stream for a flight, of which each reader takes what it asked for: usage is withheld."""
    rendered = entry.rendered
    if not rendered.has_usage and ctx.request.include_usage:
        return None
    parts = [rendered.stream, rendered.usage_event or b"", END]
    stream, usage, end = _personal(ctx, entry, _SEAM.join(parts), marks).split(_SEAM)
    return Reply(200, _headers(EVENT_HEADERS, entry), _Chunks([stream, Withheld(usage), end]), events=True)


_SEAM = b"\0"
"""In no event stream of JSON: it keeps parts apart that get one id together."""


def _personal(ctx: RequestContext, entry: Entry, template: bytes, marks: Marks) -> bytes:
    if ctx.family.exact.replay == "fresh":
        return personal(template, marks, new_id(ctx.path, entry.key), int(time.time()))
    return personal(template, marks, entry.origin_id, entry.origin_created)


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
