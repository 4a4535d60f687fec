"""The official client, sync and async, pointed at the proxy on a real socket, and what each of our errors becomes."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import openai
import orjson
import pytest

from tests.builders import DONE, answer, chat, chunk, stream_of
from tests.live import CLOSE, PATIENCE_S, Wired, json_reply, wired
from tests.proxy.upstream.scripted_server import Request

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
MESSAGES: Any = [{"role": "user", "content": "Say hi"}]


def framed(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)


def respond(request: Request) -> bytes:
    """A whole engine, in a few lines."""
    if request.line.startswith(b"GET /v1/models"):
        return json_reply({"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "me"}]})
    body = orjson.loads(request.body)
    if request.line.startswith(b"POST /v1/embeddings"):
        data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return json_reply({"object": "list", "model": "m", "data": data, "usage": usage})
    if body.get("stream"):
        parts = stream_of("Hel", "lo!", usage=bool((body.get("stream_options") or {}).get("include_usage")))
        return CHUNKED + framed(b": ping\n\n", *parts) + b"0\r\n\r\n"
    return json_reply(answer())


Call = Callable[[Any], Any]
"""What a test does with a client: the same for both, but that one's results are awaited."""


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def client_of(w: Wired, kind: str, **options: Any) -> AsyncIterator[Callable[[Call], Awaitable[Any]]]:
    """`do(call)` hands the client to `call` and gives back what it returned."""
    settings = {"base_url": w.live.url + "/v1", "api_key": "sk-a", "max_retries": 0, "timeout": PATIENCE_S, **options}
    if kind == "sync":
        with openai.OpenAI(http_client=openai.DefaultHttpxClient(verify=False), **settings) as client:
            yield lambda call: anyio.to_thread.run_sync(functools.partial(call, client))
    else:
        unchecked = openai.DefaultAsyncHttpxClient(verify=False)
        async with openai.AsyncOpenAI(http_client=unchecked, **settings) as async_client:

            async def awaited(call: Call) -> Any:
                return await call(async_client)

            yield awaited


def ask(client: Any, **fields: Any) -> Any:
    body = {"model": "m", "messages": MESSAGES, "temperature": 0, **fields}
    return client.chat.completions.create(**body)


def collect(client: Any, **options: Any) -> Any:
    """All parts of a stream."""
    if isinstance(client, openai.OpenAI):
        return list(ask(client, stream=True, **options))

    async def gather() -> list[Any]:
        return [part async for part in await ask(client, stream=True, **options)]

    return gather()


async def test_lists_chats_streams_and_embeds(kind):
    async with wired(respond) as w, client_of(w, kind) as do:
        assert [model.id for model in (await do(lambda client: client.models.list())).data] == ["m"]
        assert (await do(lambda client: client.models.retrieve("m"))).owned_by == "me"
        first, second = await do(ask), await do(ask)
        assert first.choices[0].message.content == second.choices[0].message.content == "Hello!"
        assert first.id == "chatcmpl-origin"
        assert second.id != first.id
        assert second.usage.total_tokens == 8
        embedded = await do(lambda client: client.embeddings.create(model="m", input="a", encoding_format="float"))
        assert embedded.data[0].embedding == [0.5, 0.25]


@pytest.mark.parametrize("usage", [False, True])
async def test_streams_live_and_replayed(kind, usage):
    options = {"stream_options": {"include_usage": True}} if usage else {}
    all_parts = functools.partial(collect, **options)
    async with wired(respond) as w, client_of(w, kind) as do:
        live, replayed = await do(all_parts), await do(all_parts)
        assert w.engine.calls == 1
        for parts in (live, replayed):
            assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == "Hello!"
            assert [part.choices[0].finish_reason for part in parts if part.choices][-1] == "stop"
            assert [part.usage.total_tokens for part in parts if part.usage] == ([8] if usage else [])
            assert len({part.id for part in parts}) == 1


async def test_our_own_heartbeats_are_harmless(kind):
    def slowly(request: Request) -> list[Any]:
        return [CHUNKED + framed(*stream_of("a", done=False)), go_on, framed(DONE) + b"0\r\n\r\n"]

    go_on = asyncio.Event()
    async with wired(slowly, flights={"heartbeat_s": 0.01}) as w, client_of(w, kind) as do:
        collecting = asyncio.ensure_future(do(collect))
        async with w.client.stream("POST", "/v1/chat/completions", json=chat(stream=True)) as reply:
            async for part in reply.aiter_raw():
                if b": askonce" in part:
                    break
        go_on.set()
        assert "".join(part.choices[0].delta.content or "" for part in await collecting if part.choices) == "a"


TENANTS = [{"name": "acme", "api_keys": ["sk-acme-key"], "requests_per_minute": 1}]


async def expect(
    kind: str, error: type[openai.APIStatusError], status: int, code: str, w: Wired, call: Call = ask, **options: Any
) -> openai.APIStatusError:
    """`call` raises exactly this error, with a message a human can use."""
    async with client_of(w, kind, **options) as do:
        with pytest.raises(openai.APIStatusError) as caught:
            await do(call)
    raised = caught.value
    assert type(raised) is error
    assert (raised.status_code, raised.code) == (status, code)
    assert isinstance(raised.body, dict)
    assert raised.body["message"] in raised.message
    assert len(raised.body["message"].split()) >= 4
    assert raised.request_id
    return raised


async def test_400_is_a_bad_request(kind):
    async with wired(respond) as w:
        call = functools.partial(ask, messages="not a list")
        raised = await expect(kind, openai.BadRequestError, 400, "invalid_type", w, call)
        assert raised.param == "messages"


async def test_401_is_an_authentication_error_and_429_a_rate_limit(kind):
    async with wired(respond, tenants=TENANTS) as w:
        await expect(kind, openai.AuthenticationError, 401, "invalid_api_key", w)
        async with client_of(w, kind, api_key="sk-acme-key") as do:
            await do(ask)
        raised = await expect(kind, openai.RateLimitError, 429, "rate_limited", w, api_key="sk-acme-key")
        assert int(raised.response.headers["retry-after"]) >= 1


async def test_404_is_not_found(kind):
    async with wired(respond, local={"models": ["m"]}) as w:
        raised = await expect(
            kind, openai.NotFoundError, 404, "model_not_found", w, functools.partial(ask, model="other")
        )
        assert raised.param == "model"
        await expect(
            kind, openai.NotFoundError, 404, "model_not_found", w, lambda client: client.models.retrieve("other")
        )


async def test_413_says_the_limit(kind):
    async with wired(respond, max_body_bytes=1000) as w:
        call = functools.partial(ask, messages=[{"role": "user", "content": "x" * 2000}])
        raised = await expect(kind, openai.APIStatusError, 413, "body_too_large", w, call)
        assert "1000" in raised.message


async def test_502_and_504_are_server_errors(kind):
    async with wired(lambda request: [CLOSE]) as w:
        await expect(kind, openai.InternalServerError, 502, "upstream_failed", w)
    async with wired(lambda request: [], local={"timeouts": {"first_byte_s": 0.02}}) as w:
        await expect(kind, openai.InternalServerError, 504, "upstream_timeout", w)


async def test_503_is_a_server_error_and_says_when_to_come_back(kind):
    async with wired(lambda request: [], local={"max_concurrency": 1, "max_queue": 0}) as w:
        holding = asyncio.create_task(w.client.post("/v1/chat/completions", json={"model": "m", "messages": []}))
        await w.engine.asked(1)
        raised = await expect(kind, openai.InternalServerError, 503, "queue_full", w)
        assert int(raised.response.headers["retry-after"]) >= 1
        holding.cancel()
        await asyncio.wait([holding])


async def test_504_for_what_is_not_cached(kind):
    async with wired(respond) as w:
        call = functools.partial(ask, extra_headers={"cache-control": "only-if-cached"})
        await expect(kind, openai.InternalServerError, 504, "not_cached", w, call)
        assert w.engine.calls == 0


async def test_a_failure_within_a_stream_is_an_error_and_not_an_end(kind):
    def cut(request: Request) -> list[Any]:
        return [CHUNKED + framed(chunk({"role": "assistant", "content": "He"})), CLOSE]

    async with wired(cut) as w, client_of(w, kind) as do:
        with pytest.raises(openai.APIError) as caught:
            await do(collect)
        assert caught.value.code == "upstream_failed"


async def test_an_engines_own_error_keeps_its_message(kind):
    body = {"error": {"message": "the context is too long", "type": "exceed_context_size_error", "code": 400}}
    async with wired(lambda request: json_reply(body, b"400 Bad Request")) as w, client_of(w, kind) as do:
        with pytest.raises(openai.BadRequestError, match="the context is too long"):
            await do(ask)
        assert w.engine.calls == 1
