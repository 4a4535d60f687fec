"""Names in questions about programming, where an ending or a capital makes another one: load and loads, map and Map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from policies.guards.facts import SOFT, Conflict, Facts, Term, conflict
from policies.guards.lexicon import NAME, VOID, Lexicon
from policies.guards.reading import CAPITAL, START, Item
from policies.guards.said import literal_lists
from policies.guards.spelling import same_but_for_a_slip
from policies.guards.vocabulary import base_form, read_yaml

_LANGUAGES = frozenset(("python", "java", "ruby", "perl", "swift", "rust", "sql", "php"))
"""Names of languages that are programming's even in lower case and anywhere."""
_KEYS = frozenset(("vim", "vi", "nvim", "press", "pressing", "key", "hotkey", "keystroke"))
"""Beside these a single letter is a key, or a command of one letter: "o" and "O" in vim."""
_BEFORE_LANGUAGE = frozenset(("in", "using", "with"))


@cache
def _formulas() -> frozenset[str]:
    """Symbols that are an element ("Co") or two ("CO"), in both spellings."""
    symbols = literal_lists()["formulas"]
    return frozenset((*map(str.upper, symbols), *map(str.capitalize, symbols)))


@cache
def _identifiers() -> dict[str, int]:
    """Listed names, with the number of their row."""
    data = read_yaml("literal.yaml")
    assert isinstance(data, dict)
    return {word: number for number, row in enumerate(data["identifiers"]) for word in row.split()}


def is_programming(items: Sequence[Item], lexicon: Lexicon) -> bool:
    """Whether the prompt names a programming language."""
    for place, item in enumerate(items):
        entry = lexicon.entries.get(item.word)
        if entry is not None and entry.label == "programming_language":
            before = items[place - 1].word if place else ""
            if entry.kind == NAME or item.word in _LANGUAGES or item.flags & CAPITAL or before in _BEFORE_LANGUAGE:
                return True
    return False


def names_in(items: Sequence[Item], lexicon: Lexicon) -> frozenset[str]:
    """Words that stand where the name of a function or a keyword stands: "use load", "the dumps function"."""
    lists = literal_lists()
    found = set()
    for place, item in enumerate(items):
        word = item.word
        if not word.isalpha() or base_form(word) in lists["code_nouns"]:
            continue
        before = items[place - 1].word if place else ""
        behind = items[place + 1].word if place + 1 < len(items) else ""
        entry = lexicon.entry(word)
        if (entry is not None and entry.label) or (
            before in lists["determiners"] and behind not in lists["code_kinds"]
        ):
            continue
        led = lexicon.entry(before)
        begins = not before and behind not in lists["determiners"]  # "sort a list" is an order
        listed = word in _identifiers() and (
            begins
            or before in lists["naming"]
            or (led is not None and bool(led.label))
            or (place > 1 and items[place - 2].word in lists["calling"])  # "use pickle load"
        )
        if listed or behind in lists["code_kinds"] or before in lists["calling"]:
            found.add(word)
    return frozenset(found)


def spellings_in(items: Sequence[Item], terms: Sequence[Term], programming: bool) -> frozenset[str]:
    """Words that a capital makes something else, as written, where the writer's capitals say something."""
    shown = {item.raw for item in items if item.raw in _formulas() and not item.flags & START}
    if not shown and items and items[0].raw in _formulas() and any(item.raw.islower() for item in items):
        shown.add(items[0].raw)  # at the start both may be meant, so neither stands for the other
    if any(item.word in _KEYS for item in items):
        shown |= {item.raw for item in items if len(item.raw) == 1 and item.raw.isalpha() and item.raw not in "aIA"}
    if shown:
        return frozenset(shown)
    heavy = [term for term in terms if term.kind != SOFT]
    if not programming and len(heavy) != 1:
        return frozenset()
    lists = literal_lists()
    if programming:
        alone = sum(term.label != "programming_language" for term in heavy) <= 1 + sum(bool(t.joined) for t in heavy)
        watched = lists["types"] | lists["asked_types"] if alone else lists["types"]
    else:
        watched = lists["capitals"]
    labelled = {word for term in terms if term.label not in ("", "entity") for word in (term.word, *term.keys)}
    found = set()
    for item in items:
        base = item.word if item.word in watched else base_form(item.word)
        if not item.raw.isalpha() or item.flags & START or item.raw == "I":
            continue
        if base in watched:
            if not item.raw.isupper():
                found.add(base.capitalize() if item.raw[0].isupper() else base)
        elif item.raw[0].isupper() and not item.raw.isupper() and item.word not in labelled:
            return frozenset()  # a title: others have capitals, too
    return frozenset(found)


def code_name_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """Names that only an ending tells apart, and programs that a letter does."""
    programs = literal_lists()["programs"]
    one, other = programs.intersection(cached.words), programs.intersection(asked.words)
    if one - other and other - one:
        return conflict("code", sorted(one), sorted(other))
    if not (cached.programming and asked.programming):
        return None
    for mine in cached.called.difference(asked.words):
        for yours in asked.called.difference(cached.words):
            if _neighbours(mine, yours):
                return Conflict("code", mine, yours)
    return None


def spelling_conflict(cached: Facts, asked: Facts, guards: frozenset[str]) -> Conflict | None:
    """ "Map" and "map", "Turkey" and "turkey": each only with a capital here, only without one there."""
    if ("code" if cached.programming else "entities") not in guards:
        return None
    if not (cached.spellings and asked.spellings) or cached.spellings == asked.spellings:
        return None
    for mine in cached.spellings:
        if mine in _formulas():
            yours = mine.upper() if mine[1].islower() else mine.capitalize()
        else:
            yours = mine.swapcase() if len(mine) == 1 else (mine.lower() if mine[0].isupper() else mine.capitalize())
        if yours in asked.spellings and mine not in asked.spellings and yours not in cached.spellings:
            return Conflict("code" if cached.programming else "entity", mine, yours)
    return None


def _neighbours(one: str, other: str) -> bool:
    """Whether an ending or a letter is all that tells two names apart, or a list says so."""
    row = _identifiers().get(one)
    if row is not None and row == _identifiers().get(other):
        return True
    alike = one.startswith(other) or other.startswith(one) or one.endswith(other) or other.endswith(one)
    return alike or base_form(one) == base_form(other) or same_but_for_a_slip(one, other)


def counts_in_code(word: str, lexicon: Lexicon) -> bool:
    """Whether a word that says little elsewhere tells what to do in a question about programming."""
    entry = lexicon.entry(word)
    return entry is not None and entry.kind in (SOFT, VOID) and base_form(word) in literal_lists()["code_words"]
