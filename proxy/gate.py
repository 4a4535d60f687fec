"""Admission to one upstream: so many at once, so many waiting, and for how long; no tenant starves another.

A place that becomes free goes round the tenants that wait, first come first served within each. When the queue is
full, a tenant that holds less of it than another makes room by that other's newest waiter; else the newcomer is
refused, as the one who takes more than its share (429) or as one too many (503).
"""

import asyncio
from collections import OrderedDict

from proxy.errors import ProxyError, RateLimited, Unavailable

HELD_WEIGHT = 0.1
"""Weight of the newest place in the average of how long one is held."""


class Gate:
    """Who has come through `enter` holds a place, and gives it back by calling `leave` once.

    Everything is written on the loop, between awaits. Invariant: whoever waits, waits because all places are taken.
    """

    def __init__(self, max_concurrency: int, max_queue: int, queue_timeout_s: float) -> None:
        self.max_concurrency = max_concurrency
        self.max_queue = max_queue
        self.queue_timeout_s = queue_timeout_s
        self.in_flight = 0
        """Places taken, a place on its way to a waiter included."""
        self.waiting = 0
        self._held_s = 0.0
        """Smoothed time a place is held."""
        self._queues: OrderedDict[str, OrderedDict[_Waiter, None]] = OrderedDict()
        """Waiters by tenant, oldest first; the tenant whose turn is next comes first, and none is empty."""

    def configure(self, max_concurrency: int, max_queue: int, queue_timeout_s: float) -> None:
        """Take over changed limits: new places go to who waits, and who waits already keeps its time."""
        self.max_concurrency = max_concurrency
        self.max_queue = max_queue
        self.queue_timeout_s = queue_timeout_s
        while self.in_flight < self.max_concurrency and (waiter := self._next_waiter()) is not None:
            self.in_flight += 1
            waiter.set_result(None)

    def take(self) -> bool:
        """Take a place if one is free; else `enter` waits for one."""
        if self.in_flight < self.max_concurrency:
            self.in_flight += 1
            return True
        return False

    async def enter(self, tenant: str) -> None:
        """Wait for a place; without suspending if one is free.

        Raises:
            Unavailable: the queue is full (`queue_full`), or the wait took `queue_timeout_s` (`queue_timeout`).
            RateLimited: the queue is full and this tenant holds more than its share of it (`queue_share`).
        """
        if self.take():
            return
        if self.waiting >= self.max_queue:
            self._make_room(tenant)
        loop = asyncio.get_running_loop()
        waiter: _Waiter = loop.create_future()
        self._queues.setdefault(tenant, OrderedDict())[waiter] = None
        self.waiting += 1
        timer = loop.call_later(self.queue_timeout_s, self._refuse_late, tenant, waiter)
        try:
            refusal = await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self._remove(tenant, waiter)
            elif waiter.result() is None:
                # Handed over to one who was cancelled before it could take it.
                self._give_back()
            raise
        finally:
            timer.cancel()
        if refusal is not None:
            raise refusal

    def retry_after_s(self) -> float:
        """When a place should be free for one more: between 1 s and `queue_timeout_s`."""
        expected_s = self._held_s * (self.waiting + 1) / self.max_concurrency
        return max(1.0, min(expected_s, self.queue_timeout_s))

    def leave(self, held_s: float) -> None:
        """Give a place, held for so long, to whose turn it is."""
        self._held_s += HELD_WEIGHT * (held_s - self._held_s) if self._held_s else held_s
        if self.waiting:
            self._give_back()
        else:
            self.in_flight -= 1

    def _give_back(self) -> None:
        # After `configure` more may be under way than there are places.
        waiter = self._next_waiter() if self.in_flight <= self.max_concurrency else None
        if waiter is None:
            self.in_flight -= 1
        else:
            waiter.set_result(None)

    def _next_waiter(self) -> "_Waiter | None":
        """Take whose turn it is out of its queue."""
        while self._queues:
            tenant, queue = next(iter(self._queues.items()))
            waiter = next(iter(queue))
            self._remove(tenant, waiter)
            # One that is done was cancelled, and its task has not run since.
            if not waiter.done():
                if queue:
                    self._queues.move_to_end(tenant)
                return waiter
        return None

    def _make_room(self, newcomer: str) -> None:
        """Refuse the newest waiter of the tenant with the most, or raise for the newcomer."""
        own = len(self._queues.get(newcomer, ()))
        tenants = len(self._queues) + (newcomer not in self._queues)
        greediest, most = newcomer, own
        for tenant, queue in self._queues.items():
            if len(queue) > most:
                greediest, most = tenant, len(queue)
        if most > own + 1:
            waiter = next(reversed(self._queues[greediest]))
            self._remove(greediest, waiter)
            if not waiter.done():
                waiter.set_result(self._over_share())
        elif own * tenants > self.max_queue:
            raise self._over_share()
        else:
            raise Unavailable(
                "Too many requests wait for this model; try again later.",
                code="queue_full",
                retry_after_s=self.retry_after_s(),
            )

    def _over_share(self) -> RateLimited:
        return RateLimited(
            "Too many of your requests wait for this model; try again later.",
            code="queue_share",
            retry_after_s=self.retry_after_s(),
        )

    def _refuse_late(self, tenant: str, waiter: "_Waiter") -> None:
        if not waiter.done():
            self._remove(tenant, waiter)
            waiter.set_result(
                Unavailable(
                    "The model took no further request in time; try again later.",
                    code="queue_timeout",
                    retry_after_s=self.retry_after_s(),
                )
            )

    def _remove(self, tenant: str, waiter: "_Waiter") -> None:
        """Take a waiter out of its queue, if it is still in it."""
        queue = self._queues.get(tenant)
        if queue is None or waiter not in queue:
            return
        del queue[waiter]
        self.waiting -= 1
        if not queue:
            del self._queues[tenant]


# None is a place. A refusal is a result too, and no exception: one that its waiter never reads must not be reported by
# the loop.
_Waiter = asyncio.Future[ProxyError | None]
