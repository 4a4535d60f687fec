"""The recordings of real engines in `tests/data/engine-captures`, parsed."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent / "data" / "engine-captures"


@dataclass(frozen=True, slots=True)
class Capture:
    """One exchange. `body` is without chunk framing; `complete` is false where the engine died while sending."""

    name: str
    """`engine/case`."""
    method: str
    path: str
    request_headers: list[tuple[bytes, bytes]]
    request_body: bytes
    raw: bytes
    """The bytes received, an interim response left out."""
    status: int
    headers: list[tuple[bytes, bytes]]
    """As received."""
    body: bytes
    complete: bool

    @property
    def events(self) -> bool:
        return any(
            name.lower() == b"content-type" and value.startswith(b"text/event-stream") for name, value in self.headers
        )

    @property
    def request_is_whole(self) -> bool:
        """Whether the recorded request is what was sent: a few over-long prompts were replaced by a note."""
        return (b"Content-Length", b"%d" % len(self.request_body)) in self.request_headers

    @property
    def payload(self) -> dict[str, Any]:
        payload = json.loads(self.request_body)
        assert isinstance(payload, dict)
        return payload


def load(name: str) -> Capture:
    """The capture `engine/case`. Where no request was recorded, all that is of it is empty."""
    asked = ROOT / f"{name}.req.http"
    request = asked.read_bytes() if asked.exists() else b""
    request_head, _, request_body = request.partition(b"\r\n\r\n")
    raw = (ROOT / f"{name}.http").read_bytes()
    if raw.startswith(b"HTTP/1.1 100"):
        raw = raw.partition(b"\r\n\r\n")[2]
    head, _, framed = raw.partition(b"\r\n\r\n")
    headers = _fields(head)
    body, complete = _unframed(headers, framed)
    method, path = request_head.partition(b" HTTP/")[0].decode().split(" ") if request_head else ("", "")
    return Capture(
        name=name,
        method=method,
        path=path,
        request_headers=_fields(request_head),
        request_body=request_body,
        raw=raw,
        status=int(head.split(b" ", 2)[1]),
        headers=headers,
        body=body,
        complete=complete or method == "HEAD",
    )


def names() -> list[str]:
    """All captures, sorted."""
    paths = [path for path in ROOT.glob("*/*.http") if not path.name.endswith(".req.http")]
    return sorted(f"{path.parent.name}/{path.stem}" for path in paths)


@functools.cache
def all_captures() -> tuple[Capture, ...]:
    return tuple(load(name) for name in names())


def streams() -> list[Capture]:
    """Every recorded event stream with status 200, the broken ones included."""
    return [capture for capture in all_captures() if capture.events and capture.status == 200]


def _fields(head: bytes) -> list[tuple[bytes, bytes]]:
    fields = []
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        fields.append((name, value.strip()))
    return fields


def _unframed(headers: list[tuple[bytes, bytes]], framed: bytes) -> tuple[bytes, bool]:
    """The body without its framing, and whether all of it is there."""
    lowered = {name.lower(): value for name, value in headers}
    if lowered.get(b"transfer-encoding") != b"chunked":
        length = int(lowered.get(b"content-length", b"0"))
        return framed[:length], len(framed) >= length
    body, at = b"", 0
    while (end := framed.find(b"\r\n", at)) >= 0:
        length = int(framed[at:end].partition(b";")[0], 16)
        if length == 0:
            return body, True
        body += framed[end + 2 : end + 2 + length]
        at = end + 2 + length + 2
    return body, False
