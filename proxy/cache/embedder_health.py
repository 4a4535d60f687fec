"""How the embedder is doing: counters, what is wrong with it in words, and when it is better left alone."""

from typing import get_args

from proxy.cache.embedder import EmbedderStatus, NoVectorReason

FAILURES_TO_REST = 5
REST_S = 1.0


class EmbedderHealth:
    """Written by the worker, on the loop. Trouble is what went wrong last; a vector in time ends it."""

    def __init__(self) -> None:
        self.trouble = "the embedder is not loaded yet"
        self.refused: dict[NoVectorReason, int] = dict.fromkeys(get_args(NoVectorReason), 0)
        """Answers without a vector, by reason."""
        self._failures_in_a_row = 0
        self._rest_until_s = 0.0

    @property
    def status(self) -> EmbedderStatus:
        return EmbedderStatus(ok=not self.trouble, reason=self.trouble)

    def refuse(self, reason: NoVectorReason) -> None:
        """Count an answer without a vector."""
        self.refused[reason] += 1
        if reason == "late":
            self.trouble = "the embedder is late"
        elif reason == "queue_full":
            self.trouble = "the embedder's queue is full"

    def note_batch(self, *, in_time: bool, trouble: str, now_s: float) -> None:
        """Take in a finished batch: whether a vector came in time, and what was wrong with the others."""
        if in_time:
            self._failures_in_a_row, self.trouble = 0, ""
        elif trouble:
            self._failures_in_a_row += 1
            self.trouble = trouble
            if self._failures_in_a_row >= FAILURES_TO_REST:
                self._rest_until_s = now_s + REST_S

    def resting(self, now_s: float) -> bool:
        """Whether it failed so often that it is not asked for a while; then one batch finds out."""
        return now_s < self._rest_until_s
