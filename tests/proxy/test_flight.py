"""One producer, many readers: who joins whom, who gets what, what ends when, and what is never exceeded.
(As long as what it tests is one state machine: each rule is a test, in the order of a flight's life.)
"""

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import pytest

from proxy.errors import Unavailable
from proxy.flight import MAX_READ_BYTES, Flight, Flights, Reader, SlowReader
from tests.cancelling import MOMENTS, cancelled_at
from tests.virtual_time import run

pytestmark = pytest.mark.anyio

KEY = b"\x01" * 32
HEAD = "200 OK"

Produce = Callable[[Flight[str]], Coroutine[Any, Any, None]]


def flights(*, max_bytes: int = 1_000_000, max_log_bytes: int = 1000, slow_reader_s: float = 60) -> Flights[str]:
    return Flights(max_bytes=max_bytes, max_log_bytes=max_log_bytes, slow_reader_s=slow_reader_s)


def chunks(*parts: bytes, every_s: float = 1.0) -> Produce:
    """A producer that sends its head at once, then one part every `every_s`."""

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        for part in parts:
            await asyncio.sleep(every_s)
            if not flight.append(part):
                await flight.room()

    return produce


async def silence(flight: Flight[str]) -> None:
    flight.open(HEAD)
    await asyncio.Event().wait()


def lead(them: Flights[str], produce: Produce, *, key: bytes = KEY, stream: bool = True) -> Flight[str]:
    flight = them.start(key, stream=stream, produce=produce)
    assert flight is not None
    return flight


async def read(reader: Reader[str], *, every_s: float = 0.0) -> bytes:
    body = b""
    try:
        await reader.head()
        async for chunk in reader:
            body += chunk
            if every_s:
                await asyncio.sleep(every_s)
    finally:
        reader.close()
    return body


async def settle() -> None:
    """Let everything that is ready run, without any time passing."""
    for _ in range(10):
        await asyncio.sleep(0)


def assert_nothing_left(them: Flights[str]) -> None:
    assert len(them) == 0
    assert them.readers == 0
    assert them.total_bytes == 0
    assert them.find(KEY, stream=False) is None
    assert [task for task in asyncio.all_tasks() if task.get_name().startswith("flight")] == []


# Who gets what


async def test_every_reader_gets_the_head_and_the_whole_body_from_one_run():
    them, runs = flights(), 0

    async def produce(flight: Flight[str]) -> None:
        nonlocal runs
        runs += 1
        await chunks(b"one ", b"two ", b"three")(flight)

    flight = lead(them, produce)
    bodies = await asyncio.gather(*(read(flight.join()) for _ in range(100)))
    assert bodies == [b"one two three"] * 100
    assert runs == 1
    assert (them.started, them.joined) == (1, 99)
    assert_nothing_left(them)


async def test_F04_200_together_are_one_run_however_long_it_takes_to_begin():
    them, runs = flights(), 0

    async def produce(flight: Flight[str]) -> None:
        nonlocal runs
        await asyncio.sleep(0.05)  # an embedding, say
        runs += 1
        await chunks(b"answer")(flight)

    async def ask() -> bytes:
        return await read((them.find(KEY, stream=True) or lead(them, produce)).join())

    assert await asyncio.gather(*(ask() for _ in range(200))) == [b"answer"] * 200
    assert runs == 1
    assert_nothing_left(them)


async def test_a_reader_gets_each_chunk_when_it_is_made():
    them, seen = flights(), []
    reader = lead(them, chunks(b"a", b"b", b"c")).join()
    async for chunk in reader:
        seen.append((asyncio.get_running_loop().time(), chunk))
    assert seen == [(1.0, b"a"), (2.0, b"b"), (3.0, b"c")]
    reader.close()


async def test_who_joins_in_the_middle_gets_the_first_half_at_once():
    them, seen = flights(), []
    first = asyncio.create_task(read(lead(them, chunks(b"a", b"b", b"c", b"d")).join()))
    await asyncio.sleep(2.5)
    late = them.find(KEY, stream=True)
    assert late is not None
    reader = late.join()
    async for chunk in reader:
        seen.append((asyncio.get_running_loop().time(), chunk))
    reader.close()
    assert seen == [(2.5, b"ab"), (3.0, b"c"), (4.0, b"d")]
    assert await first == b"abcd"


async def test_a_lagging_reader_gets_at_most_max_read_bytes_at_once():
    them = flights(max_log_bytes=10 * MAX_READ_BYTES)
    part = b"x" * (MAX_READ_BYTES // 2 - 1)
    reader = lead(them, chunks(*[part] * 5, b"y" * (MAX_READ_BYTES + 1))).join()
    await asyncio.sleep(10)
    sizes = [len(chunk) async for chunk in reader]
    assert sizes == [2 * len(part), 2 * len(part), len(part), MAX_READ_BYTES + 1]
    reader.close()


async def test_a_withheld_chunk_reaches_only_those_who_asked_for_it():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        for part, withheld in [(b"text ", False), (b"usage ", True), (b"end", False)]:
            flight.append(part, withheld=withheld)
            await asyncio.sleep(1)

    flight = lead(them, produce)
    plain, curious, late = flight.join(), flight.join(), flight.join()
    curious.with_withheld = True
    both = asyncio.gather(read(plain), read(curious))
    await asyncio.sleep(2.5)
    assert list(await both) == [b"text end", b"text usage end"]
    assert await read(late) == b"text end"


async def test_a_withheld_chunk_is_recognised_after_chunks_were_dropped():
    them = flights(max_log_bytes=4)

    async def produce(flight: Flight[str]) -> None:
        await chunks(b"abc", b"def")(flight)
        await asyncio.sleep(1)
        flight.append(b"usage", withheld=True)
        await asyncio.sleep(1)
        flight.append(b"ghi")

    flight = lead(them, produce)
    plain, curious = flight.join(), flight.join()
    curious.with_withheld = True
    assert list(await asyncio.gather(read(plain), read(curious))) == [b"abcdefghi", b"abcdefusageghi"]
    assert_nothing_left(them)


async def test_an_empty_chunk_is_not_delivered():
    them = flights()
    reader = lead(them, chunks(b"a", b"", b"b")).join()
    assert [chunk async for chunk in reader] == [b"a", b"b"]
    reader.close()


async def test_reading_can_time_out_and_go_on():
    them = flights()
    reader = lead(them, chunks(b"a", b"b", every_s=20)).join()
    body, silences = b"", 0
    while True:
        try:
            async with asyncio.timeout(15):
                body += await anext(reader)
        except TimeoutError:
            silences += 1
        except StopAsyncIteration:
            break
    reader.close()
    assert (body, silences) == (b"ab", 2)
    assert_nothing_left(them)


async def test_cancelling_one_reader_disturbs_no_other():
    them = flights()
    flight = lead(them, chunks(b"a", b"b", b"c"))
    tasks = [asyncio.create_task(read(flight.join())) for _ in range(10)]
    await asyncio.sleep(1.5)
    for task in tasks[::2]:
        task.cancel()
    bodies = await asyncio.gather(*tasks, return_exceptions=True)
    assert bodies[1::2] == [b"abc"] * 5
    assert all(isinstance(body, asyncio.CancelledError) for body in bodies[::2])
    assert_nothing_left(them)


# Who wants the whole


async def suspensions(waiting: Coroutine[Any, Any, bytes]) -> tuple[bytes, int]:
    """What `waiting` returns, and how often it suspended."""
    counted = _Counted(waiting)
    return await counted, counted.suspensions


class _Counted:
    def __init__(self, waiting: Coroutine[Any, Any, bytes]) -> None:
        self._waiting = waiting
        self.suspensions = 0

    def __await__(self) -> Generator[Any, Any, bytes]:
        while True:
            try:
                awaited = self._waiting.send(None)
            except StopIteration as end:
                body: bytes = end.value
                return body
            self.suspensions += 1
            yield awaited


async def test_who_wants_the_whole_is_woken_once_and_has_left_then():
    them = flights()
    flight = lead(them, chunks(b"a", b"b", b"c", b"d"))
    stepwise, patient = asyncio.create_task(read(flight.join())), flight.join()
    assert await suspensions(patient.whole()) == (b"abcd", 1)
    assert await stepwise == b"abcd"
    assert_nothing_left(them)


async def test_what_came_before_is_part_of_the_whole_and_what_was_read_is_not():
    them = flights()
    flight = lead(them, chunks(b"a", b"b", b"c", b"d"))
    reader = flight.join()
    assert await anext(reader) == b"a"
    await asyncio.sleep(1.5)
    assert await flight.join().whole() == b"abcd"
    assert await reader.whole() == b"bcd"
    assert_nothing_left(them)


async def test_the_whole_is_taken_as_it_comes_once_the_log_is_not_kept():
    them, held = flights(max_log_bytes=4), []

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        for number in range(10):
            await asyncio.sleep(1)
            if not flight.append(b"%04d" % number):
                await flight.room()
            held.append(them.total_bytes)

    flight = lead(them, produce)
    whole = b"".join(b"%04d" % number for number in range(10))
    assert list(await asyncio.gather(flight.join().whole(), flight.join().whole())) == [whole, whole]
    assert max(held) <= 8
    assert them.cut == 0
    assert_nothing_left(them)


async def test_the_whole_holds_no_memory_of_a_flight_that_was_replaced():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        flight.append(b"a")
        await asyncio.sleep(10)
        flight.append(b"b")

    old = asyncio.create_task(lead(them, produce).join().whole())
    await asyncio.sleep(1)
    assert them.total_bytes == 1
    lead(them, silence).join()
    await settle()
    assert them.total_bytes == 0
    assert await old == b"ab"
    await them.drain(0)


async def test_the_whole_leaves_out_what_is_withheld():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        flight.append(b"text ")
        flight.append(b"usage", withheld=True)

    flight = lead(them, produce)
    plain, curious = flight.join(), flight.join()
    curious.with_withheld = True
    assert list(await asyncio.gather(plain.whole(), curious.whole())) == [b"text ", b"text usage"]
    assert_nothing_left(them)


async def test_there_is_no_whole_of_a_flight_that_failed():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        await chunks(b"a", b"b")(flight)
        raise ConnectionResetError

    reader = lead(them, produce).join()
    with pytest.raises(ConnectionResetError):
        await reader.whole()
    reader.close()
    assert_nothing_left(them)


async def test_the_whole_of_a_closed_reader_is_an_error():
    them = flights()
    flight = lead(them, silence)
    flight.join()
    reader = flight.join()
    waiting = asyncio.create_task(reader.whole())
    await settle()
    reader.close(SlowReader("too slow"))
    with pytest.raises(SlowReader):
        await waiting
    await them.drain(0)


# A reply that is there as a whole


@pytest.mark.parametrize("body", [b"answer", b""])
async def test_an_answer_is_head_body_and_end_at_once_and_nobody_joins_after_it(body):
    them, found = flights(), []

    async def produce(flight: Flight[str]) -> None:
        await asyncio.sleep(1)
        flight.answer(HEAD, body)
        found.append(them.find(KEY, stream=True))
        await asyncio.sleep(1)

    flight = lead(them, produce)
    stepwise, patient = asyncio.create_task(read(flight.join())), flight.join()
    assert await patient.head() == HEAD
    assert await suspensions(patient.whole()) == (body, 0)
    assert await stepwise == body
    assert found == [None]
    assert (asyncio.get_running_loop().time(), len(them), them.total_bytes) == (1.0, 1, 0)
    await them.drain(5)
    assert_nothing_left(them)


async def test_an_answer_nobody_waits_for_holds_no_memory():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.answer(HEAD, b"answer")
        assert them.total_bytes == 0

    flight = lead(them, produce)
    await settle()
    assert flight.failure is None
    assert_nothing_left(them)


async def test_an_answer_after_the_end_of_all_readers_is_ignored():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        try:
            await asyncio.sleep(100)
        finally:
            flight.answer(HEAD, b"late")

    reader = lead(them, produce).join()
    await settle()
    reader.close()
    await settle()
    assert_nothing_left(them)


async def test_only_who_was_there_alone_when_the_head_came_is_alone():
    them = flights()
    lone = lead(them, silence).join()
    await settle()
    late = them.find(KEY, stream=True)
    assert late is not None
    assert (lone.alone, late.join().alone) == (True, False)
    both = lead(them, silence, key=b"other")
    readers = [both.join(), both.join()]
    await settle()
    readers[0].close()
    assert [reader.alone for reader in readers] == [False, False]
    await them.drain(0)


# The first step


async def test_a_flight_that_is_begun_has_asked_before_anybody_else_runs():
    them, order = flights(), []

    async def produce(flight: Flight[str]) -> None:
        order.append(f"asked, beginning={flight.beginning}, {asyncio.current_task() is flight.task}")
        await asyncio.sleep(1)
        order.append(f"answered, beginning={flight.beginning}, {asyncio.current_task() is flight.task}")
        flight.answer(HEAD, b"answer")

    async def other() -> None:
        order.append("other")

    waiting = asyncio.create_task(other())
    flight = lead(them, produce)
    reader = flight.join()
    flight.begin()
    assert await reader.whole() == b"answer"
    await waiting
    assert order == ["asked, beginning=True, True", "other", "answered, beginning=False, True"]
    await settle()
    assert_nothing_left(them)


async def test_S12_leaving_after_the_first_step_cancels_what_it_waits_for():
    them, waited_for = flights(), []

    async def produce(flight: Flight[str]) -> None:
        waited_for.append(asyncio.get_running_loop().create_future())
        await waited_for[0]

    flight = lead(them, produce)
    reader = flight.join()
    flight.begin()
    reader.close()
    await settle()
    assert waited_for[0].cancelled()
    assert_nothing_left(them)


async def test_a_first_step_that_fails_is_the_readers_failure():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        raise ConnectionResetError

    flight = lead(them, produce)
    reader = flight.join()
    flight.begin()
    assert them.find(KEY, stream=True) is flight
    with pytest.raises(ConnectionResetError):
        await read(reader)
    assert_nothing_left(them)


# Who joins whom


@pytest.mark.parametrize(
    ("asked", "client", "joins"), [(True, True, True), (True, False, True), (False, False, True), (False, True, False)]
)
async def test_a_plain_client_joins_any_flight_and_a_streaming_one_only_a_stream(asked, client, joins):
    them = flights()
    flight = lead(them, silence, stream=asked)
    flight.join()
    assert (them.find(KEY, stream=client) is flight) is joins
    await them.drain(0)


async def test_at_most_two_flights_a_key():
    them = flights()
    plain, streamed = lead(them, silence, stream=False), lead(them, silence, stream=True)
    assert them.find(KEY, stream=True) is streamed
    assert them.find(KEY, stream=False) is plain
    assert len(them) == 2
    await them.drain(0)


async def test_another_key_is_another_flight():
    them = flights()
    lead(them, silence)
    assert them.find(b"\x02" * 32, stream=True) is None
    await them.drain(0)


async def test_a_new_flight_replaces_one_of_its_key_whose_readers_go_on():
    them = flights()
    old = asyncio.create_task(read(lead(them, chunks(b"old ", b"answer")).join()))
    await asyncio.sleep(1.5)
    replacing = lead(them, chunks(b"new"))
    assert them.find(KEY, stream=True) is replacing
    assert list(await asyncio.gather(old, read(replacing.join()))) == [b"old answer", b"new"]
    assert_nothing_left(them)


async def test_a_replaced_flight_that_ends_leaves_the_slot_to_its_successor():
    them = flights()
    old = lead(them, chunks(b"old"))
    old.join()
    successor = lead(them, silence)
    await old.task  # type: ignore[misc]  # set by start
    await settle()
    assert them.find(KEY, stream=True) is successor
    await them.drain(0)


async def test_nobody_may_join_after_a_head_that_is_for_one_reader():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.open("set-cookie", joinable=False)
        await asyncio.sleep(1)
        flight.append(b"private")

    flight = lead(them, produce)
    reader = flight.join()
    assert await reader.head() == "set-cookie"
    assert them.find(KEY, stream=True) is None
    with pytest.raises(RuntimeError, match="no more readers"):
        flight.join()
    assert await read(reader) == b"private"
    assert_nothing_left(them)


async def test_a_request_sees_the_entry_or_the_flight_at_every_moment():
    """The entry is stored before the producer returns; until then the flight can be joined, also after its `end`."""
    them, store = flights(), {}

    async def produce(flight: Flight[str]) -> None:
        await chunks(b"answer")(flight)
        flight.end()
        await asyncio.sleep(1)
        store[KEY] = b"answer"

    loop = asyncio.get_running_loop()
    first = asyncio.create_task(read(lead(them, produce).join()))
    late_bodies = []
    while loop.time() < 3:
        flight = them.find(KEY, stream=True)
        assert flight is not None or store[KEY] == b"answer"
        if flight is not None and loop.time() > 1:
            late_bodies.append(await read(flight.join()))
        await asyncio.sleep(0.1)
    assert await first == b"answer"
    assert late_bodies == [b"answer"] * len(late_bodies) != []
    assert_nothing_left(them)


# Who may leave


async def test_F01_the_first_of_ten_leaves_after_a_chunk_and_nine_get_everything():
    them, runs = flights(), 0

    async def produce(flight: Flight[str]) -> None:
        nonlocal runs
        runs += 1
        await chunks(b"a", b"b", b"c")(flight)

    flight = lead(them, produce)
    leader = flight.join()
    others = [asyncio.create_task(read(flight.join())) for _ in range(9)]
    assert await anext(leader) == b"a"
    leader.close()
    assert list(await asyncio.gather(*others)) == [b"abc"] * 9
    assert runs == 1


@pytest.mark.parametrize("head_first", [False, True], ids=["before the head", "in mid-stream"])
async def test_S12_the_last_reader_out_cancels_upstream_at_once(head_first):
    them, cancelled_at_s = flights(), []

    async def produce(flight: Flight[str]) -> None:
        try:
            if head_first:
                flight.open(HEAD)
                flight.append(b"a")
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            cancelled_at_s.append(asyncio.get_running_loop().time())
            raise

    flight = lead(them, produce)
    readers = [flight.join(), flight.join()]
    await asyncio.sleep(3)
    readers[0].close()
    await asyncio.sleep(1)
    assert cancelled_at_s == []
    readers[1].close()
    assert them.find(KEY, stream=True) is None, "it leaves the map before anything else can run"
    await settle()
    assert cancelled_at_s == [4.0]
    assert_nothing_left(them)


async def test_S10_the_request_after_an_abandoned_one_is_fresh():
    them = flights()
    reader = lead(them, chunks(b"a", b"b", b"c")).join()
    assert [await anext(reader), await anext(reader)] == [b"a", b"b"]
    reader.close()
    assert await read(lead(them, chunks(b"whole", b" answer")).join()) == b"whole answer"
    assert_nothing_left(them)


async def test_leaving_before_the_task_has_run_cancels_it_unstarted():
    them, ran = flights(), False

    async def produce(flight: Flight[str]) -> None:
        nonlocal ran
        ran = True

    lead(them, produce).join().close()
    await settle()
    assert not ran
    assert_nothing_left(them)


async def test_leaving_after_the_end_does_not_cancel_the_storing():
    them, stored = flights(), []

    async def produce(flight: Flight[str]) -> None:
        await chunks(b"a")(flight)
        flight.end()
        await asyncio.sleep(1)
        stored.append(KEY)

    assert await read(lead(them, produce).join()) == b"a"
    assert len(them) == 1
    await asyncio.sleep(2)
    assert stored == [KEY]
    assert_nothing_left(them)


async def test_leaving_is_idempotent_and_a_closed_reader_can_not_be_read():
    them = flights()
    flight = lead(them, chunks(b"a", b"b"))
    other, reader = flight.join(), flight.join()
    reader.close()
    reader.close()
    assert (flight.readers, them.readers) == (1, 1)
    with pytest.raises(RuntimeError, match="closed"):
        await anext(reader)
    with pytest.raises(RuntimeError, match="closed"):
        await reader.head()
    assert await read(other) == b"ab"


async def test_a_reader_closed_by_another_task_stops_waiting():
    them = flights()
    flight = lead(them, silence)
    flight.join()
    reader = flight.join()
    waiting = asyncio.create_task(read(reader))
    await settle()
    reader.close()
    with pytest.raises(RuntimeError, match="closed"):
        await waiting
    await them.drain(0)


async def test_a_flight_nobody_joins_runs_to_its_end():
    them, stored = flights(max_log_bytes=3), []

    async def produce(flight: Flight[str]) -> None:
        await chunks(*[b"ab"] * 8)(flight)
        stored.append(KEY)

    lead(them, produce)
    await asyncio.sleep(10)
    assert stored == [KEY]
    assert_nothing_left(them)


# Failures


async def test_a_failure_before_the_head_is_every_readers_failure():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        await asyncio.sleep(1)
        raise ConnectionResetError

    flight = lead(them, produce)
    results = await asyncio.gather(*(read(flight.join()) for _ in range(5)), return_exceptions=True)
    assert [type(result) for result in results] == [ConnectionResetError] * 5
    assert_nothing_left(them)


async def test_a_failure_after_the_head_follows_what_was_logged():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        await chunks(b"a", b"b")(flight)
        raise ConnectionResetError

    reader = lead(them, produce).join()
    assert await reader.head() == HEAD
    body = await anext(reader) + await anext(reader)
    with pytest.raises(ConnectionResetError):
        await anext(reader)
    reader.close()
    assert body == b"ab"
    assert_nothing_left(them)


async def test_a_failed_flight_can_not_be_found():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.fail(ConnectionResetError())
        await asyncio.sleep(1)

    lead(them, produce).join()
    await settle()
    assert len(them) == 1
    assert them.find(KEY, stream=True) is None
    await them.drain(5)


async def test_F06_the_producer_may_ask_once_more_while_several_wait():
    them, calls = flights(), 0

    async def produce(flight: Flight[str]) -> None:
        nonlocal calls
        for _ in range(2):
            calls += 1
            await asyncio.sleep(1)
            if calls == 2:
                flight.open(HEAD)
                flight.append(b"answer")
                return
            if flight.readers < 2:
                break
        raise Unavailable("try later")

    flight = lead(them, produce)
    assert list(await asyncio.gather(*(read(flight.join()) for _ in range(50)))) == [b"answer"] * 50
    assert calls == 2
    calls = 0
    with pytest.raises(Unavailable):
        await read(lead(them, produce).join())
    assert calls == 1, "a lone reader gets the error"
    assert_nothing_left(them)


async def test_a_producer_that_returns_without_a_head_is_a_failure():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        await asyncio.sleep(1)

    with pytest.raises(RuntimeError, match="without a head"):
        await read(lead(them, produce).join())


async def test_a_cancelled_task_is_the_readers_error_not_their_cancellation():
    them = flights()
    flight = lead(them, silence)
    reading = asyncio.create_task(read(flight.join()))
    await settle()
    assert flight.task is not None
    flight.task.cancel()
    with pytest.raises(Unavailable) as caught:
        await reading
    assert caught.value.code == "flight_cancelled"
    assert_nothing_left(them)


async def test_one_shared_error_does_not_grow_with_its_readers():
    them, error = flights(), ConnectionResetError()

    async def produce(flight: Flight[str]) -> None:
        raise error

    flight = lead(them, produce)
    await asyncio.gather(*(read(flight.join()) for _ in range(50)), return_exceptions=True)
    frames, traceback = 0, error.__traceback__
    while traceback is not None:
        frames, traceback = frames + 1, traceback.tb_next
    assert frames < 10


def test_an_unread_failure_is_not_reported_as_never_retrieved():
    async def produce(flight: Flight[str]) -> None:
        raise ConnectionResetError

    async def scenario() -> None:
        lead(flights(), produce).join().close()
        lead(flights(), produce)
        await settle()
        gc.collect()

    run(scenario())


async def test_a_failure_after_the_end_is_logged_by_its_kind_only(caplog):
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        flight.end()
        raise ValueError("a prompt, perhaps")

    with caplog.at_level(logging.WARNING):
        assert await read(lead(them, produce).join()) == b""
        await settle()
    assert [record.getMessage() for record in caplog.records] == ["flight 01010101 raised ValueError after it was over"]


async def test_what_the_producer_does_after_the_end_of_all_readers_is_ignored():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        try:
            await asyncio.sleep(100)
        finally:
            flight.open(HEAD)
            assert flight.append(b"late")
            await flight.room()
            flight.end()

    lead(them, produce).join().close()
    await settle()
    assert_nothing_left(them)


async def test_a_second_head_is_a_mistake():
    them = flights()

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        flight.open(HEAD)

    with pytest.raises(RuntimeError, match="has a head"):
        await read(lead(them, produce).join())


# Bounds


async def test_a_body_over_its_bound_is_delivered_whole_but_takes_no_new_readers():
    them = flights(max_log_bytes=4)
    flight = lead(them, chunks(b"abc", b"def", b"ghi"))
    early = [asyncio.create_task(read(flight.join())) for _ in range(3)]
    await asyncio.sleep(1.5)
    assert them.find(KEY, stream=True) is flight
    await asyncio.sleep(1)
    assert them.find(KEY, stream=True) is None
    assert list(await asyncio.gather(*early)) == [b"abcdefghi"] * 3
    assert_nothing_left(them)


async def test_beyond_the_bound_upstream_is_read_at_the_pace_of_the_slowest_reader():
    them, made = flights(max_log_bytes=4), []

    async def produce(flight: Flight[str]) -> None:
        flight.open(HEAD)
        for number in range(10):
            made.append((asyncio.get_running_loop().time(), number))
            if not flight.append(b"%04d" % number):
                await flight.room()
            assert them.total_bytes <= 8

    flight = lead(them, produce)
    fast, slow = read(flight.join()), read(flight.join(), every_s=5)
    whole = b"".join(b"%04d" % number for number in range(10))
    assert list(await asyncio.gather(fast, slow)) == [whole, whole]
    assert made[-1] >= (5.0 * 3, 9)
    assert_nothing_left(them)


async def test_a_reader_that_stops_is_cut_and_the_others_go_on():
    them = flights(max_log_bytes=4, slow_reader_s=60)
    flight = lead(them, chunks(*[b"abcd"] * 10))
    stopped = flight.join()
    assert await read(flight.join()) == b"abcd" * 10
    assert asyncio.get_running_loop().time() == pytest.approx(60 + 10, abs=2)
    with pytest.raises(SlowReader) as caught:
        await anext(stopped)
    assert (caught.value.status, caught.value.code) == (503, "slow_reader")
    stopped.close()
    assert them.cut == 1
    assert_nothing_left(them)


async def test_a_slow_reader_that_moves_is_not_cut():
    them = flights(max_log_bytes=4, slow_reader_s=60)
    flight = lead(them, chunks(*[b"abcd"] * 5))
    assert list(await asyncio.gather(read(flight.join()), read(flight.join(), every_s=59))) == [b"abcd" * 5] * 2
    assert them.cut == 0


async def test_when_the_only_reader_stops_the_flight_ends():
    them = flights(max_log_bytes=4, slow_reader_s=60)
    stopped = lead(them, chunks(*[b"abcd"] * 10)).join()
    await asyncio.sleep(100)
    assert_nothing_left(them)
    with pytest.raises(SlowReader):
        await anext(stopped)


async def test_a_reader_that_stops_does_not_hold_the_log_of_a_landed_flight():
    them = flights(slow_reader_s=60)
    flight = lead(them, chunks(b"abcd", b"efgh"))
    stopped, slow = flight.join(), asyncio.create_task(read(flight.join(), every_s=1))
    assert await slow == b"abcdefgh"
    assert them.total_bytes == 8
    await asyncio.sleep(65)
    assert them.cut == 1
    with pytest.raises(SlowReader):
        await anext(stopped)
    assert_nothing_left(them)


async def test_a_reader_of_a_landed_flight_may_be_slow_but_not_stop():
    them = flights(max_log_bytes=10 * MAX_READ_BYTES, slow_reader_s=60)
    reader = lead(them, chunks(*[b"x" * MAX_READ_BYTES] * 6)).join()
    for _ in range(5):
        assert len(await anext(reader)) == MAX_READ_BYTES
        await asyncio.sleep(59)
    assert (them.cut, len(them)) == (0, 0)
    await asyncio.sleep(62)
    assert them.cut == 1
    with pytest.raises(SlowReader):
        await anext(reader)
    assert_nothing_left(them)


async def test_what_all_have_read_of_a_landed_flight_is_dropped():
    them = flights(max_log_bytes=10 * MAX_READ_BYTES)
    part = b"x" * MAX_READ_BYTES
    flight = lead(them, chunks(part, part, part))
    one, other = flight.join(), flight.join()
    await asyncio.sleep(5)
    held = []
    for reader in (one, other, one, other, other, one):
        await anext(reader)
        held.append(them.total_bytes // MAX_READ_BYTES)
    assert held == [3, 2, 2, 1, 1, 0]
    one.close()
    other.close()
    assert_nothing_left(them)


async def test_the_leaving_of_the_slowest_makes_room():
    them = flights(max_log_bytes=4)
    flight = lead(them, chunks(*[b"abcd"] * 4))
    stopped, reading = flight.join(), asyncio.create_task(read(flight.join()))
    await asyncio.sleep(10)
    assert not reading.done()
    stopped.close()
    assert await reading == b"abcd" * 4
    assert them.cut == 0


async def test_over_the_bound_of_all_logs_requests_fly_alone():
    them = flights(max_bytes=10)
    lead(them, chunks(b"0123456789")).join()
    assert them.start(b"other", stream=True, produce=silence) is not None
    await asyncio.sleep(1.5)
    assert them.start(b"third", stream=True, produce=silence) is None
    await them.drain(0)


async def test_a_flight_goes_on_while_others_hold_all_the_memory():
    them = flights(max_bytes=10, slow_reader_s=1000)
    flight = lead(them, chunks(b"abcd", b"efgh", b"ijkl"), key=b"other")
    body = asyncio.create_task(read(flight.join(), every_s=0.5))
    hoarder = lead(them, chunks(b"0123456789", every_s=0.5)).join()
    await asyncio.sleep(1)
    assert them.total_bytes >= 10
    assert await body == b"abcdefghijkl"
    hoarder.close()
    await settle()
    assert_nothing_left(them)


# Shutdown


async def test_drain_waits_for_flights_within_the_grace_period():
    them = flights()
    reading = asyncio.create_task(read(lead(them, chunks(b"a", b"b")).join()))
    await settle()
    await them.drain(30)
    assert asyncio.get_running_loop().time() == 2.0
    assert await reading == b"ab"


async def test_drain_ends_what_is_left_with_an_error_and_starts_no_more():
    them = flights()
    reading = asyncio.create_task(read(lead(them, silence).join()))
    await settle()
    await them.drain(30)
    assert asyncio.get_running_loop().time() == 30.0
    with pytest.raises(Unavailable) as caught:
        await reading
    assert caught.value.code == "shutting_down"
    assert them.start(KEY, stream=True, produce=silence) is None
    assert_nothing_left(them)


async def test_drain_outlasts_a_producer_that_swallows_its_cancellation():
    them, swallowed = flights(), 0

    async def produce(flight: Flight[str]) -> None:
        nonlocal swallowed
        while swallowed < 3:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                swallowed += 1

    lead(them, produce)
    await settle()
    await them.drain(0)
    assert swallowed == 3
    assert_nothing_left(them)


async def test_a_cancelled_drain_has_still_ended_the_flights():
    them = flights()
    lead(them, silence).join().with_withheld = True
    draining = asyncio.create_task(them.drain(30))
    await settle()
    draining.cancel()
    with pytest.raises(asyncio.CancelledError):
        await draining
    await settle()
    assert len(them) == 0


# Cancels at every await


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("company", [0, 3])
async def test_F02_a_leader_cancelled_at_any_await_leaves_nothing_and_the_next_request_is_fresh(company, moment):
    async def cancel_the_leader_at(step: int) -> bool:
        them, runs = flights(), 0
        others: list[asyncio.Task[bytes]] = []

        async def produce(flight: Flight[str]) -> None:
            nonlocal runs
            runs += 1
            await asyncio.sleep(1)
            await chunks(b"a", b"b", b"c")(flight)

        async def leader() -> None:
            flight = lead(them, produce)
            reader = flight.join()
            others.extend(asyncio.create_task(read(flight.join())) for _ in range(company))
            assert await read(reader) == b"abc"

        cancelled = await cancelled_at(step, leader(), moment)
        assert [await other for other in others] == [b"abc"] * company
        assert runs == 1 or not company
        await settle()
        assert_nothing_left(them)
        assert await read(lead(them, chunks(b"fresh")).join()) == b"fresh"
        await settle()
        assert_nothing_left(them)
        return cancelled

    steps = 0
    while await cancel_the_leader_at(steps):
        steps += 1
    assert steps >= 4


@pytest.mark.parametrize("moment", MOMENTS)
async def test_F02_a_producer_cancelled_at_any_await_leaves_nothing_and_its_readers_one_error(moment):
    async def cancel_the_producer_at(step: int) -> bool:
        them, cancelled = flights(max_log_bytes=3), False

        async def produce(flight: Flight[str]) -> None:
            nonlocal cancelled
            cancelled = await cancelled_at(step, chunks(b"ab", b"cd", b"ef")(flight), moment)
            if cancelled:
                raise asyncio.CancelledError

        flight = lead(them, produce)
        results = await asyncio.gather(read(flight.join()), read(flight.join(), every_s=9), return_exceptions=True)
        if cancelled:
            assert [getattr(result, "code", None) for result in results] == ["flight_cancelled"] * 2
        else:
            assert list(results) == [b"abcdef"] * 2
        await settle()
        assert_nothing_left(them)
        return cancelled

    steps = 0
    while await cancel_the_producer_at(steps):
        steps += 1
    assert steps >= 4
