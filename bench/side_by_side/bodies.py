"""The request bodies of the load generator."""

import json
from pathlib import Path

TEXT = (
    "You are given a support ticket. Summarise the problem, name the likely component, and say what to try next in at "
    "most three sentences. Ticket: after the last deployment the checkout page returns an error for customers whose "
    "basket holds more than one gift card. "
)

BODIES = {
    "1k": (1024, 0, None),
    "1k_slow": (1024, 12, None),
    "32k": (32768, 0, None),
    "1k_stream": (1024, 0, 1),
    "1k_slow_stream": (1024, 12, 2),
}
"""Bytes, milliseconds to the first byte, and between chunks; None is not streamed."""


def body(size: int, first_byte_ms: int, chunk_ms: int | None) -> bytes:
    """The load generator writes a counter over the first run of @, where requests have to differ."""
    marker = f"[[d={first_byte_ms * 1000},c={(chunk_ms or 0) * 1000}]]"
    messages = [
        {"role": "system", "content": "You are a careful assistant."},
        {"role": "user", "content": f"Ticket @@@@@@@@ {marker}. "},
    ]
    told: dict[str, object] = {"model": "stub-model", "messages": messages, "max_tokens": 128, "temperature": 0}
    if chunk_ms is not None:
        told["stream"] = True
    room = max(size - len(json.dumps(told)), 0)
    messages[1]["content"] += (TEXT * (size // len(TEXT) + 1))[:room]
    return json.dumps(told).encode()


def flight_body(tag: str) -> bytes:
    """A question nobody asked before, whose answer takes 200 ms."""
    content = f"[[d=200000,c=0]] Explain why granite cools slower than basalt, case {tag}."
    messages = [{"role": "user", "content": content}]
    return json.dumps({"model": "stub-model", "messages": messages, "max_tokens": 128, "temperature": 0}).encode()


def write_bodies(folder: Path) -> None:
    for name, told in BODIES.items():
        (folder / f"{name}.json").write_bytes(body(*told))
