"""What is told beside a question: "I forgot my password, how do I reset it", "how do I reset it if I forgot it"."""

from __future__ import annotations

from policies.guards.facts import SOFT, Facts, Term
from policies.guards.vocabulary import base_form

_HELPING = frozenset(("do", "can", "could", "should", "would"))
_ASKING = frozenset(("i", "we", "you"))
_AGAIN = frozenset(("it", "them"))


def asked_verb(facts: Facts) -> str:
    """The base form of what is asked how to do, or empty: "how do I reset it", "how to reset it"."""
    words = facts.words
    if "how" not in words:
        return ""
    place = words.index("how") + 1
    behind = words[place : place + 3]
    if behind[:1] == ("to",):
        return base_form(behind[1]) if len(behind) > 1 else ""
    if len(behind) == 3 and behind[0] in _HELPING and behind[1] in _ASKING:
        return base_form(behind[2])
    return ""


def other_verb_asked(cached: Facts, asked: Facts) -> bool:
    """ "I lost it, how do I replace it", "how do I lose it if I replaced it": what is told here is asked there."""
    one = asked_verb(cached)
    other = asked_verb(asked) if one else ""
    return bool(other) and one != other and _names(cached, other) and _names(asked, one)


def told_elsewhere(cached: Facts, asked: Facts, *terms: Term) -> bool:
    """Whether two verbs of one object change places because what is told moves from one end to the other."""
    verb = asked_verb(cached)
    return (
        bool(verb)
        and verb == asked_verb(asked)
        and any(term.word == verb for term in terms)
        and not _AGAIN.isdisjoint(cached.words)
        and not _AGAIN.isdisjoint(asked.words)
    )


def _names(facts: Facts, verb: str) -> bool:
    return any(term.word == verb and term.kind != SOFT for term in facts.terms)
