"""Render a record in both wire modes as ready bytes, and make them one client's own.

A hit must cost no rendering. So both renderings are kept, with marks where the id and the time go: a hit is two
replaces. A mark is 128 random bits of this process that never leave it, so no text can contain one.
"""

import secrets
from dataclasses import dataclass
from random import getrandbits
from typing import Any, Final

import orjson

from proxy.fold import Record
from proxy.openai import CHAT
from proxy.sse import DONE, encode

END = encode(DONE)
"""The event that ends every stream; `Rendered.stream` is without it, since a usage event may come between."""

ID_KEY_BYTES = 10
"""How much of the entry's key is in an id: 80 bits lead back to the entry."""

ID_RANDOM_BITS = 48


@dataclass(slots=True, frozen=True)
class Marks:
    """What stands in a template for the id and for the time: JSON strings, quotes included."""

    id: bytes
    created: bytes

    @classmethod
    def new(cls) -> "Marks":
        return cls(id=orjson.dumps(secrets.token_hex(16)), created=orjson.dumps(secrets.token_hex(16)))


class Rendered:
    """A record as templates for `personal`. The stream is rendered when first asked for: most answers never are."""

    __slots__ = ("_stream", "has_usage", "plain", "size")

    def __init__(self, plain: bytes, choices: int, *, has_usage: bool) -> None:
        self.plain: Final = plain
        """The completion."""
        self.has_usage: Final = has_usage
        """Whether the engine told the usage."""
        self.size: Final = 2 * len(plain) + STREAM_BYTES_A_CHOICE * (choices + 1)
        """Bytes of all renderings together, before the stream's is made: what it repeats is estimated."""
        self._stream: tuple[bytes, bytes | None] | None = None
        """Written once, by whoever asks first."""

    @property
    def stream(self) -> bytes:
        """The events, without the usage event and the end."""
        return self._streamed()[0]

    @property
    def usage_event(self) -> bytes | None:
        """The event that `include_usage` adds; None where the engine never told the usage."""
        return self._streamed()[1]

    def _streamed(self) -> tuple[bytes, bytes | None]:
        if self._stream is None:
            marked = orjson.loads(self.plain)
            events = b"".join([encode(orjson.dumps(chunk)) for chunk in _chunks(marked)])
            usage = {**_head(marked), "choices": [], "usage": marked["usage"]} if self.has_usage else None
            self._stream = events, None if usage is None else encode(orjson.dumps(usage))
        return self._stream


STREAM_BYTES_A_CHOICE = 500
"""What a choice's chunks repeat: three heads of some 150 bytes."""


def render(record: Record, marks: Marks) -> Rendered:
    """Render a record that `proxy.storable` found well formed."""
    plain = orjson.dumps({**record, "id": orjson.Fragment(marks.id), "created": orjson.Fragment(marks.created)})
    return Rendered(plain, len(record["choices"]), has_usage=bool(record.get("usage")))


def personal(template: bytes, marks: Marks, new_id: str, created: int) -> bytes:
    """A template with an id and a time (Unix seconds); the record's own give back its rendering verbatim."""
    return template.replace(marks.id, orjson.dumps(new_id)).replace(marks.created, b"%d" % created)


def new_id(path: str, key: bytes) -> str:
    """A fresh id of fixed length for a hit on `key`: it begins with the key, so it leads back to the entry."""
    prefix = "chatcmpl-" if path == CHAT else "cmpl-"
    # Unique, and not a secret: no system call for each hit.
    return f"{prefix}{key[:ID_KEY_BYTES].hex()}{getrandbits(ID_RANDOM_BITS):012x}"


_REPEATED = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
"""Top-level fields that every chunk carries; the others go into the first."""


def _head(record: Record) -> Record:
    head = {name: record[name] for name in _REPEATED if name in record}
    if head.get("object") == "chat.completion":
        head["object"] = "chat.completion.chunk"
    return head


def _chunks(record: Record) -> list[Record]:
    """The chunks of a stream, without usage. Folded, they are the record again: each value is sent once."""
    head = _head(record)
    chunks = [{**head, "choices": [choice]} for whole in record["choices"] for choice in _choice_chunks(whole)]
    first = chunks[0] if chunks else {**head, "choices": []}
    for name, value in record.items():
        if name not in first and name != "usage":
            first[name] = value
    return chunks or [first]


def _choice_chunks(choice: dict[str, Any]) -> list[dict[str, Any]]:
    """One choice's chunks: its beginning, what it says, and a last one with the finish reason and all other fields."""
    index = choice["index"]
    closing = {
        name: value for name, value in choice.items() if name not in ("index", "message", "text", "logprobs", "delta")
    }
    logprobs = {"logprobs": choice["logprobs"]} if "logprobs" in choice else {}
    if "message" not in choice:
        said = {"index": index, "text": choice.get("text", ""), **logprobs, "finish_reason": None}
        return [said, {"index": index, "text": "", "finish_reason": None, **closing}]
    deltas = _deltas(choice["message"])
    # The log probabilities are those of the content, or of whatever comes last where there is none.
    told = next((place for place, delta in enumerate(deltas) if delta.get("content")), len(deltas) - 1)
    chunks = [
        {"index": index, "delta": delta, **(logprobs if place == told else {}), "finish_reason": None}
        for place, delta in enumerate(deltas)
    ]
    return [*chunks, {"index": index, "delta": {}, "finish_reason": None, **closing}]


def _deltas(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The role first, with every value that has no length; then reasoning, content and the rest, one field each."""
    first: dict[str, Any] = {"role": message.get("role", "assistant")}
    later = []
    for name, value in message.items():
        if name == "role":
            continue
        if not value or not isinstance(value, str | list | dict):
            first[name] = value
        elif name == "tool_calls":
            later.append((2, {name: _indexed(value)}))
        else:
            if name == "content" and isinstance(value, str):
                first[name] = ""
            later.append((0 if name.startswith("reasoning") else 1, {name: value}))
    # The sort keeps the record's order within a rank.
    return [first, *(delta for _, delta in sorted(later, key=lambda ranked: ranked[0]))]


def _indexed(calls: Any) -> Any:
    """Tool calls with the index that only streams have."""
    if not isinstance(calls, list):
        return calls
    return [{**call, "index": place} if isinstance(call, dict) else call for place, call in enumerate(calls)]
