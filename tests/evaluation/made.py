"""One-line builders of labelled rows, and an embedder whose vectors are written down."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from config.document import read_document
from evaluation.dataset import Lookup, load
from evaluation.score import Scorer
from evaluation.scored import Scored
from evaluation.vectors import Vectors
from policies.load import load_policies
from policies.model import PolicySet


class Angles:
    """Texts as directions in a plane: the cosine of two is that of the difference of their angles, in degrees.

    A text without an angle stands apart from all others, at right angles.
    """

    identity = "angles"
    dimensions = 130
    window = 50

    def __init__(self, degrees: Mapping[str, float]) -> None:
        self.degrees = degrees
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + 2

    def count_unknown(self, text: str) -> int:
        return text.count("🜚")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text in self.degrees:
                angle = np.radians(self.degrees[text])
                row[:2] = np.cos(angle), np.sin(angle)
            else:
                row[2 + hashlib.sha256(text.encode()).digest()[0] % 128] = 1
        return rows


def pair(a: Any, b: Any, same: Any, **more: Any) -> dict[str, Any]:
    return {"a": a, "b": b, "same": same, **more}


def cached(key: Any, prompt: str, family: str = "f") -> dict[str, Any]:
    return {"role": "cached", "family": family, "key": key, "prompt": prompt}


def lookup(prompt: str, expect: str, key: Any = None, family: str = "f") -> dict[str, Any]:
    return {"role": "lookup", "family": family, "key": key, "prompt": prompt, "expect": expect}


def conversation(cached: list[dict[str, Any]], probe: list[dict[str, Any]], same: int) -> dict[str, Any]:
    return {"cached_messages": cached, "probe_messages": probe, "same": same}


def say(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def rows(path: Path, *written: dict[str, Any]) -> list[Lookup]:
    """Written to a file and read again."""
    path.write_text("".join(json.dumps(row) + "\n" for row in written))
    return load([path])[0]


def policies(tmp_path: Path, text: str = "") -> PolicySet:
    read_document(text, "policies.yaml")
    path = tmp_path / "policies.yaml"
    path.write_text(text)
    return load_policies(path)


def scored(lookups: Sequence[Lookup], scorer: Scorer, vectors: Vectors) -> list[Scored]:
    vectors.make(scorer.texts(lookups))
    return scorer.score(lookups)
