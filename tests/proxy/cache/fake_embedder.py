"""An embedder without a model: a text's vector is the sum of its words' own random directions."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from proxy.cache.embedder import Vector

Rows = NDArray[np.float32]


class FakeEmbedder:
    """Texts with the same words are alike, texts without common words nearly orthogonal. Counts words as tokens."""

    def __init__(
        self,
        *,
        identity: str = "fake/1",
        dimensions: int = 32,
        window: int = 256,
        spoil: Callable[[Sequence[str], Rows], object] = lambda texts, rows: rows,
    ) -> None:
        """`spoil` gets texts and good rows, and gives what the embedder shall give; or it raises."""
        self.identity = identity
        self.dimensions = dimensions
        self.window = window
        self.spoil = spoil
        self._directions: dict[str, NDArray[np.float64]] = {}
        self.calls: list[list[str]] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def count_unknown(self, text: str) -> int:
        return text.count("\N{UPSIDE-DOWN FACE}")

    def embed(self, texts: Sequence[str]) -> Rows:
        self.calls.append(list(texts))
        rows = np.stack([self.row(text) for text in texts])
        return self.spoil(texts, rows)  # type: ignore[return-value]  # a spoilt answer may be anything

    def row(self, text: str) -> Rows:
        total = sum((self._direction(word) for word in text.lower().split()), np.zeros(self.dimensions))
        row: Rows = (total / np.linalg.norm(total)).astype(np.float32)
        return row

    def vector(self, text: str) -> Vector:
        return Vector(self.row(text), self.identity)

    def _direction(self, word: str) -> NDArray[np.float64]:
        if word not in self._directions:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
            self._directions[word] = np.random.default_rng(seed).standard_normal(self.dimensions)
        return self._directions[word]
