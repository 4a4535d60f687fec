"""A stream of the stub engine as a timeline: what to write, how long to wait, where to break."""

import itertools
import zlib
from collections.abc import Iterator
from typing import Any

import orjson

from bench.stub_script import Script

PING_S = 1.0
"""Between two comments of a silence."""


class Broken(ConnectionResetError):
    """The engine breaks the connection here: with a reset, or by closing it too early."""

    def __init__(self, *, reset: bool) -> None:
        super().__init__("the stub engine breaks the connection")
        self.reset = reset


Step = bytes | float | Broken
"""Bytes to write, seconds to wait, or the end."""


def timeline(chunks: Iterator[dict[str, Any]], script: Script) -> Iterator[Step]:
    """The steps of a stream of `chunks`, with everything its script asks for."""
    if not script.options:
        return itertools.chain((b"data: " + orjson.dumps(chunk) + b"\n\n" for chunk in chunks), [b"data: [DONE]\n\n"])
    steps = _spelled(_events(chunks, script), script)
    if "split" in script:
        steps = _split(steps, script.count("split", 1))
    return _compressed(steps, script)


def compress(body: bytes, script: Script) -> bytes:
    return b"".join(step for step in _compressed(iter([body]), script) if isinstance(step, bytes))


def coding(script: Script) -> list[tuple[bytes, bytes]]:
    """The header for what `compress` and `timeline` do."""
    return [(b"content-encoding", name.encode()) for name in ("gzip", "deflate") if name in script]


def _events(chunks: Iterator[dict[str, Any]], script: Script) -> Iterator[Step]:
    """The data of the events, and the steps between them."""
    gap_s = script.number("chunk-ms", 0) / 1000
    breaks = {name: script.count(name, 1) for name in ("reset-after", "close-after", "error-event") if name in script}
    silent_at = script.count("silence-after", 0) if "silence" in script else None
    if "null-first" in script:
        yield b"null"
    place = 0
    for place, chunk in enumerate(chunks):
        if place == silent_at:
            yield script.number("silence", 1)
        elif place and gap_s:
            yield gap_s
        if breaks.get("reset-after") == place:
            yield Broken(reset=True)
        if breaks.get("close-after") == place:
            yield Broken(reset=False)
        if breaks.get("error-event") == place:
            error = {"message": "The engine died.", "type": "InternalServerError", "param": None, "code": 500}
            yield orjson.dumps({"error": error})
            break
        yield orjson.dumps(chunk)
    if breaks.get("reset-after", -1) > place:
        yield Broken(reset=True)
    if breaks.get("close-after", -1) > place:
        yield Broken(reset=False)
    if "no-done" not in script:
        yield b"[DONE]"


def _spelled(steps: Iterator[Step], script: Script) -> Iterator[Step]:
    """Each data as an event, and comments where they are asked for; a silence with comments is cut into seconds."""
    end = b"\r\n" if "crlf" in script else b"\n"
    field = b"data:" if "no-space" in script else b"data: "
    comment = b": ping" + end + end if "comments" in script else b""
    for step in steps:
        if isinstance(step, bytes):
            if comment:
                yield comment
            yield field + step + end + end
        elif isinstance(step, float) and comment:
            left_s = step
            while left_s > PING_S:
                yield PING_S
                yield comment
                left_s -= PING_S
            yield left_s
        else:
            if isinstance(step, Broken) and not step.reset:
                yield field + b'{"id":"cut'
            yield step


def _split(steps: Iterator[Step], size: int) -> Iterator[Step]:
    for step in steps:
        if not isinstance(step, bytes):
            yield step
            continue
        for start in range(0, len(step), max(1, size)):
            yield step[start : start + max(1, size)]
            yield 0.0


def _compressed(steps: Iterator[Step], script: Script) -> Iterator[Step]:
    if "gzip" in script:
        compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    elif "deflate" in script:
        compressor = zlib.compressobj()
    else:
        yield from steps
        return
    for step in steps:
        yield compressor.compress(step) + compressor.flush(zlib.Z_SYNC_FLUSH) if isinstance(step, bytes) else step
    yield compressor.flush()
