"""Labelled lookups of the shipped families, from templates: what their thresholds are calibrated on.

Every question is a frame filled with values. One in six is stored, in one phrasing; its other phrasings should hit.
Each of the others is asked once, in one phrasing, and should miss: mostly it differs from a stored one in a single
value, a number, a unit, a direction, a name, a polarity. That is far harder than traffic, in which most questions have
no such neighbour. But the project wrote them, as it did the guard, so they prove nothing of prompts by another hand:
calibrate on your own (`python -m evaluation calibrate FILE`) before you widen a family.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from itertools import permutations, product
from typing import Any

from config.document import read_document
from evaluation.dataset import Lookup, Stored, asked

STORED_IN = 6
"""One question in so many is stored."""
PARAPHRASES = 3
"""Other phrasings asked of a stored question."""
SOURCE = "families.yaml"


@dataclass(frozen=True, slots=True)
class _Question:
    name: str
    """Its frame and values."""
    phrasings: tuple[str, ...]


def family_lookups(families: Mapping[str, Any] | None = None) -> list[Lookup]:
    """All lookups, the same on every machine, family by family."""
    written = families
    if written is None:
        text = resources.files("evaluation").joinpath("data", SOURCE).read_text("utf-8")
        written = read_document(text, SOURCE).data
    return [lookup for family, blocks in written.items() for lookup in _lookups(family, blocks)]


def _lookups(family: str, blocks: list[dict[str, Any]]) -> Iterator[Lookup]:
    questions = [question for block in blocks for question in _questions(block)]
    kept = [question for question in questions if _drawn("stored", family, question.name, STORED_IN) == 0]
    stored = tuple(Stored(question.name, asked(_phrasing(family, question, 0))) for question in kept)
    names = {question.name for question in kept}
    for question in questions:
        is_stored = question.name in names
        turns = range(1, min(PARAPHRASES + 1, len(question.phrasings))) if is_stored else range(1)
        for turn in turns:
            yield Lookup(
                id=f"{family}:{question.name}:{turn}",
                messages=asked(_phrasing(family, question, turn)),
                stored=stored,
                expected=question.name if is_stored else None,
                family=family,
                kind=question.name.partition("/")[0],
                source=SOURCE,
            )


def _questions(block: Mapping[str, Any]) -> Iterator[_Question]:
    slots: dict[str, list[Any]] = dict(block["slots"])
    names = list(slots)
    for values in product(*slots.values()):
        filled = dict(zip(names, values, strict=True))
        for pair in _pairs(block):
            for frame, phrasings in block["frames"].items():
                yield _question(frame, phrasings, {**filled, **pair})


def _pairs(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Ordered pairs of values that can stand for each other, such as units of length; one empty pair without any."""
    if "pairs" not in block:
        yield {}
        return
    one, other = block["pairs"]
    for group in block["among"]:
        for first, second in permutations(group, 2):
            yield {one: first, other: second}


def _question(frame: str, phrasings: list[str], values: Mapping[str, Any]) -> _Question:
    spellings = {name: value if isinstance(value, list) else [value] for name, value in values.items()}
    written = [
        phrasing.format(**{name: spelled[number % len(spelled)] for name, spelled in spellings.items()})
        for number, phrasing in enumerate(phrasings)
    ]
    return _Question("/".join([frame, *(str(spelled[0]) for spelled in spellings.values())]), tuple(written))


def _phrasing(family: str, question: _Question, turn: int) -> str:
    start = _drawn("phrasing", family, question.name, len(question.phrasings))
    return question.phrasings[(start + turn) % len(question.phrasings)]


def _drawn(what: str, family: str, name: str, below: int) -> int:
    """A number in 0 … below − 1 that depends on these words alone."""
    return int.from_bytes(hashlib.sha256(f"{what}\0{family}\0{name}".encode()).digest()[:8]) % below
