"""Groups contrast, languages, entities, substitution and narrowing: words one prompt has and the other has not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policies.guards.alignment import opposed
from policies.guards.apposed import THIS
from policies.guards.facts import ASPECT, NAME, PLAIN, SOFT, Conflict, Facts, Term, conflict
from policies.guards.near_synonyms import other_sort
from policies.guards.unsaid import goes_unsaid

_ABOUT = frozenset(("include", "contain", "use", "make", "need", "keep", "become", "create", "best", "top", "happen"))
"""Words that may be missing elsewhere, but turn "what is it" into another question."""
_DEEDS = frozenset(("write", "make", "create", "find", "generate", "translate", "take", "use", "start"))
_DOERS = frozenset(("creator", "maker", "author", "inventor", "founder", "writer"))
_BEING = frozenset(("is", "was", "are", "were"))
_HEADS = frozenset(("software", "app", "website", "site", "tool", "language"))
"""Behind a common noun they name something else ("accounting software"), behind a name they say what it is."""
_KINDS_OF = _HEADS | frozenset(
    (
        "program", "system", "process", "procedure", "method", "technique", "technology", "step", "option", "code",
        "command", "script", "supplement", "example", "instance", "tip", "advice", "suggestion", "offer", "experience",
        "opinion",
    )
)  # fmt: skip
_APPOSED = _HEADS | {
    "programming",
    "program",
    "system",
    "technology",
    "method",
    "technique",
    "country",
    "state",
    "city",
    "town",
}
"""What a name may be said to be."""
_ASIDE = frozenset(
    (
        "define", "word", "term", "phrase", "expression", "understand", "learn", "need", "want", "help", "see", "look",
        "show", "check", "exact", "write", "find",
    )
)  # fmt: skip
"""Words beside which "what is it" asks for no other thing."""
_WITHIN = frozenset(("in", "on", "for"))
_STATING = frozenset(("state", "offer"))
"""Commands, where a prompt begins with them: "state the formula"."""
_COMPARED = frozenset(("more", "less", "same", "better", "enough"))
"""What is asked where the answer is yes or no: "does it cost more"."""
_DEFINITE = frozenset(("the", "my", "your", "our", "his", "her", "their", "this", "that"))
_PERMITS = frozenset(("safe", "allow", "permit"))
_ABOUT_IT = frozenset(("about", "for", "with"))
_KINDS = frozenset(
    (
        "file", "address", "element", "machine", "space", "tree", "river", "planet", "ocean", "desert", "lake",
        "island", "continent", "agreement", "disease", "virus", "editor", "status",
    )
)  # fmt: skip
"""What a name beside is one of."""
_LIGHT = frozenset(("use", "need", "find", "create", "take", "make", "keep", "contain", "see", "show", "check", "tell"))
_BRINGING = frozenset(("bring", "take"))
_REQUIRES = frozenset(("require", "mandatory", "compulsory", "obligatory", "need", "necessary", "requirement"))
_PERMITTED = frozenset(("allowed", "permitted", "allow", "permit"))
_TURNING = frozenset(("before", "after", "stop"))


def opposite_conflict(left: Sequence[Term], right: Sequence[Term], guards: frozenset[str]) -> Conflict | None:
    """Words left over on both sides that are opposites, or two languages."""
    for one in left:
        for other in right:
            if "contrast" in guards and opposed(one, other):
                return Conflict("contrast", one.word, other.word)
            if "languages" in guards and one.label == other.label and one.label in ("language", "programming_language"):
                return Conflict(one.label, one.word, other.word)
    return None


def leftover_conflict(
    cached: Facts, asked: Facts, left: Sequence[Term], right: Sequence[Term], guards: frozenset[str]
) -> Conflict | None:
    """Words without a partner: on both sides they are a substitution, on one a narrower question.

    A fragment has no sentence that would say what a missing word means, so there narrowing always counts.
    """
    polar = "polar" in cached.questions and "polar" in asked.questions
    if polar and (cached.modal == "obliged") != (asked.modal == "obliged"):
        # "Must I have a visa" asks what "is a visa required" asks.
        left, right = ([term for term in side if term.word not in _REQUIRES or term.negated] for side in (left, right))
    if polar and "possible" in (cached.modal, asked.modal) and cached.modal != asked.modal:
        # "Can I" asks what "is it safe to" asks.
        left, right = ([term for term in side if term.word not in _PERMITS or term.negated] for side in (left, right))
        named = any(term.kind == NAME for term in (*cached.terms, *asked.terms))  # wine that is brought into Norway
        if not (named or _PERMITTED.isdisjoint((*cached.words, *asked.words))):
            # "Can I bring a dog" asks whether dogs are allowed.
            left, right = ([term for term in side if term.word not in _BRINGING] for side in (left, right))
    left, right = _without_implied(left, right, cached, asked), _without_implied(right, left, asked, cached)
    heavy_left, heavy_right = _heavy(left, polar), _heavy(right, polar)
    if cached.questions ^ asked.questions == {"polar"}:
        for rest, heavy_rest in ((left, heavy_left), (right, heavy_right)):
            heavy_rest.extend(t for t in rest if (t.word in _COMPARED or t.graded) and t not in heavy_rest)
    if "substitution" in guards and (_points_elsewhere(left, asked) or _points_elsewhere(right, cached)):
        return conflict("substitution", [term.word for term in left], [term.word for term in right])
    if "substitution" in guards and left and right and bool(heavy_left) == bool(heavy_right):
        return conflict("substitution", [term.word for term in left], [term.word for term in right])
    heavy = [*heavy_left, *heavy_right]
    shown = [term.word for term in heavy_left], [term.word for term in heavy_right]
    if "entities" in guards and any(term.kind == NAME for term in heavy):
        return conflict("entity", *shown)
    if "contrast" in guards and (_names_both(cached, left) or _names_both(asked, right)):
        return conflict("contrast", *([term.word for term in side] for side in (left, right)))
    if "narrowing" in guards and not heavy and other_sort(cached, asked, (*left, *right)):
        return conflict("narrowing", *([term.word for term in side] for side in (left, right)))
    if not heavy:
        if "question" in guards and (_says_what_of(cached, left, right) or _says_what_of(asked, right, left)):
            return conflict("question_type", *([term.word for term in side] for side in (left, right)))
        if (
            "order" in guards
            and "who" in cached.questions & asked.questions
            and _acts((*left, *right))
            and not _names_doer(cached, asked)
        ):
            return conflict("substitution", *([term.word for term in side] for side in (left, right)))
        if "narrowing" in guards and any(
            _is_other_thing(*side) for side in ((cached, asked, right), (asked, cached, left)) if not (left and right)
        ):
            return conflict("narrowing", *([term.word for term in side] for side in (left, right)))
        return None
    turned = "contrast" in guards and any(term.negated or term.word in _TURNING for term in heavy)
    if "narrowing" in guards or turned or (cached.fragment or asked.fragment):
        return conflict("narrowing", *shown)
    return None


def _points_elsewhere(rest: Sequence[Term], other: Facts) -> bool:
    """ "This text", where the other prompt has "this email" for its literal."""
    return any(term.determiner == THIS for term in rest) and any(term.determiner == THIS for term in other.terms)


def _names_both(facts: Facts, rest: Sequence[Term]) -> bool:
    """ "The best and worst films", "the worst films": the word that is left has its opposite beside it.

    So has the verb of "show hidden files", against "hide files".
    """
    return any(
        opposed(one, other) and (one.joined or other.joined or (place and facts.terms[place - 1] is one))
        for one in rest
        for place, other in enumerate(facts.terms)
    )


def _without_implied(terms: Sequence[Term], others: Sequence[Term], cached: Facts, asked: Facts) -> Sequence[Term]:
    """The terms that do not go without saying, where the other prompt has nothing else in their place."""
    if not terms:
        return terms
    if any(not (_is_light(term) or _goes_without_saying(term, asked, cached)) for term in others):
        return terms
    return [term for term in terms if not _goes_without_saying(term, cached, asked)]


def _is_light(term: Term) -> bool:
    """Whether it is a verb that stands for none (the port that it "uses"), or points at a literal: "this sentence"."""
    return term.kind == SOFT and (term.word in _LIGHT or term.determiner == THIS) and not term.negated


def _goes_without_saying(term: Term, own: Facts, other: Facts) -> bool:
    """ "The moons orbiting Neptune" are its moons: what implies the word stands beside it, and in the other prompt."""
    if term.negated or term.joined:
        return False
    if goes_unsaid(term, own, other):
        return True
    if not term.beside:
        return False
    implying = term.beside & _named(other, range(len(other.terms)))
    if implying:
        implying = term.beside
    places = [place for place, found in enumerate(own.terms) if found is term]
    if any(found.slot in _ABOUT_IT for place in places for found in own.terms[place + 1 : place + 2]):
        return False  # "the book about Dracula" is no "Dracula"
    near = 3 if term.word in ("drink", "eat") else 2  # "drinking green tea"
    if term.word in _KINDS:
        places = [place for place in places if _names_kind(own, place)]
    return any(
        not implying.isdisjoint(_named(own, (place - 1,)) | (_named(own, range(place, place + near)) - {"="}))
        for place in places
    )


def _names_kind(facts: Facts, place: int) -> bool:
    """ "A CSV file", "the planet Mars"; "a CSV in a file" is something in something else."""
    beside = [facts.terms[near] for near in (place - 1, place + 1) if 0 <= near < len(facts.terms)]
    slot = facts.terms[place].slot
    return any(
        near.slot == slot or "of" in (near.slot, slot)
        for near in beside
        if not facts.terms[place].beside.isdisjoint((near.word,))
    )


def _named(facts: Facts, places: Iterable[int]) -> set[str]:
    """The words and @aspects at these places, every @unit, and "=" for a country or its people."""
    found = [facts.terms[place] for place in places if 0 <= place < len(facts.terms)]
    words = {term.word for term in found}
    words.update(aspect for term in found for aspect in term.aspects)
    words.update(f"@{unit}" for quantity in facts.quantities for unit in quantity.units)
    if any(key[0] == "=" for term in found for key in term.keys):
        words.add("=")
    return words


def _says_what_of(facts: Facts, own: Sequence[Term], others: Sequence[Term]) -> bool:
    """ "What is the plan" asks for the thing itself, "what is included in the plan" for something about it."""
    return (
        not own
        and ("is" in facts.words or "was" in facts.words)
        and facts.questions == {"what"}
        and any(term.word in _ABOUT for term in others)
        and not any(term.slot or term.joined or term.kind == ASPECT for term in facts.terms)
    )


def _acts(rest: Sequence[Term]) -> bool:
    """ "Who wrote Dune", "who is in Dune": what somebody did is missing."""
    return any(term.word in _DEEDS for term in rest)


def _names_doer(*sides: Facts) -> bool:
    """ "Who is the creator of Bitcoin": who created it."""
    return any(not _DOERS.isdisjoint(side.words) for side in sides)


def _is_other_thing(facts: Facts, other: Facts, rest: Sequence[Term]) -> bool:
    """ "What is yoga", "what is a yoga app": a soft word that makes a noun the name of something else."""
    if not rest:
        return False
    if any(term.word in _HEADS and _stands_behind(term, other, PLAIN) for term in rest):
        return True
    if not defines(facts):
        return False
    generic = _DEFINITE.isdisjoint(facts.words)
    return any(
        (term.word in _KINDS_OF or (generic and term.word not in _ASIDE))
        and not (term.word in _STATING and term is other.terms[0] and not other.questions)
        and term.slot not in _WITHIN
        and not (term.word in _APPOSED and _stands_behind(term, other, NAME))
        for term in rest
    )


def _stands_behind(head: Term, facts: Facts, kind: int) -> bool:
    place = next(place for place, term in enumerate(facts.terms) if term is head)
    place -= place > 1 and facts.terms[place - 1].word == "programming"  # "the Python programming language"
    before = facts.terms[place - 1] if place else head
    return before.kind == kind and before.slot == head.slot and not head.joined


def defines(facts: Facts) -> bool:
    """Whether it asks what one thing is, and nothing about it."""
    named = [term for term in facts.terms if term.word != "define"]
    asks = facts.questions == {"what"} and not _BEING.isdisjoint(facts.words)
    return (
        (asks or (len(named) < len(facts.terms) and facts.questions <= {"what"}))
        and not (facts.quantities or facts.units or facts.quoted or facts.code)
        and 0 < len(named) < 4  # words of one name
        and not any(
            term.graded or term.slot or term.owner or term.joined or term.plural or term.kind == ASPECT
            for term in named
        )
    )


def _heavy(terms: Sequence[Term], polar: bool) -> list[Term]:
    """Those that one side may not lack."""
    return [term for term in terms if term.kind != SOFT or term.negated or (polar and term.graded)]
