import asyncio
import gc
import math
import socket
import time

import pytest

from tests.virtual_time import Deadlock, run


@pytest.mark.anyio
async def test_a_marked_test_runs_on_the_virtual_loop():
    await asyncio.sleep(24 * 3600 * 365)
    assert asyncio.get_running_loop().time() == 24 * 3600 * 365


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_a_test_marked_real_loop_has_sockets_and_threads():
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await asyncio.to_thread(bytes, b"hello"))
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        assert await reader.read() == b"hello"
        writer.close()
        await writer.wait_closed()


def test_timers_fire_in_order_and_exactly_at_their_time():
    async def scenario() -> list[float]:
        loop = asyncio.get_running_loop()
        fired: list[float] = []
        for delay_s in (0.3, 0.1, 1e9, math.nextafter(0.3, 1)):
            loop.call_at(delay_s, lambda: fired.append(loop.time()))
        await asyncio.sleep(2e9)
        return fired

    assert run(scenario()) == [0.1, 0.3, math.nextafter(0.3, 1), 1e9]


def test_time_stands_still_while_something_is_ready():
    async def scenario() -> float:
        for _ in range(100):
            await asyncio.sleep(0)
        return asyncio.get_running_loop().time()

    assert run(scenario()) == 0.0


def test_a_timeout_fires_without_waiting():
    async def scenario() -> None:
        async with asyncio.timeout(30):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        run(scenario())


def test_waiting_for_ever_names_the_task_and_its_line():
    async def waits_for_nobody() -> None:
        await asyncio.Event().wait()

    async def scenario() -> None:
        await asyncio.create_task(waits_for_nobody(), name="the one that hangs")

    with pytest.raises(Deadlock, match=r"the one that hangs at .*test_virtual_time\.py:\d+"):
        run(scenario())


def test_threads_and_sockets_are_refused():
    async def thread() -> None:
        await asyncio.to_thread(time.monotonic)

    async def read_socket() -> None:
        one, other = socket.socketpair()
        with one, other:
            asyncio.get_running_loop().add_reader(one, print)

    for scenario in (thread, read_socket):
        with pytest.raises(RuntimeError, match="mark this test `real_loop`"):
            run(scenario())


def test_what_the_loop_would_only_log_is_raised():
    async def scenario() -> None:
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="unhandled on the loop"):
        run(scenario())


def test_an_unread_exception_of_a_future_is_raised():
    async def scenario() -> None:
        asyncio.get_running_loop().create_future().set_exception(ValueError("nobody reads this"))
        gc.collect()

    with pytest.raises(RuntimeError, match="never retrieved"):
        run(scenario())


def test_closing_the_loop_cancels_what_is_left():
    ended: list[str] = []

    async def left_over() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("left over")

    async def scenario() -> None:
        task = asyncio.create_task(left_over())
        await asyncio.sleep(0)
        assert not task.done()

    run(scenario())
    assert ended == ["left over"]


def test_two_loops_have_their_own_time():
    async def scenario() -> float:
        await asyncio.sleep(5)
        return asyncio.get_running_loop().time()

    assert [run(scenario()), run(scenario())] == [5, 5]
