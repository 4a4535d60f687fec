"""Words that one prompt has and the other implies: "the average cost of a root canal", "a file on disk in Python"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from policies.guards.facts import ASPECT, NAME, SOFT, Facts, Term

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
_CHANGING = frozenset(
    ("rename", "add", "remove", "delete", "drop", "alter", "modify", "update", "edit", "append", "change")
)
"""What is done to nothing but what there is."""
_SPREADSHEETS = frozenset(("excel", "sheet", "spreadsheet", "googlesheets", "libreoffice"))
_IN_SHEETS = frozenset(("row", "column", "cell", "formula", "tab"))
_SUMMING = frozenset(("sum", "add", "average", "total", "mean", "maximum", "minimum", "median"))
_DATABASES = frozenset(("mysql", "postgre", "postgresql", "sqlite", "oracle", "mongodb", "mariadb", "sql", "redis"))
_WITHIN = frozenset(("in", "from", "of", "to"))
_FILING = frozenset(("read", "open", "load", "write", "save"))
_SO_FAR = (("so", "far"), ("to", "date"))
_TO_DO = (("asked",), ("wanted",), ("agreed",), ("started",), ("tried",), ("decided",), ("refused",), ("begun",))
_THERE = (("out", "there"), ("the", "planet"), ("this", "planet"))
_MOST = frozenset(("best", "most", "worst"))
_MELTING = frozenset(("boil", "melt", "freeze"))
_STANDARD = frozenset((("sea", "level"), ("standard", "pressure"), ("normal", "pressure"), ("atmospheric", "pressure")))
_WORKED_OUT = frozenset(("square", "squareroot", "root", "cube", "sin", "cos", "tan", "log", "ln", "factorial"))
_CONTAINERS = frozenset(("list", "array", "string", "dict", "dictionary", "set", "tuple", "vector"))
_ORDERING = frozenset(("sort", "reverse", "loop", "iterate", "shuffle", "sum", "average"))
"""What is done to a list where it is done to what the list holds."""
_SETTING = frozenset(("change", "update", "reset", "edit", "enable", "disable", "activate", "setup"))
_OF_ACCOUNTS = frozenset(("password", "email", "mail", "address", "name", "username", "phone"))
_RETURNING = frozenset(("return", "exchange", "refund"))
_PLATFORMS = frozenset(("windows", "window", "mac", "linux", "macos", "ubuntu"))
_CELL = re.compile("[a-z]{1,2}[0-9]{1,5}")
_WORKING = frozenset(("rule", "law", "principle", "theorem", "interest", "algorithm", "system", "mechanism"))
"""What to explain is to say how it works."""


def goes_unsaid(term: Term, own: Facts, other: Facts) -> bool:
    """Whether a word that the other prompt lacks says nothing which that one does not say in another way."""
    test = _TESTS.get(term.word)
    if test is None or term.negated or term.joined or term.conditional:
        return False
    place = next((place for place, found in enumerate(own.terms) if found is term), -1)
    return place >= 0 and test(place, own, other)


def _names(facts: Facts, words: frozenset[str]) -> bool:
    return any(term.word in words for term in facts.terms)


def _at(facts: Facts, place: int) -> Term | None:
    return facts.terms[place] if 0 <= place < len(facts.terms) else None


def _shared(term: Term | None, other: Facts) -> bool:
    """Whether the other prompt has a word too."""
    return term is not None and any(not term.keys.isdisjoint(found.keys) for found in other.terms)


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


def _there_is(place: int, own: Facts, other: Facts) -> bool:
    """ "Rename an existing branch": there is no other that one renames."""
    if own.words.count("new") < other.words.count("new"):
        return False
    return own.terms[place].determiner == "a" and _names(own, _CHANGING) and _names(other, _CHANGING)


def _of_spreadsheet(place: int, own: Facts, other: Facts) -> bool:
    """ "The first row of a sheet in Excel"."""
    term, before = own.terms[place], _at(own, place - 1)
    return (
        term.slot in ("of", "in")
        and not term.plural
        and term.determiner != "all"
        and before is not None
        and before.word in _IN_SHEETS
        and _names(other, _SPREADSHEETS)
    )


def _of_column(place: int, own: Facts, other: Facts) -> bool:
    """ "Sum the values in column B"."""
    behind = _at(own, place + 1)
    return (
        own.terms[place].plural
        and behind is not None
        and behind.word in ("column", "row", "range", "cell")
        and behind.slot in ("in", "of", "from")
        and _names(own, _SUMMING)
        and _names(other, _SUMMING)
    )


def _of_engine(place: int, own: Facts, other: Facts) -> bool:
    """ "All tables in a MySQL database": of one that there is always one of where that is named."""
    term = own.terms[place]
    named = [found for found in other.terms if found.word in _DATABASES]
    return (
        not term.plural
        and term.determiner in ("", "a")
        and term.slot in _WITHIN
        and place > 0
        and len(named) == 1
        and named[0].slot in _WITHIN
    )


def _of_git(place: int, own: Facts, other: Facts) -> bool:
    """ "Undo a commit in a git repository"."""
    term, before = own.terms[place], _at(own, place - 1)
    return (
        not term.plural
        and term.slot in ("in", "from", "of")
        and before is not None
        and before.word == "git"
        and any(found.word == "git" and found.slot in ("in", "from", "of") for found in other.terms)
    )


def _of_command(place: int, own: Facts, other: Facts) -> bool:
    """ "The command to list files in the Linux terminal", "the Linux terminal command"."""
    placed = own.terms[place].slot in ("in", "from", "on", "via") or ("terminal", "command") in pairwise(own.words)
    return placed and all("command" in facts.words for facts in (own, other))


def _of_port(place: int, own: Facts, other: Facts) -> bool:
    """ "What port does SSH use by default", "the default port of SSH"."""
    return all("port" in facts.words and facts.questions <= {"what", "which"} for facts in (own, other))


def _of_speed(place: int, own: Facts, other: Facts) -> bool:
    """ "How fast does light travel", "the speed of light"."""
    return _names(own, frozenset(("@speed",))) and any("@speed" in term.aspects for term in other.terms)


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
        and _names(other, _WORKING)
    )


def _beside_literal(place: int, own: Facts, other: Facts) -> bool:
    """ "The `-r` flag", "a `KeyError` error"."""
    return _follows_literal(own, own.terms[place].word) and bool(other.quoted or other.code)


def _follows_literal(facts: Facts, word: str) -> bool:
    return any(one == '"' and two == word for one, two in zip(facts.words, facts.words[1:], strict=False))


def _triples(facts: Facts) -> Iterable[tuple[str, str, str]]:
    return zip(facts.words, facts.words[1:], facts.words[2:], strict=False)


def _keyword(place: int, own: Facts, other: Facts) -> bool:
    """ "The yield keyword in Python"."""
    term, before = own.terms[place], _at(own, place - 1)
    if term.plural or before is None:
        return False
    named = own.programming and other.programming and _shared(before, other) and before.slot == term.slot
    return _beside_literal(place, own, other) or (named and ("the", before.word, term.word) in _triples(own))


def _of_dish(place: int, own: Facts, other: Facts) -> bool:
    """ "How do I make homemade mayonnaise"."""
    before = _at(own, place - 1)
    return before is not None and before.word == "make" and own.questions == {"how"} == other.questions


def _of_disk(place: int, own: Facts, other: Facts) -> bool:
    """ "Read a file from disk"."""
    before = _at(own, place - 1)
    named = own.programming and before is not None and before.word == "file" and not _FILING.isdisjoint(own.words)
    return named and own.terms[place].slot in ("from", "on", "to")


def _named_error(place: int, own: Facts, other: Facts) -> bool:
    return not own.terms[place].plural and (_beside_literal(place, own, other) or _of_status(place, own, other))


def _of_status(place: int, own: Facts, other: Facts) -> bool:
    """ "An HTTP 404 error": the number says it."""
    return _names(own, frozenset(("http",))) and len(own.quantities) == len(other.quantities) == 1


def _as_allowed(place: int, own: Facts, other: Facts) -> bool:
    """ "Can I bring a knife in hand luggage", "are knives allowed in hand luggage"; a country has a border to cross."""
    return (
        own.modal == "possible"
        and own.questions == {"polar"} == other.questions
        and _names(other, frozenset(("allow", "permit")))
        and not any(term.kind == NAME or term.slot in ("from", "with") for term in own.terms)
        and {term.slot for term in own.terms} - {"into", "in"} == {term.slot for term in other.terms} - {"in"}
    )


def _of_range(place: int, own: Facts, other: Facts) -> bool:
    """ "Cells A1 to A10"."""
    behind = _at(own, place + 1)
    return behind is not None and _CELL.fullmatch(behind.word) is not None and _shared(behind, other)


def _done(place: int, own: Facts, other: Facts) -> bool:
    """ "How do I perform CPR", "how do I do CPR"."""
    behind = _at(own, 1)
    asked = place == 0 and own.questions == {"how"} == other.questions
    return asked and behind is not None and behind.kind != SOFT and _shared(behind, other)


def _until_now(place: int, own: Facts, other: Facts) -> bool:
    """ "How many titles has she won so far"."""
    return own.words[-2:] in _SO_FAR and own.tense == other.tense == "perfect" and own.words[-3:-2] not in _TO_DO


def _of_all(place: int, own: Facts, other: Facts) -> bool:
    """ "The best phone out there", "the largest animal on the planet"."""
    return own.words[-2:] in _THERE and any(word in _MOST or word.endswith("est") for word in own.words)


def _at_sea_level(place: int, own: Facts, other: Facts) -> bool:
    """ "The boiling point of water at standard pressure", which it is given for."""
    return _names(own, _MELTING) and _names(other, _MELTING) and any(pair in _STANDARD for pair in pairwise(own.words))


def _which_number(place: int, own: Facts, other: Facts) -> bool:
    """ "What number is 15 % of 80"."""
    return (
        own.words[:1] == ("what",)
        and own.words[2:3] == ("is",)
        and own.words[3][:1].isdigit()
        and own.words[-1] != "of"
    )


def _equal(place: int, own: Facts, other: Facts) -> bool:
    """ "What is 12 squared equal to"."""
    ends = own.words[-1] in ("equal", "equals") or own.words[-2:] == ("equal", "to")
    return ends and own.questions <= {"what"} and bool(own.quantities) and not own.units


def _value(place: int, own: Facts, other: Facts) -> bool:
    if own.terms[place].plural:
        return _of_column(place, own, other) or _in_container(place, own, other)
    behind = _at(own, place + 1)  # "the value of the square root of 144"
    return bool(own.quantities) and behind is not None and behind.slot == "of" and behind.word in _WORKED_OUT


def _number(place: int, own: Facts, other: Facts) -> bool:
    if own.terms[place].plural:
        return _of_column(place, own, other) or _in_container(place, own, other)
    return _which_number(place, own, other)


def _in_container(place: int, own: Facts, other: Facts) -> bool:
    """ "Sort the elements of a list"."""
    behind = _at(own, place + 1)
    return (
        own.terms[place].plural
        and behind is not None
        and behind.word in _CONTAINERS
        and behind.slot in ("of", "in", "over", "through")
        and any(found.word == behind.word and found.plural == behind.plural for found in other.terms)
        and _names(own, _ORDERING)
        and _names(other, _ORDERING)
    )


def _needed(place: int, own: Facts, other: Facts) -> bool:
    """ "What ingredients do I need for pizza dough"."""
    return place == 0 and "need" in own.words and "need" in other.words and own.questions <= {"what", "which"}


def _of_account(place: int, own: Facts, other: Facts) -> bool:
    """ "Change the password of my account"."""
    term, behind = own.terms[place], _at(own, place + 1)
    if not (_names(own, _SETTING) and _names(other, _SETTING)) or term.plural:
        return False
    owned = any(pair in (("my", "account"), ("your", "account")) for pair in pairwise(own.words))
    return owned and (
        term.slot in ("on", "for", "of") or (behind is not None and behind.word in _OF_ACCOUNTS and not behind.slot)
    )


def _bought(place: int, own: Facts, other: Facts) -> bool:
    """ "Return an item I bought"."""
    return own.words[-2:-1] == ("i",) and _names(own, _RETURNING) and _names(other, _RETURNING) and place > 0


def _costing(place: int, own: Facts, other: Facts) -> bool:
    """ "How much are shipping costs"."""
    return all(any(term.word == "@price" for term in facts.terms) for facts in (own, other))


def _of_platform(place: int, own: Facts, other: Facts) -> bool:
    """ "On a Windows computer"."""
    term, before = own.terms[place], _at(own, place - 1)
    return (
        not term.plural
        and term.slot == "on"
        and before is not None
        and before.word in _PLATFORMS
        and any(found.word == before.word and found.slot == "on" for found in other.terms)
    )


def _of_pandas(place: int, own: Facts, other: Facts) -> bool:
    """ "Read a file into a dataframe in pandas"."""
    return own.terms[place].slot in ("to", "into", "as") and all("pandas" in facts.words for facts in (own, other))


def _solved(place: int, own: Facts, other: Facts) -> bool:
    """ "Solve the equation x + 3 = 5"."""
    return not own.terms[place].plural and all("solve" in facts.words and "=" in facts.code for facts in (own, other))


_TESTS: Mapping[str, Callable[[int, Facts, Facts], bool]] = {
    "average": _in_general,
    "normally": _in_general,
    "ordinarily": _in_general,
    "roughly": _about,
    "ideal": _as_advised,
    "optimal": _as_advised,
    "optimum": _as_advised,
    "appropriate": _as_advised,
    "suitable": _as_advised,
    "existing": _there_is,
    "sheet": _of_spreadsheet,
    "spreadsheet": _of_spreadsheet,
    "worksheet": _of_spreadsheet,
    "cell": _of_range,
    "value": _value,
    "number": _number,
    "amount": _which_number,
    "element": _in_container,
    "item": _in_container,
    "entry": _in_container,
    "character": _in_container,
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
    "account": _of_account,
    "buy": _bought,
    "purchase": _bought,
    "cost": _costing,
    "price": _costing,
    "computer": _of_platform,
    "pc": _of_platform,
    "machine": _of_platform,
    "dataframe": _of_pandas,
    "figure": _of_column,
    "database": _of_engine,
    "repository": _of_git,
    "repo": _of_git,
    "terminal": _of_command,
    "shell": _of_command,
    "default": _of_port,
    "travel": _of_speed,
    "move": _of_speed,
    "grow": _of_size,
    "work": _in_explaining,
    "error": _named_error,
    "flag": _beside_literal,
    "switch": _beside_literal,
    "symbol": _beside_literal,
    "keyword": _keyword,
    "operator": _keyword,
    "clause": _keyword,
    "homemade": _of_dish,
    "disk": _of_disk,
    "status": _of_status,
    "bring": _as_allowed,
    "carry": _as_allowed,
    "wear": _as_allowed,
}
