"""One amount in two units: 1.5 hours is 90 minutes, and 1.8 m is 180 cm."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from policies.guards.facts import ASPECT, SOFT, Facts, Quantity

_FACTORS = {
    unit: (family, Fraction(factor))
    for family, units in {
        "short time": {
            "nanosecond": "1/1000000000", "microsecond": "1/1000000", "millisecond": "1/1000", "second": "1",
            "minute": "60", "hour": "3600",
        },
        "long time": {"month": "1", "year": "12", "decade": "120", "century": "1200"},
        "length": {
            "nanometre": "1/1000000000", "micrometre": "1/1000000", "millimetre": "1/1000", "centimetre": "1/100",
            "decimetre": "1/10", "metre": "1", "kilometre": "1000",
        },
        "imperial length": {"inch": "1", "foot": "12", "yard": "36"},
        "mass": {
            "microgram": "1/1000000", "milligram": "1/1000", "gram": "1", "kilogram": "1000", "tonne": "1000000",
        },
        "volume": {"millilitre": "1", "centilitre": "10", "decilitre": "100", "litre": "1000"},
        "power": {"milliwatt": "1/1000", "watt": "1", "kilowatt": "1000", "megawatt": "1000000"},
        "energy": {"watt_hour": "1", "kilowatt_hour": "1000", "megawatt_hour": "1000000"},
        "voltage": {"millivolt": "1/1000", "volt": "1", "kilovolt": "1000"},
        "current": {"milliampere": "1/1000", "ampere": "1"},
        "frequency": {"hertz": "1", "kilohertz": "1000", "megahertz": "1000000", "gigahertz": "1000000000"},
    }.items()
    for unit, factor in units.items()
}  # fmt: skip
"""What each unit is of the first of its family. Hours and days are two: a day ticket is no 24-hour ticket. So are
kilobytes and megabytes, which some count by 1,024, and ounces, which may be fluid."""
_ABOUT_FORM = frozenset(
    (
        "round", "digit", "figure", "say", "write", "spell", "pronounce", "read", "word", "decimal", "fraction",
        "number",
        "simplify", "notation", "unit", "express", "abbreviate", "abbreviation", "symbol", "format", "convert",
        "conversion", "translate", "equal", "same", "equivalent", "mean", "define", "parse", "string", "regex", "call",
        "meter", "centimeter", "kilometer", "inch", "foot", "yard", "gram", "kilogram", "kilo", "liter", "watt",
        "kilowatt", "second",
    )
)  # fmt: skip
"""Beside these the question may be how the amount is written, or what it is in another unit."""
_LONGEST = 12
"""Digits of a value that is looked at."""


def said_in_other_units(left: Sequence[Quantity], right: Sequence[Quantity], cached: Facts, asked: Facts) -> bool:
    """Whether the one number either prompt has for itself states the same amount, and the answer to both is one.

    Of two weights in one prompt each could be the other's: there the numbers have to be the same.
    """
    if len(left) != 1 or len(right) != 1 or not _equal(left[0], right[0]):
        return False
    family = _family(left[0])
    if any(sum(_family(quantity) == family for quantity in facts.quantities) > 1 for facts in (cached, asked)):
        return False
    if any(not unit.isdisjoint(left[0].units | right[0].units) for unit in cached.units):
        return False
    converted_alike = len(cached.units) == len(asked.units) and not any(
        one.isdisjoint(other) for one, other in zip(cached.units, asked.units, strict=True)
    )
    return converted_alike and _is_about_more(cached) and _is_about_more(asked)


def _equal(one: Quantity, other: Quantity) -> bool:
    mine, yours = _factor(one), _factor(other)
    if mine is None or yours is None or mine[0] != yours[0] or one.bound != other.bound:
        return False
    first, second = _number(one.value), _number(other.value)
    return first is not None and second is not None and first * mine[1] == second * yours[1]


def _factor(quantity: Quantity) -> tuple[str, Fraction] | None:
    return _FACTORS.get(next(iter(quantity.units))) if len(quantity.units) == 1 else None


def _family(quantity: Quantity) -> str:
    factor = _factor(quantity)
    return factor[0] if factor else ""


def _number(value: str) -> Fraction | None:
    if len(value) > _LONGEST or not value.replace(".", "", 1).isdigit():
        return None
    return Fraction(value)


def _is_about_more(facts: Facts) -> bool:
    """Whether more is asked than what the amount is ("how long is 90 minutes") and how it is written."""
    if facts.quoted or facts.code:
        return False
    if facts.units:
        return True  # and to which unit it is converted is the same in both
    return _ABOUT_FORM.isdisjoint(word for term in facts.terms for word in (term.word, *term.keys)) and any(
        term.kind not in (ASPECT, SOFT) for term in facts.terms
    )
