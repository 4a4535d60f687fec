"""The load client against a server that does what a script says."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from bench.ask import Ask, Expected
from bench.client import BadUrl, LoadClient, Target, root_of
from tests.proxy.upstream.scripted_server import (
    CHUNKED_HEAD,
    CLOSE,
    LAST_CHUNK,
    READ,
    RESET,
    Script,
    ScriptedServer,
    chunk,
    plain,
)

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

ASK = Ask(b'{"model": "m"}')


@asynccontextmanager
async def connected(*scripts: Script, **options: float) -> AsyncIterator[tuple[LoadClient, ScriptedServer]]:
    server = await ScriptedServer.start(scripts)
    client = LoadClient(Target(server.url, {"authorization": "Bearer k"}), **options)  # type: ignore[arg-type]
    try:
        yield client, server
    finally:
        client.close()
        await server.aclose()


async def test_request_carries_body_length_and_headers():
    async with connected([READ, plain(b"{}")]) as (client, server):
        answer = await client.ask(ASK)
        assert (answer.status, answer.error) == (200, None)
        request = server.requests[0]
        assert request.line == b"POST /v1/chat/completions HTTP/1.1"
        assert request.body == ASK.body
        assert request.all(b"authorization") == [b"Bearer k"]
        assert request.all(b"host") == [f"127.0.0.1:{server.port}".encode()]


async def test_cache_status_and_family_are_read_whatever_their_case():
    reply = plain(b"{}", b"Cache-Status: askonce; hit", b"X-Askonce-Family: code")
    async with connected([READ, reply]) as (client, _):
        answer = await client.ask(ASK)
        assert (answer.cache_status, answer.family) == (b"askonce; hit", b"code")


async def test_connection_is_kept_and_used_again():
    async with connected([READ, plain(b"1"), READ, plain(b"2")]) as (client, server):
        answers = [await client.ask(ASK), await client.ask(ASK)]
        assert [answer.chunks[0][1] for answer in answers] == [b"1", b"2"]
        assert len(server.peers) == 1


async def test_requests_at_the_same_time_have_a_connection_each():
    gate = asyncio.Event()
    async with connected([READ, gate, plain(b"")]) as (client, server):
        tasks = [asyncio.create_task(client.ask(ASK)) for _ in range(3)]
        await server.asked(3)
        gate.set()
        assert [(await task).error for task in tasks] == [None] * 3
        assert len(server.peers) == 3


async def test_request_on_a_kept_connection_that_was_closed_is_sent_again():
    async with connected([READ, plain(b"1"), READ, CLOSE], [READ, plain(b"2")]) as (client, _):
        await client.ask(ASK)
        answer = await client.ask(ASK)
        assert (answer.error, answer.chunks[0][1], client.reconnects) == (None, b"2", 1)


async def test_new_connection_closed_without_a_reply_is_an_error():
    async with connected([READ, CLOSE]) as (client, server):
        assert (await client.ask(ASK)).error == "closed before a reply"
        assert len(server.peers) == 1


async def test_each_piece_of_a_stream_has_the_time_it_was_read():
    gates = [asyncio.Event(), asyncio.Event()]
    script: Sequence[bytes | asyncio.Event] = [
        CHUNKED_HEAD + chunk(b"a"),
        gates[0],
        chunk(b"b"),
        gates[1],
        chunk(b"c") + LAST_CHUNK,
    ]
    async with connected([READ, *script]) as (client, server):
        task = asyncio.create_task(client.ask(ASK))
        await server.asked(1)
        for gate in gates:
            gate.set()
        answer = await task
        times = [read_s for read_s, _ in answer.chunks]
        assert b"".join(data for _, data in answer.chunks) == b"abc"
        assert answer.due_s <= answer.sent_s <= times[0]
        assert times == sorted(times)
        assert answer.ended_s == times[-1]


@pytest.mark.parametrize(
    ("end", "error"),
    [
        ([CHUNKED_HEAD + chunk(b"a"), CLOSE], "cut short"),
        ([b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", CLOSE], "cut short"),
        ([b"nonsense\r\n\r\n"], "not HTTP"),
        ([CHUNKED_HEAD + b"zz\r\n"], "not HTTP"),
    ],
)
async def test_broken_reply_is_an_error_and_its_connection_is_not_used_again(end: Script, error: str):
    async with connected([READ, *end], [READ, plain(b"")]) as (client, _):
        assert (await client.ask(ASK)).error == error
        assert not client.idle
        assert (await client.ask(ASK)).error is None


async def test_reset_inside_a_reply_is_an_error():
    async with connected([READ, CHUNKED_HEAD + chunk(b"a"), RESET]) as (client, _):
        # A reset may overtake what was sent before it.
        assert (await client.ask(ASK)).error in ("reset", "closed before a reply")


async def test_reply_without_a_length_ends_with_the_connection():
    async with connected([READ, b"HTTP/1.1 200 OK\r\n\r\nabc", CLOSE]) as (client, _):
        answer = await client.ask(ASK)
        assert (answer.error, answer.chunks[0][1]) == (None, b"abc")


async def test_reply_that_says_close_is_not_kept():
    async with connected([READ, plain(b"", b"connection: close")]) as (client, _):
        assert (await client.ask(ASK)).error is None
        assert not client.idle


async def test_silence_is_a_timeout():
    async with connected([READ], timeout_s=0.01) as (client, _):
        assert (await client.ask(ASK)).error == "timeout"


async def test_client_that_is_to_leave_closes_after_the_first_piece():
    never = asyncio.Event()
    async with connected([READ, CHUNKED_HEAD + chunk(b"a"), never]) as (client, server):
        answer = await client.ask(Ask(b"{}", expected=Expected.LEFT))
        assert answer.error == "left"
        never.set()
        await server.at_most_open(0)


async def test_nobody_listening_is_an_error():
    server = await ScriptedServer.start([[READ]])
    client = LoadClient(Target(server.url))
    await server.aclose()
    assert (await client.ask(ASK)).error == "connect"


async def test_latency_counts_from_when_the_request_was_due():
    async with connected([READ, plain(b"")]) as (client, _):
        answer = await client.ask(ASK, due_s=1.0)
        assert answer.due_s == 1.0
        assert answer.sent_s > answer.due_s


async def test_cancelled_exchange_closes_its_connection():
    async with connected([READ]) as (client, server):
        task = asyncio.create_task(client.ask(ASK))
        await server.asked(1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await server.at_most_open(0)
        assert not client.idle


async def test_connections_are_bounded():
    gate = asyncio.Event()
    async with connected([READ, gate, plain(b""), READ, plain(b"")], max_connections=1) as (client, server):
        tasks = [asyncio.create_task(client.ask(ASK)) for _ in range(2)]
        await server.asked(1)
        gate.set()
        assert [(await task).error for task in tasks] == [None, None]
        assert len(server.peers) == 1


@pytest.mark.parametrize("url", ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"])
async def test_url_with_or_without_v1_has_the_same_root(url: str):
    assert root_of(url) == "http://h:1"


@pytest.mark.parametrize("url", ["h:1", "ftp://h", "http://", "127.0.0.1:8000"])
async def test_url_without_a_server_is_refused(url: str):
    with pytest.raises(BadUrl, match="http://HOST:PORT"):
        Target(url)


async def test_path_before_v1_is_kept():
    assert Target("http://h/engine/v1").request(b"").startswith(b"POST /engine/v1/chat/completions HTTP/1.1\r\n")
