"""What a prompt wants done with its subject, where the verb is no term: explained, written, recommended."""

from __future__ import annotations

from itertools import pairwise

from policies.guards.facts import Conflict, Facts, conflict
from policies.guards.leftovers import defines
from policies.guards.vocabulary import base_form

_DEMANDS = {
    **dict.fromkeys(("recommend", "recommends", "recommendation", "recommendations"), "recommend"),
    **dict.fromkeys(("translate", "translation"), "translate"),
    **dict.fromkeys(("write", "writing", "draft", "compose"), "write"),
    **dict.fromkeys(
        ("explain", "explaining", "explains", "explanation", "describe", "describing", "description"), "explain"
    ),
}
_SHOWN = frozenset(("this", "these"))
"""Behind "explain" they point at something that is there already."""
_POINTING = _SHOWN | {"that", "following", "above", "below", "it"}
_TELLING = frozenset(
    (
        "know", "tell", "check", "see", "find", "determine", "verify", "recognize", "recognise", "test", "detect",
        "sign", "signs", "symptoms",
    )
)  # fmt: skip
"""How one learns that something is so."""
_SORTS = frozenset(("types", "kinds", "sorts"))
_PICKED = frozenset(
    ("suggest", "recommend", "recommendation", "recommendations", "suggestions", "ideas", "idea", "tips", "examples")
)
"""Words that ask for some of a kind, and not what it is."""
_COUNTED = frozenset(("idea", "suggestion", "recommendation", "example", "tip"))
_OWNED = frozenset(("whose", "owns", "own", "owned", "owner", "belongs", "belong", "whom"))
_TEXTS = frozenset(
    ("poem", "song", "story", "novel", "book", "essay", "speech", "haiku", "limerick", "review", "poetry", "songs")
)
_MEANING = frozenset(("mean", "means", "meaning", "meant", "do", "does", "say", "work", "works", "define", "why"))
_ASKING = frozenset(("can", "could", "may", "did", "have", "should"))
_WRITING = frozenset(("write", "show", "explain", "describe"))
_NEW = (("make", "a"), ("make", "an"), ("write", "a"), ("write", "an"))
_WHETHER = frozenset(("if", "whether"))
_CHANGING = frozenset(("make", "turn", "change", "convert", "rewrite", "rephrase", "shorten", "improve", "translate"))
"""At the beginning they have a thing changed, and ask nothing of it."""


def demand_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """ "Recommend a book about bees", "write a book about bees"; "make it formal", "is it formal"."""
    mine, yours = _demands(cached), _demands(asked)
    for one, other, done, other_done in ((cached, asked, mine, yours), (asked, cached, yours, mine)):
        reason = _wants_other(one, other) or _does_other(one, other, done, other_done)
        if reason:
            return conflict(reason, cached.words, asked.words)
    return None


def _wants_other(one: Facts, other: Facts) -> str:
    """The reason, if the first prompt asks what the second cannot, or empty."""
    if "polar" in one.questions and not other.questions and not _CHANGING.isdisjoint(other.words[:1]):
        return "question_type"
    if other.words[:1] == ("correct",) and "polar" in one.questions and not _POINTING.isdisjoint(other.words[1:2]):
        return "question_type"  # "correct this sentence", "is this sentence correct"
    if "how" in one.questions & other.questions and _recognizes(one) and not _recognizes(other, True):
        return "question_type"
    if _is_allowed(one) and _is_commanded(other, one):
        return "question_type"
    if defines(one) and not _PICKED.isdisjoint(other.words):
        return "question_type"
    if one.words[:2] in _NEW and not _SHOWN.isdisjoint(other.words):
        return "substitution"  # "make a sentence with it", "rewrite this sentence"
    if "this" in one.words and "this" not in other.words and defines(one) and defines(other):
        return "question_type"  # "what is this charge", "what is the charge"
    if "whose" in one.words and "who" in other.questions and _OWNED.isdisjoint(other.words):
        return "order"
    return "quantity" if _asks_for_one(one, other) else ""


def _does_other(one: Facts, other: Facts, mine: set[str], yours: set[str]) -> str:
    """The reason, if what the first prompt wants done is not wanted in the second, or empty."""
    if "write" in mine and not one.questions and _asks_of_text(other, yours):
        return "question_type"
    if mine == yours:
        return ""
    if "recommend" in mine and yours and mine.isdisjoint(yours):
        return "substitution"
    if "types" in mine and "types" not in yours and (defines(other) or any(term.graded for term in other.terms)):
        return "question_type"  # "types of pumps", "the best pump"
    if "explain" in mine and "explain" not in yours and _works_on_text(one, other):
        return "substitution"
    explained = ("explain" in mine) != ("explain" in yours)
    return "substitution" if explained and _explains_shown(one, other) else ""


def _is_allowed(facts: Facts) -> bool:
    """Whether it asks if something can be done."""
    return facts.questions == {"polar"} and (
        facts.modal in ("possible", "advised") or facts.tense in ("past", "perfect")
    )


def _is_commanded(facts: Facts, asking: Facts) -> bool:
    """ "Reverse a string", which asks how, against "can I reverse a string"."""
    if facts.questions or not facts.words:
        return False
    first = base_form(facts.words[0])
    place = next((place for place, word in enumerate(asking.words) if word in _ASKING), 0)
    subject, *verb = asking.words[place + 1 : place + 3]
    if subject == "you" and not facts.words[0].endswith("ing"):
        return False  # "can you balance this equation" has it done
    return first in _WRITING or first in map(base_form, verb)


def _asks_of_text(facts: Facts, wants: set[str]) -> bool:
    """ "Is there a poem", and "how do I write a poem", want none written; of code the latter may."""
    if "polar" in facts.questions and "write" not in wants:
        return True
    return "how" in facts.questions and "write" in facts.words and not _TEXTS.isdisjoint(facts.words)


def _works_on_text(one: Facts, other: Facts) -> bool:
    """ "Explain this text", "correct this text": both have one, and the second prompt asks for no meaning."""
    shown = (one.quoted or one.code) and (other.quoted or other.code)
    return bool(shown) and _MEANING.isdisjoint(other.words)


def _asks_for_one(one: Facts, other: Facts) -> bool:
    """ "Give me one idea", "give me ideas"."""
    return any(
        before in ("one", "single") and word in _COUNTED and f"{word}s" in other.words
        for before, word in pairwise(one.words)
    )


def _recognizes(facts: Facts, perhaps: bool = False) -> bool:
    """ "How do I know if I need a visa" is not how one gets it. perhaps: whether it may ask how to tell."""
    if perhaps:
        return not _TELLING.isdisjoint(facts.words) or not _WHETHER.isdisjoint(facts.words)
    words = facts.words
    return any(
        word in _TELLING
        and words[place : place + 1]
        and words[place] in _WHETHER
        and "how" in words[max(place - 5, 0) : place]
        for place, word in enumerate(words, 1)
    )


def _explains_shown(one: Facts, other: Facts) -> bool:
    """ "Explain this regex", where the other prompt shows none: "write a regex"."""
    shown = any(_DEMANDS.get(word) == "explain" and behind in _SHOWN for word, behind in pairwise(one.words))
    return shown and ("write" in _demands(other) or not (other.quoted or other.code or set(other.words) & _POINTING))


def _demands(facts: Facts) -> set[str]:
    words = facts.words
    found = set() if _DEMANDS.keys().isdisjoint(words) else {_DEMANDS[word] for word in words if word in _DEMANDS}
    if not _SORTS.isdisjoint(words) and not (facts.questions and {"there", "exist"}.isdisjoint(words)):
        found.add("types")
    if words[:1] == ("name",):
        found.add("recommend")  # "name a poem about the sea"
    if words[-1:] == ("called",):
        found.add("name")
    if "should" in words and not {"read", "watch"}.isdisjoint(words):
        found.add("recommend")  # "which book should I read"
    return found
