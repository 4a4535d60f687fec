"""Fold the events of a stream into the completion that the same request would have had without `stream`.

Choices merge by index and by the rules of `proxy.merge`, so that fields nobody has heard of yet survive. Beside them,
every chunk repeats the fields of the whole answer, and there the last non-null value wins as it is. Named are only the
wire format's own renamings: `delta` becomes `message`, the chunk's `object` becomes the completion's, and a tool call
loses the index that only streams have.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from proxy.merge import Items, Unmergeable, finished
from proxy.round_trip import round_trips
from proxy.sse import DONE, EventSplitter, data_of

Record = dict[str, Any]
"""A completion as the engine gives it without `stream`, minus `ENGINE_EXTRAS`."""

ENGINE_EXTRAS = frozenset({"timings", "kv_transfer_params", "ec_transfer_params", "metrics", "__verbose"})
"""Top-level fields that tell how one generation went: passed on when it happens, and no part of a record."""


@dataclass(slots=True, frozen=True)
class Folded:
    """What a stream came to."""

    record: Record | None
    """None where the stream could not be read, or its parts do not fit together."""
    done: bool
    """The end marker was seen."""
    error_body: tuple[int, bytes] | None
    """The first event with an `error` member, as a status and a body. The end marker may follow it all the same."""

    @property
    def error(self) -> bool:
        return self.error_body is not None

    @property
    def has_usage(self) -> bool:
        return self.record is not None and isinstance(self.record.get("usage"), dict)


class StreamFold:
    """Folds a stream while it passes, so that no moment has to fold all of it. Bounded by the caller."""

    __slots__ = ("_choices", "_done", "_error_body", "_fields", "_splitter", "_unfoldable")

    def __init__(self) -> None:
        self._splitter = EventSplitter()
        self._fields: dict[str, Any] = {}
        self._choices = Items()
        self._error_body: tuple[int, bytes] | None = None
        self._done = self._unfoldable = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body, without transfer or content coding."""
        for event in self._splitter.feed(data):
            self._take(event)

    def finish(self) -> Folded:
        """What all of it came to. Nothing may be fed any more."""
        for event in self._splitter.end():
            self._take(event)
        readable = not self._unfoldable and not len(self._splitter)
        record = _record(self._fields, self._choices) if readable else None
        return Folded(record, done=self._done, error_body=self._error_body)

    def _take(self, event: bytes) -> None:
        data = data_of(event)
        if data is None:
            return
        if data.strip() == DONE:
            self._done = True
            return
        try:
            chunk = orjson.loads(data)
            if chunk is None:  # llama.cpp opens the stream of a prompt array with `data: null`
                return
            if self._error_body is None and isinstance(chunk, dict) and chunk.get("error") is not None:
                self._error_body = _status(chunk["error"]), data
            self._unfoldable = self._unfoldable or self._done or not round_trips(data, chunk)
            if not self._unfoldable:
                _add_chunk(self._fields, self._choices, chunk)
        except (orjson.JSONDecodeError, Unmergeable):
            self._unfoldable = True


def fold_stream(body: bytes) -> Folded:
    """Fold the whole body of an event stream."""
    stream = StreamFold()
    stream.feed(body)
    return stream.finish()


def fold(chunks: Iterable[Record]) -> Record:
    """Fold parsed chunks, in order.

    Raises:
        Unmergeable: a chunk is not one, or a field is text in one chunk and a list or an object in another.
    """
    fields: dict[str, Any] = {}
    choices = Items()
    for chunk in chunks:
        _add_chunk(fields, choices, chunk)
    return _record(fields, choices)


def read_record(body: bytes) -> Record | None:
    """The record of a plain answer; None if it is not JSON, not an object, or not dumped as the same values again."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(answer, dict) or not round_trips(body, answer):
        return None
    return {name: value for name, value in answer.items() if name not in ENGINE_EXTRAS}


def is_usage_only(event: bytes) -> bool:
    """Whether this raw event is the one that `include_usage` adds: usage, and no choices."""
    if b'"usage"' not in event:
        return False
    try:
        chunk = orjson.loads(data_of(event) or b"null")
    except orjson.JSONDecodeError:
        return False
    return isinstance(chunk, dict) and isinstance(chunk.get("usage"), dict) and not chunk.get("choices")


def _status(error: Any) -> int:
    """The status an error event stands for: its numeric `code`, as llama.cpp and vLLM write it, else 502."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int and 400 <= code <= 599 else 502


def _add_chunk(fields: dict[str, Any], choices: Items, chunk: Any) -> None:
    if not isinstance(chunk, dict):
        raise Unmergeable("a chunk must be an object")
    for name, value in chunk.items():
        if name != "choices":
            if value is not None or name not in fields:
                fields[name] = value
            continue
        fields.setdefault(name, None)  # keeps its place among the fields
        if not isinstance(value, list | None):
            raise Unmergeable("choices must be a list")
        for position, choice in enumerate(value or ()):
            if not isinstance(choice, dict):
                raise Unmergeable("a choice must be an object")
            choices.add(choice if type(choice.get("index")) is int else {**choice, "index": position})


def _record(fields: dict[str, Any], choices: Items) -> Record:
    record = {name: value for name, value in fields.items() if name not in ENGINE_EXTRAS}
    if record.get("usage", ...) is None:
        del record["usage"]
    if record.get("object") == "chat.completion.chunk":
        record["object"] = "chat.completion"
    record["choices"] = [_choice(finished(choice)) for choice in choices.values]
    record["choices"].sort(key=lambda choice: choice["index"])
    return record


def _choice(folded: dict[str, Any]) -> dict[str, Any]:
    """One choice as plain answers have it: with a finish reason, and a `message` that has a role and a content."""
    folded.setdefault("finish_reason", None)
    if not isinstance(folded.get("delta"), dict):
        return folded
    choice = {("message" if name == "delta" else name): value for name, value in folded.items()}
    message = choice["message"]
    calls = message.get("tool_calls")
    if isinstance(calls, list) and all(isinstance(call, dict) for call in calls):
        if all(type(call.get("index")) is int for call in calls):
            calls.sort(key=lambda call: call["index"])
        message["tool_calls"] = [{name: value for name, value in call.items() if name != "index"} for call in calls]
    choice["message"] = {"role": "assistant", "content": None, **message}
    choice["message"]["role"] = message.get("role") or "assistant"
    return choice
