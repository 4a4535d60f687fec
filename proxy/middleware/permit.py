"""Asks `proxy.permit` what the request permits, and writes the answer into the context."""

from collections.abc import Awaitable

from proxy.bypass_hint import BypassHint
from proxy.context import Handler, Reply, RequestContext
from proxy.permit import decide

STREAM_OPTIONS = frozenset({"include_usage", "include_obfuscation"})
"""Those a shared stream can serve. Others, such as vLLM's `continuous_usage_stats`, change each event."""


class Permit:
    """Everything further down obeys `ctx.permits`."""

    def __init__(self, hint: BypassHint | None = None) -> None:
        """`hint` is told of every request that passes the cache by; an explanation is none."""
        self._hint = hint

    def __call__(self, ctx: RequestContext, call_next: Handler) -> Awaitable[Reply]:
        head, request = ctx.head, ctx.request
        options = request.payload.get("stream_options")
        ctx.permits = decide(
            request.payload,
            ctx.family,
            head.directives,
            keyable=request.keyable and (options is None or _usual(options)),
            json_body=head.is_json,
        )
        if self._hint is not None and ctx.permits.reason is not None:
            self._hint.note(ctx.family.name, ctx.permits.reason)
        return call_next(ctx)


def _usual(options: object) -> bool:
    """Whether no stream option asks for what only this client would get."""
    return not isinstance(options, dict) or all(name in STREAM_OPTIONS or not value for name, value in options.items())
