"""What numbers were computed on, for who compares them with theirs."""

import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any


def environment(embedder: str) -> dict[str, Any]:
    """CPU, versions, and the embedder's identity, which holds the hash of its file."""
    return {
        "cpu": cpu(),
        "embedder": embedder,
        "versions": {name: version(name) for name in ("fastembed", "onnxruntime", "faiss-cpu", "numpy")},
    }


def cpu() -> str:
    """Its model, or what is known of it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
