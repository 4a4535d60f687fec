"""What the embedding worker decides and does with a batch: which texts go together, and what comes back for each."""

import math
import queue
import threading
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from proxy.batcher import Put
from proxy.cache.embedder import Embedded, Embedder, NoVector, Vector
from proxy.cache.embedder_check import VectorCheck

Job = Callable[[], None]


class WorkerThread:
    """Runs jobs one after another, in order, and dies with the process."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def __call__(self, job: Job) -> None:
        self._jobs.put(job)

    def close(self) -> None:
        """Let the thread end after the jobs it has. Does not wait for it."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def call_on_loop(loop: AbstractEventLoop, callback: Callable[[], object]) -> None:
    """From the thread: call back on the loop, if there still is one."""
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:  # it closed while the embedder was out
        return


@dataclass(slots=True, eq=False)
class Waiting:
    """One text under way, and the callers that wait for it."""

    text: str
    scope: bytes
    deadline_s: float
    """On the loop's clock."""
    callers: dict[Future[Embedded], None] = field(default_factory=dict)
    meanwhile: list[Callable[[], object]] = field(default_factory=list)
    """What callers do while the embedder computes."""
    put: Put | None = None
    """Its place in the batcher."""

    def answer(self, answer: Embedded) -> None:
        """Tell all callers, unless they were told."""
        for caller in self.callers:
            tell(caller, answer)


def tell(caller: Future[Embedded], answer: Embedded) -> None:
    """The first answer counts: a vector, or that it is too late."""
    if not caller.done():
        caller.set_result(answer)


def take(waiting: Iterable[Waiting], now_s: float, seconds_a_text: float) -> tuple[list[Waiting], list[Waiting]]:
    """Who of a batch goes now, and those whose deadline it is too late for; the rest goes next.

    Oldest first, as many as can all be done before the earliest deadline among them. Without that, an overloaded
    worker would spend its time on texts that are late when they are done. If nothing can be done in time, the newest
    is tried all the same: `seconds_a_text` is an estimate, and only trying corrects it.
    """
    batch: list[Waiting] = []
    late: list[Waiting] = []
    earliest_s = math.inf
    for one in waiting:
        if one.deadline_s < now_s + seconds_a_text:
            late.append(one)
            continue
        earliest_s = min(earliest_s, one.deadline_s)
        if now_s + seconds_a_text * (len(batch) + 1) > earliest_s:
            break
        batch.append(one)
    if not batch and late:
        batch.append(late.pop())
    return batch, late


def embed_batch(
    embedder: Embedder, check: VectorCheck, texts: Sequence[str], begin: Callable[[], None] = lambda: None
) -> tuple[list[Embedded], str]:
    """One answer for each text, and in words what was wrong last, if anything was. Runs in the worker's thread.

    If the batch fails as a whole, each text is tried alone: one that the embedder chokes on harms no other.

    Args:
        begin: called before the embedder computes.
    """
    answers: list[Embedded] = [NoVector("broken")] * len(texts)
    trouble = ""
    fitting: list[int] = []
    for at, text in enumerate(texts):
        try:
            if embedder.count_tokens(text) > embedder.window:
                answers[at] = NoVector("over_window")
            elif embedder.count_unknown(text):
                answers[at] = NoVector("unknown_tokens")
            else:
                fitting.append(at)
        except Exception as error:  # whatever a tokenizer may raise
            trouble = f"the embedder raised {type(error).__name__}"
    begin()
    for at, made in zip(fitting, _embed(embedder, check, [texts[at] for at in fitting]), strict=True):
        if isinstance(made, str):
            trouble = f"the embedder {made}"
        else:
            answers[at] = made
    return answers, trouble


def _embed(embedder: Embedder, check: VectorCheck, texts: list[str]) -> list[Vector | str]:
    """For each text its vector, or what is wrong with it."""
    if not texts:
        return []
    try:
        with np.errstate(all="ignore"):  # a broken row is judged, not warned of
            rows = np.asarray(embedder.embed(texts), np.float32)
            verdicts = check.judge(texts, rows)
    except Exception as error:  # whatever an inference library may raise
        if len(texts) == 1:
            return [f"raised {type(error).__name__}"]
        return [_embed(embedder, check, [text])[0] for text in texts]
    return [Vector(rows[at], embedder.identity) if wrong is None else wrong for at, wrong in enumerate(verdicts)]
