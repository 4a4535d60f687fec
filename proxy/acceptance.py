"""Where the engine is the judge of credentials: whom it accepted lately.

A stored answer must not outlive its asker's right to ask. So a hit is served only to a credential that an upstream
accepted within `auth_ttl_s`; an older one is checked by a single `GET /v1/models` that carries it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from cachetools import TTLCache

from proxy.context import RequestContext

REMEMBERED = 10_000

Check = Callable[[RequestContext], Awaitable[str | None]]
"""Asks a judge whether it accepts the request's credential: its name if it does. None too if none can be asked."""


class Acceptance:
    """Credentials by the time of their last acceptance; bounded, and used from one loop."""

    def __init__(
        self,
        check: Check,
        judges: Callable[[RequestContext], Sequence[str]],
        *,
        ttl_s: float,
        clock: Callable[[], float],
    ) -> None:
        """`judges`: names of the upstreams that decide who may ask what this request asks; none if askonce does."""
        self._check = check
        self._judges = judges
        self._accepted: TTLCache[tuple[bytes, str], bool] = TTLCache(REMEMBERED, ttl_s, timer=clock)
        """By credential and judge: what one engine accepts is nothing to another."""
        self._checks: dict[tuple[bytes, tuple[str, ...]], asyncio.Task[bool]] = {}
        """Checks under way, by credential and who may judge it; each leaves by its done callback."""

    def holds(self, ctx: RequestContext) -> bool:
        """Whether a stored answer may be served to the request's credential without asking."""
        judges = self._judges(ctx)
        credential = ctx.tenant.credential
        return not judges or any((credential, judge) in self._accepted for judge in judges)

    def note(self, ctx: RequestContext, upstream: str, status: int) -> None:
        """`upstream` answered this request: what that says of its credential, if it saw it."""
        if upstream not in self._judges(ctx):
            return
        if status in (401, 403):
            self._accepted.pop((ctx.tenant.credential, upstream), None)
        elif status < 400:
            self._accepted[ctx.tenant.credential, upstream] = True

    async def ask(self, ctx: RequestContext) -> bool:
        """Check the credential with a judge of the request, once however many wait."""
        place = (ctx.tenant.credential, tuple(self._judges(ctx)))
        task = self._checks.get(place)
        if task is None:
            task = self._checks[place] = asyncio.get_running_loop().create_task(self._ask(ctx))
            task.add_done_callback(lambda _: self._checks.pop(place, None))
        # Shielded: one client's leaving must not fail the others' check, which is short and bounded by its timeouts.
        return await asyncio.shield(task)

    async def _ask(self, ctx: RequestContext) -> bool:
        judge = await self._check(ctx)
        if judge is None:
            return False
        self._accepted[ctx.tenant.credential, judge] = True
        return True

    async def aclose(self) -> None:
        """Cancel the checks under way."""
        tasks = [*self._checks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
