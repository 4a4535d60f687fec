"""Micro-batches: who leaves with whom and when, what comes back, and what a cancel leaves behind.
(Long, because batches and turns obey the same rules, and each is stated for both.)
"""

import asyncio
import functools
import gc
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.batcher import Leave, MicroBatcher, Wait, decide
from proxy.errors import Unavailable
from proxy.flight import Flight, Flights
from tests.cancelling import MOMENTS, cancelled_at
from tests.virtual_time import run

pytestmark = pytest.mark.anyio

GROUP = "one group"


class Engine:
    """Doubles numbers, `takes_s` a batch, and remembers who came together and when."""

    def __init__(self, takes_s: float = 1.0) -> None:
        self.takes_s = takes_s
        self.batches: list[tuple[float, list[int]]] = []
        self.cancelled = 0

    async def __call__(self, items: list[int]) -> Sequence[int | BaseException]:
        self.batches.append((asyncio.get_running_loop().time(), items))
        try:
            await asyncio.sleep(self.takes_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return [2 * item for item in items]


def nothing(items: list[int]) -> Any:
    raise AssertionError("turns send themselves")


def submit(
    batcher: MicroBatcher[int, int], item: int, *, group: Any = GROUP, size: int = 8, wait_s: float = 0.0
) -> asyncio.Task[int]:
    return asyncio.create_task(batcher.submit(group, item, max_batch_size=size, max_wait_s=wait_s))


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def assert_nothing_left(batcher: MicroBatcher[Any, Any]) -> None:
    assert (len(batcher), batcher.waiting, len(batcher._tasks)) == (0, 0, 0)


# The decision


@pytest.mark.parametrize(
    ("waiting", "running", "waited_s", "max_running", "decision"),
    [
        (8, 0, 0.0, None, Leave(8)),
        (9, 5, 0.0, None, Leave(8)),
        (1, 0, 0.0, None, Leave(1)),
        (1, 1, 0.0, None, Wait(16.0)),
        (3, 0, 0.0, None, Wait(16.0)),
        (3, 0, 6.0, None, Leave(3)),
        (1, 1, 6.0, None, Leave(1)),
        (8, 1, 6.0, 1, Wait(None)),
        (8, 0, 6.0, 1, Leave(8)),
    ],
)
def test_who_leaves(waiting, running, waited_s, max_running, decision):
    assert decision == decide(
        waiting=waiting,
        running=running,
        oldest_s=10.0,
        now_s=10.0 + waited_s,
        max_batch_size=8,
        max_wait_s=6.0,
        max_running=max_running,
    )


# Items that are handed over


async def test_what_comes_together_is_run_together_and_each_gets_its_own_result():
    engine = Engine()
    batcher = MicroBatcher(engine)
    assert await asyncio.gather(*(submit(batcher, number) for number in range(5))) == [0, 2, 4, 6, 8]
    assert engine.batches == [(0.0, [0, 1, 2, 3, 4])]
    assert (batcher.batches, batcher.items) == (1, 5)
    assert_nothing_left(batcher)


async def test_no_batch_is_larger_than_max_batch_size():
    engine = Engine()
    batcher = MicroBatcher(engine)
    await asyncio.gather(*(submit(batcher, number, size=8) for number in range(20)))
    assert [len(items) for _, items in engine.batches] == [8, 8, 4]
    assert [item for _, items in engine.batches for item in items] == list(range(20)), "in the order they came"


async def test_without_a_window_nobody_waits_for_more():
    engine = Engine()
    batcher = MicroBatcher(engine)
    first = submit(batcher, 1)
    await asyncio.sleep(0.5)
    await asyncio.gather(first, submit(batcher, 2))
    assert engine.batches == [(0.0, [1]), (0.5, [2])]


async def test_a_lone_item_leaves_at_once_even_with_a_window():
    engine = Engine()
    batcher = MicroBatcher(engine)
    await submit(batcher, 1, wait_s=6)
    assert engine.batches == [(0.0, [1])]


async def test_while_something_is_in_flight_the_next_waits_for_more():
    engine = Engine(takes_s=10)
    batcher = MicroBatcher(engine)
    tasks = [submit(batcher, 1, wait_s=6)]
    for number in (2, 3):
        await asyncio.sleep(1)
        tasks.append(submit(batcher, number, wait_s=6))
    await asyncio.gather(*tasks)
    assert engine.batches == [(0.0, [1]), (7.0, [2, 3])], "6 s after the older of the two came"


async def test_a_full_batch_does_not_wait_for_the_window_to_end():
    engine = Engine(takes_s=10)
    batcher = MicroBatcher(engine)
    tasks = [submit(batcher, 1, wait_s=6, size=2)]
    for number in (2, 3):
        await asyncio.sleep(1)
        tasks.append(submit(batcher, number, wait_s=6, size=2))
    await asyncio.gather(*tasks)
    assert engine.batches == [(0.0, [1]), (2.0, [2, 3])]


async def test_who_is_left_alone_when_the_last_batch_ends_waits_no_longer():
    engine = Engine(takes_s=2)
    batcher = MicroBatcher(engine)
    first = submit(batcher, 1, wait_s=6)
    await asyncio.sleep(1)
    await asyncio.gather(first, submit(batcher, 2, wait_s=6))
    assert engine.batches == [(0.0, [1]), (2.0, [2])]


async def test_with_max_running_what_comes_meanwhile_leaves_together():
    engine = Engine(takes_s=10)
    batcher = MicroBatcher(engine, max_running=1)
    tasks = []
    for number in range(5):
        tasks.append(submit(batcher, number, size=3))
        await asyncio.sleep(1)
    assert await asyncio.gather(*tasks) == [0, 2, 4, 6, 8]
    assert engine.batches == [(0.0, [0]), (10.0, [1, 2, 3]), (20.0, [4])]
    assert_nothing_left(batcher)


async def test_groups_do_not_mix():
    engine = Engine()
    batcher = MicroBatcher(engine)
    await asyncio.gather(*(submit(batcher, number, group=number % 2) for number in range(6)))
    assert engine.batches == [(0.0, [0, 2, 4]), (0.0, [1, 3, 5])]
    assert_nothing_left(batcher)


async def test_an_exception_in_place_of_a_result_is_that_items_alone():
    async def engine(items: list[int]) -> Sequence[int | BaseException]:
        return [ValueError(item) if item == 2 else item for item in items]

    batcher = MicroBatcher[int, int](engine)
    results = await asyncio.gather(*(submit(batcher, number) for number in (1, 2, 3)), return_exceptions=True)
    assert [results[0], str(results[1]), results[2]] == [1, "2", 3]


async def test_what_the_run_raises_is_raised_for_all():
    async def engine(items: list[int]) -> Sequence[int | BaseException]:
        raise ConnectionResetError

    batcher = MicroBatcher[int, int](engine)
    results = await asyncio.gather(*(submit(batcher, number) for number in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [ConnectionResetError] * 3
    assert_nothing_left(batcher)


@pytest.mark.parametrize("results", [[], [1], [1, 2, 3]])
async def test_a_wrong_number_of_results_answers_nobody(results: list[int]):
    async def engine(items: list[int]) -> Sequence[int | BaseException]:
        return results

    batcher = MicroBatcher[int, int](engine)
    both = await asyncio.gather(submit(batcher, 1), submit(batcher, 2), return_exceptions=True)
    assert {str(result) for result in both} == {f"a batch of 2 returned {len(results)} results"}


async def test_a_cancelled_result_is_an_error_not_the_submitters_cancellation():
    async def engine(items: list[int]) -> Sequence[int | BaseException]:
        return [asyncio.CancelledError()]

    with pytest.raises(Unavailable) as caught:
        await MicroBatcher[int, int](engine).submit(GROUP, 1, max_batch_size=8, max_wait_s=0)
    assert caught.value.code == "batch_cancelled"


async def test_an_item_cancelled_before_its_batch_leaves_is_not_sent():
    engine = Engine(takes_s=10)
    batcher = MicroBatcher(engine)
    tasks = [submit(batcher, number, wait_s=6) for number in range(3)]
    await asyncio.sleep(1)
    tasks[0].cancel()
    assert await asyncio.gather(*tasks[1:]) == [2, 4]
    assert engine.batches == [(6.0, [1, 2])]


async def test_an_item_can_be_handed_over_without_waiting_for_its_result():
    engine = Engine(takes_s=10)
    batcher = MicroBatcher(engine)
    first, second, third = (batcher.put(GROUP, number, max_batch_size=8, max_wait_s=6) for number in range(3))
    first.withdraw()
    await asyncio.sleep(20)
    assert engine.batches == [(6.0, [1, 2])]
    assert (second.outcome.result(), third.outcome.result()) == (2, 4)
    assert not first.outcome.done()
    assert_nothing_left(batcher)


async def test_an_item_whose_company_is_cancelled_leaves_at_once():
    engine = Engine()
    batcher = MicroBatcher(engine)
    tasks = [submit(batcher, number, wait_s=6) for number in range(2)]
    await asyncio.sleep(1)
    tasks[0].cancel()
    assert await tasks[1] == 2
    assert engine.batches == [(1.0, [1])]


async def test_a_batch_goes_on_while_one_submitter_is_left_and_is_cancelled_with_the_last():
    engine = Engine(takes_s=10)
    batcher = MicroBatcher(engine)
    tasks = [submit(batcher, number) for number in range(3)]
    await asyncio.sleep(1)
    tasks[0].cancel()
    tasks[1].cancel()
    await settle()
    assert engine.cancelled == 0
    tasks[2].cancel()
    await settle()
    assert engine.cancelled == 1
    assert_nothing_left(batcher)


async def test_closing_refuses_who_waits_and_cancels_what_runs():
    engine = Engine(takes_s=10)
    batcher = MicroBatcher(engine)
    tasks = [submit(batcher, 1, wait_s=6)]
    await asyncio.sleep(1)
    tasks += [submit(batcher, number, wait_s=6) for number in range(2)]
    tasks.append(asyncio.create_task(batcher.submit("other", 1, max_batch_size=8, max_wait_s=0)))
    await settle()
    await batcher.aclose()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [getattr(result, "code", None) for result in results] == [
        "batch_cancelled",
        "shutting_down",
        "shutting_down",
        "batch_cancelled",
    ]
    assert engine.cancelled == 2
    assert len(engine.batches) == 2
    assert_nothing_left(batcher)


def test_an_error_nobody_reads_is_not_reported_as_never_retrieved():
    async def engine(items: list[int]) -> Sequence[int | BaseException]:
        try:
            await asyncio.sleep(1)
        finally:
            raise ConnectionResetError

    async def scenario() -> None:
        batcher = MicroBatcher[int, int](engine)
        task = submit(batcher, 1)
        await settle()
        task.cancel()
        await settle()
        assert_nothing_left(batcher)
        gc.collect()

    run(scenario())


# Turns


async def test_a_turn_without_a_window_is_taken_without_suspending():
    batcher = MicroBatcher(nothing)
    for size, wait_s in [(8, 0.0), (1, 6.0)]:
        with pytest.raises(StopIteration) as stopped:
            batcher.turn(GROUP, max_batch_size=size, max_wait_s=wait_s).send(None)
        assert len(batcher) == 1
        stopped.value.value.done()
    assert_nothing_left(batcher)


async def leave_times(arrivals_s: list[float], *, takes_s: float, size: int = 8, wait_s: float = 6) -> list[Any]:
    """When each leaves, and with how many."""
    batcher = MicroBatcher(nothing)

    async def one(arrival_s: float) -> tuple[float, int]:
        await asyncio.sleep(arrival_s)
        turn = await batcher.turn(GROUP, max_batch_size=size, max_wait_s=wait_s)
        left_s = asyncio.get_running_loop().time()
        await asyncio.sleep(takes_s)
        turn.done()
        turn.done()
        return left_s, turn.batch_size

    result = await asyncio.gather(*(one(arrival_s) for arrival_s in arrivals_s))
    assert_nothing_left(batcher)
    return result


async def test_requests_leave_with_their_batch_and_send_themselves():
    assert await leave_times([0, 1, 2], takes_s=10) == [(0, 1), (7, 2), (7, 2)]


async def test_a_full_batch_of_turns_leaves_at_once():
    assert await leave_times([0] * 10, takes_s=10) == [(0, 8)] * 8 + [(6, 2)] * 2


async def test_a_turn_counts_as_in_flight_until_it_is_done():
    """Each of these is alone, and leaves when the one before it is done."""
    assert await leave_times([0, 1, 2], takes_s=1.5) == [(0, 1), (1.5, 1), (3, 1)]


async def test_F05_each_of_a_batch_keeps_its_own_limit():
    """Nothing is merged: the batch decides when its members leave, and each sends its own body."""
    batcher, sent = MicroBatcher(nothing), []

    async def one(max_tokens: int) -> None:
        turn = await batcher.turn(GROUP, max_batch_size=8, max_wait_s=6)
        sent.append((max_tokens, turn.batch_size))
        turn.done()

    await asyncio.gather(*(one(limit) for limit in (5, 10, 20, 1000)))
    assert sent == [(5, 4), (10, 4), (20, 4), (1000, 4)]


async def test_closing_refuses_who_waits_for_a_turn():
    batcher = MicroBatcher(nothing)
    await batcher.turn(GROUP, max_batch_size=8, max_wait_s=6)
    waiting = asyncio.create_task(batcher.turn(GROUP, max_batch_size=8, max_wait_s=6))
    await settle()
    await batcher.aclose()
    with pytest.raises(Unavailable):
        await waiting


async def test_what_comes_in_the_turn_of_the_loop_in_which_the_last_one_ends_leaves_together():
    batcher = MicroBatcher(nothing)
    running = await batcher.turn(GROUP, max_batch_size=8, max_wait_s=6)
    before = asyncio.create_task(batcher.turn(GROUP, max_batch_size=8, max_wait_s=6))
    asyncio.get_running_loop().call_soon(running.done)
    after = asyncio.create_task(batcher.turn(GROUP, max_batch_size=8, max_wait_s=6))
    turns = [await before, await after]
    assert [turn.batch_size for turn in turns] == [2, 2]
    for turn in turns:
        turn.done()
    assert_nothing_left(batcher)


@pytest.mark.parametrize("form", ["submit", "turn"])
async def test_one_cancelled_in_the_moment_its_batch_leaves_holds_nothing_up(form):
    engine = Engine()
    batcher = MicroBatcher(engine)

    def come(item: int) -> asyncio.Task[Any]:
        if form == "submit":
            return submit(batcher, item, size=2, wait_s=6)
        return asyncio.create_task(batcher.turn(GROUP, max_batch_size=2, max_wait_s=6))

    running = [come(1), come(1)]
    waiting = come(2)
    await settle()
    last = come(3)
    waiting.cancel()  # its task runs after that of the last one, which fills the batch
    results: list[Any] = await asyncio.gather(*running, waiting, last, return_exceptions=True)
    assert isinstance(results[2], asyncio.CancelledError)
    if form == "submit":
        assert results[3] == 6
        assert engine.batches == [(0.0, [1, 1]), (0.0, [2, 3])]
    for index in (0, 1, 3):
        if form == "turn":
            results[index].done()
    assert_nothing_left(batcher)


async def test_closing_in_the_turn_of_the_loop_in_which_something_came_leaves_nothing():
    engine = Engine()
    batcher = MicroBatcher(engine)
    tasks = [submit(batcher, number, wait_s=6) for number in range(2)]
    await asyncio.sleep(0)
    assert batcher.waiting == 2
    await batcher.aclose()
    assert_nothing_left(batcher)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [Unavailable] * 2
    assert engine.batches == []


# Cancels at every await, and anything else at any moment


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("form", ["submit", "turn"])
async def test_a_cancel_at_any_await_leaves_nothing_and_the_others_are_served(form, moment):
    async def cancel_at(step: int) -> bool:
        engine = Engine(takes_s=2)
        batcher = MicroBatcher(engine)

        async def by_turn(item: int) -> int:
            turn = await batcher.turn(GROUP, max_batch_size=2, max_wait_s=3)
            try:
                return 2 * item
            finally:
                turn.done()

        async def one(item: int) -> int:
            if form == "turn":
                return await by_turn(item)
            return await batcher.submit(GROUP, item, max_batch_size=2, max_wait_s=3)

        async def after(delay_s: float, item: int) -> int:
            await asyncio.sleep(delay_s)
            return await one(item)

        others = [asyncio.create_task(after(delay_s, delay_s)) for delay_s in (0, 1, 1, 2)]
        cancelled = await cancelled_at(step, after(1, 5), moment)
        assert await asyncio.gather(*others) == [0, 2, 2, 4]
        await settle()
        assert_nothing_left(batcher)
        return cancelled

    steps = 0
    while await cancel_at(steps):
        steps += 1
    assert steps == 2


@given(
    events=st.lists(
        st.one_of(
            st.tuples(st.just("submit"), st.sampled_from([0.0, 3.0])),
            st.tuples(st.just("turn"), st.sampled_from([0.0, 3.0])),
            st.tuples(st.sampled_from(["cancel", "done"]), st.integers(0, 30)),
            st.tuples(st.just("wait"), st.sampled_from([0.0, 1.0, 5.0])),
        ),
        max_size=50,
    ),
    max_running=st.sampled_from([None, 1, 2]),
)
@settings(max_examples=100, deadline=None)
def test_everyone_is_served_once_and_nothing_is_left_whatever_happens(events, max_running):
    async def scenario() -> None:
        engine = Engine(takes_s=2)
        batcher = MicroBatcher(engine, max_running=max_running)
        submitted: list[asyncio.Task[int]] = []
        turns: list[asyncio.Task[Any]] = []
        for what, argument in events:
            match what:
                case "submit":
                    submitted.append(submit(batcher, len(submitted), size=3, wait_s=argument))
                case "turn":
                    turns.append(asyncio.create_task(batcher.turn(GROUP, max_batch_size=3, max_wait_s=argument)))
                case "cancel":
                    for tasks in (submitted, turns):
                        if argument < len(tasks):
                            tasks[argument].cancel()
                case "done":
                    if argument < len(turns) and turns[argument].done() and not turns[argument].cancelled():
                        turns[argument].result().done()
                case _:
                    await asyncio.sleep(argument)
                    await settle()
            assert len(batcher) <= 2
        for turn in turns:
            if not (await asyncio.wait([turn]))[0].pop().cancelled():
                turn.result().done()
        results = await asyncio.gather(*submitted, return_exceptions=True)
        assert all(
            result in (2 * number,) or isinstance(result, asyncio.CancelledError)
            for number, result in enumerate(results)
        )
        sent = [item for _, items in engine.batches for item in items]
        assert len(sent) == len(set(sent)), "nobody is sent twice"
        assert all(1 <= len(items) <= 3 for _, items in engine.batches)
        await asyncio.sleep(10)
        assert_nothing_left(batcher)

    run(scenario())


# Together with the flights


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize(("coalescing", "generations", "shared", "hits"), [(True, 3, 13, 64), (False, 16, 0, 64)])
async def test_80_requests_over_3_distinct_prompts_with_16_in_flight(stream, coalescing, generations, shared, hits):
    """The batches leave together, so every distinct prompt is answered before the first client asks its next one."""
    prompts = itertools.islice(itertools.cycle([b"prompt 1", b"prompt 2", b"prompt 3", b"prompt 1"]), 80)
    flights = Flights[int](max_bytes=1_000_000, max_log_bytes=10_000, slow_reader_s=60)
    batcher = MicroBatcher(nothing)
    cache: dict[bytes, bytes] = {}
    count = {"generations": 0, "shared": 0, "hits": 0}

    async def generate(prompt: bytes, send: Callable[[bytes], object]) -> None:
        turn = await batcher.turn(GROUP, max_batch_size=8, max_wait_s=0.006)
        count["generations"] += 1
        try:
            await asyncio.sleep(0.012)
            send(b"answer to ")
            await asyncio.sleep(0.003)
            send(prompt)
        finally:
            turn.done()
        cache[prompt] = b"answer to " + prompt

    async def produce(prompt: bytes, flight: Flight[int]) -> None:
        flight.open(200)
        await generate(prompt, flight.append)

    async def ask(prompt: bytes) -> bytes:
        if (answer := cache.get(prompt)) is not None:
            count["hits"] += 1
            return answer
        if not coalescing:
            parts: list[bytes] = []
            await generate(prompt, parts.append)
            return b"".join(parts)
        flight = flights.find(prompt, stream=stream)
        if flight is None:
            flight = flights.start(prompt, stream=stream, produce=functools.partial(produce, prompt))
            assert flight is not None
        else:
            count["shared"] += 1
        reader = flight.join()
        try:
            return b"".join([chunk async for chunk in reader])
        finally:
            reader.close()

    async def client() -> None:
        for prompt in prompts:
            assert await ask(prompt) == b"answer to " + prompt
            await asyncio.sleep(0)  # the reply travels, while the others of its batch are stored

    await asyncio.gather(*(client() for _ in range(16)))
    await settle()
    assert count == {"generations": generations, "shared": shared, "hits": hits}
    assert (len(flights), len(batcher)) == (0, 0)
