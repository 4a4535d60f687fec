"""Faults of other gateways, engines and clients, read after the cases; each test says what the proxy does instead."""

import asyncio
import base64
from typing import Any

import orjson
import pytest

from proxy.fold import fold_stream
from proxy.replay import PIECE, Marks, personal, render
from tests.builders import (
    COMPLETIONS,
    DONE,
    USAGE,
    ScriptedReply,
    answer,
    chat,
    chunk,
    completion,
    outcome,
    policy_set,
    stack,
    stream_of,
    text_of,
)
from tests.fleet.builders import engine, fleet
from tests.flights.calls import Call

pytestmark = pytest.mark.anyio


# What an engine remembers between requests (sgl-project/sglang PR 31579, vllm-project/vllm PR 40346).


@pytest.mark.parametrize(
    "state",
    [
        {"session_params": {"id": "s", "rid": None}},
        {"kv_transfer_params": {"do_remote_decode": True}},
        {"bootstrap_host": "10.0.0.1", "bootstrap_room": 7},
    ],
)
async def test_what_an_engine_keeps_for_a_next_request_is_asked_each_time_and_shared_with_nobody(state):
    async with stack(policy_set(coalesce="always")) as s:
        s.upstream.script(ScriptedReply(answer(), wait=1.0))
        calls = [Call(s.app, chat(**state)).start() for _ in range(2)]
        for call in calls:
            await call.whole()
        await s.ask(chat(**state))
        assert s.upstream.calls == 3
        assert len(s.app.cache) == 0


# Lines that are too long for who reads them, or end where they should not (openai/openai-go #368,
# ansible/ansible-ai-connect-service #2000, langgenius/dify PR 39008).

LONG = 'é"\\\n🙂%' * (2 * PIECE)
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": orjson.dumps([LONG]).decode()}}
PROBABILITY = {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": [{"token": "b", "logprob": -2.5}] * 5}
COLUMNS = {name: [*range(3 * PIECE)] for name in ("tokens", "token_logprobs", "text_offset")}


def long_answers() -> dict[str, tuple[str, dict[str, Any]]]:
    def changed(**choice: Any) -> dict[str, Any]:
        body = answer()
        body["choices"] = [{**body["choices"][0], **choice}]
        return body

    text = {"index": 0, "text": LONG, "logprobs": COLUMNS, "finish_reason": "stop"}
    thought = {"role": "assistant", "reasoning_content": LONG, "content": "42"}
    called = {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "call_2"}]}
    detail = {"type": "reasoning.text", "text": LONG, "index": 0}
    return {
        "content": ("chat", answer(LONG)),
        "reasoning": ("chat", changed(message=thought)),
        "details": ("chat", changed(message={**thought, "reasoning_content": "", "reasoning_details": [detail]})),
        "calls": ("chat", changed(message=called, finish_reason="tool_calls")),
        "probabilities": ("chat", changed(logprobs={"content": [PROBABILITY] * 500, "refusal": None})),
        "tokens": ("chat", changed(token_ids=[*range(9 * PIECE)], stop_reason="</s>")),
        "columns": ("text", {**answer(), "object": "text_completion", "choices": [text]}),
    }


@pytest.mark.parametrize("what", long_answers())
async def test_a_replay_has_no_line_that_is_too_long_to_be_read_and_is_the_same_answer(what):
    kind, body = long_answers()[what]
    path, asked = (COMPLETIONS, completion) if kind == "text" else ("/v1/chat/completions", chat)
    async with stack(policy_set(exact={"replay": "verbatim"})) as s:
        s.upstream.script(ScriptedReply(body))
        await s.ask(asked(), path=path)
        hit = await s.ask(asked(stream=True, stream_options={"include_usage": True}), path=path)
        assert outcome(hit) == "hit; detail=exact"
        assert max(map(len, hit.content.split(b"\n"))) < 65_536
        folded = fold_stream(hit.content)
        assert (folded.record, folded.ends_agree) == (body, True)


def test_what_is_told_of_tokens_side_by_side_is_cut_at_the_same_places():
    _, body = long_answers()["columns"]
    events = [orjson.loads(line[6:]) for line in replayed(body).split(b"\n") if line.startswith(b"data: {")]
    told = [chunk["choices"][0]["logprobs"] for chunk in events if "logprobs" in chunk["choices"][0]]
    assert len(told) > 3
    assert all(len({len(column) for column in columns.values()}) == 1 for columns in told)
    assert all({"index", "text", "finish_reason"} <= chunk["choices"][0].keys() for chunk in events)


def replayed(body: dict[str, Any]) -> bytes:
    marks = Marks.new()
    return personal(render(body, marks).stream, marks, "x", 1)


async def test_a_replay_has_no_character_in_it_that_some_take_for_the_end_of_a_line():
    text = "a\u2028b\u2029c\u0085d"
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer(text)))
        await s.ask()
        hit = await s.ask(chat(stream=True))
        assert text_of(hit) == text
        assert [line for line in hit.text.splitlines() if line] == [line for line in hit.text.split("\n") if line]


# Streams under another name (cita-777/metapi PR 177, vllm-project/vllm-ascend PR 6985, containers/ramalama PR 2902).


@pytest.mark.parametrize("label", [b"application/json", b"text/plain; charset=utf-8", None])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b": ping\n\n"])
async def test_a_stream_that_is_called_otherwise_is_passed_as_it_comes_and_stored(label, before):
    parts = stream_of("a", "b")
    headers = [(b"content-type", label)] if label else []
    async with stack() as s:
        rest = asyncio.Event()
        s.upstream.script(ScriptedReply([before + parts[0], rest, *parts[1:]], headers=headers))
        call = Call(s.app, chat(stream=True)).start()
        await call.pieces_sent(1)
        assert call.headers["content-type"].startswith("text/event-stream")
        rest.set()
        assert await call.whole() == before + b"".join([*parts[:-2], DONE])
        hit = await s.ask()
        assert (outcome(hit), text_of(hit)) == ("hit; detail=exact", "ab")


async def test_a_plain_client_is_answered_from_a_stream_that_is_called_otherwise():
    upstreams = [{"name": "local", "url": "http://stub", "always_stream": True}]
    async with stack(upstreams=upstreams) as s:
        s.upstream.script(ScriptedReply(stream_of("a"), headers=[(b"content-type", b"application/json")]))
        reply = await s.ask()
        assert (reply.headers["content-type"], text_of(reply)) == ("application/json", "a")


@pytest.mark.parametrize("body", [b"", b"data", b"oops", b'{"error":{"message":"no"}}', orjson.dumps(answer("x" * 99))])
async def test_what_answers_a_stream_and_is_none_is_passed_whole(body):
    async with stack(store={"max_entry_bytes": 64}) as s:
        s.upstream.script(ScriptedReply([body[:9], body[9:]], headers=[(b"content-type", b"application/json")]))
        reply = await s.ask(chat(stream=True))
        assert (reply.status_code, reply.content) == (200, body)
        assert reply.headers["content-type"] == "application/json"


# Two reasons for one end (RayBytes/ChatMock PR 114).


@pytest.mark.parametrize(("first", "second"), [("tool_calls", "stop"), ("length", "stop"), ("stop", "length")])
async def test_an_answer_that_ends_twice_for_two_reasons_is_passed_and_not_stored(first, second):
    parts = [chunk({"role": "assistant", "content": "a"}), chunk({}, finish=first), chunk({}, finish=second)]
    policies = policy_set(exact={"finish_reasons": ["stop", "length", "tool_calls"]})
    async with stack(policies) as s:
        s.upstream.script(ScriptedReply([*parts, USAGE, DONE]))
        for _ in range(2):
            assert (await s.ask(chat(stream=True))).content == b"".join([*parts, DONE])
        assert s.upstream.calls == 2


async def test_an_end_that_is_told_twice_for_one_reason_is_one():
    parts = [chunk({"role": "assistant", "content": "a"}, finish="stop"), chunk({}, finish="stop")]
    async with stack() as s:
        s.upstream.script(ScriptedReply([*parts, USAGE, DONE]))
        await s.ask(chat(stream=True))
        assert outcome(await s.ask()) == "hit; detail=exact"


# What askonce adds to a request, and an engine refuses (openai/openai-agents-python #442, BerriAI/litellm #8978,
# anomalyco/opencode #4698).

REFUSAL = {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options", "include_usage"], "input": True}]}


def refusing(request: Any) -> ScriptedReply:
    asked = orjson.loads(request.body)
    if "stream_options" in asked:
        return ScriptedReply(REFUSAL, status=422)
    return ScriptedReply(stream_of("a", usage=False) if asked.get("stream") else answer("a"))


@pytest.mark.parametrize("always_stream", [False, True])
async def test_an_engine_that_refuses_to_be_asked_for_usage_is_asked_without(always_stream):
    async with stack(upstreams=[{"name": "local", "url": "http://stub", "always_stream": always_stream}]) as s:
        s.upstream.script(refusing)
        for text in ("one", "two", "one"):
            reply = await s.ask(chat(text, stream=True))
            assert (reply.status_code, text_of(reply)) == (200, "a")
        assert (outcome(reply), s.upstream.calls) == ("hit; detail=exact", 3)
        assert text_of(await s.ask(chat("three"))) == "a"
        assert s.upstream.calls == 4


async def test_who_asks_for_usage_itself_is_told_that_the_engine_refuses():
    async with stack() as s:
        s.upstream.script(refusing)
        reply = await s.ask(chat(stream=True, stream_options={"include_usage": True}))
        assert (reply.status_code, reply.json(), s.upstream.calls) == (422, REFUSAL, 1)


async def test_a_refusal_about_something_else_stays_one_and_teaches_nothing():
    async with stack() as s:
        s.upstream.script(ScriptedReply({"error": {"message": "too long"}}, status=400))
        assert (await s.ask(chat(stream=True))).status_code == 400
        assert s.upstream.calls == 1
        s.upstream.script(ScriptedReply(REFUSAL, status=422))  # also without `stream_options`
        assert (await s.ask(chat("again", stream=True))).status_code == 422
        s.upstream.script(ScriptedReply(stream_of("a")))
        await s.ask(chat("more", stream=True))
        assert "stream_options" in s.upstream.bodies[-1]


# A model that a form names (vllm-project/production-stack #410, smg-project/smg PR 1256).


def form(*parts: tuple[str, bytes], boundary: str = "xyz") -> bytes:
    heads = [f"--{boundary}\r\nContent-Disposition: form-data; name={name}\r\n\r\n".encode() for name, _ in parts]
    pieces = [head + value + b"\r\n" for head, (_, value) in zip(heads, parts, strict=True)]
    return b"".join(pieces) + f"--{boundary}--\r\n".encode()


SOUND = ('"file"; filename="model"\r\nContent-Type: audio/wav', b"\x00\r\n--xy\xff\r\n\r\nname=model")


@pytest.mark.parametrize(
    ("parts", "asked"),
    [
        ([SOUND, ('"model"', b"whisper-1")], "b"),
        ([("model", b"whisper-1"), SOUND], "b"),
        ([SOUND, ('"model"', b"unknown")], "a"),
        ([SOUND, ('"model"', b"\xff")], "a"),
        ([SOUND], "a"),
        ([], "a"),
        ([SOUND] * 40 + [("model", b"whisper-1")], "a"),
    ],
)
@pytest.mark.parametrize("boundary", ["xyz", '"xyz"; charset=utf-8'])
async def test_a_form_goes_unchanged_to_the_upstream_of_the_model_that_it_names(parts, asked, boundary):
    body = form(*parts)
    async with fleet(engine("a", models=["chat*"]), engine("b", models=["whisper*"])) as f:
        kind = f"multipart/form-data; boundary={boundary}"
        reply = await f.ask(body, path="/v1/audio/transcriptions", content_type=kind)
        assert reply.status_code == 200
        assert [request.body for request in f.engines[asked].requests] == [body]
        sent = dict(f.engines[asked].requests[0].headers)
        assert sent[b"content-type"] == kind.encode()


# An end without the blank line behind it (openai/openai-node #2725).


@pytest.mark.parametrize("end", [b"data: [DONE]", b"data: [DONE]\n", b"data:[DONE]\r\n", b"event: end\ndata: [DONE]\n"])
@pytest.mark.parametrize("always_stream", [False, True])
async def test_an_end_marker_is_one_without_its_blank_line_too(end, always_stream):
    parts = [*stream_of("a", done=False), end]
    async with stack(upstreams=[{"name": "local", "url": "http://stub", "always_stream": always_stream}]) as s:
        s.upstream.script(ScriptedReply(parts))
        assert (await s.ask(chat(stream=True))).content == b"".join([*parts[:-2], end])
        hit = await s.ask()
        assert (outcome(hit), text_of(hit)) == ("hit; detail=exact", "a")
        assert text_of(await s.ask(chat("another", stream=always_stream is False))) == "a"


@pytest.mark.parametrize("end", [b"data: [DONE", b"data: [", b"DONE]", b'data: {"choices":[]}', b"data: [DONE]x"])
async def test_what_is_only_part_of_an_end_is_none(end):
    async with stack() as s:
        s.upstream.script(ScriptedReply([*stream_of("a", done=False), end]))
        await s.ask(chat(stream=True))
        await s.ask(chat(stream=True))
        assert s.upstream.calls == 2


# When, and whether, to ask again (productdevbook/misina #61, anthropics/anthropic-sdk-typescript #357).


@pytest.mark.parametrize(
    ("told", "calls"),
    [
        ({b"retry-after-ms": b"1500"}, 2),
        ({b"retry-after-ms": b"1500", b"retry-after": b"60"}, 2),
        ({b"retry-after-ms": b"60000", b"retry-after": b"1"}, 1),
        ({b"x-should-retry": b"false"}, 1),
        ({b"x-should-retry": b"true"}, 2),
    ],
)
async def test_a_failure_that_many_share_says_when_to_ask_again_and_is_asked_again_then(told, calls):
    async with stack() as s:
        headers = [(b"content-type", b"application/json"), *told.items()]
        s.upstream.script(ScriptedReply({"error": {"message": "busy"}}, status=429, headers=headers, wait=1.0))
        waiting = [Call(s.app, chat()).start() for _ in range(3)]
        for call in waiting:
            await call.whole()
        assert s.upstream.calls == calls
        for call in waiting:
            assert call.status == 429
            assert {name: call.headers[name.decode()].encode() for name in told} == told
        assert asyncio.get_running_loop().time() == calls + (1.5 if told.get(b"retry-after-ms") == b"1500" else 0)


# Audio in pieces of base64 (openai/openai-node PR 1991).


@pytest.mark.parametrize(("size", "kept"), [(48, 1), (50, 0)])
async def test_audio_whose_pieces_are_no_one_base64_is_passed_and_not_stored(size, kept):
    sound = bytes(range(200))
    pieces = [base64.b64encode(sound[at : at + size]).decode() for at in range(0, 200, size)]
    events = [chunk({"role": "assistant", "content": "la"}), *(chunk({"audio": {"data": data}}) for data in pieces)]
    async with stack() as s:
        s.upstream.script(ScriptedReply([*events, chunk({}, finish="stop"), DONE]))
        reply = await s.ask(chat(stream=True))
        assert all(data.encode() in reply.content for data in pieces)
        assert len(s.app.cache) == kept
        if kept:
            hit = await s.ask(chat(stream=True))
            told = [orjson.loads(line[6:]) for line in hit.text.split("\n") if '"data"' in line]
            audio = "".join(piece["choices"][0]["delta"]["audio"]["data"] for piece in told)
            assert base64.b64decode(audio, validate=True) == sound
