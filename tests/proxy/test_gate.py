"""Admission: so many at once, so many waiting, for so long, and nobody starves."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.errors import ProxyError, RateLimited, Unavailable
from proxy.gate import Gate
from tests.cancelling import MOMENTS, cancelled_at
from tests.virtual_time import run

pytestmark = pytest.mark.anyio


def gate(max_concurrency: int = 1, *, max_queue: int = 100, queue_timeout_s: float = 30) -> Gate:
    return Gate(max_concurrency, max_queue, queue_timeout_s)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def queue_up(it: Gate, *tenants: str) -> list[asyncio.Task[None]]:
    """One waiter for each name, in this order."""
    waiters = [asyncio.create_task(it.enter(tenant), name=tenant) for tenant in tenants]
    await settle()
    return waiters


async def order_of_service(it: Gate, waiters: list[asyncio.Task[None]]) -> list[str]:
    """Who gets the only place, which is taken, when each gives it back at once."""
    served: list[str] = []
    while True:
        it.leave(0)
        await settle()
        ready = [waiter for waiter in waiters if waiter.done() and waiter.exception() is None]
        if not ready:
            return served
        (next_one,) = ready
        waiters.remove(next_one)
        served.append(next_one.get_name())


async def test_a_free_place_is_taken_without_suspending():
    it = gate(2)
    entering = it.enter("a")
    with pytest.raises(StopIteration):
        entering.send(None)
    assert (it.in_flight, it.waiting) == (1, 0)


async def test_no_more_than_max_concurrency_are_in():
    it, inside, most = gate(5), 0, 0

    async def one() -> None:
        nonlocal inside, most
        await it.enter("a")
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(1)
        inside -= 1
        it.leave(1)

    await asyncio.gather(*(one() for _ in range(50)))
    assert most == 5
    assert asyncio.get_running_loop().time() == 10
    assert (it.in_flight, it.waiting) == (0, 0)


async def test_places_go_round_the_tenants_that_wait_first_come_first_served_within_each():
    it = gate()
    await it.enter("a")
    waiters = await queue_up(it, "a", "a", "a", "a", "b", "b", "c")
    assert await order_of_service(it, waiters) == ["a", "b", "c", "a", "b", "a", "a"]


async def test_a_full_queue_refuses_with_503():
    it = gate(max_queue=2)
    await it.enter("a")
    waiters = await queue_up(it, "a", "a")
    with pytest.raises(Unavailable) as caught:
        await it.enter("a")
    assert (caught.value.status, caught.value.code, caught.value.retry_after_s) == (503, "queue_full", 1.0)
    assert it.waiting == 2
    for waiter in waiters:
        waiter.cancel()
    await settle()


async def test_without_a_queue_whoever_finds_no_place_is_refused():
    it = gate(max_queue=0)
    await it.enter("a")
    with pytest.raises(Unavailable) as caught:
        await it.enter("b")
    assert caught.value.code == "queue_full"


async def test_a_tenant_over_its_share_of_a_full_queue_is_refused_with_429():
    it = gate(max_queue=4)
    await it.enter("a")
    waiters = await queue_up(it, "a", "a", "a", "b")
    with pytest.raises(RateLimited) as caught:
        await it.enter("a")
    assert (caught.value.status, caught.value.code) == (429, "queue_share")
    for waiter in waiters:
        waiter.cancel()
    await settle()


async def test_who_holds_less_of_a_full_queue_takes_the_newest_place_of_who_holds_most():
    it = gate(max_queue=4)
    await it.enter("a")
    waiters = await queue_up(it, "a", "a", "a", "a", "b", "b", "b")
    refused = [waiter for waiter in waiters if waiter.done()]
    assert [(waiter.get_name(), type(waiter.exception())) for waiter in refused] == [
        ("a", RateLimited),
        ("a", RateLimited),
        ("b", Unavailable),
    ], "two each, and the third of b gains nothing by taking from a"
    assert waiters[2] in refused
    assert waiters[3] in refused
    assert it.waiting == 4
    waiting = [waiter for waiter in waiters if waiter not in refused]
    assert await order_of_service(it, waiting) == ["a", "b", "a", "b"]


async def test_nobody_is_refused_for_a_newcomer_who_would_then_hold_as_much():
    it = gate(max_queue=3)
    await it.enter("a")
    *waiters, newcomer = await queue_up(it, "a", "a", "b", "b")
    assert [waiter.done() for waiter in waiters] == [False] * 3
    assert isinstance(newcomer.exception(), Unavailable)
    for waiter in waiters:
        waiter.cancel()
    await settle()


async def test_waiting_too_long_ends_with_503_and_leaves_the_queue():
    it = gate(queue_timeout_s=30)
    await it.enter("a")
    with pytest.raises(Unavailable) as caught:
        await it.enter("b")
    assert (caught.value.code, asyncio.get_running_loop().time()) == ("queue_timeout", 30)
    assert it.waiting == 0
    it.leave(30)
    assert it.in_flight == 0


async def test_retry_after_follows_how_long_places_are_held():
    it = gate(2, max_queue=3, queue_timeout_s=300)
    for _ in range(3):
        await it.enter("a")
        it.leave(10)
    await it.enter("a")
    await it.enter("a")
    waiters = await queue_up(it, "a", "a", "a")
    with pytest.raises(Unavailable) as caught:
        await it.enter("a")
    assert caught.value.retry_after_s == pytest.approx(10 * 4 / 2)
    for waiter in waiters:
        waiter.cancel()
    await settle()


async def test_a_cancelled_waiter_leaves_the_queue():
    it = gate()
    await it.enter("a")
    (waiter,) = await queue_up(it, "b")
    waiter.cancel()
    await settle()
    assert it.waiting == 0


async def test_a_cancelled_waiter_is_passed_over():
    it = gate()
    await it.enter("a")
    first, second = await queue_up(it, "a", "b")
    first.cancel()
    it.leave(0)
    await second
    it.leave(0)
    assert first.cancelled()
    assert (it.in_flight, it.waiting) == (0, 0)


async def test_a_newcomer_finds_the_room_of_a_waiter_that_was_just_cancelled():
    it = gate(max_queue=2)
    await it.enter("a")
    waiters = await queue_up(it, "a", "a")
    newcomer = asyncio.create_task(it.enter("b"), name="b")
    waiters[1].cancel()
    await settle()
    assert waiters[1].cancelled(), "its task ran after the newcomer's"
    assert await order_of_service(it, [waiters[0], newcomer]) == ["a", "b"]


async def test_T01_500_cancelled_at_random_points_and_then_5_together_succeed():
    it = gate(5, max_queue=1000, queue_timeout_s=1000)

    async def one(number: int) -> None:
        await it.enter(f"tenant {number % 7}")
        try:
            await asyncio.sleep(number % 13)
        finally:
            it.leave(number % 13)

    tasks = [asyncio.create_task(one(number)) for number in range(500)]
    for number, task in enumerate(tasks):
        if number % 3 == 0:
            await asyncio.sleep(number % 4 / 2)
        task.cancel()
    await asyncio.wait(tasks)
    assert (it.in_flight, it.waiting) == (0, 0)
    await asyncio.gather(*(it.enter("a") for _ in range(5)))
    assert it.in_flight == 5


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("others_wait", [False, True])
async def test_T01_a_cancel_at_any_await_loses_no_place(others_wait, moment):
    async def cancel_at(step: int) -> bool:
        it = gate()
        await it.enter("a")
        first = asyncio.create_task(asyncio.sleep(1))
        first.add_done_callback(lambda _: it.leave(1))

        async def stay(tenant: str) -> None:
            await it.enter(tenant)
            try:
                await asyncio.sleep(1)
            finally:
                it.leave(1)

        other = asyncio.create_task(stay("b") if others_wait else asyncio.sleep(0))
        cancelled = await cancelled_at(step, stay("a"), moment)
        await asyncio.gather(first, other)
        assert (it.in_flight, it.waiting) == (0, 0)
        return cancelled

    steps = 0
    while await cancel_at(steps):
        steps += 1
    assert steps == 2


@given(
    events=st.lists(
        st.one_of(
            st.tuples(st.just("enter"), st.sampled_from("abcd")),
            st.tuples(st.sampled_from(["leave", "cancel"]), st.integers(0, 30)),
            st.tuples(st.just("wait"), st.sampled_from([0, 1, 10])),
        ),
        max_size=60,
    )
)
@settings(max_examples=100, deadline=None)
def test_no_place_is_lost_and_no_bound_exceeded_whatever_happens(events):
    async def scenario() -> None:
        it = gate(2, max_queue=3, queue_timeout_s=9)
        tasks: list[asyncio.Task[None]] = []
        left: set[asyncio.Task[None]] = set()

        def leave(task: asyncio.Task[None]) -> None:
            if task not in left:
                left.add(task)
                it.leave(0)

        for what, argument in events:
            match what, argument:
                case "enter", str(tenant):
                    tasks.append(asyncio.create_task(it.enter(tenant)))
                case "cancel", int(index) if index < len(tasks):
                    tasks[index].cancel()
                case "leave", int(index) if index < len(tasks):
                    task = tasks[index]
                    if task.done() and not task.cancelled() and task.exception() is None:
                        leave(task)
                case "wait", int(seconds):
                    await asyncio.sleep(seconds)
                    await settle()
                case _:
                    pass
            assert it.in_flight <= 2
            assert it.waiting <= 3
            assert it.in_flight == 2 or it.waiting == 0
        ends: set[str | None] = set()
        while tasks:
            task = tasks.pop(0)
            try:
                await task
                leave(task)
            except (ProxyError, asyncio.CancelledError) as error:
                ends.add(getattr(error, "code", "cancelled"))
        assert (it.in_flight, it.waiting, len(it._queues)) == (0, 0, 0)
        assert ends <= {"queue_full", "queue_share", "queue_timeout", "cancelled"}

    run(scenario())
