"""Words that only point at a literal beside them, or ask something of it in a way of several: "this email: '…'"."""

from __future__ import annotations

from itertools import pairwise

from policies.guards.draft import Draft
from policies.guards.facts import NAME, SOFT
from policies.guards.lexicon import Entry
from policies.guards.vocabulary import base_form

THIS = "this"
"""The determiner of a word that stands for a literal."""
_KINDS = frozenset(
    (
        "text", "sentence", "paragraph", "passage", "email", "mail", "message", "code", "snippet", "equation",
        "expression", "article", "letter", "tweet", "comment", "statement", "word", "line", "poem", "story", "quote",
        "string", "excerpt", "review", "conversation",
    )
)  # fmt: skip
_AGES = frozenset(("day", "night", "morning", "week", "weekend", "month", "season", "quarter", "year", "decade"))
_LITERAL = '"'
_MENTIONED = frozenset(("mentioned", "named", "appear", "appears", "appearing", "occur", "occurs", "occurring"))
_SORTING = frozenset(("classify", "categorize", "categorise", "label"))
_RECASTING = frozenset(("put", "change", "turn", "convert", "transform", "switch", "rewrite", "rephrase"))
_ABOUT = frozenset(("review", "comment"))
"""What is about the work that its title names: "the review 'Home'" is no "Home"."""
_INTO = frozenset(("into", "in", "to"))
_GRAMMAR = frozenset(("tense", "voice"))
_FORMS = frozenset(("passive", "active", "past", "present", "future", "plural", "singular", "reported", "indirect"))
_CHANGED = frozenset(("more", "less", "sound", "shorter", "longer", "simpler", "clearer", "friendlier", "politer"))
"""Behind "make" they say that a text is to be put otherwise."""
_READ = _KINDS | _MENTIONED | _SORTING | _RECASTING | {"following", "make", "translation", "check"}
_NEAR = 7
"""Words in which a literal or a form of grammar follows."""


def read_beside_literal(draft: Draft, word: str, index: int) -> bool:
    """Record a word that a literal in the prompt gives less to say; whether it was one."""
    if word not in _READ or (_LITERAL not in draft.words and ":" not in draft.words):
        return False
    before, following = draft.word_at(index - 1), draft.word_at(index + 1)
    if word == "following":
        return (
            before == "the" and following.isalpha() and base_form(following) not in _AGES and _told_behind(draft, index)
        )
    if word in _KINDS and (
        before == THIS
        or (before == "following" and draft.word_at(index - 2) == "the")
        or (before == "the" and following in (_LITERAL, ":") and word not in _ABOUT)
    ):
        draft.determiner = THIS
        _add_soft(draft, word)
        draft.determiner = ""
        return True
    near = draft.words[index + 1 : index + 1 + _NEAR]
    if word == "make":
        if _CHANGED.isdisjoint(near) or not _told_behind(draft, index):
            return False
        draft.add("rewrite", draft.lexicon.entry("rewrite"))  # "make this more formal"
        return True
    if word == "translation" and _names_language(draft, near):
        draft.add("translate", draft.lexicon.entry("translate"))  # "the Italian translation of '…'"
        return True
    if word == "check":
        return following in ("if", "whether") and "or" in draft.words  # "check if it is positive or negative"
    if word in _MENTIONED and following == "in" and _LITERAL in near:
        _add_soft(draft, "mention")  # "which cities does '…' name" is another way to ask, "the cities in '…'" is one
        return True
    if word in _SORTING and "as" in draft.words and ("or" in draft.words or len(set(draft.words)) < len(draft.words)):
        _add_soft(draft, word)  # "is it spam or not"
        return True
    if (
        word in _RECASTING
        and (_told_behind(draft, index) or not _GRAMMAR.isdisjoint(near))
        and any(
            form in _FORMS and before in ("in", "into", "to", "the")
            for before, form in pairwise(near[near[0] == "the" :])
        )
    ):
        draft.add("rewrite", draft.lexicon.entry("rewrite"))
        return True
    return False


def _names_language(draft: Draft, near: list[str]) -> bool:
    """ "The Italian translation", "a translation into Italian"; not "who made the translation"."""
    named = bool(draft.terms) and draft.terms[-1].kind == NAME
    return "who" not in draft.questions and (named or not _INTO.isdisjoint(near))


def _told_behind(draft: Draft, index: int) -> bool:
    """Whether a literal follows, and is no place in a text: "the following line after 'foo'" is another line."""
    behind = draft.words[index:]
    place = next((place for place, word in enumerate(behind) if word in (_LITERAL, ":")), 0)
    return place > 0 and behind[place - 1] not in draft.lexicon.small.prepositions


def _add_soft(draft: Draft, word: str) -> None:
    entry = draft.lexicon.entry(word)
    base = base_form(word)
    draft.add(
        word,
        entry._replace(kind=SOFT) if entry else Entry(SOFT, frozenset((base,)), frozenset(), "", frozenset()),
    )
