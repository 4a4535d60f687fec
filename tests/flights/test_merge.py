"""`merge: prompts`: one request for several prompts, and none of them notices but by its usage."""

from typing import Any

import pytest

from proxy.app import App
from tests.builders import COMPLETIONS, ScriptedReply, chat, completion, policy_set, stack
from tests.flights.calls import Call
from tests.flights.engines import assert_nothing_left, engine_stack

pytestmark = pytest.mark.anyio

MERGE = policy_set(batch={"max_batch_size": 8, "max_wait_ms": 6, "merge": "prompts"})
SAMPLED = {"temperature": 1}


def ask(app: App, body: Any, **headers: str) -> Call:
    return Call(app, body, path=COMPLETIONS, **headers).start()


async def whole(*calls: Call) -> None:
    for call in calls:
        await call.whole()


async def test_equal_requests_travel_as_one_and_each_gets_what_it_would_have_got_alone():
    async with engine_stack(policies=MERGE) as s:
        calls = [s.ask(completion(f"Count {n}"), path=COMPLETIONS) for n in range(4)]
        await whole(*calls)
        assert s.engine.stats.requests == 1
        assert s.client.bodies[0]["prompt"] == [f"Count {n}" for n in range(4)]
        assert len({call.completion["id"] for call in calls}) == 4
        for n, call in enumerate(calls):
            alone = s.ask(completion(f"Count {n}"), path=COMPLETIONS, x_askonce_bypass="all")
            await alone.whole()
            assert call.completion["choices"] == alone.completion["choices"]
            assert "usage" not in call.completion
            assert "usage" in alone.completion
        await s.assert_nothing_left()


async def test_what_was_merged_is_stored_for_each():
    async with engine_stack(policies=MERGE) as s:
        first, second = (s.ask(completion(prompt), path=COMPLETIONS) for prompt in "ab")
        await whole(first, second)
        hits = [s.ask(completion(prompt), path=COMPLETIONS) for prompt in "ab"]
        await whole(*hits)
        assert [hit.text for hit in hits] == [first.text, second.text]
        assert all(hit.outcome.startswith("hit") for hit in hits)


async def test_F05_only_what_is_equal_in_all_that_goes_up_is_merged():
    bodies = [
        completion("a", max_tokens=5),
        completion("b", max_tokens=5),
        completion("c", max_tokens=10),
        completion("d", max_tokens=5, service_tier="flex"),
        completion("e", max_tokens=5, metadata={"trace": "1"}),
        completion("f", max_tokens=5, user="u"),
        completion("g", max_tokens=5, temperature=0.0, seed=1),
    ]
    async with engine_stack(policies=MERGE) as s:
        await whole(*(s.ask(body, path=COMPLETIONS) for body in bodies))
        assert sorted(str(body["prompt"]) for body in s.client.bodies) == ["['a', 'b']", *"cdefg"]
        assert all(body.items() >= {"max_tokens": 5}.items() for body in s.client.bodies if body["prompt"] != "c")


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (completion("b", stream=True), {}),
        (completion("b", n=2), {}),
        (completion("b", best_of=3), {}),
        (completion(["b"]), {}),
        (completion("b"), {"key": "sk-b"}),
        (completion("b"), {"openai_organization": "another"}),
    ],
    ids=["streamed", "two choices", "best of", "an array", "another tenant", "another payer"],
)
async def test_what_does_not_fit_into_an_array_of_this_clients_travels_apart(body, headers):
    async with engine_stack(policies=MERGE) as s:
        await whole(s.ask(completion("a"), path=COMPLETIONS), s.ask(body, path=COMPLETIONS, **headers))
        assert s.engine.stats.requests == 2


async def test_what_an_engine_keeps_for_a_next_request_is_not_merged():
    kept = {"kv_transfer_params": {"do_remote_decode": True}}
    async with engine_stack(policies=MERGE) as s:
        await whole(*(s.ask(completion(prompt, **kept), path=COMPLETIONS) for prompt in "ab"))
        assert s.engine.stats.requests == 2


async def test_another_query_travels_apart_and_another_trace_together():
    async with engine_stack(policies=MERGE) as s:
        calls = [Call(s.app, completion(prompt), path=COMPLETIONS, query=f"v={prompt}").start() for prompt in "ab"]
        await whole(*calls)
        assert [body["prompt"] for body in s.client.bodies] == ["a", "b"]
        calls = [ask(s.app, completion(prompt), traceparent=f"00-{prompt}") for prompt in "cd"]
        await whole(*calls)
        assert [body["prompt"] for body in s.client.bodies[2:]] == [["c", "d"]]


async def test_an_array_that_is_answered_with_a_stream_is_given_up_and_each_goes_alone():
    async with stack(MERGE) as s:
        own = {"object": "text_completion", "choices": [{"index": 0, "text": "own", "finish_reason": "stop"}]}
        s.upstream.script(ScriptedReply([b"data: {}\n\n", 99.0]), ScriptedReply(own))
        calls = [ask(s.app, completion(prompt)) for prompt in "ab"]
        await whole(*calls)
        assert [call.text for call in calls] == ["own", "own"]
        assert (s.upstream.calls, s.upstream.aborted) == (3, 1)
        await assert_nothing_left(s.app)


async def test_chats_are_not_merged():
    async with engine_stack(policies=MERGE) as s:
        await whole(s.ask(chat("a")), s.ask(chat("b")))
        assert s.engine.stats.requests == 2


async def test_where_an_upstream_is_asked_for_streams_nothing_is_merged():
    upstreams = [{"name": "local", "url": "http://stub", "always_stream": True}]
    async with engine_stack(policies=MERGE, upstreams=upstreams) as s:
        calls = [s.ask(completion(prompt), path=COMPLETIONS) for prompt in "ab"]
        await whole(*calls)
        assert (s.engine.stats.requests, s.engine.stats.aborted) == (2, 0)
        assert all("usage" in call.completion for call in calls)


@pytest.mark.parametrize("order", ["ab", "ba"])
async def test_only_if_cached_is_refused_and_refuses_no_other(order):
    headers = {"a": {"cache_control": "only-if-cached"}, "b": {}}
    async with engine_stack(policies=MERGE) as s:
        calls = {prompt: s.ask(completion(prompt), path=COMPLETIONS, **headers[prompt]) for prompt in order}
        await whole(*calls.values())
        assert (calls["a"].status, calls["b"].status) == (504, 200)
        assert [body["prompt"] for body in s.client.bodies] == ["b"]


async def test_each_member_is_told_of_its_own_request():
    async with engine_stack(policies=MERGE) as s:
        calls = [
            s.ask(completion("a"), path=COMPLETIONS, cache_control="no-cache"),
            s.ask(completion("b"), path=COMPLETIONS),
        ]
        await whole(*calls)
        assert s.engine.stats.requests == 1
        assert [call.outcome for call in calls] == ["fwd=bypass; stored; detail=no-cache", "fwd=miss; stored"]


async def test_samples_are_merged_too_and_go_up_without_one_members_request_id():
    async with stack(MERGE) as s:
        choices = [{"index": place, "text": str(place), "finish_reason": "stop"} for place in range(2)]
        s.upstream.script(ScriptedReply({"object": "text_completion", "choices": choices}))
        calls = [ask(s.app, completion("a", **SAMPLED), x_request_id=f"mine-{n}") for n in range(2)]
        await whole(*calls)
        assert s.upstream.bodies[0]["prompt"] == ["a", "a"]
        assert [call.text for call in calls] == ["0", "1"]
        assert not any(name == b"x-request-id" for name, _ in s.upstream.requests[0].headers)
        assert [call.headers["x-request-id"] for call in calls] == ["mine-0", "mine-1"]


async def test_with_one_bad_prompt_in_the_array_the_others_are_answered():
    async with engine_stack(policies=MERGE) as s:
        prompts = ["a", "b [[stub: status=400]]", "c"]
        calls = [s.ask(completion(prompt), path=COMPLETIONS) for prompt in prompts]
        await whole(*calls)
        assert [call.status for call in calls] == [200, 400, 200]
        assert calls[1].completion["error"]["message"] == "told to fail"
        assert [body["prompt"] for body in s.client.bodies] == [prompts, *prompts]
        await s.assert_nothing_left()


async def test_with_one_prompt_in_the_array_that_the_engine_chokes_on_the_others_are_answered():
    async with engine_stack(policies=MERGE) as s:
        prompts = ["a", "b [[stub: status=500]]", "c"]
        calls = [s.ask(completion(prompt), path=COMPLETIONS) for prompt in prompts]
        await whole(*calls)
        assert [call.status for call in calls] == [200, 500, 200]
        assert [body["prompt"] for body in s.client.bodies] == [prompts, *prompts]
        await s.assert_nothing_left()


@pytest.mark.parametrize("status", [401, 429, 502, 503])
async def test_a_failure_that_is_not_about_a_prompt_is_everybodys(status):
    async with engine_stack(policies=MERGE) as s:
        calls = [s.ask(completion(f"{n} [[stub: status={status} retry-after=9]]"), path=COMPLETIONS) for n in range(3)]
        await whole(*calls)
        assert [call.status for call in calls] == [status] * 3
        assert {call.headers.get("retry-after") for call in calls} == {"9"}
        assert s.engine.stats.requests == 1


@pytest.mark.parametrize(
    "answered",
    [
        {"choices": [{"index": 0, "text": "only one", "finish_reason": "stop"}]},
        {"choices": [{"index": 0, "text": "x"}, {"index": 0, "text": "y"}]},
        {"choices": [{"text": "x"}, {"text": "y"}]},
        {"choices": "none"},
        {"error": {"message": "no arrays"}},
        b"<p>It works!</p>",
        b"[1]",
    ],
)
async def test_an_answer_that_does_not_come_apart_costs_a_second_one_and_is_said_in_the_log(answered, caplog):
    async with stack(MERGE) as s:
        own = {"object": "text_completion", "choices": [{"index": 0, "text": "own", "finish_reason": "stop"}]}
        s.upstream.script(ScriptedReply(answered), ScriptedReply(own))
        calls = [ask(s.app, completion(prompt)) for prompt in "ab"]
        await whole(*calls)
        assert [call.text for call in calls] == ["own", "own"]
        assert s.upstream.calls == 3
        assert "does not have one choice for each" in caplog.text
        await assert_nothing_left(s.app)
