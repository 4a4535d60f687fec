"""Embeddings of the stub engine."""

import base64
import hashlib
import json
from typing import Any

import numpy as np


def embeddings(payload: dict[str, Any], dimensions: int) -> dict[str, Any]:
    """Unit vectors that depend on the input alone."""
    given = payload.get("input")
    items = given if isinstance(given, list) and not all(isinstance(item, int) for item in given) else [given]
    data = []
    for index, item in enumerate(items):
        digest = hashlib.sha256(json.dumps(item).encode()).digest()
        vector = np.random.default_rng(int.from_bytes(digest[:8])).standard_normal(dimensions)
        unit = (vector / np.linalg.norm(vector)).astype("<f4")
        coded = payload.get("encoding_format") == "base64"
        value: Any = base64.b64encode(unit.tobytes()).decode() if coded else unit.tolist()
        data.append({"object": "embedding", "index": index, "embedding": value})
    tokens = sum(len(str(item).split()) for item in items)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": str(payload.get("model", "stub")), "data": data, "usage": usage}
