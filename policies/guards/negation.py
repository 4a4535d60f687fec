"""Group `negation`: how often a prompt says no, and to what."""

from __future__ import annotations

from policies.guards.draft import ANY, Draft
from policies.guards.facts import Conflict, Facts, conflict
from policies.guards.reading import CONTRACTED

NEGATORS = frozenset(
    ("not", "never", "without", "no", "non", "neither", "nor", "cannot", "hardly", "avoid", "avoiding", "notonly")
)


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
        and draft.word_at(index + 1) in draft.lexicon.small.subject
    )
    if fronted or word in ("avoid", "avoiding"):
        draft.negations.append(ANY)
        return
    draft.pending.append("not")
    if word == "without":
        draft.slot = ""


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
