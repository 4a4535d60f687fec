"""A message's head as bytes, by which to know the next one that has it: such a one need not be parsed.

Who keeps a connection mostly repeats the head, but for the length of the body, and what a parser said of one message
holds for every other that has its head.
"""

from typing import Self

_LENGTH = b"\r\ncontent-length:"
_MAX_DIGITS = 12
_MAX_BYTES = 8192
"""A longer head is parsed each time, so that a connection keeps little for its next message."""


class HeadBytes:
    """The bytes before the digits of the length, and those after them, up to the body."""

    __slots__ = ("_after", "_before")

    def __init__(self, before: bytes, after: bytes) -> None:
        self._before = before
        self._after = after

    @classmethod
    def of(cls, data: bytes) -> Self | None:
        """Of `data`, one message, and nothing else, that a parser has accepted; None if it has no such form."""
        end = data.find(b"\r\n\r\n") + 4
        lowered = data[:end].lower()
        begin = lowered.find(_LENGTH) + len(_LENGTH)
        if end > _MAX_BYTES or lowered.count(_LENGTH) != 1 or b"\ntransfer-encoding" in lowered:
            return None
        while data[begin : begin + 1] == b" ":
            begin += 1
        head = cls(data[:begin], data[data.find(b"\r", begin) : end])
        return head if head.body_in(data) is not None else None

    def body_in(self, data: bytes) -> bytes | None:
        """The body, if `data` is this head, with whatever length, and as many bytes; else None."""
        if not data.startswith(self._before):
            return None
        begin = len(self._before)
        end = data.find(b"\r", begin, begin + _MAX_DIGITS + 1)
        if end < 0 or not data.startswith(self._after, end):
            return None
        digits = data[begin:end]
        begin = end + len(self._after)
        return data[begin:] if digits.isdigit() and int(digits) == len(data) - begin else None
