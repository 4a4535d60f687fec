"""One subject that acts in one prompt and is acted upon in the other: "can a car tow …", "can a car be towed …"."""

from __future__ import annotations

from policies.guards.facts import Conflict, Facts, conflict
from policies.guards.vocabulary import base_form

_MODALS = frozenset(("can", "could", "may", "might", "must", "should", "will", "would"))
_PASSIVE = {"frozen": "freeze", "left": "leave"}
"""Participles whose base form is itself, for they are adjectives and directions elsewhere."""


def voice_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """What stands between the modal verb and "be" must not, in the other prompt, stand there before the same verb."""
    for one, other in ((cached, asked), (asked, cached)):
        if "be" in one.words and "be" not in other.words and _turned(list(one.words), list(other.words)):
            return conflict("order", cached.words, asked.words)
    return None


def _turned(passive: list[str], active: list[str]) -> bool:
    place = passive.index("be")
    start = next((i for i in range(place - 1, -1, -1) if passive[i] in _MODALS), place)
    if place + 1 >= len(passive) or place - start < 2:
        return False
    acting = [*passive[start + 1 : place], _PASSIVE.get(passive[place + 1], base_form(passive[place + 1]))]
    starts = (i for i, word in enumerate(active) if word in _MODALS)
    return any(active[i + 1 : i + 1 + len(acting)] == acting for i in starts)
