"""Words that one prompt has and the other implies: "the average cost of a root canal", "the best phone out there"."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from policies.guards.facts import ASPECT, NAME, SOFT, Facts, Term
from policies.guards.placed import Unsaid, at, names, shared
from policies.guards.unsaid_data import OF_DATA

_AMOUNTS = frozenset(
    ("@price", "@duration", "@height", "@size", "@weight", "@count", "@frequency", "@speed", "@length")
)
_SIZES = frozenset(("@height", "@size", "@length", "@weight", "@width", "@depth"))
_EXTREMES = frozenset(
    (
        "maximum", "minimum", "max", "min", "highest", "lowest", "most", "least", "best", "worst", "total", "median",
        "record", "top", "current", "now", "today", "largest", "smallest", "longest", "shortest", "cheapest", "exact",
    )
)  # fmt: skip
"""Words beside which an average is another amount."""
_GIVEN = frozenset(
    ("this", "these", "those", "my", "your", "his", "her", "its", "our", "their", "table", "list", "data", "dataset")
)
_SECRETS = frozenset(("password", "pin", "passcode", "passphrase"))
_COLOURS = frozenset(("brown", "yellow", "black", "red", "blue", "green", "white", "gray", "grey", "pink", "orange"))
_PAPERS = frozenset(("visa", "passport", "vaccine", "vaccination"))
_FILE = frozenset(("file", "filing", "filed"))
_LARGE = frozenset(("largest", "biggest", "smallest"))
_CITIES = frozenset(("city", "cities", "town"))
_COUNTRIES = frozenset(("country", "countries", "continent", "ocean", "lake", "desert", "island"))
_BETWEEN = frozenset(("between", "in", "on", "along", "near"))
_ONCE = frozenset(
    (
        "released", "discovered", "invented", "published", "introduced", "founded", "built", "created", "developed",
        "patented", "launched", "aired", "land", "landed", "documented", "synthesized", "identified",
    )
)  # fmt: skip
_PERSONS = frozenset(("first", "he", "she", "they", "someone"))
_LAWS = frozenset(("law", "theorem", "principle", "rule", "amendment", "hypothesis"))
_STOPPING = frozenset(("stop", "kill", "terminate", "quit"))
_AGES = (("drinking", "age"), ("smoking", "age"), ("voting", "age"), ("driving", "age"))
_DRINKS = frozenset(("coffee", "tea", "cocoa", "espresso"))
_SLOWLY = (("running", "slow"), ("running", "slowly"), ("running", "slower"))
_COOKING = frozenset(("make", "cook", "bake", "brew", "boil", "poach", "roast", "grill", "fry", "steam"))
_SO_FAR = (("so", "far"), ("to", "date"))
_TO_DO = (("asked",), ("wanted",), ("agreed",), ("started",), ("tried",), ("decided",), ("refused",), ("begun",))
_THERE = (("out", "there"), ("the", "planet"), ("this", "planet"))
_MOST = frozenset(("best", "most", "worst"))
_MELTING = frozenset(("boil", "melt", "freeze"))
_STANDARD = frozenset((("sea", "level"), ("standard", "pressure"), ("normal", "pressure"), ("atmospheric", "pressure")))
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


def _asks_amount(facts: Facts) -> bool:
    """Whether it asks how much, in one way or another, and of nothing that has been."""
    return (
        facts.questions <= {"what", "which"}
        and facts.tense in ("", "present")
        and not (facts.quantities or facts.programming or facts.quoted or facts.code)
        and any(term.kind == ASPECT or not _AMOUNTS.isdisjoint(term.aspects) for term in facts.terms)
    )


def _in_general(place: int, own: Facts, other: Facts) -> bool:
    """ "What does a root canal cost": of a kind of thing, and not of one ("the flight"), any amount is the usual."""
    return all(
        _asks_amount(facts)
        and _EXTREMES.isdisjoint(facts.words)
        and _GIVEN.isdisjoint(facts.words)
        and not (facts.words[0] == "how" and "the" in facts.words[3:4])
        and any(term.determiner == "a" or (term.plural and not term.owner) for term in facts.terms)
        for facts in (own, other)
    )


def _about(place: int, own: Facts, other: Facts) -> bool:
    """ "How tall is it, roughly"."""
    return _asks_amount(own) and _asks_amount(other)


def _as_advised(place: int, own: Facts, other: Facts) -> bool:
    """ "How long should it be", "the ideal length"."""
    return other.modal == "advised" and not own.modal and own.tense in ("", "present") and "polar" not in own.questions


def _of_speed(place: int, own: Facts, other: Facts) -> bool:
    """ "How fast does light travel", "the speed of light"."""
    return names(own, frozenset(("@speed",))) and any("@speed" in term.aspects for term in other.terms)


def _of_size(place: int, own: Facts, other: Facts) -> bool:
    """ "How tall do sunflowers grow"."""
    return any(term.kind == ASPECT and term.word in _SIZES for term in own.terms) and any(
        not _SIZES.isdisjoint(term.aspects) for term in other.terms
    )


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


def _until_now(place: int, own: Facts, other: Facts) -> bool:
    """ "How many titles has she won so far"."""
    return own.words[-2:] in _SO_FAR and own.tense == other.tense == "perfect" and own.words[-3:-2] not in _TO_DO


def _of_all(place: int, own: Facts, other: Facts) -> bool:
    """ "The best phone out there", "the largest animal on the planet"."""
    return own.words[-2:] in _THERE and any(word in _MOST or word.endswith("est") for word in own.words)


def _at_sea_level(place: int, own: Facts, other: Facts) -> bool:
    """ "The boiling point of water at standard pressure", which it is given for."""
    return names(own, _MELTING) and names(other, _MELTING) and any(pair in _STANDARD for pair in pairwise(own.words))


def _equal(place: int, own: Facts, other: Facts) -> bool:
    """ "What is 12 squared equal to"."""
    ends = own.words[-1] in ("equal", "equals") or own.words[-2:] == ("equal", "to")
    return ends and own.questions <= {"what"} and bool(own.quantities) and not own.units


def _needed(place: int, own: Facts, other: Facts) -> bool:
    """ "What ingredients do I need for pizza dough"."""
    return place == 0 and "need" in own.words and "need" in other.words and own.questions <= {"what", "which"}


def _bought(place: int, own: Facts, other: Facts) -> bool:
    """ "Return an item I bought"."""
    return own.words[-2:-1] == ("i",) and names(own, _RETURNING) and names(other, _RETURNING) and place > 0


def _costing(place: int, own: Facts, other: Facts) -> bool:
    """ "How much are shipping costs"."""
    return all(any(term.word == "@price" for term in facts.terms) for facts in (own, other))


def _solved(place: int, own: Facts, other: Facts) -> bool:
    """ "Solve the equation x + 3 = 5"."""
    return not own.terms[place].plural and all("solve" in facts.words and "=" in facts.code for facts in (own, other))


def _in_parts(place: int, own: Facts, other: Facts) -> bool:
    """ "How many states is Brazil divided into", "how many players does a team consist of"."""
    counted = all(any(term.word == "@count" for term in facts.terms) for facts in (own, other))
    parted = own.terms[place].word != "divide" or ("divided", "into") in pairwise(own.words)
    return counted and parted and not (own.quantities or own.code)


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


def _dosed(place: int, own: Facts, other: Facts) -> bool:
    """ "The recommended dose of ibuprofen", "how much ibuprofen should one take"."""
    return (
        other.modal == "advised"
        and "recommended" in own.words
        and any(term.word in ("@howmuch", "@count") for term in other.terms)
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
    return _of_speed(place, own, other) or _travelling(place, own, other)


def _filed(place: int, own: Facts, other: Facts) -> bool:
    """ "File my tax return", "file my taxes"."""
    before = at(own, place - 1)
    filing = all(not _FILE.isdisjoint(facts.words) for facts in (own, other))
    return filing and before is not None and before.word == "tax"


def _largest(place: int, own: Facts, other: Facts) -> bool:
    """ "The largest city by population", "the largest country by area": as it goes if nothing is said."""
    ranked = _CITIES if own.terms[place].word == "population" else _COUNTRIES
    large = all(not _LARGE.isdisjoint(facts.words) and not ranked.isdisjoint(facts.words) for facts in (own, other))
    return large and own.terms[place].slot == "by" and place == len(own.terms) - 1


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
    return _of_doing(place, own, other) or _of_speed(place, own, other)


def _of_age(place: int, own: Facts, other: Facts) -> bool:
    """ "The legal drinking age"."""
    return any(pair in _AGES for pair in pairwise(own.words)) and "polar" not in own.questions


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
    """ "Bake a loaf of bread", "make a cup of coffee"."""
    behind = at(own, place + 1)
    if behind is None or behind.slot != "of" or not own.questions == {"how"} == other.questions:
        return False
    if own.terms[place].word in ("cup", "pot") and not any(term.word in _DRINKS for term in own.terms):
        return False
    return names(own, _COOKING) and names(other, _COOKING) and shared(behind, other)


def _perfect(place: int, own: Facts, other: Facts) -> bool:
    """ "Cook the perfect steak"."""
    return own.questions == {"how"} == other.questions and names(own, _COOKING - {"make"})


def _resting(place: int, own: Facts, other: Facts) -> bool:
    """ "A normal resting heart rate"."""
    return all("normal" in facts.words and ("heart", "rate") in pairwise(facts.words) for facts in (own, other))


_TESTS: Mapping[str, Unsaid] = {
    **OF_DATA,
    "average": _in_general,
    "normally": _in_general,
    "ordinarily": _in_general,
    "roughly": _about,
    "ideal": _as_advised,
    "optimal": _as_advised,
    "optimum": _as_advised,
    "appropriate": _as_advised,
    "suitable": _as_advised,
    "perform": _done,
    "far": _until_now,
    "date": _until_now,
    "out": _of_all,
    "planet": _of_all,
    "sea": _at_sea_level,
    "level": _at_sea_level,
    "pressure": _at_sea_level,
    "atmospheric": _at_sea_level,
    "equal": _equal,
    "equation": _solved,
    "ingredient": _needed,
    "buy": _bought,
    "purchase": _bought,
    "cost": _costing,
    "price": _costing,
    "travel": _moving,
    "enter": _travelling,
    "visit": _travelling,
    "divide": _in_parts,
    "consist": _in_parts,
    "compose": _in_parts,
    "run": _running,
    "state": _stated,
    "legal": _of_age,
    "creator": _creating,
    "pair": _paired,
    "loaf": _portioned,
    "cup": _portioned,
    "pot": _portioned,
    "batch": _portioned,
    "perfect": _perfect,
    "rest": _resting,
    "company": _founded,
    "forget": _forgotten,
    "rewrite": _recast,
    "rephrase": _recast,
    "tone": _recast,
    "style": _recast,
    "eat": _eaten,
    "dose": _dosed,
    "dosage": _dosed,
    "turn": _turned,
    "return": _filed,
    "population": _largest,
    "area": _largest,
    "lie": _lying,
    "first": _at_first,
    "end": _in_the_end,
    "up": _in_the_end,
    "manufacture": _made,
    "produce": _made,
    "manage": _managed,
    "appear": _seeming,
    "food": _food,
    "move": _of_speed,
    "grow": _of_size,
    "work": _working,
    "homemade": _of_dish,
    "bring": _as_allowed,
    "carry": _as_allowed,
    "wear": _as_allowed,
}
