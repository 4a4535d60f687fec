"""Group `order`: nouns that are tied to other nouns ("a loan for a home business", "a business loan for a home")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from policies.guards.facts import PLAIN, SOFT, Conflict, Facts, Term, conflict
from policies.guards.said import reversible_compounds
from policies.guards.vocabulary import base_form

_SOURCED = frozenset(
    (
        "import", "export", "buy", "purchase", "order", "sell", "ship", "call", "text", "email", "steal", "copy",
        "print", "read", "delete", "remove", "receive", "download", "eat", "drink", "borrow", "rent",
    )
)  # fmt: skip
"""Verbs of which the thing and where it comes from both may be a place, a person or a file."""
_INVERSE = frozenset((("as", "its"), ("as", "their"), ("of", "which"), ("of", "what")))
_CONSISTS = frozenset((("made", "of"), ("composed", "of"), ("comprised", "of")))
"""Before a last "of": "what is bread made of" asks for its parts, as "the ingredients of bread" does."""
_TIMES = frozenset(("before", "after"))
"""Prepositions that are terms of their own and modify nothing."""


def compound_conflict(
    cached: Facts, asked: Facts, pairs: Sequence[tuple[int, int]], steady: bool = False
) -> Conflict | None:
    """Heads, modifiers, parts and sources that change places.

    steady: the words stand in one order and behind the same prepositions, so that no head or modifier has moved.
    """
    back = [(j, i) for i, j in pairs]
    if not steady and _taken_from(cached, asked, pairs):
        return conflict("from_to", cached.words, asked.words)
    moved = (
        (
            not steady
            and (
                _modifiers_exchanged(cached, asked, pairs)
                or _other_head(cached, asked, pairs)
                or _other_head(asked, cached, back)
            )
        )
        or _asks_for_whole(cached, asked, pairs)
        or _asks_for_whole(asked, cached, back)
        or _asks_for_contents(cached, asked, pairs)
        or _asks_for_contents(asked, cached, back)
    )
    return conflict("order", cached.words, asked.words) if moved else None


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
    if (word.kind == SOFT and not word.poles) or head.joined or word.word in _TIMES:
        return False
    return _adjacent(facts, word, head) and sum(term.word == word.word for term in facts.terms) == 1


def _adjacent(facts: Facts, one: Term, other: Term) -> bool:
    """Whether two terms are neighbours in the text, with nothing small between."""
    return (one.word, other.word) in pairwise(map(base_form, facts.words))


def _asks_for_whole(one: Facts, other: Facts, pairs: Sequence[tuple[int, int]]) -> bool:
    """ "Which country has Paris as its capital", "what is Paris the capital of", against "the capital of Paris".

    pairs: positions in `one` and in `other`.
    """
    if not _is_inverse(one) or _is_inverse(other) or any(term.owner for term in one.terms):
        return False
    if one.words[-2:] in _CONSISTS and _CONSISTS.isdisjoint(pairwise(other.words)):
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
    return "whose" in words or any(pair in _INVERSE for pair in pairwise(words))


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
            if taken and cached.terms[i - 1].word in _SOURCED:
                return True
    return False
