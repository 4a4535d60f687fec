"""Renews stale answers in the background, each by one generation however many ask (RFC 5861)."""

import asyncio
import copy
import logging
from dataclasses import replace

from proxy.context import Handler, RequestContext
from proxy.errors import ProxyError

logger = logging.getLogger("askonce.revalidation")


class Revalidation:
    """Owns the tasks that renew; at most one a key."""

    def __init__(self) -> None:
        self._tasks: dict[bytes, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, ctx: RequestContext, call_next: Handler) -> None:
        """Ask again for what `ctx` asks, unless that is under way."""
        key = ctx.key
        if key not in self._tasks:
            again = copy.copy(ctx)
            again.permits = replace(ctx.permits, look_up=False, max_age_s=None, only_if_cached=False)
            again.client = _Nobody()
            task = asyncio.get_running_loop().create_task(_ask(again, call_next))
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key, None))

    async def aclose(self) -> None:
        """Cancel what is under way."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Nobody:
    """No client waits for a renewal."""

    def watch(self) -> None:
        pass


async def _ask(ctx: RequestContext, call_next: Handler) -> None:
    """Read the answer to its end, so that it is stored; a failure leaves the stale one to its remaining time."""
    try:
        reply = await call_next(ctx)
        if not isinstance(reply.body, bytes):
            try:
                async for _ in reply.body:
                    pass
            finally:
                await reply.body.aclose()
    except ProxyError as error:
        logger.warning("a stale answer could not be renewed: %s", error.code)
    except Exception as error:  # without its message, which may hold a prompt
        logger.error("renewing a stale answer failed with %s", type(error).__name__)
