"""Closed and open loops, and what each records. Runs in a load process of its own; see `bench.worker`."""

import asyncio
import ctypes
import ctypes.util
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.ask import Answer, Ask
from bench.client import LoadClient
from bench.workloads import Prompt, Wire, Workload, arrivals

Record = Callable[[Ask, Answer], None]


@dataclass(frozen=True, slots=True)
class Loop:
    """How requests are issued. An open loop has a rate, or a workload that brings its own times."""

    users: int = 50
    rate_per_s: float | None = None
    fixed: bool = False
    """Evenly spaced arrivals in place of Poisson."""
    requests: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.requests is None and self.seconds is None:
            raise ValueError("a run needs a number of requests, or of seconds")


def asks(workload: Workload, wire: Wire, loop: Loop, seed: int, worker: int, workers: int) -> Iterator[Ask]:
    """This worker's share of a run, in order."""
    prompts: Iterator[Prompt] = workload.prompts(seed)
    if loop.rate_per_s is None:
        found = (wire.ask(prompt, prompt.at_s) for prompt in itertools.islice(prompts, worker, loop.requests, workers))
    else:
        due = zip(prompts, arrivals(loop.rate_per_s, seed, fixed=loop.fixed), strict=False)
        found = (wire.ask(prompt, at_s) for prompt, at_s in itertools.islice(due, worker, loop.requests, workers))
    return found


async def drive(client: LoadClient, share: Iterator[Ask], users: int, until_s: float, record: Record) -> None:
    """Ask all of `share` until `until_s` (monotonic): at their times if they have any, else by so many users."""
    first = next(share, None)
    if first is None:
        return
    share = itertools.chain([first], share)
    if first.at_s is None:
        await closed_loop(client, share, users, until_s, record)
    else:
        await open_loop(client, share, until_s, record)


async def closed_loop(client: LoadClient, share: Iterator[Ask], users: int, until_s: float, record: Record) -> None:
    """Each user asks, waits for the whole answer, and asks again."""

    async def user() -> None:
        for ask in share:
            if time.monotonic() >= until_s:
                return
            record(ask, await client.ask(ask))

    async with asyncio.TaskGroup() as group:
        for _ in range(users):
            group.create_task(user())


async def open_loop(client: LoadClient, share: Iterator[Ask], until_s: float, record: Record) -> None:
    """Each request leaves at its time, however slow the answers are, and is timed from when it was due."""

    async def one(ask: Ask, due_s: float) -> None:
        record(ask, await client.ask(ask, due_s))

    began_s = time.monotonic()
    with Alarm() as alarm:
        async with asyncio.TaskGroup() as group:
            for ask in share:
                assert ask.at_s is not None
                due_s = began_s + ask.at_s
                if due_s > until_s:
                    return
                await alarm.wait_until(due_s)
                group.create_task(one(ask, due_s))


class Alarm:
    """Waits until a monotonic time to within microseconds: a timerfd, since event loops count in milliseconds.

    Elsewhere than on Linux it is the loop's own timer.
    """

    def __init__(self) -> None:
        self._fd = -1
        if sys.platform == "linux":
            self._libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
            self._fd = self._libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)

    def __enter__(self) -> "Alarm":
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    async def wait_until(self, at_s: float) -> None:
        left_s = at_s - time.monotonic()
        if left_s <= 0:
            return
        if self._fd < 0:
            await asyncio.sleep(left_s)
            return
        loop = asyncio.get_running_loop()
        rung: asyncio.Future[None] = loop.create_future()

        def ring() -> None:
            os.read(self._fd, 8)
            if not rung.done():
                rung.set_result(None)

        seconds, part = divmod(at_s, 1)
        # struct itimerspec: no interval, then the time.
        setting = (ctypes.c_long * 4)(0, 0, int(seconds), int(part * 1e9))
        loop.add_reader(self._fd, ring)
        try:
            self._libc.timerfd_settime(self._fd, 1, setting, None)  # 1: TFD_TIMER_ABSTIME
            await rung
        finally:
            loop.remove_reader(self._fd)
