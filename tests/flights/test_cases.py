"""The cases of real proxies that concern flights, named after their ids, through the whole app in virtual time.
(One list of cases, so that an id is found in one place.)
"""

import asyncio
import itertools
import random

import orjson
import pytest

from bench.upstream import StubEngine
from proxy.errors import UpstreamFailed
from proxy.heartbeat import Heartbeat
from tests.builders import (
    COMPLETIONS,
    DONE,
    ScriptedReply,
    answer,
    chat,
    chunk,
    completion,
    policy_set,
    stack,
    stream_of,
)
from tests.flights.calls import Call
from tests.flights.engines import assert_nothing_left, engine_stack, settle

pytestmark = pytest.mark.anyio

STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
RESET = UpstreamFailed("The upstream broke the reply off.", code="cut_short")


@pytest.mark.parametrize("spelling", ["", " no-index"])
async def test_S08_parallel_tool_calls_in_fragments_reach_plain_clients_as_whole_calls(spelling):
    """A plain client that joins the stream, and one that hits it afterwards."""
    question = f"Weather? [[stub: tool-calls=2{spelling}]]"
    async with engine_stack() as s:
        streaming, plain = s.ask(chat(question, stream=True)), s.ask(chat(question))
        await asyncio.gather(streaming.whole(), plain.whole())
        hit = s.ask(chat(question))
        await hit.whole()
        assert s.engine.stats.generations == 1
        assert (plain.outcome, hit.outcome.partition(";")[0]) == ("fwd=miss; collapsed", "hit")
        for call in (plain, hit):
            calls = call.completion["choices"][0]["message"]["tool_calls"]
            assert [(one["id"], one["function"]["name"]) for one in calls] == [
                ("call_0", "tool_0"),
                ("call_1", "tool_1"),
            ]
            assert [list(orjson.loads(one["function"]["arguments"])) for one in calls] == [["city", "days"]] * 2


@pytest.mark.parametrize(
    ("script", "plain_status"),
    [("close-after=4", 502), ("no-finish", 200), ("no-done", 502), ("unfinished-choice", 200)],
)
async def test_S09_a_stream_that_stopped_early_is_shared_as_it_is_and_not_stored(script, plain_status):
    """Streaming clients see what the engine sent. A plain one gets no answer of which the end is missing."""
    question = chat(f"Hi [[stub: {script}]]", n=2)
    async with engine_stack() as s:
        leader, follower = s.ask({**question, "stream": True}), s.ask({**question, "stream": True})
        plain = s.ask(question)
        await asyncio.gather(leader.whole(), follower.whole(), plain.whole())
        assert leader.body == follower.body
        assert plain.status == plain_status
        again = s.ask({**question, "stream": True})
        await again.whole()
        assert again.outcome == "fwd=miss"
        assert s.engine.stats.generations == 2


async def test_S10_the_request_after_one_that_was_left_in_the_middle_gets_a_whole_answer():
    question = chat("Hi [[stub: chunk-ms=5]]", stream=True)
    async with engine_stack() as s:
        leaver = s.ask(question)
        await leaver.pieces_sent(2)
        await leaver.leave()
        await s.assert_nothing_left()
        assert s.engine.stats.aborted == 1
        whole = s.ask(question)
        assert (await whole.whole()).endswith(DONE)
        assert whole.outcome == "fwd=miss"
        assert s.engine.stats.generations == 2


@STREAMED
async def test_S11_a_failure_before_the_head_is_a_status_and_an_error(stream):
    async with engine_stack() as s:
        call = s.ask(chat("Hi [[stub: status=503]]", stream=stream))
        await call.whole()
        assert (call.status, call.completion["error"]["message"]) == (503, "told to fail")


async def test_S11_a_failure_after_the_head_is_one_error_event_and_the_end_of_the_reply():
    async with engine_stack() as s:
        leader, follower = (s.ask(chat("Hi [[stub: reset-after=3]]", stream=True)) for _ in range(2))
        plain = s.ask(chat("Hi [[stub: reset-after=3]]"))
        await asyncio.gather(leader.whole(), follower.whole(), plain.whole())
        for call in (leader, follower):
            assert call.status == 200
            assert call.body.count(b'"error"') == 1
            assert call.body.count(b"\n\n") == 4, "three chunks and the error"
            assert call.error_code == "cut_short"
            assert DONE not in call.body
        assert (plain.status, plain.error_code) == (502, "cut_short")
        assert s.engine.stats.generations == 1


@pytest.mark.parametrize("always_stream", [False, True])
async def test_S11_an_error_event_passes_as_it_is_and_is_a_plain_clients_status(always_stream):
    question = chat("Hi [[stub: error-event=2]]")
    upstreams = [{"name": "local", "url": "http://stub", "always_stream": always_stream}]
    async with engine_stack(upstreams=upstreams) as s:
        streaming = s.ask({**question, "stream": True})
        plain = s.ask(question)
        await asyncio.gather(streaming.whole(), plain.whole())
        assert streaming.body.count(b'"error"') == 1
        assert (plain.status, plain.completion["error"]["message"]) == (500, "The engine died.")
        assert plain.headers["content-type"] == "application/json"
        again = s.ask(question)
        await again.whole()
        assert s.engine.stats.generations == 2, "not stored"


@pytest.mark.parametrize("script", ["first-byte-ms=5000", "first-byte-ms=5000 head-first", "chunk-ms=100"])
@STREAMED
@pytest.mark.parametrize("temperature", [0, 1], ids=["shared", "alone"])
async def test_S12_upstream_is_cancelled_when_the_last_interested_client_leaves(script, stream, temperature):
    """Before the head, after it, in mid-stream; shared or not. Only at the last one's leaving, and then at once."""
    loop = asyncio.get_running_loop()
    always_stream = [{"name": "local", "url": "http://stub", "always_stream": True}]
    async with engine_stack(upstreams=always_stream) as s:
        calls = [s.ask(chat(f"Hi [[stub: {script}]]", stream=stream, temperature=temperature)) for _ in range(2)]
        await asyncio.sleep(0.3)
        await calls[0].leave()
        assert s.engine.stats.aborted == (1 if temperature else 0)
        await calls[1].leave()
        await settle()
        assert s.engine.stats.aborted == (2 if temperature else 1)
        assert loop.time() == 0.3
        await s.assert_nothing_left()


async def test_S12_a_client_that_leaves_while_it_waits_for_a_place_is_never_sent():
    upstreams = [{"name": "local", "url": "http://stub", "max_concurrency": 1}]
    async with engine_stack(upstreams=upstreams) as s:
        first, second = s.ask(chat("a")), s.ask(chat("b"))
        await settle()
        await second.leave()
        await first.whole()
        assert s.engine.stats.requests == 1
        await s.assert_nothing_left()


async def test_S14_an_engines_comments_pass_to_every_reader_and_are_not_stored():
    question = chat("Hi [[stub: silence=30 comments]]", stream=True)
    async with engine_stack() as s:
        leader = s.ask(question)
        await leader.pieces_sent(10)
        follower = s.ask(question)
        assert await leader.whole() == await follower.whole()
        assert leader.body.count(b": ping\n\n") > 29
        assert b": askonce" not in leader.body, "the engine was never silent for long"
        hit = s.ask(question)
        assert b"\n:" not in await hit.whole()


async def test_S14_a_silent_stream_gets_a_comment_each_heartbeat():
    """Each reader by its own clock; a plain one never."""
    question = chat("Hi [[stub: silence=32]]", stream=True)
    async with engine_stack(flights={"heartbeat_s": 15}) as s:
        leader = s.ask(question)
        await asyncio.sleep(10)
        follower, plain = s.ask(question), s.ask({**question, "stream": False})
        await asyncio.gather(leader.whole(), follower.whole(), plain.whole())
        assert leader.pieces[:2] == [b": askonce\n\n"] * 2
        assert follower.pieces[:1] == [b": askonce\n\n"]
        assert b"".join(leader.pieces[2:]) == b"".join(follower.pieces[1:])
        assert plain.text == leader.text


async def test_S14_a_comment_never_falls_inside_an_event():
    """One that is too long to be held passes in pieces, and the engine may fall silent, or die, within it."""
    long = chunk({"content": "x" * 300})
    async with stack(store={"max_entry_bytes": 64}, flights={"heartbeat_s": 1}) as s:
        s.upstream.script(ScriptedReply([long[:200], 9.5, long[200:], 2.5, DONE]), ScriptedReply([long[:200], RESET]))
        whole = Call(s.app, chat(stream=True)).start()
        assert await whole.whole() == long + b": askonce\n\n" * 2 + DONE
        broken = Call(s.app, chat(stream=True)).start()
        await broken.whole()
        assert broken.body.startswith(long[:200] + b"\n\n")
        assert broken.error_code == "cut_short"


async def test_S14_an_error_of_our_own_never_falls_inside_an_event():
    long = chunk({"content": "x" * 300})
    async with stack(store={"max_entry_bytes": 64}) as s:
        s.upstream.script(ScriptedReply([long[:200], 99.0]))
        call = Call(s.app, chat(stream=True)).start()
        await call.pieces_sent(1)
        await s.app.flights.drain(0)
        await call.whole()
        assert call.body.startswith(long[:200] + b"\n\n")
        assert call.error_code == "shutting_down"


async def test_S14_after_the_end_of_its_stream_a_heartbeat_sends_nothing():
    sent = []

    async def send(comment: bytes) -> None:
        sent.append(comment)
        await asyncio.Event().wait()  # the client takes nothing

    heartbeat = Heartbeat(send, 1)
    heartbeat.since_s = asyncio.get_running_loop().time()
    await asyncio.sleep(1.5)
    await heartbeat.aclose()
    await asyncio.sleep(10)
    assert sent == [b": askonce\n\n"]


async def test_S14_a_client_that_does_not_read_gets_no_heap_of_comments():
    async with engine_stack(flights={"heartbeat_s": 1}) as s:
        call = s.ask(chat("Hi [[stub: silence=60]]", stream=True))
        await call.pieces_sent(1)
        call.stop_reading()
        await asyncio.sleep(30)
        call.read_on()
        await settle()
        assert call.body == b": askonce\n\n" * 2
        await call.leave()
        await s.assert_nothing_left()


@STREAMED
async def test_F01_the_first_of_ten_leaves_and_nine_get_the_whole_answer_of_one_call(stream):
    question = chat("Hi [[stub: chunk-ms=5]]", stream=stream)
    async with engine_stack() as s:
        calls = [s.ask(question) for _ in range(10)]
        if stream:
            await calls[0].pieces_sent(1)
        else:
            await asyncio.sleep(0.005)
        await calls[0].leave()
        bodies = [await call.whole() for call in calls[1:]]
        assert len(set(bodies)) == 1
        assert s.engine.stats.generations == 1
        assert s.engine.stats.aborted == 0
        assert calls[1].completion["choices"][0]["finish_reason"] == "stop"


@STREAMED
async def test_F02_after_a_cancelled_leader_the_next_request_is_fresh(stream):
    """That this holds for a cancel at every await is `test_cancel_everywhere`."""
    async with engine_stack() as s:
        leader = s.ask(chat(stream=stream))
        await asyncio.sleep(0.005)
        await leader.cancel()
        await s.assert_nothing_left()
        fresh = s.ask(chat(stream=stream))
        await fresh.whole()
        assert fresh.outcome.startswith("fwd=miss")
        assert s.engine.stats.generations == 2


@STREAMED
@pytest.mark.parametrize(
    ("fields", "headers", "coalesce", "calls"),
    [
        ({"temperature": 1}, {}, "deterministic", 8),
        ({"temperature": ...}, {}, "deterministic", 8),
        ({}, {}, "deterministic", 1),
        ({}, {"x_askonce_bypass": "share"}, "deterministic", 8),
        ({}, {"x_askonce_bypass": "all"}, "deterministic", 8),
        ({}, {}, "never", 8),
        ({"temperature": 1}, {}, "always", 1),
        ({"temperature": 1}, {"x_askonce_bypass": "share"}, "always", 8),
    ],
)
async def test_F03_samples_are_shared_only_where_the_family_says_so(fields, headers, coalesce, calls, stream):
    async with engine_stack(policies=policy_set(coalesce=coalesce)) as s:
        asked = [s.ask(chat(stream=stream, **fields), **headers) for _ in range(8)]
        for call in asked:
            assert await call.whole()
        assert s.engine.stats.generations == calls


@pytest.mark.parametrize("modes", [[False], [True], [True, False]], ids=["plain", "streamed", "mixed"])
async def test_F04_200_together_pay_once_through_any_interleaving(modes):
    """They arrive at any moment of the first one's life, the moment of storing among them."""
    draw = random.Random(4)
    async with engine_stack() as s:
        calls = []
        for stream in itertools.islice(itertools.cycle(modes), 200):
            calls.append(s.ask(chat(stream=stream)))
            for _ in range(draw.randrange(3)):
                await asyncio.sleep(0)
            if draw.random() < 0.1:
                await asyncio.sleep(0.001)
        for call in calls:
            await call.whole()
        assert len({call.text for call in calls}) == 1
        assert s.engine.stats.generations == 1
        outcomes = {call.outcome.partition("; ttl")[0] for call in calls}
        assert outcomes >= {"fwd=miss; collapsed", "hit"}


@STREAMED
async def test_F04_of_a_burst_the_engine_is_asked_before_the_second_has_joined(stream):
    """Else what it takes to read all the others would come on top of the engine's time."""
    joined_when_asked: list[int] = []

    async with stack() as s:

        def asked(_: object) -> ScriptedReply:
            joined_when_asked.append(s.app.flights.joined)
            return ScriptedReply(stream_of("a") if stream else answer("a"), wait=1.0)

        s.upstream.script(asked)
        calls = [Call(s.app, chat(stream=stream)).start() for _ in range(64)]
        for call in calls:
            await call.whole()
        assert joined_when_asked == [0]
        assert s.app.flights.joined == 63


async def test_F04_a_stream_beside_a_plain_flight_is_at_most_a_second_generation():
    async with engine_stack() as s:
        calls = [s.ask(chat(stream=stream)) for stream in [False, True] * 100]
        for call in calls:
            await call.whole()
        assert s.engine.stats.generations == 2


@pytest.mark.parametrize("merge", [None, "prompts"])
async def test_F05_each_prompt_of_a_window_obeys_its_own_limit(merge):
    batch = {"max_batch_size": 8, "max_wait_ms": 6, "merge": merge}
    limits = [5, 10, 20, 1000]
    async with engine_stack(policies=policy_set(batch=batch)) as s:
        calls = [s.ask(completion(f"Count {limit}", max_tokens=limit), path=COMPLETIONS) for limit in limits]
        for call in calls:
            await call.whole()
        lengths = [len(call.text.split()) for call in calls]
        assert lengths[:3] == [5, 10, 20]
        assert 20 < lengths[3] < 40
        assert [call.completion["choices"][0]["finish_reason"] for call in calls] == ["length"] * 3 + ["stop"]


@STREAMED
@pytest.mark.parametrize("script", ["fail-first=1", "fail-first=1 status=500", "fail-first=1 status=429 retry-after=2"])
async def test_F06_a_passing_failure_is_asked_once_more_for_all(script, stream):
    async with engine_stack() as s:
        calls = [s.ask(chat(f"Hi [[stub: {script}]]", stream=stream)) for _ in range(50)]
        for call in calls:
            await call.whole()
        assert {call.status for call in calls} == {200}
        assert s.engine.stats.requests == 2
        assert len({call.body for call in calls}) == 1


@STREAMED
async def test_F06_a_second_failure_is_everybodys_and_nothing_is_stored(stream):
    async with engine_stack() as s:
        calls = [s.ask(chat("Hi [[stub: fail-first=2]]", stream=stream)) for _ in range(50)]
        for call in calls:
            await call.whole()
        assert {call.status for call in calls} == {503}
        assert s.engine.stats.requests == 2
        after = s.ask(chat("Hi [[stub: fail-first=2]]", stream=stream))
        await after.whole()
        assert (after.status, s.engine.stats.requests) == (200, 3)


@STREAMED
async def test_F06_a_connection_lost_before_the_head_is_asked_once_more_for_all(stream):
    async with stack() as s:
        good = ScriptedReply(stream_of("a") if stream else answer("a"))
        s.upstream.script(UpstreamFailed("The upstream closed the connection.", code="no_reply"), good)
        calls = [Call(s.app, chat(stream=stream)).start() for _ in range(50)]
        for call in calls:
            await call.whole()
        assert {call.text for call in calls} == {"a"}
        assert s.upstream.calls == 2
        await assert_nothing_left(s.app)


async def test_F06_a_failure_whose_body_is_under_way_is_given_up_before_asking_again():
    async with stack() as s:
        s.upstream.script(ScriptedReply([b"data: busy\n\n", 99.0], status=503), ScriptedReply(answer("a")))
        calls = [Call(s.app, chat()).start() for _ in range(2)]
        for call in calls:
            await call.whole()
        assert {call.text for call in calls} == {"a"}
        assert (s.upstream.calls, s.upstream.open, s.upstream.aborted) == (2, 0, 1)
        await assert_nothing_left(s.app)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_F06_a_definite_client_error_is_shared_and_not_asked_again(status):
    async with engine_stack() as s:
        calls = [s.ask(chat(f"Hi [[stub: status={status}]]")) for _ in range(50)]
        for call in calls:
            await call.whole()
        assert {call.status for call in calls} == {status}
        assert s.engine.stats.requests == 1


async def test_F06_a_lone_reader_gets_the_failure():
    async with engine_stack() as s:
        call = s.ask(chat("Hi [[stub: fail-first=1]]"))
        await call.whole()
        assert (call.status, s.engine.stats.requests) == (503, 1)


async def test_F06_a_wait_that_does_not_fit_is_not_waited_for():
    async with engine_stack() as s:
        calls = [s.ask(chat("Hi [[stub: fail-first=1 retry-after=60]]")) for _ in range(2)]
        for call in calls:
            await call.whole()
        assert {call.status for call in calls} == {503}
        assert s.engine.stats.requests == 1


@STREAMED
async def test_F06_who_comes_during_the_wait_joins_and_who_leaves_then_ends_it(stream):
    async with engine_stack() as s:
        question = chat("Hi [[stub: fail-first=1 retry-after=3]]", stream=stream)
        first, second = s.ask(question), s.ask(question)
        await asyncio.sleep(1)
        third = s.ask(question)
        await first.leave()
        await second.leave()
        await third.whole()
        assert (third.status, s.engine.stats.requests) == (200, 2)
        question = chat("Ho [[stub: fail-first=1 retry-after=3]]", stream=stream)
        calls = [s.ask(question) for _ in range(2)]
        await asyncio.sleep(1)
        for call in calls:
            await call.leave()
        await settle()
        assert s.engine.stats.requests == 3
        await s.assert_nothing_left()


@pytest.mark.parametrize("kinds", [[0], [1], [0, 1]], ids=["shared", "alone", "both"])
async def test_T01_after_500_cancelled_at_random_points_5_together_succeed(kinds):
    draw = random.Random(1)
    upstreams = [{"name": "local", "url": "http://stub", "max_concurrency": 5, "max_queue": 1000}]
    async with engine_stack(StubEngine(), upstreams=upstreams) as s:

        async def cancelled(number: int) -> None:
            await asyncio.sleep(draw.uniform(0, 0.2))
            question = f"{draw.randrange(50)} [[stub: chunk-ms=2]]"
            call = s.ask(chat(question, stream=draw.random() < 0.5, temperature=kinds[number % len(kinds)]))
            await asyncio.sleep(draw.uniform(0, 0.2))
            await (call.leave() if number % 2 else call.cancel())

        await asyncio.gather(*(cancelled(number) for number in range(500)))
        await s.assert_nothing_left()
        calls = [s.ask(chat(f"after {number}")) for number in range(5)]
        for call in calls:
            await call.whole()
        assert {call.status for call in calls} == {200}
        await s.assert_nothing_left()
