"""Render a record in both wire modes as ready bytes, and make them one client's own.

A hit must cost no rendering. So both renderings are kept as formats of Python's `%`, with names where the id and the
time go: a hit is one filling in. A name is 128 random bits of this process that never leave it, so no text can contain
one, and every other per cent sign is doubled.
"""

import secrets
from dataclasses import dataclass, field
from random import getrandbits
from typing import Any, Final

import orjson

from proxy.fold import Record, read_record
from proxy.merge import NOT_APPENDED
from proxy.openai import CHAT
from proxy.sse import DONE, encode

END = encode(DONE)
"""The event that ends every stream; `Rendered.stream` is without it, since a usage event may come between."""

ID_KEY_BYTES = 10
"""How much of the entry's key is in an id: 80 bits lead back to the entry."""

ID_RANDOM_BYTES = 6

PIECE = 8192
"""Characters of a text, or bytes of a list or an object, that one event of a replay holds, as far as they come apart.

Many clients read by lines and give up on long ones: Go's `bufio.Scanner` at 64 KiB, aiohttp at 128 KiB. A character
takes at most six bytes, so these stay below.
"""


@dataclass(slots=True, frozen=True)
class Marks:
    """The names of the id and of the time in a template."""

    id: bytes
    created: bytes
    places: dict[str, orjson.Fragment] = field(init=False, repr=False, compare=False)
    """The two members of an answer, as what is to be filled in."""

    @classmethod
    def new(cls) -> "Marks":
        return cls(id=secrets.token_hex(16).encode(), created=secrets.token_hex(16).encode())

    def __post_init__(self) -> None:
        places = {"id": b"%%(%b)b" % self.id, "created": b"%%(%b)b" % self.created}
        object.__setattr__(self, "places", {name: orjson.Fragment(place) for name, place in places.items()})

    def template(self, dumped: bytes, places: int) -> bytes:
        """What was dumped with so many `places` in it, as a format: every other per cent sign is doubled."""
        doubled = dumped.replace(b"%", b"%%")
        if len(doubled) - len(dumped) == places:
            # As a copy: orjson leaves what it writes in a buffer of several times its size.
            return bytes(memoryview(dumped))
        for name in (self.id, self.created):
            doubled = doubled.replace(b"%%%%(%b)" % name, b"%%(%b)" % name)
        return doubled


class Rendered:
    """A record as templates for `personal`, each made when first asked for: most answers never are."""

    __slots__ = ("_marks", "_plain", "_raw", "_stream", "has_usage", "size")

    def __init__(
        self, plain: bytes, choices: int, *, has_usage: bool, marks: Marks | None = None, raw: bool = False
    ) -> None:
        """`plain`: the completion, as a template, or `raw`, as the engine sent it. `marks`: None if never served."""
        self._marks = marks
        self._plain = plain
        self._raw = raw
        self.has_usage: Final = has_usage
        """Whether the engine told the usage."""
        # Not by `count`, which looks at every byte by itself.
        template_bytes = len(plain.replace(b"%", b"%%")) if raw else len(plain)
        self.size: Final = 2 * template_bytes + STREAM_BYTES_A_CHOICE * (choices + 1 + template_bytes // PIECE)
        """Bytes of all renderings together, estimated before they are made: what the stream's repeats, and that a raw
        answer's numbers are written as they came (`1e15` takes more, as do the few characters that are escaped)."""
        self._stream: tuple[bytes, bytes | None] | None = None
        """Written once, by whoever asks first."""

    @property
    def plain(self) -> bytes:
        """The completion."""
        if self._raw and self._marks is not None:
            record = read_record(self._plain)
            assert record is not None
            self._plain = _plain(record, self._marks)
            self._raw = False
        return self._plain

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
            marks = self._marks
            assert marks is not None
            plain = self.plain
            record = {**orjson.loads(personal(plain, marks, "", 0)), **marks.places}
            chunks = _chunks(record, cut=len(plain) > PIECE)
            events = _one_line_each(b"".join([encode(orjson.dumps(chunk)) for chunk in chunks]))
            usage = None
            if self.has_usage:
                event = encode(orjson.dumps({**_head(record), "choices": [], "usage": record["usage"]}))
                usage = marks.template(event, 2)
            self._stream = marks.template(events, 2 * len(chunks)), usage
        return self._stream


STREAM_BYTES_A_CHOICE = 500
"""What a choice's chunks repeat: three heads of some 150 bytes."""


def render(record: Record, marks: Marks, raw: bytes | None = None) -> Rendered:
    """Render a record that `proxy.storable` found well formed; later, if it was read from `raw`, a plain answer."""
    plain = _plain(record, marks) if raw is None else raw
    return Rendered(
        plain, len(record["choices"]), has_usage=bool(record.get("usage")), marks=marks, raw=raw is not None
    )


def _plain(record: Record, marks: Marks) -> bytes:
    return marks.template(orjson.dumps({**record, **marks.places}), 2)


def personal(template: bytes, marks: Marks, new_id: str, created: int) -> bytes:
    """A template with an id and a time (Unix seconds); the record's own give back its rendering verbatim."""
    return template % {marks.id: orjson.dumps(new_id), marks.created: b"%d" % created}


def new_id(path: str, key: bytes) -> str:
    """A fresh id of fixed length for a hit on `key`: it begins with the key, so it leads back to the entry."""
    prefix = "chatcmpl-" if path == CHAT else "cmpl-"
    # Unique, and not a secret: no system call for each hit.
    told = key[:ID_KEY_BYTES] + getrandbits(8 * ID_RANDOM_BYTES).to_bytes(ID_RANDOM_BYTES, "big")
    return prefix + told.hex()


_REPEATED = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
"""Top-level fields that every chunk carries; the others go into the first."""


def _head(record: Record) -> Record:
    head = {name: record[name] for name in _REPEATED if name in record}
    if head.get("object") == "chat.completion":
        head["object"] = "chat.completion.chunk"
    return head


def _one_line_each(events: bytes) -> bytes:
    """Events of JSON without the characters that only some readers take for the end of a line: U+0085, U+2028, U+2029.

    Many split decoded text with a general function, such as Python's `splitlines`.
    """
    for character, escaped in _LINE_ENDS_OF_SOME:
        if character in events:
            events = events.replace(character, escaped)
    return events


_LINE_ENDS_OF_SOME = [(chr(point).encode(), b"\\u%04x" % point) for point in (0x85, 0x2028, 0x2029)]


def _chunks(record: Record, *, cut: bool) -> list[Record]:
    """The chunks of a stream, without usage. Folded, they are the record again: each value is sent once.

    `cut`: something in it may be too long for one event.
    """
    head = _head(record)
    choices = [choice for whole in record["choices"] for choice in _choice_chunks(whole)]
    if cut:
        choices = [piece for choice in choices for piece in _cut(choice)]
    chunks = [{**head, "choices": [choice]} for choice in choices]
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


def _cut(choice: dict[str, Any]) -> list[dict[str, Any]]:
    """One choice's chunk as several, if it says much: each with a part of its text, or of what it tells of tokens."""
    said = {name: value for name, value in choice.items() if name in _SAID or isinstance(value, list)}
    parts = _pieces(said, "")
    if len(parts) == 1:
        return [choice]
    silence: dict[str, Any] = {"delta": {}} if "delta" in choice else {"text": ""}
    before = {"index": choice["index"], "finish_reason": None}
    rest = {name: value for name, value in choice.items() if name not in said}
    return [*({**before, **silence, **part} for part in parts[:-1]), {**rest, **silence, **parts[-1]}]


_SAID = ("delta", "text", "logprobs")
"""Members of a choice that are put together of pieces, beside lists."""


def _pieces(value: Any, name: str) -> list[Any]:
    """The value of a member `name` in parts that `proxy.merge` makes the whole of again."""
    if isinstance(value, str):
        if len(value) <= PIECE or name in NOT_APPENDED:
            return [value]
        return [value[start : start + PIECE] for start in range(0, len(value), PIECE)]
    if not isinstance(value, list | dict) or len(orjson.dumps(value)) <= PIECE:
        return [value]
    if isinstance(value, list):
        return _lists([part for item in value for part in _item_pieces(item)])
    columns = {member: inner for member, inner in value.items() if isinstance(inner, list) and len(inner) > 1}
    if len(columns) > 1 and len({len(inner) for inner in columns.values()}) == 1:
        # What a completion tells of its tokens is in lists side by side, which have to stay so.
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        parts = [dict(zip(columns, map(list, zip(*part, strict=True)), strict=True)) for part in _lists(rows)]
        return [{**value, **parts[0]}, *parts[1:]]
    parts = [{}]
    for member, inner in value.items():
        for place, part in enumerate(_pieces(inner, member)):
            if place == len(parts):
                parts.append({})
            parts[place][member] = part
    return parts


def _item_pieces(item: Any) -> list[Any]:
    """An item in parts: only what has an index goes on in another item of the same one."""
    if not isinstance(item, dict) or type(item.get("index")) is not int:
        return [item]
    return [{**part, "index": item["index"]} for part in _pieces(item, "")]


def _lists(items: list[Any]) -> list[list[Any]]:
    """These items in lists that are not long, if no item is."""
    parts: list[list[Any]] = [[]]
    size = 0
    for item in items:
        item_size = len(orjson.dumps(item))
        if parts[-1] and size + item_size > PIECE:
            parts.append([])
            size = 0
        parts[-1].append(item)
        size += item_size
    return parts


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
