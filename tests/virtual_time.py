"""A virtual-time asyncio loop: its clock jumps to the next timer whenever nothing is ready, so an hour passes at once.

In pytest, an async test marked `anyio` runs on it (`tests/conftest.py` sets the backend):

    @pytest.mark.anyio                       # or once per module: pytestmark = pytest.mark.anyio
    async def test_an_entry_expires():
        await asyncio.sleep(3600)            # at once
        assert asyncio.get_running_loop().time() == 3600

Add the marker `real_loop` where sockets, processes or threads are at work: the test then runs on uvloop, as the proxy
does. A property test calls `run` inside the test, since hypothesis repeats the body, not the fixture:

    @given(...)
    def test_any_split_parses_the_same(data):
        run(scenario(data))

Only what lives on the loop can make progress, therefore sockets and executors are refused, and a loop that would wait
for ever raises `Deadlock` naming the tasks and the lines they wait at. The clock starts at 0.0 s. Every timer fires
exactly at its time.
"""

import asyncio
import math
import selectors
from collections.abc import Coroutine
from typing import Any, NoReturn, TypeVar

R = TypeVar("R")


class Deadlock(RuntimeError):
    """Every task waits, no timer is set, and nothing outside the loop could wake one."""


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop without I/O, whose time is the time of the timer that fired last."""

    def __init__(self) -> None:
        self._now_s = 0.0
        super().__init__(_NoIO(self))

    def time(self) -> float:
        return self._now_s

    def jump(self) -> None:
        """Set the clock to the next timer.

        Raises:
            Deadlock: there is none.
        """
        # The loop's own heap: the timeout it gives a selector is a difference, and adding it back would round.
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]  # private, stable since 3.4
        if not timers:
            raise Deadlock(_who_waits(self))
        self._now_s = max(self._now_s, timers[0].when())
        # What is due before `time() + resolution` runs: with the next float, exactly what is due by now.
        self._clock_resolution = math.ulp(self._now_s)

    def run_in_executor(self, *args: object) -> NoReturn:
        raise RuntimeError("a thread runs in real time: mark this test `real_loop`, or do the work inline")


class _NoIO(selectors.BaseSelector):
    """Knows the loop's own wake-up socket only; being asked to wait means that the loop is idle."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self._loop = loop
        self._keys: dict[Any, selectors.SelectorKey] = {}

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if self._keys:
            raise RuntimeError("sockets and pipes run in real time: mark this test `real_loop`")
        # The loop hands over a file descriptor.
        self._keys[fileobj] = key = selectors.SelectorKey(fileobj, fileobj, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys.pop(fileobj)

    def get_map(self) -> dict[Any, selectors.SelectorKey]:
        return self._keys

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout > 0:
            self._loop.jump()
        return []


def run(main: Coroutine[Any, Any, R]) -> R:
    """Run `main` on a fresh virtual loop and return its result; tasks left over are cancelled.

    What the loop would only have logged (an exception in a callback, or one never retrieved) is raised in the end.
    """
    unhandled: list[dict[str, Any]] = []
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.get_loop().set_exception_handler(lambda _, context: unhandled.append(context))
        result = runner.run(main)
    if unhandled:
        raise RuntimeError(f"unhandled on the loop: {unhandled[0]['message']}") from unhandled[0].get("exception")
    return result


def _who_waits(loop: asyncio.AbstractEventLoop) -> str:
    lines = [f"the virtual loop would wait for ever at {loop.time()} s"]
    for task in asyncio.all_tasks(loop):
        for frame in task.get_stack(limit=1):
            lines.append(f"{task.get_name()} at {frame.f_code.co_filename}:{frame.f_lineno}")
    return "; ".join(lines)
