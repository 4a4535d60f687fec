"""One subject that acts in one prompt and is acted upon in the other: "can a car tow …", "can a car be towed …"."""

from __future__ import annotations

from policies.guards.facts import Conflict, Facts, conflict
from policies.guards.vocabulary import base_form

_MODALS = frozenset(("can", "could", "may", "might", "must", "should", "will", "would"))
_BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"))
_ARTICLES = frozenset(("the", "a", "an", "my", "your", "his", "her", "their", "our"))
_ASKING = frozenset(("who", "what", "which"))
_REACH = 6
"""Words behind "stop" in which what is stopped and what it does follow."""
_PASSIVE = {"frozen": "freeze", "left": "leave"}
"""Participles whose base form is itself, for they are adjectives and directions elsewhere."""


def voice_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """What stands between the modal verb and "be" must not, in the other prompt, stand there before the same verb."""
    for one, other in ((cached, asked), (asked, cached)):
        if "be" in one.words and "be" not in other.words and _turned(list(one.words), list(other.words)):
            return conflict("order", cached.words, asked.words)
        if "by" in one.words[:-1] and "by" not in other.words and _done_by_another(one, other):
            return conflict("order", cached.words, asked.words)
    if "stop" in cached.words and "stop" in asked.words and _stops_another(cached.words, asked.words):
        return conflict("order", cached.words, asked.words)
    return None


def _done_by_another(passive: Facts, active: Facts) -> bool:
    """ "Who was killed by Brutus", "who killed Brutus"; "can it be closed by the bank", "can I close it"."""
    words = passive.words
    place = words.index("by") - 1
    if place < 1 or words[place - 1] not in _BE:
        return False
    verb = _PASSIVE.get(words[place], base_form(words[place]))
    if verb not in map(base_form, active.words):
        return False
    asks = words[0] in _ASKING and active.words[0] in _ASKING and active.asks_for == "subject"
    return asks or (active.subject == "first" and words[place + 2] in _ARTICLES)


def _stops_another(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """ "Stop my cat from scratching", "stop scratching my cat"."""
    for first, second in ((one, other), (other, one)):
        thing, done = _stopped(first)
        behind = second[second.index("stop") + 1 :]
        if thing in behind and not _stopped(second)[0] and base_form(behind[0]) == done:
            return True
    return False


def _stopped(words: tuple[str, ...]) -> tuple[str, str]:
    """What stands between "stop" and the -ing form behind it, and the verb of that form; empty where nothing does."""
    behind = words[words.index("stop") + 1 :][:_REACH]
    place = next((place for place, word in enumerate(behind) if word.endswith("ing") and base_form(word) != word), 0)
    before = [word for word in behind[:place] if word != "from"]
    return (before[-1], base_form(behind[place])) if before else ("", "")


def _turned(passive: list[str], active: list[str]) -> bool:
    place = passive.index("be")
    start = next((i for i in range(place - 1, -1, -1) if passive[i] in _MODALS), place)
    if place + 1 >= len(passive) or place - start < 2:
        return False
    acting = [*passive[start + 1 : place], _PASSIVE.get(passive[place + 1], base_form(passive[place + 1]))]
    starts = (i for i, word in enumerate(active) if word in _MODALS)
    return any(active[i + 1 : i + 1 + len(acting)] == acting for i in starts)
