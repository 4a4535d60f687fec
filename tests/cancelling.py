"""Cancel a coroutine at each of its suspensions in turn: what must hold after any of them is written once.

for moment in MOMENTS:
    for step in itertools.count():
        if not await cancelled_at(step, scenario(), moment):
            break                    # it ended before it suspended that often: every await has been tried
        assert_nothing_left()
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final, Literal

Moment = Literal["waiting", "waking"]
MOMENTS: Final[tuple[Moment, Moment]] = ("waiting", "waking")
"""While what is awaited has not happened, and just when it has, so a task about to go on finds itself cancelled."""


async def cancelled_at(step: int, scenario: Coroutine[Any, Any, object], moment: Moment = "waiting") -> bool:
    """Run `scenario` as a task and cancel it at its `step`-th suspension, counted from 0; False if it ended before.

    What the scenario raises otherwise is raised here.
    """
    task = asyncio.create_task(driven(step, scenario, moment))
    await asyncio.wait([task])
    if task.cancelled():
        return True
    task.result()
    return False


async def driven(step: int, scenario: Coroutine[Any, Any, object], moment: Moment = "waiting") -> None:
    """`scenario` in the task that awaits this, which cancels itself at that suspension: for tasks that others make."""
    await _Driver(step, scenario, moment)


class _Driver:
    def __init__(self, step: int, scenario: Coroutine[Any, Any, object], moment: Moment) -> None:
        self._step = step
        self._scenario = scenario
        self._moment = moment

    def __await__(self) -> Generator[Any, Any, None]:
        task = asyncio.current_task()
        assert task is not None
        resume: Callable[[], Any] = functools.partial(self._scenario.send, None)
        suspensions = 0
        while True:
            try:
                awaited = resume()
            except StopIteration:
                return
            if suspensions == self._step:
                if awaited is None or self._moment == "waiting":
                    asyncio.get_running_loop().call_soon(task.cancel)
                else:
                    # Ahead of the task's own callback, which is added when this yields.
                    awaited.add_done_callback(lambda _: task.cancel())
            suspensions += 1
            try:
                resume = functools.partial(self._scenario.send, (yield awaited))
            except BaseException as error:
                resume = functools.partial(self._scenario.throw, error)
