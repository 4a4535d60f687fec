"""The own client on the virtual loop: exact times, and flow control seen from the transport."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace

import pytest

from proxy.errors import UpstreamTimeout
from proxy.upstream import make_client
from proxy.upstream.client import Timeouts, UpstreamReply
from proxy.upstream.http1_client import Http1Client
from proxy.upstream.http1_connection import HIGH_WATER_BYTES
from tests.proxy.upstream.asks import post
from tests.proxy.upstream.scripted_server import CHUNKED_HEAD, LAST_CHUNK, chunk, plain
from tests.proxy.upstream.wire import Wires
from tests.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.anyio

LIMITS = Timeouts(connect_s=5, first_byte_s=600, between_chunks_s=120, total_s=3600)


@pytest.fixture
def anyio_backend():
    return "asyncio", {"loop_factory": VirtualTimeLoop}


@pytest.fixture
def now():
    return asyncio.get_running_loop().time


@pytest.fixture
async def wires() -> Wires:
    return Wires.install(asyncio.get_running_loop())


@pytest.fixture
async def client(wires: Wires) -> AsyncIterator[Http1Client]:
    made = make_client("http://127.0.0.1:8000", "http1", clock=asyncio.get_running_loop().time)
    assert isinstance(made, Http1Client)
    yield made
    await made.aclose()


async def fails_at(waiting: Awaitable[object]) -> float:
    with pytest.raises(UpstreamTimeout):
        await waiting
    return asyncio.get_running_loop().time()


async def begun(client: Http1Client, wires: Wires, limits: Timeouts = LIMITS) -> UpstreamReply:
    """A reply whose head came at once."""
    sending = asyncio.create_task(client.send(post(), limits))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    wires[-1].receive(CHUNKED_HEAD)
    return await sending


async def test_T02_first_byte_at_its_limit(client: Http1Client, wires: Wires):
    assert await fails_at(client.send(post(), LIMITS)) == pytest.approx(600)
    assert wires[0].closed


async def test_T02_first_byte_just_before_its_limit(client: Http1Client, wires: Wires):
    sending = asyncio.create_task(client.send(post(), LIMITS))
    await asyncio.sleep(599.9)
    wires[0].receive(plain(b"ok"))
    assert await (await sending).read(2) == b"ok"


async def test_T02_informational_reply_is_no_first_byte(client: Http1Client, wires: Wires):
    sending = asyncio.create_task(client.send(post(), LIMITS))
    await asyncio.sleep(500)
    wires[0].receive(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert await fails_at(sending) == pytest.approx(600)


async def test_T02_half_a_head_is_a_first_byte(client: Http1Client, wires: Wires):
    sending = asyncio.create_task(client.send(post(), LIMITS))
    await asyncio.sleep(500)
    wires[0].receive(b"HTTP/1.1 2")
    assert await fails_at(sending) == pytest.approx(620)


async def test_T02_between_chunks(client: Http1Client, wires: Wires):
    reply = await begun(client, wires)
    for _ in range(10):
        await asyncio.sleep(119.9)
        wires[0].receive(chunk(b"x"))
        assert await anext(aiter(reply)) == b"x"
    assert await fails_at(anext(aiter(reply))) == pytest.approx(1199 + 120)
    assert wires[0].closed


async def test_T02_total_ends_a_steady_stream(client: Http1Client, wires: Wires):
    reply = await begun(client, wires)

    async def stream() -> None:
        while not wires[0].closed:
            wires[0].receive(chunk(b"x"))
            await asyncio.sleep(100)

    async def consume() -> None:
        async for _ in reply:
            pass

    streaming = asyncio.create_task(stream())
    assert await fails_at(consume()) == pytest.approx(3600)
    await streaming


async def test_T02_total_counts_from_before_the_connect():
    async def connect() -> None:
        await asyncio.sleep(4)

    loop = asyncio.get_running_loop()
    Wires.install(loop, connect)
    client = make_client("http://127.0.0.1:8000", "http1", clock=loop.time)
    assert await fails_at(client.send(post(), replace(LIMITS, total_s=10))) == pytest.approx(10)
    assert await fails_at(client.send(post(), replace(LIMITS, connect_s=3))) == pytest.approx(13)
    assert await fails_at(client.send(post(), replace(LIMITS, total_s=2))) == pytest.approx(15)
    await client.aclose()


async def test_T02_limits_of_a_reused_connection_are_the_new_requests(client: Http1Client, wires: Wires):
    sending = asyncio.create_task(client.send(post(), LIMITS))
    await asyncio.sleep(1)
    wires[0].receive(plain(b"ok"))
    assert await (await sending).read(2) == b"ok"
    assert await fails_at(client.send(post(), replace(LIMITS, first_byte_s=0.5))) == pytest.approx(1.5)
    assert len(wires) == 1


async def test_slow_consumer_is_not_the_upstreams_silence(client: Http1Client, wires: Wires):
    reply = await begun(client, wires, replace(LIMITS, total_s=None))
    wires[0].receive(chunk(b"x" * (HIGH_WATER_BYTES + 1)))
    assert not wires[0].is_reading()
    await asyncio.sleep(100_000)
    assert len(await anext(aiter(reply))) == HIGH_WATER_BYTES + 1
    assert wires[0].is_reading()
    resumed_at = asyncio.get_running_loop().time()
    assert await fails_at(anext(aiter(reply))) == pytest.approx(resumed_at + 120)


async def test_reading_pauses_above_the_high_water_and_resumes_when_that_is_taken(client: Http1Client, wires: Wires):
    reply = await begun(client, wires)
    sent = 0
    while wires[0].is_reading():
        wires[0].receive(chunk(b"x" * 10_000))
        sent += 1
    assert HIGH_WATER_BYTES < sent * 10_000 <= HIGH_WATER_BYTES + 10_000
    body = aiter(reply)
    taken = len(await anext(body))
    assert taken == sent * 10_000
    assert wires[0].is_reading()
    wires[0].receive(LAST_CHUNK)
    assert [piece async for piece in body] == []


async def test_read_of_much_goes_on_above_the_high_water(client: Http1Client, wires: Wires):
    reply = await begun(client, wires)
    while wires[0].is_reading():
        wires[0].receive(chunk(b"x" * 50_000))
    reading = asyncio.create_task(reply.read(1_000_000))
    await asyncio.sleep(0)
    sent = 300_000
    while sent < 1_000_000:
        wires[0].receive(chunk(b"x" * 50_000))
        sent += 50_000
    wires[0].receive(LAST_CHUNK)
    body = await reading
    assert body is not None
    assert len(body) == 1_000_000


async def test_upload_waits_while_the_transport_is_full(client: Http1Client, wires: Wires):
    asked = 0

    async def upload() -> AsyncIterator[bytes]:
        nonlocal asked
        for _ in range(10):
            asked += 1
            if asked == 5:
                wires[0].connection.pause_writing()
            yield b"x"

    sending = asyncio.create_task(client.send(post(upload()), LIMITS))
    await asyncio.sleep(10)
    assert asked == 5
    wires[0].connection.resume_writing()
    await asyncio.sleep(10)
    assert asked == 10
    assert wires[0].written.endswith(chunk(b"x") * 10 + LAST_CHUNK)
    wires[0].receive(plain(b"ok"))
    assert await (await sending).read(2) == b"ok"


async def test_first_byte_counts_from_the_end_of_the_upload(client: Http1Client, wires: Wires):
    async def upload() -> AsyncIterator[bytes]:
        await asyncio.sleep(1000)
        yield b"x"

    assert await fails_at(client.send(post(upload()), LIMITS)) == pytest.approx(1600)


async def test_empty_pieces_of_an_upload_do_not_end_it(client: Http1Client, wires: Wires):
    async def upload() -> AsyncIterator[bytes]:
        yield b""
        yield b"x"

    sending = asyncio.create_task(client.send(post(upload()), LIMITS))
    await asyncio.sleep(1)
    assert wires[0].written.endswith(b"\r\n\r\n" + chunk(b"x") + LAST_CHUNK)
    wires[0].receive(plain(b""))
    await (await sending).aclose()


async def test_idle_connection_is_closed_when_it_expires(client: Http1Client, wires: Wires):
    for at_s in (0.0, 2.0):
        await asyncio.sleep(at_s)
        sending = asyncio.create_task(client.send(post(), LIMITS))
        await asyncio.sleep(0.5)
        wires[0].receive(plain(b"ok"))
        await (await sending).aclose()
    await asyncio.sleep(2.9)
    assert not wires[0].is_closing()
    await asyncio.sleep(0.2)
    assert wires[0].is_closing()
    assert client.pool.open == set()


async def test_timers_are_set_per_limit_and_not_per_chunk(client: Http1Client, wires: Wires):
    for _ in range(100):
        sending = asyncio.create_task(client.send(post(), LIMITS))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        wires[0].receive(CHUNKED_HEAD)
        reply = await sending
        for _ in range(10):
            wires[0].receive(chunk(b"x"))
            assert await anext(aiter(reply)) == b"x"
        wires[0].receive(LAST_CHUNK)
        await reply.aclose()
    assert wires.timers <= 4  # the connect's, the exchanges', the pool's
