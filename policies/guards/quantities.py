"""Group `numbers` and `units`: numbers with what they count, units without a number, and their comparison.

Over 400 lines, since a number, its unit and what it counts are read together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from policies.guards.amounts import is_weighed
from policies.guards.beside_numbers import begins_range, continues, half_of_day
from policies.guards.draft import NOTHING, STOPS, Draft
from policies.guards.equal_amounts import said_in_other_units
from policies.guards.facts import ASPECT, Conflict, Facts, Quantity, Term, conflict
from policies.guards.lexicon import Lexicon
from policies.guards.number_words import NUMBER_WORDS, SCALES
from policies.guards.numbers import ORDINAL_ENDINGS, clock, plain, read_digits, read_words, scaled, times
from policies.guards.numerals import is_regnal
from policies.guards.reading import CAPITAL, DIGITS
from policies.guards.vocabulary import base_form

_TIME_UNITS = frozenset(
    (
        "nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day", "week", "fortnight", "month",
        "year", "decade", "century",
    )
)  # fmt: skip
_SCALES = {"c": "celsius", "celsius": "celsius", "centigrade": "celsius", "f": "fahrenheit", "fahrenheit": "fahrenheit"}
_SINCE = frozenset(("since", "until", "by", "against"))
_FRACTIONS = {"1/2": "0.5", "1/4": "0.25", "3/4": "0.75"}
"""Of a cup; by themselves they may be a date, or the form that is asked for."""
_WHOLE = {"half": "0.5", "dozen": "12", "twice": "twice"}
_DAYS_IN = {frozenset(("week",)): 7, frozenset(("fortnight",)): 14}
_TO = ("to", "in", "into")
_MEASURES = frozenset(
    (
        "height", "altitude", "elevation", "length", "distance", "depth", "width", "weight", "mass", "speed",
        "temperature", "temp", "@temperature", "@speed", "@distance",
    )
)  # fmt: skip
"""What is told in units, as a noun or a fixed phrase says it."""
_DETERMINING = frozenset(("a", "an", "the", "my", "your", "his", "her", "our", "their", "one", "left", "right", "of"))
_FRAGMENT = 12
"""Terms of a fragment: text of many lines is none, and is not searched anew at the end of each."""
_CHANGING = frozenset(
    (
        "reduce", "increase", "decrease", "drop", "fall", "rise", "raise", "lower", "cut", "grow", "shrink", "decline",
        "climb", "jump", "slash", "boost", "discount", "up", "down",
    )
)  # fmt: skip
"""Behind these "to" states what is reached and "by" how much is added or taken away."""
_LOOSE = frozenset(("bit", "degree", "percent", "ton"))
"""Behind "a" these count nothing: "a ton of work"."""
_COVERING = frozenset(("run", "walk", "swim", "jog", "hike", "cycle", "drive", "lose", "gain"))
_NOON = 12


def read_quantity(draft: Draft, index: int) -> int:
    """Read the number at this place, with its unit; how many items it took, 0 if it is none."""
    item = draft.items[index]
    if item.flags & DIGITS or item.word[0].isdigit():
        value, units, kind = read_digits(item.raw or item.word, draft.lexicon)
        if kind == "literal":
            draft.add(value, None, CAPITAL)
            return 1
        value, kind, taken = _with_next_word(value, kind, draft.word_at(index + 1))
        units = units or draft.currency
    else:
        units = NOTHING
        value, kind, taken = (_WHOLE[item.word], "number", 1) if item.word in _WHOLE else read_words(draft.words, index)
        following = draft.word_at(index + taken)
        if not taken:
            return 0
        if (
            item.word == "one"
            and taken == 1
            and kind == "number"
            and following not in draft.lexicon.spelled
            and not begins_range(draft, index)
        ):
            # A pronoun ("which one", "one of"), or a choice ("give me one example").
            if draft.word_at(index - 1) in ("list", "give", "name", "exactly", "just", "only", "least"):
                draft.quantifiers.add("one")
            draft.determiner = "one"
            if draft.bound == ">=":
                draft.quantifiers.add("least")
                draft.bound = ""
            if not draft.bound:
                return 1
        if following == "dozen":
            value, taken = times(value, 12), taken + 1
    draft.currency = NOTHING
    if kind in ("number", "time") and not units:
        half, more = half_of_day(draft, index + taken)
        if half and value.partition(":")[0].isdigit() and 0 < int(value.partition(":")[0]) <= _NOON:
            value, kind, taken = clock(value, half), "time", taken + more
    if kind == "ordinal" and not _beside_month(draft, index, taken) and not is_regnal(draft, index, taken):
        value += "th"
    if not units and kind in ("number", "time") and index + taken < len(draft.items):
        units, more = _unit_behind(draft, index + taken)
        taken += more
        if units and kind == "number" and "." in value:
            value = plain(value)  # "1.80 m" is 1.8 m, but version 1.80 is not 1.8
        elif units:
            value = _FRACTIONS.get(value, value)
    if units in _DAYS_IN:
        value, units = times(value, _DAYS_IN[units]), frozenset(("day",))
    since = draft.slot in _SINCE and (draft.slot != "by" or kind == "time" or (len(value) == 4 and value.isdigit()))
    bound = draft.bound or (draft.slot if since else "")
    if draft.slot == "to" and not bound and any(term.word in _CHANGING for term in draft.terms[-3:]):
        bound = "="
    if units and kind == "number" and continues(draft, index):
        draft.quantities[-1] = draft.quantities[-1]._replace(units=units)
    draft.quantities.append(Quantity(value, units, bound, draft.joined, len(draft.terms)))
    draft.bound, draft.counting, draft.clause_start = "", False, False
    draft.joined = "" if draft.joined == "," else draft.joined  # "3 adults and 2 kids" ties the kids, too
    draft.take_pending(frozenset((value,)))
    return taken


def _with_next_word(value: str, kind: str, following: str) -> tuple[str, str, int]:
    """The value with the magnitude, half of the day or ordinal ending that stands apart behind it."""
    if following in SCALES:
        return scaled(value, SCALES[following]), kind, 2
    if following in ("am", "pm") and kind in ("number", "time"):
        return clock(value, following), "time", 2
    if following in ("st", "nd", "rd", "th"):
        return value, "ordinal", 2
    return value, kind, 1


def _beside_month(draft: Draft, index: int, taken: int) -> bool:
    near = draft.words[max(index - 2, 0) : index] + draft.words[index + taken : index + taken + 2]
    return any(word in draft.lexicon.small.months for word in near)


def _unit_behind(draft: Draft, index: int) -> tuple[frozenset[str], int]:
    """The unit named right behind a number, and how many items it took."""
    item = draft.items[index]
    word, lexicon = item.word, draft.lexicon
    following = draft.word_at(index + 1)
    if word == "in":
        return (frozenset(("inch",)), 1) if following in ("to", "in", "into", "as") else (NOTHING, 0)
    if word in ("degree", "degrees"):
        scale = _SCALES.get(following)
        return (frozenset((scale,)), 2) if scale else (frozenset(("degree",)), 1)
    if word == "percent":
        return frozenset(("percent",)), 1
    found = lexicon.symbols.get(item.raw or word) or lexicon.spelled.get(word) or lexicon.spelled.get(base_form(word))
    if found is None and len(word) > 1:
        found = _in_any_case(word, lexicon)
    return (found, 1) if found and word not in ("a", "us", "won", "st", "real") else (NOTHING, 0)


def _in_any_case(word: str, lexicon: Lexicon) -> frozenset[str] | None:
    """The unit of a symbol in the wrong case; where that could be several, one of its own, which is only itself."""
    if word in lexicon.unclear:
        return frozenset((f"?{word}",))
    return lexicon.symbols.get(word) or lexicon.symbols.get(word.upper())


def read_bare_unit(draft: Draft, index: int) -> bool:
    """Record the unit a word names without a number, where the sentence converts or measures; whether it did."""
    item = draft.items[index]
    word, lexicon = item.word, draft.lexicon
    spelled = lexicon.spelled.get(word) or lexicon.spelled.get(base_form(word))
    symbol = lexicon.symbols.get(item.raw or word) or (
        _in_any_case(word, lexicon) if len(word) > 1 and word not in lexicon.small.not_bare else None
    )
    if not spelled and not symbol and len(word) > 1:
        return False
    before = draft.word_at(index - 1)
    if draft.counting and spelled and spelled <= _TIME_UNITS and draft.word_at(index + 1) == "of":
        return False  # "how many days of leave" counts days and converts nothing
    measured = any(quantity.units for quantity in draft.quantities)
    if before == "per" and draft.units and _ends(draft, index) and _only_aspects(draft):
        draft.quantities.append(Quantity("1", spelled or symbol or NOTHING, "", "", 0))
        return True  # "teaspoons per tablespoon" are those in one
    placed = (
        draft.converting
        or before in (*_TO, "per", "as")
        or (draft.counting and _measures(draft))
        or item.raw[:1] == "°"
        or (_ends(draft, index) and _is_measured(draft, before))
        or (draft.word_at(index + 1) == "per" and _ends(draft, index + 2) and _only_aspects(draft))
    )
    unit: frozenset[str] | None = None
    article = before in ("a", "an")
    if article and symbol and not spelled and len(word) > 1 and word not in lexicon.small.not_bare:
        spelled = symbol if draft.units or draft.word_at(index + 1) == "of" else spelled  # "in a lb"
    if spelled:
        counted = index > 1 and (draft.units or draft.converting or _is_amount(draft, index, spelled))
        if article and (counted or is_weighed(draft, index)):
            draft.quantities.append(Quantity("1", spelled, "", "", len(draft.terms)))
            draft.counting = draft.clause_start = False
            return True
        if placed or (measured and not spelled <= _TIME_UNITS):
            unit = spelled
    elif symbol and (
        (len(word) > 1 and word not in lexicon.small.not_bare and (placed or measured)) or (measured and before in _TO)
    ):
        unit = symbol
    elif len(word) == 1 and measured and before in _TO:
        unit = lexicon.symbols.get(word.upper())
    if unit is None:
        return False
    draft.units.append(unit)
    draft.counting = draft.clause_start = False
    draft.slot = ""
    return True


def _is_amount(draft: Draft, index: int, unit: frozenset[str]) -> bool:
    """Whether "a" counts the unit behind it: "a cup of rice", "a dollar in euros", "run a mile"."""
    if unit <= _TIME_UNITS or not unit.isdisjoint(_LOOSE):
        return False
    following, beyond = draft.word_at(index + 1), draft.word_at(index + 2)
    lexicon = draft.lexicon
    money = lexicon.sources["units"]["money"].keys()
    return (
        following == "of"
        or (following in _TO and unit <= money and (beyond in lexicon.spelled or base_form(beyond) in lexicon.spelled))
        or base_form(draft.word_at(index - 2)) in _COVERING
    )


def _ends(draft: Draft, index: int) -> bool:
    """Whether nothing follows this place."""
    return draft.word_at(index + 1) in ("", *STOPS)


def _only_aspects(draft: Draft) -> bool:
    return all(term.kind == ASPECT for term in draft.terms)


def _is_measured(draft: Draft, before: str) -> bool:
    """Whether a fragment names what is measured, so that its last word is the unit: "everest height feet"."""
    return (
        not draft.questions - {"what"}
        and before not in _DETERMINING
        and any(term.word in _MEASURES for term in draft.terms[-_FRAGMENT:])
    )


def _measures(draft: Draft) -> bool:
    """Whether a unit follows a number or an article anywhere: "2 hours", "a tablespoon"."""
    spelled, symbols = draft.lexicon.spelled, draft.lexicon.symbols
    return any(
        (before in ("a", "an", "one") or before[0].isdigit() or before in NUMBER_WORDS)
        and (
            word in spelled
            or base_form(word) in spelled
            or ((word in symbols or word in draft.lexicon.unclear) and before[0].isdigit())
            or (word in symbols and len(word) > 1 and word not in draft.lexicon.small.not_bare)
        )
        for before, word in pairwise(draft.words)
    ) or any(
        item.flags & DIGITS and not item.raw.isdigit() and item.raw[-2:].lower() not in ORDINAL_ENDINGS
        for item in draft.items
    )


def quantity_conflict(cached: Facts, asked: Facts, guards: frozenset[str]) -> Conflict | None:
    """Numbers, their units and bounds, their order, and the units without a number."""
    if not (cached.quantities or asked.quantities or cached.units or asked.units):
        return None
    left, right = [], list(asked.quantities)
    for quantity in cached.quantities:
        if not _take(quantity, right):
            left.append(quantity)
    if (left or right) and not said_in_other_units(left, right, cached, asked):
        if Counter(q.value for q in left) != Counter(q.value for q in right):
            if "numbers" in guards:
                return conflict("number", map(_shown, cached.quantities), map(_shown, asked.quantities))
        elif [q.bound for q in left] != [q.bound for q in right]:
            if "numbers" in guards:
                return conflict("quantity", map(_shown, left), map(_shown, right))
        elif "units" in guards:
            return conflict("number_unit", map(_shown, left), map(_shown, right))
    if "numbers" in guards:
        shown = [list(map(_shown, facts.quantities)) for facts in (cached, asked)]
        told = cached.arithmetic and cached.arithmetic == asked.arithmetic  # "subtract 18 from 45", "45 minus 18"
        swapped = _swapped(cached.quantities, asked.quantities) and not (told or _counts_the_same(cached, asked))
        if swapped or _counts_another(cached, asked):
            return conflict("order", *shown)
        if _other_link(cached.quantities, asked.quantities):
            return conflict("quantity", *shown)
    return _unit_conflict(cached, asked) if "units" in guards and (cached.units or asked.units) else None


def _take(quantity: Quantity, others: list[Quantity]) -> bool:
    for other in others:
        same_unit = quantity.units == other.units or not quantity.units.isdisjoint(other.units)
        if quantity.value == other.value and quantity.bound == other.bound and same_unit:
            others.remove(other)
            return True
    return False


def _swapped(cached: Sequence[Quantity], asked: Sequence[Quantity]) -> bool:
    """Whether equal numbers of one sort stand in another order without being tied by and, or, plus, times."""
    if len(cached) < 2 or any(quantity.joined for quantity in (*cached, *asked)):
        return False
    units = [quantity.units for quantity in cached]
    return len(set(units)) < len(units) and [q.value for q in cached] != [q.value for q in asked]


def _other_link(cached: Sequence[Quantity], asked: Sequence[Quantity]) -> bool:
    """ "Over 1 GB and under a week", "over 1 GB or under a week"."""
    return any(
        one.value == other.value and {one.joined, other.joined} == {"and", "or"} for one in cached for other in asked
    )


def _counts_the_same(cached: Facts, asked: Facts) -> bool:
    """Whether each number stands beside a word of its own, and the same in both: "width 40, height 80" either way."""
    for before in (0, 1):
        mine, yours = _beside(cached, before), _beside(asked, before)
        words = {thing.word for _, thing in mine}
        if len(words) == len(cached.quantities) == len(mine) and all(
            any(found.value == quantity.value and _same(thing, term) for found, term in yours)
            for quantity, thing in mine
        ):
            return True
    return False


def _counts_another(cached: Facts, asked: Facts) -> bool:
    """Whether two numbers of one sort change places: "3 adults and 2 children", "2 adults and 3 children"."""
    if len(cached.quantities) < 2 or len(asked.quantities) < 2:
        return _given_another(cached, asked)
    return any(_crossed(_beside(cached, before), _beside(asked, before)) for before in (0, 1))


def _crossed(mine: Sequence[tuple[Quantity, Term]], yours: Sequence[tuple[Quantity, Term]]) -> bool:
    """Whether two numbers here each stand beside the word that the other one stands beside there."""
    there: dict[tuple[str, frozenset[str]], set[str]] = {}
    for found, term in yours:
        there.setdefault((found.value, found.units), set()).update(term.keys)
    for position, (quantity, thing) in enumerate(mine):
        beside = there.get((quantity.value, quantity.units), set())
        if not thing.keys.isdisjoint(beside):
            continue
        for second, other in mine[position + 1 :]:
            if quantity.value == second.value or quantity.units != second.units or other.keys.isdisjoint(beside):
                continue
            if not thing.keys.isdisjoint(there.get((second.value, second.units), ())):
                return True
    return False


def _beside(facts: Facts, before: int) -> list[tuple[Quantity, Term]]:
    """Each number with the word behind it, or with the one before it; another number between, and there is none."""
    quantities, terms = facts.quantities, facts.terms
    found = []
    for number, quantity in enumerate(quantities):
        place = quantity.place - before
        near = number + 1 - 2 * before
        limit = quantities[near].place if 0 <= near < len(quantities) else (0 if before else len(terms))
        if 0 <= place < len(terms) and (place >= limit if before else place < limit):
            found.append((quantity, terms[place]))
    return found


def _given_another(cached: Facts, asked: Facts) -> bool:
    """Whether the one number belongs to the opposite word: "net of 100 gross", "gross for 100 net"."""
    one, other = _nearest_pole(cached), _nearest_pole(asked)
    return one is not None and other is not None and any(-pole in other.poles for pole in one.poles)


def _nearest_pole(facts: Facts) -> Term | None:
    """Of two opposites a prompt names, the one nearest its number."""
    if len(facts.quantities) != 1:
        return None
    place = facts.quantities[0].place
    poled = [(place - at if at < place else at - place, term) for at, term in enumerate(facts.terms) if term.poles]
    pairs = [
        (distance, term)
        for distance, term in poled
        if any(-pole in other.poles for _, other in poled for pole in term.poles)
    ]
    return min(pairs, key=lambda found: found[0])[1] if pairs else None


def _same(one: Term, other: Term) -> bool:
    return not one.keys.isdisjoint(other.keys)


def _shown(quantity: Quantity) -> str:
    return f"{quantity.bound}{quantity.value} {'/'.join(sorted(quantity.units))}".strip()


def _unit_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """Each unit is named by the other prompt too, and "from A to B" keeps its direction."""
    every_one = (*cached.units, *(q.units for q in cached.quantities))
    every_other = (*asked.units, *(q.units for q in asked.quantities))
    shown = [["/".join(sorted(unit)) for unit in units] for units in (cached.units, asked.units)]
    for units, others in ((cached.units, every_other), (asked.units, every_one)):
        if any(all(unit.isdisjoint(found) for found in others) for unit in units):
            return conflict("unit", *shown)
    if len(cached.units) == 2 == len(asked.units) and cached.units[0].isdisjoint(asked.units[0]):
        return conflict("from_to", *shown)
    return None
