"""Equations: "solve 3x + 7 = 22 for x", "find x if 3x + 7 = 22" and "what is x when 3x + 7 = 22" ask the same."""

from __future__ import annotations

import re

from policies.guards.draft import NOTHING, STOPS, Draft
from policies.guards.facts import PLAIN, Term

_TERM = re.compile(r"\d{0,9}([b-z])")
"""The unknown, alone or behind its coefficient."""
_SOUGHT = frozenset(("solve", "find", "determine", "calculate", "compute", "value", "get", "equal"))
_BEFORE = frozenset(("solve", "find", "determine", "calculate", "compute", "get", "for", "of", "is", "does"))
_BEHIND = frozenset(("", "if", "when", "where", "given", "in", "such", "equal", ",", *STOPS))


def settle_unknown(draft: Draft) -> None:
    """Read whatever asks for the unknown of an equation as "solve", with its name where there is more than one."""
    letters = {match[1] for term in draft.terms if (match := _TERM.fullmatch(term.word))}
    if not letters or "polar" in draft.questions:
        return
    place = next((place for place in range(len(draft.words)) if _is_sought(draft, place)), -1)
    if place < 0 and all(term.word != "solve" for term in draft.terms):
        return
    name = "solve"
    kept = [term for term in draft.terms if term.word not in _SOUGHT]
    if place >= 0:
        sought = draft.words[place]
        said_before = draft.words[:place].count(sought)
        places = [number for number, term in enumerate(kept) if term.word == sought]
        del kept[places[min(said_before, len(places) - 1)]]
        if len(letters) > 1:
            name = f"solve {sought}"
    kept.append(Term(name, frozenset((name,)), NOTHING, PLAIN, "", "", "", False, frozenset(), False, True, NOTHING))
    draft.terms = kept


def _is_sought(draft: Draft, place: int) -> bool:
    """Whether a letter stands for what is to be found, and not in the equation."""
    return (
        _TERM.fullmatch(draft.words[place]) is not None
        and draft.words[place].isalpha()
        and draft.word_at(place - 1) in _BEFORE
        and draft.word_at(place + 1) in _BEHIND
        and any(term.word == draft.words[place] for term in draft.terms)
    )
