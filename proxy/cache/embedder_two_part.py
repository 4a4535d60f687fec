"""Rebuilds the packaged model's graph, with its weights as they are, so that short texts take two thirds of the time.

The packaged file holds int8 weights, which onnxruntime unfolds to fp32 when it loads: 43 MB, more than a core's share
of the cache, so a short text waits for memory. Here the weights stay int8 (11 MB), and a matrix product is two of
integers:

    x ≈ s·a + (s/126)·b         a, b whole numbers, either of at most 127 values
    x·W ≈ s·(a·W) + (s/126)·(b·W)

`a` is x rounded and `b` what that left over, so x is kept to 1/15,876 of its range (126²), and vectors stay within 1e-4
of the packaged file's in cosine. No part has more values because s comes from bounds on x that hold for every text
(`_bound_of_norm`, `_bound_of_dense`); nothing is measured and nothing depends on the batch.

Why 127: x86 processors without VNNI multiply unsigned by signed bytes and add neighbours in 16 bits, which saturates.
`a` and `b` are stored as 0..127, and 2·127·127 still fits.

The rest is the same model with onnxruntime's own operators for attention and GELU in place of 300 small nodes, token
types left out (there is one), and mean pooling and L2 normalisation at the end.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxy.cache.embedder_onnx import Node, read_model, write_model

LAYERS = 6
HEADS = 12
EPSILON = 1e-12
"""Of the layer normalisations."""
STEPS = 126
"""Between the least and the greatest of a part's values."""
LARGEST = STEPS + 1
"""That a whole number is stored as."""
MIDDLE = 1 + STEPS // 2
"""What 0 is stored as if values lie around it."""
LEAST_OF_GELU = -0.17
OWN = "com.microsoft"
INT32, FLOAT32 = 6, 1
"""ONNX's numbers of element types."""

Floats = NDArray[np.float32]


def two_part(packaged: bytes) -> bytes:
    """The rebuilt model: `input_ids` and `attention_mask`, `(n, tokens)` int64, to `vectors`, `(n, 384)` float32.

    Args:
        packaged: the packaged model file.

    Raises:
        ValueError: it is not that model's file.
    """
    try:
        return _Rebuilt(packaged).file()
    except KeyError as error:
        raise ValueError(f"the model file has no weight {error}") from error


class _Dense:
    """`x·values·scales + bias`: int8 `(inputs, outputs)`, and a scale and a bias for each output."""

    def __init__(self, values: NDArray[np.int8], scales: Floats, bias: Floats) -> None:
        self.values = values
        self.scales = scales
        self.bias = bias

    @classmethod
    def beside(cls, *parts: "_Dense") -> "_Dense":
        """All of them at once; their outputs stand side by side."""
        return cls(
            np.concatenate([part.values for part in parts], axis=1),
            np.concatenate([part.scales for part in parts]),
            np.concatenate([part.bias for part in parts]),
        )


class _Norm:
    def __init__(self, gain: Floats, bias: Floats) -> None:
        self.gain = gain
        self.bias = bias


def _bound_of_norm(norm: _Norm) -> float:
    """Of every value a layer normalisation can give: before gain and bias, a row's length is the root of its width."""
    return float(np.max(np.abs(norm.gain) * math.sqrt(len(norm.gain)) + np.abs(norm.bias)))


def _bound_of_dense(dense: _Dense, norm: _Norm) -> float:
    """The same behind a dense layer that reads a layer normalisation. Neither attention nor GELU gives a larger one."""
    unfolded = dense.values.astype(np.float64) * dense.scales
    gained = unfolded * norm.gain[:, None]
    lengths = np.linalg.norm(gained - gained.mean(axis=0), axis=0)  # a row has no mean before gain and bias
    return float(np.max(math.sqrt(len(norm.gain)) * lengths + np.abs(norm.bias @ unfolded + dense.bias)))


class _Rebuilt:
    """The graph as it grows; names of tensors are what the methods take and give."""

    def __init__(self, packaged: bytes) -> None:
        nodes, self._packaged = read_model(packaged)
        matrix_of = {node.outputs[0]: node.inputs[1] for node in nodes if node.kind == "MatMul"}
        self._matrix_before: dict[str, str] = {
            node.inputs[1]: matrix_of[node.inputs[0]]
            for node in nodes
            if node.kind == "Add" and node.inputs[0] in matrix_of
        }
        """Name of a bias to the name of its dense layer's matrix, which has a meaningless one."""
        self._nodes: list[Node] = []
        self._weights: dict[str, NDArray[Any]] = {"middle": np.array(MIDDLE, np.uint8)}

    def file(self) -> bytes:
        mask = self._add("Cast", "attention_mask", to=INT32)
        norm = self._norm("embeddings.LayerNorm")
        x = self._normalise(self._embeddings(), norm)
        for layer in range(LAYERS):
            x, norm = self._layer(x, norm, mask, f"encoder.layer.{layer}")
        self._pool(x)
        ids = (np.dtype("<i8"), ("n", "tokens"))
        return write_model(
            self._nodes,
            self._weights,
            {"input_ids": ids, "attention_mask": ids},
            {"vectors": (np.dtype("<f4"), ("n", len(norm.gain)))},
        )

    def _embeddings(self) -> str:
        """Words, gathered as int8 and unfolded then, and positions."""
        words = "embeddings.word_embeddings.weight"
        values = self._add("Gather", self._weight("words", self._read(f"{words}_q")), "input_ids", axis=0)
        scales = self._add("Gather", self._weight("word_scales", self._read(f"{words}_scale")), "input_ids", axis=0)
        word = self._add("Mul", self._add("Cast", values, to=FLOAT32), scales)
        positions = "embeddings.position_embeddings.weight"
        table = self._read(f"{positions}_q").astype(np.float32) * self._read(f"{positions}_scale")
        table += self._read("embeddings.token_type_embeddings.weight")[0]
        start = self._weight("start", np.zeros(1, np.int64))
        tokens = self._add("Shape", "input_ids", start=1, end=2)
        return self._add("Add", word, self._add("Slice", self._weight("positions", table), start, tokens))

    def _layer(self, x: str, norm: _Norm, mask: str, name: str) -> tuple[str, _Norm]:
        """One layer of the encoder, and the normalisation behind it.

        Args:
            x: what `norm` gave.
        """
        heads = [self._dense(f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        parts = self._add("Add", *self._multiply(x, _Dense.beside(*heads), _bound_of_norm(norm)))
        widths = self._weight("widths", np.full(len(heads), len(norm.gain), np.int64))
        query, key, value = self._add_many("Split", (parts, widths), len(heads), axis=-1)
        attended = self._add("MultiHeadAttention", query, key, value, "", mask, domain=OWN, num_heads=HEADS)
        dense = self._dense(f"{name}.attention.output.dense")
        attended_parts = self._multiply(attended, dense, _bound_of_dense(heads[-1], norm))
        norm = self._norm(f"{name}.attention.output.LayerNorm")
        x = self._normalise(self._add("Sum", *attended_parts, x), norm)

        wide = self._dense(f"{name}.intermediate.dense")
        grown = self._add("Gelu", self._add("Add", *self._multiply(x, wide, _bound_of_norm(norm))), domain=OWN)
        dense = self._dense(f"{name}.output.dense")
        grown_parts = self._multiply(grown, dense, _bound_of_dense(wide, norm), LEAST_OF_GELU)
        norm = self._norm(f"{name}.output.LayerNorm")
        return self._normalise(self._add("Sum", *grown_parts, x), norm), norm

    def _multiply(self, x: str, dense: _Dense, greatest: float, least: float | None = None) -> tuple[str, str]:
        """The product's two parts, to be added.

        Args:
            greatest: that a value of x can be.
            least: the same; None means the negative of it.
        """
        at = len(self._nodes)
        least = -greatest if least is None else least
        step = np.float32((greatest - least) / STEPS)
        coarse = self._weight(f"coarse_{at}", np.array(step))
        fine = self._weight(f"fine_{at}", np.array(step / np.float32(STEPS)))
        zero = self._weight(f"zero_{at}", np.array(1 + math.floor(-least / step), np.uint8))
        matrix = (self._weight(f"matrix_{at}", dense.values), self._weight(f"scales_{at}", dense.scales))
        bias = self._weight(f"bias_{at}", dense.bias)
        rounded = self._add("QuantizeLinear", x, coarse, zero)
        left = self._add("Sub", x, self._add("DequantizeLinear", rounded, coarse, zero))
        rest = self._add("QuantizeLinear", left, fine, "middle")
        product = "MatMulIntegerToFloat"
        return (
            self._add(product, rounded, matrix[0], coarse, matrix[1], zero, "", bias, domain=OWN),
            self._add(product, rest, matrix[0], fine, matrix[1], "middle", domain=OWN),
        )

    def _normalise(self, x: str, norm: _Norm) -> str:
        at = len(self._nodes)
        gain, bias = self._weight(f"gain_{at}", norm.gain), self._weight(f"shift_{at}", norm.bias)
        return self._add("LayerNormalization", x, gain, bias, axis=-1, epsilon=EPSILON)

    def _pool(self, x: str) -> None:
        """The sum over the tokens that are not padding, at unit length: their mean has the same direction."""
        second = self._weight("second", np.ones(1, np.int64))
        mask = self._add("Unsqueeze", self._add("Cast", "attention_mask", to=FLOAT32), second)
        total = self._add("Squeeze", self._add("MatMul", mask, x), second)
        self._nodes.append(Node("LpNormalization", [total], ["vectors"], attributes={"axis": -1, "p": 2}))

    def _add(self, kind: str, *inputs: str, domain: str = "", **attributes: int | float) -> str:
        return self._add_many(kind, inputs, 1, domain=domain, **attributes)[0]

    def _add_many(
        self, kind: str, inputs: tuple[str, ...], count: int, *, domain: str = "", **attributes: int | float
    ) -> list[str]:
        outputs = [f"t{len(self._nodes)}_{number}" for number in range(count)]
        self._nodes.append(Node(kind, inputs, outputs, domain, attributes))
        return outputs

    def _weight(self, name: str, values: NDArray[Any]) -> str:
        self._weights[name] = values
        return name

    def _read(self, name: str) -> NDArray[Any]:
        return self._packaged[f"inner.{name}"]

    def _dense(self, name: str) -> _Dense:
        bias = f"inner.{name}.bias"
        matrix = self._matrix_before[bias]
        return _Dense(
            self._packaged[f"{matrix}_q"], self._packaged[f"{matrix}_scale"].reshape(-1), self._packaged[bias]
        )

    def _norm(self, name: str) -> _Norm:
        return _Norm(self._read(f"{name}.weight"), self._read(f"{name}.bias"))
