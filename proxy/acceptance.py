"""Where the engine is the judge of credentials: whom it accepted lately.

A stored answer must not outlive its asker's right to ask. So a hit is served only to a credential that an upstream
accepted within `auth_ttl_s`; an older one is checked by a single `GET /v1/models` that carries it.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence

from proxy.context import RequestContext

REMEMBERED = 10_000

YOUNG = 0.1
"""Share of `auth_ttl_s` for which an acceptance is not noted again.

The note keeps its first time, so it never lasts longer than `auth_ttl_s` after an acceptance that was real; at most it
ends this share earlier than the last one would.
"""

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
        """`judges`: names of the upstreams that decide who may ask what this request asks; none if askonce does.

        They depend on the request's route only, and are asked for once as long as that stays the same.
        """
        self._check = check
        self._judges = judges
        self._ttl_s = ttl_s
        self._young_s = ttl_s * YOUNG
        self._clock = clock
        self._accepted: dict[tuple[bytes, str], float] = {}
        """When, by credential and judge: what one engine accepts is nothing to another. The oldest first."""
        self._route: object = None
        self._judges_of_route: Sequence[str] = ()
        """Of `_route`, which is the last request's."""
        self._checks: dict[tuple[bytes, tuple[str, ...]], asyncio.Task[bool]] = {}
        """Checks under way, by credential and who may judge it; each leaves by its done callback."""

    def holds(self, ctx: RequestContext) -> bool:
        """Whether a stored answer may be served to the request's credential without asking."""
        if ctx.route is not self._route:
            self._follow(ctx)
        judges = self._judges_of_route
        if not judges:
            return True
        credential = ctx.tenant.credential
        now_s = self._clock()
        for judge in judges:
            accepted_s = self._accepted.get((credential, judge))
            if accepted_s is not None and now_s < accepted_s + self._ttl_s:
                return True
        return False

    def note(self, ctx: RequestContext, upstream: str, status: int) -> None:
        """`upstream` answered this request: what that says of its credential, if it saw it."""
        if ctx.route is not self._route:
            self._follow(ctx)
        if upstream not in self._judges_of_route:
            return
        whom = (ctx.tenant.credential, upstream)
        if status < 400:
            now_s = self._clock()
            accepted_s = self._accepted.get(whom)
            if accepted_s is None or now_s - accepted_s >= self._young_s:
                self._accept(whom, now_s)
        elif status in (401, 403):
            self._accepted.pop(whom, None)

    def _follow(self, ctx: RequestContext) -> None:
        self._judges_of_route = self._judges(ctx)
        self._route = ctx.route

    def _accept(self, whom: tuple[bytes, str], now_s: float) -> None:
        self._accepted.pop(whom, None)  # it goes to the end
        self._accepted[whom] = now_s
        # In the order of their times, those that have ended go first; two at once, so that they become fewer.
        for oldest in [*itertools.islice(self._accepted, 2)]:
            if len(self._accepted) > REMEMBERED or self._accepted[oldest] + self._ttl_s <= now_s:
                del self._accepted[oldest]

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
        self._accept((ctx.tenant.credential, judge), self._clock())
        return True

    async def aclose(self) -> None:
        """Cancel the checks under way."""
        tasks = [*self._checks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
