"""Who does what to whom: the order and the prepositions of words both prompts share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from policies.guards.facts import ASPECT, NAME, PLAIN, SOFT, Conflict, Facts, Term, conflict
from policies.guards.said import reversible_compounds
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
_TAKING = frozenset(
    (
        "import", "export", "buy", "purchase", "order", "sell", "ship", "call", "text", "email", "steal", "copy",
        "print", "read", "delete", "remove", "receive", "download", "eat", "drink", "borrow", "rent",
    )
)  # fmt: skip
"""Verbs of which the thing and where it comes from both may be a place, a person or a file."""
_INVERSE = frozenset((("as", "its"), ("as", "their"), ("of", "which"), ("of", "what")))
_REPORTING = frozenset(("say", "tell", "think", "know", "ask", "claim", "believe", "want", "help"))
_PRONOUNS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
"""Between two words they begin another clause, so that an "and" does not tie the words themselves."""
_FREE = frozenset(("before", "after"))
"""Prepositions that are terms of their own, and go where their phrase goes."""
_NEAR = 2
"""Terms behind its owner among which a thing is looked for: "my manager's holiday request"."""
_LOOSE = frozenset(("of", "in", "on", "at", "for", "about", "with", "via", "during", "near"))


def order_conflict(cached: Facts, asked: Facts, pairs: list[tuple[int, int]]) -> Conflict | None:
    """The first pair of words whose roles are exchanged: reason and the two readings."""
    one, other = cached.terms, asked.terms
    symmetric = cached.symmetric and asked.symmetric
    far = symmetric and all(any("@distance" in term.aspects for term in facts.terms) for facts in (cached, asked))
    mutual = _EITHER_WAY if far else frozenset()
    for i, j in pairs:
        if frozenset((one[i].slot, other[j].slot)) in _OPPOSED_SLOTS - mutual:
            reason = "from_to" if "from" in (one[i].slot, other[j].slot) else "order"
            return Conflict(reason, f"{one[i].slot} {one[i].word}", f"{other[j].slot} {other[j].word}")
        slots = frozenset((one[i].slot, other[j].slot))
        if (
            len(slots) == 2
            and "" not in slots
            and slots & _SPECIFIC
            and slots not in _COMPATIBLE
            and not (cached.symmetric or asked.symmetric)
        ):
            return Conflict("order", f"{one[i].slot} {one[i].word}", f"{other[j].slot} {other[j].word}")
        if {one[i].joined, other[j].joined} == {"and", "or"}:
            return Conflict("quantity", f"{one[i].joined} {one[i].word}", f"{other[j].joined} {other[j].word}")
    if _other_subject(cached, asked) or _other_subject(asked, cached):
        return Conflict("order", cached.subject, asked.subject)
    if _other_head(cached, asked, pairs) or _other_head(asked, cached, [(j, i) for i, j in pairs]):
        return conflict("order", cached.words, asked.words)
    if _modifiers_exchanged(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if _asks_for_whole(cached, asked, pairs) or _asks_for_whole(asked, cached, [(j, i) for i, j in pairs]):
        return conflict("order", cached.words, asked.words)
    if _asks_for_contents(cached, asked, pairs) or _asks_for_contents(asked, cached, [(j, i) for i, j in pairs]):
        return conflict("order", cached.words, asked.words)
    if _taken_from(cached, asked, pairs):
        return conflict("from_to", cached.words, asked.words)
    if _other_owner(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if _other_condition(cached, asked, pairs):
        return conflict("order", cached.words, asked.words)
    if symmetric:
        halves = far and _swapped_words(cached, asked, halves=True)
        return conflict("order", cached.words, asked.words) if halves else None
    ordered = sorted(pairs)
    if _swapped_words(cached, asked):
        return conflict("order", cached.words, asked.words)
    if _roles_exchanged(cached, asked, ordered):
        shown = (sorted(facts.agents) + sorted(facts.patients) for facts in (cached, asked))
        return conflict("order", *shown)
    sides = {cached.asks_for, asked.asks_for} == {"subject", "object"}
    for position, (i, j) in enumerate(ordered):
        for k, m in ordered[position + 1 :]:
            first, second = one[i], one[k]
            if ASPECT in (first.kind, second.kind) or _FREE & {first.word, second.word}:
                continue
            mine, yours = _role(first), _role(second)
            if mine != yours and mine == _role(other[m]) and yours == _role(other[j]):
                slots = frozenset((mine, yours))
                reason = "from_to" if slots & {"from"} and slots & {"to", "into"} else "order"
                return Conflict(
                    reason, f"{first.slot} {first.word}, {second.slot} {second.word}", _reading(other, j, m)
                )
            inverted = m < j
            if inverted and sides:
                return Conflict("order", f"{first.word} … {second.word}", _reading(other, j, m))
            if inverted and second.then and other[j].then:
                return Conflict("order", f"{first.word} … then {second.word}", _reading(other, j, m))
            if second.joined and (other[j].joined if inverted else other[m].joined):
                continue
            voice = ("by" in (first.slot, second.slot)) != ("by" in (other[j].slot, other[m].slot))
            if inverted or voice:
                pivot = _pivot(ordered, i, k, j, m)
                if pivot and inverted != voice and not _loose(first, second, other[j], other[m]):
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


def _other_subject(one: Facts, other: Facts) -> bool:
    """ "Can I close my bank account", "can the bank close my account": who acts is another, and named in both."""
    if one.subject != "first" or other.subject in ("", "first"):
        return False
    if other.subject == "someone":
        return "first" in other.patients - one.patients
    if other.subject in ("he", "she", "they"):
        return True
    return any(other.subject in term.keys and term.slot in _CORE for term in one.terms)


def _other_owner(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether what is owned changes: "my neighbour's dog bit my cat", "my dog bit my neighbour's cat"."""
    forth, back = dict(pairs), {j: i for i, j in pairs}
    for i, j in pairs:
        if cached.terms[i].owner and asked.terms[j].owner and i + 1 in forth and j + 1 in back:
            mine, yours = back[j + 1] - i, forth[i + 1] - j
            if not (0 < mine <= _NEAR or 0 < yours <= _NEAR):
                return True
    return False


def _other_condition(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether condition and consequence change places: "if it rains, is it off", "if it is off, does it rain"."""
    moved = [
        (cached.terms[i].conditional, asked.terms[j].conditional) for i, j in pairs if cached.terms[i].kind != SOFT
    ]
    return (True, False) in moved and (False, True) in moved


def _other_head(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether the head of a phrase is joined to another noun: "loan for a home business", "business loan for a home".

    In search words too, two nouns that make another thing the other way round: "guest house", "house guest".
    """
    mine, yours, forth = one.terms, other.terms, dict(pairs)
    for k in range(len(mine) - 1):
        first, head = forth.get(k), forth.get(k + 1)
        if first is None or head is None or mine[k].slot != mine[k + 1].slot or mine[k + 1].word != yours[head].word:
            continue
        if not _adjacent(one, mine[k], mine[k + 1]):
            continue
        words = frozenset((mine[k].word, mine[k + 1].word))
        owners = (mine[k].owner or mine[k].plural) and (yours[head].owner or yours[head].plural)
        if owners and head == first - 1 and not (mine[k + 1].plural or yours[first].plural):
            return True  # "the dogs owner", "the owners dog"
        if words in reversible_compounds() and _adjacent(other, yours[head], yours[first]):
            return True
        moved = yours[first].slot == mine[k].slot != "" and not yours[head].slot and forth.get(k - 1) == head + 1
        whole = mine[k + 1].kind == PLAIN and bool(mine[k].determiner or mine[k + 1].plural)
        if moved and whole and not (one.fragment or other.fragment) and _adjacent(other, yours[head], yours[head + 1]):
            return True
    return False


def _modifiers_exchanged(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "A young man and an old woman", "an old man and a young woman"."""
    other, forth = asked.terms, dict(pairs)
    stands = {}
    for k, j in forth.items():
        head = forth.get(k + 1)
        if head is not None and _modifies(cached, k):
            stands[j] = head
    for j, head in stands.items():
        exchanged = stands.get(head - 1) if head - 1 != j else None
        if exchanged is None or other[head].word == other[exchanged].word:
            continue  # "term life and whole life insurance"
        if exchanged == j + 1 and _modifies(asked, j) and _modifies(asked, head - 1):
            return True
    return False


def _modifies(facts: Facts, place: int) -> bool:
    """Whether a word that says something stands right before the next one, and nowhere else."""
    word, head = facts.terms[place], facts.terms[place + 1]
    if (word.kind == SOFT and not word.poles) or head.joined or word.word in _FREE:
        return False
    return _adjacent(facts, word, head) and sum(term.word == word.word for term in facts.terms) == 1


def _asks_for_whole(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "Which country has Paris as its capital", "what is Paris the capital of", against "the capital of Paris".

    pairs: positions in `one` and in `other`.
    """
    if not _is_inverse(one) or _is_inverse(other) or any(term.owner for term in one.terms):
        return False
    of = {j for j, term in enumerate(other.terms) if term.owner or term.slot == "of"}
    if "whose" not in one.words:
        return bool(of)
    return any(i == len(one.terms) - 1 and j in of for i, j in pairs)  # not "a circle whose radius is 7"


def _asks_for_contents(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "What is in aspirin", "what is aspirin". `pairs`: positions in `one` and in `other`."""
    if ("is", "in") not in pairwise(one.words) or one.questions != {"what"} or ("is", "in") in pairwise(other.words):
        return False
    alone = len(one.terms) == 1 == len(other.terms)
    return alone and any(one.terms[i].slot == "in" and not other.terms[j].slot for i, j in pairs)


def _is_inverse(facts: Facts) -> bool:
    words = facts.words
    if words and words[-1] == "of":
        return True
    return "whose" in words[1:] or any(pair in _INVERSE for pair in pairwise(words))


def _adjacent(facts: Facts, one: Term, other: Term) -> bool:
    """Whether two terms are neighbours in the text, with nothing small between."""
    return (one.word, other.word) in pairwise(map(base_form, facts.words))


def _taken_from(cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether a thing is taken here and taken from there: "importing china", "importing from China"."""
    forth = dict(pairs)
    for i, j in pairs:
        if "from" in (cached.terms[i].slot, asked.terms[j].slot) and i and forth.get(i - 1) == j - 1:
            taken = any(
                there.slot == "from" != before.slot == here.slot
                for before, here, there in (
                    (cached.terms[i - 1], cached.terms[i], asked.terms[j]),
                    (asked.terms[j - 1], asked.terms[j], cached.terms[i]),
                )
            )
            if taken and cached.terms[i - 1].word in _TAKING:
                return True
    return False


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
    words = {base_form(cached.words[first]), base_form(cached.words[second])}
    terms = [term for term in cached.terms if not words.isdisjoint((term.word, *term.keys))]
    if halves:
        heavy = {key for term in cached.terms if term.kind in (PLAIN, NAME) and not term.joined for key in term.keys}
        bases = ["", *map(base_form, cached.words), ""]
        beside = [bases[place] in heavy or bases[place + 2] in heavy for place in places]
        return exchanged and beside[0] != beside[1]
    reports = any(base_form(word) in _REPORTING for word in cached.words[first:second])
    named = reports or (second == first + 1 and all(term.kind == NAME for term in terms))
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
