"""Loads the embedder off the loop, and tries again now and then if it can't be loaded."""

import asyncio
import logging
from collections.abc import Callable

from proxy.cache.embedder import Embedder, EmbedderUnavailable
from proxy.cache.embedder_batch import Job, call_on_loop
from proxy.cache.embedder_check import VectorCheck
from proxy.cache.embedder_health import EmbedderHealth

log = logging.getLogger(__name__)

RELOAD_AFTER_S = 30.0


class EmbedderSlot:
    """The embedder, once there is one. Changed on the loop only."""

    def __init__(self, load: Callable[[], Embedder], off_loop: Callable[[Job], None], health: EmbedderHealth) -> None:
        self.embedder: Embedder | None = None
        self.check: VectorCheck | None = None
        """Of this embedder's vectors."""
        self._load = load
        self._off_loop = off_loop
        self._health = health
        self._under_way: asyncio.Future[None] | None = None
        self._again_at_s = 0.0
        self._closed = False

    def begin(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
        """Load, unless that is under way. The future is done when there is an embedder or a reason why not."""
        if self._under_way is None:
            self._under_way = loop.create_future()
            self._off_loop(lambda: self._run(loop))
        return self._under_way

    def begin_if_due(self, loop: asyncio.AbstractEventLoop) -> None:
        """Load if the last attempt is some time ago."""
        if not self._closed and loop.time() >= self._again_at_s:
            self.begin(loop)

    def close(self) -> None:
        """From now on there is none."""
        self._closed = True
        self.embedder = None

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the thread."""
        made: Embedder | str
        try:
            made = self._load()
        except EmbedderUnavailable as error:
            made = str(error)
        except Exception as error:  # whatever an inference library may raise
            made = f"loading the embedder raised {type(error).__name__}"
        call_on_loop(loop, lambda: self._take(made, loop.time()))

    def _take(self, made: Embedder | str, now_s: float) -> None:
        if isinstance(made, str):
            if made != self._health.trouble:
                log.warning("no semantic lookups: %s", made)
            self._health.trouble = made
            self._again_at_s = now_s + RELOAD_AFTER_S
        elif not self._closed:
            self.embedder, self.check, self._health.trouble = made, VectorCheck(made.dimensions), ""
        if self._under_way is not None:
            self._under_way.set_result(None)
            self._under_way = None
