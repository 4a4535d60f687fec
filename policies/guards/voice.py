"""One subject that acts in one prompt and is acted upon in the other: "can a car tow …", "can a car be towed …"."""

from __future__ import annotations

from itertools import pairwise

from policies.guards.facts import SOFT, Conflict, Facts, conflict
from policies.guards.stated import asked_verb
from policies.guards.vocabulary import base_form

_BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"))
_ARTICLES = frozenset(("the", "a", "an", "my", "your", "his", "her", "their", "our"))
_ASKING = frozenset(("who", "what", "which"))
_SOMEBODY = frozenset(("someone", "somebody", "anyone", "anybody"))
_HAPPENED = frozenset(("did", "was", "were", "will"))
_WAS = frozenset(("was", "were"))
_DONE = ("ed", "en", "ought", "old")
"""Endings of participles."""
_REACH = 6
"""Words behind "stop" in which what is stopped and what it does follow."""
_MODALS = frozenset(("can", "could", "may", "might", "must", "should", "will", "would", "do", "does"))
_SMALL = frozenset(("the", "a", "an", "my", "your", "our", "his", "her", "their", "to", "have", "has", "need", "needs"))
_PASSIVE = {"frozen": "freeze", "left": "leave"}
"""Participles whose base form is itself, for they are adjectives and directions elsewhere."""


def voice_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """What stands between the modal verb and "be" must not, in the other prompt, stand there before the same verb."""
    for one, other in ((cached, asked), (asked, cached)):
        if "be" in one.words and "be" not in other.words and _turned(list(one.words), list(other.words)):
            return conflict("order", cached.words, asked.words)
        if "by" in one.words[:-1] and "by" not in other.words and _done_by_another(one, other):
            return conflict("order", cached.words, asked.words)
        if _is_undergone(one, other):
            return conflict("order", cached.words, asked.words)
    if not _SOMEBODY.isdisjoint(cached.words) and _somebody_changes_sides(cached, asked):
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


def _is_undergone(passive: Facts, active: Facts) -> bool:
    """ "How do I get hired", "how do I hire"; "why was it blocked", "why did I block it"."""
    asked = asked_verb(active)
    happened = not _HAPPENED.isdisjoint(active.words) and {
        act.verb for act in active.acts if act.person == "first" and not act.passive
    }
    if not (asked or happened):
        return False
    for place, (before, word) in enumerate(pairwise(passive.words)):
        fronted = not _WAS.isdisjoint(passive.words[max(place - 3, 0) : place])  # "was my account blocked"
        if (fronted or before in _BE) and word.endswith(_DONE) and (verb := base_form(word)) != word:
            if before == "get" and verb == asked and asked_verb(passive) == "get":
                return True
            if happened and verb in happened and not _HAPPENED.isdisjoint(passive.words):
                return all(act.verb != verb for act in passive.acts if act.person == "first" and not act.passive)
    return False


def _somebody_changes_sides(cached: Facts, asked: Facts) -> bool:
    """ "My dog bit someone", "someone bit my dog": one side of a verb is nobody that a term would name."""
    one, other = (list(map(base_form, facts.words)) for facts in (cached, asked))
    shared = {term.word for term in cached.terms if term.kind != SOFT} & {term.word for term in asked.terms}
    places = [(one.index(word), other.index(word)) for word in shared if word in one and word in other]
    for somebody in _SOMEBODY & set(one) & set(other):
        mine, yours = one.index(somebody), other.index(somebody)
        for i, j in places:  # the verb
            if (mine < i) != (yours < j) and any(
                (k < i) == (mine > i) and (m < j) == (yours > j) for k, m in places if k != i
            ):
                return True
    return False


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
    passive, active = ([word for word in words if word not in _SMALL] for words in (passive, active))
    place = passive.index("be")
    start = next((i for i in range(place - 1, -1, -1) if passive[i] in _MODALS), place)
    if place + 1 >= len(passive) or place - start < 2:
        return False
    acting = [*passive[start + 1 : place], _PASSIVE.get(passive[place + 1], base_form(passive[place + 1]))]
    starts = (i for i, word in enumerate(active) if word in _MODALS)
    return any(active[i + 1 : i + 1 + len(acting)] == acting for i in starts)
