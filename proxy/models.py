"""`GET /v1/models`: one list over all upstreams that answer."""

import asyncio
from collections.abc import Callable
from typing import Any

import orjson
from cachetools import LRUCache

from proxy.account import PRIVATE, without_ours
from proxy.context import Outcome, Reply
from proxy.errors import Headers, ModelNotFound, ProxyError, Unavailable
from proxy.headers import forwarded, request_headers, response_headers
from proxy.upstream.client import Timeouts, UpstreamRequest
from proxy.upstream.credentials import Credentials
from proxy.upstream.pool import Pool, Upstream

LIST_TIMEOUTS = Timeouts(connect_s=2, first_byte_s=5, between_chunks_s=5, total_s=8)
MAX_LIST_BYTES = 4_194_304
REMEMBERED_BYTES = 16_777_216
"""Lists kept for the time when an upstream does not answer."""
JSON_HEADERS: Headers = [(b"content-type", b"application/json"), *PRIVATE]


class Models:
    """Merges what the upstreams say; what an upstream can't tell now is taken from what it said last."""

    def __init__(self, pool: Pool, credentials: Credentials) -> None:
        self._pool = pool
        self._credentials = credentials
        self._last: LRUCache[tuple[str, bytes | None], bytes] = LRUCache(REMEMBERED_BYTES, getsizeof=len)
        """The last list by upstream and credential: what one credential may see is no other's business."""

    async def reply(
        self,
        path: str,
        raw_headers: Headers,
        fields: dict[bytes, bytes],
        may_ask: Callable[[str], bool] = lambda model: True,
    ) -> Reply:
        """The list of what the client may ask, or for `/v1/models/NAME` that one model.

        If every upstream that answers refuses, the first refusal is the answer.

        Raises:
            Unavailable: none answers.
            ModelNotFound: none serves that model.
        """
        answers = await asyncio.gather(*(self.ask(upstream, raw_headers, fields) for upstream in self._pool.upstreams))
        merged: dict[str, dict[str, Any]] = {}
        refusals = []
        for upstream, answer in zip(self._pool.upstreams, answers, strict=True):
            if isinstance(answer, Reply):
                refusals.append(answer)
                continue
            models = answer
            if models is None:
                last = self._last.get((upstream.name, self._credentials.for_upstream(upstream, fields)))
                models = None if last is None else _read(last)
            if models is not None:
                _merge(merged, upstream, models)
        if all(answer is None for answer in answers):
            raise Unavailable(
                "No upstream answers, so there is no list of models.", code="no_upstream", retry_after_s=1
            )
        if refusals and not merged:
            return refusals[0]
        merged = {name: model for name, model in merged.items() if may_ask(name)}
        wanted = path.removeprefix("/v1/models").removeprefix("/")
        if not wanted:
            body: dict[str, Any] = {"object": "list", "data": list(merged.values())}
        elif wanted in merged:
            body = merged[wanted]
        else:
            raise ModelNotFound(
                "No upstream serves this model. Ask GET /v1/models for the ones there are.", param="model"
            )
        return Reply(200, [*JSON_HEADERS], orjson.dumps(body), outcome=Outcome.PASS)

    async def ask(
        self, upstream: Upstream, raw_headers: Headers, fields: dict[bytes, bytes]
    ) -> list[dict[str, Any]] | Reply | None:
        """Its list, its refusal, or None if it does not answer with either."""
        authorization = self._credentials.for_upstream(upstream, fields)
        request = UpstreamRequest(
            "GET",
            upstream.base_path + b"/v1/models",
            request_headers(forwarded(raw_headers), authorization=authorization),
            b"",
        )
        try:
            reply = await upstream.client.send(request, LIST_TIMEOUTS)
            try:
                body = await reply.read(MAX_LIST_BYTES)
            finally:
                await reply.aclose()
        except ProxyError:
            return None
        if body is None or reply.status >= 500:
            return None
        if reply.status != 200:
            headers = [*without_ours(response_headers(reply.headers)), *PRIVATE]
            return Reply(reply.status, headers, body, outcome=Outcome.PASS)
        models = _read(body)
        if models is not None:
            self._last[upstream.name, authorization] = body
        return models


def _merge(merged: dict[str, dict[str, Any]], upstream: Upstream, models: list[dict[str, Any]]) -> None:
    """Add what `upstream` serves by its own name or by an alias; who comes first in the settings wins."""
    for model in models:
        if upstream.resolve(model["id"]) == model["id"]:
            merged.setdefault(model["id"], model)
    for alias, name in upstream.aliases.items():
        origin = next((model for model in models if model["id"] == name), {"object": "model"})
        merged.setdefault(alias, {**origin, "id": alias, "root": name})


def _read(body: bytes) -> list[dict[str, Any]] | None:
    try:
        data = orjson.loads(body)["data"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    if not isinstance(data, list):
        return None
    return [model for model in data if isinstance(model, dict) and isinstance(model.get("id"), str)]
