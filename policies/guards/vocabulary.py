"""Which English words exist, and the base form of each."""

from __future__ import annotations

import gzip
from functools import cache, lru_cache
from importlib import resources

import yaml

_VOWELS = frozenset("aeiou")
_RARER = 10
"""By how much a stem without its e must be rarer not to be meant: "compared" is no form of "compar"."""
_PREFIXES = ("un", "re", "de")
_KEEP_S = ("ss", "us", "is")


def read_yaml(name: str) -> object:
    """One data file of this package. The C loader reads the lists in a tenth of the time."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = resources.files("policies.guards").joinpath(name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=loader)  # a safe loader either way


@cache
def known_words() -> dict[str, int]:
    """Frequent English words, names among them, with their rank: a word that is not here may be a misspelling."""
    packed = resources.files("policies.guards").joinpath("vocabulary.txt.gz").read_bytes()
    return {word: rank for rank, word in enumerate(gzip.decompress(packed).decode("ascii").split())}


@cache
def derived_words() -> tuple[tuple[str, ...], ...]:
    """Pairs of words with one root and a sense that follows from the other's ("invent", "invention"), from WordNet."""
    packed = resources.files("policies.guards").joinpath("derived.txt.gz").read_bytes()
    return tuple(tuple(row.split()) for row in gzip.decompress(packed).decode("ascii").splitlines())


@cache
def irregular_forms() -> dict[str, str]:
    """Forms no rule finds, and forms a rule would spoil, with their base form."""
    data = read_yaml("words.yaml")
    assert isinstance(data, dict)
    return {str(form): str(base) for form, base in data["irregular"].items()}


@cache
def common_slips() -> dict[str, str]:
    """Misspellings that are often met and that no rule of one slip puts right, with the word that is meant."""
    data = read_yaml("words.yaml")
    assert isinstance(data, dict)
    return {str(written): str(meant) for written, meant in data["misspelled"].items()}


@lru_cache(maxsize=1 << 15)
def base_form(word: str) -> str:
    """The uninflected form of a lower-case word: no plural, -ing or -ed. Derived words (-er, -ly, -tion) stay apart."""
    irregular = irregular_forms().get(word)
    if irregular is not None:
        return irregular
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("s") and not word.endswith(_KEEP_S):
        word = _singular(word)
        return irregular_forms().get(word, word)
    if word.endswith("ing") and len(word) > 5:
        return british_to_american(_without_suffix(word, word[:-3]))
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ed") and len(word) > 4 and not word.endswith("eed"):
        return british_to_american(_without_suffix(word, word[:-2]))
    return british_to_american(word)


def _singular(word: str) -> str:
    known = known_words()
    if word.endswith(("as", "os")) and word in known and word[:-1] not in known:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y" if word[:-3] + "y" in known or word[:-1] not in known else word[:-1]
    if word.endswith(("uses", "ises", "ases")) and word[:-2] in known and word[:-1] not in known:
        return word[:-2]
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        short = word[:-2]
        if short in known and word[:-1] not in known:
            return short
        return word[:-1] if word[:-1] in known and not word.endswith(("sses", "shes", "ches")) else short
    return british_to_american(word[:-1])


def _without_suffix(word: str, stem: str) -> str:
    """The verb of an -ing or -ed form, or the word itself where no such verb is known."""
    known = known_words()
    if not any(letter in _VOWELS or letter == "y" for letter in stem):
        return word
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
    if doubled and stem[:-1] in known:
        return stem[:-1]
    if stem + "e" in known and (stem not in known or _short_syllable(stem) or known[stem] > _RARER * known[stem + "e"]):
        return stem + "e"
    if stem in known:
        return stem
    if stem.endswith("ll") and stem[:-1] in known:
        return stem[:-1]  # "controlled"
    if len(stem) > 4 and stem.endswith("ll") and stem[:-1] in known:
        return stem[:-1]  # "controlled", "propelled"
    if word.startswith(_PREFIXES):
        bare = _without_suffix(word[2:], stem[2:])
        if bare != word[2:] and bare in known:
            return word[:2] + bare  # "unclogging", "descaling"
    return word if word in known else stem


def _short_syllable(stem: str) -> bool:
    """Whether the stem ends like "hop": a final single consonant would have been doubled, so the verb had an e."""
    return (
        len(stem) >= 3
        and stem[-1] not in _VOWELS
        and stem[-1] not in "wxy"
        and stem[-2] in _VOWELS
        and stem[-3] not in _VOWELS
        and len(stem) <= 4
    ) or (stem[-1] in "cgsuvz" and stem[-2:] not in ("ss", "zz"))


def british_to_american(word: str) -> str:
    """One spelling for both: -our, -ise, -yse, -lled. Only where the other spelling is a known word."""
    other = irregular_forms().get(word)
    if other is not None or len(word) < 6:
        return other or word
    known = known_words()
    for ending, other in (("our", "or"), ("ise", "ize"), ("isation", "ization"), ("yse", "yze"), ("tre", "ter")):
        if word.endswith(ending):
            candidate = word[: -len(ending)] + other
            return candidate if candidate in known else word
    if word.endswith("ll") and word[:-1] in known and word not in known:
        return word[:-1]
    return word
