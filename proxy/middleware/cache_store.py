"""Copies an answer as it passes, and stores it if it ended cleanly."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from proxy.cache.exact import Entry, ExactCache
from proxy.context import Handler, Reply, RequestContext, Stream
from proxy.metrics import Metrics
from proxy.openai import fold_stream, read_record
from proxy.replay import Marks, render
from proxy.storable import why_not_stored


class CacheStore:
    """The entry is in the cache before the stream it came from ends, and so before its flight leaves the map."""

    def __init__(
        self,
        cache: ExactCache,
        marks: Marks,
        metrics: Metrics,
        clock: Callable[[], float],
        *,
        max_entry_bytes: int,
        on_stored: Callable[[RequestContext, Entry], None] | None = None,
    ) -> None:
        """`on_stored` must not suspend; it may start what goes on after the answer has been sent."""
        self._cache = cache
        self._marks = marks
        self._metrics = metrics
        self._clock = clock
        self._max_entry_bytes = max_entry_bytes
        self._on_stored = on_stored

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        asked_s, purges = self._clock(), self._cache.purges
        reply = await call_next(ctx)
        if not ctx.permits.store:
            return reply
        if isinstance(reply.body, bytes):
            ctx.upstream_s = self._clock() - asked_s
            record = read_record(reply.body) if reply.status == 200 else None
            reply.stored = self._keep(
                ctx, reply.status, record, reply.body, purges, streamed=False, done=True, error=False
            )
        elif reply.status != 200 or not reply.events:
            self._metrics.not_stored("status" if reply.status != 200 else "size")
        else:
            keep = partial(self._keep_stream, ctx, asked_s, purges)
            reply.body = _Copied(reply.body, self._max_entry_bytes, keep)
        return reply

    def _keep_stream(self, ctx: RequestContext, asked_s: float, purges: int, raw: bytes | None) -> None:
        ctx.upstream_s = self._clock() - asked_s
        if raw is None:
            self._metrics.not_stored("size")
            return
        folded = fold_stream(raw)
        if not folded.ends_agree:
            self._metrics.not_stored("finish_reason")
            return
        self._keep(ctx, 200, folded.record, raw, purges, streamed=True, done=folded.done, error=folded.error)

    def _keep(
        self,
        ctx: RequestContext,
        status: int,
        record: dict[str, Any] | None,
        raw: bytes,
        purges: int,
        *,
        streamed: bool,
        done: bool,
        error: bool,
    ) -> bool:
        exact = ctx.family.exact
        ctx.prompt_tokens, ctx.completion_tokens = _tokens(record)
        self._metrics.spent(ctx.prompt_tokens, ctx.completion_tokens)
        reason = why_not_stored(
            status,
            record,
            streamed=streamed,
            done=done,
            error=error,
            finish_reasons=exact.finish_reasons,
            store_refusals=exact.store_refusals,
            request_payload=ctx.request.payload,
            size=len(raw),
            max_entry_bytes=self._max_entry_bytes,
        )
        if record is not None and exact.replay == "verbatim" and not _has_identity(record):
            reason = reason or "shape"
        if self._cache.purges != purges and self._cache.purged_since(purges, ctx.family.name):
            reason = reason or "purged"
        if reason is not None or record is None:
            self._metrics.not_stored(reason or "shape")
            return False
        entry = self._entry(ctx, record, None if streamed else raw)
        if not self._cache.put(entry):
            self._metrics.not_stored("size")
            return False
        self._metrics.stored(entry.family)
        if self._on_stored is not None:
            self._on_stored(ctx, entry)
        return True

    def _entry(self, ctx: RequestContext, record: dict[str, Any], raw: bytes | None) -> Entry:
        """`raw`: what the record was read from, unless that was a stream."""
        now_s = self._clock()
        created = record.get("created")
        serves_plain = raw is not None or isinstance(record.get("usage"), dict)
        origin_id, origin_created = str(record.get("id", "")), created if type(created) is int else 0
        return Entry(  # by place: with names it takes three times as long
            ctx.key,
            now_s,
            now_s,
            ctx.family.name,
            render(record, self._marks, raw),
            serves_plain,
            origin_id,
            origin_created,
            ctx.prompt_tokens,
            ctx.completion_tokens,
            ctx.upstream_s,
        )


class _Copied:
    """A stream that hands itself, whole, to `finish` when it ended cleanly; None in its place if it was too long."""

    def __init__(self, source: Stream, max_bytes: int, finish: Callable[[bytes | None], None]) -> None:
        self._source = source
        self._next = source.__aiter__().__anext__
        self._room = max_bytes
        self._chunks: list[bytes] = []
        self._finish: Callable[[bytes | None], None] | None = finish

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            chunk = await self._next()
        except StopAsyncIteration:
            finish, self._finish = self._finish, None
            if finish is not None:
                finish(b"".join(self._chunks) if self._room >= 0 else None)
            raise
        self._room -= len(chunk)
        if self._room >= 0:
            self._chunks.append(chunk)
        else:
            self._chunks.clear()
        return chunk

    async def aclose(self) -> None:
        self._finish = None
        await self._source.aclose()


def _has_identity(record: dict[str, Any]) -> bool:
    """Whether its id and time are such that they can be given again as they were."""
    return isinstance(record.get("id"), str) and type(record.get("created")) is int


def _tokens(record: dict[str, Any] | None) -> tuple[int, int]:
    """Of the prompt and of the answer, as the engine counted them; 0 where it did not."""
    usage = record.get("usage") if record is not None else None
    if not isinstance(usage, dict):
        return 0, 0
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return (
        prompt if type(prompt) is int and prompt >= 0 else 0,
        completion if type(completion) is int and completion >= 0 else 0,
    )
