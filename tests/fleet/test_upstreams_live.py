"""Two engines on real sockets, one of which dies, hangs and comes back: traffic goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from bench.upstream import StubUpstream
from tests.builders import chat
from tests.live import serving

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

PATIENCE_S = 30
PROBE_S = 2
"""Also what a probe waits for an answer: on a busy machine one that is well may need a while."""


class Hung:
    """Accepts every connection, reads, and never answers."""

    def __init__(self) -> None:
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> "Hung":
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        await reader.read(-1)


@asynccontextmanager
async def two(first_port: int, second_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A proxy in front of both, and a client of it."""
    engines = [
        {"name": "a", "url": f"http://127.0.0.1:{first_port}"},
        {"name": "b", "url": second_url},
    ]
    async with (
        serving(upstreams=engines, probe_s=PROBE_S) as live,
        httpx.AsyncClient(base_url=live.url, trust_env=False) as http,
    ):
        yield http


async def state(http: httpx.AsyncClient, wanted: str) -> None:
    """Wait until `/readyz` says this of the first engine."""
    async with asyncio.timeout(PATIENCE_S):
        while (await http.get("/readyz")).json()["upstreams"]["a"]["state"] != wanted:
            pass


async def asks(http: httpx.AsyncClient, label: str) -> set[int]:
    replies = [http.post("/v1/chat/completions", json=chat(f"{label} {n}", model="stub")) for n in range(20)]
    return {reply.status_code for reply in await asyncio.gather(*replies)}


async def test_a_killed_engine_costs_nobody_anything_and_is_used_again_once_it_is_back():
    async with StubUpstream() as b, StubUpstream() as a:
        port = a.port
        async with two(port, b.url) as http:
            assert await asks(http, "both") == {200}
            assert a.engine.stats.generations
            await a.__aexit__(None, None, None)
            assert await asks(http, "one is dead") == {200}
            await state(http, "down")
            async with StubUpstream(port=port) as again:
                await state(http, "usable")
                assert await asks(http, "both again") == {200}
                assert again.engine.stats.generations


async def test_an_engine_that_hangs_is_found_by_the_probe_and_the_other_takes_all():
    async with StubUpstream() as b, Hung() as a, two(a.port, b.url) as http:
        await state(http, "down")
        assert await asks(http, "one hangs") == {200}
        assert b.engine.stats.generations == 20


async def test_both_dead_is_a_503_that_says_so():
    async with StubUpstream() as b, StubUpstream() as a, two(a.port, b.url) as http:
        for engine in (a, b):
            await engine.__aexit__(None, None, None)
        reply = await http.post("/v1/chat/completions", json=chat(model="stub"))
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "no_upstream")
        await state(http, "down")
        assert (await http.get("/readyz")).status_code == 503
        assert (await http.get("/healthz")).status_code == 200
