"""The rebuilt graph gives the packaged file's vectors."""

import re

import numpy as np
import onnxruntime
import pytest

from proxy.cache.embedder_fastembed import PackagedEmbedder, packaged_weights
from proxy.cache.embedder_onnx import Node, read_model, write_model
from proxy.cache.embedder_two_part import (
    LARGEST,
    LAYERS,
    _bound_of_dense,
    _bound_of_norm,
    _Dense,
    _Norm,
    two_part,
)

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
def rebuilt() -> PackagedEmbedder:
    return PackagedEmbedder()


@pytest.fixture(scope="module")
def packaged_file() -> onnxruntime.InferenceSession:
    """The packaged file as it is, as onnxruntime runs it."""
    return onnxruntime.InferenceSession(str(packaged_weights()), providers=["CPUExecutionProvider"])


def test_vectors_are_the_packaged_files_to_1e_4(rebuilt, packaged_file):
    for text in TEXTS:
        ids = np.array([rebuilt._tokens(text)], np.int64)
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = packaged_file.run(None, fed)[0][0].mean(axis=0)
        (row,) = rebuilt.embed([text])
        assert row @ mean / np.linalg.norm(mean) >= 1 - 1e-4, text


def test_the_packaged_file_in_a_folder_gives_the_same_vectors_as_the_installed_one(rebuilt, tmp_path):
    (tmp_path / "model.onnx").symlink_to(packaged_weights())
    from_folder = PackagedEmbedder(tmp_path)
    assert from_folder.identity == rebuilt.identity
    assert np.array_equal(from_folder.embed(TEXTS[:3]), rebuilt.embed(TEXTS[:3]))


def test_a_batch_padded_to_its_longest_gives_the_vectors_of_its_texts_alone(rebuilt):
    alone = np.concatenate([rebuilt.embed([text]) for text in TEXTS])
    together = rebuilt._run(TEXTS)
    assert np.abs(alone - together).max() <= 1e-6


def test_bounds_hold_for_whatever_is_normalised():
    drawn = np.random.default_rng(0)
    width = 24
    norm = _Norm(*drawn.normal(size=(2, width)).astype(np.float32))
    dense = _Dense(drawn.integers(-127, 128, (width, 50), np.int8), *drawn.uniform(0, 0.1, (2, 50)).astype(np.float32))
    x = np.concatenate([np.eye(width), drawn.normal(size=(1000, width)), drawn.standard_cauchy((1000, width))])
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True) * norm.gain + norm.bias
    assert np.abs(x).max() <= _bound_of_norm(norm)
    assert np.abs(x @ (dense.values * dense.scales) + dense.bias).max() <= _bound_of_dense(dense, norm)


def test_matrices_stay_the_int8_that_is_packaged_and_two_neighbouring_products_fit_in_16_bits():
    nodes, weights = read_model(two_part(packaged_weights().read_bytes()))
    matrices = [weights[name] for name in {node.inputs[1] for node in nodes if node.kind == "MatMulIntegerToFloat"}]
    assert {str(values.dtype) for values in matrices} == {"int8"}
    assert sum(values.size for values in matrices) == LAYERS * 12 * 384**2
    largest = max(int(np.abs(values.astype(np.int16)).max()) for values in matrices)
    assert 2 * largest * LARGEST < 2**15


def test_another_model_file_is_refused():
    file = write_model([Node("Identity", ["x"], ["y"])], {}, {}, {})
    with pytest.raises(ValueError, match=re.escape("no weight 'inner.embeddings.LayerNorm.weight'")):
        two_part(file)
