"""Signs that are written in several ways, brought into one before a prompt is cut into words.

Powers as ², heights as 5'10", ages as 3yo, dates as 2020-12-25 or 12/25/2020, 401(k) and the 90's.
"""

from __future__ import annotations

import re

_POWER = re.compile(r"(?:(?<=\d)|(?<=\))|(?<![A-Za-z°µ])([a-ln-zA-LN-Z]))([²³])")
"""Behind a number, a bracket or a letter that stands alone; m² is a unit."""
_HEIGHT = re.compile(r"(?<![\w.,:°'’])([3-8])['’]\s?(\d|1[01])(?:[\"”]|''|’’)?(?![\w'’\"”])")
"""Feet and inches of a person: eight feet and eleven inches are the most."""
_FOOT = re.compile(r"\b([3-8]) ?(?:ft|foot|feet)\.? (\d|1[01])(?= (?:to|tall|in (?:cm|cent|met|m\b))|[?.!]*$)")
""" "5 foot 9 in cm"; behind "5 ft 9 in" the inches follow."""
_RATE = re.compile(r"(?<=[MGkK])(B|b|bit)/s(?:ec)?\b")
_AGE = re.compile(r"(?<![\w.])(\d{1,2})[ -]?y[/.]?o\b\.?(?!\w)", re.IGNORECASE)
_PLAN = re.compile(r"\b(401|403|457)\s?\(([bk])\)")
_DECADE = re.compile(r"(?<!\w)(\d{0,2}\d0)['’]s\b")
_DATE = re.compile(r"(?<![\w/.-])(?:(\d{4})-(\d\d)-(\d\d)|(\d\d?)/(\d\d?)/(\d{4}))(?![\w/-]|\.\d)")
_ABOUT_FORM = re.compile(
    r"format|pars|regex|string|convert|valid|timestamp|iso|written|write|say|read|mean|translat"
    r"|\bin (?:python|java|sql|excel|js|javascript)\b",
    re.IGNORECASE,
)
"""A date may be wanted as it is written where one of these is said."""
_THANKS = re.compile(r"\b([Tt]hank)(you)\b")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LAST_MONTH = 12
_LAST_DAY = 31


def in_one_notation(text: str) -> str:
    """The text with these written in one way. Literals in backticks or in double quotes keep what they hold."""
    if "`" in text:
        return text
    if "hank" in text:
        text = _THANKS.sub(r"\1 \2", text)
    if ("'" in text or "’" in text) and any(map(str.isdigit, text)):
        text = _DECADE.sub(r"\1s", _HEIGHT.sub(r"\1 feet \2 inches", text))
    if '"' in text:
        return text
    if "²" in text or "³" in text:
        text = _POWER.sub(lambda found: f"{found[1] or ''}^{'2' if found[2] == '²' else '3'}", text)
    if any(map(str.isdigit, text)):
        text = _AGE.sub(r"\1 year old", text)
        if "f" in text:
            text = _FOOT.sub(r"\1 feet \2 inches", text)
        if "/s" in text:
            text = _RATE.sub(lambda found: f"{found[1][0]}ps", text)
        if "(" in text:
            text = _PLAN.sub(r"\1\2", text)
        if ("-" in text or "/" in text) and (found := _DATE.search(text)) and not _ABOUT_FORM.search(text):
            text = text[: found.start()] + _spelled_out(found) + text[found.end() :]
    return text


def _spelled_out(found: re.Match[str]) -> str:
    """The date with the name of its month, if it can't be another: 3/4/2020 is March in one country only."""
    if found[1]:
        year, month, day = found[1], int(found[2]), int(found[3])
    else:
        year, month, day = found[6], int(found[4]), int(found[5])
        if month > _LAST_MONTH:
            month, day = day, month
        elif day <= _LAST_MONTH and day != month:
            return found[0]
    if not (0 < month <= _LAST_MONTH and 0 < day <= _LAST_DAY):
        return found[0]
    return f"{_MONTHS[month - 1]} {day}, {year}"
