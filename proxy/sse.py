"""Server-sent events as bytes: cut a stream into events, read an event's data, write one. No I/O, no JSON.

Lines end in LF, CRLF or CR and nothing else does: not U+2028, not U+0085
(https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). An event ends with a blank
line. What is cut out is verbatim, so joining the pieces gives back the stream.
"""

import re

DONE = b"[DONE]"
"""The data of the event that ends an OpenAI stream."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
# A line end, then a blank line. The look-ahead keeps one CRLF from being read as two ends.
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")
_LONGEST_BLANK_LINE = 4
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EventSplitter:
    """Cuts a stream into whole events, however it arrives, in time linear in its length.

    A blank line at the start of an event is an event of its own, without data. A CR that ends what has arrived may be
    half of a CRLF, so an event that ends in CR is held back until the next byte, or until `end()`.
    The caller bounds what is held: `len()` says how many bytes that is.
    """

    __slots__ = ("_buffer", "_has_cr", "_scanned")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._scanned = 0
        self._has_cr = False

    def __len__(self) -> int:
        return len(self._buffer)

    @property
    def rest(self) -> bytes:
        """What has arrived of an event that is not complete yet."""
        return bytes(self._buffer)

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes; the events they complete, each with its blank line."""
        self._has_cr = self._has_cr or b"\r" in data
        self._buffer += data
        return self._cut_any() if self._has_cr else self._cut_lf()

    def end(self) -> list[bytes]:
        """Say that nothing follows: the event that was held back for a possible LF, if there is one."""
        held = bytes(self._buffer)
        match = _BLANK_LINE.search(held) or (_LINE_END.match(held) if held else None)
        if match is None or match.end() != len(held):
            return []
        self._buffer.clear()
        self._scanned = 0
        return [held]

    def _cut_lf(self) -> list[bytes]:
        """The usual stream has no CR at all, so that plain searches do."""
        buffer, start, events = self._buffer, 0, []
        while True:
            if buffer.startswith(b"\n", start):
                stop = start + 1
            else:
                found = buffer.find(b"\n\n", max(start, self._scanned - 1))
                if found < 0:
                    break
                stop = found + 2
            events.append(bytes(buffer[start:stop]))
            start = stop
        return self._keep(start, events)

    def _cut_any(self) -> list[bytes]:
        buffer, start, events = self._buffer, 0, []
        while True:
            match = _LINE_END.match(buffer, start)
            if match is None:
                # What was scanned can hold all of a blank line but its last byte.
                match = _BLANK_LINE.search(buffer, max(start, self._scanned - _LONGEST_BLANK_LINE))
            if match is None or (match.end() == len(buffer) and buffer.endswith(b"\r")):
                break
            events.append(bytes(buffer[start : match.end()]))
            start = match.end()
        return self._keep(start, events)

    def _keep(self, start: int, events: list[bytes]) -> list[bytes]:
        if start:
            del self._buffer[:start]
        self._scanned = len(self._buffer)
        return events


def data_of(event: bytes) -> bytes | None:
    """The `data` lines of one event, joined by LF; None if it has none (a comment, a blank line)."""
    if event.startswith(b"data: ") and event.find(b"\n") == len(event) - 2 and b"\r" not in event:
        return event[6:-2]
    values = []
    for line in _LINE_END.split(event.removeprefix(_BYTE_ORDER_MARK)):
        name, _, value = line.partition(b":")
        if name == b"data":
            values.append(value.removeprefix(b" "))
    return b"\n".join(values) if values else None


def encode(data: bytes) -> bytes:
    """One event that carries `data`; a line end within it starts another `data` line, and is read back as LF."""
    if b"\n" not in data and b"\r" not in data:
        return b"data: " + data + b"\n\n"
    return b"".join(b"data: " + line + b"\n" for line in _LINE_END.split(data)) + b"\n"
