"""Whether two words are one, but for a slip of the pen."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from policies.guards.vocabulary import known_words

_UNUSUAL = 10
"""How much rarer a word must not be to be meant although another letter was typed or one too many."""
_RARE = 30_000
"""The rank of a word the lexicon lists and the vocabulary does not ("milliliters")."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_PREFIXES = (
    "hyper", "hypo", "un", "in", "im", "ir", "il", "dis", "de", "non", "over", "under", "pre", "post", "anti", "pro",
    "intra", "inter", "macro", "micro", "mono", "poly", "endo", "exo", "en", "up", "down", "mis", "re",
)  # fmt: skip

_SUBSTANCES = frozenset(("ane", "ene", "yne", "ase", "ose", "one", "ide", "ate", "ite", "ine"))


def same_but_for_a_slip(one: str, other: str) -> bool:
    """One letter dropped, doubled, added, changed or swapped with its neighbour; two in words of nine letters or more.

    A word two letters longer is another one ("prednisone", "prednisolone"). Short words, different beginnings and
    different prefixes ("hypertension", "hypotension") never count as slips.
    """
    shorter = min(len(one), len(other))
    if shorter < 4 or abs(len(one) - len(other)) > 1 or one[0] != other[0]:
        return False
    if one.isdigit() or other.isdigit() or any(map(str.isdigit, one + other)):
        return False
    if _prefix(one) != _prefix(other) or _other_substance(one, other):
        return False
    allowed = 2 if shorter >= 8 else 1
    return _distance(one, other, allowed) <= allowed


def _other_substance(one: str, other: str) -> bool:
    """ "Butane", "butene", "chloride", "chlorate": the ending is what tells substances apart."""
    return one[-3:] != other[-3:] and one[-3:] in _SUBSTANCES and other[-3:] in _SUBSTANCES


def _other_prefix(one: str, other: str) -> bool:
    mine, yours = _prefix(one), _prefix(other)
    return bool(mine and yours) and mine != yours


def _prefix(word: str) -> str:
    return next((prefix for prefix in _PREFIXES if word.startswith(prefix) and len(word) > len(prefix) + 3), "")


def _distance(one: str, other: str, limit: int) -> int:
    """Optimal string alignment distance (Damerau 1964: a swap counts once), or limit + 1 as soon as it is exceeded."""
    if len(one) > 40 or len(other) > 40:
        return limit + 1
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before_last[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before_last, last = last, row
    return last[-1]


def without_accents(word: str) -> str:
    """ "crème" as it is typed in a hurry."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", word) if not unicodedata.combining(sign))


@lru_cache(maxsize=1 << 13)
def suggestion(word: str, listed: frozenset[str]) -> str:
    """The known word one slip away from an unknown one (Norvig's candidates), or empty if there is no clear one.

    The most frequent candidate wins. Two about equally frequent ones of those the lexicon gives a meaning (`listed`)
    are no clear answer: "whn" is left alone.
    """
    if not 4 <= len(word) <= 20 or not word.isascii() or not word.isalpha():
        return ""
    known = known_words()
    common, rare = _slips(word)
    costs = {candidate: known[candidate] * _UNUSUAL for candidate in rare if candidate in known}
    costs |= {
        candidate: known.get(candidate, _RARE)
        for candidate in common
        if candidate in known or candidate in listed or candidate.removesuffix("s") in listed
    }
    found = sorted(costs, key=costs.__getitem__)
    found = [one for one in found if not (_other_prefix(word, one) or _other_substance(word, one))]
    if not found:
        return ""
    first = found[0]
    if first in listed and len(found) > 1:
        near = 4 * costs[first] + 400 if found[1] in listed else 2 * costs[first] + 100
        swapped = sorted(first) == sorted(word) != sorted(found[1])
        if costs[found[1]] < near and not swapped:
            return ""
    return first


def _slips(word: str) -> tuple[set[str], set[str]]:
    """Everything one slip away: a letter left out, doubled or swapped with its neighbour, and any other one.

    The first letter stays, but for a swap with the second.
    """
    splits = [(word[:i], word[i:]) for i in range(1, len(word) + 1)]
    undoubled = [head + tail[1:] for head, tail in splits if tail and head[-1] == tail[0]]
    swaps = [head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1]
    additions = [head + letter + tail for head, tail in splits for letter in _LETTERS]
    drops = [head + tail[1:] for head, tail in splits if tail]
    changes = [head + letter + tail[1:] for head, tail in splits if tail for letter in _LETTERS]
    return {word[1] + word[0] + word[2:], *undoubled, *swaps, *additions}, {*drops, *changes}
