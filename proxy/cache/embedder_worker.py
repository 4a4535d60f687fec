"""The one way from a request to a vector: a bounded worker thread behind an async front.

On the loop: the texts waiting (in order of arrival, at most `max_queue`), the batch that is out (one at a time), and
recent vectors. `MicroBatcher` says which texts travel together. In the thread: the embedder, and the check of what it
gives. The thread is a daemon and nobody joins it, so an embedder that hangs for ever costs its callers their deadline,
later ones nothing, and shutdown nothing.

A caller gets a vector or the reason why not; no failure of an embedder is an exception here.
"""

import asyncio
from collections.abc import Callable

from cachetools import LRUCache

from proxy.batcher import MicroBatcher
from proxy.cache.embedder import (
    Embedded,
    Embedder,
    EmbedderStatus,
    NoVector,
    NoVectorReason,
    Vector,
)
from proxy.cache.embedder_batch import Job, Waiting, WorkerThread, call_on_loop, embed_batch, take, tell
from proxy.cache.embedder_health import EmbedderHealth
from proxy.cache.embedder_slot import EmbedderSlot

MAX_CHARACTERS_A_TOKEN = 16
"""Text with more characters a token than this is over the window without counting, which would cost the loop time."""
NEWEST_SHARE = 0.2
"""Weight of the last batch in the running mean of seconds a text."""


class EmbeddingWorker:
    """Embeds texts off the event loop, in small batches, each by its deadline or not at all."""

    def __init__(
        self,
        load: Callable[[], Embedder],
        *,
        deadline_s: float = 0.1,
        max_queue: int = 256,
        max_batch: int = 32,
        max_recent: int = 4096,
        off_loop: Callable[[Job], None] | None = None,
    ) -> None:
        """
        Args:
            load: makes the embedder, off the loop; raises `EmbedderUnavailable` if it can't.
            max_recent: how many texts' vectors are remembered.
            off_loop: runs a job elsewhere, one at a time and in order: a thread of its own by default. Tests on
                virtual time give `lambda job: job()`.
        """
        self._deadline_s = deadline_s
        self._stuck_s = max(1.0, 10 * deadline_s)
        self._max_queue = max_queue
        self._max_batch = max_batch
        self._thread: WorkerThread | None = None
        if off_loop is None:
            off_loop = self._thread = WorkerThread("embedder")
        self._off_loop = off_loop
        self.health = EmbedderHealth()
        self._slot = EmbedderSlot(load, off_loop, self.health)
        self._waiting: dict[tuple[bytes, str], Waiting] = {}
        self._out: dict[tuple[bytes, str], Waiting] = {}
        self._out_since_s = 0.0
        self._batcher: MicroBatcher[Waiting, None] = MicroBatcher(self._run, max_running=1)
        self._recent: LRUCache[tuple[bytes, str], Vector] = LRUCache(maxsize=max_recent)
        self._seconds_a_text = 0.0

        self.vectors = 0
        """Made by the embedder."""
        self.reused = 0
        """Answered from recent vectors."""
        self.batches = 0

    async def start(self, wait_s: float = 10.0) -> None:
        """Load the embedder. Returns when that is decided, or after `wait_s`: the proxy can serve without it."""
        await asyncio.wait([self._slot.begin(asyncio.get_running_loop())], timeout=wait_s)

    async def aclose(self) -> None:
        """Refuse what waits and let the thread end. Does not wait for an embedder that is out."""
        self._slot.close()
        self.health.trouble = "the embedder is closed"
        await self._batcher.aclose()
        for one in (*self._waiting.values(), *self._out.values()):
            one.answer(NoVector("missing"))
        self._waiting, self._out = {}, {}
        if self._thread is not None:
            self._thread.close()

    @property
    def status(self) -> EmbedderStatus:
        """For `/readyz`."""
        return self.health.status

    @property
    def refused(self) -> dict[NoVectorReason, int]:
        """Answers without a vector, by reason."""
        return self.health.refused

    @property
    def identity(self) -> str | None:
        """The loaded embedder's; None while there is none."""
        return None if self._slot.embedder is None else self._slot.embedder.identity

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def look_alikes(self) -> int:
        """Vectors refused because an unlike text had the same."""
        return 0 if self._slot.check is None else self._slot.check.look_alikes

    async def embed(
        self,
        text: str,
        *,
        scope: bytes = b"",
        deadline_s: float | None = None,
        meanwhile: Callable[[], object] | None = None,
    ) -> Embedded:
        """The text's vector, or why there is none.

        Args:
            scope: whose text this is. Vectors are remembered and shared within a scope only, or the time this takes
                would tell one tenant what another has asked.
            deadline_s: from now; for a fill, which nobody waits for, longer than the setting.
            meanwhile: called on the loop, at most once, when the embedder begins to compute, which takes some
                milliseconds; not if this text is under way already, or there is nothing to wait for.
        """
        loop = asyncio.get_running_loop()
        name = (scope, text)
        if (recent := self._recent.get(name)) is not None:
            self.reused += 1
            return recent
        if (reason := self._refusal(text, loop)) is not None:
            return self._refuse(reason)
        wait_s = self._deadline_s if deadline_s is None else deadline_s
        one = self._waiting.get(name) or self._out.get(name)
        if one is None:
            if len(self._waiting) >= self._max_queue:
                return self._refuse("queue_full")
            one = self._waiting[name] = Waiting(text, scope, loop.time() + wait_s)
            one.put = self._batcher.put(None, one, max_batch_size=self._max_batch, max_wait_s=0.0)
        one.deadline_s = max(one.deadline_s, loop.time() + wait_s)
        if meanwhile is not None:
            one.meanwhile.append(meanwhile)
        caller: asyncio.Future[Embedded] = loop.create_future()
        one.callers[caller] = None
        timer = loop.call_later(wait_s, tell, caller, NoVector("late"))
        try:
            answer = await caller
        finally:
            timer.cancel()
            del one.callers[caller]
            if not one.callers and self._waiting.get(name) is one and one.put is not None:
                del self._waiting[name]
                one.put.withdraw()
        return answer if isinstance(answer, Vector) else self._refuse(answer.reason)

    def forget(self) -> None:
        """Drop the remembered texts and vectors."""
        self._recent.clear()

    def _refusal(self, text: str, loop: asyncio.AbstractEventLoop) -> NoVectorReason | None:
        """Why not to try at all."""
        embedder = self._slot.embedder
        if embedder is None:
            self._slot.begin_if_due(loop)
            return "missing"
        if len(text) > embedder.window * MAX_CHARACTERS_A_TOKEN:
            return "over_window"
        if self._out and loop.time() - self._out_since_s > self._stuck_s:
            return "late"
        return "broken" if self.health.resting(loop.time()) else None

    def _refuse(self, reason: NoVectorReason) -> NoVector:
        self.health.refuse(reason)
        return NoVector(reason)

    # Batches: `_run` is called by the batcher, never twice at a time. What is out has left `_waiting` for `_out`, and
    # is not withdrawn any more: its vector serves the next who asks.

    async def _run(self, together: list[Waiting]) -> list[None]:
        """Embed what the batcher let leave, in as many batches as the deadlines ask for; each is answered at once."""
        loop = asyncio.get_running_loop()
        while left := [one for one in together if self._waiting.get((one.scope, one.text)) is one]:
            batch, late = take(left, loop.time(), self._seconds_a_text)
            for one in late:
                del self._waiting[one.scope, one.text]
                one.answer(NoVector("late"))
            self._out = {(one.scope, one.text): self._waiting.pop((one.scope, one.text)) for one in batch}
            self._out_since_s = loop.time()
            self.batches += 1
            await self._embed_off_loop(batch, loop)
        return [None] * len(together)

    async def _embed_off_loop(self, batch: list[Waiting], loop: asyncio.AbstractEventLoop) -> None:
        embedder, check = self._slot.embedder, self._slot.check
        assert embedder is not None  # closing cancels this task before it takes them away
        assert check is not None
        done: asyncio.Future[None] = loop.create_future()
        texts = [one.text for one in batch]
        meanwhile = [do for one in batch for do in one.meanwhile]

        def make() -> None:
            answers, trouble = embed_batch(embedder, check, texts, begin)
            call_on_loop(loop, lambda: take_back(answers, trouble))

        def begin() -> None:
            for do in meanwhile:
                call_on_loop(loop, do)

        def take_back(answers: list[Embedded], trouble: str) -> None:
            if not done.done():  # closed meanwhile
                self._take_back(batch, answers, trouble, loop.time())
                done.set_result(None)

        self._off_loop(make)
        await done

    def _take_back(self, batch: list[Waiting], answers: list[Embedded], trouble: str, now_s: float) -> None:
        """Here, and not when `_run` goes on: callers wait for one turn of the loop less."""
        self._out = {}
        seconds_a_text = (now_s - self._out_since_s) / len(batch)
        self._seconds_a_text += (seconds_a_text - self._seconds_a_text) * NEWEST_SHARE
        in_time = False
        for one, answer in zip(batch, answers, strict=True):
            if isinstance(answer, Vector):
                self.vectors += 1
                self._recent[one.scope, one.text] = answer
                in_time = in_time or now_s <= one.deadline_s
            one.answer(answer)
        self.health.note_batch(in_time=in_time, trouble=trouble, now_s=now_s)
