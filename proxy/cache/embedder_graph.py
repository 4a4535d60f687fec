"""Rebuilds the packaged model's graph, with its weights as they are, so that short texts take half of the time.

The packaged file holds int8 weights, which onnxruntime unfolds to fp32 when it loads: 43 MB, more than a core's share
of the cache, so a short text waits for memory. Here the weights stay int8 (11 MB), and a matrix product is one of
integers, each row of x having a scale of its own:

    x ≈ m/63·a      a whole numbers of at most 63, m the row's greatest value; x·W ≈ m/63·(a·W)

Nothing is measured over a batch, so a text's vector does not depend on what it travels with. In every text a few
channels hold values 3 to 15 times as large as the rest (`LOUD`, `LOUD_GROWN`); they would take the steps from the
others, so they don't count for m, and their part of the product is one of floats. Vectors come within 1.5e-3 of the
packaged file's in cosine (short odd ones within 4e-3), as near as re-packing comes (`embedder_repack.py`).

Why 63, and not 127: x86 processors without VNNI multiply unsigned by signed bytes and add neighbours in 16 bits, which
saturates. `a` is stored as 1..127, and 2·127·127 still fits.

The rest is the same model with onnxruntime's own operators for attention and GELU in place of 300 small nodes, token
types left out (there is one), and mean pooling and L2 normalisation at the end.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxy.cache.embedder_onnx import Node, read_model, write_model

GRAPH: Final = "rows of 7 bits"
"""Goes into the embedder's identity: vectors of another graph are another embedder's."""
LAYERS = 6
HEADS = 12
WIDTH = 384
GROWN = 4 * WIDTH
EPSILON = 1e-12
"""Of the layer normalisations."""
STEPS = 63
"""On either side of 0 in a row's whole numbers."""
MIDDLE = STEPS + 1
"""What 0 is stored as."""
LARGEST = MIDDLE + STEPS
"""That a whole number is stored as."""
DEPTH_OF_GELU = 0.17
"""How far below 0 GELU goes; lifted by it, a row needs no sign, and has 127 steps."""
LOUD: Final = (99, 223, 127, 63, 157, 319, 267, 303)
"""Channels behind a normalisation whose greatest values over some 700 texts (PAWS, CheckList, fow-cache, seed-shaped,
code, other languages) are 3.2 to 16 times the median channel's."""
LOUD_GROWN: Final = ((856, 329), (607, 1157), (1004, 218), (358, 1057), (637, 1321), (830, 1302))
"""The same behind each layer's GELU."""
OWN = "com.microsoft"
INT32, FLOAT32 = 6, 1
"""ONNX's numbers of element types."""

Floats = NDArray[np.float32]


def _loud_last(width: int, loud: tuple[int, ...]) -> NDArray[np.int64]:
    """An order of channels in which one cut parts the loud ones from the quiet."""
    return np.array([channel for channel in range(width) if channel not in loud] + list(loud))


ORDER: Final = _loud_last(WIDTH, LOUD)
"""Of the channels of the graph."""


def rebuilt(packaged: bytes) -> bytes:
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


@dataclass(frozen=True, slots=True)
class _Dense:
    """`x·values·scales + bias`: int8 `(inputs, outputs)`, and a scale and a bias for each output."""

    values: NDArray[np.int8]
    scales: Floats
    bias: Floats

    @classmethod
    def beside(cls, *parts: "_Dense") -> "_Dense":
        """All of them at once; their outputs stand side by side."""
        return cls(
            np.concatenate([part.values for part in parts], axis=1),
            np.concatenate([part.scales for part in parts]),
            np.concatenate([part.bias for part in parts]),
        )

    def reading(self, rows: Any) -> "_Dense":
        """With these of its inputs, in this order."""
        return _Dense(np.ascontiguousarray(self.values[rows]), self.scales, self.bias)

    def giving(self, columns: Any) -> "_Dense":
        """With these of its outputs, in this order."""
        return _Dense(np.ascontiguousarray(self.values[:, columns]), self.scales[columns], self.bias[columns])

    def unfolded(self) -> Floats:
        return self.values.astype(np.float32) * self.scales


class _Rebuilt:
    """The graph as it grows; names of tensors are what the methods take and give.

    Between embeddings and pooling a tensor has two dimensions, a row for each token of each text, but in attention.
    """

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
        self._weights: dict[str, NDArray[Any]] = {
            "one": np.array(1, np.float32),
            "last": np.array([-1], np.int64),
            "rows": np.array([-1, WIDTH], np.int64),
            "heads": np.full(3, WIDTH, np.int64),
        }

    def file(self) -> bytes:
        mask = self._add("Cast", "attention_mask", to=INT32)
        texts = self._add("Shape", "input_ids")
        x = self._normalise(self._add("Reshape", self._embeddings(), "rows"), "embeddings.LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            x = self._attend(x, texts, mask, f"{name}.attention")
            x = self._feed_forward(x, name, LOUD_GROWN[layer])
        self._pool(self._as_texts(x, texts, WIDTH))
        ids = (np.dtype("<i8"), ("n", "tokens"))
        return write_model(
            self._nodes,
            self._weights,
            {"input_ids": ids, "attention_mask": ids},
            {"vectors": (np.dtype("<f4"), ("n", WIDTH))},
        )

    def _embeddings(self) -> str:
        """Words, gathered as int8 and unfolded then, and positions."""
        words = "embeddings.word_embeddings.weight"
        table = np.ascontiguousarray(self._read(f"{words}_q")[:, ORDER])
        values = self._add("Gather", self._weight("words", table), "input_ids", axis=0)
        scales = self._add("Gather", self._weight("word_scales", self._read(f"{words}_scale")), "input_ids", axis=0)
        word = self._add("Mul", self._add("Cast", values, to=FLOAT32), scales)
        positions = "embeddings.position_embeddings.weight"
        places = self._read(f"{positions}_q").astype(np.float32) * self._read(f"{positions}_scale")
        places = (places + self._read("embeddings.token_type_embeddings.weight")[0])[:, ORDER]
        start = self._weight("start", np.zeros(1, np.int64))
        tokens = self._add("Shape", "input_ids", start=1, end=2)
        return self._add("Add", word, self._add("Slice", self._weight("positions", places), start, tokens))

    def _attend(self, x: str, texts: str, mask: str, name: str) -> str:
        heads = _Dense.beside(*(self._dense(f"{name}.self.{part}") for part in ("query", "key", "value")))
        together = self._as_texts(self._multiply_normalised(x, heads), texts, 3 * WIDTH)
        query, key, value = self._add_many("Split", (together, "heads"), 3, axis=-1)
        attended = self._add("MultiHeadAttention", query, key, value, "", mask, domain=OWN, num_heads=HEADS)
        dense = self._dense(f"{name}.output.dense").giving(ORDER)
        product = self._multiply(self._add("Reshape", attended, "rows"), dense)
        return self._normalise(self._add_bias(self._add("Add", product, x), dense.bias), f"{name}.output.LayerNorm")

    def _feed_forward(self, x: str, name: str, loud: tuple[int, ...]) -> str:
        order = _loud_last(GROWN, loud)
        wide = self._dense(f"{name}.intermediate.dense").giving(order)
        grown = self._add("Gelu", self._multiply_normalised(x, wide), domain=OWN)
        dense = self._dense(f"{name}.output.dense").reading(order).giving(ORDER)
        quiet = dense.reading(slice(-len(loud)))
        product = self._multiply_parted(grown, dense, len(loud), x, lift=DEPTH_OF_GELU)
        lifted = quiet.unfolded().sum(axis=0) * np.float32(DEPTH_OF_GELU)
        return self._normalise(self._add_bias(product, dense.bias - lifted), f"{name}.output.LayerNorm")

    def _multiply_normalised(self, x: str, dense: _Dense) -> str:
        """The whole dense layer, for rows that a normalisation gave."""
        return self._multiply_parted(x, dense.reading(ORDER), len(LOUD), self._name("bias", dense.bias))

    def _multiply_parted(self, x: str, dense: _Dense, loud: int, more: str, *, lift: float = 0.0) -> str:
        """The product without the bias, the last `loud` channels in floats, plus `more`."""
        widths = self._name("widths", np.array([len(dense.values) - loud, loud], np.int64))
        quiet_part, loud_part = self._add_many("Split", (x, widths), 2, axis=-1)
        floats = self._name("floats", dense.reading(slice(-loud, None)).unfolded())
        product = self._multiply(quiet_part, dense.reading(slice(-loud)), lift=lift)
        return self._add("Add", product, self._add("Gemm", loud_part, floats, more))

    def _multiply(self, x: str, dense: _Dense, *, lift: float = 0.0) -> str:
        """The product without the bias, in whole numbers. A row of zeros gives zeros: m is 0, whatever `a` became.

        Args:
            lift: added to each x, which is then never negative; 0 where it may be.
        """
        steps, zero = (LARGEST, 0) if lift else (STEPS, MIDDLE)
        if lift:
            x = self._add("Add", x, self._name("lift", np.array(lift, np.float32)))
        greatest = self._add("ReduceMax", x if lift else self._add("Abs", x), "last", keepdims=1)
        step = self._name("step", np.array(1 / steps, np.float32))
        middle = self._name("middle", np.array(zero, np.uint8))
        whole = self._add("QuantizeLinear", self._add("Div", x, greatest), step, middle)
        matrix = self._name("matrix", dense.values)
        scales = self._name("scales", dense.scales / np.float32(steps))
        product = self._add("MatMulIntegerToFloat", whole, matrix, "one", scales, middle, domain=OWN)
        return self._add("Mul", product, greatest)

    def _add_bias(self, x: str, bias: Floats) -> str:
        return self._add("Add", x, self._name("bias", bias))

    def _normalise(self, x: str, name: str) -> str:
        gain, shift = (self._name(part, self._read(f"{name}.{part}")[ORDER]) for part in ("weight", "bias"))
        return self._add("LayerNormalization", x, gain, shift, axis=-1, epsilon=EPSILON)

    def _as_texts(self, x: str, texts: str, width: int) -> str:
        """Rows as `(n, tokens, width)`."""
        shape = self._add("Concat", texts, self._name("width", np.array([width], np.int64)), axis=0)
        return self._add("Reshape", x, shape)

    def _pool(self, x: str) -> None:
        """The sum over the tokens that are not padding, at unit length: their mean has the same direction."""
        second = self._weight("second", np.ones(1, np.int64))
        mask = self._add("Unsqueeze", self._add("Cast", "attention_mask", to=FLOAT32), second)
        total = self._add("Squeeze", self._add("MatMul", mask, x), second)
        in_order = self._add("Gather", total, self._weight("order", np.argsort(ORDER)), axis=-1)
        self._nodes.append(Node("LpNormalization", [in_order], ["vectors"], attributes={"axis": -1, "p": 2}))

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

    def _name(self, kind: str, values: NDArray[Any]) -> str:
        """A weight of the node that comes next."""
        return self._weight(f"{kind}_{len(self._weights)}", values)

    def _read(self, name: str) -> NDArray[Any]:
        return self._packaged[f"inner.{name}"]

    def _dense(self, name: str) -> _Dense:
        bias = f"inner.{name}.bias"
        matrix = self._matrix_before[bias]
        return _Dense(
            self._packaged[f"{matrix}_q"], self._packaged[f"{matrix}_scale"].reshape(-1), self._packaged[bias]
        )
