"""The rebuilt graph gives the packaged file's vectors."""

import re

import numpy as np
import onnxruntime
import pytest

from proxy.cache.embedder_fastembed import PackagedEmbedder, packaged_weights
from proxy.cache.embedder_graph import GROWN, LARGEST, LAYERS, LOUD, LOUD_GROWN, WIDTH, rebuilt
from proxy.cache.embedder_onnx import Node, read_model, write_model

TEXTS = [
    "What is the capital of France?",
    "hi",
    "convert 5 km to miles",
    "WHY does `for (int i = 0; i < n; ++i) sum += a[i];` overflow?!",
    "Übersetze den Satz: der Hund schläft nicht, weil er müde ist.",
    "1234567890 0.001 1e-9 -42 %",
    "........................................",
    "tell me about it and then about the other thing " * 20,
    "word " * 250,
]


@pytest.fixture(scope="module")
def embedder() -> PackagedEmbedder:
    return PackagedEmbedder()


@pytest.fixture(scope="module")
def packaged_file() -> onnxruntime.InferenceSession:
    """The packaged file as it is, as onnxruntime runs it."""
    return onnxruntime.InferenceSession(str(packaged_weights()), providers=["CPUExecutionProvider"])


def test_vectors_are_near_the_packaged_files(embedder, packaged_file):
    for text in TEXTS:
        ids = np.array([embedder._tokens(text)], np.int64)
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = packaged_file.run(None, fed)[0][0].mean(axis=0)
        (row,) = embedder.embed([text])
        assert row @ mean / np.linalg.norm(mean) >= 1 - (4e-3 if len(ids[0]) < 5 else 1.5e-3), text


def test_the_packaged_file_in_a_folder_gives_the_same_vectors_as_the_installed_one(embedder, tmp_path):
    (tmp_path / "model.onnx").symlink_to(packaged_weights())
    from_folder = PackagedEmbedder(tmp_path)
    assert from_folder.identity == embedder.identity
    assert np.array_equal(from_folder.embed(TEXTS[:3]), embedder.embed(TEXTS[:3]))


def test_a_batch_padded_to_its_longest_gives_the_vectors_of_its_texts_alone(embedder):
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    together = embedder._run(TEXTS)
    assert np.abs(alone - together).max() <= 1e-6


def test_matrices_stay_the_int8_that_is_packaged_and_two_neighbouring_products_fit_in_16_bits():
    nodes, weights = read_model(rebuilt(packaged_weights().read_bytes()))
    matrices = [weights[name] for name in {node.inputs[1] for node in nodes if node.kind == "MatMulIntegerToFloat"}]
    assert {str(values.dtype) for values in matrices} == {"int8"}
    loud = len(LOUD) * (3 * WIDTH + GROWN) + len(LOUD_GROWN[0]) * WIDTH
    assert sum(values.size for values in matrices) == LAYERS * (12 * WIDTH**2 - loud)
    largest = max(int(np.abs(values.astype(np.int16)).max()) for values in matrices)
    assert 2 * largest * LARGEST < 2**15


def test_another_model_file_is_refused():
    file = write_model([Node("Identity", ["x"], ["y"])], {}, {}, {})
    with pytest.raises(ValueError, match=re.escape("no weight 'inner.embeddings.word_embeddings.weight_q'")):
        rebuilt(file)
