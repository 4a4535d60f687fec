"""The rows of the table: embedders from a bag of words to MiniLM, and what is put after them.

The two lexical ones know nothing but spelling. They are what a semantic cache must beat, and they are exact arithmetic,
so their numbers are the same on every machine.
"""

import itertools
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policies.guards import DEFAULT_GUARDS
from proxy.cache.embedder import identify

BUCKETS = 1024
"""Dimensions of a hashed vector. Two words share one with a chance of 0.1 %."""

_WORD = re.compile(r"\w+")


class HashedWords:
    """Counts of words, and of pairs of neighbours if `pairs`, hashed into buckets; rows L2-normalised.

    Without pairs the order of words is lost: "km to miles" and "miles to km" are one vector.
    """

    dimensions = BUCKETS
    window = 1_000_000

    def __init__(self, *, pairs: bool) -> None:
        self._pairs = pairs
        self.identity = identify("hashed-words", "pairs" if pairs else "single", "words", "sum", BUCKETS)

    def count_tokens(self, text: str) -> int:
        return len(_words(text))

    def count_unknown(self, text: str) -> int:
        return 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), BUCKETS)` float32. A text without words gets a vector of its own."""
        rows = np.zeros((len(texts), BUCKETS), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in self._terms(text) or [text]:
                row[zlib.crc32(term.encode("utf-8", "surrogatepass")) % BUCKETS] += 1
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def _terms(self, text: str) -> list[str]:
        words = _words(text)
        return [*words, *_neighbours(words)] if self._pairs else words


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _neighbours(words: Sequence[str]) -> Iterator[str]:
    return (f"{one} {other}" for one, other in itertools.pairwise(words))


AS_WRITTEN = "minilm_as_written"
"""MiniLM without what the proxy does to a text before it is embedded, as published tables have it."""


@dataclass(frozen=True, slots=True)
class Row:
    """An embedder and the guards after it."""

    name: str
    embedder: str
    """`unigrams`, `bigrams`, `AS_WRITTEN`, or `minilm`, which gets texts as in the proxy."""
    guards: frozenset[str] | None
    """None: similarity alone."""

    @property
    def exact_arithmetic(self) -> bool:
        """Whether its numbers must be equal on every machine."""
        return self.embedder not in ("minilm", AS_WRITTEN)


LITERAL_GUARDS = frozenset({"quotes", "numbers", "negation"})
"""What a plain literal guard would look at. Beside these the guard always checks that prompts have something in common
and that text it can't read is equal."""

ROWS = (
    Row("hashed unigrams", "unigrams", None),
    Row("hashed uni+bigrams", "bigrams", None),
    Row("MiniLM", AS_WRITTEN, None),
    Row("MiniLM + literal guard", AS_WRITTEN, LITERAL_GUARDS),
    Row("MiniLM + typed guard", "minilm", DEFAULT_GUARDS),
)
