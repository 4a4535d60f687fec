"""Refuses rows that can't be the vectors of their texts.

A row must be finite and of unit length. And unlike texts must not share one: an embedder that answers everything with
the same vector would make every question a perfect match for every other, and no threshold can tell.
"""

import math
import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from proxy.cache.embedder import Embedder, EmbedderUnavailable

LENGTH_TOLERANCE = 1e-3
SAME = 1.0 - 1e-6
"""Cosine of one and the same vector, in float32."""
ALMOST_SAME = 0.999
REMEMBERED_ROWS = 16

REHEARSAL = (
    "What is the capital of France?",
    "My bicycle has a flat tyre",
    "Sort a list of integers in descending order",
)

_WORD = re.compile(r"\w+")


class VectorCheck:
    """Judges rows as they come, against each other and against the last few before them."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._rows = np.zeros((REMEMBERED_ROWS + 1, dimensions), np.float32)
        """The last few and the one that is judged, in a ring; what was not filled yet is like nothing."""
        self._texts = [""] * len(self._rows)
        self._seen = 0
        self.look_alikes = 0
        """Rows refused because an unlike text had the same."""

    def judge(self, texts: Sequence[str], rows: NDArray[np.float32]) -> list[str | None]:
        """For each text None if its row is usable, else what is wrong with it."""
        expected = (len(texts), self._dimensions)
        if rows.shape != expected:
            return [f"gave an array of shape {rows.shape}, expected {expected}"] * len(texts)
        return [self._judge_one(text, row) for text, row in zip(texts, rows, strict=True)]

    def _judge_one(self, text: str, row: NDArray[np.float32]) -> str | None:
        at = self._seen % len(self._rows)
        self._rows[at], self._texts[at] = row, text
        # One product with all of them and itself: the model has just pushed numpy out of the cache.
        similarities = (self._rows @ row).tolist()
        length = math.sqrt(similarities[at])
        if not abs(length - 1.0) <= LENGTH_TOLERANCE:
            self._rows[at] = 0
            is_finite = math.isfinite(length)
            return "gave a vector that is not of unit length" if is_finite else "gave a vector that is not finite"
        self._seen += 1
        alike = [
            other
            for other, similarity in enumerate(similarities)
            if similarity >= ALMOST_SAME and self._texts[other] != text
        ]
        if not alike:  # as good as always, and then no text is taken apart
            return None
        words = _words(text)
        if any(_unlike(words, _words(self._texts[other]), similarities[other]) for other in alike):
            self.look_alikes += 1
            return "gives unlike texts the same vector"
        return None


def rehearse(embedder: Embedder) -> None:
    """Embed three unlike texts, which also warms the model up.

    Raises:
        EmbedderUnavailable: the vectors can't be right.
    """
    try:
        with np.errstate(all="ignore"):
            wrong = VectorCheck(embedder.dimensions).judge(REHEARSAL, embedder.embed(REHEARSAL))
    except Exception as error:  # whatever an inference library may raise
        raise EmbedderUnavailable(f"the embedder raised {type(error).__name__} at its first texts") from error
    for one in wrong:
        if one is not None:
            raise EmbedderUnavailable(f"the embedder {one} at its first texts")


def _words(text: str) -> frozenset[str]:
    """Words as an uncased, accent-stripping tokenizer sees them: what it can't tell apart must not be called unlike.

    Neither order nor number, so that an embedder that only counts words passes too.
    """
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(mark))
    return frozenset(_WORD.findall(plain))


def _unlike(words: frozenset[str], others: frozenset[str], similarity: float) -> bool:
    """Whether two texts of these words can't be as similar as their vectors are."""
    if similarity >= SAME:
        return words != others
    # Long texts that differ in a word or two come this close; texts with less than half their words in common don't.
    return similarity >= ALMOST_SAME and 2 * len(words & others) < len(words | others)
