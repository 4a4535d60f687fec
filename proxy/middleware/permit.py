"""Asks `proxy.permit` what the request permits, and writes the answer into the context."""

from proxy.context import Handler, Reply, RequestContext
from proxy.permit import decide, read_directives


class Permit:
    """Everything further down obeys `ctx.permits`."""

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        fields = ctx.fields
        ctx.permits = decide(
            ctx.request.payload,
            ctx.family,
            read_directives(fields),
            keyable=ctx.request.keyable,
            json_body=b"content-encoding" not in fields
            and fields.get(b"content-type", b"").partition(b";")[0].strip().lower() == b"application/json",
        )
        return await call_next(ctx)
