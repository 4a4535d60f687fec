"""Letters that name things ("column A", "if A implies B") and look like an article, and what such a thing equals."""

from __future__ import annotations

from policies.guards.draft import Draft
from policies.guards.facts import PLAIN
from policies.guards.reading import CAPITAL, Item

_LETTERED = frozenset(
    ("column", "columns", "vitamin", "hepatitis", "influenza", "variable", "vertex", "terminal", "appendix")
)
"""Behind these a small "a" is a name too: nobody says "a column a user"."""

_EQUALS = frozenset(("equal", "equals"))
_CONTAINS = frozenset(("contain", "contains", "containing", "include", "includes", "including"))


def is_letter(draft: Draft, item: Item, index: int) -> bool:
    """Whether an "a" is the letter and no article: a capital inside a sentence that begins no title, or a label."""
    if item.word != "a":
        return False
    if draft.word_at(index - 1) in _LETTERED:
        return True
    following = draft.item_at(index + 1)
    title = following is not None and bool(following.flags & CAPITAL) and len(following.word) > 1
    return item.raw == "A" and bool(item.flags & CAPITAL) and not title


def read_before_literal(draft: Draft, word: str, index: int) -> bool:
    """Record a verb whose object is a literal, where it says more or less than elsewhere; whether it was one.

    "Where column A equals 'Paid'" is "where it is 'Paid'", and mutual no longer; "contains 'Paid'" is another thing.
    """
    if word in _EQUALS:
        return draft.word_at(index + (2 if draft.word_at(index + 1) == "to" else 1)) == '"'
    if word not in _CONTAINS or draft.word_at(index + 1) != '"':
        return False
    entry = draft.lexicon.entry(word)
    draft.add(word, entry._replace(kind=PLAIN) if entry else None)
    return True
