"""Arithmetic that its numbers and operators don't hold: which brackets count, and "6 divided into 42"."""

from __future__ import annotations

from collections.abc import Sequence

from policies.guards.facts import Conflict, Facts, conflict
from policies.guards.reading import DIGITS, Item

_OPERATORS = {
    "plus": "+", "minus": "-", "times": "*", "x": "*", "dividedby": "/", "topower": "^", "squareroot": "√",
}  # fmt: skip
_BINDS = {"": 0, "(": 0, ")": 2, "+": 1, "-": 1, "*": 2, "/": 2, "^": 3, "√": 4}
"""How strongly an operator binds; a bracket beside an operand multiplies."""
_SUBTRACTING = frozenset(("minus", "subtract", "subtracted", "subtracting", "take", "taken", "taking"))
_OPERAND = 2
_ALONE = 9
"""Of a bracket without an operator inside."""
_UNKNOWN = frozenset(("what", "which"))
_LONGEST = 80
"""Symbols of an expression that are looked at; longer ones count as written."""


def arithmetic_in(items: Sequence[Item], words: Sequence[str]) -> tuple[str, ...]:
    """Expressions in which brackets count, divisions of the second number by the first, percentages of an unknown."""
    found = []
    if "(" in words:
        run: list[str] = []
        for item in items:
            symbol = _symbol(item)
            if symbol:
                run.append(symbol)
            else:
                found += _expression(run)
                run = []
        found += _expression(run)
    if "divided" in words:
        for place in range(1, len(items) - 2):
            near = items[place - 1 : place + 3]
            if (near[1].word, near[2].word) == ("divided", "into") and near[0].flags & near[3].flags & DIGITS:
                found.append(f"{near[0].word}\\{near[3].word}")
    for place, word in enumerate(words[:-2]):
        # "15% of what number is 80" asks for the whole, "what number is 15% of 80" for the part.
        if word.endswith(("%", "percent")) and words[place + 1] == "of" and words[place + 2] in _UNKNOWN:
            found.append("% of ?")
    if not _SUBTRACTING.isdisjoint(words):
        found += _difference(items)
    return tuple(found)


def _difference(items: Sequence[Item]) -> list[str]:
    """ "45-18" for "45 minus 18" and for "subtract 18 from 45", if the prompt has two numbers."""
    places = [place for place, item in enumerate(items) if item.flags & DIGITS]
    if len(places) != 2:
        return []
    first, second = places
    between = [item.word for item in items[first + 1 : second]]
    values = items[first].word, items[second].word
    if between == ["minus"]:
        return ["-".join(values)]
    return ["-".join(reversed(values))] if between[-1:] == ["from"] else []


def arithmetic_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """Other brackets, or a division or subtraction the other way round."""
    one, other = cached.arithmetic, asked.arithmetic
    if one == other or (one and not other and _is_difference(one)) or (other and not one and _is_difference(other)):
        return None
    return conflict("order", cached.arithmetic, asked.arithmetic)


def _is_difference(found: Sequence[str]) -> bool:
    """Whether it is a plain difference, which the other prompt may tell in another way."""
    return len(found) == 1 and "-" in found[0] and found[0].replace("-", "").replace(".", "").isdigit()


def _symbol(item: Item) -> str:
    if item.flags & DIGITS or item.word in ("(", ")"):
        return item.word
    return _OPERATORS.get(item.word) or (item.word if len(item.word) == 1 and item.word.isalpha() else "")


def _expression(run: list[str]) -> list[str]:
    """The expression without the brackets that change nothing, if others are left."""
    if "(" not in run or _BINDS.keys().isdisjoint(run):
        return []
    if len(run) <= _LONGEST:
        while (pair := _idle_brackets(run)) is not None:
            run = [symbol for place, symbol in enumerate(run) if place not in pair]
    return ["".join(run)] if "(" in run else []


def _idle_brackets(run: list[str]) -> tuple[int, int] | None:
    """The places of two brackets without which the expression is the same, or of one that has no partner."""
    opened: list[tuple[int, int]] = []
    weakest = _ALONE
    for place, symbol in enumerate(run):
        if symbol == "(":
            opened.append((place, weakest))
            weakest = _ALONE
        elif symbol == ")":
            if not opened:
                return place, place
            begin, outside = opened.pop()
            before = run[begin - 1] if begin else ""
            behind = run[place + 1] if place + 1 < len(run) else ""
            left, right = _BINDS.get(before, _OPERAND), (0 if behind == ")" else _BINDS.get(behind, _OPERAND))
            if behind == "(":
                right = _OPERAND
            kept_left = weakest > left or (weakest == left and before in ("+", "*"))
            if weakest == _ALONE or (kept_left and (weakest > right or (weakest == right < 3))):
                return begin, place
            weakest = outside
        elif symbol in _BINDS:
            weakest = min(weakest, _BINDS[symbol])
    return (opened[-1][0], opened[-1][0]) if opened else None
