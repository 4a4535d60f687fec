"""Whether JSON survives being read and written again."""

from typing import Any

NESTING_DUMPED = 254
"""Levels that orjson writes; it reads more."""

_FIRST_ROUNDED = 2.0**63
_FEW = 48
"""Parts; nested into each other, they are still less than NESTING_DUMPED."""
# Every digit as 0, so that one fast search finds a run of them.
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * len(str(2**63))
_STEP = 6
_LONG_NUMBER_SAMPLED = b"0" * (len(_LONG_NUMBER) // _STEP)


def round_trips(body: bytes, value: Any) -> bool:
    """Whether `value`, as orjson read it from `body`, is dumped as the same values again.

    Not so for an integer beyond 64 bits, which orjson reads as a float, and for what is nested too deeply to dump.
    """
    if _is_small(value):
        return True
    # Are there too few opening brackets to nest too deeply, be they in texts or not? To cut out the first few of a byte
    # takes a fraction of the time of `count`, which looks at every byte by itself.
    limit = NESTING_DUMPED + 1
    rest = len(body.replace(b"[", b"", limit)) + len(body.replace(b"{", b"", limit))
    if 2 * len(body) - rest <= NESTING_DUMPED and not holds_long_number(body):
        return True
    return nesting(value) <= NESTING_DUMPED and not _has_rounded_number(value)


def _is_small(value: Any) -> bool:
    """Whether `value` has so few parts that it is less work to look at each than at its bytes, and all are sound."""
    parts = [value]
    for part in parts:
        kind = type(part)
        if kind is str or kind is int:
            continue
        if kind is dict or kind is list:
            if len(parts) + len(part) > _FEW:
                return False
            parts.extend(part.values() if kind is dict else part)
        elif kind is float and abs(part) >= _FIRST_ROUNDED:
            return False
    return True


def holds_long_number(body: bytes) -> bool:
    """Whether some run of digits is long enough for a number beyond 64 bits."""
    # Every sixth byte is a sixth of the work, and of any 19 bytes in a row it shows at least three.
    return _LONG_NUMBER_SAMPLED in body[::_STEP].translate(_DIGITS) and _LONG_NUMBER in body.translate(_DIGITS)


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
