"""Flights over real sockets: the proxy as it is served, an engine that goes on when it may, clients that leave."""

import asyncio
import contextlib
import json
import random
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import openai
import orjson
import pytest

from bench.stub_answers import Answer, Asked
from bench.upstream import StubEngine, StubUpstream
from proxy.app import App
from proxy.heartbeat import COMMENT
from proxy.openai import fold_stream, is_usage_only
from proxy.server import ServerLimits
from proxy.sse import EventSplitter
from proxy.upstream.http1_client import Http1Client
from tests.builders import CHAT, chat
from tests.cancelling import MOMENTS, cancelled_at
from tests.live import PATIENCE_S, Live, serving

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

KEY = {"authorization": "Bearer sk-a"}


class HeldEngine(StubEngine):
    """Stops in the middle of each stream, and before each plain answer, until it may go on."""

    def __init__(self) -> None:
        super().__init__(base_ms=0, per_item_ms=0)
        self.go_on = asyncio.Event()

    async def _bursts(self, asked: Asked, told: Answer | None) -> AsyncGenerator[list[bytes], None]:
        async for burst in super()._bursts(asked, told):
            yield burst[: len(burst) // 2]
            await self.go_on.wait()
            yield burst[len(burst) // 2 :]

    async def _generate(self, asked: Asked) -> Answer:
        told = await super()._generate(asked)
        if not asked.stream:
            await self.go_on.wait()
        return told

    async def halves(self, question: str) -> tuple[bytes, bytes]:
        """What a streaming client gets before and after it may go on."""
        chunks = [chunk async for chunk in StubEngine(base_ms=0, per_item_ms=0).answer(ASKED | chat(question))]
        half = len(chunks) // 2
        first, rest = chunks[:half], [chunk for chunk in chunks[half:] if not is_usage_only(chunk)]
        return b"".join(first), b"".join(rest)


ASKED = {"stream": True, "stream_options": {"include_usage": True}}


async def until(happened: Callable[[], bool]) -> None:
    """Let the loop turn until something that has no event of its own has happened."""
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110  # there is no event to wait for
            await asyncio.sleep(0)


class Client:
    """Asks and reads; each request on a connection of its own."""

    def __init__(self, live: Live) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._http = httpx.AsyncClient(base_url=live.url, headers=KEY, timeout=PATIENCE_S, limits=limits)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    @asynccontextmanager
    async def streaming(self, question: str, **fields: Any) -> AsyncIterator["Streaming"]:
        async with self._http.stream("POST", CHAT, json=chat(question, stream=True, **fields)) as reply:
            yield Streaming(reply)

    async def plain(self, question: str, **fields: Any) -> httpx.Response:
        return await self._http.post(CHAT, json=chat(question, **fields))


class Streaming:
    """A streamed reply under way."""

    def __init__(self, reply: httpx.Response) -> None:
        self.body = b""
        self._chunks = reply.aiter_raw()

    async def first(self, size: int) -> bytes:
        """Read until at least `size` bytes are there."""
        while len(self.body) < size:
            self.body += await anext(self._chunks)
        return self.body

    async def whole(self) -> bytes:
        async for part in self._chunks:
            self.body += part
        return self.body


@asynccontextmanager
async def proxied(**settings: Any) -> AsyncIterator[tuple[HeldEngine, Live, Client]]:
    engine = HeldEngine()
    async with StubUpstream(engine) as stub, serving(stub.url, **settings) as live, Client(live) as client:
        yield engine, live, client


async def assert_nothing_left(app: App) -> None:
    """Everything that a request took is given back, sockets too."""
    [upstream] = app.pool.upstreams
    client = upstream.client
    assert isinstance(client, Http1Client)
    await until(lambda: not (len(app.flights) or len(app.batcher) or upstream.gate.in_flight or upstream.gate.waiting))
    await until(lambda: len(client.pool.open) == len(client.pool.idle))
    assert (app.flights.readers, app.flights.total_bytes, app.batcher.waiting) == (0, 0, 0)


def without_id(body: bytes) -> bytes:
    """The stub numbers its answers."""
    return re.sub(rb"chatcmpl-stub\d+", b"chatcmpl-stub", body)


async def test_a_burst_of_100_equal_streams_is_one_generation_and_100_equal_bodies():
    async with proxied() as (engine, live, client), contextlib.AsyncExitStack() as connections:
        half, rest = await engine.halves("burst")
        streams = await asyncio.gather(
            *(connections.enter_async_context(client.streaming("burst")) for _ in range(100))
        )
        for stream in streams:
            assert without_id(await stream.first(len(half))) == without_id(half), "as it is made"
        engine.go_on.set()
        bodies = {await stream.whole() for stream in streams}
        assert [without_id(body) for body in bodies] == [without_id(half + rest)]
        assert engine.stats.generations == 1
        await assert_nothing_left(live.app)


async def test_with_the_first_client_cut_off_after_one_chunk_99_get_the_whole():
    async with proxied() as (engine, live, client), contextlib.AsyncExitStack() as connections:
        half, rest = await engine.halves("burst")
        async with client.streaming("burst") as leader:
            await leader.first(1)
            streams = await asyncio.gather(
                *(connections.enter_async_context(client.streaming("burst")) for _ in range(99))
            )
            await until(lambda: live.app.flights.readers == 100)
        await until(lambda: live.app.flights.readers == 99)
        engine.go_on.set()
        bodies = {await stream.whole() for stream in streams}
        assert [without_id(body) for body in bodies] == [without_id(half + rest)]
        assert (engine.stats.generations, engine.stats.aborted) == (1, 0)
        await assert_nothing_left(live.app)


async def test_who_joins_at_half_gets_the_first_half_at_once():
    async with proxied() as (engine, _, client), client.streaming("half") as first:
        half, rest = await engine.halves("half")
        await first.first(len(half))
        async with client.streaming("half") as second:
            assert without_id(await second.first(len(half))) == without_id(half)
            engine.go_on.set()
            whole = await second.whole()
            assert whole == await first.whole()
            assert without_id(whole) == without_id(half + rest)
        assert engine.stats.generations == 1


async def test_plain_clients_join_a_stream():
    async with proxied() as (engine, live, client), client.streaming("mixed") as stream:
        plain = [asyncio.create_task(client.plain("mixed")) for _ in range(20)]
        await until(lambda: live.app.flights.readers == 21)
        engine.go_on.set()
        replies = [(await reply).json() for reply in plain]
        folded = fold_stream(await stream.whole()).record
        assert folded is not None
        assert engine.stats.generations == 1
        assert all(reply["choices"] == folded["choices"] and reply["usage"]["total_tokens"] for reply in replies)
        assert {(await reply).headers["cache-status"] for reply in plain} == {"askonce; fwd=miss; collapsed"}


async def test_beside_a_plain_flight_streams_make_one_of_their_own_which_is_the_last():
    async with proxied() as (engine, live, client), contextlib.AsyncExitStack() as connections:
        plain = [asyncio.create_task(client.plain("mixed"))]
        await until(lambda: engine.stats.generations == 1)
        streams = [await connections.enter_async_context(client.streaming("mixed")) for _ in range(10)]
        plain += [asyncio.create_task(client.plain("mixed")) for _ in range(10)]
        await until(lambda: live.app.flights.readers == 21)
        engine.go_on.set()
        assert len({await stream.whole() for stream in streams}) == 1
        assert len({(await reply).content for reply in plain}) == 1
        assert engine.stats.generations == 2


@pytest.mark.parametrize("always_stream", [False, True])
@pytest.mark.parametrize("temperature", [0, 1], ids=["shared", "alone"])
async def test_S12_upstream_sees_the_last_client_leave_plain_or_in_mid_stream(always_stream, temperature):
    async with proxied(local={"always_stream": always_stream}) as (engine, live, client):
        plain = asyncio.create_task(client.plain("leaving", temperature=temperature))
        await until(lambda: engine.stats.generations == 1)
        plain.cancel()
        await asyncio.wait([plain])
        await until(lambda: engine.stats.aborted == 1)
        async with client.streaming("leaving", temperature=temperature) as stream:
            await stream.first(1)
        await until(lambda: engine.stats.aborted == 2)
        assert engine.stats.in_flight == 0
        await assert_nothing_left(live.app)


async def test_S14_the_official_client_reads_a_stream_with_heartbeats():
    async with proxied(flights={"heartbeat_s": 0.01}) as (engine, live, client), client.streaming("silence") as raw:
        half, _ = await engine.halves("silence")
        await raw.first(len(half))
        async with openai.AsyncOpenAI(base_url=f"{live.url}/v1", api_key="sk-a", max_retries=0) as official:
            asked: Any = chat("silence", stream=True)
            stream = await official.chat.completions.create(**asked)
            beats = raw.body.count(COMMENT) + 5
            while raw.body.count(COMMENT) < beats:
                await raw.first(len(raw.body) + 1)
            engine.go_on.set()
            said = "".join([one.choices[0].delta.content or "" async for one in stream])
        folded = fold_stream(await raw.whole()).record
        assert folded is not None
        assert said == folded["choices"][0]["message"]["content"]
        assert engine.stats.generations == 1


@pytest.mark.parametrize("temperature", [0, 1], ids=["shared", "alone"])
async def test_at_a_shutdown_open_streams_end_with_an_error_event_and_plain_clients_get_one(temperature):
    engine = HeldEngine()
    half, _ = await engine.halves("drain")
    async with StubUpstream(engine) as stub, contextlib.AsyncExitStack() as connections:
        async with serving(stub.url, limits=ServerLimits(drain_s=0, grace_s=0)) as live:
            client = await connections.enter_async_context(Client(live))
            streams = [
                await connections.enter_async_context(client.streaming("drain", temperature=temperature))
                for _ in range(3)
            ]
            for stream in streams:
                await stream.first(len(half))
            asked = engine.stats.generations
            plain = asyncio.create_task(client.plain("plain", temperature=temperature))
            await until(lambda: engine.stats.generations == asked + 1)
            reading = [asyncio.create_task(stream.whole()) for stream in streams]
        for body in [await task for task in reading]:
            *events, last = EventSplitter().feed(body)
            assert len(b"".join(events)) == len(half)
            assert json.loads(last.removeprefix(b"data: "))["error"]["message"]
        reply = await plain
        assert reply.status_code in (502, 503)
        assert reply.json()["error"]["message"]


async def test_T01_after_500_clients_cut_off_at_random_points_5_together_succeed():
    """Plain and streamed, shared and not; before, while and after the proxy asks, over five connections upstream."""
    draw = random.Random(500)
    together = asyncio.Semaphore(50)
    limits = {"max_concurrency": 5, "max_queue": 1000}
    engine = StubEngine(base_ms=1, per_item_ms=0)

    async with StubUpstream(engine) as stub, serving(stub.url, local=limits) as live, Client(live) as client:

        async def cut_off() -> bool:
            question = f"{draw.randrange(20)} [[stub: chunk-ms=1 words=4]]"
            body = chat(question, stream=draw.random() < 0.5, temperature=draw.randrange(2))
            moment = draw.choice(MOMENTS)
            async with together:
                return await cancelled_at(draw.randrange(6), ask_raw(live.port, body), moment)

        cut = await asyncio.gather(*(cut_off() for _ in range(500)))
        assert 250 < sum(cut) < 500
        await assert_nothing_left(live.app)
        await until(lambda: engine.stats.in_flight == 0)
        assert engine.stats.aborted > 10
        assert len(stub.connections) <= 5
        replies = await asyncio.gather(*(client.plain(f"after {number}") for number in range(5)))
        assert {reply.status_code for reply in replies} == {200}
        await assert_nothing_left(live.app)


async def ask_raw(port: int, body: dict[str, Any]) -> None:
    """One request over a socket of its own, which is cut when this is."""
    data = orjson.dumps(body)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        lines = ["POST /v1/chat/completions HTTP/1.1", "host: a", "content-type: application/json"]
        lines += ["authorization: Bearer sk-a", "connection: close", f"content-length: {len(data)}", "", ""]
        writer.write("\r\n".join(lines).encode() + data)
        await writer.drain()
        status = await reader.readline()
        assert status.startswith(b"HTTP/1.1 200 "), status
        while await reader.read(100):
            pass
    finally:
        writer.transport.abort()
