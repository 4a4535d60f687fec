"""Group `scope`: only, except, and how many are meant (all, some, most, both, neither)."""

from __future__ import annotations

from collections.abc import Sequence

from policies.guards.apposed import THIS
from policies.guards.draft import Draft
from policies.guards.facts import ASPECT, SOFT, Conflict, Facts, Term, conflict
from policies.guards.vocabulary import base_form

_TESTING = frozenset(
    (
        "if", "whether", "check", "match", "matches", "contain", "contains", "have", "has", "having", "where", "with",
        "filter",
    )
)  # fmt: skip
"""Words of a condition, which all or any one of several may have to meet."""
_AMOUNTS = frozenset(("@price", "@duration", "@temperature", "@speed"))
_WHOLE = frozenset(("all", "some", "most", "neither", "none", "both"))


def read_quantifier(draft: Draft, word: str, index: int) -> bool:
    """Record a quantifier, and a negation that denies it ("not all"); whether the word was one."""
    if word == "most":
        # A share ("most people", "most of"), not a superlative ("most popular").
        following = draft.word_at(index + 1)
        if following not in ("of", "people") and not (following.endswith("s") and base_form(following) != following):
            return False
        draft.quantifiers.add("most")
        return True
    kind = draft.lexicon.small.quantifiers.get(word)
    if kind is None:
        return False
    draft.quantifiers.add(kind)
    draft.determiner = "all" if word in ("all", "every", "each") else ""
    if "not" in draft.pending and not word.startswith("any"):
        draft.pending.remove("not")
        draft.negations.append(frozenset((f"!{kind}",)))
    return True


def scope_conflict(
    cached: Facts, asked: Facts, left: Sequence[Term], right: Sequence[Term], pairs: Sequence[tuple[int, int]]
) -> Conflict | None:
    """ "Only" and "except" of the same things; quantifiers alike, where they change the answer."""
    for one, other in ((cached.only, asked.only), (cached.excepted, asked.excepted)):
        if len(one) != len(other) or any(_differ(mine, yours) for mine, yours in zip(one, other, strict=True)):
            return conflict("only_except", [min(keys) for keys in one], [min(keys) for keys in other])
    found = _determiner_conflict(cached, asked, pairs)
    if found:
        return found
    mine, yours = cached.quantifiers, asked.quantifiers
    if mine == yours:
        return None
    if mine ^ yours == {"most"} and _tells_usual(cached, asked):
        return None
    single = (mine - {"any"}) or (yours - {"any"})
    polar = "polar" in cached.questions or "polar" in asked.questions
    tested = mine ^ yours == {"all", "any"} and (cached.programming or not _TESTING.isdisjoint(cached.words))
    clash = (
        tested  # "check whether all are positive", "check whether any is"
        or bool(mine - {"any"} and yours - {"any"})
        or bool(single & {"neither", "most", "both"})
        or (polar and bool(single & _WHOLE))
        or (single == {"all"} and any(term.graded for term in (*left, *right)))  # "all pizzas", "the best pizza"
    )
    return conflict("quantity", sorted(mine), sorted(yours)) if clash else None


def _tells_usual(cached: Facts, asked: Facts) -> bool:
    """ "How long does it usually take": an amount that is asked for is the usual one, said or not."""
    unsaid = ("usually" in cached.words) != ("usually" in asked.words)
    return unsaid and all(
        facts.questions <= {"what", "which"}
        and any(term.kind == ASPECT or not _AMOUNTS.isdisjoint(term.aspects) for term in facts.terms)
        for facts in (cached, asked)
    )


def _determiner_conflict(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> Conflict | None:
    """One thing against all of its kind, and against several where they are asked for."""
    counts = [(_is_one(cached.terms[i]), _is_one(asked.terms[j])) for i, j in pairs]
    if (True, False) in counts and (False, True) in counts:
        return conflict("quantity", cached.words, asked.words)  # "two dogs and one cat", "one dog and two cats"
    for i, j in pairs:
        one, other = cached.terms[i], asked.terms[j]
        if (one.determiner or other.determiner) and (
            _one_of_all(one, other)
            or _one_of_all(other, one)
            or (cached.requests and _one_of_many(one, other))
            or (asked.requests and _one_of_many(other, one))
            or _made_of(one, other)
            or _made_of(other, one)
        ):
            return Conflict("quantity", f"{one.determiner} {one.word}", f"{other.determiner} {other.word}")
    return None


def _is_one(term: Term) -> bool | None:
    """Whether a term is one thing (True) or several (False); None where its form does not say."""
    if term.plural:
        return False
    return True if term.determiner in ("a", "one") else None


def _one_of_all(one: Term, other: Term) -> bool:
    """ "Delete a branch", "delete all branches"."""
    return one.determiner in ("a", "one") and other.determiner == "all"


def _made_of(one: Term, other: Term) -> bool:
    """ "Rewrite this email", "rewrite it as an email"."""
    return one.determiner == THIS != other.determiner and other.slot in ("for", "into")


def _one_of_many(one: Term, other: Term) -> bool:
    """ "Suggest a name", "suggest names": the thing asked for, not what it is about."""
    single = one.determiner in ("a", "one") and not one.plural
    return single and other.plural and other.determiner == "" and not (one.slot or other.slot) and one.kind != SOFT


def _differ(mine: frozenset[str], yours: frozenset[str]) -> bool:
    return mine.isdisjoint(yours) and "*" not in mine | yours
