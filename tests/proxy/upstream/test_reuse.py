"""Kept connections: when one is used again, when a request is sent again, and when it must not be."""

import asyncio

import pytest

from proxy.errors import UpstreamFailed
from proxy.upstream.http1_client import Http1Client
from tests.proxy.upstream.asks import GENEROUS, body_of, pieces, post
from tests.proxy.upstream.conftest import Clock, Connect, Serve
from tests.proxy.upstream.scripted_server import CHUNKED_HEAD, CLOSE, END, LAST_CHUNK, READ, RESET, Step, chunk, plain

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

ENDINGS = pytest.mark.parametrize("ending", [END, CLOSE, RESET])


@ENDINGS
async def test_T03_connection_closed_while_idle(serve: Serve, connect: Connect, ending: Step):
    server = await serve([READ, plain(b"1"), ending], [READ, plain(b"2")])
    client = connect(server)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    # Whether the client notices the close before, or only after it has sent: one generation each.
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"
    assert len(server.requests) == 2


@ENDINGS
async def test_T03_stale_connection_is_replaced_by_a_fresh_one_once(
    serve: Serve, connect: Connect, clock: Clock, ending: Step
):
    gate = asyncio.Event()
    server = await serve([READ, plain(b"1"), READ, gate, ending], [READ, plain(b"2")])
    client = connect(server, clock=clock)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    second = asyncio.create_task(client.send(post(b'{"n":2}'), GENEROUS))
    await server.asked(2)
    clock.now_s += 0.049
    gate.set()
    assert await body_of(await second) == b"2"
    assert [request.body for request in server.requests] == [b"{}", b'{"n":2}', b'{"n":2}']
    assert len(server.peers) == 2


@ENDINGS
async def test_T04_later_close_is_a_lost_generation(serve: Serve, connect: Connect, clock: Clock, ending: Step):
    gate = asyncio.Event()
    server = await serve([READ, plain(b"1"), READ, gate, ending], [READ, plain(b"2")])
    client = connect(server, clock=clock)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    second = asyncio.create_task(client.send(post(), GENEROUS))
    await server.asked(2)
    clock.now_s += 0.051
    gate.set()
    with pytest.raises(UpstreamFailed) as lost:
        await second
    assert (lost.value.status, lost.value.unprocessed) == (502, False)
    assert len(server.requests) == 2


@ENDINGS
async def test_T04_close_on_a_fresh_connection_is_a_lost_generation(serve: Serve, connect: Connect, ending: Step):
    server = await serve([READ, ending])
    with pytest.raises(UpstreamFailed) as lost:
        await connect(server).send(post(), GENEROUS)
    assert not lost.value.unprocessed
    assert len(server.requests) == 1


@ENDINGS
@pytest.mark.parametrize("beginning", [b"H", b"HTTP/1.1 100 Continue\r\n\r\n"])
async def test_T04_any_byte_of_a_reply_forbids_asking_again(
    serve: Serve, connect: Connect, beginning: bytes, ending: Step
):
    server = await serve([READ, plain(b"1"), READ, beginning, ending], [READ, plain(b"2")])
    client = connect(server, stale_window_s=3600)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    with pytest.raises(UpstreamFailed) as lost:
        await client.send(post(), GENEROUS)
    assert not lost.value.unprocessed
    assert len(server.requests) == 2


async def test_request_is_sent_again_once_only(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"1"), READ, END], [READ, END])
    client = connect(server, stale_window_s=3600)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    with pytest.raises(UpstreamFailed) as lost:
        await client.send(post(), GENEROUS)
    assert not lost.value.unprocessed
    assert len(server.requests) == 3


async def test_second_attempt_does_not_take_another_idle_connection(serve: Serve, connect: Connect):
    gate = asyncio.Event()
    stale = [READ, gate, plain(b"1"), READ, END]
    server = await serve(stale, stale, stale, [READ, plain(b"2")])
    client = connect(server, stale_window_s=3600)
    first = [asyncio.create_task(client.send(post(), GENEROUS)) for _ in range(3)]
    await server.asked(3)
    gate.set()
    for task in first:
        await body_of(await task)
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"
    assert len(server.requests) == 5


async def test_streamed_body_is_never_sent_twice(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"1"), READ, END], [READ, plain(b"2")])
    client = connect(server, stale_window_s=3600)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    with pytest.raises(UpstreamFailed):
        await client.send(post(pieces(b"{", b"}")), GENEROUS)
    assert len(server.requests) == 2


async def test_large_body_can_be_sent_again(serve: Serve, connect: Connect):
    large = b"x" * 4_000_000
    server = await serve([READ, plain(b"1"), READ, END], [READ, plain(b"2")])
    client = connect(server, stale_window_s=3600)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    assert await body_of(await client.send(post(large), GENEROUS)) == b"2"
    assert [request.body for request in server.requests[1:]] == [large, large]


async def test_bytes_on_an_idle_connection_answer_nobody(serve: Serve, connect: Connect):
    gate = asyncio.Event()
    server = await serve([READ, plain(b"1"), gate, plain(b"smuggled"), READ, plain(b"no")], [READ, plain(b"2")])
    client = connect(server)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    gate.set()
    await server.peers[0].closed.wait()
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"


async def test_idle_connection_expires(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"1"), READ, plain(b"old")], [READ, plain(b"2")])
    client = connect(server, keepalive_s=0.0)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"
    await server.peers[0].closed.wait()


@pytest.mark.parametrize("kind", ["http1"], indirect=True)
async def test_idle_connection_is_used_until_it_expires(serve: Serve, connect: Connect, clock: Clock):
    answers = [READ, plain(b"1")] * 4
    server = await serve(answers)
    client = connect(server, clock=clock, keepalive_s=3.0)
    for idle_s, connections in ((0.0, 1), (3.0, 1), (3.0, 1), (3.1, 2)):
        clock.now_s += idle_s
        assert await body_of(await client.send(post(), GENEROUS)) == b"1"
        assert len(server.peers) == connections
    await server.peers[0].closed.wait()


@pytest.mark.parametrize("kind", ["http1"], indirect=True)
async def test_idle_connections_are_bounded_and_the_oldest_goes_first(serve: Serve, connect: Connect):
    gate = asyncio.Event()
    server = await serve([READ, gate, plain(b"1"), READ, plain(b"2")])
    client = connect(server, max_idle=2)
    assert isinstance(client, Http1Client)
    tasks = [asyncio.create_task(client.send(post(), GENEROUS)) for _ in range(4)]
    await server.asked(4)
    gate.set()
    for task in tasks:
        await body_of(await task)
    assert len(client.pool.idle) == 2
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"
    assert len(server.peers) == 4


async def test_a_body_that_was_read_whole_has_given_its_connection_back(serve: Serve, connect: Connect):
    bodies = [b"a", b"b", b"", b"x" * 300_000, b"ab", b"a"]
    steps: list[bytes | Step] = []
    for body in bodies:
        if body == b"ab":
            steps += [READ, CHUNKED_HEAD + chunk(b"a"), chunk(b"b") + LAST_CHUNK]
        else:
            steps += [READ, plain(body)]
    server = await serve([*steps, READ, plain(b"c")])
    client = connect(server)
    kept = []
    for body in bodies:
        reply = await client.send(post(), GENEROUS)
        assert await reply.read(1_000_000) == body
        kept.append(reply)
    for reply in kept:
        await reply.aclose()
    assert await body_of(await client.send(post(), GENEROUS)) == b"c"
    assert len(server.peers) == 1
