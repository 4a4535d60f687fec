"""Words that go unsaid of files, tables, lists, code and computers: "the elements of a list" that is sorted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from policies.guards.facts import Facts
from policies.guards.placed import Unsaid, at, names, shared

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
_WORKED_OUT = frozenset(("square", "squareroot", "root", "cube", "sin", "cos", "tan", "log", "ln", "factorial"))
_CONTAINERS = frozenset(("list", "array", "string", "dict", "dictionary", "set", "tuple", "vector"))
_ORDERING = frozenset(("sort", "reverse", "loop", "iterate", "shuffle", "sum", "average"))
"""What is done to a list where it is done to what the list holds."""
_SETTING = frozenset(("change", "update", "reset", "edit", "enable", "disable", "activate", "setup"))
_OF_ACCOUNTS = frozenset(("password", "email", "mail", "address", "name", "username", "phone"))
_PLATFORMS = frozenset(("windows", "window", "mac", "linux", "macos", "maco", "ubuntu"))
_WEB = frozenset(("html", "css"))
_LIBRARIES = {
    "python": frozenset(("pandas", "numpy", "django", "flask", "pip", "pytest", "matplotlib", "sqlalchemy", "tkinter")),
    "javascript": frozenset(("jquery", "nodejs", "node.js", "react", "lodash")),
    "ruby": frozenset(("rails",)),
    "php": frozenset(("laravel",)),
}
_UPDATING = frozenset(("update", "upgrade"))
_JOINING = frozenset(("squash", "merge", "combine", "concatenate", "join", "compare"))
_KEYED = frozenset(("dict", "dictionary", "map", "hash"))
_BROWSERS = frozenset(("chrome", "firefox"))
_BRANDS = {
    "microsoft": frozenset(("excel", "outlook", "powerpoint", "onenote", "azure", "windows", "sharepoint")),
    "adobe": frozenset(("photoshop", "acrobat", "illustrator", "premiere", "lightroom", "indesign")),
    "apple": frozenset(("iphone", "ipad", "macbook", "airpod", "airpods", "imac")),
    "sony": frozenset(("playstation",)),
}
_ADDING = frozenset(("add", "append"))
_CELL = re.compile("[a-z]{1,2}[0-9]{1,5}")


def _there_is(place: int, own: Facts, other: Facts) -> bool:
    """ "Rename an existing branch", "add a column to an existing table": there is no other that one does it to."""
    term = own.terms[place]
    if own.words.count("new") < other.words.count("new") or (names(own, _ADDING) and not term.slot):
        return False
    return term.determiner == "a" and names(own, _CHANGING) and names(other, _CHANGING)


def _of_spreadsheet(place: int, own: Facts, other: Facts) -> bool:
    """ "The first row of a sheet in Excel", "in an Excel spreadsheet"."""
    term, before = own.terms[place], at(own, place - 1)
    if term.plural or term.determiner == "all" or before is None or not names(other, _SPREADSHEETS):
        return False
    if before.word in _SPREADSHEETS:
        return term.slot in _WITHIN and any(
            found.word == before.word and found.slot in _WITHIN for found in other.terms
        )
    return term.slot in ("of", "in") and before.word in _IN_SHEETS


def _of_column(place: int, own: Facts, other: Facts) -> bool:
    """ "Sum the values in column B"."""
    behind = at(own, place + 1)
    return (
        own.terms[place].plural
        and behind is not None
        and behind.word in ("column", "row", "range", "cell")
        and behind.slot in ("in", "of", "from")
        and names(own, _SUMMING)
        and names(other, _SUMMING)
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
    term, before = own.terms[place], at(own, place - 1)
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
    said = any(pair in (("by", "default"), ("default", "port")) for pair in pairwise(own.words))
    return said and all("port" in facts.words and facts.questions <= {"what", "which"} for facts in (own, other))


def _beside_literal(place: int, own: Facts, other: Facts) -> bool:
    """ "The `-r` flag", "a `KeyError` error"."""
    return _follows_literal(own, own.terms[place].word) and bool(other.quoted or other.code)


def _follows_literal(facts: Facts, word: str) -> bool:
    return any(one == '"' and two == word for one, two in zip(facts.words, facts.words[1:], strict=False))


def _triples(facts: Facts) -> Iterable[tuple[str, str, str]]:
    return zip(facts.words, facts.words[1:], facts.words[2:], strict=False)


def _keyword(place: int, own: Facts, other: Facts) -> bool:
    """ "The yield keyword in Python"."""
    term, before = own.terms[place], at(own, place - 1)
    if term.plural or before is None:
        return False
    named = own.programming and other.programming and shared(before, other) and before.slot == term.slot
    return _beside_literal(place, own, other) or (named and ("the", before.word, term.word) in _triples(own))


def _of_disk(place: int, own: Facts, other: Facts) -> bool:
    """ "Read a file from disk"."""
    before = at(own, place - 1)
    named = own.programming and before is not None and before.word == "file" and not _FILING.isdisjoint(own.words)
    return named and own.terms[place].slot in ("from", "on", "to")


def _named_error(place: int, own: Facts, other: Facts) -> bool:
    """ "A #REF! error in Excel"."""
    if own.terms[place].plural:
        return False
    in_sheet = names(own, _SPREADSHEETS) and shared(at(own, place - 1), other)
    return in_sheet or _beside_literal(place, own, other) or _of_status(place, own, other)


def _of_status(place: int, own: Facts, other: Facts) -> bool:
    """ "An HTTP 404 error": the number says it."""
    return names(own, frozenset(("http",))) and len(own.quantities) == len(other.quantities) == 1


def _of_range(place: int, own: Facts, other: Facts) -> bool:
    """ "Cells A1 to A10"."""
    behind = at(own, place + 1)
    return behind is not None and _CELL.fullmatch(behind.word) is not None and shared(behind, other)


def _which_number(place: int, own: Facts, other: Facts) -> bool:
    """ "What number is 15 % of 80"."""
    return (
        own.words[:1] == ("what",)
        and own.words[2:3] == ("is",)
        and own.words[3][:1].isdigit()
        and own.words[-1] != "of"
    )


def _value(place: int, own: Facts, other: Facts) -> bool:
    if own.terms[place].plural:
        listed = _in_container(place, own, other) and not names(own, _KEYED)
        return listed or _of_column(place, own, other)
    behind = at(own, place + 1)  # "the value of the square root of 144"
    return bool(own.quantities) and behind is not None and behind.slot == "of" and behind.word in _WORKED_OUT


def _number(place: int, own: Facts, other: Facts) -> bool:
    if own.terms[place].plural:
        return _of_column(place, own, other) or _in_container(place, own, other)
    return _which_number(place, own, other)


def _duplicated(place: int, own: Facts, other: Facts) -> bool:
    """ "Remove duplicate values", "remove duplicates"."""
    before = at(own, place - 1)
    named = before is not None and before.word == "duplicate" and own.terms[place].plural
    return named and any(found.word == "duplicate" and found.plural for found in other.terms)


def _in_container(place: int, own: Facts, other: Facts) -> bool:
    """ "Sort the elements of a list"."""
    behind = at(own, place + 1)
    return _duplicated(place, own, other) or (
        own.terms[place].plural
        and behind is not None
        and behind.word in _CONTAINERS
        and behind.slot in ("of", "in", "over", "through")
        and any(found.word == behind.word and found.plural == behind.plural for found in other.terms)
        and names(own, _ORDERING)
        and names(other, _ORDERING)
    )


def _of_account(place: int, own: Facts, other: Facts) -> bool:
    """ "Change the password of my account"."""
    term, behind = own.terms[place], at(own, place + 1)
    if not (names(own, _SETTING) and names(other, _SETTING)) or term.plural:
        return False
    owned = any(pair in (("my", "account"), ("your", "account")) for pair in pairwise(own.words))
    return owned and (
        term.slot in ("on", "for", "of") or (behind is not None and behind.word in _OF_ACCOUNTS and not behind.slot)
    )


def _of_platform(place: int, own: Facts, other: Facts) -> bool:
    """ "On a Windows computer"."""
    term, before = own.terms[place], at(own, place - 1)
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


def _printed(place: int, own: Facts, other: Facts) -> bool:
    """ "Print to the console in Python"."""
    printing = all("print" in facts.words and facts.programming for facts in (own, other))
    return printing and own.terms[place].slot in ("to", "on")


def _of_page(place: int, own: Facts, other: Facts) -> bool:
    """ "The background colour of a page in CSS"."""
    term = own.terms[place]
    web = all(names(facts, _WEB) for facts in (own, other))
    return web and not term.plural and (term.slot in ("of", "on", "in") or ("html", "page") in pairwise(own.words))


def _of_library(place: int, own: Facts, other: Facts) -> bool:
    """ "In Python with pandas", "a Python package with pip": whose language it is."""
    term, behind = own.terms[place], at(own, place + 1)
    if term.slot not in ("in", "for", "via") and (behind is None or behind.slot != term.slot):
        return False
    libraries = _LIBRARIES[term.word]
    return not libraries.isdisjoint(own.words) and not libraries.isdisjoint(other.words)


def _of_update(place: int, own: Facts, other: Facts) -> bool:
    """ "Update npm to the latest version"."""
    updating = all(names(facts, _UPDATING) for facts in (own, other))
    return updating and own.terms[place].slot == "to" and ("latest", "version") in pairwise(own.words)


def _of_version(place: int, own: Facts, other: Facts) -> bool:
    """ "Check which version of Python is installed"."""
    return own.words[-1] == "installed" and "version" in own.words and "version" in other.words


def _several(place: int, own: Facts, other: Facts) -> bool:
    """ "Squash multiple commits"."""
    behind = at(own, place + 1)
    joining = names(own, _JOINING) and names(other, _JOINING)
    return (
        joining
        and behind is not None
        and any(found.plural and behind.plural and found.word == behind.word for found in other.terms)
    )


def _of_browser(place: int, own: Facts, other: Facts) -> bool:
    """ "The browser cache in Chrome"."""
    return all(names(facts, _BROWSERS) and facts.questions == {"how"} for facts in (own, other))


def _of_brand(place: int, own: Facts, other: Facts) -> bool:
    """ "In Microsoft Excel": who else's."""
    term, behind = own.terms[place], at(own, place + 1)
    beside = behind is not None and behind.word in _BRANDS[term.word] and behind.slot == term.slot and not behind.joined
    return beside and shared(behind, other)


def _of_word(place: int, own: Facts, other: Facts) -> bool:
    """ "Page numbers in a Word document"."""
    term, before = own.terms[place], at(own, place - 1)
    written = before is not None and before.word == "word" and term.slot in _WITHIN
    return written and not term.plural and any(found.word == "word" and found.slot in _WITHIN for found in other.terms)


OF_DATA: Mapping[str, Unsaid] = {
    "existing": _there_is,
    "sheet": _of_spreadsheet,
    "spreadsheet": _of_spreadsheet,
    "worksheet": _of_spreadsheet,
    "cell": _of_range,
    "console": _printed,
    "browser": _of_browser,
    "microsoft": _of_brand,
    "adobe": _of_brand,
    "apple": _of_brand,
    "sony": _of_brand,
    "document": _of_word,
    "page": _of_page,
    "python": _of_library,
    "javascript": _of_library,
    "ruby": _of_library,
    "php": _of_library,
    "latest": _of_update,
    "version": _of_update,
    "install": _of_version,
    "multiple": _several,
    "value": _value,
    "number": _number,
    "amount": _which_number,
    "element": _in_container,
    "item": _in_container,
    "entry": _in_container,
    "character": _in_container,
    "account": _of_account,
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
    "error": _named_error,
    "flag": _beside_literal,
    "switch": _beside_literal,
    "symbol": _beside_literal,
    "keyword": _keyword,
    "operator": _keyword,
    "clause": _keyword,
    "disk": _of_disk,
    "status": _of_status,
}
