"""Words that go unsaid of amounts and ranks: "the average cost of a root canal", "the best phone out there"."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from policies.guards.facts import ASPECT, Facts
from policies.guards.placed import Unsaid, names

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
_LARGE = frozenset(("largest", "biggest", "smallest"))
_CITIES = frozenset(("city", "cities", "town"))
_COUNTRIES = frozenset(("country", "countries", "continent", "ocean", "lake", "desert", "island"))
_AGES = (("drinking", "age"), ("smoking", "age"), ("voting", "age"), ("driving", "age"))
_SO_FAR = (("so", "far"), ("to", "date"))
_TO_DO = (("asked",), ("wanted",), ("agreed",), ("started",), ("tried",), ("decided",), ("refused",), ("begun",))
_THERE = (("out", "there"), ("the", "planet"), ("this", "planet"))
_MOST = frozenset(("best", "most", "worst"))
_OURS = (("the", "solar"), ("our", "solar"))
_PLANETS = frozenset(("planet",))
_MELTING = frozenset(("boil", "melt", "freeze"))
_STANDARD = frozenset((("sea", "level"), ("standard", "pressure"), ("normal", "pressure"), ("atmospheric", "pressure")))


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


def of_speed(place: int, own: Facts, other: Facts) -> bool:
    """ "How fast does light travel", "the speed of light"."""
    return names(own, frozenset(("@speed",))) and any("@speed" in term.aspects for term in other.terms)


def _of_size(place: int, own: Facts, other: Facts) -> bool:
    """ "How tall do sunflowers grow"."""
    return any(term.kind == ASPECT and term.word in _SIZES for term in own.terms) and any(
        not _SIZES.isdisjoint(term.aspects) for term in other.terms
    )


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


def _dosed(place: int, own: Facts, other: Facts) -> bool:
    """ "The recommended dose of ibuprofen", "how much ibuprofen should one take"."""
    return (
        other.modal == "advised"
        and "recommended" in own.words
        and any(term.word in ("@howmuch", "@count") for term in other.terms)
    )


def _largest(place: int, own: Facts, other: Facts) -> bool:
    """ "The largest city by population", "the largest country by area": as it goes if nothing is said."""
    ranked = _CITIES if own.terms[place].word == "population" else _COUNTRIES
    large = all(not _LARGE.isdisjoint(facts.words) and not ranked.isdisjoint(facts.words) for facts in (own, other))
    return large and own.terms[place].slot == "by" and place == len(own.terms) - 1


def _of_age(place: int, own: Facts, other: Facts) -> bool:
    """ "The legal drinking age"."""
    return any(pair in _AGES for pair in pairwise(own.words)) and "polar" not in own.questions


def _resting(place: int, own: Facts, other: Facts) -> bool:
    """ "A normal resting heart rate"."""
    return all("normal" in facts.words and ("heart", "rate") in pairwise(facts.words) for facts in (own, other))


def _of_ours(place: int, own: Facts, other: Facts) -> bool:
    """ "The largest planet in the solar system"."""
    ours = any(pair in _OURS for pair in pairwise(own.words)) and "system" in own.words
    return ours and own.terms[place].slot == "in" and all(names(facts, _PLANETS) for facts in (own, other))


OF_AMOUNTS: Mapping[str, Unsaid] = {
    "average": _in_general,
    "normally": _in_general,
    "ordinarily": _in_general,
    "roughly": _about,
    "far": _until_now,
    "date": _until_now,
    "out": _of_all,
    "planet": _of_all,
    "solar": _of_ours,
    "sea": _at_sea_level,
    "level": _at_sea_level,
    "pressure": _at_sea_level,
    "atmospheric": _at_sea_level,
    "equal": _equal,
    "equation": _solved,
    "cost": _costing,
    "price": _costing,
    "divide": _in_parts,
    "consist": _in_parts,
    "compose": _in_parts,
    "legal": _of_age,
    "rest": _resting,
    "dose": _dosed,
    "dosage": _dosed,
    "population": _largest,
    "area": _largest,
    "move": of_speed,
    "grow": _of_size,
}
