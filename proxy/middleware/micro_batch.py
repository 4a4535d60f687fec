"""Waits for a place in a batch where the family asks for that; sends like completions as one where it allows that."""

import copy
import logging
from collections.abc import AsyncIterator, Awaitable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from policies.model import BatchPolicy
from proxy.batcher import MicroBatcher, Turn
from proxy.context import Handler, Outcome, Reply, RequestContext, Stream
from proxy.errors import Headers
from proxy.headers import FORWARDED, SHARED_HEADERS
from proxy.openai import COMPLETIONS
from proxy.permit import ALL, STATEFUL

JSON_HEADERS: Headers = [(b"content-type", b"application/json")]
TRACES = frozenset({b"traceparent", b"tracestate"})
"""Of one request each, so that no two requests agree in them."""

logger = logging.getLogger("askonce.batch")


@dataclass(frozen=True, slots=True)
class Alone:
    """The merged request got no answer that could be taken apart: this one goes by itself."""


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

    def __call__(self, ctx: RequestContext, call_next: Handler) -> Awaitable[Reply]:
        batch = ctx.family.batch
        if ctx.permits.only_if_cached:
            return call_next(ctx)  # to be refused, and never sent
        if batch.merge != "prompts" and (batch.max_wait_ms <= 0 or batch.max_batch_size <= 1):
            return call_next(ctx)
        return self._in_batch(ctx, batch, call_next)

    async def _in_batch(self, ctx: RequestContext, batch: BatchPolicy, call_next: Handler) -> Reply:
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
        group = (ctx.head.path, ctx.route.model, ctx.route.revision, ctx.family.name)
        turn = await self._batcher.turn(group, max_batch_size=batch.max_batch_size, max_wait_s=wait_s)
        try:
            reply = await call_next(ctx)
        except BaseException:  # a cancellation too: the turn is others' to have
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
        except BaseException:  # as above
            self._turn.done()
            raise

    async def aclose(self) -> None:
        self._turn.done()
        await self._source.aclose()


def mergeable(ctx: RequestContext) -> bool:
    """One string to complete, once, and nowhere as a stream: what an array can hold and be split into again."""
    request = ctx.request
    payload = request.payload
    return (
        ctx.head.path == COMPLETIONS
        and request.keyable
        and not request.stream
        and not any(upstream.always_stream for upstream in ctx.route.upstreams)
        and isinstance(payload.get("prompt"), str)
        and payload.get("n") in (None, 1)
        and payload.get("best_of") in (None, 1)
        and payload.keys().isdisjoint(STATEFUL)
    )


def _equal_but_for_the_prompt(ctx: RequestContext) -> Hashable:
    """Requests travel together only if they are one tenant's and agree in all else that goes up, `max_tokens` included.

    More than the key looks at: one member's `metadata` or `service_tier` must not become all members'.
    """
    parameters = {name: value for name, value in ctx.request.payload.items() if name != "prompt"}
    headers = tuple(item for item in ctx.head.headers if item[0] in FORWARDED and item[0] not in TRACES)
    told = orjson.dumps(parameters, option=orjson.OPT_SORT_KEYS)
    return ctx.head.target, ctx.tenant.id, ctx.route.model, ctx.route.revision, ctx.family.name, told, headers


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
        # A refusal may be about one of the prompts only, and so may a fault of the engine (some answer a prompt that
        # they choke on with 500); a passing failure is everybody's.
        if 400 <= reply.status <= 500 and reply.status not in (401, 403, 408, 429):
            return [Alone()] * len(members)
        headers = [item for item in reply.headers if item[0] in SHARED_HEADERS]
        return [_personal(member.ctx, reply, headers, reply.body) for member in members]
    answers = split(reply.body, len(members))
    if answers is None:
        logger.warning(
            "family %s: the engine's answer to %d prompts does not have one choice for each, so they were asked again "
            "one by one; leave out `merge: prompts` for this engine",
            members[0].ctx.family.name,
            len(members),
        )
        return [Alone()] * len(members)
    return [_personal(member.ctx, reply, JSON_HEADERS, answer) for member, answer in zip(members, answers, strict=True)]


def _personal(ctx: RequestContext, reply: Reply, headers: Headers, body: bytes) -> Reply:
    """The merged request's reply for one member, whose own request it is told about."""
    reason = ctx.permits.reason
    outcome = Outcome.BYPASS if reason else Outcome.MISS
    return replace(reply, headers=[*headers], body=body, outcome=outcome, detail=reason)


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
    merged.permits = ALL  # it is no client's own request: it goes without anybody's id
    return merged
