"""Asks `proxy.permit` what the request permits, and writes the answer into the context."""

from proxy.bypass_hint import BypassHint
from proxy.context import Handler, Reply, RequestContext
from proxy.permit import decide, read_directives

STREAM_OPTIONS = frozenset({"include_usage", "include_obfuscation"})
"""Those a shared stream can serve. Others, such as vLLM's `continuous_usage_stats`, change each event."""


class Permit:
    """Everything further down obeys `ctx.permits`."""

    def __init__(self, hint: BypassHint | None = None) -> None:
        """`hint` is told of every request that passes the cache by; an explanation is none."""
        self._hint = hint

    async def __call__(self, ctx: RequestContext, call_next: Handler) -> Reply:
        fields = ctx.fields
        ctx.permits = decide(
            ctx.request.payload,
            ctx.family,
            read_directives(fields),
            keyable=ctx.request.keyable and _usual(ctx.request.payload.get("stream_options")),
            json_body=b"content-encoding" not in fields
            and fields.get(b"content-type", b"").partition(b";")[0].strip().lower() == b"application/json",
        )
        if self._hint is not None and ctx.permits.reason is not None:
            self._hint.note(ctx.family.name, ctx.permits.reason)
        return await call_next(ctx)


def _usual(options: object) -> bool:
    """Whether no stream option asks for what only this client would get."""
    return not isinstance(options, dict) or all(name in STREAM_OPTIONS or not value for name, value in options.items())
