"""A prompt with its slips of the pen put right, for an embedder: to one, a misspelt word is a handful of word pieces.

The guard reads what was written. So a wrong guess here costs a hit, or brings up a candidate that the guard refuses.
"""

import re

from policies.guards.lexicon import default_lexicon
from policies.guards.spelling import suggestion
from policies.guards.vocabulary import known_words

_WORD = re.compile(r"(?<![\w./@\\'’-])[A-Za-z]{4,20}(?![\w/@\\-]|\.\w)")
"""No part of a name in code, an address or a compound."""
_MAX_CHARS = 4000
"""Beyond the windows of small embedders, whose vectors a few slips hardly move."""
_MAX_UNKNOWN = 12
"""Different words; a text with more is no slipshod English. Each takes some 0.3 ms the first time."""


def legible(text: str) -> str:
    """The text with each unknown word replaced by the known one that it may be meant for, if it is clear which.

    Text in another language, as far as its small words tell, and text with other letters stays as it is.
    """
    if len(text) > _MAX_CHARS or not text.isascii():
        return text
    lexicon = default_lexicon()
    small, known = lexicon.small, known_words()
    words = text.lower().split()
    if sum(word in small.foreign for word in words) > sum(word in small.common for word in words):
        return text
    unknown = {
        word
        for word in map(str.lower, _WORD.findall(text))
        if not (word in known or word in lexicon.entries or word in lexicon.spelled or word in small.foreign)
    }
    if not unknown or len(unknown) > _MAX_UNKNOWN:
        return text
    meant = {word: suggestion(word, lexicon.listed) for word in unknown}
    return _WORD.sub(lambda found: meant.get(found[0].lower()) or found[0], text)
