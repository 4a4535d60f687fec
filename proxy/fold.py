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

from proxy.merge import NOT_APPENDED, Items, Unmergeable, finished
from proxy.round_trip import NESTING_DUMPED, holds_long_number, round_trips
from proxy.sse import DONE, EventSplitter, data_of

Record = dict[str, Any]
"""A completion as the engine gives it without `stream`, minus `ENGINE_EXTRAS`."""

ENGINE_EXTRAS = frozenset(
    {"timings", "kv_transfer_params", "ec_transfer_params", "metrics", "__verbose", "obfuscation"}
)
"""Top-level fields of one generation, or of one chunk: passed on when it happens, and no part of a record."""

_OF_EVERY_CHUNK = frozenset({"id", "object", "created", "model"})
"""Azure's late annotations have these empty, or 0."""


@dataclass(slots=True, frozen=True)
class Folded:
    """What a stream came to."""

    record: Record | None
    """None where the stream could not be read, or its parts do not fit together."""
    done: bool
    """The end marker was seen."""
    error_body: tuple[int, bytes] | None
    """The first event with an `error` member, as a status and a body. The end marker may follow it all the same."""
    ends_agree: bool = True
    """No choice was ended twice, for two reasons: live clients go by the one or by the other."""

    @property
    def error(self) -> bool:
        return self.error_body is not None

    @property
    def has_usage(self) -> bool:
        return self.record is not None and isinstance(self.record.get("usage"), dict)


GROWING = frozenset({"delta", "logprobs"})
"""Members of a choice whose objects come in pieces; others, such as the verdicts of Azure's filter, are told anew."""


@dataclass(slots=True)
class _Choices(Items):
    """The choices of a stream under way."""

    growing: frozenset[str] | None = GROWING
    ends_agree: bool = True
    """See `Folded.ends_agree`."""


class StreamFold:
    """Folds a stream while it passes, so that no moment has to fold all of it. Bounded by the caller."""

    __slots__ = ("_choices", "_done", "_error_body", "_fields", "_gap", "_pieces", "_run", "_splitter", "_unfoldable")

    def __init__(self) -> None:
        self._splitter = EventSplitter()
        self._fields: dict[str, Any] = {}
        self._choices = _Choices()
        self._run: Record | None = None
        """The last chunk with null for its text, if merging an equal one again would change nothing but that text."""
        self._gap: tuple[dict[str, Any], str] = {}, ""
        """Where in it the text was: in which object, under which name."""
        self._pieces: list[str] = []
        """The texts of the chunks since then that were equal but for it: not merged yet."""
        self._error_body: tuple[int, bytes] | None = None
        self._done = self._unfoldable = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body, without transfer or content coding."""
        for event in self._splitter.feed(data):
            self._take(event)

    def take_all(self, events: list[bytes]) -> bool:
        """Take the data of all events, read in one go; False, and in an unknown state, where that can't be done."""
        end = len(events) - (events[-1] == DONE)
        starts, runs = _runs(events[:end])
        for data in starts:
            if len(data) > NESTING_DUMPED and data.count(b"{") + data.count(b"[") > NESTING_DUMPED:
                return False
        joined = b",".join(starts)
        if holds_long_number(joined):
            return False
        try:
            chunks = orjson.loads(b"[%b]" % joined)
            if len(chunks) != len(starts):
                return False
            for place, chunk in enumerate(chunks):
                if chunk is None:
                    continue
                if type(chunk) is not dict or chunk.get("error") is not None:
                    return False
                self._add(chunk)
                if place in runs and not self._add_texts(starts[place], runs[place]):
                    return False
        except (orjson.JSONDecodeError, Unmergeable):
            return False
        self._done = end < len(events)
        return True

    def _add_texts(self, start: bytes, run: "_Run") -> bool:
        """Add what follows `start`, the event just added; False if the run's texts are not those that were seen."""
        if not run.texts:
            return True
        # Before the seam is an open string, and a member's value. If one letter more there is one more of the text, and
        # nothing else, then whatever stands there is the text.
        if self._run is None:
            return False
        longer = orjson.loads(start[: run.seam] + b"x" + start[run.seam :])
        if _cut_text(longer)[3] != self._pieces[-1] + "x" or longer != self._run:
            return False
        # A text without a quote in it ends where its string does: after a backslash at its end, the last string of all
        # would stay open. One with quotes in it has to be a string by itself.
        joined = b'","'.join(run.texts)
        if joined.count(b'"') != 2 * (len(run.texts) - 1):
            for text in run.texts:
                if not isinstance(orjson.loads(b'"%b"' % text), str):
                    return False
        self._pieces += orjson.loads(b'["%b"]' % joined)
        return True

    def finish(self) -> Folded:
        """What all of it came to. Nothing may be fed any more."""
        if len(self._splitter):
            for event in self._splitter.end():
                self._take(event)
        rest = self._splitter.rest
        if rest and (data_of(rest) or b"").strip() == DONE:  # some servers leave out the blank line behind it
            rest, self._done = b"", True
        try:
            self._end_run()
        except Unmergeable:
            self._unfoldable = True
        readable = not self._unfoldable and not rest
        record = _record(self._fields, self._choices) if readable else None
        return Folded(record, self._done, self._error_body, self._choices.ends_agree)

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
                self._add(chunk)
        except (orjson.JSONDecodeError, Unmergeable):
            self._unfoldable = True

    def _add(self, chunk: Any) -> None:
        # Most chunks differ from the one before in a piece of text alone: one comparison tells so, in place of a merge.
        try:
            choice, holder, name, piece = _cut_text(chunk)
        except (AttributeError, KeyError, TypeError, ValueError):
            self._end_run()
            _add_chunk(self._fields, self._choices, chunk)
            return
        if chunk == self._run and type(piece) is str:
            self._pieces.append(piece)
            return
        self._end_run()
        if type(piece) is str and _is_only_text(choice):
            self._run = chunk
            self._gap = holder, name
            self._pieces.append(piece)
        else:
            holder[name] = piece
            _add_chunk(self._fields, self._choices, chunk)

    def _end_run(self) -> None:
        """Merge the run as the one chunk it amounts to."""
        if self._run is not None:
            run, self._run = self._run, None
            holder, name = self._gap
            holder[name] = "".join(self._pieces)
            self._pieces.clear()
            _add_chunk(self._fields, self._choices, run)


def _cut_text(chunk: Any) -> tuple[dict[str, Any], dict[str, Any], str, Any]:
    """Put null for the text of a chunk of one choice: this choice, what held the text, under which name, and the text.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: it is no such chunk.
    """
    (choice,) = chunk["choices"]
    if "delta" in choice:
        holder, name = choice["delta"], "content"
        if holder.get(name) is None:
            name = "reasoning_content" if "reasoning_content" in holder else "reasoning"
    else:
        holder, name = choice, "text"
    piece = holder[name]
    holder[name] = None
    return choice, holder, name, piece


def _is_only_text(choice: dict[str, Any]) -> bool:
    """Whether a choice without its text holds nothing that would append or extend if it came again."""
    if type(choice.get("index")) is not int:
        return False
    if "delta" not in choice:
        return _may_repeat(choice)
    return _may_repeat(choice["delta"]) and _may_repeat({**choice, "delta": None})


def _may_repeat(members: dict[str, Any]) -> bool:
    for name, value in members.items():
        if isinstance(value, str):
            if name not in NOT_APPENDED:
                return False
        elif isinstance(value, (list, dict)):
            return False
    return True


@dataclass(slots=True)
class _Run:
    """What follows an event and is the same but for its text."""

    seam: int
    """Where the text of that event ends."""
    texts: list[bytes]
    """The others' as they stand between the quotes."""


def _runs(events: list[bytes]) -> tuple[list[bytes], dict[int, _Run]]:
    """The events of a stream, but of each run that differs in a text only the first; and by its place the run.

    So of most streams all but a few events need not be read. What seems to be the text may be another one, such as one
    in a tool's arguments: that is for the reader to see. A stream without such runs is soon taken as it is.
    """
    starts: list[bytes] = []
    runs: dict[int, _Run] = {}
    texts: list[bytes] = []
    looks = FRUITLESS_LOOKS
    begin = tail = 0
    before = after = b""
    for place, event in enumerate(events):
        if begin and event.startswith(before) and event.endswith(after) and len(event) >= begin + tail:
            texts.append(event[begin:-tail])
            continue
        looks += len(texts)
        if len(starts) >= looks:
            return starts + events[place:], runs
        begin, end = _text_in(event)
        before, after = event[:begin], event[end:]
        tail = len(after)
        texts = []
        if begin:
            runs[len(starts)] = _Run(end, texts)
        starts.append(event)
    return starts, runs


FRUITLESS_LOOKS = 8
"""How many events may be looked at for a text beyond those that then need not be read."""


def _text_in(event: bytes) -> tuple[int, int]:
    """From where to where there seems to be the text; twice 0 where none seems to be."""
    for name in (b'"content":', b'"text":', b'"reasoning_content":', b'"reasoning":'):
        value = event.find(name) + len(name)
        if value >= len(name) and event.startswith((b'"', b' "'), value):
            begin = event.index(b'"', value) + 1
            end = event.find(b'"', begin)
            if end >= 0 and not event.endswith(b"\\", begin, end):
                return begin, end
    return 0, 0


def fold_stream(body: bytes) -> Folded:
    """Fold the whole body of an event stream."""
    stream = StreamFold()
    events = _plain_events(body)
    if events is None or not stream.take_all(events):
        stream = StreamFold()
        stream.feed(body)
    return stream.finish()


def _plain_events(body: bytes) -> list[bytes] | None:
    """The data of each event of a stream as engines write it: one `data: ` line and a blank line each; else None."""
    if not body.startswith(b"data: ") or not body.endswith(b"\n\n"):
        return None
    events = body[6:-2].split(b"\n\ndata: ")
    return events if body.count(b"\n") == 2 * len(events) and b"\r" not in body else None


def fold(chunks: Iterable[Record]) -> Record:
    """Fold parsed chunks, in order.

    Raises:
        Unmergeable: a chunk is not one, or a field is text in one chunk and a list or an object in another.
    """
    fields: dict[str, Any] = {}
    choices = _Choices()
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
    if ENGINE_EXTRAS.isdisjoint(answer):
        return answer
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


def _add_chunk(fields: dict[str, Any], choices: _Choices, chunk: Any) -> None:
    if not isinstance(chunk, dict):
        raise Unmergeable("a chunk must be an object")
    for name, value in chunk.items():
        if name != "choices":
            if name not in fields or not (value is None or (name in _OF_EVERY_CHUNK and not value)):
                fields[name] = value
            continue
        fields.setdefault(name, None)  # keeps its place among the fields
        if not isinstance(value, list | None):
            raise Unmergeable("choices must be a list")
        for position, choice in enumerate(value or ()):
            if not isinstance(choice, dict):
                raise Unmergeable("a choice must be an object")
            if type(choice.get("index")) is not int:
                choice = {**choice, "index": position}
            if "message" in choice:
                if "delta" in choice:  # all so far, beside what is new
                    choice = {name: value for name, value in choice.items() if name != "message"}
                elif choice["message"] is not None and choices.has(choice["index"], "message"):
                    raise Unmergeable("a second message: nobody can say whether it goes on or begins anew")
            if choice.get("finish_reason"):
                choices.ends_agree = choices.ends_agree and not _ended_otherwise(choices, choice)
            choices.add(choice)


def _ended_otherwise(choices: Items, choice: dict[str, Any]) -> bool:
    """Whether the choice that this one continues has ended already, for another reason."""
    place = choices.places.get(choice["index"])
    before = None if place is None else choices.values[place].get("finish_reason")
    return before not in (None, "", choice["finish_reason"])


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
