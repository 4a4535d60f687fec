"""Writes units out in full, so that "2.5 kg in g" is embedded as near "2.5 kilograms in grams" as it means.

An embedder knows little of symbols; the guard does, and reads what was written. This is for the text that is embedded,
and for nothing else: what is taken for a unit wrongly costs similarity, and can't make two prompts one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from policies.guards.lexicon import Lexicon, default_lexicon
from policies.guards.number_words import TENS, UNITS
from policies.guards.vocabulary import base_form

_MAX_CHARS = 1000
"""A longer text is about more than its units."""
_PARTS = re.compile(r"([\"'(]*)([$€£¥]?)(\d[\d.,/]*(?<=\d))?(-?)(.*?)([\"').,;:?!]*)", re.DOTALL)
_SIGNS = {"$": "us_dollar", "€": "euro", "£": "pound_sterling", "¥": "yen"}
_LETTERS = frozenset("gmlLCFWVcf")
"""Symbols of one letter that can be told from a name; the last two only where something is converted."""
_WORDS = frozenset(("in", "st", "us", "as", "am", "pm", "won", "ct"))
"""Symbols that are words first."""
_TO = frozenset(("to", "in", "into", "per", "as"))
_BRITISH = re.compile(r"(met|lit)re(s?)\b")
_PLURALS = {
    "foot": "feet",
    "inch": "inches",
    "century": "centuries",
    "celsius": "degrees celsius",
    "fahrenheit": "degrees fahrenheit",
    "horsepower": "horsepower",
} | {same: same for same in ("kelvin", "yen", "yuan", "percent", "psi", "mmhg", "rpm", "btu", "rand")}
_NAMES = {
    "us_dollar": "US dollar",
    "pound_mass": "pound",
    "pound_sterling": "pound",
    "real_brl": "Brazilian real",
    "canadian_dollar": "Canadian dollar",
    "australian_dollar": "Australian dollar",
}


class _Word(NamedTuple):
    """A word in parts: "($2.5kg)." is "(", "$", "2.5", "", "kg" and ")."."""

    opening: str = ""
    sign: str = ""
    number: str | None = None
    hyphen: str = ""
    core: str = ""
    closing: str = ""


def written_out(text: str) -> str:
    """The text with each symbol of a unit replaced by the unit's name, where it is plain that it is one.

    Names are American, and the number word before a unit is written in digits.
    """
    if len(text) > _MAX_CHARS or "`" in text:
        return text
    lexicon = default_lexicon()
    written = text.split()
    words = [_Word(*found.groups()) if (found := _PARTS.fullmatch(word)) else _Word(core=word) for word in written]
    for at, word in enumerate(words[:-1]):
        value = UNITS.get(word.core.lower()) or TENS.get(word.core.lower()) or 0
        if value > 1 and not (word.number or word.closing) and _is_unit(words[at + 1].core, lexicon):
            words[at] = _Word(word.opening, number=str(value))
            written[at] = f"{word.opening}{value}"
    if any(word.number for word in words) or sum(word.core in lexicon.symbols for word in words) > 1:
        for at, word in enumerate(words):
            unit = _SIGNS.get(word.sign) if word.number and not word.core else _unit(words, at, lexicon)
            if unit is not None:
                number = f"{word.number}{word.hyphen or ' '}" if word.number else ""
                written[at] = f"{word.opening}{number}{_name(unit, words, at)}{word.closing}"
    return _BRITISH.sub(r"\1er\2", " ".join(written))


def _is_unit(word: str, lexicon: Lexicon) -> bool:
    lower = word.lower()
    known = lexicon.symbols.keys() & {word, lower} or lexicon.spelled.keys() & {lower, base_form(lower)}
    return bool(known)


def _unit(words: list[_Word], at: int, lexicon: Lexicon) -> str | None:
    """The unit that this word is the symbol of: behind a number, or by itself where something is converted."""
    core = words[at].core
    if not core or core.lower() in _WORDS or (len(core) == 1 and core not in _LETTERS):
        return None
    before = words[at - 1] if at else _Word()
    if words[at].number or (before.number and not before.core):
        if core in "cf":
            return None
    elif not _stands_alone(words, at, lexicon):
        return None
    units = lexicon.symbols.get(core)
    if units is None and core.lower() not in lexicon.unclear:
        units = lexicon.symbols.get(core.lower()) or lexicon.symbols.get(core.upper())
    return next(iter(units)) if units is not None and len(units) == 1 else None


def _stands_alone(words: list[_Word], at: int, lexicon: Lexicon) -> bool:
    """Whether a symbol without a number stands where a unit does: "in kg", "tsp per tbsp", "180 C to f"."""
    core, before = words[at].core, words[at - 1].core.lower() if at else ""
    if len(core) == 1:
        return before in _TO and at > 1 and _is_measure(words[at - 2], lexicon)
    after = words[at + 1].core.lower() if at + 1 < len(words) else ""
    return (before in _TO or after in _TO) and core.lower() not in lexicon.small.not_bare


def _is_measure(word: _Word, lexicon: Lexicon) -> bool:
    return bool(word.number) or _is_unit(word.core, lexicon)


def _name(unit: str, words: list[_Word], at: int) -> str:
    """As one writes it behind this number, or behind none."""
    first, per, second = _NAMES.get(unit, unit.replace("_", " ")).partition(" per ")
    before = words[at - 1] if at else _Word()
    number = words[at].number or before.number
    if number is None and first in ("celsius", "fahrenheit"):
        return first
    if number == "1" or words[at].hyphen or before.core == "per" or first.endswith("hertz"):
        return f"{first}{per}{second}"
    head, space, last = first.rpartition(" ")
    return f"{head}{space}{_PLURALS.get(last, f'{last}s')}{per}{second}"
