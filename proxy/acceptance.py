"""Where the engine is the judge of credentials: whom it accepted lately.

A stored answer must not outlive its asker's right to ask. So a hit is served only to a credential that an upstream
accepted within `auth_ttl_s`; an older one is checked by a single `GET /v1/models` that carries it.
"""

import asyncio
from collections.abc import Awaitable, Callable

from cachetools import TTLCache

from proxy.context import RequestContext

REMEMBERED = 10_000

Check = Callable[[RequestContext], Awaitable[bool]]
"""Asks an upstream whether it accepts the request's credential; False too if it can't be asked."""


class Acceptance:
    """Credentials by the time of their last acceptance; bounded, and used from one loop."""

    def __init__(
        self, check: Check, judged: Callable[[RequestContext], bool], *, ttl_s: float, clock: Callable[[], float]
    ) -> None:
        """`judged`: whether an engine, not askonce, decides who may ask what this request asks."""
        self._check = check
        self._judged = judged
        self._accepted: TTLCache[bytes, bool] = TTLCache(REMEMBERED, ttl_s, timer=clock)
        self._checks: dict[bytes, asyncio.Task[bool]] = {}
        """Checks under way by credential; each leaves by its done callback."""

    def holds(self, ctx: RequestContext) -> bool:
        """Whether a stored answer may be served to the request's credential without asking."""
        return ctx.tenant.credential in self._accepted or not self._judged(ctx)

    def note(self, ctx: RequestContext, status: int) -> None:
        """An upstream answered this request: what that says of its credential."""
        if status in (401, 403):
            self._accepted.pop(ctx.tenant.credential, None)
        elif status < 400:
            self._accepted[ctx.tenant.credential] = True

    async def ask(self, ctx: RequestContext) -> bool:
        """Check the credential upstream, once however many wait."""
        credential = ctx.tenant.credential
        task = self._checks.get(credential)
        if task is None:
            task = self._checks[credential] = asyncio.get_running_loop().create_task(self._ask(ctx))
            task.add_done_callback(lambda _: self._checks.pop(credential, None))
        # Shielded: one client's leaving must not fail the others' check, which is short and bounded by its timeouts.
        return await asyncio.shield(task)

    async def _ask(self, ctx: RequestContext) -> bool:
        accepted = await self._check(ctx)
        if accepted:
            self._accepted[ctx.tenant.credential] = True
        return accepted

    async def aclose(self) -> None:
        """Cancel the checks under way."""
        tasks = [*self._checks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
