"""The one way from a request to a vector: a bounded worker thread behind an async front.

On the loop: the texts waiting (in order of arrival, at most `max_queue`), the batch that is out (one at a time), and
recent vectors. In the thread: the embedder, and the check of what it gives. The thread is a daemon and nobody joins
it, so an embedder that hangs for ever costs its callers their deadline, later ones nothing, and shutdown nothing.

A caller gets a vector or the reason why not; no failure of an embedder is an exception here.
"""

import asyncio
import logging
from collections.abc import Callable

from cachetools import LRUCache

from proxy.cache.embedder import (
    Embedded,
    Embedder,
    EmbedderStatus,
    EmbedderUnavailable,
    NoVector,
    NoVectorReason,
    Vector,
)
from proxy.cache.embedder_batch import Job, Waiting, WorkerThread, embed_batch, take
from proxy.cache.embedder_check import VectorCheck
from proxy.cache.embedder_health import EmbedderHealth

log = logging.getLogger(__name__)

MAX_CHARACTERS_A_TOKEN = 16
"""Text with more characters a token than this is over the window without counting, which would cost the loop time."""
RELOAD_AFTER_S = 30.0
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
        self._load = load
        self._deadline_s = deadline_s
        self._stuck_s = max(1.0, 10 * deadline_s)
        self._max_queue = max_queue
        self._max_batch = max_batch
        self._thread: WorkerThread | None = None
        if off_loop is None:
            off_loop = self._thread = WorkerThread("embedder")
        self._off_loop = off_loop
        self._loop: asyncio.AbstractEventLoop | None = None

        self._embedder: Embedder | None = None
        self._check: VectorCheck | None = None
        self._loaded: asyncio.Future[None] | None = None
        self._reload_at_s = 0.0
        self._waiting: dict[tuple[bytes, str], Waiting] = {}
        self._out: dict[tuple[bytes, str], Waiting] = {}
        self._out_since_s = 0.0
        self._recent: LRUCache[tuple[bytes, str], Vector] = LRUCache(maxsize=max_recent)
        self._seconds_a_text = 0.0

        self.health = EmbedderHealth()
        self.vectors = 0
        """Made by the embedder."""
        self.reused = 0
        """Answered from recent vectors."""
        self.batches = 0

    async def start(self, wait_s: float = 10.0) -> None:
        """Load the embedder. Returns when that is decided, or after `wait_s`: the proxy can serve without it."""
        self._loop = asyncio.get_running_loop()
        await asyncio.wait([self._begin_loading(self._loop)], timeout=wait_s)

    def close(self) -> None:
        """Refuse what waits and let the thread end. Does not wait for an embedder that is out."""
        for one in (*self._waiting.values(), *self._out.values()):
            _answer(one, NoVector("missing"))
        self._waiting.clear()
        self._embedder = None
        self._reload_at_s = float("inf")
        self.health.trouble = "the embedder is closed"
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
        return None if self._embedder is None else self._embedder.identity

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def look_alikes(self) -> int:
        """Vectors refused because an unlike text had the same."""
        return 0 if self._check is None else self._check.look_alikes

    async def embed(self, text: str, *, scope: bytes = b"", deadline_s: float | None = None) -> Embedded:
        """The text's vector, or why there is none.

        Args:
            scope: whose text this is. Vectors are remembered and shared within a scope only, or the time this takes
                would tell one tenant what another has asked.
            deadline_s: from now; for a fill, which nobody waits for, longer than the setting.
        """
        loop = asyncio.get_running_loop()
        name = (scope, text)
        if (recent := self._recent.get(name)) is not None:
            self.reused += 1
            return recent
        now_s = loop.time()
        if (reason := self._refusal(text, now_s)) is not None:
            return self._refuse(reason)
        one = self._waiting.get(name) or self._out.get(name)
        wait_s = self._deadline_s if deadline_s is None else deadline_s
        if one is None:
            if len(self._waiting) >= self._max_queue:
                return self._refuse("queue_full")
            one = self._waiting[name] = Waiting(text, scope, now_s + wait_s, loop.create_future())
            self._send_next(loop)
        one.deadline_s = max(one.deadline_s, now_s + wait_s)
        one.callers += 1
        try:
            await asyncio.wait([one.done], timeout=wait_s)
        finally:
            one.callers -= 1
            if not one.callers and self._waiting.get(name) is one:
                del self._waiting[name]
        answer = one.done.result() if one.done.done() else NoVector("late")
        return answer if isinstance(answer, Vector) else self._refuse(answer.reason)

    def forget(self) -> None:
        """Drop the remembered texts and vectors."""
        self._recent.clear()

    def _refusal(self, text: str, now_s: float) -> NoVectorReason | None:
        """Why not to try at all."""
        if self._embedder is None:
            if self._loop is not None and now_s >= self._reload_at_s:
                self._begin_loading(self._loop)
            return "missing"
        if len(text) > self._embedder.window * MAX_CHARACTERS_A_TOKEN:
            return "over_window"
        if self._out and now_s - self._out_since_s > self._stuck_s:
            return "late"
        return "broken" if self.health.resting(now_s) else None

    def _refuse(self, reason: NoVectorReason) -> NoVector:
        self.health.refuse(reason)
        return NoVector(reason)

    # Loading: `_loaded` is set while a load is under way, here and in `_take_embedder` on the loop.

    def _begin_loading(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
        if self._loaded is None:
            self._loaded = loop.create_future()
            self._off_loop(lambda: self._load_off_loop(loop))
        return self._loaded

    def _load_off_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        made: Embedder | str
        try:
            made = self._load()
        except EmbedderUnavailable as error:
            made = str(error)
        except Exception as error:  # whatever an inference library may raise
            made = f"loading the embedder raised {type(error).__name__}"
        _call(loop, lambda: self._take_embedder(made, loop.time()))

    def _take_embedder(self, made: "Embedder | str", now_s: float) -> None:
        if isinstance(made, str):
            if made != self.health.trouble:
                log.warning("no semantic lookups: %s", made)
            self.health.trouble = made
            self._reload_at_s = max(self._reload_at_s, now_s + RELOAD_AFTER_S)
        elif self._reload_at_s != float("inf"):
            self._embedder, self._check, self.health.trouble = made, VectorCheck(made.dimensions), ""
        if self._loaded is not None:
            self._loaded.set_result(None)
            self._loaded = None

    # Batches: at most one is out; the loop sends it, the thread makes it, the loop takes it back.

    def _send_next(self, loop: asyncio.AbstractEventLoop) -> None:
        embedder, check = self._embedder, self._check
        if self._out or not self._waiting or embedder is None or check is None:
            return
        now_s = loop.time()
        batch, late = take(self._waiting.values(), now_s, self._seconds_a_text, self._max_batch)
        for one in late:
            del self._waiting[one.scope, one.text]
            _answer(one, NoVector("late"))
        self._out = {(one.scope, one.text): self._waiting.pop((one.scope, one.text)) for one in batch}
        self._out_since_s = now_s
        self.batches += 1
        texts = [one.text for one in batch]

        def make() -> None:
            answers, trouble = embed_batch(embedder, check, texts)
            _call(loop, lambda: self._take_back(batch, answers, trouble, loop))

        self._off_loop(make)

    def _take_back(
        self, batch: list[Waiting], answers: list[Embedded], trouble: str, loop: asyncio.AbstractEventLoop
    ) -> None:
        now_s = loop.time()
        seconds_a_text = (now_s - self._out_since_s) / len(batch)
        self._seconds_a_text += (seconds_a_text - self._seconds_a_text) * NEWEST_SHARE
        in_time = False
        for one, answer in zip(batch, answers, strict=True):
            if isinstance(answer, Vector):
                self.vectors += 1
                self._recent[one.scope, one.text] = answer
                in_time = in_time or now_s <= one.deadline_s
            _answer(one, answer)
        self._out = {}
        self.health.note_batch(in_time=in_time, trouble=trouble, now_s=now_s)
        self._send_next(loop)


def _answer(one: Waiting, answer: Embedded) -> None:
    if not one.done.done():
        one.done.set_result(answer)


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:  # the loop closed while the embedder was out
        return
