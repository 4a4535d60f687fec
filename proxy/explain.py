"""What askonce would do with a request, and why, without doing it. For administrators: it quotes prompts."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from proxy.cache.exact import ExactCache, freshness
from proxy.cache.lookup import Considered, Hit
from proxy.context import Middleware, Reply, RequestContext
from proxy.errors import BadRequest
from proxy.keys import IGNORED, IGNORED_WITH_USER
from proxy.openai import CHAT, COMPLETIONS, read_request
from proxy.request_head import RequestHead
from proxy.tenants import Tenants

if TYPE_CHECKING:  # loading it loads numpy
    from proxy.semantics import Semantics

FORM = (
    'Write {"path": "/v1/chat/completions", "body": {…}} and, if they matter, "headers": {"authorization": "Bearer …"}.'
)


class Explainer:
    """Runs the pure part of the chain on a request that is only described."""

    def __init__(
        self,
        tenants: Tenants,
        keying: Middleware,
        permit: Middleware,
        cache: ExactCache,
        semantics: "Callable[[], Semantics | None]",
        clock: Callable[[], float],
    ) -> None:
        self._tenants = tenants
        self._keying = keying
        self._permit = permit
        self._cache = cache
        self._semantics = semantics
        self._clock = clock

    async def __call__(self, described: bytes) -> dict[str, Any]:
        """Explain one request.

        Raises:
            BadRequest: it is not described as `FORM` says.
            ProxyError: as the request itself would be refused.
        """
        ctx = self._context(described)
        await self._keying(ctx, _nothing)
        await self._permit(ctx, _nothing)
        permits = ctx.permits
        return {
            "family": ctx.family.name,
            "tenant": ctx.tenant.label,
            "model": {"asked": ctx.request.model, "upstream": ctx.route.model, "revision": ctx.route.revision},
            "upstreams": [upstream.name for upstream in ctx.route.upstreams],
            "key": ctx.key.hex() or None,
            "key_parts": {
                "path": ctx.head.path,
                "normalize": list(ctx.family.normalize),
                "ignored": sorted(set(ctx.request.payload) & _ignored(ctx)),
            },
            "permits": {
                "look_up": permits.look_up,
                "share": permits.share,
                "store": permits.store,
                "reason": permits.reason,
            },
            "exact": self._exact(ctx),
            "semantic": await self._semantic(ctx),
        }

    def _context(self, described: bytes) -> RequestContext:
        try:
            told = orjson.loads(described)
            path, body = told.get("path", CHAT), told["body"]
            headers = {str(name).lower(): str(value) for name, value in told.get("headers", {}).items()}
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            raise BadRequest(FORM) from None
        if path not in (CHAT, COMPLETIONS):
            raise BadRequest(f"Only {CHAT} and {COMPLETIONS} are looked up; every other path passes through.")
        headers.setdefault("content-type", "application/json")
        fields = {name.encode(): value.encode() for name, value in headers.items()}
        raw = orjson.dumps(body)
        return RequestContext(
            head=RequestHead(path, b"", list(fields.items())),
            body=raw,
            request=read_request(path, raw),
            tenant=self._tenants.enter(fields, None),
            request_id="explain",
            client=_Nobody(),
        )

    def _exact(self, ctx: RequestContext) -> dict[str, Any]:
        entry = self._cache.peek(ctx.key) if ctx.key else None
        if entry is None:
            return {"entry": False}
        verdict = freshness(entry, self._clock(), ctx.family.exact, ctx.permits.max_age_s)
        age_s = round(self._clock() - entry.created_s, 1)
        return {"entry": True, "verdict": type(verdict).__name__.lower(), "age_s": age_s, "origin": entry.origin_id}

    async def _semantic(self, ctx: RequestContext) -> dict[str, Any]:
        policy = ctx.family.semantic
        told: dict[str, Any] = {"mode": policy.mode, "threshold": policy.threshold, "guards": list(policy.guards)}
        semantics = self._semantics()
        if policy.mode == "off" or semantics is None:
            return {**told, "verdict": "off"}
        matched = semantics.matched(ctx)
        if matched is None:
            return {**told, "verdict": "takes no part: earlier turns, or a last message that is not plain text"}
        found = await semantics.look_up(ctx, matched)
        hit = isinstance(found.verdict, Hit)
        told["namespace"] = matched.namespace.hex()[:12]
        told["verdict"] = "hit" if hit else "miss"
        told["reason"] = None if isinstance(found.verdict, Hit) else found.verdict.reason
        told["candidates"] = [_candidate(one) for one in found.considered]
        return told


def _candidate(one: Considered) -> dict[str, Any]:
    conflict = one.conflict
    return {
        "text": one.candidate.text,
        "similarity": round(one.similarity, 4),
        "refused": one.refused,
        "conflict": None if conflict is None else {"cached": conflict.cached, "asked": conflict.asked},
        "key": one.candidate.key.hex()[:12],
    }


def _ignored(ctx: RequestContext) -> frozenset[str]:
    return IGNORED_WITH_USER if ctx.family.ignore_user else IGNORED


async def _nothing(ctx: RequestContext) -> Reply:
    return Reply(200, [], b"")


class _Nobody:
    def watch(self) -> None:
        """There is no connection to watch."""
