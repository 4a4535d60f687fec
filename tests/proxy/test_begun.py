"""A first step that is taken at once must not differ from one that the loop takes, but in its time."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from proxy.begun import Begun

pytestmark = pytest.mark.anyio

EACH_WAY = pytest.mark.parametrize("begin", [False, True], ids=["as any task", "begun"])


def task_of(coroutine: Coroutine[Any, Any, Any], *, begin: bool) -> asyncio.Task[Any]:
    begun = Begun(coroutine)
    task = asyncio.get_running_loop().create_task(begun)
    if begin:
        begun.begin(task)
    return task


@EACH_WAY
async def test_what_it_returns_is_the_tasks_result(begin):
    async def at_once() -> str:
        return "at once"

    async def later() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(1)
        return "later"

    assert [await task_of(some(), begin=begin) for some in (at_once, later)] == ["at once", "later"]


@EACH_WAY
async def test_what_it_raises_is_the_tasks_exception(begin):
    async def at_once() -> None:
        raise KeyError("at once")

    async def later() -> None:
        await asyncio.sleep(1)
        raise KeyError("later")

    for some in (at_once, later):
        with pytest.raises(KeyError):
            await task_of(some(), begin=begin)


async def test_begun_it_runs_to_its_first_suspension_as_its_own_task():
    tasks = []

    async def noting() -> None:
        tasks.append(asyncio.current_task())
        await asyncio.sleep(0)
        tasks.append(asyncio.current_task())

    caller = asyncio.current_task()
    task = task_of(noting(), begin=True)
    assert tasks == [task]
    assert asyncio.current_task() is caller
    await task
    assert tasks == [task, task]


def test_it_may_be_begun_where_no_task_runs():
    async def noting() -> str:
        await asyncio.sleep(0)
        return "done"

    tasks: list[asyncio.Task[str]] = []
    with asyncio.Runner() as runner:
        loop = runner.get_loop()

        async def all_of_it() -> str:
            loop.call_soon(lambda: tasks.append(task_of(noting(), begin=True)))
            await asyncio.sleep(0)
            return await tasks[0]

        assert runner.run(all_of_it()) == "done"


async def test_a_timeout_entered_in_the_first_step_is_its_own_tasks():
    async def slow() -> None:
        async with asyncio.timeout(1):
            await asyncio.sleep(100)

    task = task_of(slow(), begin=True)
    await asyncio.wait([task])
    with pytest.raises(TimeoutError):
        task.result()
    assert asyncio.get_running_loop().time() == 1.0


@EACH_WAY
@pytest.mark.parametrize("turns", [0, 1, 2])
async def test_cancelled_it_is_cancelled_where_it_waits_and_so_is_what_it_waits_for(begin, turns):
    awaited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    seen = []

    async def waiting() -> None:
        try:
            await awaited
        except asyncio.CancelledError:
            seen.append(awaited.cancelled())
            await asyncio.sleep(1)  # what a `finally` may do
            raise

    task = task_of(waiting(), begin=begin)
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert seen == ([True] if begin or turns else []), "one that has not begun need not learn of it"


async def test_cancelled_after_it_ended_in_its_first_step_it_has_ended():
    async def at_once() -> str:
        return "done"

    task = task_of(at_once(), begin=True)
    task.cancel()
    assert await task == "done"


async def test_cancelled_at_a_bare_yield_it_learns_of_it():
    seen = []

    async def yielding() -> None:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    task = task_of(yielding(), begin=True)
    task.cancel()
    await asyncio.wait([task])
    assert (seen, task.cancelled()) == (["cancelled"], True)


async def test_its_task_shows_the_name_and_the_line_of_the_coroutine():
    async def telling() -> None:
        await asyncio.Event().wait()

    task = task_of(telling(), begin=True)
    assert "telling" in repr(task)
    assert task.get_stack()[-1].f_code.co_name == "telling"
    task.cancel()
    await asyncio.wait([task])
