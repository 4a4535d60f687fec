"""Replaces short forms by what they stand for, since an embedder knows few of them: "pto policy", "whats 2fa".

For the text that is embedded, and for nothing else: a form taken wrongly costs similarity, and can't make two prompts
one.
"""

import re
from collections.abc import Mapping
from functools import cache

from policies.guards.lexicon import default_lexicon
from policies.guards.vocabulary import read_yaml

_WORD = re.compile(r"(?<![\w./@\\'’+-])[A-Za-z0-9]+(?![\w/@\\+-]|\.\w|['’])")
"""No part of a name in code, an address or a compound."""
_MAX_CHARS = 1000
"""A longer text is about more than its short forms."""


def in_long_form(text: str) -> str:
    """The text with each short form of `long_forms.yaml`, and each contraction the guard knows, written in full."""
    if len(text) > _MAX_CHARS or "`" in text:
        return text
    forms = _forms()
    return _WORD.sub(lambda found: forms.get(found[0].lower()) or found[0], text)


@cache
def _forms() -> Mapping[str, str]:
    data = read_yaml("long_forms.yaml")
    assert isinstance(data, dict)
    contractions = {
        short: " ".join(words)
        for short, words in default_lexicon().small.contractions.items()
        if len(short) > 1 or short == "u"  # "r" is a language too
    }
    return contractions | dict(row.strip().split(" = ") for row in data["forms"].splitlines())
