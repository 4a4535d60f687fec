"""The settings' words choose an embedder, and nothing heavy is loaded before."""

import subprocess
import sys
from pathlib import Path

import pytest

from proxy.cache.embedder import EmbedderUnavailable
from proxy.cache.embedder_loader import built_folder, embedder_loader


def test_packaged_is_the_packaged_model():
    embedder = embedder_loader("packaged")()
    assert (embedder.dimensions, embedder.window) == (384, 256)


def test_another_sha256_means_the_file_that_build_made(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert built_folder("ab" * 32) == tmp_path / "askonce" / "embedder" / "abababababababab"
    with pytest.raises(EmbedderUnavailable, match="abababababababab: make it with"):
        embedder_loader("packaged", sha256="ab" * 32)()


def test_a_packaged_model_that_is_neither_name_nor_folder_says_what_to_write():
    with pytest.raises(EmbedderUnavailable, match="another model needs provider: fastembed"):
        embedder_loader("packaged", model="BAAI/bge-small-en-v1.5")()


def test_openai_needs_a_url():
    with pytest.raises(EmbedderUnavailable, match=r"needs embedder\.url"):
        embedder_loader("openai", model="bge")()


def test_a_proxy_without_semantic_families_loads_none_of_it():
    """What the chain and the command line import must stay light."""
    heavy = ["numpy", "faiss", "fastembed", "onnxruntime", "tokenizers", "rich"]
    light = "proxy.cache.embedder proxy.cache.embedder_loader proxy.cache.semantic proxy.cli.embedder"
    script = f"import sys, {light.replace(' ', ', ')}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
