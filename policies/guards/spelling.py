"""Whether two words are one, but for a slip of the pen."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from policies.guards.vocabulary import british_to_american, common_slips, known_words

_UNUSUAL = 10
"""How much rarer a word must not be to be meant although another letter was typed or one too many."""
_RARE = 30_000
"""The rank of a word the lexicon lists and the vocabulary does not ("milliliters")."""
_PLAINER = 25
"""How much rarer a word may be to be meant if letters are only swapped, doubled or not."""
_LONG = 7
"""Letters of a word that a name is seldom one letter short of."""
_DOUBLED = re.compile(r"([^i])\1+")
_TRIPLED = re.compile(r"(?<=[a-z])([a-hj-vy])\1\1+")
"""Inside a word; "wwiii" and "zzz" are written so."""
_BRITISH_L = re.compile(r"ll(?=(?:ed|ing|ers?|ors?)$)")
_BRITISH_RE = re.compile(r"re(?=s?$)")
_KEEP_S = ("ss", "us", "is")
_VOWELS = "aeiou"
_LONG_FOR_PH = 7
"""Letters of a word in which "f" may stand for "ph"; in shorter ones it is a name's ("filip", "sofie", "gofer")."""
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
    if one.endswith("ii") or other.endswith("ii") or any(map(str.isdigit, one + other)):
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

    The most frequent candidate wins, letters swapped or doubled before all others. Two about equally frequent ones of
    those the lexicon gives a meaning (`listed`) are no clear answer: "whn" is left alone.
    """
    if not 4 <= len(word) <= 20 or not word.isascii() or not word.isalpha() or word.endswith("iii"):
        return ""
    if word in common_slips():
        return common_slips()[word]
    calmer = _TRIPLED.sub(r"\1\1", word) if len(word) >= _LONG else word
    if calmer != word:
        return calmer if calmer in known_words() else suggestion(calmer, listed) or calmer
    known = known_words()
    plain, common, rare = _slips(word)
    costs = {candidate: known[candidate] * _UNUSUAL for candidate in rare if candidate in known}
    costs |= {
        candidate: known.get(candidate, _RARE)
        for candidate in common
        if candidate in known
        or candidate in listed
        or (candidate[-2:] != "ss" and candidate.removesuffix("s") in listed)
    }
    costs |= {candidate: costs[candidate] // _PLAINER for candidate in plain if candidate in costs}
    found = sorted(costs, key=lambda candidate: (costs[candidate], candidate))
    found = [one for one in found if not (_other_prefix(word, one) or _other_substance(word, one))]
    if not found:
        return _plural(word, listed)
    first = found[0]
    if first in listed and len(found) > 1 and first not in plain:
        near = 4 * costs[first] + 400 if found[1] in listed else 2 * costs[first] + 100
        if costs[found[1]] < near:
            return ""
    return first


def _plural(word: str, listed: frozenset[str]) -> str:
    """The plural of a word whose singular has a slip: "suculents"."""
    if not word.endswith("s") or word.endswith(_KEEP_S) or len(word) <= _LONG:
        return ""
    single = word[:-1]
    meant = suggestion(single, listed)
    return f"{meant}s" if meant and meant[-1] not in "sy" and is_plain_slip(single, meant) else ""


def _slips(word: str) -> tuple[set[str], set[str], set[str]]:
    """Everything one slip away: a letter doubled or swapped with its neighbour; these, a letter left out and a vowel
    typed for another; any other letter typed for one, or one too many.

    The first letter stays, but for a swap with the second and "f" for "ph".
    """
    splits = [(word[:i], word[i:]) for i in range(1, len(word) + 1)]
    undoubled = [head + tail[1:] for head, tail in splits if tail and head[-1] == tail[0]]
    doubled = [head + head[-1] + tail for head, tail in splits]
    swaps = [head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1]
    additions = [head + letter + tail for head, tail in splits for letter in _LETTERS]
    drops = [head + tail[1:] for head, tail in splits if tail]
    changes = [head + letter + tail[1:] for head, tail in splits if tail for letter in _LETTERS]
    vowels = [head + letter + tail[1:] for head, tail in splits if tail and tail[0] in _VOWELS for letter in _VOWELS]
    plain = {word[1] + word[0] + word[2:], *undoubled, *doubled, *swaps}
    if word.endswith("ys"):
        plain.add(word[:-2] + "ies")
    if "f" in word and len(word) >= _LONG_FOR_PH:
        plain.add(word.replace("f", "ph", 1))
    plain.discard(word)
    return plain, {*plain, *additions, *vowels}, {*drops, *changes}


def is_plain_slip(word: str, meant: str) -> bool:
    """Whether letters are swapped, doubled or not, or one of a long word is left out: few names are a word but so.

    Nor is a word that is written otherwise across the ocean a slip: "canceled".
    """
    if common_slips().get(word) == meant:
        return True
    if len(word) <= 4 or is_american(word, meant) or british_to_american(meant) == word:
        return False
    return (
        sorted(word) == sorted(meant)
        or undoubled(word) == undoubled(meant)
        or (word.endswith("ys") and meant == word[:-2] + "ies")
        or (len(word) >= _LONG and len(meant) == len(word) + 1)
    )


def undoubled(word: str) -> str:
    """ "Comittee" and "committee" alike."""
    return _DOUBLED.sub(r"\1", word)


def is_short_of_one(word: str, meant: str) -> bool:
    """Whether a letter inside, or the last one, was left out."""
    return len(meant) == len(word) + 1 and any(meant[:at] + meant[at + 1 :] == word for at in range(1, len(meant)))


def is_american(word: str, british: str) -> bool:
    """ "Canceled" for "cancelled", "liters" for "litres"."""
    return word != british and _BRITISH_RE.sub("er", _BRITISH_L.sub("l", british)) == word
