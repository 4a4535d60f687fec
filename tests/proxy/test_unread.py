"""Who reads nothing of what waits for it is cut off; who reads slowly is not."""

import asyncio
import socket

import pytest

from proxy.unread import UnreadWatch, unread_bytes

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
    watch = UnreadWatch(asyncio.get_running_loop(), transport.get_write_buffer_size, transport.abort, 60)
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


@pytest.mark.real_loop
async def test_what_a_client_has_read_of_the_systems_buffer_counts():
    loop = asyncio.get_running_loop()
    connected: asyncio.Future[asyncio.Transport] = loop.create_future()

    class Server(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            connected.set_result(transport)  # type: ignore[arg-type]

    server = await loop.create_server(Server, "127.0.0.1", 0)
    with socket.create_connection(server.sockets[0].getsockname()) as client:
        transport = await connected
        transport.write(bytes(32 << 20))
        await asyncio.sleep(0)
        before, held = unread_bytes(transport), transport.get_write_buffer_size()
        assert before > held
        client.setblocking(False)
        for _ in range(8):
            await loop.sock_recv(client, 65_536)
        async with asyncio.timeout(30):
            while unread_bytes(transport) >= before:  # noqa: ASYNC110 - the system tells of it to nobody
                await asyncio.sleep(0.01)
        transport.abort()
    server.close()
