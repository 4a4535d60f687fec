"""`python -m proxy embedder`."""

import argparse
import json
import sys

import numpy as np
import pytest

from proxy.cache.embedder_fastembed import PackagedEmbedder
from proxy.cli import embedder


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    embedder.configure(parser)
    return embedder.run(parser.parse_args(arguments))


def test_info_prints_what_is_in_use(capsys):
    assert run("info", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["sha256"] == "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
    assert (report["dimensions"], report["window"]) == (384, 256)
    assert report["identity"].startswith("sentence-transformers/all-MiniLM-L6-v2/8199be6f699a395f/")


def test_info_of_a_file_that_is_not_there_says_how_to_make_it(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run("info", "--sha256", "ab" * 32) == 1
    assert "make it with `python -m proxy embedder build`" in capsys.readouterr().err


def test_build_without_onnx_says_which_line_installs_it(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert run("build") == 1
    assert "pip install onnx onnx-ir" in capsys.readouterr().err


def test_build_makes_a_file_that_gives_nearly_the_same_vectors(capsys, tmp_path):
    pytest.importorskip("onnx", reason="the re-pack is an opt-in: pip install onnx onnx-ir")
    pytest.importorskip("onnx_ir", reason="the re-pack is an opt-in: pip install onnx onnx-ir")
    assert run("build", "--output", str(tmp_path), "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["cosine to the packaged embedder"] >= 0.998
    assert report["settings"] == f"embedder: {{model: {tmp_path}, sha256: '{report['sha256']}'}}"
    built, texts = PackagedEmbedder(tmp_path, sha256=report["sha256"]), [f"how long are {n} miles" for n in range(64)]
    alone = np.concatenate([built.embed([text]) for text in texts])
    assert np.abs(alone - built.embed(texts)).max() <= 1e-4
