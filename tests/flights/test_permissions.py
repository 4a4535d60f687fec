"""Who may share a flight with whom: directives, bypasses, tenants, samples; and what each is told of it."""

import asyncio
import json

import pytest

from tests.builders import ScriptedReply, answer, chat, policy_set, stack, stream_of
from tests.flights.calls import Call

pytestmark = pytest.mark.anyio

STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


def slow(text: str) -> ScriptedReply:
    return ScriptedReply(answer(text), wait=1.0)


@STREAMED
async def test_no_cache_joins_no_flight_begun_before_it_and_those_after_it_join_its_own(stream):
    async with stack() as s:
        s.upstream.script(*(ScriptedReply([1.0, *stream_of(text)]) if stream else slow(text) for text in "abc"))
        before = Call(s.app, chat(stream=stream)).start()
        await asyncio.sleep(0.2)
        no_cache = Call(s.app, chat(stream=stream), cache_control="no-cache").start()
        await asyncio.sleep(0.2)
        after = Call(s.app, chat(stream=stream)).start()
        await asyncio.sleep(0.2)
        another = Call(s.app, chat(stream=stream), cache_control="no-cache").start()
        calls = [before, no_cache, after, another]
        for call in calls:
            await call.whole()
        assert [call.text for call in calls] == ["a", "b", "b", "c"]
        outcomes = [call.outcome.replace("; stored", "") for call in calls]
        assert outcomes == [
            "fwd=miss",
            "fwd=bypass; detail=no-cache",
            "fwd=miss; collapsed",
            "fwd=bypass; detail=no-cache",
        ]


async def test_bypassing_the_cache_joins_no_flight_begun_before_and_stores_nothing():
    async with stack() as s:
        s.upstream.script(slow("a"), slow("b"), slow("c"))
        before = Call(s.app, chat("before")).start()
        await asyncio.sleep(0.2)
        bypass = Call(s.app, chat("before"), x_askonce_bypass="cache").start()
        await bypass.whole()
        assert (before.text, bypass.text) == ("a", "b")
        assert bypass.outcome == "fwd=bypass; detail=client-bypass"
        hit = Call(s.app, chat("before")).start()
        await hit.whole()
        assert hit.text == "a", "what was stored is the other's"


async def test_max_age_shares_with_its_like_only():
    """A flight may end in a semantic hit of any age."""
    async with stack() as s:
        s.upstream.script(slow("a"), slow("b"), slow("c"))
        calls = [Call(s.app, chat(), **headers).start() for headers in AGES]
        for call in calls:
            await call.whole()
        assert [call.text for call in calls] == ["a", "b", "b", "c", "a"]


AGES = [{}, {"cache_control": "max-age=60"}, {"cache_control": "max-age=60"}, {"cache_control": "max-age=5"}, {}]


@pytest.mark.parametrize(
    "headers",
    [{"cache_control": "no-store"}, {"x_askonce_bypass": "share"}, {"x_askonce_bypass": "all"}],
    ids=["no-store", "bypass share", "bypass all"],
)
@STREAMED
async def test_who_may_not_share_neither_leads_nor_follows(headers, stream):
    async with stack() as s:
        s.upstream.script(*(ScriptedReply([1.0, *stream_of(text)]) if stream else slow(text) for text in "abcd"))
        first = Call(s.app, chat(stream=stream), **headers).start()
        await asyncio.sleep(0.1)
        shared = Call(s.app, chat(stream=stream)).start()
        await asyncio.sleep(0.1)
        second = Call(s.app, chat(stream=stream), **headers).start()
        for call in (first, shared, second):
            await call.whole()
        assert [first.text, shared.text, second.text] == ["a", "b", "c"]
        assert shared.outcome.replace("; stored", "") == "fwd=miss"


async def test_only_if_cached_does_not_wait_for_a_flight():
    async with stack() as s:
        s.upstream.script(slow("a"))
        flying = Call(s.app, chat()).start()
        await asyncio.sleep(0.1)
        call = Call(s.app, chat(), cache_control="only-if-cached").start()
        await call.whole()
        assert (call.status, call.error_code) == (504, "not_cached")
        await flying.whole()


@STREAMED
async def test_tenants_share_no_flight(stream):
    async with stack() as s:
        s.upstream.script(*(ScriptedReply([1.0, *stream_of(text)]) if stream else slow(text) for text in "ab"))
        calls = [Call(s.app, chat(stream=stream), key=key, x_tenant="same").start() for key in ("sk-a", "sk-b", "sk-a")]
        for call in calls:
            await call.whole()
        assert [call.text for call in calls] == ["a", "b", "a"]


@pytest.mark.parametrize(
    "fields",
    [
        {"previous_response_id": "r"},
        {"store": True},
        {"max_tokens": 10**30},
        {"stream": True, "stream_options": {"continuous_usage_stats": True}},
        {"stream": 1},
    ],
)
async def test_what_depends_on_more_than_its_text_flies_alone(fields):
    async with stack() as s:
        s.upstream.script(slow("a"))
        calls = [Call(s.app, json.dumps(chat(**fields)).encode()).start() for _ in range(3)]
        for call in calls:
            await call.whole()
        assert s.upstream.calls == 3


@STREAMED
async def test_shared_samples_are_told_as_such_and_never_stored(stream):
    async with stack(policy_set(coalesce="always")) as s:
        s.upstream.script(*(ScriptedReply([1.0, *stream_of(text)]) if stream else slow(text) for text in "ab"))
        calls = [Call(s.app, chat(stream=stream, temperature=1)).start() for _ in range(3)]
        for call in calls:
            await call.whole()
        assert [call.outcome for call in calls] == [
            "fwd=bypass; detail=temperature",
            *["fwd=miss; collapsed; detail=temperature"] * 2,
        ]
        assert {call.text for call in calls} == {"a"}
        later = Call(s.app, chat(stream=stream, temperature=1)).start()
        await later.whole()
        assert later.text == "b"


async def test_a_lone_reader_gets_all_of_upstreams_headers_and_those_who_share_only_the_content_type():
    headers = [(b"content-type", b"application/json"), (b"x-engine", b"1")]
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer("a"), headers=headers, wait=1.0))
        lone = Call(s.app, chat("lone")).start()
        await lone.whole()
        calls = [Call(s.app, chat("shared")).start() for _ in range(2)]
        for call in calls:
            await call.whole()
        assert lone.headers["x-engine"] == "1"
        assert all("x-engine" not in call.headers for call in calls)
        assert all(call.headers["content-type"] == "application/json" for call in calls)


async def test_who_is_left_alone_before_the_head_gets_all_of_it():
    headers = [(b"content-type", b"application/json"), (b"x-engine", b"1")]
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer("a"), headers=headers, wait=1.0))
        leader, follower = (Call(s.app, chat()).start() for _ in range(2))
        await asyncio.sleep(0.5)
        await leader.leave()
        await follower.whole()
        assert follower.headers["x-engine"] == "1"
        assert follower.outcome == "fwd=miss; collapsed"


async def test_nobody_joins_after_a_head_with_a_cookie_went_out():
    headers = [(b"content-type", b"text/event-stream"), (b"set-cookie", b"session=1")]
    async with stack() as s:
        s.upstream.script(ScriptedReply([1.0, *stream_of("a")], headers=headers), ScriptedReply(stream_of("b")))
        first = Call(s.app, chat(stream=True)).start()
        await asyncio.sleep(0.5)
        assert first.headers["set-cookie"] == "session=1"
        second = Call(s.app, chat(stream=True)).start()
        await second.whole()
        await first.whole()
        assert [first.text, second.text] == ["a", "b"]


async def test_a_cookie_goes_to_none_of_two_who_waited_for_it():
    headers = [(b"content-type", b"application/json"), (b"set-cookie", b"session=1")]
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer("a"), headers=headers, wait=1.0))
        calls = [Call(s.app, chat()).start() for _ in range(2)]
        for call in calls:
            await call.whole()
        assert s.upstream.calls == 1
        assert all("set-cookie" not in call.headers for call in calls)
