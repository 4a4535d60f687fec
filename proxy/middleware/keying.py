"""Tenant, family, route and key of a request."""

from functools import partial

from policies.classify import classify
from policies.model import PolicySet
from proxy.context import Handler, Reply, RequestContext
from proxy.errors import Forbidden, Unavailable
from proxy.keys import cache_key
from proxy.openai import may_name_another_model, prompt_text, system_text
from proxy.upstream.pool import NO_UPSTREAM, Pool, Route


class Policies:
    """The policy set in force. A reload replaces `current`; each request reads it once, in Keying."""

    def __init__(self, current: PolicySet) -> None:
        self.current = current


class Keying:
    """Names what the request is about; decides nothing.

    Raises:
        Forbidden: the tenant may not ask the model.
        ModelNotFound: no upstream serves it.
    """

    def __init__(self, policies: Policies, pool: Pool) -> None:
        self._policies = policies
        self._pool = pool

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        request = ctx.request
        payload = request.payload
        ctx.family = classify(
            self._policies.current,
            path=ctx.head.path,
            model=request.model or "",
            tenant=ctx.tenant.label,
            header=ctx.head.family,
            prompt_text=partial(prompt_text, payload),
            system_text=partial(system_text, payload),
        )
        if ctx.tenant.rights is not None:
            _check_rights(ctx)
        route = self._key(ctx)
        try:
            return await call_next(ctx)
        except Unavailable as error:
            # Nobody took the request, and that may have changed where it would go: to another revision, so another key.
            if error.code != NO_UPSTREAM or self._pool.route(request.model) == route:
                raise
        self._key(ctx)
        return await call_next(ctx)

    def _key(self, ctx: RequestContext) -> Route:
        """Where the request goes now, and its key, which depends on that."""
        request, family, payload = ctx.request, ctx.family, ctx.request.payload
        route = ctx.route = self._pool.route(request.model)
        if request.keyable:
            ctx.key = cache_key(
                payload,
                path=ctx.head.address,
                tenant=ctx.tenant.id,
                model=route.model,
                revision=route.revision,
                meaning=family.meaning,
                normalize=family.normalize,
                ignore_user=family.ignore_user,
            )
        return route


def _check_rights(ctx: RequestContext) -> None:
    request, may_ask = ctx.request, ctx.tenant.may_ask
    if ctx.head.is_coded and not may_ask(None):
        fault = "Send the body without Content-Encoding: this tenant may not ask every model, and it names one."
    elif may_name_another_model(request.payload) and not may_ask(None):
        fault = "Write `model` once, in small letters: an engine may take another spelling for it."
    elif not may_ask(request.model):
        fault = "This tenant may not ask this model."
    else:
        return
    raise Forbidden(fault, param="model", code="model_not_allowed")
