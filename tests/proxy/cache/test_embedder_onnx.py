"""What is written reads back the same, and onnxruntime runs it."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from proxy.cache.embedder_onnx import Node, read_model, write_model

WEIGHTS: dict[str, NDArray[Any]] = {
    "matrix": np.arange(300, dtype=np.float32).reshape(100, 3),
    "small": np.array([[1, -2], [3, -128]], np.int8),
    "zero": np.array(200, np.uint8),
    "sizes": np.array([-1, 2**40], np.int64),
}
NODES = [
    Node("MatMul", ["x", "matrix"], ["product"]),
    Node("LayerNormalization", ["product", "gain", ""], ["y"], attributes={"axis": -1, "epsilon": 0.5}),
]
FLOATS = np.dtype(np.float32)


def test_nodes_and_weights_come_back():
    nodes, weights = read_model(write_model(NODES, WEIGHTS, {"x": (FLOATS, ("n", 100))}, {"y": (FLOATS, ("n", 3))}))
    assert [(node.kind, list(node.inputs), list(node.outputs)) for node in nodes] == [
        ("MatMul", ["x", "matrix"], ["product"]),
        ("LayerNormalization", ["product", "gain", ""], ["y"]),
    ]
    assert weights.keys() == WEIGHTS.keys()
    for name, values in WEIGHTS.items():
        assert (weights[name].dtype, weights[name].shape) == (values.dtype, values.shape)
        assert np.array_equal(weights[name], values)


def test_onnxruntime_runs_what_is_written_attributes_included():
    weights = {"matrix": WEIGHTS["matrix"], "gain": np.ones(3, np.float32)}
    nodes = [NODES[0], Node("LayerNormalization", ["product", "gain"], ["y"], attributes=NODES[1].attributes)]
    file = write_model(nodes, weights, {"x": (FLOATS, ("n", 100))}, {"y": (FLOATS, ("n", 3))})
    x = np.eye(2, 100, dtype=np.float32)
    (y,) = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    assert y == pytest.approx(np.array([[-1, 0, 1]] * 2) / np.sqrt(2 / 3 + 0.5), abs=1e-6)


@pytest.mark.parametrize("size", [1, 10, 100])
def test_a_file_that_ends_too_early_is_refused(size):
    file = write_model(NODES, WEIGHTS, {"x": (FLOATS, ("n", 100))}, {"y": (FLOATS, ("n", 3))})
    with pytest.raises(ValueError, match=r"too early|without a graph"):
        read_model(file[:size])


@pytest.mark.parametrize("file", [b"", b"\x0fsomething else", b"\x38\x01"])
def test_what_is_no_model_is_refused(file):
    with pytest.raises(ValueError, match="model file"):
        read_model(file)
