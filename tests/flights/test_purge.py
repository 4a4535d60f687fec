"""A purge: what was asked before it is given to those who wait for it, and to nobody else."""

import asyncio

import pytest

from tests.builders import chat
from tests.flights.engines import engine_stack
from tests.flights.test_metrics import value

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("family", [None, "default"])
async def test_an_answer_under_way_is_neither_joined_nor_stored_after_a_purge(stream, family):
    async with engine_stack() as s:
        asked = chat("a [[stub: first-byte-ms=1000]]", stream=stream)
        first, second = s.ask(asked), s.ask(asked)
        await asyncio.sleep(0.5)
        assert s.app.purge(family) == 0
        after = s.ask(asked)
        for call in (first, second, after):
            await call.whole()
        assert s.engine.stats.generations == 2
        assert [call.outcome.partition(";")[0] for call in (first, second, after)] == [
            "fwd=miss",
            "fwd=miss",
            "fwd=miss",
        ]
        assert "collapsed" in second.outcome
        assert "collapsed" not in after.outcome
        assert value(s.app, "askonce_not_stored_total", reason="purged") == 1
        again = s.ask(asked)
        await again.whole()
        assert again.outcome.startswith("hit"), "what was asked for after the purge is kept"
        assert s.engine.stats.generations == 2


async def test_a_purge_of_one_family_leaves_the_answers_of_others():
    async with engine_stack() as s:
        await s.ask(chat("a")).whole()
        assert s.app.purge("another") == 0
        again = s.ask(chat("a"))
        await again.whole()
        assert again.outcome.startswith("hit")
        assert s.app.purge("default") == 1
        await s.ask(chat("a")).whole()
        assert s.engine.stats.generations == 2


@pytest.mark.parametrize("stream", [False, True])
async def test_a_purge_of_one_family_leaves_what_is_under_way_in_others(stream):
    async with engine_stack() as s:
        asked = chat("a [[stub: first-byte-ms=1000]]", stream=stream)
        first = s.ask(asked)
        await asyncio.sleep(0.5)
        s.app.purge("another")
        second = s.ask(asked)
        for call in (first, second):
            await call.whole()
        again = s.ask(asked)
        await again.whole()
        assert s.engine.stats.generations == 1
        assert again.outcome.startswith("hit")


async def test_what_a_purged_answer_took_is_counted():
    async with engine_stack() as s:
        asked = chat("a [[stub: first-byte-ms=1000]]")
        calls = [s.ask(asked), s.ask(asked)]
        await asyncio.sleep(0.5)
        s.app.purge()
        for call in calls:
            await call.whole()
        spent = value(s.app, "askonce_tokens_spent_total", kind="completion")
        assert spent > 0
        assert value(s.app, "askonce_tokens_saved_total", kind="completion") == spent
