"""What is to be translated or said in another language: read as if it stood in quotation marks."""

from __future__ import annotations

import re
from functools import cache

from policies.guards.vocabulary import read_yaml

_INSIDE = r"[^\"“”«»`?!:\n]"
_KINDS = "word|phrase|term|expression|translation|equivalent|sentence"
_INTRODUCED = re.compile(rf"(?:the\s+)?(?:english\s+)?(?:{_KINDS}|following)\s+(?=\S)", re.IGNORECASE)
_RENDERED = re.compile(r"\b(?:word|phrase|term|expression|equivalent)\s+(?:for|of)\s*$", re.IGNORECASE)
_TRANSLATING = re.compile(r"\btranslat(?:e|ion)\b", re.IGNORECASE)
_QUOTE = re.compile(r"[\"“”«»`]|(?:^|\s)['‘]")
_LONG = 1_000
"""Longer prompts are not searched for what is to be said."""
_QUOTED = 400
"""What quotation marks can hold."""
_WORD = re.compile("[a-z]+")
_FRAGMENT_WORDS = 4


@cache
def literal_lists() -> dict[str, frozenset[str]]:
    """The lists of words of literal.yaml."""
    data = read_yaml("literal.yaml")
    assert isinstance(data, dict)
    return {name: frozenset(words.split()) for name, words in data.items() if isinstance(words, str)}


@cache
def reversible_compounds() -> frozenset[frozenset[str]]:
    """Pairs of nouns that are another thing in other order ("guest house", "house guest")."""
    return frozenset(frozenset(pair.split("-")) for pair in literal_lists()["reversible"])


@cache
def translation_patterns() -> tuple[tuple[re.Pattern[str], bool], ...]:
    """What introduces a text that is to be said in another language; the group `said` is the text.

    Each with whether it also fits what is no translation."""
    language = "(?:" + "|".join(sorted(literal_lists()["languages"])) + r")\b"
    into = rf"(?:\s+from\s+{language})?\s+(?:in|into|to)\s+(?:[a-z]+\s+)?{language}"
    said = rf"(?P<said>{_INSIDE}{{1,80}}?)"
    to_end = rf"(?P<said>{_INSIDE}{{1,80}})"
    whole = r"(?P<said>[^\"“”«»`]{1,390})$"
    certain = (
        rf"\b(?:translate|translation|say)\b{_INSIDE}{{0,60}}:\s*{whole}",
        rf"\btranslate(?:\s+(?:this|that|it|the\s+following)(?:\s+[a-z]+)?)?{into}\s*[\n.,]\s*{whole}",
        rf"\b(?:say|translate|pronounce|spell|you\s+call|(?:{_KINDS})\s+(?:for|of))\s+(?P<said>{_INSIDE}{{1,200}}?){into}",
        rf"\b(?:is|are|does|do)\s+{said}\s+(?:said|translated|called|spelled|pronounced|mean){into}",
        rf"\b{language}\s+(?:{_KINDS})\s+(?:for|of)\s+{to_end}",
        rf"\bthe\s+{language}\s+for\s+{to_end}",
        rf"\b(?:in|into)\s+{language},?\s+how\s{_INSIDE}{{0,20}}\b(?:say|write|call)\s+{to_end}",
        rf"\b{language}(?:\s+(?:people|speakers))?\s+say\s+{to_end}",
        rf"\bhow\s{_INSIDE}{{0,20}}\bwrite\s+{said}\s+in\s+(?!english)(?:[a-z]+\s+)?{language}",
        rf"\bwould\s+{said}\s+be{into}",
    )
    likely = (
        rf"^\s*(?:what(?:'s|’s|\s+is|s)\s+)?{language}\s+for\s+{to_end}[\s?.!]*$",
        rf"^\s*what(?:'s|’s|\s+is|s)\s+{said}{into}[\s?.!]*$",
        rf"^\s*{said}\s+(?:in|translated\s+(?:in)?to)\s+{language}(?:\s+please)?[\s?.!]*$",
    )
    return tuple((re.compile(one, re.IGNORECASE), one in likely) for one in (*certain, *likely))


def with_quotes(text: str) -> str:
    """The prompt with quotation marks about what is to be said, if it has none: there every word and ending counts."""
    if len(text) > _LONG or not _names_language(text):
        return text
    for pattern, unsure in translation_patterns():
        match = pattern.search(text)
        if match is None:
            continue
        begin, end = match.span("said")
        said = match["said"]
        introduced = _INTRODUCED.match(said)
        if introduced is not None and not unsure:
            begin += introduced.end()
        said = " ".join(text[begin:end].split())
        if not said or re.search(r"(?:^|\s)['‘]|['’](?:\s|$)", said) or (unsure and not _is_text(said)):
            continue
        return f'{_RENDERED.sub("translation of", text[:begin])} "{said}" {text[end:]}'
    return text


def is_long_translation(text: str, quoted: str) -> bool:
    """Whether a text is to be translated that no quotation marks hold: too long, or of several lines and not found.

    quoted: the prompt as `with_quotes` returned it.
    """
    long = len(text) > _QUOTED or ("\n" in text and quoted == text)
    return long and _TRANSLATING.search(text) is not None and _QUOTE.search(text) is None and _names_language(text)


def _names_language(text: str) -> bool:
    return not literal_lists()["languages"].isdisjoint(_WORD.findall(text.lower()))


def _is_text(said: str) -> bool:
    """Whether "what is … in French" and "… in French" ask for a translation."""
    words = said.lower().split()
    lists = literal_lists()
    return len(words) <= _FRAGMENT_WORDS and lists["descriptive"].isdisjoint(words) and words[0] not in lists["orders"]


def kept_case(text: str) -> str:
    """A literal in lower case, but for words that are something else with a capital ("Turkey")."""
    words = text.replace("’", "'").split()
    capitals = literal_lists()["capitals"]
    return " ".join(
        word if (place or len(words) == 1) and word.strip(".,!?;:").lower() in capitals else word.casefold()
        for place, word in enumerate(words)
    )
