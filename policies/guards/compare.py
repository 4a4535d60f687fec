"""Compares two parses and names the first reason why one answer may not serve both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from policies.guards.alignment import Alignment, align, opposed
from policies.guards.facts import ASPECT, NAME, PLAIN, SOFT, Conflict, Facts, Quantity, Term
from policies.guards.order import order_conflict, quantities_swapped
from policies.guards.vocabulary import base_form

GUARDS = (
    "quotes", "code", "numbers", "units", "languages", "negation", "contrast", "question", "scope", "order", "entities", "tense", "format",
    "substitution", "narrowing",
)  # fmt: skip
DEFAULT_GUARDS = frozenset(GUARDS)
REASONS = (
    "unrelated", "foreign", "quoted", "code", "number", "number_unit", "unit", "language", "programming_language", "negation", "negation_scope",
    "contrast", "question_type", "only_except", "quantity", "from_to", "order", "entity", "person", "tense", "modality", "format", "substitution",
    "narrowing",
)  # fmt: skip


def compare(cached: Facts, asked: Facts, guards: frozenset[str] = DEFAULT_GUARDS) -> Conflict | None:
    """The first conflict between two prompts under the guards listed, or None: the answer may serve.

    Two checks need no listing: prompts that share nothing, and text that is not English, which must be the same words.
    """
    if cached.words == asked.words and cached.code == asked.code and cached.quoted == asked.quoted and cached.quantities == asked.quantities:
        return None
    if not (cached.english and asked.english):
        return _foreign(cached, asked)
    if "quotes" in guards and (found := _literals("quoted", cached.quoted, asked.quoted, cached, asked)):
        return found
    if "code" in guards and (found := _literals("code", cached.code, asked.code, cached, asked)):
        return found
    if ("numbers" in guards or "units" in guards) and (found := _quantities(cached, asked, guards)):
        return found
    if "negation" in guards and (found := _negations(cached, asked)):
        return found
    alignment = align(cached.terms, asked.terms)
    if not _related(cached, asked, alignment):
        return _conflict("unrelated", cached.words, asked.words)
    left, right = alignment.cached_left, alignment.asked_left
    if bool(cached.quoted) != bool(asked.quoted):
        left, right = _unquoted(left, asked.quoted), _unquoted(right, cached.quoted)
    if left and right and (found := _opposites(left, right, guards)):
        return found
    if "question" in guards and (found := _questions(cached, asked, left, right)):
        return found
    if "scope" in guards and (found := _scope(cached, asked, left, right)):
        return found
    if "format" in guards and cached.formats != asked.formats:
        return _conflict("format", sorted(cached.formats), sorted(asked.formats))
    if "tense" in guards and (found := _tense(cached, asked)):
        return found
    if "scope" in guards and (found := _person(cached, asked)):
        return found
    if "order" in guards:
        swapped = order_conflict(cached, asked, alignment.pairs)
        if swapped:
            return Conflict(*swapped)
    return _leftovers(cached, asked, left, right, guards)


def _conflict(reason: str, cached: Sequence[str], asked: Sequence[str]) -> Conflict:
    return Conflict(reason, " ".join(cached), " ".join(asked))


def _foreign(cached: Facts, asked: Facts) -> Conflict | None:
    """Text the lexicon can't read serves only the same words, in the same order, whatever their case and punctuation."""
    return _conflict("foreign", cached.words, asked.words)


def _related(cached: Facts, asked: Facts, alignment: Alignment) -> bool:
    """Whether the prompts share anything but small words."""
    if any(cached.terms[i].kind != SOFT for i, _ in alignment.pairs):
        return True
    if cached.units and asked.units or cached.quantities and asked.quantities:
        return True
    if cached.quoted and asked.quoted or cached.code and asked.code:
        return True  # whether they are the same is another check's question
    one_sided = not _heavy(alignment.cached_left) or not _heavy(alignment.asked_left)
    return bool(alignment.pairs) and one_sided


def _heavy(terms: Sequence[Term]) -> bool:
    return any(term.kind != SOFT for term in terms)


def _literals(reason: str, one: Sequence[str], other: Sequence[str], cached: Facts, asked: Facts) -> Conflict | None:
    """Literals must be the same, in order; one that is only marked on one side must be spelled out on the other."""
    if one == other:  # for most prompts both are empty
        return None
    if one and other:
        return _conflict(reason, one, other) if list(one) != list(other) else None
    literals, facts = (one, asked) if one else (other, cached)
    text = f" {' '.join(facts.words)} "
    if all(f" {' '.join(literal.lower().split())} " in text for literal in literals):
        return None
    return _conflict(reason, one, other)


def _unquoted(left: Sequence[Term], literals: Sequence[str]) -> list[Term]:
    """What is left but for the words the other prompt has in quotation marks."""
    words = {base_form(word) for literal in literals for word in literal.split()}
    return [term for term in left if term.word not in words]


def _quantities(cached: Facts, asked: Facts, guards: frozenset[str]) -> Conflict | None:
    if not (cached.quantities or asked.quantities or cached.units or asked.units):
        return None
    one, other = list(cached.quantities), list(asked.quantities)
    left = [quantity for quantity in one if not _take(quantity, other)]
    right = other
    if left or right:
        values = Counter(q.value for q in left) != Counter(q.value for q in right)
        if values and "numbers" in guards:
            return _conflict("number", [_shown(q) for q in cached.quantities], [_shown(q) for q in asked.quantities])
        if not values and "units" in guards:
            return _conflict("number_unit", [_shown(q) for q in left], [_shown(q) for q in right])
        if not values and [q.bound for q in left] != [q.bound for q in right]:
            return _conflict("quantity", [_shown(q) for q in left], [_shown(q) for q in right])
    if "numbers" in guards and quantities_swapped(cached.quantities, asked.quantities):
        return _conflict("order", [_shown(q) for q in cached.quantities], [_shown(q) for q in asked.quantities])
    if "units" in guards and (cached.units or asked.units):
        return _units(cached, asked)
    return None


def _take(quantity: Quantity, others: list[Quantity]) -> bool:
    for other in others:
        if quantity.value == other.value and quantity.bound == other.bound and (
            quantity.units == other.units or not quantity.units.isdisjoint(other.units)
        ):
            others.remove(other)
            return True
    return False


def _shown(quantity: Quantity) -> str:
    return f"{quantity.bound}{quantity.value} {'/'.join(sorted(quantity.units))}".strip()


def _units(cached: Facts, asked: Facts) -> Conflict | None:
    """Units without a number: each is named by the other prompt too, and "from A to B" keeps its direction."""
    every_one = (*cached.units, *(q.units for q in cached.quantities))
    every_other = (*asked.units, *(q.units for q in asked.quantities))
    shown = ["/".join(sorted(unit)) for unit in cached.units], ["/".join(sorted(unit)) for unit in asked.units]
    if any(all(unit.isdisjoint(found) for found in every_other) for unit in cached.units) or any(
        all(unit.isdisjoint(found) for found in every_one) for unit in asked.units
    ):
        return _conflict("unit", *shown)
    if len(cached.units) == 2 == len(asked.units) and cached.units[0].isdisjoint(asked.units[0]):
        return _conflict("from_to", *shown)
    return None


def _negations(cached: Facts, asked: Facts) -> Conflict | None:
    one, other = cached.negations, asked.negations
    if not one and not other:
        return None
    shown = [" ".join(sorted(keys)) for keys in one], [" ".join(sorted(keys)) for keys in other]
    if len(one) != len(other):
        return _conflict("negation", *shown)
    remaining = list(other)
    for target in one:
        found = next((keys for keys in remaining if _same_target(target, keys)), None)
        if found is None:
            return _conflict("negation_scope", *shown)
        remaining.remove(found)
    return None


def _same_target(one: frozenset[str], other: frozenset[str]) -> bool:
    quantified = any(key.startswith("!") for key in (*one, *other))
    if "*" in one or "*" in other:
        return not quantified
    return not one.isdisjoint(other)


def _opposites(left: Sequence[Term], right: Sequence[Term], guards: frozenset[str]) -> Conflict | None:
    """Words left over on both sides that are opposites, or two names of one sort."""
    for one in left:
        for other in right:
            if "contrast" in guards and opposed(one, other):
                return Conflict("contrast", one.word, other.word)
            if (
                "languages" in guards
                and one.label == other.label
                and one.label in ("language", "programming_language")
                and one.word != other.word
            ):
                return Conflict(one.label, one.word, other.word)
    return None


_ASPECT_OF = {"when": "@when", "where": "@where", "who": "@who", "why": "@why", "how": "@how"}
_AGENTS = ("er", "or", "ist", "ian", "ant", "ent", "man", "people", "person", "ceo", "king", "queen", "chief", "head", "country", "team")


def _questions(cached: Facts, asked: Facts, left: list[Term], right: list[Term]) -> Conflict | None:
    """What is asked: each side's question word must be the other's, or be named there ("when": "date")."""
    one, other = cached.questions, asked.questions
    if one != other:
        for mine, theirs, yours, rest in ((one, asked, other, right), (other, cached, one, left)):
            for kind in mine - yours:
                if kind not in ("what", "which") and not _answers(kind, yours, theirs, rest, cached, asked):
                    return _conflict("question_type", sorted(one), sorted(other))
    left_aspects = [term.word for term in left if term.kind == ASPECT]
    right_aspects = [term.word for term in right if term.kind == ASPECT]
    if left_aspects or right_aspects:
        return _conflict("question_type", left_aspects, right_aspects)
    return None


def _answers(kind: str, yours: frozenset[str], facts: Facts, rest: list[Term], cached: Facts, asked: Facts) -> bool:
    """Whether a question word one side has is said by the other side's nouns, or goes without saying."""
    if kind == "polar":
        return not yours or (yours <= {"what", "which"} and _compares(cached, asked))
    aspect = _ASPECT_OF[kind]
    if not yours - {"what", "which"}:
        found = next((term for term in facts.terms if aspect in term.aspects), None)
        if found is not None:
            if found in rest:
                rest.remove(found)
            return True
        if kind == "who":
            names = not yours and all(term.kind in (NAME, SOFT) for term in facts.terms)
            return names or any(term.word.endswith(_AGENTS) for term in facts.terms)
    return kind == "how" and not yours


def _compares(cached: Facts, asked: Facts) -> bool:
    """ "Is A better than B" against "which is better, A or B"."""
    sides = (cached.terms, asked.terms)
    return any(any(t.slot == "than" for t in one) and any(t.joined == "or" for t in other) for one, other in (sides, sides[::-1]))


def _scope(cached: Facts, asked: Facts, left: Sequence[Term], right: Sequence[Term]) -> Conflict | None:
    for one, other in ((cached.only, asked.only), (cached.excepted, asked.excepted)):
        if len(one) != len(other) or any(mine.isdisjoint(yours) and "*" not in mine | yours for mine, yours in zip(one, other, strict=True)):
            return _conflict("only_except", _keys(one), _keys(other))
    mine, yours = cached.quantifiers, asked.quantifiers
    if mine != yours:
        strict = ("all", "some", "most", "neither", "none", "both")
        if mine and yours and mine - {"any"} and yours - {"any"}:
            return _conflict("quantity", sorted(mine), sorted(yours))
        single = mine or yours
        polar = "polar" in cached.questions or "polar" in asked.questions
        chosen = single == {"all"} and any(term.graded for term in (*left, *right))
        if chosen or single & {"neither", "most", "both"} or (polar and single & set(strict)):
            return _conflict("quantity", sorted(mine), sorted(yours))
    return None


def _keys(targets: Sequence[frozenset[str]]) -> list[str]:
    return [min(keys, default="") for keys in targets]


def _person(cached: Facts, asked: Facts) -> Conflict | None:
    """ "His" against "her"; "my" against "your" unless a "how" or "why" makes both of them anyone's."""
    one, other = cached.person, asked.person
    if one and other and one != other:
        generic = {one, other} == {"first", "second"} and bool({"how", "why"} & (cached.questions | asked.questions))
        if not generic:
            return Conflict("person", one, other)
    if cached.addressed != asked.addressed and not (one or other) and {"what", "which", "polar"} & cached.questions & asked.questions:
        return Conflict("person", "you" if cached.addressed else "", "you" if asked.addressed else "")
    return None


_WILL = frozenset(("present", "future"))
_CLASHING = {
    _WILL,
    frozenset(("present", "past")),
    frozenset(("past", "future")),
    frozenset(("present", "pluperfect")),
    frozenset(("perfect", "pluperfect")),
    frozenset(("perfect", "future")),
    frozenset(("future", "pluperfect")),
    frozenset(("verb-past", "verb-present")),
    frozenset(("verb-past", "future")),
}


def _tense(cached: Facts, asked: Facts) -> Conflict | None:
    one, other = cached.tense, asked.tense
    if one and other and one != other and frozenset((one, other)) in _CLASHING:
        soft = frozenset((one, other)) == _WILL and (cached.negations or "when" in cached.questions & asked.questions)
        if not soft:
            return Conflict("tense", one, other)
    one, other = cached.modal, asked.modal
    if one != other:
        polar = "polar" in cached.questions and "polar" in asked.questions
        if polar and "possible" in (one, other) and "" in (one, other) and cached.being != asked.being:
            return Conflict("modality", one, other)
        if {one, other} == {"possible", "obliged"} or (polar and {one, other} != {"advised", "obliged"} and (one and other or "advised" in (one, other) or "obliged" in (one, other))):
            return Conflict("modality", one, other)
    return None


def _leftovers(cached: Facts, asked: Facts, left: Sequence[Term], right: Sequence[Term], guards: frozenset[str]) -> Conflict | None:
    """Words without a partner: on both sides they are a substitution, on one a narrower question."""
    polar = "polar" in cached.questions and "polar" in asked.questions
    heavy_left = [term for term in left if term.kind != SOFT or (polar and term.graded)]
    heavy_right = [term for term in right if term.kind != SOFT or (polar and term.graded)]
    if "substitution" in guards and ((heavy_left and right and heavy_right) or (left and right and not heavy_left and not heavy_right)):
        return _conflict("substitution", [t.word for t in left], [t.word for t in right])
    if "entities" in guards:
        for terms in (heavy_left, heavy_right):
            names = [term.word for term in terms if term.kind == NAME]
            if names:
                return _conflict("entity", [t.word for t in heavy_left], [t.word for t in heavy_right])
    if heavy_left or heavy_right:
        narrow = "narrowing" in guards or cached.fragment or asked.fragment
        denied = any(term.negated or term.poles and term.word in ("before", "after", "stop") for term in (*heavy_left, *heavy_right))
        if narrow or denied:
            return _conflict("narrowing", [t.word for t in left], [t.word for t in right])
    return None


__all__ = ["DEFAULT_GUARDS", "GUARDS", "PLAIN", "REASONS", "compare"]
