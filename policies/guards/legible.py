"""A prompt with its slips of the pen put right, for an embedder: to one, a misspelt word is a handful of word pieces.

The guard guesses at unknown words in the same way, so it misses a name that is taken for a slip ("CUDA", "Cuba").
Hence words are put right only in a text with a slip such as names seldom look like, and in none about how words are
written. In one about computing, whose names look like slips, only frequent words with letters swapped, doubled or left
out are, and not where a message is told.
"""

import re

from policies.guards.lexicon import Lexicon, default_lexicon
from policies.guards.spelling import is_american, is_plain_slip, is_short_of_one, suggestion, undoubled
from policies.guards.vocabulary import known_words

_WORD = re.compile(r"(?<![\w./@\\'’-])[A-Za-z]{4,20}(?![\w/@\\-]|\.\w|['’]t\b)")
"""No part of a name in code, an address, a compound or a "doesn't"."""
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][A-Za-z]+")
"""A word with a capital that is not the first of its sentence."""
_MAX_CHARS = 4000
"""Beyond the windows of small embedders, whose vectors a few slips hardly move."""
_MAX_UNKNOWN = 6
"""Different words; a text with more is no slipshod English. Each takes some 0.3 ms the first time."""
_FREQUENT = 5000
"""The rank of a word that few names are but for a slip."""
_TOLD = frozenset("\"':=$")
"""Signs of a message, or of what was typed."""
_SPELLING = frozenset(
    [
        "spell",
        "spelled",
        "spelling",
        "spellings",
        "spelt",
        "misspelled",
        "misspelling",
        "typo",
        "typos",
        "proofread",
        "correct",
        "correction",
        "correctly",
        "grammar",
        "word",
        "words",
        "letter",
        "letters",
        "anagram",
        "anagrams",
        "rhyme",
        "rhymes",
        "pronounce",
        "pronunciation",
    ]
)
_MESSAGES = frozenset(
    ["error", "errors", "found", "recognized", "recognised", "unknown", "undefined", "invalid", "unexpected", "named"]
)
_COMPUTING = frozenset(
    [
        "install",
        "installed",
        "installing",
        "uninstall",
        "command",
        "commands",
        "code",
        "coding",
        "function",
        "method",
        "script",
        "linux",
        "unix",
        "ubuntu",
        "debian",
        "terminal",
        "shell",
        "library",
        "package",
        "module",
        "compile",
        "compiler",
        "config",
        "server",
        "database",
        "api",
        "variable",
        "framework",
        "plugin",
        "docker",
        "git",
        "sdk",
        "cli",
        "gpu",
    ]
)


def legible(text: str) -> str:
    """The text with each slip of the pen replaced by the known word that it is meant for, if it is clear which.

    Text in another language, as far as its small words tell, and text with other letters stays as it is.
    """
    if len(text) > _MAX_CHARS or not text.isascii() or "`" in text:
        return text
    lexicon = default_lexicon()
    small, known = lexicon.small, known_words()
    unknown = {
        word
        for word in map(str.lower, _WORD.findall(text))
        if not (
            word in known
            or word in lexicon.entries
            or word in lexicon.spelled
            or word in small.foreign
            or _is_form(word)
        )
    }
    if not unknown or len(unknown) > _MAX_UNKNOWN:
        return text
    words = [word.strip(".,;:!?()\"'") for word in text.lower().split()]
    if sum(word in small.foreign for word in words) > sum(word in small.common for word in words):
        return text
    if any(word in _SPELLING for word in words):
        return text
    meant = {word: other for word in unknown if (other := suggestion(word, lexicon.listed))}
    for name in map(str.lower, _INSIDE.findall(text)):
        entry = lexicon.entry(meant[name]) if name in meant else None
        if name in meant and not (entry and entry.label):
            del meant[name]
    if any(word in _COMPUTING or _is_language(word, lexicon) for word in (*words, *meant.values())):
        if not (_TOLD.isdisjoint(text) and _MESSAGES.isdisjoint(words)):
            return text
        meant = {word: other for word, other in meant.items() if _is_likely(word, other)}
    elif not any(is_plain_slip(word, other) or _is_likely(word, other) for word, other in meant.items()):
        meant = {word: other for word, other in meant.items() if is_american(word, other)}
    return _WORD.sub(lambda found: meant.get(found[0].lower()) or found[0], text)


def _is_form(word: str) -> bool:
    """Whether a word is the plural or the -ing form of a known one: "mouses", "coking"."""
    known = known_words()
    return (word[-1] == "s" and word[-2:] not in ("ys", "ss") and word[:-1] in known) or (
        word.endswith("ing") and f"{word[:-3]}e" in known
    )


def _is_language(word: str, lexicon: Lexicon) -> bool:
    entry = lexicon.entries.get(word)
    return entry is not None and entry.label == "programming_language"


def _is_likely(word: str, meant: str) -> bool:
    """Whether letters of a frequent word are swapped or doubled, or one is left out."""
    if len(word) <= 4 or known_words().get(meant, _FREQUENT) >= _FREQUENT:
        return False
    return sorted(word) == sorted(meant) or undoubled(word) == undoubled(meant) or is_short_of_one(word, meant)
