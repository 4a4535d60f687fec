"""Whoever goes away closes the connection, so that the engine stops, and leaves nothing behind."""

import asyncio
import gc
import random
from collections.abc import AsyncIterator

import pytest

from proxy.upstream.aiohttp_client import AiohttpClient
from proxy.upstream.client import UpstreamClient
from proxy.upstream.http1_client import Http1Client
from tests.proxy.upstream.asks import GENEROUS, body_of, post
from tests.proxy.upstream.conftest import Connect, Serve
from tests.proxy.upstream.scripted_server import CHUNKED_HEAD, HEAD, LAST_CHUNK, READ, chunk, plain

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]


async def cancelled(task: asyncio.Task[object]) -> bool:
    """Cancel it and wait for it; whether it was still running."""
    task.cancel()
    await asyncio.wait([task])
    return task.cancelled()


async def test_cancelled_wait_for_the_head_closes(serve: Serve, connect: Connect):
    server = await serve([READ])
    task = asyncio.create_task(connect(server).send(post(), GENEROUS))
    await server.asked(1)
    assert await cancelled(task)
    await server.peers[0].closed.wait()


async def test_cancelled_upload_closes(serve: Serve, connect: Connect):
    never = asyncio.Event()

    async def upload() -> AsyncIterator[bytes]:
        yield b"some"
        await never.wait()

    server = await serve([HEAD])
    task = asyncio.create_task(connect(server).send(post(upload()), GENEROUS))
    await server.asked(1)
    assert await cancelled(task)
    await server.peers[0].closed.wait()


async def test_cancelled_upload_to_a_server_that_does_not_read_closes(serve: Serve, connect: Connect):
    server = await serve([HEAD, asyncio.Event()])
    client = connect(server)
    task = asyncio.create_task(client.send(post(b"x" * 16_000_000), GENEROUS))
    await server.asked(1)
    assert await cancelled(task)
    # The server can't notice before it reads, and 16 MB wait to be sent: the connection must go all the same.
    if isinstance(client, Http1Client):
        assert all(connection.transport.is_closing() for connection in client.pool.open)
    else:
        assert isinstance(client, AiohttpClient)
        assert client.connector is not None
        await asyncio.sleep(0)
        assert not client.connector.live


@pytest.mark.parametrize("whole", [True, False])
async def test_cancelled_wait_for_the_body_closes(serve: Serve, connect: Connect, whole: bool):
    server = await serve([READ, CHUNKED_HEAD + chunk(b"1")])
    reply = await connect(server).send(post(), GENEROUS)
    task: asyncio.Task[object] = asyncio.create_task(reply.read(100) if whole else body_of(reply))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await cancelled(task)
    await server.peers[0].closed.wait()


async def test_closing_an_unfinished_reply_closes_the_connection(serve: Serve, connect: Connect):
    server = await serve([READ, CHUNKED_HEAD + chunk(b"1")], [READ, plain(b"2")])
    client = connect(server)
    reply = await client.send(post(), GENEROUS)
    assert await anext(aiter(reply)) == b"1"
    await reply.aclose()
    await reply.aclose()
    await server.peers[0].closed.wait()
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"


async def test_closing_a_complete_reply_keeps_the_connection(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"1"), READ, plain(b"2")])
    client = connect(server)
    for body in (b"1", b"2"):
        reply = await client.send(post(), GENEROUS)
        assert await anext(aiter(reply)) == body
        await reply.aclose()
    assert len(server.peers) == 1


async def test_closing_an_unread_complete_reply_leaks_nothing_into_the_next(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"1"), READ, plain(b"2")], [READ, plain(b"2")])
    client = connect(server)
    await (await client.send(post(), GENEROUS)).aclose()
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"


@pytest.mark.parametrize("begun", [True, False])
async def test_dropped_reply_closes_the_connection(serve: Serve, connect: Connect, begun: bool):
    server = await serve([READ, CHUNKED_HEAD + chunk(b"1")])
    client = connect(server)
    reply = await client.send(post(), GENEROUS)
    if begun:
        assert await anext(aiter(reply)) == b"1"
    del reply
    gc.collect()
    await server.peers[0].closed.wait()


async def exchange(client: UpstreamClient) -> bytes:
    reply = await client.send(post(), GENEROUS)
    try:
        first = await anext(aiter(reply))
        return first + (await reply.read(100) or b"")
    finally:
        await reply.aclose()


async def test_cancelling_at_any_moment_leaves_nothing_open(serve: Serve, connect: Connect):
    server = await serve([READ, CHUNKED_HEAD, chunk(b"a"), chunk(b"b"), LAST_CHUNK] * 1000)
    client = connect(server)
    turns, unharmed = 0, 0
    while unharmed < 5:
        task = asyncio.create_task(exchange(client))
        for _ in range(turns):
            await asyncio.sleep(0)
        if await cancelled(task):
            unharmed = 0
        else:
            assert task.result() == b"ab"
            unharmed += 1
        turns += 1
    await server.at_most_open(1)
    assert await exchange(client) == b"ab"


async def test_T01_cancelled_requests_give_their_places_back(serve: Serve, connect: Connect):
    server = await serve([READ, CHUNKED_HEAD, chunk(b"a"), chunk(b"b"), LAST_CHUNK] * 1000)
    client = connect(server)
    moments = random.Random(1)

    async def cancel_at_random() -> None:
        task = asyncio.create_task(exchange(client))
        for _ in range(moments.randrange(40)):
            await asyncio.sleep(0)
        await cancelled(task)

    for _ in range(20):
        await asyncio.gather(*[cancel_at_random() for _ in range(25)])
    assert await asyncio.gather(*[exchange(client) for _ in range(5)]) == [b"ab"] * 5
    if isinstance(client, Http1Client):
        assert len(client.pool.open) == len(client.pool.idle)
    await client.aclose()
    await server.at_most_open(0)


@pytest.mark.parametrize("kind", ["http1"], indirect=True)
async def test_coroutine_closed_without_a_cancel_closes_too(serve: Serve, connect: Connect):
    """As when an event loop or a generator that holds it is torn down."""
    server = await serve([READ, plain(b"1"), READ])
    client = connect(server)
    assert await body_of(await client.send(post(), GENEROUS)) == b"1"
    abandoned = client.send(post(), GENEROUS)
    abandoned.send(None)
    abandoned.close()
    await server.peers[0].closed.wait()
