"""Cases K01–K11 and N01–N03 end to end: what is one question upstream, and what are two."""

from typing import Any

import orjson
import pytest

from tests.builders import CHAT, COMPLETIONS, ScriptedReply, Stack, answer, chat, completion, outcome, policy_set, stack

pytestmark = pytest.mark.anyio

PICTURE = "data:image/png;base64,"


async def generations(s: Stack, *bodies: Any, path: str = CHAT) -> int:
    """How often the engine was asked for these, one after the other."""
    before = s.upstream.calls
    for body in bodies:
        assert (await s.ask(body, path=path)).status_code == 200
    return s.upstream.calls - before


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 0},
        {"stop": []},
        {"n": 1},
        {"logit_bias": {"1": 2}},
        {"top_logprobs": 2},
        {"logprobs": False},
        {"presence_penalty": 0},
        {"top_p": 1},
        {"max_tokens": 0},
        {"max_completion_tokens": 9},
        {"guided_json": {"type": "object"}},
        {"top_k": 4},
        {"min_p": 0.1},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"options": {"num_ctx": 8}},
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"response_format": {"type": "text"}},
        {"something_new": None},
    ],
)
async def test_K01_K03_K04_one_field_more_is_another_question_and_goes_up_unchanged(change):
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer("{}")))
        assert await generations(s, chat(), chat(**change), chat(), chat(**change)) == 2
        assert s.upstream.bodies[1] == chat(**change)


async def test_K02_zero_is_zero_and_missing_is_sampled():
    async with stack() as s:
        assert await generations(s, chat(temperature=0), chat(temperature=0.0)) == 1
        assert await generations(s, chat(temperature=...), chat(temperature=...)) == 2
        assert await generations(s, chat(temperature=None), chat(temperature=None)) == 2
        assert await generations(s, chat(max_tokens=5), chat(max_completion_tokens=5)) == 2


async def test_K02_a_family_may_call_missing_greedy():
    async with stack(policy_set(when_temperature_missing="greedy")) as s:
        assert await generations(s, chat(temperature=...), chat(temperature=...)) == 1


async def test_K04_messages_count_whole():
    def results(first: str, second: str) -> dict[str, Any]:
        return chat(
            messages=[
                {"role": "tool", "tool_call_id": first, "content": "1"},
                {"role": "tool", "tool_call_id": second, "content": "2"},
            ]
        )

    async with stack() as s:
        assert await generations(s, results("a", "b"), results("b", "a")) == 2
        named = [chat(messages=[{"role": "user", "name": name, "content": "x"}]) for name in "ab"]
        assert await generations(s, *named) == 2


async def test_K05_the_path_and_its_query_are_part_of_the_question():
    both = {**chat(), "prompt": "x"}
    async with stack() as s:
        for path in (CHAT, COMPLETIONS, CHAT + "?api-version=1", CHAT + "?api-version=2"):
            assert await generations(s, both, both, path=path) == 1
        assert [request.target for request in s.upstream.requests][2:] == [
            b"/v1/chat/completions?api-version=1",
            b"/v1/chat/completions?api-version=2",
        ]
        assert await generations(s, {"input": "a"}, {"input": "a"}, path="/v1/responses") == 2


async def test_K06_two_names_of_one_model_share_and_another_revision_does_not():
    local = {"name": "a", "url": "http://127.0.0.1:1", "models": ["big"], "aliases": {"fast": "big"}}
    async with stack(upstreams=[local]) as s:
        assert await generations(s, chat(model="fast"), chat(model="big")) == 1
        assert s.upstream.bodies[0]["model"] == "big"
        s.app.pool.upstreams[0].revision = "r2"
        s.app.pool.replace(list(s.app.pool.upstreams))
        assert await generations(s, chat(model="fast")) == 1


async def test_K06_an_alias_that_is_pointed_elsewhere_starts_afresh():
    async with stack(upstreams=[{"name": "a", "url": "http://127.0.0.1:1", "aliases": {"fast": "one"}}]) as s:
        assert await generations(s, chat(model="fast"), chat(model="fast")) == 1
        s.app.pool.upstreams[0].aliases["fast"] = "two"
        s.app.pool.replace(list(s.app.pool.upstreams))
        assert await generations(s, chat(model="fast")) == 1
        assert s.upstream.bodies[-1]["model"] == "two"


@pytest.mark.parametrize("model", [5, ["m"], {"m": 1}, True])
async def test_K06_a_model_that_is_no_name_is_not_the_request_without_one(model):
    async with stack() as s:
        assert await generations(s, chat(model=...), chat(model=model), chat(model="")) == 3


@pytest.mark.parametrize("body", [b'{"model":"fast","messages":[{"content":"\\ud800"}],"stream":"no"}',
                                  b'{"model":"fast","messages":[],"seed":123456789012345678901234567890}'])  # fmt: skip
async def test_K06_an_alias_works_for_bodies_that_have_no_key(body):
    async with stack(upstreams=[{"name": "a", "url": "http://127.0.0.1:1", "aliases": {"fast": "one"}}]) as s:
        await s.ask(body)
        sent = s.upstream.requests[0].body
        assert isinstance(sent, bytes)
        assert b'"one"' in sent
        assert (b"\\ud800" in sent) or (b"123456789012345678901234567890" in sent)


async def test_K07_the_order_of_members_does_not_count_and_that_of_lists_does():
    tools = [{"type": "function", "function": {"name": name, "parameters": {"a": 1, "b": [2]}}} for name in "fg"]
    shuffled = [{"function": {"parameters": {"b": [2], "a": 1}, "name": name}, "type": "function"} for name in "fg"]
    async with stack() as s:
        same = dict(reversed(list(chat(tools=shuffled).items())))
        assert await generations(s, chat(tools=tools), same) == 1
        assert await generations(s, chat(tools=tools[::-1])) == 1


async def test_K08_a_picture_is_its_bytes_and_a_list_of_one_text_is_not_the_text():
    def look(data: str) -> dict[str, Any]:
        return chat([{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": PICTURE + data}}])  # type: ignore[arg-type]  # parts

    async with stack() as s:
        assert await generations(s, look("AAAA"), look("AAAB"), look("AAAA")) == 2
        assert await generations(s, chat("a"), chat([{"type": "text", "text": "a"}])) == 2  # type: ignore[arg-type]  # parts


async def test_K09_the_system_prompt_is_part_of_the_question():
    def told(language: str) -> dict[str, Any]:
        return chat(messages=[{"role": "system", "content": f"Answer in {language}"}, *chat()["messages"]])

    async with stack() as s:
        assert await generations(s, told("French"), told("German"), told("French")) == 2


async def test_K10_what_cannot_matter_is_not_in_the_key_and_goes_up():
    async with stack() as s:
        marked = [
            chat(metadata={"id": str(n)}, user=f"u{n}", prompt_cache_key=f"k{n}", service_tier="auto", store=False)
            for n in range(3)
        ]
        assert await generations(s, chat(), *marked) == 1
    async with stack() as s:
        await s.ask(marked[0])
        assert s.upstream.bodies == [marked[0]]


async def test_K10_a_family_may_tell_users_apart():
    async with stack(policy_set(ignore_user=False)) as s:
        assert await generations(s, chat(user="a"), chat(user="b"), chat(user="a")) == 2


async def test_K10_a_refusal_over_a_field_outside_the_key_is_nobody_elses():
    async with stack() as s:
        assert await generations(s, chat(), chat(user=5), chat(metadata="x"), chat(store="no")) == 4


async def test_K11_embeddings_are_passed_and_each_form_is_the_engines_own():
    async with stack() as s:
        for form in ("float", "base64"):
            await s.ask({"input": "a", "encoding_format": form}, path="/v1/embeddings")
        assert [body["encoding_format"] for body in s.upstream.bodies] == ["float", "base64"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("print(A)", "print(a)"),
        ("git branch -d x", "git branch -D x"),
        ("US", "us"),
        ("Is C good?", "Is C++ good?"),
        ("if x:\n  y", "if x:\n    y"),
        ("a:\n\tb", "a:\n        b"),
        ("a", "a\n"),
        ("say 'a  b'", "say 'a b'"),
        ("caf\u00e9", "cafe\u0301"),
        ("\uff11", "1"),
        ("a\u200db", "ab"),
    ],
)
async def test_N01_N02_N03_text_is_byte_exact(one, other):
    async with stack() as s:
        assert await generations(s, chat(one), chat(other), chat(one)) == 2
        assert await generations(s, completion(one), completion(other), path=COMPLETIONS) == 2


async def test_N03_of_duplicate_names_the_last_counts():
    twice = orjson.dumps(chat()).replace(b'"temperature":0', b'"temperature":1,"temperature":0')
    async with stack() as s:
        assert await generations(s, chat(), twice) == 1


@pytest.mark.parametrize("value", [b'"\\ud800"', b"1e400", b"123456789012345678901234567890"])
async def test_N03_what_has_no_key_goes_up_as_it_is_and_is_never_kept(value):
    body = orjson.dumps(chat()).replace(b'"temperature":0', b'"temperature":0,"x":' + value)
    async with stack() as s:
        assert await generations(s, body, body) == 2
        assert {request.body for request in s.upstream.requests} == {body}
        assert outcome(await s.ask(body)) == "fwd=bypass; detail=not-keyable"


async def test_the_bytes_that_arrived_go_up():
    body = b'{ "model" : "m", "temperature": 0.0,\n "messages": [ {"role":"user", "content": "\\u00e9"} ] }'
    async with stack() as s:
        await s.ask(body)
        assert s.upstream.requests[0].body == body
