"""Vectors of many texts, kept on disk by text and embedder, so that each is made once on a machine."""

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from policies.guards.as_embedded import as_embedded
from proxy.cache.embedder import Embedder, NoVectorReason

BATCH = 32
AS_OF = 2
"""Raised when an embedder of the same identity gives other vectors, be it in the last digits."""
SAVE_EVERY = 4096
"""New vectors after which they are saved, so that Ctrl-C loses little."""


def cache_folder() -> Path:
    """Where vectors are kept: `$XDG_CACHE_HOME/askonce/vectors`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "askonce" / "vectors"


class Vectors:
    """Text to vector, for one embedder. As in the proxy, a text has none if it is over the embedder's window, or has
    tokens that it doesn't know.
    """

    def __init__(
        self, embedder: Embedder, folder: Path | None = None, *, prepare: Callable[[str], str] = as_embedded
    ) -> None:
        """
        Args:
            folder: where to keep them; None keeps nothing.
            prepare: gives the text that is embedded; by default as in the proxy.
        """
        self.embedder = embedder
        self._prepare = prepare
        self._path = None
        if folder is not None:
            name = hashlib.sha256(f"{embedder.identity} {AS_OF}".encode()).hexdigest()[:16]
            self._path = folder / f"{name}.npz"
        self._rows: dict[bytes, NDArray[np.float32] | None] = {}
        self._unsaved = 0
        self._rows.update(self._kept())

    def __getitem__(self, text: str) -> NDArray[np.float32] | None:
        """`(dimensions,)` float32, L2-normalised; None if the text takes no part."""
        return self._rows[_digest(self._prepare(text))]

    def why_none(self, text: str) -> NoVectorReason:
        """Why a text has none, in the proxy's words."""
        tokens = self.embedder.count_tokens(self._prepare(text))
        return "over_window" if tokens > self.embedder.window else "unknown_tokens"

    def make(self, texts: Iterable[str], progress: Callable[[int, int], None] = lambda done, all: None) -> None:
        """Have a vector for each of `texts`; `progress` is told how many of the missing ones are made."""
        missing = sorted({text for text in map(self._prepare, texts) if _digest(text) not in self._rows}, key=len)
        done = 0
        try:
            for start in range(0, len(missing), BATCH):
                batch = missing[start : start + BATCH]
                self._make(batch)
                done += len(batch)
                progress(done, len(missing))
                if self._unsaved >= SAVE_EVERY:
                    self.save()
        finally:
            self.save()

    def _make(self, batch: list[str]) -> None:
        embedder = self.embedder
        fits = [text for text in batch if embedder.count_tokens(text) <= embedder.window]
        fits = [text for text in fits if not embedder.count_unknown(text)]
        rows: dict[bytes, NDArray[np.float32] | None] = {_digest(text): None for text in batch}
        if fits:
            rows.update(zip(map(_digest, fits), embedder.embed(fits), strict=True))
        # Only now, or an interruption would leave texts that seem to have none.
        self._rows.update(rows)
        self._unsaved += len(batch)

    def _kept(self) -> dict[bytes, NDArray[np.float32] | None]:
        if self._path is None or not self._path.exists():
            return {}
        with np.load(self._path) as file:
            return {
                digest.tobytes(): row if row.any() else None
                for digest, row in zip(file["digests"], file["rows"], strict=True)
            }

    def save(self) -> None:
        """Write what is new; a file is replaced whole, so a reader never sees half of one."""
        if self._path is None or not self._unsaved:
            return
        # Another process may have saved others meanwhile.
        self._rows = {**self._kept(), **self._rows}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        nothing = np.zeros(self.embedder.dimensions, np.float32)
        part = self._path.with_suffix(f".{os.getpid()}.npz")
        np.savez(
            part,
            digests=np.array([np.frombuffer(digest, np.uint8) for digest in self._rows]),
            rows=np.array([nothing if row is None else row for row in self._rows.values()], np.float32),
        )
        part.replace(self._path)
        self._unsaved = 0


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
