"""What is said beside a question and asks nothing: "real quick, …", "…, just out of interest", "remind me who …"."""

from __future__ import annotations

from policies.guards.draft import STOPS
from policies.guards.lexicon import SOFT, Lexicon
from policies.guards.reading import START, Item, longest

_MARKS = STOPS | {","}
_OPEN = _MARKS - {":"}
"""Behind a colon stands what is worked on: "correct this: …"."""
_OF_MINE = frozenset(("i", "me", "my", "we", "us", "our", "it", "this", "that"))
_WISHED = frozenset(
    (
        "good", "better", "best", "great", "fun", "interesting", "idea", "ideas", "topic", "topics", "need", "needs",
        "use", "make", "write", "choose", "pick", "required", "to", "should", "long", "deadline", "due",
    )
)  # fmt: skip
"""Words of a question to which a purpose belongs: "for a school project, what are good topics?"."""
_FACTS = frozenset(("who", "when", "where", "why", "what", "which", "how"))
_CALLS = frozenset(("omg", "bro", "dude", "mate", "fam", "argh", "yikes"))
"""Cries before a question that is asked of anybody."""
_CALLED = 3
_ON_TEXTS = frozenset(
    (
        "rewrite", "rephrase", "paraphrase", "proofread", "translate", "translation", "summarize", "summarise",
        "correct", "edit", "shorten", "grammar", "punctuation", "reply", "respond", "answer", "say", "tone",
        "sentiment", "classify", "text", "sentence", "email", "message", "note", "post", "caption", "write", "draft",
        "spell", "pronounce",
    )
)  # fmt: skip
"""Words of a request that works on a text, in which every clause counts."""


def without_asides(items: list[Item], lexicon: Lexicon) -> list[Item]:
    """The words without the clauses that ask nothing. Marks must bound a clause, the prompt's start an opening."""
    items = _without_opening(items, lexicon)
    if not any(item.word in _MARKS for item in items):
        return items
    place = 0
    while place < len(items):
        for trie, plain in ((lexicon.asides, True), (lexicon.purposes, False)):
            node = trie.get(items[place].word)
            end = longest(items, place + 1, node, len(items))[0] if node is not None else 0
            if end and (end == len(items) or items[end].word in _MARKS):
                end += end < len(items)
                rest = [*items[:place], *items[end:]]
                if (plain or _asks_fact(rest)) and _says_something(rest, lexicon):
                    items = _started(rest, place)
                    break
        else:
            place = next((later + 1 for later in range(place, len(items)) if items[later].word in _OPEN), len(items))
    return items


def _without_opening(items: list[Item], lexicon: Lexicon) -> list[Item]:
    """The one sentence there is, without who wants to know: "remind me who wrote Emma"."""
    if len(items) > _CALLED and items[0].word in _CALLS and items[1].word in _FACTS:
        return _started(items[1:], 0)
    node = lexicon.openings.get(items[0].word) if items else None
    if node is None:
        return items
    end = longest(items, 1, node, len(items))[0]
    rest = items[end - 1 :] if end else items
    if not end or not _OF_MINE.isdisjoint(item.word for item in rest):
        return items
    if any(item.word in _MARKS for item in rest[:-1]) or not _says_something(rest, lexicon):
        return items
    return _started(rest, 0)


def _started(items: list[Item], place: int) -> list[Item]:
    """The words, with one at this place that begins a sentence."""
    if place < len(items):
        items[place] = items[place]._replace(flags=items[place].flags | START)
    return items


def _says_something(items: list[Item], lexicon: Lexicon) -> bool:
    """Whether a word of meaning is left ("what do I do" has none), and no text that is worked on."""
    words = {item.word for item in items}
    if not _ON_TEXTS.isdisjoint(words):
        return False
    entries = ((word, lexicon.entry(word)) for word in words - lexicon.small.common - lexicon.small.auxiliary)
    return any(word[0] == '"' or (word.isalnum() and (entry is None or entry.kind > SOFT)) for word, entry in entries)


def _asks_fact(items: list[Item]) -> bool:
    """Whether a question is the same for whoever asks it: "who was king in 1500?", but not "what should I bring?"."""
    words = [item.word for item in items]
    return words[0] in _FACTS and _OF_MINE.isdisjoint(words) and _WISHED.isdisjoint(words) and not _is_bare(words)


def _is_bare(words: list[str]) -> bool:
    """ "What is the limit": of what, the purpose says."""
    return "the" in words and not {"of", "in", "between", "for", "who", "did", "was", "does"} & set(words)
