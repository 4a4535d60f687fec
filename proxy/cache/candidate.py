"""An answered text that may answer a similar one, and the scale of similarity."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the plain proxy, which imports these types, must not load numpy
    import numpy as np
    from numpy.typing import NDArray

DIGITS = 6
"""To which float32 cosines can be told apart. Rounded so, a vector's similarity to itself is 1 and not 0.9999999."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answered text, with what the guard and the exact cache need of it."""

    key: bytes
    """Of the answer in the exact cache."""
    text: str
    facts: object
    """The guard's reading of `text`."""
    created_s: float
    """When the answer was stored, on its cache's clock."""
    family: str

    @property
    def id(self) -> int:
        return candidate_id(self.key)


def candidate_id(key: bytes) -> int:
    """63 bits of the key, so that every replica, and a restart, give a candidate the same id."""
    return int.from_bytes(key[:8]) >> 1


def similarity(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Cosine of two unit vectors, −1…1: the one scale that thresholds are on."""
    return round(min(1.0, max(-1.0, float(a @ b))), DIGITS)


def seal(candidate: Candidate, values: NDArray[np.float32]) -> bytes:
    """A digest of key, text and vector: it no longer fits once one of them is another's."""
    digest = hashlib.blake2b(candidate.key, digest_size=16)
    digest.update(values.tobytes())
    digest.update(candidate.text.encode())
    return digest.digest()
