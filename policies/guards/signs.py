"""Signs that are asked about themselves ("the £ sign", "what does % do"), and marks that tell notations apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.guards.tokens import Token

SIGN_NAMES = {
    "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "&": "ampersand", "@": "atsign", "#": "hash",
    "%": "percent", "*": "asterisk", "/": "slash", "\\": "backslash", "^": "caret", "~": "tilde", "|": "pipe",
    "+": "plus", "=": "equals", "!": "exclamation", "?": "questionmark", "<": "lessthan", ">": "greaterthan",
    "©": "copyright", "®": "registered", "™": "trademark", "§": "section", "∞": "infinity", "±": "plusminus",
}  # fmt: skip
"""What a sign is called, so that one prompt may have the sign and the other its name."""
_CALLED = frozenset(SIGN_NAMES.values())
SIGN_KINDS = frozenset(
    ("sign", "signs", "symbol", "symbols", "operator", "operators", "character", "key", "emoji", "sigil", "modifier")
)
_BEFORE = frozenset(
    (
        "does", "did", "is", "the", "a", "an", "between", "use", "using", "type", "typing", "write", "insert",
        "enter", "press", "add", "make", "get", "called", "of", "for", "with", "convert", "vs", "versus", "mean",
        "sign", "symbol", "operator", "remove", "replace", "escape", "whats",
    )
)  # fmt: skip
_CHAINED = frozenset(("and", "or", "vs", "versus", "to", "in", "into", "from"))
"""Before a sign only where another one stands on their other side, or money is meant: "$ to €"."""
_BEHIND = frozenset(
    (
        "", "do", "does", "mean", "means", "and", "or", "vs", "versus", "in", "on", "for", "used", "with", "to",
        "into", "from", "called", "work", "works", "stand", "stands", "return", "returns", "is", "sign", "at",
    )
)  # fmt: skip
_MONEY = frozenset("$€£¥")
_JOINING = frozenset("/&+-")
"""They tie words and parts of words together; only a question about them makes them more."""
_ALSO = frozenset(("does", "did", "the", "between", "type", "use", "using", "a", "press", "insert", "of"))

_DOUBLE = frozenset(("[]", "()", "{}", "?.", "??", "?:", "!!", "::", "$@", "$*", "$$", "$?", "$!", "$#"))
"""Operators and brackets that are asked about as one."""
_MAJOR = re.compile(r"([A-G])(b?)M((?:6|7|9|11|13)(?:b5)?)?")
_CHORDS = frozenset(("chord", "chords", "triad", "scale"))
_EXPANDING = frozenset(
    ("bash", "zsh", "sh", "ksh", "shell", "terminal", "linux", "unix", "powershell", "perl", "php", "ruby")
)
_EXPANDED = re.compile(r"[$\\`!]|#\{")
_SQL = frozenset(("sql", "mysql", "postgres", "postgresql", "sqlite", "oracle"))
_CHARACTERS = frozenset(("c", "c++", "c#", "java", "kotlin", "rust", "golang", "go", "scala", "swift", "haskell"))


def is_asked_sign(tokens: Sequence[Token], position: int) -> bool:
    """Whether a sign stands where a word stands, so that the question is about the sign."""
    text = tokens[position][1]
    if text == "-" or (len(text) > 1 and text not in _DOUBLE) or text in "…—–\ufe0f\u200d":
        return False
    before = tokens[position - 1][1].lower() if position else ""
    behind = _word_behind(tokens, position)
    if behind in SIGN_KINDS and before != "c":
        return True
    if behind not in _BEHIND or (text in "!?" and not behind):
        return False
    if before in _CHAINED:
        other = position - 2 >= 0 and tokens[position - 2][0] in ("op", "sign", "code")
        return other or text in _MONEY or text not in SIGN_NAMES
    if text in _MONEY and behind in ("to", "into"):
        return True
    if text in _JOINING:
        return before in _ALSO
    return before in _BEFORE


def is_sign(token: Token) -> bool:
    """Whether the token is a sign, in quotation marks or not, or what one is called: "£", "`//`", "pound"."""
    kind, text = token
    return kind in ("op", "sign") or text.lower() in _CALLED or not any(map(str.isalnum, text))


def is_lone_mark(tokens: Sequence[Token]) -> bool:
    """Whether one thing is quoted, so that its place among others says nothing."""
    return sum(kind in ("quote", "fence") for kind, _ in tokens) == 1


def _word_behind(tokens: Sequence[Token], position: int) -> str:
    """The next word, or empty at the end of a sentence."""
    if position + 1 == len(tokens):
        return ""
    kind, text = tokens[position + 1]
    return "" if kind == "punct" else text.lower()


def major_chord(tokens: Sequence[Token], position: int) -> str:
    """ "CM7" and "CM chord" as "cmaj7" and "cmaj", which are not Cm7 and Cm; empty for anything else."""
    found = _MAJOR.fullmatch(tokens[position][1])
    if found is None or not (found[3] or _word_behind(tokens, position) in _CHORDS):
        return ""
    return f"{found[1]}{found[2]}maj{found[3] or ''}".lower()


def named_sign(tokens: Sequence[Token], position: int) -> tuple[str, ...]:
    """What a sign is read as: "@" as "@ symbol", whether or not it is called one; of money that says something."""
    text = tokens[position][1]
    name = SIGN_NAMES.get(text, text)
    called = text in _MONEY or _word_behind(tokens, position) in SIGN_KINDS
    return (name,) if called else (name, "symbol")


def marks_count(literal: str, tokens: Sequence[Token]) -> bool:
    """Whether single quotation marks say something else than double ones: a shell, SQL or C is named."""
    words = {text.lower() for kind, text in tokens if kind == "word"}
    if _EXPANDED.search(literal):
        return not _EXPANDING.isdisjoint(words)
    return not _SQL.isdisjoint(words) or (len(literal) == 1 and not _CHARACTERS.isdisjoint(words))
