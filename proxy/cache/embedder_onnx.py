"""Reads and writes the little of a model file (ONNX, a protocol buffer) that a change of its graph takes.

Only what `embedder_graph.py` needs: nodes, weights held as raw bytes, tensors in and out. The `onnx` package does
all of it and more, and is 20 MB that a proxy would load for this alone. Field numbers are those of `onnx.proto` (ONNX
IR version 8); fields that are not named here are skipped.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

IR_VERSION: Final = 8
OPSETS: Final = {"": 18, "com.microsoft": 1}
"""Of the nodes that are written; the second holds onnxruntime's own."""

ELEMENTS: Final[dict[int, str]] = {1: "<f4", 2: "|u1", 3: "|i1", 6: "<i4", 7: "<i8"}
"""ONNX's number of an element type, and numpy's name."""
NUMBERS: Final = {np.dtype(name): number for number, name in ELEMENTS.items()}

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FLOAT_ATTRIBUTE, INT_ATTRIBUTE = 1, 2

Shape = Sequence[str | int]
"""Of a tensor in or out: a name stands for any size."""


@dataclass(frozen=True, slots=True)
class Node:
    """One operator; an input named "" is left out."""

    kind: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    domain: str = ""
    attributes: Mapping[str, int | float] = field(default_factory=dict)


def read_model(file: bytes) -> tuple[list[Node], dict[str, NDArray[Any]]]:
    """The nodes of a model, without attributes, and its weights by name. The weights share the file's memory.

    Raises:
        ValueError: it is no model, or ends too early.
    """
    nodes: list[Node] = []
    weights: dict[str, NDArray[Any]] = {}
    for number, graph in _fields(memoryview(file)):
        if number != 7:
            continue
        for part, value in _fields(_bytes(graph)):
            if part == 1:
                nodes.append(_node(_bytes(value)))
            elif part == 5:
                name, weight = _weight(_bytes(value))
                if weight is not None:
                    weights[name] = weight
    if not nodes:
        raise ValueError("a model file without a graph")
    return nodes, weights


def write_model(
    nodes: Sequence[Node],
    weights: Mapping[str, NDArray[Any]],
    inputs: Mapping[str, tuple[np.dtype[Any], Shape]],
    outputs: Mapping[str, tuple[np.dtype[Any], Shape]],
) -> bytes:
    """A model file."""
    graph = [_message(1, _encode_node(node, at)) for at, node in enumerate(nodes)]
    graph.append(_text(2, "askonce"))
    graph += [_message(5, _encode_weight(name, weight)) for name, weight in weights.items()]
    graph += [_message(11, _encode_tensor_type(name, *told)) for name, told in inputs.items()]
    graph += [_message(12, _encode_tensor_type(name, *told)) for name, told in outputs.items()]
    opsets = [_message(8, _text(1, domain) + _int(2, version)) for domain, version in OPSETS.items()]
    return b"".join([_int(1, IR_VERSION), _message(7, b"".join(graph)), *opsets])


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field: an int, or the bytes of a text, a message or a packed list."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            size, at = _varint(message, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError("not a model file")
        if at + size > len(message):
            raise ValueError("the model file ends too early")
        yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("the model file ends too early")


def _bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("not a model file")
    return value


def _node(message: memoryview) -> Node:
    texts: dict[int, list[str]] = {1: [], 2: [], 4: [], 7: []}
    for number, value in _fields(message):
        if number in texts:
            texts[number].append(str(_bytes(value), "utf-8"))
    return Node("".join(texts[4]), texts[1], texts[2], "".join(texts[7]))


def _weight(message: memoryview) -> tuple[str, NDArray[Any] | None]:
    """None for one of another element type, or not held as raw bytes."""
    shape: list[int] = []
    element, name, raw = 0, "", None
    for number, value in _fields(message):
        if number == 1:
            shape += [value] if isinstance(value, int) else _varints(value)
        elif number == 2 and isinstance(value, int):
            element = value
        elif number == 8:
            name = str(_bytes(value), "utf-8")
        elif number == 9:
            raw = _bytes(value)
    if raw is None or element not in ELEMENTS:
        return name, None
    return name, np.frombuffer(raw, ELEMENTS[element]).reshape(shape)


def _varints(packed: memoryview) -> list[int]:
    values: list[int] = []
    at = 0
    while at < len(packed):
        value, at = _varint(packed, at)
        values.append(value)
    return values


def _encode_varint(value: int) -> bytes:
    encoded = bytearray()
    value &= 0xFFFF_FFFF_FFFF_FFFF  # a negative one in two's complement
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _int(number: int, value: int) -> bytes:
    return _encode_varint(number << 3 | VARINT) + _encode_varint(value)


def _message(number: int, encoded: bytes) -> bytes:
    return _encode_varint(number << 3 | BYTES) + _encode_varint(len(encoded)) + encoded


def _text(number: int, text: str) -> bytes:
    return _message(number, text.encode())


def _encode_node(node: Node, at: int) -> bytes:
    parts = [_text(1, name) for name in node.inputs] + [_text(2, name) for name in node.outputs]
    parts += [_text(3, f"{node.kind}_{at}"), _text(4, node.kind), _text(7, node.domain)]
    for name, value in node.attributes.items():
        if isinstance(value, float):
            told = _encode_varint(2 << 3 | FIXED32) + struct.pack("<f", value) + _int(20, FLOAT_ATTRIBUTE)
        else:
            told = _int(3, value) + _int(20, INT_ATTRIBUTE)
        parts.append(_message(5, _text(1, name) + told))
    return b"".join(parts)


def _encode_weight(name: str, weight: NDArray[Any]) -> bytes:
    dims = b"".join(_int(1, size) for size in weight.shape)
    return dims + _int(2, NUMBERS[weight.dtype]) + _text(8, name) + _message(9, weight.tobytes())


def _encode_tensor_type(name: str, element: np.dtype[Any], shape: Shape) -> bytes:
    sizes = b"".join(_message(1, _int(1, size) if isinstance(size, int) else _text(2, size)) for size in shape)
    return _text(1, name) + _message(2, _message(1, _int(1, NUMBERS[element]) + _message(2, sizes)))
