"""Usage of shared streams: asked for upstream by whoever leads, and told to exactly those who would have been told."""

import itertools
from typing import Any

import pytest

from proxy.middleware import single_flight
from proxy.openai import fold_stream
from tests.builders import DONE, ScriptedReply, answer, chat, chunk, policy_set, stack, stream_of
from tests.flights.calls import Call

pytestmark = pytest.mark.anyio

PARTS = stream_of("a", "b")
BARE = b"".join([*PARTS[:-2], DONE])
FULL = b"".join(PARTS)
ASKS = {"stream": True, "stream_options": {"include_usage": True}}
KINDS: dict[str, dict[str, Any]] = {
    "bare": {"stream": True},
    "full": ASKS,
    "false": {"stream": True, "stream_options": {"include_usage": False}},
}
TOLD = {"bare": BARE, "full": FULL, "false": BARE}


def local(**upstream: Any) -> list[dict[str, Any]]:
    return [{"name": "local", "url": "http://stub", **upstream}]


@pytest.mark.parametrize("always_stream", [False, True])
@pytest.mark.parametrize(("leader", "follower"), list(itertools.product(KINDS, KINDS)))
async def test_each_reader_gets_the_bytes_it_would_have_got_alone(leader, follower, always_stream):
    async with stack(upstreams=local(always_stream=always_stream)) as s:
        s.upstream.script(ScriptedReply([PARTS[0], 1.0, *PARTS[1:]]))
        first = Call(s.app, chat(**KINDS[leader])).start()
        await first.pieces_sent(1)
        second = Call(s.app, chat(**KINDS[follower])).start()
        plain = Call(s.app, chat()).start()
        assert await first.whole() == TOLD[leader]
        assert await second.whole() == TOLD[follower]
        await plain.whole()
        assert plain.completion["usage"]["total_tokens"] == 8
        assert s.upstream.calls == 1
        assert s.upstream.bodies[0]["stream_options"] == {"include_usage": True}


async def test_usage_in_one_read_with_its_neighbours_is_taken_out_alone():
    async with stack() as s:
        s.upstream.script(ScriptedReply([FULL]))
        bare, full = (Call(s.app, chat(**KINDS[kind])).start() for kind in ("bare", "full"))
        assert await bare.whole() == BARE
        assert await full.whole() == FULL
        assert s.upstream.calls == 1


async def test_usage_beside_choices_is_the_engines_own_and_passes():
    """Some engines put it into the chunk with the finish reason, asked or not."""
    parts = [*stream_of("a", usage=False)[:-2], chunk({}, finish="stop", usage={"total_tokens": 3}), DONE]
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        bare, plain = Call(s.app, chat(stream=True)).start(), Call(s.app, chat()).start()
        assert await bare.whole() == b"".join(parts)
        await plain.whole()
        assert plain.completion["usage"] == {"total_tokens": 3}


async def test_plain_readers_of_a_stream_that_told_no_usage_ask_plainly_together():
    """A plain answer has usage. So one without serves streams, and to a plain client it is a miss."""
    async with stack() as s:
        s.upstream.script(ScriptedReply([1.0, *stream_of("a", usage=False)]), ScriptedReply(answer("b"), wait=1.0))
        streaming = Call(s.app, chat(stream=True)).start()
        plain = [Call(s.app, chat()).start() for _ in range(10)]
        assert await streaming.whole()
        for call in plain:
            await call.whole()
        assert s.upstream.calls == 2
        assert {(call.text, call.completion["usage"]["total_tokens"]) for call in plain} == {("b", 8)}
        assert sorted(call.outcome for call in plain) == ["fwd=miss; collapsed"] * 9 + ["fwd=miss; stored"]


@pytest.mark.parametrize("always_stream", [[True], [True, False]], ids=["every upstream", "the one that is asked"])
async def test_where_plain_requests_are_asked_as_streams_an_engine_without_usage_is_taken_as_it_is(always_stream):
    upstreams = [
        {"name": f"u{place}", "url": "http://stub", "always_stream": always}
        for place, always in enumerate(always_stream)
    ]
    async with stack(upstreams=upstreams) as s:
        s.upstream.script(ScriptedReply([1.0, *stream_of("a", usage=False)]))
        plain = [Call(s.app, chat()).start() for _ in range(10)]
        for call in plain:
            await call.whole()
        assert s.upstream.calls == 1
        assert {call.text for call in plain} == {"a"}
        assert all("usage" not in call.completion for call in plain)


async def test_without_ask_usage_a_stream_goes_up_as_it_came_and_plain_clients_do_not_join_it():
    async with stack(upstreams=local(ask_usage=False)) as s:
        s.upstream.script(ScriptedReply([1.0, *stream_of("a", usage=False)]), ScriptedReply(answer("b"), wait=1.0))
        bare = [Call(s.app, chat(stream=True)).start() for _ in range(2)]
        plain = [Call(s.app, chat()).start() for _ in range(2)]
        for call in [*bare, *plain]:
            await call.whole()
        assert [call.text for call in [*bare, *plain]] == ["a", "a", "b", "b"]
        assert s.upstream.calls == 2
        assert "stream_options" not in s.upstream.bodies[0]


async def test_without_ask_usage_who_asks_for_usage_does_not_join_a_stream_without():
    async with stack(upstreams=local(ask_usage=False)) as s:
        s.upstream.script(ScriptedReply([1.0, *PARTS[:-2], DONE]), ScriptedReply([1.0, *PARTS]))
        bare, full = (Call(s.app, chat(**KINDS[kind])).start() for kind in ("bare", "full"))
        plain = Call(s.app, chat()).start()
        assert await bare.whole() == BARE
        assert await full.whole() == FULL
        await plain.whole()
        assert plain.outcome == "fwd=miss; collapsed", "with the one that has usage"
        assert s.upstream.calls == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("why", ["sampled", "never coalesced", "no room for a flight"])
async def test_alone_too_each_gets_what_it_asked_for(kind, why):
    flights = {"max_bytes": 1} if why == "no room for a flight" else {}
    policies = policy_set(coalesce="never") if why == "never coalesced" else None
    async with stack(policies, flights=flights) as s:
        s.upstream.script(ScriptedReply(PARTS if why != "sampled" or kind == "full" else [*PARTS[:-2], DONE]))
        if flights:
            s.app.flights.total_bytes = 1
        call = Call(s.app, chat(temperature=int(why == "sampled"), **KINDS[kind])).start()
        assert await call.whole() == TOLD[kind]
        asked = s.upstream.bodies[0].get("stream_options", {}).get("include_usage", False)
        assert asked is (why != "sampled" or kind == "full")


async def test_the_plain_readers_of_a_flight_have_one_fold_in_common(monkeypatch):
    """Folding a long stream takes tens of milliseconds, in which nobody else is served."""
    folds = []

    def counted(body):
        folds.append(len(body))
        return fold_stream(body)

    monkeypatch.setattr(single_flight, "fold_stream", counted)
    async with stack(upstreams=local(always_stream=True)) as s:
        s.upstream.script(ScriptedReply([1.0, *PARTS]))
        calls = [Call(s.app, chat()).start() for _ in range(50)]
        for call in calls:
            await call.whole()
        assert len({call.body for call in calls}) == 1
        assert folds == [len(FULL)]
