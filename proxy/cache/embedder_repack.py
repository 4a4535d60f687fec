"""Re-packs the packaged weights into a file that onnxruntime runs faster and in less memory than theirs as it is.

Needs `onnx`; an opt-in. The packaged embedder does not run theirs as it is: what `embedder_graph.py` makes of it
takes as little memory as this, is faster still and as near. This is for who has evidence about such a file.

The packaged file keeps each weight as int8 with a Cast and a Mul behind it, which onnxruntime unfolds to fp32 when it
loads. Here

- a weight matrix of a MatMul is unfolded once and packed by blocks of 32 into 8 bits for `MatMulNBits`, whose kernels
  compute in int8 (accuracy level 4) with one scale a block and row: a text's vector does not depend on its batch;
- an embedding table stays int8: rows are gathered first and unfolded then, which gives the same numbers.
"""

import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from proxy.cache.embedder import EmbedderUnavailable

BITS = 8
BLOCK = 32
ACCURACY_LEVEL = 4
"""MatMulNBits: 4 means that activations are quantised to int8, one scale a block."""

INSTALL = "pip install onnx onnx-ir"


def repack(source: Path, target: Path) -> None:
    """Write a re-packed copy of the model file `source`.

    Raises:
        EmbedderUnavailable: `onnx` is not installed; the message holds the line that installs it.
    """
    onnx = _import("onnx")
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # as in embedder_fastembed
    quantizer = _import("onnxruntime.quantization.matmul_nbits_quantizer")
    model = onnx.load(str(source))
    _unfold(model.graph, onnx)
    packing = quantizer.MatMulNBitsQuantizer(
        model, bits=BITS, block_size=BLOCK, is_symmetric=False, accuracy_level=ACCURACY_LEVEL
    )
    packing.process()
    target.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(packing.model.model, str(target))


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise EmbedderUnavailable(f"re-packing needs {error.name}, which is not installed: {INSTALL}") from error


def _unfold(graph: Any, onnx: ModuleType) -> None:
    """Replace each Cast and Mul of an int8 weight: by an fp32 weight for a MatMul, by a late unfolding for a Gather."""
    weights = {weight.name: weight for weight in graph.initializer}
    casts = {
        node.output[0]: node.input[0] for node in graph.node if node.op_type == "Cast" and node.input[0] in weights
    }
    folded: dict[str, tuple[str, str]] = {}
    """Name of an unfolded weight to the names of its int8 values and its scales."""
    for node in graph.node:
        if node.op_type == "Mul" and node.input[0] in casts and node.input[1] in weights:
            folded[node.output[0]] = (casts[node.input[0]], node.input[1])

    kept: list[Any] = []
    unfolded: set[str] = set()
    for node in graph.node:
        if node.output[0] in folded or (node.output[0] in casts and _only_for(graph, node.output[0], folded)):
            continue
        if node.op_type == "Gather" and node.input[0] in folded and _axis(node) == 0:
            kept += _gather_first(node, *folded[node.input[0]], onnx)
            continue
        unfolded.update(name for name in node.input if name in folded)
        kept.append(node)
    for name in sorted(unfolded):
        values, scales = (onnx.numpy_helper.to_array(weights[part]) for part in folded[name])
        graph.initializer.append(onnx.numpy_helper.from_array(values.astype(scales.dtype) * scales, name))
    del graph.node[:]
    graph.node.extend(kept)
    used = {name for node in graph.node for name in node.input}
    left = [weight for weight in graph.initializer if weight.name in used]
    del graph.initializer[:]
    graph.initializer.extend(left)


def _only_for(graph: Any, cast: str, folded: dict[str, tuple[str, str]]) -> bool:
    return all(node.output[0] in folded for node in graph.node if cast in node.input)


def _axis(gather: Any) -> int:
    return next((int(attribute.i) for attribute in gather.attribute if attribute.name == "axis"), 0)


def _gather_first(gather: Any, values: str, scales: str, onnx: ModuleType) -> list[Any]:
    """Gather int8 rows and their scales, one a row, and unfold what was gathered."""
    output, rows = gather.output[0], gather.input[1]
    make = onnx.helper.make_node
    return [
        make("Gather", [values, rows], [f"{output}_q"], axis=0),
        make("Cast", [f"{output}_q"], [f"{output}_f"], to=onnx.TensorProto.FLOAT),
        make("Gather", [scales, rows], [f"{output}_s"], axis=0),
        make("Mul", [f"{output}_f", f"{output}_s"], [output]),
    ]
