"""Waits for a place in a batch where the family asks for that; sends like completions as one where it allows that."""

import copy
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from proxy.batcher import MicroBatcher, Turn
from proxy.context import Handler, Reply, RequestContext, Stream
from proxy.errors import Headers, UpstreamFailed
from proxy.keys import namespace
from proxy.openai import COMPLETIONS

JSON_HEADERS: Headers = [(b"content-type", b"application/json")]


@dataclass(frozen=True, slots=True)
class Alone:
    """The engine refused the merged request: this one goes by itself."""


@dataclass(frozen=True, slots=True)
class Member:
    """One request of a merged batch, and how to go on from here."""

    ctx: RequestContext
    call_next: Handler


Merger = MicroBatcher[Member, Reply | Alone]


class MicroBatch:
    """Sends batches as concurrent requests, for the engine to schedule; or as one prompt array (`merge: prompts`)."""

    def __init__(self, batcher: Merger) -> None:
        self._batcher = batcher

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        batch = ctx.family.batch
        wait_s = batch.max_wait_ms / 1000
        if batch.merge == "prompts" and mergeable(ctx):
            reply = await self._batcher.submit(
                _equal_but_for_the_prompt(ctx),
                Member(ctx, call_next),
                max_batch_size=batch.max_batch_size,
                max_wait_s=wait_s,
            )
            return await call_next(ctx) if isinstance(reply, Alone) else reply
        if wait_s <= 0 or batch.max_batch_size <= 1:
            return await call_next(ctx)
        group = (ctx.path, ctx.route.model, ctx.route.revision, ctx.family.name)
        turn = await self._batcher.turn(group, max_batch_size=batch.max_batch_size, max_wait_s=wait_s)
        try:
            reply = await call_next(ctx)
        except BaseException:
            turn.done()
            raise
        if isinstance(reply.body, bytes):
            turn.done()
        else:
            reply.body = _InFlight(reply.body, turn)
        return reply


class _InFlight:
    """A body whose end, whichever, is the end of its turn."""

    def __init__(self, source: Stream, turn: Turn) -> None:
        self._source = source
        self._next = source.__aiter__().__anext__
        self._turn = turn

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await self._next()
        except BaseException:
            self._turn.done()
            raise

    async def aclose(self) -> None:
        self._turn.done()
        await self._source.aclose()


def mergeable(ctx: RequestContext) -> bool:
    """One string to complete, once, not as a stream: what an array can hold and be split into again."""
    request = ctx.request
    payload = request.payload
    return (
        ctx.path == COMPLETIONS
        and request.keyable
        and not request.stream
        and isinstance(payload.get("prompt"), str)
        and payload.get("n") in (None, 1)
        and payload.get("best_of") in (None, 1)
    )


def _equal_but_for_the_prompt(ctx: RequestContext) -> bytes:
    """Requests travel together only if they are one tenant's and agree in everything else, `max_tokens` included."""
    return namespace(
        ctx.request.payload,
        path=ctx.path,
        tenant=ctx.tenant.id,
        model=ctx.route.model,
        revision=ctx.route.revision,
        meaning=ctx.family.meaning,
        family=ctx.family.name,
        ignore_user=False,
    )


async def send_merged(members: list[Member]) -> Sequence[Reply | Alone | BaseException]:
    """Send the members as one prompt array, and give each its own choice; a lone one as it is.

    Usage is told for all prompts together, so no answer has any.
    """
    if len(members) == 1:
        return [await members[0].call_next(members[0].ctx)]
    reply = await members[0].call_next(_merged([member.ctx for member in members]))
    if not isinstance(reply.body, bytes):
        await reply.body.aclose()
        return [Alone()] * len(members)
    if reply.status != 200:
        # A refusal may be about one of the prompts only; a passing failure is everybody's.
        refused = 400 <= reply.status < 500 and reply.status not in (401, 403, 408, 429)
        return [Alone() if refused else replace(reply) for _ in members]
    answers = split(reply.body, len(members))
    if answers is None:
        raise UpstreamFailed("The upstream's answer does not have one choice for each prompt.", code="merge_failed")
    return [replace(reply, headers=[*JSON_HEADERS], body=answer) for answer in answers]


def split(body: bytes, count: int) -> list[bytes] | None:
    """A merged completion as `count` completions, in the order of the prompts; None if it does not come apart."""
    try:
        completion: Any = orjson.loads(body)
        choices = sorted(completion["choices"], key=lambda choice: choice["index"])
        if [choice["index"] for choice in choices] != list(range(count)):
            return None
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    shared = {name: value for name, value in completion.items() if name not in ("choices", "usage")}
    return [
        orjson.dumps({**shared, "id": f"{shared.get('id', 'cmpl')}-{place}", "choices": [{**choice, "index": 0}]})
        for place, choice in enumerate(choices)
    ]


def _merged(contexts: list[RequestContext]) -> RequestContext:
    first = contexts[0]
    merged = copy.copy(first)
    payload = {**first.request.payload, "prompt": [ctx.request.payload["prompt"] for ctx in contexts]}
    merged.request = replace(first.request, payload=payload)
    merged.body = orjson.dumps(payload)
    return merged
