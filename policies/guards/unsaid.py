"""Words that one prompt has and the other implies: "what food do rabbits eat", "how do planes manage to fly"."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from policies.guards.facts import NAME, SOFT, Facts, Term
from policies.guards.placed import Unsaid, at, names, shared
from policies.guards.unsaid_amounts import OF_AMOUNTS, of_speed
from policies.guards.unsaid_data import OF_DATA

_SECRETS = frozenset(("password", "pin", "passcode", "passphrase"))
_COLOURS = frozenset(("brown", "yellow", "black", "red", "blue", "green", "white", "gray", "grey", "pink", "orange"))
_PAPERS = frozenset(("visa", "passport", "vaccine", "vaccination"))
_FILE = frozenset(("file", "filing", "filed"))
_BETWEEN = frozenset(("between", "in", "on", "along", "near"))
_ONCE = frozenset(
    (
        "released", "discovered", "invented", "published", "introduced", "founded", "built", "created", "developed",
        "patented", "launched", "aired", "land", "landed", "documented", "synthesized", "identified",
    )
)  # fmt: skip
_PERSONS = frozenset(("first", "he", "she", "they", "someone"))
_BACK = frozenset(("recover", "restore", "undo", "unsend", "back", "undelete", "revert"))
_CLEANING = frozenset(("remove", "clean", "eliminate", "out"))
_EVENTS = frozenset(
    (
        "day",
        "night",
        "match",
        "game",
        "movie",
        "film",
        "flight",
        "semester",
        "war",
        "concert",
        "class",
        "exam",
        "pregnancy",
    )
)
_LAWS = frozenset(("law", "theorem", "principle", "rule", "amendment", "hypothesis"))
_STOPPING = frozenset(("stop", "kill", "terminate", "quit"))
_DRINKS = frozenset(("coffee", "tea", "cocoa", "espresso"))
_SLOWLY = (("running", "slow"), ("running", "slowly"), ("running", "slower"))
_COOKING = frozenset(("make", "cook", "bake", "brew", "boil", "poach", "roast", "grill", "fry", "steam"))
_RETURNING = frozenset(("return", "exchange", "refund"))
_WORKING = frozenset(("rule", "law", "principle", "theorem", "interest", "algorithm", "system", "mechanism"))
"""What to explain is to say how it works."""


def goes_unsaid(term: Term, own: Facts, other: Facts) -> bool:
    """Whether a word that the other prompt lacks says nothing which that one does not say in another way."""
    test = _TESTS.get(term.word)
    if test is None or term.negated or term.joined or term.conditional:
        return False
    place = next((place for place, found in enumerate(own.terms) if found is term), -1)
    return place >= 0 and test(place, own, other)


def _as_advised(place: int, own: Facts, other: Facts) -> bool:
    """ "How long should it be", "the ideal length"."""
    return other.modal == "advised" and not own.modal and own.tense in ("", "present") and "polar" not in own.questions


def _in_explaining(place: int, own: Facts, other: Facts) -> bool:
    """ "Explain the offside rule", "how does the offside rule work"."""
    return (
        own.questions == {"how"}
        and not other.questions
        and not own.subject
        and own.tense in ("", "present")
        and names(other, _WORKING)
    )


def _of_dish(place: int, own: Facts, other: Facts) -> bool:
    """ "How do I make homemade mayonnaise"."""
    before = at(own, place - 1)
    return before is not None and before.word == "make" and own.questions == {"how"} == other.questions


def _as_allowed(place: int, own: Facts, other: Facts) -> bool:
    """ "Can I bring a knife in hand luggage", "are knives allowed in hand luggage"; a country has a border to cross."""
    return (
        own.modal == "possible"
        and own.questions == {"polar"} == other.questions
        and names(other, frozenset(("allow", "permit")))
        and not any(term.kind == NAME or term.slot in ("from", "with") for term in own.terms)
        and {term.slot for term in own.terms} - {"into", "in"} == {term.slot for term in other.terms} - {"in"}
    )


def _done(place: int, own: Facts, other: Facts) -> bool:
    """ "How do I perform CPR", "how do I do CPR"."""
    behind = at(own, 1)
    asked = place == 0 and own.questions == {"how"} == other.questions
    return asked and behind is not None and behind.kind != SOFT and shared(behind, other)


def _needed(place: int, own: Facts, other: Facts) -> bool:
    """ "What ingredients do I need for pizza dough"."""
    return place == 0 and "need" in own.words and "need" in other.words and own.questions <= {"what", "which"}


def _bought(place: int, own: Facts, other: Facts) -> bool:
    """ "Return an item I bought"."""
    return own.words[-2:-1] == ("i",) and names(own, _RETURNING) and names(other, _RETURNING) and place > 0


def _of_doing(place: int, own: Facts, other: Facts) -> bool:
    """ "The effect of running chmod 755"."""
    before = at(own, place - 1)
    return before is not None and before.word == "effect" and ("of", "running") in pairwise(own.words)


def _forgotten(place: int, own: Facts, other: Facts) -> bool:
    """ "I forgot my password, how do I reset it"."""
    return names(own, _SECRETS) and all("reset" in facts.words for facts in (own, other))


def _recast(place: int, own: Facts, other: Facts) -> bool:
    """ "Rewrite this in a friendlier tone: …", "make this friendlier: …"."""
    if not ((own.quoted and other.quoted) or (own.code and other.code)) or other.words[:1] != ("make",):
        return False
    return place == 0 or own.terms[place].slot == "in"


def _eaten(place: int, own: Facts, other: Facts) -> bool:
    """ "At what temperature is pork safe to eat"."""
    return ("safe", "to") in pairwise(own.words) and all(
        "safe" in facts.words and any("@temperature" in term.aspects for term in facts.terms) for facts in (own, other)
    )


def _turned(place: int, own: Facts, other: Facts) -> bool:
    """ "Keep avocados from turning brown"."""
    behind = at(own, place + 1)
    return behind is not None and behind.word in _COLOURS and shared(behind, other) and own.questions <= {"how", "why"}


def _travelling(place: int, own: Facts, other: Facts) -> bool:
    """ "Do I need a visa to enter Japan"."""
    behind = at(own, place + 1)
    papers = all(names(facts, _PAPERS) and facts.questions == {"polar"} for facts in (own, other))
    return papers and behind is not None and behind.kind == NAME and shared(behind, other)


def _moving(place: int, own: Facts, other: Facts) -> bool:
    return of_speed(place, own, other) or _travelling(place, own, other)


def _filed(place: int, own: Facts, other: Facts) -> bool:
    """ "File my tax return", "file my taxes"."""
    before = at(own, place - 1)
    filing = all(not _FILE.isdisjoint(facts.words) for facts in (own, other))
    return filing and before is not None and before.word == "tax"


def _lying(place: int, own: Facts, other: Facts) -> bool:
    """ "Which sea lies between them"."""
    lies = any(pair[0] in ("lies", "lie") and pair[1] in _BETWEEN for pair in pairwise(own.words))
    return lies and own.questions <= {"what", "which", "where"}


def _at_first(place: int, own: Facts, other: Facts) -> bool:
    """ "When was it first released": what happens once."""
    once = any(
        two == "first" and three in _ONCE and one != "the"
        for one, two, three in zip(own.words, own.words[1:], own.words[2:], strict=False)
    )
    return once and own.questions == {"when"} and own.tense != "present"


def _in_the_end(place: int, own: Facts, other: Facts) -> bool:
    """ "How did it end up sinking"."""
    return any(
        one in ("end", "ended") and two == "up" and three.endswith("ing")
        for one, two, three in zip(own.words, own.words[1:], own.words[2:], strict=False)
    )


def _made(place: int, own: Facts, other: Facts) -> bool:
    """ "How is glass manufactured", "how is glass made"."""
    return own.words[-1] in ("manufactured", "produced") and own.words[0] == "how" and other.words[-1] == "made"


def _managed(place: int, own: Facts, other: Facts) -> bool:
    """ "How do planes manage to fly"."""
    return ("manage", "to") in pairwise(own.words) and own.questions == {"how"} and not own.modal


def _seeming(place: int, own: Facts, other: Facts) -> bool:
    """ "Why does the sky appear blue"."""
    return _turned(place, own, other) and own.questions == {"why"} == other.questions and not own.agents


def _food(place: int, own: Facts, other: Facts) -> bool:
    """ "What food do rabbits eat"."""
    return place == 0 and own.asks_for == "object" == other.asks_for and "eat" in own.words and "eat" in other.words


def _working(place: int, own: Facts, other: Facts) -> bool:
    """ "How does the absorption of water work", "how is water absorbed"."""
    if _in_explaining(place, own, other):
        return True
    words = {term.word for term in own.terms}
    nominal = any(term.word not in words for term in other.terms)
    both = own.questions == {"how"} == other.questions
    return nominal and both and _PERSONS.isdisjoint((own.subject, other.subject))


def _stated(place: int, own: Facts, other: Facts) -> bool:
    """ "What does the second law of thermodynamics state"."""
    says = own.words[-1] == "state" and own.words[:2] == ("what", "does")
    return says and names(own, _LAWS) and other.questions <= {"what"}


def _running(place: int, own: Facts, other: Facts) -> bool:
    """ "How fast can a cheetah run", "why is it running slow", "stop a running container"."""
    if own.questions == {"why"} == other.questions:
        return any(pair in _SLOWLY for pair in pairwise(word for word in own.words if word != "so"))
    stopped = own.words.count("running") == 1 and names(own, _STOPPING) and names(other, _STOPPING)
    if stopped and own.terms[place].determiner == "a" and shared(at(own, place + 1), other):
        return True
    return _of_doing(place, own, other) or of_speed(place, own, other) or _by_mistake(place, own, other)


def _creating(place: int, own: Facts, other: Facts) -> bool:
    """ "Who is the creator of Bitcoin", "who created Bitcoin"."""
    return own.questions == {"who"} == other.questions and "created" in other.words


def _founded(place: int, own: Facts, other: Facts) -> bool:
    """ "Who founded the company Apple"."""
    behind = at(own, place + 1)
    return (
        "founded" in own.words
        and behind is not None
        and behind.kind == NAME
        and ("the", "company") in pairwise(own.words)
    )


def _paired(place: int, own: Facts, other: Facts) -> bool:
    """ "Sharpen a pair of scissors"."""
    behind = at(own, place + 1)
    pair = own.terms[place].determiner == "a" and ("pair", "of") in pairwise(own.words)
    return (
        pair
        and behind is not None
        and behind.plural
        and any(found.word == behind.word and found.plural for found in other.terms)
    )


def _portioned(place: int, own: Facts, other: Facts) -> bool:
    """ "Bake a loaf of bread", "brew a pot of tea"."""
    behind = at(own, place + 1)
    if behind is None or behind.slot != "of" or not own.questions == {"how"} == other.questions:
        return False
    if own.terms[place].word == "pot" and not any(term.word in _DRINKS for term in own.terms):
        return False
    return names(own, _COOKING) and names(other, _COOKING) and shared(behind, other)


def _perfect(place: int, own: Facts, other: Facts) -> bool:
    """ "Cook the perfect steak"."""
    return own.questions == {"how"} == other.questions and names(own, _COOKING - {"make"})


def _by_mistake(place: int, own: Facts, other: Facts) -> bool:
    """ "I accidentally deleted it, how do I recover it", "I ran git add, how do I undo it"."""
    if own.terms[place].word == "run" and "ran" not in own.words:
        return False
    return all("how" in facts.questions and not _BACK.isdisjoint(facts.words) for facts in (own, other))


def _spilled(place: int, own: Facts, other: Facts) -> bool:
    """ "I spilled wax on it, how do I get it out", "there are ants everywhere, how do I get rid of them"."""
    return all("how" in facts.questions and names(facts, _CLEANING) for facts in (own, other))


def _lasting(place: int, own: Facts, other: Facts) -> bool:
    """ "How long does a match last", "how long is a match"."""
    behind = own.words[own.words.index("last") + 1 :] if "last" in own.words else ("last",)
    return behind[:1] in ((), ("on",), ("in",), ("for",)) and all(
        any(term.word == "@duration" for term in facts.terms) and names(facts, _EVENTS) for facts in (own, other)
    )


def _falling(place: int, own: Facts, other: Facts) -> bool:
    """ "On what date does Easter fall"."""
    return own.tense != "past" and "date" in own.words and "when" in other.questions


_TESTS: Mapping[str, Unsaid] = {
    **OF_AMOUNTS,
    **OF_DATA,
    "ideal": _as_advised,
    "optimal": _as_advised,
    "optimum": _as_advised,
    "appropriate": _as_advised,
    "suitable": _as_advised,
    "perform": _done,
    "ingredient": _needed,
    "buy": _bought,
    "purchase": _bought,
    "travel": _moving,
    "enter": _travelling,
    "visit": _travelling,
    "run": _running,
    "state": _stated,
    "creator": _creating,
    "accidentally": _by_mistake,
    "mistakenly": _by_mistake,
    "unintentionally": _by_mistake,
    "spill": _spilled,
    "everywhere": _spilled,
    "last": _lasting,
    "fall": _falling,
    "pair": _paired,
    "loaf": _portioned,
    "pot": _portioned,
    "batch": _portioned,
    "perfect": _perfect,
    "company": _founded,
    "forget": _forgotten,
    "rewrite": _recast,
    "rephrase": _recast,
    "tone": _recast,
    "style": _recast,
    "eat": _eaten,
    "turn": _turned,
    "return": _filed,
    "lie": _lying,
    "first": _at_first,
    "end": _in_the_end,
    "up": _in_the_end,
    "manufacture": _made,
    "produce": _made,
    "manage": _managed,
    "appear": _seeming,
    "food": _food,
    "work": _working,
    "homemade": _of_dish,
    "bring": _as_allowed,
    "carry": _as_allowed,
    "wear": _as_allowed,
}
