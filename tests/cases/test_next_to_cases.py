"""Faults of the same kinds as the cases, found after them; each is named after the case it is next to."""

import asyncio
import gzip
from typing import Any

import orjson
import pytest

from proxy.fold import fold_stream
from tests.builders import (
    COMPLETIONS,
    DONE,
    USAGE,
    ScriptedReply,
    answer,
    chat,
    chunk,
    event,
    outcome,
    stack,
    stream_of,
    text_of,
)

pytestmark = pytest.mark.anyio

SAFE = {"hate": {"filtered": False, "severity": "safe"}}


def part(delta: dict[str, Any], finish: str | None = None, **choice: Any) -> bytes:
    return chunk(choices=[{"index": 0, "delta": delta, "finish_reason": finish, **choice}])


def record(*events: bytes) -> dict[str, Any]:
    folded = fold_stream(b"".join(events)).record
    assert folded is not None
    return folded


async def test_S08_parallel_calls_that_all_claim_index_0_and_have_no_id_are_not_stored_as_one():
    def call(name: str) -> bytes:
        return part(
            {"tool_calls": [{"index": 0, "id": "", "type": "function", "function": {"name": name, "arguments": "{}"}}]}
        )

    events = [part({"role": "assistant", "content": ""}), call("f"), call("g"), part({}, "tool_calls"), USAGE, DONE]
    async with stack() as s:
        s.upstream.script(ScriptedReply(events), ScriptedReply(answer()))
        await s.ask(chat(stream=True))
        assert outcome(await s.ask()) == "fwd=miss; stored"


async def test_P02_tool_arguments_that_are_no_json_are_not_stored():
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"city": "Par'}}
    body = answer("", finish="tool_calls")
    body["choices"][0]["message"]["tool_calls"] = [call]
    async with stack() as s:
        s.upstream.script(ScriptedReply(body))
        await s.ask()
        await s.ask()
        assert s.upstream.calls == 2


def test_S05_a_choice_that_repeats_the_whole_message_beside_its_delta_is_not_said_twice():
    def both(piece: str, so_far: str, finish: str | None = None) -> bytes:
        return part({"role": "assistant", "content": piece}, finish, message={"role": "assistant", "content": so_far})

    folded = fold_stream(both("Hel", "Hel") + both("lo", "Hello", "stop") + DONE).record
    assert folded is None or folded["choices"][0]["message"]["content"] == "Hello"


def test_what_a_choice_says_of_itself_in_every_chunk_is_not_appended():
    events = [part({"content": text}, content_filter_results=SAFE) for text in ("Hel", "lo")]
    choice = record(*events, part({}, "stop"), DONE)["choices"][0]
    assert choice["content_filter_results"] == SAFE


def test_S06_the_format_of_reasoning_details_is_not_appended():
    details = [{"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1", "index": 0} for text in "ab"]
    events = [part({"role": "assistant", "reasoning_details": [detail]}) for detail in details]
    message = record(*events, part({"content": "x"}, "stop"), DONE)["choices"][0]["message"]
    assert message["reasoning_details"] == [{**details[0], "text": "ab"}]


async def test_S04_an_annotation_chunk_with_empty_head_fields_does_not_wipe_the_answers_own():
    choice = {"index": 0, "finish_reason": None, "content_filter_results": SAFE}
    late = event({"id": "", "object": "", "created": 0, "model": "", "choices": [choice]})
    async with stack() as s:
        s.upstream.script(ScriptedReply([*stream_of("Hello")[:-1], late, DONE]))
        await s.ask(chat(stream=True))
        hit = await s.ask()
        assert outcome(hit).startswith("hit")
        assert hit.json()["model"] == "m"


THINKS_IN_A_LIST = part({"content": [{"type": "thinking", "thinking": "hm"}]})
HALF_A_PAIR = event(b'{"choices":[{"index":0,"delta":{"content":"\\ud83d"},"finish_reason":null}]}')


@pytest.mark.parametrize("events", [[first, *stream_of("Hello")] for first in (THINKS_IN_A_LIST, HALF_A_PAIR)])
async def test_F01_a_plain_follower_of_a_stream_that_has_no_plain_form_asks_plainly(events):
    gate = asyncio.Event()
    async with stack() as s:
        s.upstream.script(ScriptedReply([events[0], gate, *events[1:]]), ScriptedReply(answer("plain")))
        leader = asyncio.create_task(s.ask(chat(stream=True)))
        for _ in range(20):
            await asyncio.sleep(0)
        assert s.upstream.calls == 1
        follower = asyncio.create_task(s.ask())
        for _ in range(20):
            await asyncio.sleep(0)
        gate.set()
        assert (await leader).status_code == 200
        reply = await follower
        assert reply.status_code == 200, reply.text
        assert text_of(reply) == "plain"


async def test_H02_a_compressed_request_body_is_forwarded_and_never_kept():
    body = gzip.compress(orjson.dumps(chat()))
    async with stack() as s:
        for _ in range(2):
            reply = await s.ask(body, content_encoding="gzip")
            assert reply.status_code == 200, reply.text
        assert [request.body for request in s.upstream.requests] == [body, body]


async def test_B02_a_completion_without_a_prompt_that_vllm_takes_is_forwarded():
    async with stack() as s:
        reply = await s.ask({"model": "m", "prompt_embeds": "AAAA", "temperature": 0}, path=COMPLETIONS)
        assert reply.status_code == 200, reply.text


async def test_B03_a_redirect_to_the_engines_own_address_leads_back_to_askonce():
    async with stack(upstream="http://10.1.2.3:8000") as s:
        headers = [(b"location", b"http://10.1.2.3:8000/v1/embeddings?x=1")]
        s.upstream.script(ScriptedReply(b"", status=307, headers=headers))
        for path in ("/v1/embeddings/", "/v1/rerank/"):
            reply = await s.client.post(path, json={"model": "m"}, follow_redirects=False)
            assert reply.status_code == 307
            assert "10.1.2.3" not in reply.headers["location"]


async def test_P03_a_model_named_in_other_capitals_does_not_get_round_a_tenants_rights():
    tenants = [{"name": "acme", "api_keys": ["sk-acme-0123456789"], "models": ["small"]}]
    body = b'{"model":"small","Model":"big","messages":[{"role":"user","content":"x"}],"temperature":0}'
    async with stack(tenants=tenants) as s:
        for path in ("/v1/chat/completions", "/api/chat"):  # Go's encoding/json, as in Ollama, takes either
            assert (await s.ask(body, path=path, key="sk-acme-0123456789")).status_code in (400, 403)
        assert s.upstream.calls == 0


# What the choices of a stream hold beside their deltas.


def whole_messages(index: Any, *texts: str) -> list[bytes]:
    last = len(texts) - 1
    return [
        chunk(choices=[{"index": index, "message": {"role": "assistant", "content": text}, "finish_reason": finish}])
        for text, finish in zip(texts, [None] * last + ["stop"], strict=True)
    ]


@pytest.mark.parametrize("index", [0, None, [], "0"])
async def test_S05_messages_in_pieces_without_a_delta_are_not_stored_as_the_last_of_them(index):
    events = [*whole_messages(index, "Hel", "lo"), USAGE, DONE]
    async with stack() as s:
        s.upstream.script(ScriptedReply(events), ScriptedReply(answer("Hello")))
        await s.ask(chat(stream=True))
        assert text_of(await s.ask()) == "Hello"


def test_S08_custom_calls_that_claim_one_index_are_not_one_call():
    def call(name: str) -> bytes:
        said = {"index": 0, "id": "", "type": "custom", "custom": {"name": name, "input": "x"}}
        return part({"tool_calls": [said]})

    events = [part({"role": "assistant", "content": None}), call("f"), call("g"), part({}, "tool_calls"), DONE]
    assert fold_stream(b"".join(events)).record is None


@pytest.mark.parametrize("detail", [{"severity": "safe"}, {"index": 0, "severity": "safe"}])
def test_a_list_of_verdicts_is_told_anew_by_each_chunk(detail):
    verdict = {"custom": {"details": [detail]}}
    events = [part({"content": text}, content_filter_results=verdict) for text in "ab"]
    assert record(*events, part({}, "stop"), DONE)["choices"][0]["content_filter_results"] == verdict


@pytest.mark.parametrize("coding", ["", "identity", "GZIP", "gzip, identity", "identity, identity"])
async def test_H02_a_coding_is_known_by_any_of_its_spellings(coding):
    plain = orjson.dumps(chat())
    body = gzip.compress(plain) if "gzip" in coding.lower() else plain
    async with stack() as s:
        reply = await s.ask(body, content_encoding=coding)
        assert reply.status_code == 200, reply.text
        assert s.upstream.requests[0].body == body
        assert outcome(reply) == "fwd=bypass; detail=not-json"


@pytest.mark.parametrize(("arguments", "calls"), [("", 1), ("  ", 1), ("{}\n", 1), ("null", 1), ('{"a": NaN}', 2)])
async def test_P02_what_counts_as_the_arguments_of_a_call(arguments, calls):
    body = answer("", finish="tool_calls")
    called = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    body["choices"][0]["message"]["tool_calls"] = [called]
    async with stack() as s:
        s.upstream.script(ScriptedReply(body))
        await s.ask()
        await s.ask()
        assert s.upstream.calls == calls


async def test_B03_a_redirect_of_a_model_path_or_of_a_named_upstream_stays_on_its_way():
    upstreams = [{"name": name, "url": f"http://10.1.2.{place}:8000"} for place, name in enumerate("ab")]
    async with stack(upstreams=upstreams, admin_token="t" * 40) as s:
        location = b"http://10.1.2.0:8000/v1/chat/completions/"
        s.upstream.script(ScriptedReply(b"", status=307, headers=[(b"location", location)]))
        assert (await s.ask()).headers["location"] == "/v1/chat/completions/"
        s.upstream.script(ScriptedReply(b"", status=307, headers=[(b"location", b"http://10.1.2.1:8000/v1/models/")]))
        token = {"x-askonce-admin-token": "t" * 40}
        reply = await s.client.get("/upstream/b/v1/models", headers=token, follow_redirects=False)
        assert reply.headers["location"] == "/upstream/b/v1/models/"
