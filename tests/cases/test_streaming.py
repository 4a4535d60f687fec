"""Cases S01–S07, S10–S13 of the collected reports: streams end to end, live and replayed."""

import asyncio
import dataclasses
from typing import Any

import httpx
import orjson
import pytest

from proxy.errors import UpstreamFailed
from tests.builders import (
    DONE,
    USAGE,
    ScriptedReply,
    Step,
    answer,
    chat,
    chunk,
    completion,
    event,
    outcome,
    policy_set,
    stack,
    stream_of,
    text_of,
)

pytestmark = pytest.mark.anyio


def events_of(reply: httpx.Response) -> list[Any]:
    """The JSON of each event; `[DONE]` as that text."""
    found = []
    for line in reply.content.split(b"\n"):
        if line.startswith(b"data: "):
            found.append("[DONE]" if line == b"data: [DONE]" else orjson.loads(line[6:]))
    return found


async def test_S01_multibyte_split():
    text = "漢字 and 🦊"
    whole = b"".join(stream_of(text, usage=False))
    first = whole.index("漢".encode())
    for cut in range(first - 1, first + len(text.encode()) + 1):
        async with stack() as s:
            s.upstream.script(ScriptedReply([whole[:cut], whole[cut:]]))
            live, replayed = await s.ask(chat(stream=True)), await s.ask(chat(stream=True))
            assert live.content == whole
            assert outcome(replayed) == "hit; detail=exact"
            assert text_of(replayed) == text


async def test_S02_comments_pass_live_and_are_never_stored():
    parts = stream_of("a", "b")
    noisy = [b": ping\n\n", b":\n\n", parts[0], b": ping\n\n", *parts[1:-2], b": ping\n\n", *parts[-2:]]
    async with stack() as s:
        s.upstream.script(ScriptedReply(noisy))
        live = await s.ask(chat(stream=True, stream_options={"include_usage": True}))
        replayed = await s.ask(chat(stream=True))
        assert live.content == b"".join(noisy)
        assert b"ping" not in replayed.content
        assert b"\n:" not in replayed.content
        assert text_of(replayed) == "ab"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("space", [b" ", b""])
async def test_S03_every_spelling_of_events_is_the_same_record(end, space):
    parts = [part.replace(b"data: ", b"data:" + space).replace(b"\n", end) for part in stream_of("a", "b")]
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        live = await s.ask(chat(stream=True))
        plain = await s.ask(chat())
        # The usage event was withheld although it was spelled otherwise.
        assert live.content == b"".join(parts[:-2] + parts[-1:])
        assert outcome(plain) == "hit; detail=exact"
        assert (text_of(plain), plain.json()["usage"]["completion_tokens"]) == ("ab", 3)
        assert b'askonce_tokens_spent_total{kind="completion"} 3.0' in s.app.metrics.render()


@pytest.mark.parametrize("last", [USAGE, event({"id": "x", "usage": {"prompt_tokens": 5, "completion_tokens": 3}})])
async def test_S04_a_chunk_may_carry_usage_and_no_choices(last):
    parts = [*stream_of("hi", usage=False, done=False), last, DONE]
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        live = await s.ask(chat(stream=True))
        assert live.content == b"".join([*parts[:-2], DONE])
        assert (await s.ask(chat())).json()["usage"]["completion_tokens"] == 3


@pytest.mark.parametrize("fill_streams", [False, True])
async def test_S05_one_record_serves_both_wire_modes_with_the_text_byte_for_byte(fill_streams):
    code = "def f(x):\n    if x:\n\treturn '\\n'\r\n\n    return  2\n"
    pieces = [code[at : at + 7] for at in range(0, len(code), 7)]
    async with stack() as s:
        s.upstream.script(ScriptedReply(stream_of(*pieces) if fill_streams else answer(code)))
        await s.ask(chat(stream=fill_streams))
        plain, streamed = await s.ask(chat()), await s.ask(chat(stream=True))
        assert s.upstream.calls == 1
        assert text_of(plain) == text_of(streamed) == code
        first, *_, last, end = events_of(streamed)
        assert first["choices"][0]["delta"]["role"] == "assistant"
        assert (last["choices"][0]["finish_reason"], end) == ("stop", "[DONE]")
        assert plain.headers["content-type"] == "application/json"
        assert streamed.headers["content-type"].startswith("text/event-stream")


async def test_S05_an_error_is_no_answer_in_either_mode():
    failing = [*stream_of("a", usage=False, done=False), event({"error": {"message": "no", "code": 503}}), DONE]
    async with stack() as s:
        s.upstream.script(ScriptedReply(failing), ScriptedReply(answer()))
        assert (await s.ask(chat(stream=True))).content == b"".join(failing)
        assert text_of(await s.ask(chat(stream=True))) == "Hello!"
        assert s.upstream.calls == 2


async def test_S06_reasoning_is_replayed_in_both_modes_and_before_the_content():
    parts = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "Let "}),
        chunk({"reasoning_content": "me think", "reasoning": "r"}),
        chunk({"content": "42"}),
        chunk({}, finish="stop"),
        USAGE,
        DONE,
    ]
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        await s.ask(chat(stream=True))
        message = (await s.ask(chat())).json()["choices"][0]["message"]
        assert (message["reasoning_content"], message["reasoning"], message["content"]) == ("Let me think", "r", "42")
        deltas = [e["choices"][0]["delta"] for e in events_of(await s.ask(chat(stream=True)))[:-1]]
        order = [name for delta in deltas for name in delta if delta[name] and name != "role"]
        assert order == ["reasoning_content", "reasoning", "content"]


ASKING: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.mark.parametrize("fill", [{"stream": True}, ASKING, {}])
async def test_S07_usage_is_whole_and_given_only_to_those_who_ask(fill):
    usage = {
        "prompt_tokens": 5,
        "completion_tokens": 3,
        "total_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    streamed = [*stream_of("a", usage=False, done=False), chunk(choices=[], usage=usage), DONE]
    async with stack() as s:
        s.upstream.script(ScriptedReply(streamed if fill.get("stream") else answer("a", usage=usage)))
        await s.ask(chat(**fill))
        silent, asking, plain = await s.ask(chat(stream=True)), await s.ask(chat(**ASKING)), await s.ask(chat())
        assert s.upstream.calls == 1
        assert b'"usage"' not in silent.content
        *_, told, end = events_of(asking)
        assert (told["choices"], told["usage"], end) == ([], usage, "[DONE]")
        assert plain.json()["usage"] == usage
        metrics = s.app.metrics.render()
        assert b'askonce_tokens_saved_total{kind="completion"} 9.0' in metrics
        assert b'askonce_tokens_spent_total{kind="completion"} 3.0' in metrics


async def test_S07_an_answer_whose_usage_was_never_seen_serves_streams_only():
    upstreams = [{"name": "local", "url": "http://127.0.0.1:1", "ask_usage": False}]
    async with stack(upstreams=upstreams) as s:
        s.upstream.script(ScriptedReply(stream_of("a", usage=False)), ScriptedReply(answer("a")))
        await s.ask(chat(stream=True))
        assert "stream_options" not in s.upstream.bodies[0]
        assert outcome(await s.ask(chat(stream=True))) == "hit; detail=exact"
        assert outcome(await s.ask(chat())) == "fwd=miss; stored"
        assert s.upstream.calls == 2
        # Now its usage is known, and it serves everybody.
        assert events_of(await s.ask(chat(**ASKING)))[-2]["usage"]["total_tokens"] == 8


async def test_S07_options_that_change_each_event_are_passed_on_and_shared_with_nobody():
    parts = [chunk({"content": "a"}, usage={"total_tokens": 1}), *stream_of("b")]
    options = {"include_usage": True, "continuous_usage_stats": True}
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        replies = [await s.ask(chat(stream=True, stream_options=options)) for _ in range(2)]
        assert [reply.content for reply in replies] == [b"".join(parts)] * 2
        assert s.upstream.bodies[0]["stream_options"] == options
        assert outcome(replies[1]) == "fwd=bypass; detail=not-keyable"


async def test_S07_usage_is_not_added_to_what_may_neither_be_stored_nor_shared():
    async with stack() as s:
        s.upstream.script(ScriptedReply(stream_of("a", usage=False)))
        await s.ask(chat(stream=True, temperature=1))
        assert "stream_options" not in s.upstream.bodies[0]


async def test_S10_a_stream_its_client_left_is_not_stored():
    gate = asyncio.Event()
    parts = stream_of("a", "b")
    async with stack() as s:
        s.upstream.script(ScriptedReply([*parts[:2], gate, *parts[2:]]), ScriptedReply(parts))
        await _leave_after(s, 2, chat(stream=True))
        assert (s.upstream.open, s.upstream.aborted) == (0, 1)
        assert text_of(await s.ask(chat(stream=True))) == "ab"
        assert s.upstream.calls == 2


@pytest.mark.parametrize("temperature", [0, 1])
@pytest.mark.parametrize("stream", [True, False])
async def test_S12_who_leaves_ends_the_generation_shared_or_not(stream, temperature):
    never = asyncio.Event()
    async with stack() as s:
        s.upstream.script(ScriptedReply([chunk({"content": "a"}), never]) if stream else ScriptedReply(wait=never))
        await _leave_after(s, int(stream), chat(stream=stream, temperature=temperature))
        assert s.upstream.open == 0
        assert len(s.app.flights) == 0
        assert s.app.pool.upstreams[0].gate.in_flight == 0


@pytest.mark.parametrize("path", ["/v1/embeddings", "/tokenize"])
async def test_S12_who_leaves_a_passed_request_ends_it_too(path):
    never = asyncio.Event()
    async with stack() as s:
        s.upstream.script(ScriptedReply(wait=never))
        await _leave_after(s, 0, {"input": "a"}, path=path)
        assert (s.upstream.calls, s.upstream.open) == (1, 0)
        assert s.app.pool.upstreams[0].gate.in_flight == 0


async def _leave_after(s: Any, chunks: int, body: Any, path: str = "/v1/chat/completions") -> None:
    """Ask, read so many chunks of the reply, and go."""
    leaves, seen = asyncio.Event(), 0
    incoming = [{"type": "http.request", "body": orjson.dumps(body), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if incoming:
            return incoming.pop()
        await leaves.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        nonlocal seen
        seen += bool(message.get("body"))
        if seen >= chunks and message["type"] == "http.response.body":
            leaves.set()

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
    }
    task = asyncio.create_task(s.app(scope, receive, send))
    if not chunks:
        await asyncio.sleep(1)  # of the loop's own time: all that can happen before has happened
        leaves.set()
    await task
    await asyncio.sleep(1)


async def test_S11_a_failure_before_the_head_is_a_status_and_a_json_error():
    async with stack() as s:
        s.upstream.script(UpstreamFailed("The upstream closed the connection before its reply."))
        reply = await s.ask(chat(stream=True))
        assert (reply.status_code, reply.json()["error"]["code"]) == (502, "upstream_failed")


@pytest.mark.parametrize("temperature", [0, 1])
async def test_S11_a_failure_after_it_is_whole_events_an_error_event_and_no_end(temperature):
    parts = stream_of("a", "b")
    broken: list[Step] = [*parts[:2], parts[2][:20], UpstreamFailed("The upstream closed the connection.")]
    async with stack() as s:
        s.upstream.script(ScriptedReply(broken))
        reply = await s.ask(chat(stream=True, temperature=temperature))
        assert reply.content.startswith(b"".join(parts[:2]))
        *_, last = events_of(reply)
        assert last["error"]["type"] == "upstream_error"
        assert b"[DONE]" not in reply.content
        assert len(s.app.cache) == 0


@pytest.mark.parametrize("temperature", [0, 1])
async def test_S11_an_event_of_any_length_passes_in_pieces_and_is_ended_before_an_error(temperature):
    long = chunk({"content": "x" * 3_000_000})
    pieces = [long[at : at + 65_536] for at in range(0, len(long), 65_536)]
    async with stack() as s:
        broken: list[Step] = [*pieces[:-1], UpstreamFailed("Broken.")]
        s.upstream.script(ScriptedReply([*pieces, DONE]), ScriptedReply(broken))
        assert (await s.ask(chat(stream=True, temperature=temperature))).content == long + DONE
        cut = (await s.ask(chat(stream=True, temperature=temperature))).content
        began, _, error = cut.rpartition(b"\n\ndata: ")
        assert long.startswith(began)
        assert len(began) > 1_000_000
        assert error.startswith(b'{"error"')


async def test_S13_a_chunk_shaped_answer_is_passed_on_and_not_stored():
    shaped = answer(object="chat.completion.chunk")
    shaped["choices"] = [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]
    async with stack() as s:
        s.upstream.script(ScriptedReply(shaped))
        for _ in range(2):
            assert (await s.ask()).json() == shaped
        assert s.upstream.calls == 2


async def test_S13_what_the_store_lost_of_a_record_is_a_miss_and_no_error():
    async with stack() as s:
        await s.ask()
        [key] = list(s.app.cache._entries)
        entry = s.app.cache.get(key)
        assert entry is not None
        s.app.cache.put(dataclasses.replace(entry, serves_plain=False))
        assert outcome(await s.ask()) == "fwd=miss; stored"
        assert outcome(await s.ask()) == "hit; detail=exact"


async def test_S14_a_silent_stream_gets_comments_that_are_not_stored():
    parts = stream_of("a")
    async with stack() as s:
        s.upstream.script(ScriptedReply([parts[0], 40.0, *parts[1:]]))
        reply = await s.ask(chat(stream=True))
        assert reply.content.count(b": askonce\n\n") == 2
        assert reply.content.replace(b": askonce\n\n", b"") == b"".join(parts[:-2] + parts[-1:])
        assert b": askonce" not in (await s.ask(chat(stream=True))).content


async def test_a_stream_that_was_asked_for_in_another_json_type_is_what_the_engine_makes_of_it():
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer()))
        values: list[Any] = ["true", 1, "yes", [], {}]
        for value in values:
            reply = await s.ask(chat(stream=value))
            assert reply.json() == answer()
            assert s.upstream.bodies[-1]["stream"] == value
            assert outcome(reply) == "fwd=bypass; detail=not-keyable"


async def test_an_engine_that_streams_for_another_json_type_is_passed_on():
    parts = stream_of("a")
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        reply = await s.ask(chat(stream=1))
        assert reply.content == b"".join(parts)


async def test_an_engine_that_streams_to_a_plain_client_is_folded():
    async with stack() as s:
        s.upstream.script(ScriptedReply(stream_of("a", "b")))
        reply = await s.ask(chat())
        assert (reply.headers["content-type"], text_of(reply)) == ("application/json", "ab")
        assert reply.json()["usage"]["total_tokens"] == 8


async def test_an_engine_that_answers_a_stream_in_one_piece_is_passed_on():
    async with stack() as s:
        reply = await s.ask(chat(stream=True))
        assert (reply.headers["content-type"], reply.json()) == ("application/json", answer())


async def test_two_choices_are_stored_only_when_both_have_ended():
    both = [chunk({"content": "a"}), chunk({"content": "b"}, index=1), chunk({}, finish="stop")]
    last = chunk({}, finish="stop", index=1)
    async with stack() as s:
        s.upstream.script(ScriptedReply([*both, DONE]), ScriptedReply([*both, last, USAGE, DONE]))
        for expected in ("fwd=miss", "fwd=miss", "hit; detail=exact"):
            assert outcome(await s.ask(chat(stream=True, n=2))) == expected
        plain = await s.ask(chat(n=2))
        assert [choice["message"]["content"] for choice in plain.json()["choices"]] == ["a", "b"]


async def test_completions_of_a_prompt_array_stream_and_replay():
    def said(index: int, text: str, finish: str | None) -> bytes:
        return event({"id": "c", "object": "text_completion", "created": 1, "model": "m",
                      "choices": [{"index": index, "text": text, "finish_reason": finish}]})  # fmt: skip

    usage = event({"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [],
                   "usage": {"total_tokens": 4}})  # fmt: skip
    parts = [event(None), said(1, "B", None), said(0, "A", "stop"), said(1, "b", "stop"), usage, DONE]
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        live = await s.ask(completion(["x", "y"], stream=True), path="/v1/completions")
        assert live.content == b"".join([*parts[:-2], DONE])
        hit = await s.ask(completion(["x", "y"]), path="/v1/completions")
        assert outcome(hit) == "hit; detail=exact"
        assert [choice["text"] for choice in hit.json()["choices"]] == ["A", "Bb"]
        assert hit.json()["id"].startswith("cmpl-")


@pytest.mark.parametrize("stream", [True, False])
async def test_always_stream_asks_for_a_stream_and_answers_what_was_asked(stream):
    upstreams = [{"name": "local", "url": "http://127.0.0.1:1", "always_stream": True}]
    async with stack(policy_set(), upstreams=upstreams) as s:
        s.upstream.script(ScriptedReply(stream_of("a")))
        reply = await s.ask(chat(stream=stream, temperature=1))
        assert s.upstream.bodies[0]["stream"] is True
        assert text_of(reply) == "a"
        assert reply.headers["content-type"].startswith("text/event-stream" if stream else "application/json")
