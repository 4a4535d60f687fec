"""Flights in front of the real llama.cpp: equal requests share one of its slots, which is free once nobody waits."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from proxy.openai import fold_stream
from tests.builders import CHAT, chat, policy_set
from tests.live import PATIENCE_S, serving

pytestmark = [pytest.mark.engine, pytest.mark.anyio, pytest.mark.real_loop]

LONG = 900
"""Tokens that fit into a slot."""
ENDLESS = 300_000
"""Tokens of which the tiny model would make thousands a second, for longer than these tests have patience."""


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
        """Wait until so many are busy."""
        async with asyncio.timeout(PATIENCE_S):
            while await self.processing() != processing:
                pass


@asynccontextmanager
async def proxied(engine: str, **upstream: Any) -> AsyncIterator[tuple[httpx.AsyncClient, Slots]]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with (
        serving(engine, policy_set(exact={"finish_reasons": ["stop", "length"]}), local=upstream) as live,
        httpx.AsyncClient(base_url=live.url, timeout=PATIENCE_S, limits=limits) as client,
        contextlib.aclosing(Slots(engine)) as slots,
    ):
        yield client, slots


def question(text: str, max_tokens: int = LONG, **fields: Any) -> dict[str, Any]:
    return chat(text, max_tokens=max_tokens, ignore_eos=True, **fields)


async def test_equal_greedy_requests_share_one_slot_while_they_are_under_way(llamacpp):
    async with proxied(llamacpp) as (client, slots), contextlib.AsyncExitStack() as connections:
        body = question("Share a slot.", ENDLESS, stream=True)
        replies = await asyncio.gather(
            *(connections.enter_async_context(client.stream("POST", CHAT, json=body)) for _ in range(20))
        )
        reading = [reply.aiter_raw() for reply in replies]
        for chunks in reading:
            await anext(chunks)
        assert {reply.headers["cache-status"] for reply in replies} == {
            "askonce; fwd=miss",
            "askonce; fwd=miss; collapsed",
        }
        assert await slots.processing() == 1
        await connections.aclose()
        await slots.until(0)


async def test_equal_greedy_requests_cost_one_generation(llamacpp):
    """Some may come so late that they hit."""
    async with proxied(llamacpp) as (client, slots):
        before = await slots.predicted()
        streams = [client.post(CHAT, json=question("Ask once.", stream=True)) for _ in range(20)]
        first, *others = await asyncio.gather(*streams)
        plain = (await client.post(CHAT, json=question("Ask once."))).json()
        folded = fold_stream(first.content).record
        assert folded is not None
        assert plain["choices"] == folded["choices"]
        assert plain["usage"]["completion_tokens"] == LONG
        assert all((fold_stream(other.content).record or {})["choices"] == folded["choices"] for other in others)
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
        body = question("Leave a stream.", ENDLESS, stream=True, temperature=temperature)
        reading = []
        for _ in range(2):
            reply = await connections.enter_async_context(client.stream("POST", CHAT, json=body))
            reading.append(reply.aiter_raw())
            await anext(reading[-1])
        await slots.until(1 if temperature == 0 else 2)
        await connections.aclose()
        await slots.until(0)
        assert 0 < await slots.predicted() - before < ENDLESS / 2


@pytest.mark.parametrize("temperature", [0, 1], ids=["shared", "alone"])
async def test_S12_with_always_stream_the_slot_is_free_when_the_last_plain_client_has_left(llamacpp, temperature):
    """Asked plainly, llama.cpp would generate to the end for nobody."""
    async with proxied(llamacpp, always_stream=True) as (client, slots):
        before = await slots.predicted()
        body = question("Leave a plain request.", ENDLESS, temperature=temperature)
        asking = [asyncio.create_task(client.post(CHAT, json=body)) for _ in range(2)]
        await slots.until(1 if temperature == 0 else 2)
        for task in asking:
            task.cancel()
        await asyncio.wait(asking)
        await slots.until(0)
        assert 0 < await slots.predicted() - before < ENDLESS / 2


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
