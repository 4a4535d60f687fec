"""Group `tense`: when it happens, whether it must or may, and whose it is."""

from __future__ import annotations

from itertools import pairwise

from policies.guards.draft import Draft
from policies.guards.facts import ASPECT, Conflict, Facts
from policies.guards.vocabulary import base_form

PERSONS = {
    "my": "first",
    "our": "first",
    "your": "second",
    "his": "he",
    "he": "he",
    "him": "he",
    "her": "she",
    "she": "she",
    "hers": "she",
}
AGENTS = {"i": "first", "we": "first", "he": "he", "she": "she", "they": "they"}
PATIENTS = {"me": "first", "us": "first", "him": "he", "them": "they"}
"""Only the pronouns that show their case: "her" and "you" do not."""
_DONE = frozenset(("past", "verb-past", "perfect", "pluperfect"))
_PERMITS = frozenset(("safe", "possible", "legal", "allowed", "permitted", "able", "ok", "okay"))
_HAPPENING = frozenset(("who", "where", "when"))
_NEEDING = frozenset(("need", "needs", "require", "requires", "recommend", "advise"))
_ANYONE = frozenset(("i", "we", "you", "one", "it", "this", "that", "not"))
"""Behind "do" and "does" they ask what is to be done, and not what others do."""
_NEED = frozenset(("need", "needed", "required", "require", "requires", "mandatory", "compulsory", "obligatory"))
_RESULTING = frozenset(("happen", "happens"))
_ADVISED = frozenset(("recommended", "advisable", "advised"))
_WILL = frozenset(("present", "future"))
_CLASHING = {
    _WILL,
    frozenset(("present", "past")),
    frozenset(("past", "future")),
    frozenset(("present", "pluperfect")),
    frozenset(("perfect", "pluperfect")),
    frozenset(("perfect", "future")),
    frozenset(("future", "pluperfect")),
    frozenset(("verb-past", "verb-present")),
    frozenset(("verb-past", "future")),
}
"""Tenses that ask for different answers; the perfect goes with both past and present."""


def read_main_verb(draft: Draft, index: int, question: str) -> None:
    """ "Who wrote", "what happens": the verb behind the question word tells the tense.

    "Who wrote" stays apart from a plain past: "who is the author" asks the same.
    """
    word = draft.word_at(index)
    if question == "who" and word in ("is", "are") and _is_participle(draft.word_at(index + 1)):
        draft.tense = "verb-present"
        return
    if draft.tense or word in draft.lexicon.small.auxiliary or not word.isalpha() or base_form(word) == word:
        return
    prefix = "verb-" if question == "who" else ""
    if word.endswith("ed") or (prefix and not word.endswith(("s", "ing"))):
        draft.tense = f"{prefix}past"
    elif word.endswith("s") and (prefix or word in ("happens", "causes", "makes")):
        draft.tense = f"{prefix}present"


def _is_participle(word: str) -> bool:
    """ "Winning", not "king"."""
    return word.endswith("ing") and base_form(word) != word


def read_person(draft: Draft, word: str, index: int) -> None:
    """Whose things it is about, and whether "you" is the one who answers and not anyone at all ("can you freeze")."""
    if word != "you":
        draft.person = draft.person or PERSONS[word]
    elif "how" not in draft.questions:
        before, following = draft.word_at(index - 1), draft.word_at(index + 1)
        asked = before in ("have", "did", "were") or following in ("have", "ever", "think")
        anyone = "polar" in draft.questions or any(term.kind == ASPECT for term in draft.terms)
        anyone = anyone or draft.words.count("you") > 1  # "what do you get when you mix them"
        draft.addressed = draft.addressed or asked or (before in ("do", "would") and not anyone)


def tense_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """Past against present, "can" against "must", "his" against "her"."""
    one, other = cached.tense, asked.tense
    if one != other and frozenset((one, other)) in _CLASHING:
        if _dated(cached, asked) or _dated(asked, cached):
            return _modal_conflict(cached, asked) or _person_conflict(cached, asked)
        loose = frozenset((one, other)) == _WILL and (
            _denies(cached)
            or "when" in cached.questions & asked.questions
            or (_measures(cached) and _measures(asked))
            or (_follows(cached) and _follows(asked))
        )
        if not loose:
            return Conflict("tense", one, other)
    if _goes_on(cached, asked) or _goes_on(asked, cached):
        return Conflict("tense", one, other)
    return _modal_conflict(cached, asked) or _person_conflict(cached, asked)


def _measures(facts: Facts) -> bool:
    """ "How long will it take" asks what "how long does it take" asks."""
    return any(term.word in ("@duration", "@price") for term in facts.terms)


def _denies(facts: Facts) -> bool:
    return bool(facts.negations) or any(term.negated for term in facts.terms)


def _follows(facts: Facts) -> bool:
    """ "What happens if", "what will happen if"."""
    return not _RESULTING.isdisjoint(facts.words) and not {"if", "when"}.isdisjoint(facts.words)


def _dated(one: Facts, other: Facts) -> bool:
    """ "When was it opened", "what is the date it was opened": the date is, although the event was."""
    present = other.tense == "present" and other.being and "what" in other.questions
    return "when" in one.questions and present and any("@when" in term.aspects for term in other.terms)


def _goes_on(one: Facts, other: Facts) -> bool:
    """ "Is the store closing" and "is it being closed" against "has it closed"."""
    if one.tense != "present" or other.tense != "perfect" or not one.being:
        return False
    done = {base_form(word) for word in other.words if not word.endswith("ing")}
    return any(word == "being" or (_is_participle(word) and base_form(word) in done) for word in one.words)


def _modal_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    one, other = cached.modal, asked.modal
    if one == other:
        return None
    both = {one, other}
    if both in ({"needed", "advised"}, {"needed", "obliged"}):
        return None  # "do I need to" asks what "should I" asks, and what "must I" asks
    asks = cached.questions | asked.questions
    clash = (
        (both in ({"possible", "obliged"}, {"possible", "needed"}) and not _forbid(cached, asked))
        or (both == {"possible", "advised"} and "how" not in asks)  # "how can I" is "how should I"
        or (both == {"obliged", "advised"} and _is_strict(cached, asked))
        or (not _HAPPENING.isdisjoint(cached.questions & asked.questions) and _happened(cached, asked))
        or ("how" not in asks and (_is_habit(cached, asked) or _is_habit(asked, cached)))
    )
    if "polar" in cached.questions and "polar" in asked.questions:
        # Where the answer is yes or no every modal counts; "do" goes with "can", a form of "be" does not.
        if both == {"obliged", ""} and _is_needed(cached if asked.modal else asked):
            return None  # "is a visa needed" asks what "must I have a visa" asks
        if both == {"advised", ""} and not _ADVISED.isdisjoint((cached if asked.modal else asked).words):
            return None  # "is it recommended" asks what "should I" asks
        clash = clash or bool(one and other) or bool(both & {"advised", "obliged"})
        clash = clash or _happened(cached, asked) or _needs(cached, asked)
        # … but for "is it safe to", which is what "can I" asks then.
        clash = clash or (
            "possible" in both and cached.being != asked.being and not (_permits(cached) or _permits(asked))
        )
    elif "polar" in cached.questions or "polar" in asked.questions:
        clash = clash or _needs(cached, asked) or ("advised" in both and (_permits(cached) or _permits(asked)))
    return Conflict("modality", one, other) if clash else None


def _forbid(cached: Facts, asked: Facts) -> bool:
    """ "Which fruits must dogs not eat", "which fruits can't dogs eat"."""
    which = all(not facts.questions.isdisjoint(("what", "which")) for facts in (cached, asked))
    return which and bool(cached.negations) and bool(asked.negations)


def _happened(cached: Facts, asked: Facts) -> bool:
    """ "Could the price change", "did the price change"."""
    return any(
        one.modal in ("possible", "obliged") and not one.tense and not other.modal and other.tense in _DONE
        for one, other in ((cached, asked), (asked, cached))
    )


def _is_strict(cached: Facts, asked: Facts) -> bool:
    """ "Must I", and "have to" but for an amount: "how often do I have to" is "how often should I"."""
    if "must" in cached.words or "must" in asked.words:
        return True
    return not any(term.kind == ASPECT for facts in (cached, asked) for term in facts.terms)


def _is_habit(one: Facts, other: Facts) -> bool:
    """ "How much should one eat" against "how much do people eat", "how old should it be" against "how old is it"."""
    if one.modal != "advised" or other.modal or not _NEEDING.isdisjoint(other.words):
        return False
    if "be" in one.words and one.words[:1] == other.words[:1] == ("how",):
        return other.being and other.tense == "present"
    return any(word in ("do", "does") and behind not in _ANYONE for word, behind in pairwise(other.words))


def _needs(cached: Facts, asked: Facts) -> bool:
    """ "Do I need a visit", "can I get a visit": whether it must be against whether it may."""
    return any(
        one.modal == "possible" and not _NEED.isdisjoint(other.words) and not {"need", "require"} & set(one.words)
        for one, other in ((cached, asked), (asked, cached))
    )


def _is_needed(facts: Facts) -> bool:
    return not _NEED.isdisjoint(facts.words) or "requirement" in facts.words


def _permits(facts: Facts) -> bool:
    """Whether it asks with a word what "can" asks: "is a refund possible"."""
    return not facts.negations and not _PERMITS.isdisjoint(facts.words)


def _person_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """ "My" against "your" counts unless a "how" or "why" makes both of them anyone's."""
    one, other = cached.person, asked.person
    if one and other and one != other:
        anyone = {one, other} == {"first", "second"} and {"how", "why"} & (cached.questions | asked.questions)
        return None if anyone else Conflict("person", one, other)
    if (
        cached.addressed != asked.addressed
        and not (one or other)
        and {"what", "which", "polar"} & cached.questions & asked.questions
    ):
        return Conflict("person", "you" if cached.addressed else "", "you" if asked.addressed else "")
    return None
