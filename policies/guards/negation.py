"""Group `negation`: how often a prompt says no, and to what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from policies.guards.draft import ANY, STOPS, Draft
from policies.guards.facts import Conflict, Facts, Term, conflict
from policies.guards.reading import CONTRACTED
from policies.guards.tense import AGENTS
from policies.guards.vocabulary import base_form

NEGATORS = frozenset(
    ("not", "never", "without", "no", "non", "neither", "nor", "cannot", "hardly", "avoid", "avoiding", "notonly")
)

_HELPING = frozenset(("do", "does", "did", "is", "are", "was", "were", "will", "would", "can", "could", "have", "has"))
_CLAUSE_ENDS = frozenset((",", "and", "but", "or", "so", "because", "while", "whereas"))


_BEFORE_VERB = frozenset(("why", "how", "when", "where"))
"""Behind these the subject follows the verb: "why aren't phones allowed"."""


def read_negation(draft: Draft, word: str, index: int) -> None:
    """A negation waits for the term it denies; of "isn't my code …" that can't be told, nor of "avoid …"."""
    draft.clause_start = False
    if word == "notonly":
        return
    if word in ("neither", "nor"):
        draft.quantifiers.add("neither")
        return
    fronted = (
        word == "not"
        and draft.items[index].flags & CONTRACTED
        and (
            draft.word_at(index + 1) in draft.lexicon.small.subject
            or draft.word_at(index - 2) in _BEFORE_VERB
            or (_is_several(draft.word_at(index + 1)) and not draft.questions.isdisjoint(("what", "which")))
        )
    )
    if fronted or word in ("avoid", "avoiding"):
        draft.negations.append(ANY)
        return
    if word == "not" and _is_elided(draft, index):
        subject = draft.word_at(index - 2)
        entry = draft.lexicon.entry(subject)
        keys = entry.keys if entry else (base_form(subject),)
        draft.negations.append(frozenset((f"!{AGENTS[subject]}",)) if subject in AGENTS else _denied(keys))
        return
    draft.pending.append("not")
    if word == "without":
        draft.slot = ""


def _is_several(word: str) -> bool:
    """Whether a subject in the plural follows: "which fruits can't dogs eat"."""
    return word.endswith("s") and base_form(word) != word


def _is_elided(draft: Draft, index: int) -> bool:
    """ "… and my partner doesn't": the verb it denies was said before, so that who does not is what counts."""
    following = draft.word_at(index + 1)
    ends = not following or following in STOPS or following in _CLAUSE_ENDS
    return ends and index > 1 and draft.word_at(index - 1) in _HELPING and draft.word_at(index - 2).isalpha()


def _denied(keys: Iterable[str]) -> frozenset[str]:
    return frozenset(f"!{key}" for key in keys)


def settle_fronted(one: Facts, other: Facts) -> Facts:
    """The first prompt with the "not" of "why isn't it rising" moved to the word that the other prompt denies with it.

    A denied opposite is recorded as its word ("not rising" falls), so that only the other prompt tells which it is.
    """
    if len(one.negations) != len(other.negations) + 1 or ANY not in one.negations:
        return one
    for place, term in enumerate(one.terms):
        if not term.negated and any(_denies(term, found) for found in other.terms):
            turned = term._replace(negated=True, poles=frozenset(-pole for pole in term.poles))
            rest = list(one.negations)
            rest.remove(ANY)
            return replace(one, negations=tuple(rest), terms=(*one.terms[:place], turned, *one.terms[place + 1 :]))
    return one


def _denies(term: Term, found: Term) -> bool:
    """Whether the second is the first denied: "not allowed" or "forbidden" against "allowed"."""
    same = not term.keys.isdisjoint(found.keys)
    return any(-pole in found.poles for pole in term.poles) and found.negated == same


def negation_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """As many negations on both sides, each of the same thing. "Not all" and "all … not" differ."""
    one, other = cached.negations, asked.negations
    if not one and not other:
        return None
    shown = [min(keys, default="") for keys in one], [min(keys, default="") for keys in other]
    if len(one) != len(other):
        return conflict("negation", *shown)
    remaining = list(other)
    for target in one:
        found = next((keys for keys in remaining if _same_target(target, keys)), None)
        if found is None:
            return conflict("negation_scope", *shown)
        remaining.remove(found)
    return None


def _same_target(one: frozenset[str], other: frozenset[str]) -> bool:
    if "*" in one or "*" in other:
        return not any(key.startswith("!") for key in (*one, *other))
    return not one.isdisjoint(other)
