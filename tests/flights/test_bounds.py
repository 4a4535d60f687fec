"""Flights over their bounds, and readers that are slow: nobody gets less than the whole, and memory stays bounded."""

import asyncio
from typing import Any

import pytest

from tests.builders import DONE, USAGE, ScriptedReply, chat, chunk, stack, stream_of
from tests.flights.calls import Call
from tests.flights.engines import assert_nothing_left, engine_stack, settle

pytestmark = pytest.mark.anyio

PIECES = [chunk({"content": f"{place:04d}" + "x" * 100}) for place in range(50)]
LONG = b"".join([*PIECES, chunk({}, finish="stop"), DONE])
SLOW = [part for piece in [*PIECES, chunk({}, finish="stop"), USAGE, DONE] for part in (0.1, piece)]
SMALL: dict[str, Any] = {"store": {"max_entry_bytes": 2000}, "flights": {"slow_reader_s": 60, "heartbeat_s": 1000}}


async def test_an_answer_over_max_entry_bytes_is_delivered_to_all_and_neither_stored_nor_joined_late():
    async with stack(**SMALL) as s:
        s.upstream.script(ScriptedReply(SLOW))
        early = [Call(s.app, chat(stream=True)).start() for _ in range(2)]
        plain = Call(s.app, chat()).start()
        await early[0].pieces_sent(30)
        late = Call(s.app, chat(stream=True)).start()
        for call in (*early, plain, late):
            await call.whole()
        assert {call.body for call in (*early, late)} == {LONG}
        assert s.upstream.calls == 2, "the late one flew for itself"
        assert len(plain.text) == sum(len(f"{place:04d}") + 100 for place in range(50))
        again = Call(s.app, chat(stream=True)).start()
        await again.whole()
        assert s.upstream.calls == 3
        await assert_nothing_left(s.app)


async def test_beyond_the_bound_upstream_is_read_at_the_pace_of_the_slowest():
    async with stack(**SMALL) as s:
        s.upstream.script(ScriptedReply(SLOW))
        slow, fast = (Call(s.app, chat(stream=True)).start() for _ in range(2))
        await slow.pieces_sent(2)
        slow.stop_reading()
        await asyncio.sleep(30)
        assert len(fast.pieces) < 30, "the other waits too"
        assert s.app.flights.total_bytes < 2500
        slow.read_on()
        assert await slow.whole() == await fast.whole() == LONG


async def test_a_reader_that_takes_nothing_for_slow_reader_s_is_cut_and_the_others_go_on():
    async with stack(**SMALL) as s:
        s.upstream.script(ScriptedReply(SLOW))
        stuck, fast = (Call(s.app, chat(stream=True)).start() for _ in range(2))
        await stuck.pieces_sent(2)
        stuck.stop_reading()
        assert await fast.whole() == LONG
        assert s.app.flights.cut == 1
        stuck.read_on()
        await stuck.whole()
        assert stuck.error_code == "slow_reader"
        assert DONE not in stuck.body
        await assert_nothing_left(s.app)


async def test_a_stuck_lone_reader_frees_upstream_and_the_log():
    async with stack(**SMALL) as s:
        s.upstream.script(ScriptedReply(SLOW))
        stuck = Call(s.app, chat(stream=True)).start()
        await stuck.pieces_sent(2)
        stuck.stop_reading()
        await asyncio.sleep(100)
        assert (s.upstream.open, s.upstream.aborted) == (0, 1)
        assert len(s.app.flights) == s.app.flights.total_bytes == 0
        await stuck.leave()
        await assert_nothing_left(s.app)


async def test_a_reader_that_is_stuck_when_the_answer_is_complete_holds_its_log_no_longer_than_that():
    async with stack(flights={"slow_reader_s": 60}) as s:
        s.upstream.script(ScriptedReply(stream_of(*"abcdef")))
        stuck = Call(s.app, chat(stream=True))
        stuck.stop_reading()
        stuck.start()
        await settle()
        hit = Call(s.app, chat(stream=True)).start()
        await hit.whole()
        assert hit.outcome.startswith("hit"), "it is stored although one still reads"
        assert s.app.flights.total_bytes > 0
        await asyncio.sleep(61)
        assert s.app.flights.total_bytes == 0
        await stuck.leave()
        await assert_nothing_left(s.app)


async def test_over_the_bound_of_all_logs_requests_fly_alone_and_whole():
    question = "{} [[stub: chunk-ms=10]]"
    async with engine_stack(flights={"max_bytes": 3000}) as s:
        first = s.ask(chat(question.format("a"), stream=True))
        await first.pieces_sent(2)
        first.stop_reading()
        await asyncio.sleep(1)
        assert 3000 <= s.app.flights.total_bytes < 3300
        alone = [s.ask(chat(question.format("b"), stream=stream)) for stream in (True, True, False)]
        for call in alone:
            await call.whole()
        first.read_on()
        await first.whole()
        assert s.engine.stats.generations == 4
        assert len({call.text for call in alone}) == 1
        await s.assert_nothing_left()
        hit = s.ask(chat(question.format("b")))
        await hit.whole()
        assert hit.outcome.startswith("hit"), "flying alone, an answer is stored all the same"


async def test_a_plain_answer_over_the_bound_is_whole():
    body = b'{"choices": [], "text": "' + b"x" * 100_000 + b'"}'
    async with stack(**SMALL) as s:
        s.upstream.script(ScriptedReply(body, wait=1.0))
        calls = [Call(s.app, chat()).start() for _ in range(3)]
        for call in calls:
            assert await call.whole() == body
        assert s.upstream.calls == 1
        await assert_nothing_left(s.app)
