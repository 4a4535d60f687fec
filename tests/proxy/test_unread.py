"""Who reads nothing of what waits for it is cut off; who reads slowly is not."""

import asyncio

import pytest

from proxy.unread import UnreadWatch

pytestmark = pytest.mark.anyio


class Full:
    """A transport with bytes that wait."""

    def __init__(self, waiting: int) -> None:
        self.waiting = waiting
        self.aborted = False

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.aborted = True


def watched(transport: Full) -> UnreadWatch:
    watch = UnreadWatch(asyncio.get_running_loop(), transport, 60)
    watch.begin()
    return watch


async def test_a_client_that_takes_nothing_is_cut_off_after_its_time_and_not_before():
    transport = Full(1000)
    watched(transport)
    await asyncio.sleep(59)
    assert not transport.aborted
    await asyncio.sleep(2)
    assert transport.aborted


async def test_a_client_that_takes_a_byte_a_minute_is_served_on():
    transport = Full(1000)
    watched(transport)
    for _ in range(20):
        await asyncio.sleep(59)
        transport.waiting -= 1
    assert not transport.aborted
    await asyncio.sleep(121)
    assert transport.aborted, "each time, it has to take something"


async def test_nothing_looks_once_the_client_has_read():
    transport = Full(1000)
    watch = watched(transport)
    watch.begin()
    await asyncio.sleep(30)
    watch.end()
    watch.end()
    await asyncio.sleep(1000)
    assert not transport.aborted
    watch.begin()
    await asyncio.sleep(61)
    assert transport.aborted, "until it stops once more"
