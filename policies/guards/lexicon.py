"""The data behind the guard: words, phrases, opposites, units and names, from YAML files and a policy's additions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from policies.guards.number_words import NUMBER_WORDS
from policies.guards.said import translation_patterns
from policies.guards.vocabulary import base_form, derived_words, known_words, read_yaml

GAP = "@x"
_FIRST, _LAST, _VERB = "@first", "@last", "@verb"
_VERBS = frozenset(
    (
        "is", "are", "was", "were", "do", "does", "did", "can", "could", "should", "must", "may", "might", "will",
        "would",
    )
)  # fmt: skip
_END = ""
Trie = dict[str, Any]
"""Nested dictionaries by word; _END holds the replacement, GAP a node reached over one to four words."""

VOID, SOFT, PLAIN, NAME, ASPECT = 0, 1, 2, 3, 4

_LABELS = {
    "languages": "language",
    "programming": "programming_language",
    "formats": "format",
}
_NOTHING: frozenset[str] = frozenset()
_NOTHING_SIGNED: frozenset[int] = frozenset()


class Entry(NamedTuple):
    """What the lexicon knows about a base form."""

    kind: int
    keys: frozenset[str]
    aspects: frozenset[str]
    label: str
    poles: frozenset[int]


@dataclass(frozen=True, slots=True)
class Small:
    """The closed classes of words.yaml."""

    void: frozenset[str]
    prepositions: frozenset[str]
    auxiliary: frozenset[str]
    subject: frozenset[str]
    question: Mapping[str, str]
    coordinators: frozenset[str]
    symmetric: frozenset[str]
    graded: frozenset[str]
    quantifiers: Mapping[str, str]
    light: frozenset[str]
    negators: frozenset[str]
    foreign: frozenset[str]
    common: frozenset[str]
    commands: frozenset[str]
    not_bare: frozenset[str]
    substances: frozenset[str]
    implied: Mapping[str, frozenset[str]]
    """By base form, beside which other words it goes without saying."""
    months: frozenset[str]
    tense: Mapping[str, str]
    modal: Mapping[str, str]
    contractions: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything a parse looks words up in. Immutable: `extended` returns another one."""

    small: Small
    first: Trie
    second: Trie
    openings: Trie
    asides: Trie
    purposes: Trie
    """What begins a sentence, or is a clause, and asks nothing; a purpose only where it changes no answer."""
    entries: Mapping[str, Entry]
    symbols: Mapping[str, frozenset[str]]
    cased: frozenset[str]
    """Symbols that are another unit in other case ("Mb", "MB")."""
    unclear: frozenset[str]
    """Symbols in lower case that are no unit as such, but several in other case ("mw": mW or MW)."""
    spelled: Mapping[str, frozenset[str]]
    listed: frozenset[str]
    """Words whose meaning the guard must not miss: misspelled, they are corrected before anything else looks."""
    sources: Mapping[str, Any] = field(repr=False)

    def extended(
        self,
        contrasts: Sequence[Sequence[Sequence[str]]] = (),
        units: Mapping[str, Sequence[str]] | None = None,
        names: Iterable[str] = (),
        synonyms: Iterable[Sequence[str]] = (),
    ) -> Lexicon:
        """This lexicon with a policy's own words.

        contrasts: pairs of word lists, `[[["arm"], ["disarm"]]]`; units: name to spellings, `{"furlong": ["fur"]}`;
        names: words; synonyms: groups of words.
        """
        return _build(
            self.sources,
            [*self.sources["more_contrasts"], *contrasts],
            {**self.sources["more_units"], **(units or {})},
            [*self.sources["more_names"], *names],
            [*self.sources["more_synonyms"], *synonyms],
        )

    def entry(self, word: str) -> Entry | None:
        found = self.entries.get(word)
        return found if found is not None else self.entries.get(base_form(word))


@cache
def default_lexicon() -> Lexicon:
    """The lexicon of the packaged data files."""
    translation_patterns()  # takes longest of all to make: with the lexicon, and not under the first prompt
    sources = {
        "words": read_yaml("words.yaml"),
        "contrasts": read_yaml("contrasts.yaml"),
        "units": read_yaml("units.yaml"),
        "names": read_yaml("names.yaml"),
        "phrases": read_yaml("phrases.yaml"),
        "synonyms": read_yaml("synonyms.yaml"),
    }
    return _build(sources, [], {}, [], [])


def _build(
    sources: Mapping[str, Any],
    more_contrasts: Sequence[Sequence[Sequence[str]]],
    more_units: Mapping[str, Sequence[str]],
    more_names: Sequence[str],
    more_synonyms: Sequence[Sequence[str]],
) -> Lexicon:
    words = sources["words"]
    small = _small(words)
    keys: dict[str, set[str]] = {}
    kinds: dict[str, int] = {}
    labels: dict[str, str] = {}
    for word in (words["soft"] + " " + words["graded"]).split():
        kinds[base_form(word)] = SOFT
    for word in words["void"].split():
        kinds[word] = VOID
    aspects: dict[str, set[str]] = {}
    _add_synonyms(keys, aspects, [*(row.split() for row in sources["synonyms"]["rows"].splitlines()), *more_synonyms])
    for number, (one, other) in enumerate(derived_words()):
        shared = f"+{number}"
        keys.setdefault(one, set()).add(shared)
        keys.setdefault(other, set()).add(shared)
    _add_names(keys, kinds, labels, sources["names"], more_names, frozenset(words["ambiguous_names"].split()))
    poles = _poles([*(_sides(row) for row in sources["contrasts"]["rows"].splitlines()), *more_contrasts])
    symbols, spelled = _units(sources["units"], more_units)
    entries = {
        word: Entry(
            kinds.get(word, PLAIN),
            frozenset((*keys.get(word, ()), word)),
            frozenset(aspects[word]) if word in aspects else _NOTHING,
            labels.get(word, ""),
            frozenset(poles[word]) if word in poles else _NOTHING_SIGNED,
        )
        for word in {*keys, *aspects, *kinds, *poles}
    }
    first: Trie = {}
    second: Trie = {}
    apart: dict[str, Trie] = {"openings": {}, "asides": {}, "purposes": {}}
    for section, lines in sources["phrases"].items():
        trie = apart.get(section, first if section in ("polite", "things") else second)
        for line in lines.splitlines():
            _add_phrase(trie, line)
    kept = {
        **sources,
        "more_contrasts": list(more_contrasts),
        "more_units": dict(more_units),
        "more_names": list(more_names),
        "more_synonyms": list(more_synonyms),
    }
    listed = frozenset(
        word
        for word in {
            *words["void"].split(),
            *words["soft"].split(),
            *small.prepositions,
            *small.auxiliary,
            *small.question,
            *small.quantifiers,
            *small.common,
            *small.negators,
            *NUMBER_WORDS,
            *spelled,
            *poles,
            *_phrase_words(first),
            *_phrase_words(second),
        }
        if len(word) > 2 and word.isalpha()
    )
    return Lexicon(
        small, first, second, **apart, entries=entries, symbols=symbols, cased=_cased(symbols),
        unclear=_unclear(symbols), spelled=spelled, listed=listed, sources=kept,
    )  # fmt: skip


def _phrase_words(trie: Trie) -> set[str]:
    """Every word that stands in a phrase."""
    found: set[str] = set()
    waiting = [trie]
    while waiting:
        for word, node in waiting.pop().items():
            if word != _END:
                found.add(word)
                waiting.append(node)
    return found


def _small(words: Mapping[str, Any]) -> Small:
    def split(name: str) -> frozenset[str]:
        return frozenset(words[name].split())

    def inverted(name: str) -> dict[str, str]:
        return {word: value for value, listed in words[name].items() for word in listed.split()}

    return Small(
        void=split("void"),
        prepositions=split("prepositions"),
        auxiliary=split("auxiliary"),
        subject=split("subject"),
        question=words["question"],
        coordinators=split("coordinators"),
        # "Dating" is mutual, a date is not.
        symmetric=frozenset(word if word.endswith("ing") else base_form(word) for word in split("symmetric")),
        graded=frozenset(map(base_form, split("graded"))),
        quantifiers=inverted("quantifiers"),
        light=split("light"),
        negators=split("negators"),
        foreign=split("foreign"),
        common=split("common"),
        commands=split("commands"),
        not_bare=split("not_bare"),
        substances=split("substances"),
        implied={
            word: frozenset((*beside.split(), *map(base_form, beside.split())))
            for word, beside in words["implied"].items()
        },
        months=split("months"),
        tense=inverted("tense"),
        modal=inverted("modal"),
        contractions={short: tuple(full.split()) for short, full in words["contractions"].items()},
    )


def _add_synonyms(keys: dict[str, set[str]], aspects: dict[str, set[str]], groups: Iterable[Sequence[str]]) -> None:
    """Give the words of a group one key; a group that begins with an @aspect names what the others answer."""
    for number, group in enumerate(groups):
        if group[0].startswith("@"):
            for word in group[1:]:
                aspects.setdefault(base_form(word), set()).add(group[0])
        else:
            for word in group:
                keys.setdefault(base_form(word), set()).add(f"~{number}")


def _add_names(
    keys: dict[str, set[str]],
    kinds: dict[str, int],
    labels: dict[str, str],
    names: Mapping[str, Sequence[str]],
    more: Sequence[str],
    ambiguous: frozenset[str],
) -> None:
    for kind, rows in [*names.items(), ("more", more)]:
        for row in rows:
            head, _, rest = row.partition(" = ")
            group = [name.strip() for name in (f"{head},{rest}" if rest else head).split(",")]
            shared = f"={group[0]}" if rest else ""
            for name in group:
                word = base_form(name)
                if shared:
                    keys.setdefault(word, set()).add(shared)
                kinds.setdefault(word, PLAIN if name in ambiguous else NAME)
                label = _LABELS.get(kind, "entity")
                labels.setdefault(word, label)


def _sides(row: str) -> list[list[str]]:
    return [side.split() for side in row.split("|")]


def _poles(rows: Iterable[Sequence[Sequence[str]]]) -> dict[str, set[int]]:
    poles: dict[str, set[int]] = {}
    for axis, (one, other) in enumerate(rows, 1):
        for sign, words in ((axis, one), (-axis, other)):
            for word in words:
                poles.setdefault(base_form(word), set()).add(sign)
    return poles


def _units(
    groups: Mapping[str, Any], more: Mapping[str, Sequence[str]]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    symbols: dict[str, set[str]] = {}
    spelled: dict[str, set[str]] = {}
    for units in groups.values():
        for unit, (short, long) in units.items():
            for symbol in str(short).split():
                symbols.setdefault(symbol, set()).add(unit)
            for word in str(long).split():
                spelled.setdefault(base_form(word), set()).add(unit)
                spelled.setdefault(word, set()).add(unit)
    for unit, words in more.items():
        for word in words:
            spelled.setdefault(base_form(word), set()).add(unit)
            symbols.setdefault(word, set()).add(unit)
    freeze = {word: frozenset(found) for word, found in symbols.items()}
    return freeze, {word: frozenset(found) for word, found in spelled.items()}


def _cased(symbols: Mapping[str, frozenset[str]]) -> frozenset[str]:
    spellings: dict[str, set[str]] = {}
    for symbol in symbols:
        spellings.setdefault(symbol.lower(), set()).add(symbol)
    return frozenset(
        symbol
        for group in spellings.values()
        for symbol in group
        if len(symbol) > 1
        and not symbol.islower()
        and any(symbols[symbol].isdisjoint(symbols[other]) for other in group)
    )


def _unclear(symbols: Mapping[str, frozenset[str]]) -> frozenset[str]:
    meanings: dict[str, set[frozenset[str]]] = {}
    for symbol, units in symbols.items():
        meanings.setdefault(symbol.lower(), set()).add(units)
    return frozenset(
        symbol for symbol, found in meanings.items() if len(symbol) > 1 and len(found) > 1 and symbol not in symbols
    )


def _add_phrase(trie: Trie, line: str) -> None:
    left, _, right = line.partition("->")
    pattern, replacement = left.split(), tuple(right.split())
    while pattern and replacement and pattern[-1] == GAP == replacement[-1]:
        pattern, replacement = pattern[:-1], replacement[:-1]
    choices = [_choices(element) for element in pattern]
    for combination in product(*choices):
        node = trie
        words = [word for word in combination if word]
        if not words:
            continue
        for word in words:
            node = node.setdefault(word, {})
        verb = next((word for word in words if word in _VERBS), "")
        ends = {_FIRST: words[0], _LAST: words[-1], _VERB: verb}
        node.setdefault(_END, tuple(read for word in replacement if (read := ends.get(word, word))))


def _choices(element: str) -> list[str]:
    if element.startswith("("):
        return ["", *element.strip("()").split("/")]
    return element.split("/")


def is_known(word: str, lexicon: Lexicon) -> bool:
    """Whether the word is one of the language's, or of the lexicon's, and so not a misspelling."""
    return (
        word in known_words()
        or word in lexicon.entries
        or base_form(word) in lexicon.entries
        or word in lexicon.spelled
    )
