"""Who does what to whom: the order and the prepositions of words both prompts share.

Over 400 lines, since its tests excuse one another: which one comes first is to be seen in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from policies.guards.comparisons import choice, chooses
from policies.guards.compounds import compound_conflict
from policies.guards.exchanges import exchanged_parts, parted
from policies.guards.facts import ASPECT, NAME, PLAIN, SOFT, Conflict, Facts, Term, conflict
from policies.guards.roles import OWNING
from policies.guards.stated import other_verb_asked, told_elsewhere
from policies.guards.vocabulary import base_form

_OPPOSED_SLOTS = {
    frozenset(pair)
    for pair in (
        ("from", "to"), ("from", "into"), ("from", "toward"), ("with", "without"), ("over", "under"),
        ("before", "after"), ("for", "against"), ("above", "below"), ("since", "until"), ("inside", "outside"),
        ("in", "outside"), ("within", "outside"), ("before", "during"), ("after", "during"), ("before", "since"),
        ("within", "after"), ("from", "than"),
    )
}  # fmt: skip
_EITHER_WAY = frozenset((frozenset(("from", "to")),))
"""Said of what is mutual: "how far is A from B", "the distance from A to B"."""
_SPECIFIC = frozenset(
    ("by", "about", "from", "under", "over", "against", "through", "across", "since", "until", "into", "than")
)
_COMPATIBLE = {
    frozenset(pair)
    for pair in (
        ("by", "of"), ("by", "from"), ("by", "with"), ("by", "via"), ("about", "of"), ("about", "on"),
        ("about", "for"), ("about", "in"), ("about", "with"), ("from", "of"), ("from", "off"), ("into", "to"),
        ("into", "in"), ("through", "via"), ("through", "by"), ("through", "with"), ("through", "in"),
        ("across", "in"), ("over", "across"), ("over", "on"), ("until", "to"), ("against", "for"),
        ("against", "with"), ("to", "by"), ("from", "on"), ("into", "on"), ("over", "in"), ("by", "in"),
        ("to", "over"), ("into", "with"), ("from", "with"), ("by", "at"), ("by", "on"), ("over", "about"),
        ("by", "through"), ("by", "to"), ("about", "to"), ("into", "for"),
    )
}  # fmt: skip
_CORE = frozenset(("", "to", "from", "by", "than", "against"))
"""What governs those who take part; other prepositions govern circumstances ("for my dog", "with my dog")."""
_WORKS = frozenset(
    (
        "poem", "song", "speech", "letter", "story", "book", "film", "movie", "joke", "essay", "toast", "card", "rap",
        "limerick", "haiku", "novel", "podcast", "eulogy", "tribute",
    )
)  # fmt: skip
"""What is by somebody, about somebody and for somebody."""
_OF_WORKS = (frozenset(("about", "for")), frozenset(("by", "to")), frozenset(("by", "for")))
_REPORTING = frozenset(("say", "tell", "think", "know", "ask", "claim", "believe", "want", "help"))
_PRONOUNS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
"""Between two words they begin another clause, so that an "and" does not tie the words themselves."""
_FREE = frozenset(("before", "after"))
"""Prepositions that are terms of their own, and go where their phrase goes."""
_PLACELESS = _FREE | {"define"}
_POSTPOSED = frozenset(("necessary", "required", "needed", "available", "involved", "possible", "allowed", "affected"))
"""They stand behind their noun as well: "the documents required"."""
_FROM_IN = frozenset(("from", "in"))
_EFFECT = frozenset(("effect", "effects", "impact", "affect", "affects", "influence"))
"""Beside these "on" names the one that undergoes it."""
_TO_IN = frozenset(("to", "in"))
_TRIPS = frozenset(("ticket", "flight", "train", "bus", "ferry", "fare", "trip", "journey"))
"""What goes to a place is not in it: "a train ticket to Geneva"."""
_TAKING = frozenset(("remove", "delete", "extract", "read", "drop", "duplicate", "error"))
"""What is taken from a thing was in it: "remove rows from a sheet", "delete rows in a sheet"."""
_ARTICLES = frozenset(("the", "a", "an", "this", "that", "my", "your", "his", "her", "their", "our"))
_MEANS = frozenset(
    (
        "bus",
        "train",
        "car",
        "plane",
        "air",
        "boat",
        "ferry",
        "bike",
        "taxi",
        "transport",
        "transportation",
        "hand",
        "email",
        "phone",
        "mail",
        "post",
        "card",
        "cash",
        "check",
        "foot",
        "default",
        "name",
        "date",
        "value",
        "key",
        "column",
        "size",
        "line",
        "word",
    )
)
_NEAR = 2
"""Terms behind its owner among which a thing is looked for: "my manager's holiday request"."""
_TRANSLATING = frozenset(("translate", "translation"))
_LOOSE = frozenset(("of", "in", "on", "at", "for", "about", "with", "via", "during", "near"))


def order_conflict(cached: Facts, asked: Facts, pairs: list[tuple[int, int]]) -> Conflict | None:
    """The first pair of words whose roles are exchanged: reason and the two readings."""
    one, other = cached.terms, asked.terms
    symmetric = cached.symmetric and asked.symmetric
    far = symmetric and all(any("@distance" in term.aspects for term in facts.terms) for facts in (cached, asked))
    mutual = _EITHER_WAY if far else frozenset()
    made = all(any(term.word in _WORKS for term in facts.terms) for facts in (cached, asked))
    takes = "sql" in cached.words or any(not _TAKING.isdisjoint(one[i].keys | other[j].keys) for i, j in pairs)
    travels = any(one[i].word in _TRIPS for i, _ in pairs)
    for i, j in pairs:
        if frozenset((one[i].slot, other[j].slot)) in _OPPOSED_SLOTS - mutual:
            reason = "from_to" if "from" in (one[i].slot, other[j].slot) else "order"
            return Conflict(reason, f"{one[i].slot} {one[i].word}", f"{other[j].slot} {other[j].word}")
        slots = frozenset((one[i].slot, other[j].slot))
        if slots == _FROM_IN and (takes or "this" in (one[i].determiner, other[j].determiner)):
            continue
        if made and slots in _OF_WORKS:
            return Conflict("order", f"{one[i].slot} {one[i].word}", f"{other[j].slot} {other[j].word}")
        if slots == _TO_IN and travels:
            return Conflict("order", f"{one[i].slot} {one[i].word}", f"{other[j].slot} {other[j].word}")
        if (
            len(slots) == 2
            and "" not in slots
            and slots & _SPECIFIC
            and slots not in _COMPATIBLE
            and not (cached.symmetric or asked.symmetric)
        ):
            return Conflict("order", f"{one[i].slot} {one[i].word}", f"{other[j].slot} {other[j].word}")
        if {one[i].joined, other[j].joined} == {"and", "or"} and not chooses(cached, asked, one[i], other[j]):
            return Conflict("quantity", f"{one[i].joined} {one[i].word}", f"{other[j].joined} {other[j].word}")
    governed = {(one[i].slot, other[j].slot) for i, j in pairs}
    if {("", "by"), ("of", "")} <= governed or {("by", ""), ("", "of")} <= governed:
        return conflict("order", cached.words, asked.words)  # "the index of an element", "an element by index"
    if "than" in cached.words and "than" in asked.words and (cached.words[-1] == "than") != (asked.words[-1] == "than"):
        return conflict("order", cached.words, asked.words)  # "who is older than Ann", "who is Ann older than"
    if _other_language_side(cached, asked):
        return conflict("from_to", cached.words, asked.words)
    if _asks_other_side(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if _other_subject(cached, asked) or _other_subject(asked, cached):
        return Conflict("order", cached.subject, asked.subject)
    ordered = sorted(pairs)
    steady = all(m < n for (_, m), (_, n) in pairwise(ordered)) and all(
        one[i].slot == other[j].slot and one[i].owner == other[j].owner for i, j in ordered
    )
    tied = compound_conflict(cached, asked, pairs, steady)
    if tied:
        return tied
    if other_verb_asked(cached, asked) or _other_owner(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if exchanged_parts(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if _other_condition(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if _other_first(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if symmetric:
        halves = far and _swapped_words(cached, asked, halves=True)
        return conflict("order", cached.words, asked.words) if halves else None
    if _swapped_words(cached, asked):
        return conflict("order", cached.words, asked.words)
    if _roles_exchanged(cached, asked, ordered):
        shown = (sorted(facts.agents) + sorted(facts.patients) for facts in (cached, asked))
        return conflict("order", *shown)
    if steady:
        return None  # none of what follows is about words that keep their places and prepositions
    acting, done_by = _by(cached, asked, pairs), _by(asked, cached, [(j, i) for i, j in pairs])
    sides = {cached.asks_for, asked.asks_for} == {"subject", "object"}
    effect = not (_EFFECT.isdisjoint(cached.words) and _EFFECT.isdisjoint(asked.words))
    offered, chosen = choice(cached, asked, pairs)
    for position, (i, j) in enumerate(ordered):
        for k, m in ordered[position + 1 :]:
            first, second = one[i], one[k]
            if ASPECT in (first.kind, second.kind) or _PLACELESS & {first.word, second.word}:
                continue
            if any(
                mine.slot in _FREE and mine.slot == yours.slot
                for mine, yours in ((first, other[j]), (second, other[m]))
            ):
                continue  # "rest it after grilling", "after grilling, rest it"
            if (i in offered and k in chosen) or (k in offered and i in chosen):
                continue  # "is A or B healthier", "which is healthier, A or B"
            if cached.turn and asked.turn and (parted(cached, i, k) or parted(asked, j, m)):
                continue  # exchanges.py looks at both sides of a "but"
            mine, yours = _role(first), _role(second)
            inverted = m < j
            listed = (
                inverted and second.joined and other[j].joined and "" in (mine, yours) and not _FREE & {mine, yours}
            )
            if not listed and mine != yours and mine == _role(other[m]) and yours == _role(other[j]):
                slots = frozenset((mine, yours))
                reason = "from_to" if slots & {"from"} and slots & {"to", "into"} else "order"
                return Conflict(
                    reason, f"{first.slot} {first.word}, {second.slot} {second.word}", _reading(other, j, m)
                )
            if inverted and sides:
                return Conflict("order", f"{first.word} … {second.word}", _reading(other, j, m))
            if inverted and second.then and other[j].then:
                return Conflict("order", f"{first.word} … then {second.word}", _reading(other, j, m))
            if second.joined and (other[j].joined if inverted else other[m].joined):
                continue
            voice = acting.isdisjoint((i, k)) != done_by.isdisjoint((j, m))
            if inverted or voice:
                pivot = _pivot(ordered, i, k, j, m)
                if (
                    pivot
                    and inverted != voice
                    and (effect or not _loose(first, second, other[j], other[m]))
                    and not told_elsewhere(cached, asked, first, second)
                ):
                    return Conflict("order", f"{first.word} … {second.word}", _reading(other, j, m))
                if inverted and k == i + 1 and j == m + 1 and _best_to(one, i) != _best_to(other, m):
                    return Conflict("order", f"{first.word} … {second.word}", _reading(other, j, m))
                if inverted and k == i + 1 and j == m + 1 and any(-pole in second.poles for pole in first.poles):
                    return Conflict("order", f"{first.word} … {second.word}", _reading(other, j, m))
                if (
                    inverted
                    and not pivot
                    and first.kind == NAME == second.kind
                    and not (first.slot or second.slot or other[j].slot or other[m].slot)
                    and not (cached.fragment or asked.fragment)
                    and k > i + 0
                    and _subjects(cached, asked)
                ):
                    return Conflict("order", f"{first.word} … {second.word}", _reading(other, j, m))
                if inverted and not pivot and _names_a_class(cached, asked):
                    return Conflict("order", f"{first.word} … {second.word}", _reading(other, j, m))
    return None


def _roles_exchanged(cached: Facts, asked: Facts, ordered: list[tuple[int, int]]) -> bool:
    """ "Can I sue them", "can they sue me"; with a noun for the other person, its place changes as well."""
    exchanged = (cached.agents & asked.patients) - cached.patients - asked.agents
    returned = (asked.agents & cached.patients) - asked.patients - cached.agents
    if exchanged and returned:
        return True
    if (exchanged or returned) and {cached.asks_for, asked.asks_for} == {"subject", "object"}:
        return True  # "who do I report to", "who reports to me"
    if {cached.asks_for, asked.asks_for} == {"subject", "object"} and "you" in cached.words and "you" in asked.words:
        return True  # "who invited you", "who did you invite"
    if not (exchanged or returned):
        return False
    one, other = cached.terms, asked.terms
    return any(
        m < j and not (one[i].slot or one[k].slot or other[j].slot or other[m].slot)
        for (i, j), (k, m) in pairwise(ordered)
    )


def _asks_other_side(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "Who was shot by Oswald" against "who shot Oswald", "who did Oswald shoot" against "who was Oswald shot by"."""
    asks = {cached.asks_for, asked.asks_for}
    if asks == {"agent", "object"}:
        return True
    return asks == {"subject", "object"} and any(
        {cached.terms[i].slot, asked.terms[j].slot} == {"by", ""} for i, j in pairs
    )


def _other_subject(one: Facts, other: Facts) -> bool:
    """ "Can I close my bank account", "can the bank close my account": who acts is another, and named in both."""
    if one.subject != "first" or other.subject in ("", "first"):
        return False
    if other.subject == "someone":
        return "first" in other.patients - one.patients
    if other.subject in ("he", "she", "they"):
        return True
    return any(other.subject in term.keys and term.slot in _CORE for term in one.terms)


def _other_language_side(cached: Facts, asked: Facts) -> bool:
    """ "Translate it from Italian", "the Italian translation": one language, which it is in or is to be in."""
    if not any(term.word in _TRANSLATING for term in (*cached.terms, *asked.terms)):
        return False
    mine, yours = ([term for term in facts.terms if term.kind == NAME] for facts in (cached, asked))
    if len(mine) != 1 or len(yours) != 1 or mine[0].keys.isdisjoint(yours[0].keys):
        return False
    return "from" in (mine[0].slot, yours[0].slot) and mine[0].slot != yours[0].slot


def _other_owner(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether what is owned changes: "my neighbour's dog bit my cat", "my dog bit my neighbour's cat"."""
    forth, back = dict(pairs), {j: i for i, j in pairs}
    for i, j in pairs:
        if _only_owns(cached, asked, i, j, forth) or _only_owns(asked, cached, j, i, back):
            return True
        if cached.terms[i].owner and asked.terms[j].owner and i + 1 in forth and j + 1 in back:
            mine, yours = back[j + 1] - i, forth[i + 1] - j
            if not (0 < mine <= _NEAR or 0 < yours <= _NEAR):
                return True
    return False


def _only_owns(one: Facts, other: Facts, i: int, j: int, forth: dict[int, int]) -> bool:
    """Whether a person owns here what stands before it there: "my mom's friend hit me", "my friend hit my mom"."""
    thing = forth.get(i + 1, j)
    return (
        one.terms[i].word in OWNING
        and one.terms[i].owner
        and not other.terms[j].owner
        and not other.terms[j].slot
        and thing < j - 1
    )


def _other_condition(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether condition and consequence change places: "if it rains, is it off", "if it is off, does it rain"."""
    moved = [
        (cached.terms[i].conditional, asked.terms[j].conditional) for i, j in pairs if cached.terms[i].kind != SOFT
    ]
    return (True, False) in moved and (False, True) in moved


def _other_first(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether what comes before and what comes after change places, also of what is mutual: "marry before kids"."""
    slots = [(cached.terms[i].slot, asked.terms[j].slot) for i, j in pairs]
    return any((word, "") in slots and ("", word) in slots for word in _FREE)


def _swapped_words(cached: Facts, asked: Facts, halves: bool = False) -> bool:
    """Whether two words changed places and all else is the same: "chocolate milk", "milk chocolate".

    halves: only if one of them is half of a name, "from Oxford to London airport", "from London to Oxford airport".
    """
    if len(cached.words) != len(asked.words):
        return False
    mine, yours = list(map(base_form, cached.words)), list(map(base_form, asked.words))
    places = [place for place, (one, other) in enumerate(zip(mine, yours, strict=True)) if one != other]
    if len(places) != 2:
        return False
    first, second = places
    exchanged = mine[first] == yours[second] and mine[second] == yours[first]
    if second == first + 1 and not _POSTPOSED.isdisjoint((mine[first], mine[second])):
        return False
    words = {base_form(cached.words[first]), base_form(cached.words[second])}
    terms = [term for term in cached.terms if not words.isdisjoint((term.word, *term.keys))]
    if halves:
        heavy = {key for term in cached.terms if term.kind in (PLAIN, NAME) and not term.joined for key in term.keys}
        bases = ["", *map(base_form, cached.words), ""]
        beside = [bases[place] in heavy or bases[place + 2] in heavy for place in places]
        return exchanged and beside[0] != beside[1]
    reports = any(base_form(word) in _REPORTING for word in cached.words[first:second])
    named = reports or (second == first + 1 and all(term.kind == NAME for term in terms))
    if exchanged and not _FREE.isdisjoint(cached.words[first:second]) and min(len(mine[first]), len(mine[second])) > 3:
        return True  # "call before coming"
    if (cached.fragment or asked.fragment) and not named:
        return False  # search words come in any order, but "paris rome train" has a direction
    tied = any(term.joined and not term.then for term in terms) and _PRONOUNS.isdisjoint(cached.words[first:second])
    return exchanged and len(terms) == 2 and not tied


def _best_to(terms: Sequence[Term], place: int) -> bool:
    """ "The best leather to clean", which is not how best to clean leather."""
    return place > 0 and terms[place - 1].graded and not terms[place].slot and terms[place + 1].slot == "to"


def _pivot(ordered: list[tuple[int, int]], i: int, k: int, j: int, m: int) -> bool:
    """Whether a shared word stands between the two in both prompts: the verb or comparison they are the sides of."""
    low, high = min(j, m), max(j, m)
    return any(i < p < k and low < q < high for p, q in ordered)


def _role(term: Term) -> str:
    """The preposition that governs a term, or would, if it were not in the possessive."""
    return term.slot or ("of" if term.owner else "")


def _by(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> set[int]:
    """Places in `one` of those named as who did it, "by Mozart", "by the car"; not of a means, "by bus", in either."""
    named = any(word == "by" and after in _ARTICLES for word, after in pairwise(one.words))
    return {
        i
        for i, j in pairs
        if one.terms[i].slot == "by" and (named or _MEANS.isdisjoint(one.terms[i].keys | other.terms[j].keys))
    }


def _loose(*terms: Term) -> bool:
    """Whether one of them hangs on a preposition that moves freely ("hikes in the park", "park hikes")."""
    return any(term.slot in _LOOSE for term in terms) and len({term.slot for term in terms}) > 1


def _subjects(cached: Facts, asked: Facts) -> bool:
    """Whether both are told or asked with a finite verb, so that two names in turn are its subject and its object."""
    return cached.questions == asked.questions and not (cached.questions & {"what", "which"})


def _names_a_class(cached: Facts, asked: Facts) -> bool:
    """ "Is a tomato a fruit": two terms, a question that is answered by yes or no, nothing between them."""
    if not (cached.being and asked.being):
        return False
    return "polar" in cached.questions and "polar" in asked.questions and len(cached.terms) == 2 == len(asked.terms)


def _reading(terms: Sequence[Term], j: int, m: int) -> str:
    low, high = sorted((j, m))
    return f"{terms[low].slot} {terms[low].word} … {terms[high].slot} {terms[high].word}".strip()
