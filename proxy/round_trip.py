"""Whether JSON survives being read and written again."""

from typing import Any

NESTING_DUMPED = 254
"""Levels that orjson writes; it reads more."""

_FIRST_ROUNDED = 2.0**63
# Every digit as 0 and every opening bracket as [, so that two fast searches see whether a closer look is needed.
_SHAPES = bytes.maketrans(b"123456789{", b"000000000[")
_LONG_NUMBER = b"0" * len(str(2**63))


def round_trips(body: bytes, value: Any) -> bool:
    """Whether `value`, as orjson read it from `body`, is dumped as the same values again.

    Not so for an integer beyond 64 bits, which orjson reads as a float, and for what is nested too deeply to dump.
    """
    shapes = body.translate(_SHAPES)
    if _LONG_NUMBER not in shapes and shapes.count(b"[") <= NESTING_DUMPED:
        return True
    return nesting(value) <= NESTING_DUMPED and not _has_rounded_number(value)


def holds_long_number(body: bytes) -> bool:
    """Whether some run of digits is long enough for a number beyond 64 bits."""
    return _LONG_NUMBER in body.translate(_SHAPES)


def nesting(value: Any) -> int:
    """Levels of arrays and objects; a scalar has none. Not recursive, since the parsers go deeper than Python."""
    levels, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        levels += 1
        level = [inner for item in level for inner in (item.values() if isinstance(item, dict) else item)]
    return levels


def _has_rounded_number(value: Any) -> bool:
    values = [value]
    while values:
        item = values.pop()
        if isinstance(item, dict | list):
            values += item.values() if isinstance(item, dict) else item
        elif isinstance(item, float) and abs(item) >= _FIRST_ROUNDED:
            return True
    return False
