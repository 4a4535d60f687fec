"""Closed and open loops over a client whose answers come when the test says so; a whole job over real sockets."""

import asyncio
import itertools
import math

import pytest

from bench.ask import Answer, Ask
from bench.client import LoadClient
from bench.load import Alarm, Loop, closed_loop, drive, open_loop
from bench.tally import Tally
from bench.upstream import StubEngine, StubUpstream
from bench.worker import Job, floor_us, run_job
from bench.workloads import Burst, Users, Wire

pytestmark = pytest.mark.anyio


class HeldClient(LoadClient):
    """Answers after a second of the loop's time; knows how many wait."""

    def __init__(self) -> None:
        self.asked: list[tuple[Ask, float | None]] = []
        self.waiting = self.most = 0

    async def ask(self, ask: Ask, due_s: float | None = None) -> Answer:
        self.asked.append((ask, due_s))
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await asyncio.sleep(1)
        self.waiting -= 1
        return Answer(due_s or 0.0)


async def test_closed_loop_keeps_as_many_in_flight_as_there_are_users():
    client, recorded = HeldClient(), []
    share = iter([Ask(b"%d" % number) for number in range(10)])
    await closed_loop(client, share, 3, math.inf, lambda ask, answer: recorded.append(ask.body))
    assert client.most == 3
    assert sorted(recorded) == sorted(b"%d" % number for number in range(10))
    assert asyncio.get_running_loop().time() == 4  # ten requests, three at a time


async def test_closed_loop_asks_nothing_after_its_time():
    client = HeldClient()
    await closed_loop(client, (Ask(b"") for _ in itertools.count()), 3, -math.inf, lambda ask, answer: None)
    assert client.asked == []


async def test_open_loop_does_not_wait_for_answers():
    client = HeldClient()
    share = iter([Ask(b"", at_s=0.0) for _ in range(20)])
    await open_loop(client, share, math.inf, lambda ask, answer: None)
    assert client.most == 20
    assert len({due_s for _, due_s in client.asked}) == 1  # timed from when they were due, not from when they were sent


async def test_requests_with_times_are_driven_by_them_and_others_by_users():
    for at_s, most in ((0.0, 5), (None, 2)):
        client = HeldClient()
        await drive(client, iter([Ask(b"", at_s=at_s)] * 5), 2, math.inf, lambda ask, answer: None)
        assert client.most == most


@pytest.mark.real_loop
async def test_alarm_rings_once_its_time_has_come_and_not_before():
    import time

    with Alarm() as alarm:
        for step_s in (0.0, 0.001, 0.002):
            at_s = time.monotonic() + step_s
            await alarm.wait_until(at_s)
            assert time.monotonic() >= at_s
        await alarm.wait_until(time.monotonic() - 1)


@pytest.mark.real_loop
@pytest.mark.parametrize("stream", [False, True])
async def test_job_asks_all_and_tells_what_came_back(stream: bool):
    async with StubUpstream(StubEngine(base_ms=0, per_item_ms=0)) as stub:
        tally = Tally()
        await run_job(Job(stub.url, Burst(), Wire("stub", "s", stream), Loop(16, requests=80), 0), tally)
        assert tally.outcomes == {"uncached": 80}
        assert stub.engine.stats.generations == 80
        assert not tally.errors
        assert tally.finishes == {"stop": 80}
        assert tally.prompt_tokens.count == tally.output_tokens.count == 80
        assert (tally.whole("itl").count > 0) is stream
        assert len(tally.cpu_shares) == 1


@pytest.mark.real_loop
async def test_priming_asks_each_prompt_once():
    async with StubUpstream(StubEngine(base_ms=0, per_item_ms=0)) as stub:
        tally = Tally()
        job = Job(stub.url, Users(1.0, distinct=7), Wire("stub", "s"), Loop(50, requests=1), 0, priming=True)
        await run_job(job, tally)
        assert tally.done == 7


@pytest.mark.real_loop
async def test_cancelled_job_leaves_what_it_measured():
    async with StubUpstream(StubEngine(base_ms=0, per_item_ms=0)) as stub:
        tally = Tally()
        task = asyncio.create_task(run_job(Job(stub.url, Users(), Wire("stub", "s"), Loop(4, seconds=1e6), 0), tally))
        while tally.done < 20:  # noqa: ASYNC110 - the job has no event for its progress
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert tally.done >= 20
        assert tally.cpu_shares


@pytest.mark.real_loop
async def test_floor_is_a_round_trip():
    assert 0 < await floor_us() < 1e6
