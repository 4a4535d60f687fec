"""Flights in front of the real llama.cpp: equal requests share one of its slots, which is free once nobody waits."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.builders import CHAT, DONE, chat
from tests.live import PATIENCE_S, serving

pytestmark = [pytest.mark.engine, pytest.mark.anyio, pytest.mark.real_loop]

LONG = 900
"""Tokens: many more than a model makes while a client that leaves is noticed."""


class Slots:
    """What llama.cpp says of its slots, which are one each for a generation under way."""

    def __init__(self, url: str) -> None:
        self._http = httpx.AsyncClient(base_url=url, timeout=PATIENCE_S)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def processing(self) -> int:
        return sum(slot["is_processing"] for slot in (await self._http.get("/slots")).json())

    async def predicted(self) -> int:
        """Tokens generated since its start, those of generations that were cut among them."""
        lines = (await self._http.get("/metrics")).text.splitlines()
        return next(
            int(float(line.split()[1])) for line in lines if line.startswith("llamacpp:tokens_predicted_total ")
        )

    async def until(self, processing: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await self.processing() != processing:
                pass


@asynccontextmanager
async def proxied(engine: str, **upstream: Any) -> AsyncIterator[tuple[httpx.AsyncClient, Slots]]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with (
        serving(engine, local=upstream) as live,
        httpx.AsyncClient(base_url=live.url, timeout=PATIENCE_S, limits=limits) as client,
        contextlib.aclosing(Slots(engine)) as slots,
    ):
        yield client, slots


def question(text: str, **fields: Any) -> dict[str, Any]:
    return chat(text, max_tokens=LONG, ignore_eos=True, **fields)


async def test_equal_greedy_streams_share_one_slot_and_the_plain_clients_beside_them_too(llamacpp):
    async with proxied(llamacpp) as (client, slots), contextlib.AsyncExitStack() as connections:
        before = await slots.predicted()
        body = question("Share a slot.", stream=True)
        replies = await asyncio.gather(
            *(connections.enter_async_context(client.stream("POST", CHAT, json=body)) for _ in range(20))
        )
        plain = asyncio.create_task(client.post(CHAT, json=question("Share a slot.")))
        assert await slots.processing() <= 1
        bodies = set(await asyncio.gather(*(reply.aread() for reply in replies)))
        assert len(bodies) == 1
        assert bodies.pop().endswith(DONE)
        assert (await plain).json()["usage"]["completion_tokens"] == LONG
        await slots.until(0)
        assert await slots.predicted() - before == LONG


async def test_samples_take_a_slot_each(llamacpp):
    async with proxied(llamacpp) as (client, slots):
        before = await slots.predicted()
        body = chat("Take a slot.", max_tokens=20, ignore_eos=True, temperature=1)
        await asyncio.gather(*(client.post(CHAT, json=body) for _ in range(3)))
        assert await slots.predicted() - before == 3 * 20


@pytest.mark.parametrize("temperature", [0, 1], ids=["shared", "alone"])
async def test_S12_the_slot_is_free_when_the_last_streaming_client_has_left(llamacpp, temperature):
    async with proxied(llamacpp) as (client, slots), contextlib.AsyncExitStack() as connections:
        before = await slots.predicted()
        body = question(f"Leave a stream, {temperature}.", stream=True, temperature=temperature)
        for _ in range(2):
            reply = await connections.enter_async_context(client.stream("POST", CHAT, json=body))
            await anext(reply.aiter_raw())
        await connections.aclose()
        await slots.until(0)
        generations = 1 if temperature == 0 else 2
        assert await slots.predicted() - before < generations * LONG / 2


@pytest.mark.parametrize("temperature", [0, 1], ids=["shared", "alone"])
async def test_S12_with_always_stream_the_slot_is_free_when_the_last_plain_client_has_left(llamacpp, temperature):
    """Asked plainly, llama.cpp would generate to the end for nobody."""
    async with proxied(llamacpp, always_stream=True) as (client, slots):
        before = await slots.predicted()
        body = question(f"Leave a plain request, {temperature}.", temperature=temperature)
        asking = [asyncio.create_task(client.post(CHAT, json=body)) for _ in range(2)]
        generations = 1 if temperature == 0 else 2
        await slots.until(generations)
        for task in asking:
            task.cancel()
        await asyncio.wait(asking)
        await slots.until(0)
        assert await slots.predicted() - before < generations * LONG


async def test_plain_through_a_stream_is_what_it_would_have_been(llamacpp):
    """But for what differs from one generation to the next."""
    body = chat("Say it.", max_tokens=30, ignore_eos=True)
    told = []
    for always_stream in (False, True):
        async with proxied(llamacpp, always_stream=always_stream) as (client, _):
            reply = (await client.post(CHAT, json=body)).json()
            for name in ("id", "created", "timings"):
                reply.pop(name, None)
            reply["usage"].pop("prompt_tokens_details", None)
            told.append(reply)
    assert told[0] == told[1]
