"""Numbers as written: digits, words, ordinals, clock times, magnitudes, and the unit glued to them."""

from __future__ import annotations

import re
from typing import NamedTuple

from policies.guards.lexicon import Lexicon
from policies.guards.number_words import ORDINALS, SCALES, TENS, UNITS

_NUMBER = re.compile(
    r"^(?P<currency>[$€£¥₹₩₽₺]|[A-Z]{1,2}\$)?\s?(?P<sign>[-−])?(?P<digits>[\d,]+(?:[.:/]\d+)*)(?P<suffix>.*)$",
    re.DOTALL,
)
ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th"))
_MAGNITUDES = {"k": 3, "K": 3, "m": 6, "M": 6, "mn": 6, "bn": 9, "B": 9, "b": 9, "tn": 12}

_ROMAN = re.compile(r"^(?=[IVX]{1,5}$)(X{0,3})(IX|IV|V?I{0,3})$")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}


class Read(NamedTuple):
    value: str
    units: frozenset[str]
    kind: str
    """number, ordinal, time, decade, or literal when the letters behind it mean nothing here ("2fa", "401k")."""


def read_digits(text: str, lexicon: Lexicon) -> Read:
    """The number a token of digits states, with the unit glued to it."""
    match = _NUMBER.match(text.strip())
    if match is None:
        return Read(text.lower(), frozenset(), "literal")
    currency, sign, digits, suffix = match.group("currency", "sign", "digits", "suffix")
    value = ("-" if sign else "") + digits.replace(",", "")
    units: frozenset[str] = lexicon.symbols.get(currency, frozenset()) if currency else frozenset()
    suffix = suffix.strip()
    if not suffix:
        return Read(plain(value) if currency else value, units, "time" if ":" in value else "number")
    lowered = suffix.lower()
    if lowered in ORDINAL_ENDINGS:
        return Read(value, frozenset(), "ordinal")
    if lowered in ("am", "pm"):
        return Read(clock(value, lowered), frozenset(), "time")
    if lowered == "s" and len(value) in (2, 4) and value.endswith("0"):
        return Read(value + "s", frozenset(), "decade")
    if suffix in _MAGNITUDES and (currency or suffix in "kK"):
        return Read(scaled(value, 10 ** _MAGNITUDES[suffix]), units, "number")
    found = lexicon.symbols.get(suffix) or lexicon.spelled.get(lowered)
    if found:
        return Read(plain(value), found, "number")
    if suffix == "%":
        return Read(plain(value), frozenset(("percent",)), "number")
    return Read(text.lower(), frozenset(), "literal")


def clock(value: str, half: str) -> str:
    """A time of day on the 24-hour clock."""
    hour, _, minute = value.partition(":")
    if not hour.isdigit():
        return value + half
    number = int(hour) % 12 + (12 if half == "pm" else 0)
    return f"{number:02d}:{minute or '00'}"


def read_words(words: list[str], start: int) -> tuple[str, str, int]:
    """The number spelled from words[start] on: its value, its kind, and how many words it took (0: there is none)."""
    total, current, taken, seen = 0, 0, 0, False
    index = start
    while index < len(words):
        word = words[index]
        if word in UNITS:
            if seen and current % 10 and current % 100 < 20:
                break
            current += UNITS[word]
        elif word in TENS:
            if seen and current % 100:
                break
            current += TENS[word]
        elif word in SCALES and (seen or _counts(words, index + 1)):
            scale = SCALES[word]
            current = max(current, 1) * scale
            if scale > 100:
                total, current = total + current, 0
        elif (
            word == "and"
            and seen
            and index + 1 < len(words)
            and words[index - 1] in SCALES
            and words[index + 1] in (UNITS | TENS)
        ):
            index += 1
            continue
        elif word in ORDINALS and (not seen or current % 10 == 0):
            return str(total + current + ORDINALS[word]), "ordinal", index - start + 1
        else:
            break
        seen = True
        index += 1
        taken = index - start
    return (str(total + current), "number", taken) if seen else ("", "", 0)


def _counts(words: list[str], index: int) -> bool:
    """Whether a magnitude counts what follows ("million dollar idea"), and is no noun ("millions", "a million.")."""
    return index < len(words) and words[index].isalpha() and not words[index].endswith("s")


def roman(text: str) -> str:
    """The value of a capital Roman numeral up to 39, or empty. A lone I is a pronoun; the caller decides."""
    if not _ROMAN.match(text):
        return ""
    total = 0
    for sign, following in zip(text, [*text[1:], ""], strict=True):
        value = _ROMAN_VALUES[sign]
        total += -value if following and _ROMAN_VALUES[following] > value else value
    return str(total)


def plain(value: str) -> str:
    return value.rstrip("0").rstrip(".") if "." in value and value.count(".") == 1 else value


def scaled(value: str, scale: int) -> str:
    """The value times a thousand, a million …, where it is a number."""
    try:
        return str(round(float(value) * scale))
    except ValueError:
        return value


def times(value: str, factor: int) -> str:
    """The value multiplied, where it is a whole number."""
    return str(int(value) * factor) if value.isdigit() and len(value) < 10 else value
