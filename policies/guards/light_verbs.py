"""Group `substitution`: verbs that say little ("get", "give", "keep") and may be missing, where they are what is asked.

"How do I get feedback" and "how do I give feedback" differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from policies.guards.facts import Conflict, Facts
from policies.guards.vocabulary import base_form

_SORTS = {
    "give": "give", "provide": "give", "offer": "give",
    "get": "get", "have": "get", "obtain": "get", "receive": "get", "request": "get",
    "find": "see", "see": "see", "show": "see", "list": "see",
    "keep": "keep", "use": "use", "take": "take",
    "make": "make", "create": "make", "write": "make", "generate": "make",
    "say": "say", "tell": "say", "think": "think", "know": "know", "mean": "mean",
    "explain": "explain", "describe": "explain", "understand": "know",
}  # fmt: skip
"""What a light verb is about; the others, "do" and "be" among them, are of no sort."""
_ALIKE = frozenset((frozenset(("get", "see")), frozenset(("say", "mean"))))
_AUXILIARY = frozenset(("do", "does", "did", "can", "could", "should", "would", "may", "must", "might", "will"))
_PERSONS = frozenset(("i", "we", "they", "he", "she"))
_NOBODY = frozenset(("you", "anyone", "anybody", "someone", "somebody", "it", "this", "that", "there"))
"""Behind "does" or "can" they ask for the answer itself: "does anyone know"."""
_CONDITION = frozenset(("if", "whether", "when", "that"))
_REACH = 4
"""Words of a subject."""


def light_verb_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """Two light verbs of different sorts, each of which the other prompt does not name at all."""
    one = _verb(cached.words)
    other = _verb(asked.words) if one else ""
    if not other or one == other:
        return None
    sorts = frozenset((_sort(one, cached.words), _sort(other, asked.words)))
    if len(sorts) == 1 or sorts in _ALIKE or _names(asked, one) or _names(cached, other):
        return None
    return Conflict("substitution", one, other)


def _verb(words: Sequence[str]) -> str:
    """The light verb of "how to get", "how do I get", "what did the doctor say"; empty if it is another verb."""
    for place, word in enumerate(words):
        if word == "to" and place and words[place - 1] == "how":
            return _light(words[place + 1 : place + 2])
        if word in _AUXILIARY and place + 2 < len(words):
            subject = words[place + 1]
            if subject in _PERSONS or (subject == "you" and place and words[place - 1] == "how"):
                return _light(words[place + 2 : place + 3])
            if subject not in _NOBODY and place:
                return _light(words[place + 2 : place + 2 + _REACH])
    return ""


def _light(words: Sequence[str]) -> str:
    return next((base for word in words if (base := base_form(word)) in _SORTS and base == word), "")


def _sort(verb: str, words: Sequence[str]) -> str:
    """ "How can I tell if …" is about knowing."""
    behind = words[words.index(verb) + 1 :][:1]
    return "know" if verb == "tell" and behind and behind[0] in _CONDITION else _SORTS[verb]


def _names(facts: Facts, verb: str) -> bool:
    return any(base_form(word) == verb for word in facts.words)
