"""A caller of the worker gets a vector or a reason, by its deadline, whatever the embedder does."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
import pytest

from proxy.cache.embedder import Embedded, Embedder, EmbedderUnavailable, NoVector, Vector
from proxy.cache.embedder_batch import Job
from proxy.cache.embedder_health import REST_S
from proxy.cache.embedder_slot import RELOAD_AFTER_S
from proxy.cache.embedder_worker import EmbeddingWorker
from tests.proxy.cache.fake_embedder import FakeEmbedder, Rows

pytestmark = pytest.mark.anyio


class HeldThread:
    """A worker thread whose jobs run when the test says so."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def __call__(self, job: Job) -> None:
        self.jobs.append(job)

    def run_all(self) -> None:
        while self.jobs:
            self.jobs.pop(0)()


async def inline(embedder: Embedder, **settings: float) -> EmbeddingWorker:
    worker = EmbeddingWorker(lambda: embedder, off_loop=lambda job: job(), **settings)  # type: ignore[arg-type]
    await worker.start()
    return worker


async def held(embedder: Embedder, **settings: float) -> tuple[EmbeddingWorker, HeldThread]:
    thread = HeldThread()
    worker = EmbeddingWorker(lambda: embedder, off_loop=thread, **settings)  # type: ignore[arg-type]
    starting = asyncio.ensure_future(worker.start())
    await turns()
    thread.run_all()
    await starting
    return worker, thread


async def turns() -> None:
    """Let everything on the loop go as far as it can without time passing."""
    for _ in range(10):
        await asyncio.sleep(0)


async def run(thread: HeldThread) -> None:
    """Do all the thread has to do, and what follows from it."""
    while thread.jobs:
        thread.run_all()
        await turns()


async def begin(*calls: Awaitable[Embedded]) -> list[asyncio.Future[Embedded]]:
    """Start calls and let each come to its wait."""
    tasks: list[asyncio.Future[Embedded]] = [asyncio.ensure_future(call) for call in calls]
    await turns()
    return tasks


def now_s() -> float:
    return asyncio.get_running_loop().time()


async def test_a_text_becomes_its_vector():
    embedder = FakeEmbedder()
    worker = await inline(embedder)
    answer = await worker.embed("hello there")
    assert isinstance(answer, Vector)
    assert np.array_equal(answer.values, embedder.row("hello there"))
    assert (worker.identity, worker.status.ok, worker.vectors) == ("fake/1", True, 1)


async def test_a_recent_text_is_not_embedded_again():
    embedder = FakeEmbedder()
    worker = await inline(embedder)
    first = await worker.embed("hello")
    assert await worker.embed("hello") is first
    assert (embedder.calls, worker.reused) == ([["hello"]], 1)


async def test_recent_texts_are_bounded_and_can_be_forgotten():
    embedder = FakeEmbedder()
    worker = await inline(embedder, max_recent=2)
    for text in ("one", "two", "three", "one"):
        await worker.embed(text)
    assert len(embedder.calls) == 4
    worker.forget()
    await worker.embed("one")
    assert len(embedder.calls) == 5


async def test_one_tenant_cannot_time_what_another_asked():
    embedder = FakeEmbedder()
    worker = await inline(embedder)
    await worker.embed("hello", scope=b"acme")
    await worker.embed("hello", scope=b"other")
    assert embedder.calls == [["hello"], ["hello"]]


async def test_what_waits_while_a_batch_is_out_goes_together_next():
    embedder = FakeEmbedder()
    worker, thread = await held(embedder, max_batch=2)
    calls = await begin(worker.embed("one"))
    calls += await begin(*(worker.embed(text) for text in ("two", "three", "four")))
    await run(thread)
    assert [type(await call) for call in calls] == [Vector] * 4
    assert embedder.calls == [["one"], ["two", "three"], ["four"]]


async def test_callers_with_one_text_share_one_embedding():
    embedder = FakeEmbedder()
    worker, thread = await held(embedder)
    out = await begin(worker.embed("one"), worker.embed("one"))
    joining = await begin(worker.embed("one"), worker.embed("two"), worker.embed("two"))
    await run(thread)
    assert [type(await call) for call in [*out, *joining]] == [Vector] * 5
    assert embedder.calls == [["one"], ["two"]]


async def test_E01_a_hung_embedder_costs_each_caller_its_deadline_and_later_ones_nothing():
    worker, _ = await held(FakeEmbedder(), deadline_s=0.1)
    assert await worker.embed("one") == NoVector("late")
    assert now_s() == pytest.approx(0.1)
    assert not worker.status.ok
    assert await worker.embed("two") == NoVector("late")
    assert now_s() == pytest.approx(0.2)
    await asyncio.sleep(10)
    before = now_s()
    assert await worker.embed("three") == NoVector("late")
    assert now_s() == before
    assert worker.waiting == 0
    assert worker.refused["late"] == 3


async def test_E01_an_embedder_that_was_stuck_is_used_again():
    worker, thread = await held(FakeEmbedder(), deadline_s=0.1)
    assert await worker.embed("one") == NoVector("late")
    await asyncio.sleep(60)
    await run(thread)
    (call,) = await begin(worker.embed("two"))
    thread.run_all()
    assert isinstance(await call, Vector)
    assert worker.status.ok


async def test_a_vector_that_was_late_serves_the_next_to_ask():
    embedder = FakeEmbedder()
    worker, thread = await held(embedder, deadline_s=0.1)
    assert await worker.embed("one") == NoVector("late")
    await asyncio.sleep(0.1)
    await run(thread)
    assert worker.status.reason == "the embedder is late"
    assert isinstance(await worker.embed("one"), Vector)
    assert embedder.calls == [["one"]]


async def test_the_queue_is_bounded():
    worker, _ = await held(FakeEmbedder(), max_queue=3)
    calls = await begin(worker.embed("out"))
    calls += await begin(*(worker.embed(f"text {number}") for number in range(9)))
    assert worker.waiting == 3
    answers = [await call for call in calls]
    assert answers == [NoVector("late")] * 4 + [NoVector("queue_full")] * 6
    assert worker.refused["queue_full"] == 6


async def test_a_caller_that_leaves_takes_its_place_in_the_queue_along():
    worker, thread = await held(FakeEmbedder())
    await begin(worker.embed("out"))
    second, third = await begin(worker.embed("shared"), worker.embed("shared"))
    second.cancel()
    await turns()
    assert worker.waiting == 1
    third.cancel()
    await turns()
    assert worker.waiting == worker._batcher.waiting == 0
    thread.run_all()
    with pytest.raises(asyncio.CancelledError):
        await third


async def test_a_fill_may_wait_longer_than_a_lookup():
    worker, thread = await held(FakeEmbedder(), deadline_s=0.1)
    lookup, fill = await begin(worker.embed("one"), worker.embed("one", deadline_s=5.0))
    assert await lookup == NoVector("late")
    await asyncio.sleep(1)
    thread.run_all()
    assert isinstance(await fill, Vector)
    assert now_s() == pytest.approx(1.1)


async def test_a_fill_that_joins_a_waiting_lookup_is_not_given_up_at_the_lookups_deadline():
    worker, thread = await held(FakeEmbedder(), deadline_s=0.1)
    await begin(worker.embed("out"))
    lookup, fill, other = await begin(
        worker.embed("one"),
        worker.embed("one", deadline_s=5.0),
        worker.embed("two", deadline_s=5.0),
    )
    assert await lookup == NoVector("late")
    await asyncio.sleep(0.1)
    await run(thread)
    assert [type(await call) for call in (fill, other)] == [Vector, Vector]


async def test_twice_the_load_it_can_bear_still_gets_what_it_can_bear():
    """Without an estimate of what can be done in time, every vector would come just after its deadline."""
    loop = asyncio.get_running_loop()

    def slowly(job: Job) -> None:
        loop.call_later(0.01 * len(worker._out), job)

    worker = EmbeddingWorker(FakeEmbedder, deadline_s=0.1, max_queue=1000, off_loop=slowly)
    await worker.start()
    calls = []
    for number in range(2000):
        calls += await begin(worker.embed(f"text {number}"))
        await asyncio.sleep(0.005)
    answers = [await call for call in calls]
    assert sum(isinstance(answer, Vector) for answer in answers) > 0.35 * len(answers)


async def test_callers_do_something_else_while_the_embedder_computes():
    done: list[str] = []

    def note(texts: Sequence[str], rows: Rows) -> Rows:
        done.append("computed")
        return rows

    worker, thread = await held(FakeEmbedder(spoil=note))
    calls = await begin(*(worker.embed("one", meanwhile=lambda: done.append("meanwhile")) for _ in range(2)))
    assert done == []
    await run(thread)
    assert [type(await call) for call in calls] == [Vector, Vector]
    # The held thread computes in the loop's own turn; that the loop is free meanwhile is the next test's.
    assert sorted(done) == ["computed", "meanwhile", "meanwhile"]


async def test_nothing_is_done_meanwhile_where_there_is_nothing_to_wait_for():
    worker = await inline(FakeEmbedder())
    await worker.embed("one")
    done: list[str] = []
    assert isinstance(await worker.embed("one", meanwhile=lambda: done.append("recent")), Vector)
    assert await worker.embed("word " * 100_000, meanwhile=lambda: done.append("refused")) == NoVector("over_window")
    assert done == []


@pytest.mark.real_loop
async def test_meanwhile_is_before_the_vector_and_an_error_in_it_harms_nobody():
    computing, read = threading.Event(), threading.Event()

    def compute(texts: Sequence[str], rows: Rows) -> Rows:
        computing.set()
        read.wait(60)
        return rows

    worker = EmbeddingWorker(lambda: FakeEmbedder(spoil=compute), deadline_s=60)
    await worker.start()
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: faults.append(context["exception"]))

    def fail() -> None:
        raise ZeroDivisionError

    failing, reading = await begin(worker.embed("one", meanwhile=fail), worker.embed("one", meanwhile=read.set))
    assert [type(await call) for call in (failing, reading)] == [Vector, Vector]
    assert computing.is_set()
    assert [type(fault) for fault in faults] == [ZeroDivisionError]
    await worker.aclose()


async def test_M02_a_very_long_text_is_refused_without_asking_the_embedder():
    worker, thread = await held(FakeEmbedder(window=256))
    assert await worker.embed("word " * 100_000) == NoVector("over_window")
    assert thread.jobs == []


async def test_M02_two_long_texts_with_the_same_beginning_have_no_vector():
    worker = await inline(FakeEmbedder(window=256))
    same = "the same beginning of both " * 100
    assert await worker.embed(same + "may I?") == NoVector("over_window")
    assert await worker.embed(same + "must I not?") == NoVector("over_window")
    assert worker.status.ok


@pytest.mark.parametrize(
    "spoil",
    [
        lambda texts, rows: rows * np.float32("nan"),
        lambda texts, rows: rows * 0,
        lambda texts, rows: rows[:, :3],
        lambda texts, rows: 1 / 0,
    ],
    ids=["NaN", "zero", "wrong size", "raising"],
)
async def test_E01_a_broken_embedder_is_a_reason_and_recovers_by_itself(spoil):
    embedder = FakeEmbedder(spoil=spoil)
    worker = await inline(embedder)
    assert await worker.embed("one") == NoVector("broken")
    assert not worker.status.ok
    embedder.spoil = lambda texts, rows: rows
    assert isinstance(await worker.embed("one"), Vector)
    assert worker.status.ok


async def test_E01_an_embedder_that_fails_again_and_again_is_asked_once_a_while():
    embedder = FakeEmbedder(spoil=lambda texts, rows: 1 / 0)
    worker = await inline(embedder)
    for number in range(100):
        assert await worker.embed(f"text {number}") == NoVector("broken")
    assert len(embedder.calls) == 5
    await asyncio.sleep(REST_S)
    for number in range(100):
        await worker.embed(f"text {number}")
    assert len(embedder.calls) == 6


async def test_M08_a_constant_embedder_gives_no_vectors():
    constant = FakeEmbedder().row("constant")
    worker = await inline(FakeEmbedder(spoil=lambda texts, rows: np.tile(constant, (len(texts), 1))))
    answers = [await worker.embed(f"unrelated question {number}") for number in range(100)]
    assert [isinstance(answer, Vector) for answer in answers] == [True] + [False] * 99
    assert worker.look_alikes >= 5
    assert worker.status.reason == "the embedder gives unlike texts the same vector"


async def test_missing_weights_are_a_reason_that_status_tells():
    def load() -> Embedder:
        raise EmbedderUnavailable("the packaged weights are not installed: pip install them")

    worker = EmbeddingWorker(load, off_loop=lambda job: job())
    await worker.start()
    assert await worker.embed("one") == NoVector("missing")
    assert (worker.status.ok, worker.status.reason[:20]) == (False, "the packaged weights")
    assert (worker.identity, worker.refused["missing"]) == (None, 1)


async def test_an_embedder_that_could_not_be_loaded_is_tried_again_now_and_then():
    attempts: list[Callable[[], Embedder]] = []

    def load() -> Embedder:
        attempts.append(load)
        if len(attempts) < 2:
            raise OSError("the network is down")
        return FakeEmbedder()

    worker = EmbeddingWorker(load, off_loop=lambda job: job())
    await worker.start()
    await worker.embed("one")
    assert (len(attempts), worker.status.reason) == (1, "loading the embedder raised OSError")
    await asyncio.sleep(RELOAD_AFTER_S)
    assert await worker.embed("one") == NoVector("missing")
    await asyncio.sleep(0)
    assert isinstance(await worker.embed("one"), Vector)
    assert len(attempts) == 2


async def test_a_load_that_hangs_does_not_keep_the_proxy_from_starting():
    worker = EmbeddingWorker(FakeEmbedder, off_loop=HeldThread())
    await worker.start(wait_s=10)
    assert now_s() == 10
    assert await worker.embed("one") == NoVector("missing")


async def test_closing_answers_those_who_wait_and_leaves_no_task_behind():
    worker, thread = await held(FakeEmbedder())
    before = asyncio.all_tasks()
    calls = await begin(worker.embed("out"))
    calls += await begin(worker.embed("waiting"))
    await worker.aclose()
    assert asyncio.all_tasks() - before <= set(calls)
    assert [await call for call in calls] == [NoVector("missing")] * 2
    thread.run_all()
    assert await worker.embed("later") == NoVector("missing")


async def test_an_embedder_that_is_loaded_after_closing_is_not_used():
    thread = HeldThread()
    worker = EmbeddingWorker(FakeEmbedder, off_loop=thread)
    starting = asyncio.ensure_future(worker.start())
    await turns()
    await worker.aclose()
    await run(thread)
    await starting
    assert await worker.embed("one") == NoVector("missing")
    assert worker.status.reason == "the embedder is closed"


@pytest.mark.real_loop
async def test_E01_the_loop_is_free_while_the_embedder_hangs_and_shutdown_does_not_wait():
    hanging, release = threading.Event(), threading.Event()

    def hang(texts: Sequence[str], rows: Rows) -> Rows:
        hanging.set()
        release.wait()
        return rows

    worker = EmbeddingWorker(lambda: FakeEmbedder(spoil=hang), deadline_s=60)
    await worker.start()
    (call,) = await begin(worker.embed("one"))
    await asyncio.to_thread(hanging.wait)
    assert not call.done()
    await worker.aclose()
    assert await call == NoVector("missing")
    release.set()


@pytest.mark.real_loop
async def test_many_callers_on_a_real_thread_each_get_their_own_vector():
    embedder = FakeEmbedder()
    worker = EmbeddingWorker(lambda: embedder, deadline_s=60, max_queue=1000)
    await worker.start()
    texts = [f"text number {number}" for number in range(300)]
    answers = await asyncio.gather(*(worker.embed(text) for text in texts))
    await worker.aclose()
    for text, answer in zip(texts, answers, strict=True):
        assert isinstance(answer, Vector)
        assert np.array_equal(answer.values, embedder.row(text))
