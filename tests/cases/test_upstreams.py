"""Cases T01–T04 and E02 through the whole proxy: places, clocks, stale connections, lost generations, no buffering."""

import asyncio
import random
from typing import Any

import httpx
import pytest

from proxy.errors import UpstreamFailed, UpstreamUnreachable
from proxy.upstream.client import Timeouts, UpstreamRequest
from tests.builders import ScriptedReply, ScriptedUpstream, answer, chat, chunk, outcome, policy_set, stack, stream_of
from tests.live import CLOSE, json_reply, wired

pytestmark = pytest.mark.anyio


def local(**settings: Any) -> list[dict[str, Any]]:
    return [{"name": "local", "url": "http://127.0.0.1:1", **settings}]


async def test_T01_requests_cancelled_at_any_point_give_their_places_back():
    rng = random.Random(5)
    async with stack(upstreams=local(max_concurrency=5, queue_timeout_s=1000)) as s:
        s.upstream.script(lambda request: ScriptedReply([chunk({"content": "a"}), 2.0, *stream_of("b")], wait=1.0))
        tasks = []
        for n in range(500):
            body = chat(str(n), stream=True, temperature=n % 2)
            tasks.append(asyncio.create_task(s.ask(body, path=rng.choice(["/v1/chat/completions", "/tokenize"]))))
            await asyncio.sleep(rng.choice([0, 0.1, 0.9]))
            rng.choice(tasks).cancel()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await asyncio.sleep(1)
        gate = s.app.pool.upstreams[0].gate
        assert (gate.in_flight, gate.waiting, s.upstream.open, len(s.app.flights)) == (0, 0, 0, 0)
        replies = await asyncio.gather(*(s.ask(chat(f"after {n}")) for n in range(5)))
        assert [reply.status_code for reply in replies] == [200] * 5


async def test_T01_who_waits_too_long_for_a_place_is_told_when_to_come_back():
    async with stack(upstreams=local(max_concurrency=1, max_queue=1, queue_timeout_s=5)) as s:
        s.upstream.script(ScriptedReply(wait=100.0))
        first = asyncio.create_task(s.ask(chat("1")))
        await asyncio.sleep(0.1)
        late = asyncio.create_task(s.ask(chat("2"), key="sk-b"))
        await asyncio.sleep(0.1)
        full = await s.ask(chat("3"), key="sk-c")
        assert (full.status_code, full.json()["error"]["code"]) == (503, "queue_full")
        assert ((await late).status_code, (await late).json()["error"]["code"]) == (503, "queue_timeout")
        assert int(full.headers["retry-after"]) >= 1
        assert (await first).status_code == 200


class Clocks(ScriptedUpstream):
    """Keeps which limits it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.limits: list[Timeouts] = []

    async def send(self, request: UpstreamRequest, timeouts: Timeouts) -> Any:
        self.limits.append(timeouts)
        return await super().send(request, timeouts)


async def test_T02_an_exchange_has_the_upstreams_four_clocks_and_those_its_family_sets():
    own = {"connect_s": 1, "first_byte_s": 2, "between_chunks_s": 3, "total_s": 4}
    for family, expected in (({}, Timeouts(1, 2, 3, 4)), ({"first_byte_s": 20, "total_s": 40}, Timeouts(1, 20, 3, 40))):
        async with stack(policy_set(timeouts=family), upstreams=local(timeouts=own)) as s:
            clocks = s.app.pool.upstreams[0].client = Clocks()
            await s.ask()
            await s.ask(path="/v1/embeddings")
            assert clocks.limits == [expected, Timeouts(1, 2, 3, 4)]


@pytest.mark.real_loop
async def test_T02_silence_is_a_504_before_the_head_and_an_error_event_after_it():
    clocks = {"timeouts": {"first_byte_s": 0.05, "between_chunks_s": 0.05}}
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    first = chunk({"content": "a"})

    def respond(request: Any) -> list[Any]:
        silent = asyncio.Event()
        return [] if b'"stream"' not in request.body else [head + b"%x\r\n%b\r\n" % (len(first), first), silent]

    async with wired(respond, local=clocks) as w:
        reply = await w.client.post("/v1/chat/completions", json=chat())
        assert (reply.status_code, reply.json()["error"]["code"]) == (504, "upstream_timeout")
        reply = await w.client.post("/v1/chat/completions", json=chat(stream=True))
        assert reply.content.startswith(first)
        assert b'"upstream_timeout"' in reply.content.removeprefix(first)
        assert b"[DONE]" not in reply.content
        await asyncio.wait_for(w.engine.left.wait(), 30)


@pytest.mark.real_loop
async def test_T03_a_connection_the_engine_closed_while_idle_costs_no_request():
    async with wired(lambda request: [json_reply(answer()), CLOSE]) as w:
        for n in range(5):
            assert (await w.client.post("/v1/chat/completions", json=chat(str(n)))).status_code == 200
        assert w.engine.calls == 5


@pytest.mark.real_loop
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("temperature", [0, 1])
async def test_T04_a_generation_that_was_lost_is_a_502_and_is_not_bought_again(stream, temperature):
    async with wired(lambda request: [CLOSE]) as w:
        reply = await w.client.post("/v1/chat/completions", json=chat(stream=stream, temperature=temperature))
        assert (reply.status_code, reply.json()["error"]["code"]) == (502, "upstream_failed")
        assert w.engine.calls == 1


async def test_T04_another_upstream_is_asked_only_where_nothing_was_processed():
    two = [*local(), {"name": "other", "url": "http://127.0.0.1:2"}]
    for failure, status, calls in ((UpstreamUnreachable("No."), 200, 1), (UpstreamFailed("Lost."), 502, 0)):
        async with stack(upstreams=two) as s:
            first, second = ScriptedUpstream(), ScriptedUpstream()
            s.app.pool.upstreams[0].client, s.app.pool.upstreams[1].client = first, second
            first.script(failure)
            assert (await s.ask()).status_code == status
            assert (first.calls, second.calls) == (1, calls)


@pytest.mark.parametrize("status", [400, 401, 404, 422, 429, 500, 503])
async def test_T04_an_answer_is_an_answer_and_is_asked_for_once(status):
    async with stack() as s:
        s.upstream.script(ScriptedReply({"error": {}}, status=status))
        assert (await s.ask()).status_code == status
        assert s.upstream.calls == 1


@pytest.mark.real_loop
@pytest.mark.parametrize("temperature", [0, 1])
async def test_E02_each_event_is_out_before_the_engine_makes_the_next(temperature):
    parts = stream_of("a", "b", usage=False)
    gates = [asyncio.Event() for _ in parts]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

    def respond(request: Any) -> list[Any]:
        steps: list[Any] = [head]
        for part, gate in zip(parts, gates, strict=True):
            steps += [b"%x\r\n%b\r\n" % (len(part), part), gate]
        return [*steps, b"0\r\n\r\n"]

    async with (
        wired(respond) as w,
        w.client.stream("POST", "/v1/chat/completions", json=chat(stream=True, temperature=temperature)) as reply,
    ):
        came = reply.aiter_raw()
        for part, gate in zip(parts, gates, strict=True):
            assert await anext(came) == part
            gate.set()
        assert [part async for part in came] == []


@pytest.mark.real_loop
@pytest.mark.parametrize("temperature", [0, 1])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/embeddings"])
async def test_E02_a_client_that_leaves_is_seen_by_the_engine(path, temperature):
    async with wired(lambda request: []) as w:
        async with httpx.AsyncClient(base_url=w.live.url, verify=False) as leaving:
            asking = asyncio.create_task(leaving.post(path, json=chat(temperature=temperature), timeout=None))
            await w.engine.asked(1)
            asking.cancel()
            await asyncio.wait([asking])
        await asyncio.wait_for(w.engine.left.wait(), 30)


async def test_outcomes_of_a_flight_that_failed_are_not_kept():
    async with stack() as s:
        s.upstream.script(UpstreamFailed("Lost."), ScriptedReply())
        assert (await s.ask()).status_code == 502
        assert outcome(await s.ask()) == "fwd=miss; stored"
