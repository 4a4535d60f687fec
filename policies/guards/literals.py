"""Groups `quotes` and `code`: what must be the same letter by letter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.guards.facts import Conflict, Facts, Term, conflict
from policies.guards.said import literal_lists
from policies.guards.vocabulary import base_form

_FULL = {"'m": " am", "'re": " are", "'ve": " have", "'ll": " will", "n't": " not", "'s": " is"}
_SHORT = re.compile(
    r"'m|'re|'ve|'ll|n't|\b(?:(?<=where)|(?<=what)|(?<=who)|(?<=how)|(?<=when)|(?<=there)|(?<=here))'s\b"
)

_ASSIGNED = re.compile(r"\s?(?<![=!<>+-])=(?![=~>])\s?")
_SHELLS = re.compile(r"\b(?:bash|zsh|ksh|sh|shell|terminal|posix|unix|dotenv)\b|\.env\b", re.IGNORECASE)


def shell_spacing(text: str) -> list[str]:
    """Each "=" with the white space beside it, where a shell reads it: "x=5" assigns, "x = 5" runs a program."""
    if "=" not in text or "`" in text or not _SHELLS.search(text):
        return []
    return [re.sub(r"\s", "_", found) for found in _ASSIGNED.findall(text)]


def literal_conflict(
    reason: str, one: Sequence[str], other: Sequence[str], cached: Facts, asked: Facts
) -> Conflict | None:
    """Literals are the same, in order; one that only one side marks must be spelled out on the other."""
    if one == other:
        return None
    if one and other:
        if sorted(one) == sorted(other) and (
            (cached.symmetric and asked.symmetric) or (_are_alternatives(cached) and _are_alternatives(asked))
        ):
            return None
        if reason == "quoted" and _translated(cached) and _translated(asked) and _spelled(one) == _spelled(other):
            return None
        return conflict(reason, one, other)
    literals, facts = (one, asked) if one else (other, cached)
    text = f" {' '.join(facts.words)} "
    if all(f" {' '.join(literal.lower().split())} " in text for literal in literals):
        return None
    return conflict(reason, one, other)


def _are_alternatives(facts: Facts) -> bool:
    """Whether there are two literals, with "or" between them."""
    return len(facts.quoted) == 2 and '" or "' in " ".join(facts.words)


def _translated(facts: Facts) -> bool:
    languages = literal_lists()["languages"]
    return any(term.word in languages and term.word != "english" for term in facts.terms)


def _spelled(literals: Sequence[str]) -> list[str]:
    """Literals of several words with "I'm" as "I am": said in another language they are the same."""
    return [_SHORT.sub(lambda match: _FULL[match.group()], one) if " " in one else one for one in literals]


def unquoted(left: Sequence[Term], literals: Sequence[str]) -> list[Term]:
    """What is left but for the words the other prompt has in quotation marks."""
    words = {base_form(word) for literal in literals for word in literal.lower().split()}
    return [term for term in left if term.word not in words]
