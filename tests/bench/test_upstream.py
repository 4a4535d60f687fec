"""The stub engine: what it answers, streams, refuses, breaks and counts. (Long, because other tests rest on each of its
scripts doing what its name says.)
"""

import asyncio
import contextlib
import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from bench.stub_engine import CHAT, COMPLETIONS, StubEngine
from bench.stub_reply import Bursts, StubReply
from bench.stub_script import OPTIONS, Script
from bench.stub_stream import Broken
from bench.upstream import StubUpstream, main
from proxy.fold import Folded, fold_stream, is_usage_only
from proxy.sse import EventSplitter, data_of
from proxy.storable import why_not_stored

pytestmark = pytest.mark.anyio


def fast(**settings: Any) -> StubEngine:
    """An engine that answers at once."""
    return StubEngine(base_ms=0.0, per_item_ms=0.0, **settings)


def chat(text: str = "hi", script: str = "", **fields: Any) -> dict[str, Any]:
    content = f"{text} [[stub: {script}]]" if script else text
    return {"model": "m", "messages": [{"role": "user", "content": content}], **fields}


def completion(prompt: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "prompt": prompt, **fields}


async def ask(engine: StubEngine, payload: Any, path: str = CHAT) -> StubReply:
    return await engine.reply("POST", path, [], json.dumps(payload).encode())


async def plain(engine: StubEngine, payload: dict[str, Any], path: str = CHAT) -> Any:
    reply = await ask(engine, payload, path)
    assert isinstance(reply.body, bytes)
    return json.loads(reply.body)


async def streamed(engine: StubEngine, payload: dict[str, Any], path: str = CHAT) -> bytes:
    """The stream up to its end, or to where the engine breaks it."""
    pieces = []
    with contextlib.suppress(Broken):
        async for chunk in engine.answer({**payload, "stream": True}, path):
            pieces.append(chunk)
    return b"".join(pieces)


async def folded(engine: StubEngine, script: str = "", **fields: Any) -> Folded:
    return fold_stream(await streamed(engine, chat(script=script, **fields)))


def message(folded: Folded) -> dict[str, Any]:
    assert folded.record is not None
    said: dict[str, Any] = folded.record["choices"][0]["message"]
    return said


def text(answer: Any) -> str:
    said: str = answer["choices"][0]["message"]["content"]
    return said


def unlike(answer: Any) -> Any:
    """An answer without what each generation has of its own."""
    return {name: value for name, value in answer.items() if name != "id"}


# What it says.


async def test_equal_requests_get_equal_answers_and_ids_of_their_own():
    engine = fast()
    first, second = [await plain(engine, chat(temperature=0)) for _ in range(2)]
    assert unlike(first) == unlike(second)
    assert first["id"] != second["id"]


@pytest.mark.parametrize("change", [{"temperature": 1}, {"seed": 1}, {"model": "n"}, {"tools": []}, {"x_new": 1}])
async def test_another_parameter_is_another_answer(change):
    engine = fast()
    assert text(await plain(engine, chat())) != text(await plain(engine, chat() | change))


async def test_the_two_endpoints_answer_one_body_differently():
    engine = fast()
    both = {**chat(), "prompt": "hi"}
    assert text(await plain(engine, both)) != (await plain(engine, both, COMPLETIONS))["choices"][0]["text"]


async def test_the_generations_number_is_told_only_when_asked():
    engine = fast()
    told = [text(await plain(engine, chat(script="counter"))) for _ in range(2)]
    assert [line.rpartition(" ")[2] for line in told] == ["#1", "#2"]


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
async def test_a_limit_cuts_the_answer_and_says_so(limit):
    engine = fast()
    whole = await plain(engine, chat())
    cut = await plain(engine, chat() | {limit: 5})
    assert text(cut) == " ".join(text(whole).split()[:5])
    assert (cut["choices"][0]["finish_reason"], whole["choices"][0]["finish_reason"]) == ("length", "stop")
    assert cut["usage"]["completion_tokens"] == 5


@pytest.mark.parametrize(
    "script", ["", "reasoning", "reasoning=reasoning", "tool-calls=3", "json", "refusal", "words=40"]
)
@pytest.mark.parametrize("n", [1, 3])
async def test_a_stream_folds_to_the_plain_answer(script, n):
    engine = fast()
    answer = await plain(engine, chat(script=script, n=n))
    stream = await folded(engine, script, n=n, stream_options={"include_usage": True})
    assert stream.record is not None
    assert unlike(_without_null_logprobs(stream.record)) == unlike(_without_null_logprobs(answer))


def _without_null_logprobs(answer: dict[str, Any]) -> dict[str, Any]:
    choices = [{name: value for name, value in choice.items() if name != "logprobs"} for choice in answer["choices"]]
    return {**answer, "choices": choices}


async def test_a_prompt_array_answers_each_as_it_would_alone():
    engine = fast()
    prompts = ["a", "b", "a"]
    answer = await plain(engine, completion(prompts, n=2), COMPLETIONS)
    alone = [await plain(engine, completion(prompt, n=2), COMPLETIONS) for prompt in prompts]
    assert [choice["index"] for choice in answer["choices"]] == list(range(6))
    assert [choice["text"] for choice in answer["choices"]] == [
        choice["text"] for one in alone for choice in one["choices"]
    ]
    assert answer["usage"]["total_tokens"] == sum(one["usage"]["total_tokens"] for one in alone)
    stream = fold_stream(await streamed(engine, completion(prompts, n=2), COMPLETIONS)).record
    assert stream is not None
    assert [choice["text"] for choice in stream["choices"]] == [choice["text"] for choice in answer["choices"]]


async def test_usage_is_streamed_only_when_asked():
    engine = fast()
    assert b"usage" not in await streamed(engine, chat())
    events = EventSplitter().feed(await streamed(engine, chat(stream_options={"include_usage": True})))
    assert [is_usage_only(event) for event in events[-3:]] == [False, True, False]


async def test_embeddings_are_unit_vectors_of_the_input_alone():
    engine = fast(dimensions=8)
    answer = await plain(engine, {"input": ["a", "b", "a"]}, "/v1/embeddings")
    vectors = [row["embedding"] for row in answer["data"]]
    assert [row["index"] for row in answer["data"]] == [0, 1, 2]
    assert vectors[0] == vectors[2] != vectors[1]
    assert all(sum(value * value for value in vector) == pytest.approx(1) for vector in vectors)
    coded = await plain(engine, {"input": "a", "encoding_format": "base64"}, "/v1/embeddings")
    assert isinstance(coded["data"][0]["embedding"], str)


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "/health", 200),
        ("GET", "/v1/models", 200),
        ("GET", "/v1/models/stub", 200),
        ("GET", "/v1/models/other", 404),
        ("GET", "/nothing", 404),
        ("GET", CHAT, 405),
        ("POST", "/api/chat", 200),
    ],
)
async def test_the_other_paths(method, target, status):
    assert (await StubEngine().reply(method, target, [], b"{}")).status == status


async def test_echoed_paths_tell_what_arrived():
    reply = await StubEngine().reply("PUT", "/echo/a%2Fb?c=d%20e", [(b"X-A", b"1")], b"\xff")
    assert isinstance(reply.body, bytes)
    told = json.loads(reply.body)
    assert told == {"method": "PUT", "target": "/echo/a%2Fb?c=d%20e", "body": "\xff", "headers": [["X-A", "1"]]}


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": 5}', b'{"messages": [], "n": 0}', b"[" * 100_000])
async def test_a_body_it_cannot_read_is_a_400(body):
    assert (await StubEngine().reply("POST", CHAT, [], body)).status == 400


@pytest.mark.parametrize("script", ["no-such-thing", "chunk-ms=soon"])
async def test_a_marker_it_does_not_know_is_refused_in_words(script):
    reply = await ask(StubEngine(), chat(script=script))
    assert reply.status == 400
    assert isinstance(reply.body, bytes)
    assert script.partition("=")[0] in reply.body.decode()


async def test_a_lone_surrogate_is_answered():
    reply = await fast().reply("POST", CHAT, [], b'{"model": "\\ud800", "messages": [{"content": "\\ud800"}]}')
    assert reply.status == 200


async def test_an_api_key_is_demanded_where_there_is_one():
    engine = fast(api_key="sk-stub")
    assert (await engine.reply("GET", "/v1/models", [], b"")).status == 401
    assert (await engine.reply("GET", "/v1/models", [(b"Authorization", b"Bearer sk-stub")], b"")).status == 200
    assert (await engine.reply("GET", "/health", [], b"")).status == 200


# When it says it, on the virtual clock.


@pytest.mark.parametrize(
    ("payload", "path", "seconds"),
    [
        (chat(), CHAT, 0.015),
        (completion("a"), COMPLETIONS, 0.015),
        (completion(["a", "b", "c", "d"]), COMPLETIONS, 0.024),
        (completion([1, 2, 3]), COMPLETIONS, 0.015),
        ({"input": ["a", "b"]}, "/v1/embeddings", 0.018),
        (chat(script="first-byte-ms=500"), CHAT, 0.5),
        (chat(script="silence=30"), CHAT, 30.015),
        (chat(stream=True), CHAT, 0.015),
        (chat(script="status=503"), CHAT, 0.0),
    ],
)
async def test_a_generation_takes_its_base_and_its_items(payload, path, seconds):
    await ask(StubEngine(), payload, path)
    assert asyncio.get_running_loop().time() == pytest.approx(seconds)


async def test_requests_are_generated_side_by_side():
    engine = StubEngine()
    await asyncio.gather(*(ask(engine, chat(str(number))) for number in range(8)))
    assert asyncio.get_running_loop().time() == pytest.approx(0.015)
    assert (engine.stats.generations, engine.stats.requests, engine.stats.in_flight) == (8, 8, 0)


async def arrivals(payload: dict[str, Any]) -> AsyncIterator[tuple[float, bytes]]:
    async for chunk in StubEngine().answer({**payload, "stream": True}):
        yield round(asyncio.get_running_loop().time(), 6), chunk


async def test_chunks_come_at_their_interval():
    times = [at async for at, _ in arrivals(chat(script="chunk-ms=10 words=3"))]
    assert times == [0.015, 0.025, 0.035, 0.045, 0.055, 0.055]


async def test_S14_a_silence_with_comments_is_broken_each_second():
    came = [(at, chunk) async for at, chunk in arrivals(chat(script="comments silence=3 head-first"))]
    assert [chunk for at, chunk in came if at < 3.015] == [b": ping\n\n"] * 2
    first = next(at for at, chunk in came if chunk.startswith(b"data:"))
    assert first == 3.015


async def test_T02_a_silence_may_begin_after_some_chunks():
    times = [at async for at, _ in arrivals(chat(script="silence=30 silence-after=2"))]
    assert times[:3] == [0.015, 0.015, 30.015]


async def test_head_first_sends_the_head_before_the_work():
    engine = StubEngine()
    reply = await ask(engine, chat(script="head-first", stream=True))
    assert (asyncio.get_running_loop().time(), engine.stats.generations) == (0, 0)
    assert isinstance(reply.body, Bursts)
    await anext(reply.body)
    assert asyncio.get_running_loop().time() == pytest.approx(0.015)
    await reply.body.aclose()


# How it fails.


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("", None),
        ("tool-calls", None),
        ("comments crlf no-space null-first split=3", None),
        ("no-done", "unfinished"),
        ("reset-after=3", "unfinished"),
        ("reset-after=1000", "unfinished"),
        ("close-after=3", "unfinished"),
        ("error-event", "error"),
        ("error-event=0", "error"),
        ("error-event=2 no-done", "error"),
        ("no-finish", "finish_reason"),
        ("finish=length", "finish_reason"),
        ("finish=null", "finish_reason"),
        ("empty", "empty"),
        ("refusal", "refusal"),
    ],
)
async def test_each_bad_stream_is_bad_in_its_own_way(script, why):
    stream = await folded(fast(), script)
    assert reason(stream) == why


def reason(stream: Folded, payload: dict[str, Any] | None = None) -> str | None:
    return why_not_stored(
        200,
        stream.record,
        streamed=True,
        done=stream.done,
        error=stream.error,
        finish_reasons=frozenset({"stop", "tool_calls"}),
        request_payload=payload or {},
        size=0,
        max_entry_bytes=1,
    )


async def test_S09_one_of_two_choices_may_stay_unfinished():
    stream = await folded(fast(), "unfinished-choice", n=2)
    assert stream.record is not None
    assert [choice["finish_reason"] for choice in stream.record["choices"]] == ["stop", None]


async def test_P02_half_a_json_object():
    asked = {"response_format": {"type": "json_object"}}
    assert reason(await folded(fast(), "bad-json"), asked) == "invalid_json"
    assert reason(await folded(fast(), "json"), asked) is None


async def test_S02_S03_the_spelling_of_a_stream_changes_none_of_its_data():
    usual = EventSplitter().feed(await streamed(fast(), chat(script="echo")))
    for script in ("crlf echo", "no-space echo", "comments echo", "crlf no-space comments echo"):
        raw = await streamed(fast(), chat(script=script))
        assert b"\r\n" in raw or "crlf" not in script
        data = [data_of(event) for event in EventSplitter().feed(raw)]
        # The seed of an id is its generation alone, so that all four are the first of their engines.
        assert [item for item in data if item is not None] == [data_of(event) for event in usual]


async def test_S01_a_stream_comes_in_pieces_of_any_size():
    payload = chat("日本🙂", script="echo split=1")
    pieces = [chunk async for chunk in fast().answer({**payload, "stream": True})]
    assert {len(piece) for piece in pieces} == {1}
    assert message(fold_stream(b"".join(pieces)))["content"] == "日本🙂"


async def test_S04_usage_without_choices():
    raw = await streamed(fast(), chat(script="usage=bare", stream_options={"include_usage": True}))
    last = json.loads(data_of(EventSplitter().feed(raw)[-2]) or b"")
    assert "choices" not in last
    assert last["usage"]["total_tokens"] > 0


async def test_S07_usage_may_be_missing():
    assert "usage" not in await plain(fast(), chat(script="usage=off"))
    assert not (await folded(fast(), "usage=off", stream_options={"include_usage": True})).has_usage


@pytest.mark.parametrize("script", ["tool-calls=2", "tool-calls=2 no-index"])
async def test_S08_tool_calls_come_in_interleaved_fragments(script):
    raw = await streamed(fast(), chat(script=script))
    calls = message(fold_stream(raw))["tool_calls"]
    assert [json.loads(call["function"]["arguments"])["days"] for call in calls] == [0, 1]
    fragments = [json.loads(data_of(event) or b"")["choices"] for event in EventSplitter().feed(raw)[1:-2]]
    assert len(fragments) == 2 + 2 * 7
    assert all(("index" in said["delta"]["tool_calls"][0]) == ("no-index" not in script) for [said] in fragments)


async def test_B04_errors_in_every_shape():
    engine = StubEngine()
    shapes = {}
    for shape in ("object", "string", "flat", "detail"):
        shapes[shape] = set(await plain(engine, chat(script=f"status=400 shape={shape}")))
    assert shapes["object"] == shapes["string"] == {"error"}
    assert (shapes["detail"], shapes["flat"]) == ({"detail"}, {"object", "message", "type", "param", "code"})
    for script, kind in (("plain-text-error", b"text/plain; charset=utf-8"), ("status=502 shape=html", b"text/html")):
        assert dict((await ask(engine, chat(script=script))).headers)[b"content-type"] == kind
    limited = await ask(engine, chat(script="status=429 retry-after=7"))
    assert (limited.status, dict(limited.headers)[b"retry-after"]) == (429, b"7")


async def test_F06_the_first_calls_of_a_prompt_fail_and_the_next_work():
    engine = fast()
    statuses = [(await ask(engine, chat(script="fail-first=2"))).status for _ in range(4)]
    assert statuses == [503, 503, 200, 200]
    assert (await ask(engine, chat("another", script="fail-first=1 status=500"))).status == 500
    assert engine.stats.generations == 2


async def test_T04_a_generation_that_is_dropped_has_been_made():
    engine = fast()
    with pytest.raises(Broken):
        await ask(engine, chat(script="drop-before-reply"))
    assert (engine.stats.generations, engine.stats.in_flight, engine.stats.aborted) == (1, 0, 0)


async def test_S12_a_client_that_leaves_is_an_abort_plain_or_streamed():
    engine = StubEngine()
    waiting = asyncio.create_task(ask(engine, chat(script="first-byte-ms=5000")))
    await asyncio.sleep(0.2)
    assert engine.stats.in_flight == 1
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert (engine.stats.in_flight, engine.stats.aborted) == (0, 1)
    stream = engine.answer(chat(script="chunk-ms=100", stream=True))
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]  # it is a generator
    assert (engine.stats.in_flight, engine.stats.aborted) == (0, 2)


# On a socket.


@contextlib.asynccontextmanager
async def served(**settings: Any) -> AsyncIterator[tuple[StubUpstream, httpx.AsyncClient]]:
    async with (
        StubUpstream(fast(), **settings) as upstream,
        httpx.AsyncClient(base_url=upstream.url, timeout=20) as client,
    ):
        yield upstream, client


@pytest.mark.real_loop
async def test_a_socket_carries_what_the_engine_says():
    async with served() as (upstream, client):
        answer = await client.post(CHAT, json=chat())
        stream = await client.post(CHAT, json=chat(stream=True))
        assert answer.headers["content-type"] == "application/json"
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert message(fold_stream(stream.content)) == answer.json()["choices"][0]["message"]
        assert (await client.get("/stats")).json() == {"requests": 2, "generations": 2, "in_flight": 0, "aborted": 0}
        assert len(upstream.connections) == 1
        assert [request.method for request in upstream.received] == ["POST", "POST", "GET"]
        assert (await client.head("/health")).status_code == 200


@pytest.mark.real_loop
@pytest.mark.parametrize("script", ["gzip", "deflate", "chunked", "close", "set-cookie", "gzip chunked"])
@pytest.mark.parametrize("stream", [False, True])
async def test_H01_H02_however_it_is_framed_or_coded_the_client_reads_the_same(script, stream):
    async with served() as (_, client):
        reply = await client.post(CHAT, json=chat(script=f"echo {script}", stream=stream))
        said = message(fold_stream(reply.content)) if stream else reply.json()["choices"][0]["message"]
        assert said["content"] == "hi"
        for name in ("gzip", "deflate"):
            assert (reply.headers.get("content-encoding") == name) == (name in script)
        assert ("set-cookie" in reply.headers) == (script == "set-cookie")
        assert (reply.headers.get("connection") == "close") == (script == "close")


@pytest.mark.real_loop
@pytest.mark.parametrize(
    ("script", "stream", "error"),
    [
        ("drop-before-reply", False, httpx.RemoteProtocolError),
        ("drop-before-reply", True, httpx.RemoteProtocolError),
        ("reset-after=2", True, httpx.ReadError),
        ("reset-after=0", True, httpx.ReadError),
        ("close-after=2", True, httpx.RemoteProtocolError),
        ("short-body", False, httpx.RemoteProtocolError),
    ],
)
async def test_a_broken_connection_is_broken_for_the_client(script, stream, error):
    async with served() as (upstream, client):
        with pytest.raises(error):
            await client.post(CHAT, json=chat(script=script, stream=stream))
        assert (await client.post(CHAT, json=chat())).status_code == 200
        assert upstream.engine.stats.generations == 2


class Watched(StubEngine):
    """Says when a generation has begun and when a request has left."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.left = asyncio.Event()

    async def _work(self, script: Script, items: int) -> None:
        self.begun.set()
        await super()._work(script, items)

    def _leave(self, aborted: bool) -> None:
        super()._leave(aborted)
        self.left.set()


@pytest.mark.real_loop
@pytest.mark.parametrize("script", ["", "head-first"])
async def test_S12_a_disconnect_on_the_socket_is_an_abort(script):
    engine = Watched()
    async with StubUpstream(engine) as upstream:
        _, writer = await asyncio.open_connection(upstream.host, upstream.port)
        body = json.dumps(chat(script=f"first-byte-ms=60000 {script}", stream=bool(script))).encode()
        writer.write(b"POST %b HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (CHAT.encode(), len(body), body))
        await engine.begun.wait()
        assert (engine.stats.in_flight, engine.stats.aborted) == (1, 0)
        writer.close()
        await engine.left.wait()
        assert (engine.stats.in_flight, engine.stats.aborted) == (0, 1)


@pytest.mark.real_loop
async def test_T03_an_idle_connection_is_closed():
    async with served(idle_s=0.01) as (upstream, _):
        reader, writer = await asyncio.open_connection(upstream.host, upstream.port)
        writer.write(b"GET /health HTTP/1.1\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 200 OK\r\n")
        writer.close()


@pytest.mark.real_loop
async def test_H04_expect_upgrade_pipelining_and_rubbish():
    async with served() as (upstream, _):
        reader, writer = await asyncio.open_connection(upstream.host, upstream.port)
        writer.write(b"POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"xGET /health HTTP/1.1\r\n\r\nGET /ping HTTP/1.1\r\nConnection: close\r\n\r\n")
        told = await reader.read()
        assert re.findall(rb"HTTP/1.1 (\d+)", told) == [b"200"] * 3
        writer.close()
        reader, writer = await asyncio.open_connection(upstream.host, upstream.port)
        writer.write(b"rubbish\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 400")
        writer.close()


@pytest.mark.real_loop
async def test_a_reader_that_cannot_take_more_is_waited_for():
    engine = Watched()
    async with StubUpstream(engine) as upstream:
        reader, writer = await asyncio.open_connection(upstream.host, upstream.port)
        writer.write(b"GET /health HTTP/1.1\r\n\r\n")
        await reader.readuntil(b'"ok"}')
        [connection] = upstream.connections
        connection.pause_writing()  # as asyncio calls it when the client's window is full
        engine.left.clear()
        body = json.dumps(chat(script="chunk-ms=1 words=2", stream=True)).encode()
        writer.write(b"POST %b HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (CHAT.encode(), len(body), body))
        head_and_first = await reader.readuntil(b"\n\n\r\n")
        assert head_and_first.count(b"data: ") == 1
        assert not engine.left.is_set()
        connection.resume_writing()
        rest = await reader.readuntil(b"0\r\n\r\n")
        assert rest.count(b"data: ") == 4
        writer.close()


@pytest.mark.real_loop
async def test_the_command_serves_until_it_is_told_to_stop():
    command = [sys.executable, "-m", "bench.upstream", "--port", "0", "--base-ms", "0", "--model", "a", "--model", "b"]
    process = await asyncio.create_subprocess_exec(*command, "--json", stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    told = json.loads(await process.stdout.readline())
    async with httpx.AsyncClient(base_url=told["url"]) as client:
        models = (await client.get("/v1/models")).json()["data"]
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0
    assert [model["id"] for model in models] == told["models"] == ["a", "b"]


@pytest.mark.real_loop
async def test_a_port_that_is_taken_is_said_in_words():
    async with served() as (upstream, _):
        command = [sys.executable, "-m", "bench.upstream", "--port", str(upstream.port)]
        process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
        _, told = await process.communicate()
        assert (process.returncode, b"give another --port" in told) == (2, True)


def test_the_help_names_every_option(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert all(f"  {name} " in told for name in OPTIONS)
