"""Writes numbers in figures and signs of arithmetic in words: "seventeen × 3" as "17 times 3", "√144" as what it is.

An embedder finds a number in words nearer to other words than to its figures, and knows nothing of signs. This is for
the text that is embedded, and for nothing else: the guard reads what was written.
"""

import re

from policies.guards.number_words import SCALES, TENS, UNITS

_MAX_CHARS = 1000
"""A longer text is about more than its numbers."""
_LEAST = 10
"""Numbers below are as often no figure ("one of them", "two-factor") unless they are reckoned with."""
_MOST = 9999
"""Greater ones are read as well in words."""
_WORDS = (
    (re.compile(r" per ?cent\b"), " percent"),
    (re.compile(r"\bmultiplied by\b"), "times"),
    (re.compile(r"\bhalf an hour\b"), "30 minutes"),
)
_SIGNS = (
    (re.compile(r"√ ?(?=\d)"), "the square root of "),
    (re.compile(r"(?<=\d) ?[x×*·] ?(?=\d)"), " times "),
    (re.compile(r"(?<=\d) ?÷ ?(?=\d)|(?<=\d) / (?=\d)|(?<=\d)/(?=\d+ ?=)"), " divided by "),
    (re.compile(r"(?<=\d) ?\+ ?(?=\d)"), " plus "),
    (re.compile(r"(?<=\d) [-−–] (?=\d)"), " minus "),
    (re.compile(r"(?<=\d) ?%"), " percent"),
)
_NAMES = "|".join(sorted({*UNITS, *TENS, *SCALES}, key=len, reverse=True))
_RUN = re.compile(rf"\b(?:{_NAMES})(?:(?:[ -]| and )(?:{_NAMES}))*\b(?!-[a-z])", re.IGNORECASE)
_RECKONED = re.compile(r"^ (?:plus|minus|times|divided|percent|squared|cubed)\b|(?:plus|minus|times|by) $")


def in_figures(text: str) -> str:
    """The text with numbers from ten on in figures, smaller ones too beside an operation, and the operation's name."""
    if len(text) > _MAX_CHARS or "`" in text:
        return text
    for words, name in _WORDS:
        text = words.sub(name, text)
    text = _RUN.sub(_figures, text)
    for sign, name in _SIGNS:
        text = sign.sub(name, text)
    return text


def _figures(found: re.Match[str]) -> str:
    value = _value(re.split(r"[ -]", found[0].lower().replace(" and ", " ")))
    if value is None or value > _MOST or (value < _LEAST and not _is_reckoned_with(found)):
        return found[0]
    return str(value)


def _is_reckoned_with(found: re.Match[str]) -> bool:
    before, after = found.string[max(0, found.start() - 7) : found.start()], found.string[found.end() :][:9]
    return bool(_RECKONED.search(after) or _RECKONED.search(before))


def _value(words: list[str]) -> int | None:
    """What number words in a row mean together, or None if they are several numbers: "seven eleven"."""
    century = UNITS.get(words[0]) or TENS.get(words[0]) or 0
    if len(words) > 1 and 10 < century <= 20 and words[1] in TENS:  # a year
        years = _value(words[1:])
        return None if years is None else 100 * century + years
    total = part = 0
    floor = SCALES["hundred"]
    """What the next word must stay below."""
    least = min(SCALES.values())
    for word in words:
        scale = SCALES.get(word)
        if scale is not None:
            if part == 0 and total:
                return None
            part = max(part, 1) * scale
            if scale > least:
                total, part = total + part, 0
            floor = least
            continue
        value = UNITS.get(word) or TENS.get(word) or 0
        if value >= floor or value == 0:
            return None
        part += value
        floor = 10 if word in TENS else 0
    return total + part
