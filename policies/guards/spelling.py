"""Whether two words are one, but for a slip of the pen."""

from __future__ import annotations

_PREFIXES = (
    "hyper", "hypo", "un", "in", "im", "ir", "il", "dis", "de", "non", "over", "under", "pre", "post", "anti", "pro", "intra", "inter",
    "macro", "micro", "mono", "poly", "endo", "exo", "en", "up", "down", "mis", "re",
)  # fmt: skip


def same_but_for_a_slip(one: str, other: str) -> bool:
    """One letter dropped, doubled, added, changed or swapped with its neighbour; two in words of nine letters or more.

    Short words, different beginnings and different prefixes ("hypertension", "hypotension") never count as slips.
    """
    shorter = min(len(one), len(other))
    if shorter < 4 or abs(len(one) - len(other)) > 2 or one[0] != other[0]:
        return False
    if one.isdigit() or other.isdigit() or any(map(str.isdigit, one + other)):
        return False
    if _prefix(one) != _prefix(other):
        return False
    allowed = 2 if shorter >= 8 else 1
    return _distance(one, other, allowed) <= allowed


def _prefix(word: str) -> str:
    return next((prefix for prefix in _PREFIXES if word.startswith(prefix) and len(word) > len(prefix) + 3), "")


def _distance(one: str, other: str, limit: int) -> int:
    """Optimal string alignment distance (Damerau 1964, adjacent swaps counted once), or limit + 1 as soon as it is exceeded."""
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
