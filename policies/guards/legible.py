"""A prompt with its slips of the pen put right, for an embedder: to one, a misspelt word is a handful of word pieces.

The guard guesses at unknown words in the same way, so it misses a name that is taken for a slip ("CUDA", "Cuba").
Hence words are put right only in a text with a slip such as names seldom look like, and in none about computing, whose
names look like slips, or about how words are written.
"""

import re

from policies.guards.lexicon import Lexicon, default_lexicon
from policies.guards.spelling import suggestion
from policies.guards.vocabulary import known_words

_WORD = re.compile(r"(?<![\w./@\\'’-])[A-Za-z]{4,20}(?![\w/@\\-]|\.\w)")
"""No part of a name in code, an address or a compound."""
_DOUBLED = re.compile(r"(.)\1+")
_MAX_CHARS = 4000
"""Beyond the windows of small embedders, whose vectors a few slips hardly move."""
_MAX_UNKNOWN = 6
"""Different words; a text with more is no slipshod English. Each takes some 0.3 ms the first time."""
_LONG = 7
"""Letters of a word that a name is seldom one letter short of."""
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
        if not (word in known or word in lexicon.entries or word in lexicon.spelled or word in small.foreign)
    }
    if not unknown or len(unknown) > _MAX_UNKNOWN:
        return text
    words = [word.strip(".,;:!?()\"'") for word in text.lower().split()]
    if sum(word in small.foreign for word in words) > sum(word in small.common for word in words):
        return text
    if any(word in _SPELLING or word in _COMPUTING or _is_language(word, lexicon) for word in words):
        return text
    meant = {word: other for word in unknown if (other := suggestion(word, lexicon.listed))}
    if not any(_is_plain(word, other) for word, other in meant.items()):
        return text
    return _WORD.sub(lambda found: meant.get(found[0].lower()) or found[0], text)


def _is_language(word: str, lexicon: Lexicon) -> bool:
    entry = lexicon.entries.get(word)
    return entry is not None and entry.label == "programming_language"


def _is_plain(word: str, meant: str) -> bool:
    """Whether letters are swapped, doubled or not, or one of a long word is left out: few names are a word but so."""
    return len(word) > 4 and (
        sorted(word) == sorted(meant)
        or _DOUBLED.sub(r"\1", word) == _DOUBLED.sub(r"\1", meant)
        or (len(word) >= _LONG and len(meant) == len(word) + 1)
    )
