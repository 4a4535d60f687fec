"""The main job on a real engine: what it says, said through the proxy; and said again without asking it.

The tests marked `engine` run llama.cpp with a tiny model. Those marked `engine_url` do the same against any engine:
pytest -m engine_url --engine-url http://127.0.0.1:8000
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import openai
import pytest

from policies.model import PolicySet
from proxy.openai import fold_stream
from tests.builders import outcome, policy_set
from tests.live import PATIENCE_S, Live, serving

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

EVERY_END = {"finish_reasons": ["stop", "length", "tool_calls"]}
"""A model of random weights hardly ever stops by itself."""

ENGINES = [pytest.param("llamacpp", marks=pytest.mark.engine), pytest.param("engine_url", marks=pytest.mark.engine_url)]


@dataclass(frozen=True, slots=True)
class Real:
    """A real engine, the proxy in front of it, and a client of each."""

    live: Live
    proxied: httpx.AsyncClient
    direct: httpx.AsyncClient
    model: str

    def body(self, **fields: Any) -> dict[str, Any]:
        messages = [{"role": "user", "content": "Name three colours."}]
        return {"model": self.model, "messages": messages, "temperature": 0, "max_tokens": 12, **fields}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@asynccontextmanager
async def in_front_of(url: str, policies: PolicySet | None = None, **settings: Any) -> AsyncIterator[Real]:
    key = os.environ.get("ENGINE_API_KEY", "sk-none")
    headers = {"authorization": f"Bearer {key}"}
    policies = policies or policy_set(exact=EVERY_END)
    async with (
        serving(url, policies, **settings) as live,
        httpx.AsyncClient(base_url=live.url, headers=headers, timeout=PATIENCE_S, verify=False) as proxied,
        httpx.AsyncClient(base_url=url.removesuffix("/v1"), headers=headers, timeout=PATIENCE_S) as direct,
    ):
        models = (await proxied.get("/v1/models")).json()["data"]
        yield Real(live, proxied, direct, models[0]["id"])


CHAT = "/v1/chat/completions"


def said(reply: httpx.Response) -> Any:
    """The choices, and the usage where there is one."""
    assert reply.status_code == 200, reply.text
    if reply.headers["content-type"].startswith("text/event-stream"):
        record = fold_stream(reply.content).record
        assert record is not None
        return record["choices"]
    return reply.json()["choices"]


async def test_a_miss_is_what_the_engine_says_and_a_hit_is_the_same_again(engine):
    async with in_front_of(engine) as real:
        direct = await real.direct.post(CHAT, json=real.body())
        miss, hit = [await real.proxied.post(CHAT, json=real.body()) for _ in range(2)]
        assert (outcome(miss), outcome(hit)) == ("fwd=miss; stored", "hit; detail=exact")
        assert said(miss) == said(hit) == said(direct)
        assert miss.json().keys() == direct.json().keys()
        assert hit.json()["usage"]["completion_tokens"] == direct.json()["usage"]["completion_tokens"]


async def test_a_stream_is_what_the_engine_streams_and_serves_both_wire_modes(engine):
    async with in_front_of(engine) as real:
        direct = await real.direct.post(CHAT, json=real.body(stream=True))
        live, replayed = [await real.proxied.post(CHAT, json=real.body(stream=True)) for _ in range(2)]
        plain = await real.proxied.post(CHAT, json=real.body())
        assert [outcome(reply) for reply in (live, replayed, plain)] == ["fwd=miss", *["hit; detail=exact"] * 2]
        assert said(live) == said(replayed) == said(plain) == said(direct)
        assert live.content.count(b"data: ") == direct.content.count(b"data: ")
        assert plain.json()["usage"]["completion_tokens"] > 0


async def test_completions_and_arrays_of_prompts(engine):
    async with in_front_of(engine) as real:
        for prompt in ("Once upon a time", ["One", "Two"]):
            body = {"model": real.model, "prompt": prompt, "temperature": 0, "max_tokens": 8}
            direct = await real.direct.post("/v1/completions", json=body)
            miss, hit = [await real.proxied.post("/v1/completions", json=body) for _ in range(2)]
            assert outcome(hit) == "hit; detail=exact"
            assert said(miss) == said(hit) == said(direct)


async def test_an_error_of_the_engine_is_the_engines(engine):
    async with in_front_of(engine) as real:
        body = real.body(messages=[{"role": "user", "content": "word " * 200_000}])
        direct, proxied = await real.direct.post(CHAT, json=body), await real.proxied.post(CHAT, json=body)
        assert 400 <= direct.status_code < 500
        assert (proxied.status_code, proxied.json().keys()) == (direct.status_code, direct.json().keys())


async def test_what_is_asked_together_is_generated_once(engine):
    async with in_front_of(engine) as real:
        replies = await asyncio.gather(*(real.proxied.post(CHAT, json=real.body(stream=True)) for _ in range(6)))
        assert all(said(reply) == said(replies[0]) for reply in replies)
        assert real.live.app.flights.started == 1


async def test_other_paths_pass(engine):
    async with in_front_of(engine) as real:
        direct, proxied = await real.direct.get("/health"), await real.proxied.get("/health")
        assert (proxied.status_code, proxied.content) == (direct.status_code, direct.content)


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_the_official_client(engine, kind):
    async with in_front_of(engine) as real:
        settings: dict[str, Any] = {"base_url": real.live.url + "/v1", "api_key": "sk-none", "max_retries": 0}
        if kind == "async":
            async with openai.AsyncOpenAI(**settings) as client:
                first = await client.chat.completions.create(**real.body())
                stream = await client.chat.completions.create(**real.body(), stream=True)
                parts = [part async for part in stream]
        else:

            def ask() -> Any:
                with openai.OpenAI(**settings) as client:
                    first = client.chat.completions.create(**real.body())
                    return first, list(client.chat.completions.create(**real.body(), stream=True))

            first, parts = await asyncio.to_thread(ask)
        text = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
        assert first.choices[0].message.content == text
        assert real.live.app.flights.started == 1


@pytest.mark.engine
async def test_always_stream_ends_llamacpps_generation_when_a_plain_client_leaves(llamacpp):
    async with in_front_of(llamacpp, local={"always_stream": True}) as real:
        gate = real.live.app.pool.upstreams[0].gate
        async with httpx.AsyncClient(base_url=real.live.url, verify=False) as leaving:
            asking = asyncio.create_task(leaving.post(CHAT, json=real.body(max_tokens=2000, ignore_eos=True)))
            while not await busy(real):
                pass
            asking.cancel()
            await asyncio.wait([asking])
        while await busy(real):
            pass
        assert gate.in_flight == 0
        whole = await real.proxied.post(CHAT, json=real.body())
        assert whole.json()["object"] == "chat.completion"
        assert said(whole) == said(await real.direct.post(CHAT, json=real.body()))


async def busy(real: Real) -> bool:
    """Whether llama.cpp is generating."""
    return any(slot["is_processing"] for slot in (await real.direct.get("/slots")).json())
