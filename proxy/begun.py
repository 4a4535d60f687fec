"""A task that need not wait for its turn: its first step can be taken at once, by whoever made it.

    begun = Begun(coroutine)
    task = loop.create_task(begun)
    begun.begin(task)

Without `begin` it is a task like any other. (Python 3.12 has `eager_start`; there the step is taken before anybody
holds the task.)
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, Never, TypeVar

R = TypeVar("R", covariant=True)

_NOTHING: Final[Any] = object()


class Begun(Coroutine[Any, Any, R]):
    """A coroutine between its task and the one that it is."""

    __slots__ = ("_coroutine", "_ended", "_first")

    def __init__(self, coroutine: Coroutine[Any, Any, R]) -> None:
        self._coroutine = coroutine
        self._first: Any = _NOTHING
        """What it awaits since its first step, until the task takes that over."""
        self._ended: BaseException | None = None
        """How it ended if it did so in its first step; the task learns of it when its turn comes."""

    def __getattr__(self, name: str) -> Any:
        """What a debugger or a log asks for: its name, its frame."""
        return getattr(self._coroutine, name)

    def begin(self, task: asyncio.Task[R]) -> None:
        """Run to the first suspension, as `task`; once, before the task has run. Raises nothing."""
        loop = task.get_loop()
        caller = asyncio.current_task(loop)
        if caller is not None:
            asyncio._leave_task(loop, caller)
        asyncio._enter_task(loop, task)
        try:
            self._first = self._coroutine.send(None)
        except BaseException as end:  # StopIteration too, which is its return
            self._ended = end
        finally:
            asyncio._leave_task(loop, task)
            if caller is not None:
                asyncio._enter_task(loop, caller)

    def send(self, value: Any) -> Any:
        """For the task."""
        if self._ended is not None:
            self._end()
        if self._first is not _NOTHING:
            first, self._first = self._first, _NOTHING
            return first
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        """For the task: it is cancelled."""
        if self._ended is not None:
            self._end()
        first, self._first = self._first, _NOTHING
        if first is not _NOTHING and first is not None:
            first.cancel()  # as the task would have done, had it known what is awaited
        return self._coroutine.throw(*error)

    def _end(self) -> Never:
        assert self._ended is not None
        ended, self._ended = self._ended, None
        try:
            raise ended
        finally:
            del ended  # its traceback holds this frame: without this, both would wait for the collector

    def close(self) -> None:
        """For the collector."""
        self._coroutine.close()

    def __await__(self) -> Never:
        raise TypeError("await the task")
