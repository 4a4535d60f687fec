"""Reads a prompt into Facts: one pass over its words, each looked up once."""

from __future__ import annotations

import hashlib
from itertools import pairwise

from policies.guards.facts import ASPECT, NAME, PLAIN, SOFT, Facts, Quantity, Term
from policies.guards.lexicon import VOID, Lexicon, default_lexicon, is_known
from policies.guards.number_words import NUMBER_WORDS
from policies.guards.numbers import clock, read_digits, read_words, roman, times
from policies.guards.reading import CAPITAL, CONTRACTED, DIGITS, POSSESSIVE, Item, apply_phrases, read
from policies.guards.spelling import suggestion
from policies.guards.tokens import MAX_CHARS, tokenize
from policies.guards.vocabulary import base_form, known_words

_STOPS = frozenset(".!?;\n…:")
_BOUNDS = {"!more": ">", "!less": "<", "!atleast": ">=", "!atmost": "<=", "over": ">", "above": ">", "under": "<", "below": "<", "beyond": ">"}
_NOT_BARE = frozenset("in us st pt ct mi ha ms min sec bar mo cal kn hr rad won t d s h y m g l a b c f k n v w j ac real ton mole ms pa gy ly bit gr gm ad cl atm".split())
_TIME_UNITS = frozenset("nanosecond microsecond millisecond second minute hour day week fortnight month year decade century".split())
MAX_TERMS = 160
"""More words of meaning than an embedder's window holds: compare stays bounded."""
_ANY = frozenset(("*",))
_SINCE = frozenset(("since", "until", "by", "against"))
_PERSONS = {"my": "first", "our": "first", "your": "second", "his": "he", "he": "he", "him": "he", "her": "she", "she": "she", "hers": "she"}
_NUMBERED = frozenset("ww type phase part chapter level class grade volume act book stage".split())
_CONVERTING = frozenset(("convert", "conversion", "converted", "express", "expressed"))
_EMPTY: frozenset[str] = frozenset()


def parse(text: str, lexicon: Lexicon | None = None) -> Facts:
    """The facts of a prompt. Linear in its length; a prompt over MAX_CHARS is opaque and equals only itself."""
    if len(text) > MAX_CHARS:
        return _opaque(text)
    lexicon = default_lexicon() if lexicon is None else lexicon
    reading = read(tokenize(text), lexicon)
    english, fragment = _language(reading.items, text, lexicon)
    items = reading.items
    if english:
        items = apply_phrases(apply_phrases(items, lexicon.first), lexicon.second)
    parser = _Parser(items, lexicon)
    parser.run()
    if len(parser.terms) + len(parser.quantities) + len(reading.code) > MAX_TERMS:
        return _opaque(text)
    return Facts(
        words=tuple(item.word for item in reading.items if item.word not in _STOPS and item.word != ","),
        terms=tuple(parser.terms),
        quantities=tuple(parser.quantities),
        units=tuple(parser.units),
        quoted=tuple(reading.quoted),
        code=tuple(reading.code),
        questions=frozenset(parser.questions),
        negations=tuple(parser.negations),
        only=tuple(parser.only),
        excepted=tuple(parser.excepted),
        quantifiers=frozenset(parser.quantifiers),
        person=parser.person,
        addressed=parser.addressed,
        tense=parser.tense,
        modal=parser.modal,
        being=parser.being,
        formats=frozenset(parser.formats),
        symmetric=parser.symmetric,
        english=english,
        fragment=fragment,
    )


def _opaque(text: str) -> Facts:
    """Facts that only the same text has."""
    return Facts(words=(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),), english=False)


def _language(items: list[Item], text: str, lexicon: Lexicon) -> tuple[bool, bool]:
    """Whether the prompt reads as English, and whether it is a fragment: words without any function word."""
    foreign_letters = sum(1 for letter in text if letter > "\x7f" and letter.isalpha()) if not text.isascii() else 0
    letters = sum(map(str.isalpha, text)) if foreign_letters else 1
    if foreign_letters > 0.1 * letters:
        return False, False
    common = foreign = total = 0
    for item in items:
        if item.word[0].isalpha():
            total += 1
            if item.word in lexicon.small.common:
                common += 1
            elif item.word in lexicon.small.foreign:
                foreign += 1
    if foreign > common or (foreign and not common):
        return False, False
    return True, not common


class _Parser:
    """The state of one pass. Used once, then dropped."""

    def __init__(self, items: list[Item], lexicon: Lexicon) -> None:
        self.items = items
        self.words = [item.word for item in items]
        self.lexicon = lexicon
        self.terms: list[Term] = []
        self.quantities: list[Quantity] = []
        self.units: list[frozenset[str]] = []
        self.questions: set[str] = set()
        self.negations: list[frozenset[str]] = []
        self.only: list[frozenset[str]] = []
        self.excepted: list[frozenset[str]] = []
        self.quantifiers: set[str] = set()
        self.formats: set[str] = set()
        self.tense = ""
        self.modal = ""
        self.symmetric = False
        self.slot = ""
        self.joined = ""
        self.person = ""
        self.clause_start = True
        self.pending: list[str] = []
        """Negations, "only" and "except" that wait for the term they are about."""
        self.bound = ""
        self.turned = False
        self.addressed = False
        self.being = False
        self.counting = False
        self.converting = False
        self.last_aux = -2

    def run(self) -> None:
        small = self.lexicon.small
        index = 0
        items = self.items
        self.converting = any(word in _CONVERTING for word in self.words)
        while index < len(items):
            item = items[index]
            word = item.word
            if word in _STOPS or word in ",()[]{}—–":
                if word in _STOPS:
                    self._flush()
                    self.clause_start = True
                elif word == ",":
                    self.clause_start = self.clause_start or not self.questions
                    self.joined = "," if self.terms else ""
                self.slot = ""
                index += 1
                continue
            first = word[0]
            if item.flags & DIGITS or first.isdigit() or word in NUMBER_WORDS:
                taken = self._number(index)
                if taken:
                    index += taken
                    self.clause_start = False
                    continue
            if first in "@#!" and len(word) > 1:
                self._marker(word, index)
                index += 1
                continue
            if word == '"':
                self._take_pending(frozenset(("*",)))
                self.clause_start = False
                index += 1
                continue
            if word in _PERSONS and not self.person:
                self.person = _PERSONS[word]
            elif word == "you" and self._addressed(index):
                self.addressed = True
            if word in small.question:
                self._question(small.question[word])
                if word == "who":
                    self._main_verb(index + 1)
                index += 1
                continue
            if word in small.auxiliary and not self._is_noun(word, index):
                self._auxiliary(word, index)
                index += 1
                continue
            if word in ("not", "never", "without", "no", "neither", "nor", "cannot", "hardly", "avoid", "avoiding", "notonly"):
                self._negation(word, index)
                index += 1
                continue
            if word == "only":
                self.pending.append("only")
                index += 1
                continue
            if word in small.coordinators:
                self.joined = word if word in ("and", "or") else "vs"
                if word in ("versus", "vs", "between"):
                    self.symmetric = True
                if word in ("and", "or", "vs"):
                    index += 1
                    continue
            if word == "most" and self._counts_most(index):
                self.quantifiers.add("most")
                index += 1
                continue
            if word in small.quantifiers:
                self.quantifiers.add(small.quantifiers[word])
                if "not" in self.pending:
                    self.pending.remove("not")
                    self.negations.append(frozenset(("!" + small.quantifiers[word],)))
                index += 1
                continue
            if word in small.prepositions:
                self._preposition(word, index)
                index += 1
                continue
            index += self._content(item, index)
        self._flush()
        if self.units and self.quantities:
            # "How many miles is 5 km": what is counted is the unit, and it is on record.
            self.terms = [term for term in self.terms if term.word not in ("@count", "@price", "convert")]

    def _is_noun(self, word: str, index: int) -> bool:
        """ "In May", "a can of coke", "the will"."""
        if word not in ("may", "can", "will", "must", "might"):
            return False
        before = self.words[index - 1] if index else ""
        if word == "may" and (before in ("in", "of", "on", "since", "until", "by", "last", "next", "this") or before[:1].isdigit()):
            return True
        return before in ("a", "an", "the", "of", "my", "per") or (word == "may" and bool(self.items[index].flags & CAPITAL))

    def _addressed(self, index: int) -> bool:
        """Whether "you" is the one who answers ("have you ever", "do you fear") and not anyone at all ("can you freeze")."""
        before = self.words[index - 1] if index else ""
        following = self.words[index + 1] if index + 1 < len(self.words) else ""
        return "how" not in self.questions and (before in ("have", "did", "were") or following in ("have", "ever", "think") or (before in ("do", "would") and "polar" not in self.questions))

    def _counts_most(self, index: int) -> bool:
        """Whether "most" is a share ("most people", "most of") and not a superlative ("most popular")."""
        following = self.words[index + 1] if index + 1 < len(self.words) else ""
        return following in ("of", "people") or (base_form(following) != following and following.endswith("s"))

    def _marker(self, word: str, index: int) -> None:
        name = word[1:]
        if word[0] == "#":
            self.formats.add(name)
            return
        if word[0] == "!":
            if name in ("only", "except"):
                self.pending.append(name)
            elif word in _BOUNDS:
                following = self.items[index + 1 : index + 3]
                if any(item.flags & DIGITS or item.word in NUMBER_WORDS for item in following):
                    self.bound = _BOUNDS[word]
                elif name in ("more", "less"):
                    said = self.items[index].raw
                    self._add(said, self.lexicon.entry(said), 0)
                else:
                    self._add(name, None, 0)
            return
        if name in ("how", "howto", "why", "when", "where", "who", "what", "which"):
            self._question("how" if name == "howto" else name, force=True)
            return
        if name == "canyou":
            self._auxiliary("can", index)
            return
        if name == "count":
            self.counting = True
        self._question("what", force=True)
        self.terms.append(
            Term(word, frozenset((word,)), frozenset((word,)), ASPECT, "", self.slot, "", False, _EMPTY, False, True, _EMPTY)
        )
        self.clause_start = False

    def _main_verb(self, index: int) -> None:
        """ "Who wrote", "who owns": the verb behind the question word tells the tense."""
        word = self.words[index] if index < len(self.words) else ""
        base = base_form(word)
        if self.tense or base == word or word in self.lexicon.small.auxiliary or not word.isalpha():
            return
        self.tense = "verb-present" if word.endswith("s") else "" if word.endswith("ing") else "verb-past"

    def _question(self, kind: str, force: bool = False) -> None:
        if force or self.clause_start or not self.questions:
            if not (self.questions and not force and not self.clause_start):
                self.questions.add(kind)
        self.clause_start = False

    def _auxiliary(self, word: str, index: int) -> None:
        small = self.lexicon.small
        if not self.tense:
            self.tense = small.tense.get(word, "")
            self.being = word in ("is", "are", "was", "were", "am", "has", "have", "had")
        if not self.modal and word in small.modal:
            self.modal = small.modal[word]
        if self.clause_start and not self.questions and index + 1 < len(self.words):
            following = self.words[index + 1]
            if not (word in ("do", "be", "have") and following in ("not", "never")) or self.items[index + 1].flags & CONTRACTED and index + 2 < len(self.words) and self.words[index + 2] in small.subject:
                if word not in ("do", "have", "be", "must") or following in small.subject or following == "not" or self.items[index + 1].flags & CAPITAL or following.endswith("s"):
                    self.questions.add("polar")
        if word == "isthere":
            self.questions.add("polar")
        self.clause_start = False
        self.last_aux = index
        if self.slot in ("than",):
            self.slot = ""

    def _negation(self, word: str, index: int) -> None:
        self.clause_start = False
        if word == "notonly":
            return
        if word in ("avoid", "avoiding"):
            self.negations.append(_ANY)
            return
        if word in ("neither", "nor"):
            self.quantifiers.add("neither")
            return
        following = self.words[index + 1] if index + 1 < len(self.words) else ""
        if word == "not" and self.items[index].flags & CONTRACTED and following in self.lexicon.small.subject:
            self.negations.append(_ANY)
            return
        self.pending.append("not")
        if word == "without":
            self.slot = ""

    def _preposition(self, word: str, index: int) -> None:
        self.clause_start = False
        following_word = self.words[index + 1] if index + 1 < len(self.words) else "."
        if word in ("in", "on", "over") and (following_word in _STOPS or following_word in self.lexicon.small.prepositions) and index:
            self._add(word, self.lexicon.entry(word)._replace(kind=SOFT) if self.lexicon.entry(word) else None, 0)
            return
        if word in _BOUNDS:
            following = self.items[index + 1] if index + 1 < len(self.items) else None
            if following is not None and (following.flags & DIGITS or following.word in NUMBER_WORDS):
                self.bound = _BOUNDS[word]
                return
        if word == "of":
            if not self.slot:
                self.slot = "of"
            return
        self.slot = word
        if word in ("before", "after", "between", "since", "until", "against", "than"):
            entry = self.lexicon.entry(word)
            self.terms.append(
                Term(
                    word, frozenset((word,)), _EMPTY, PLAIN if word in ("before", "after", "against") else SOFT, "", "", "", False,
                    entry.poles if entry else _EMPTY, False, True, _EMPTY,
                )  # fmt: skip
            )

    def _number(self, index: int) -> int:
        """Read the number at this place, with its unit; how many items it took."""
        items = self.items
        item = items[index]
        if item.flags & DIGITS or item.word[0].isdigit():
            value, units, kind = read_digits(item.raw or item.word, self.lexicon)
            taken = 1
            following = items[index + 1].word if index + 1 < len(items) else ""
            if kind == "literal":
                self._add(value, None, CAPITAL)
                return 1
            if following in ("million", "billion", "thousand", "trillion", "hundred", "lakh", "crore"):
                value, taken = value + following, 2
            elif following in ("am", "pm") and kind in ("number", "time"):
                value, kind, taken = clock(value, following), "time", 2
            elif following in ("st", "nd", "rd", "th"):
                kind, taken = "ordinal", 2
        else:
            if item.word == "half":
                value, kind, taken = "0.5", "number", 1
            elif item.word == "dozen":
                value, kind, taken = "12", "number", 1
            elif item.word == "twice":
                value, kind, taken = "twice", "number", 1
            else:
                value, kind, taken = read_words(self.words, index)
            units = _EMPTY
            if not taken:
                return 0
            following = items[index + taken].word if index + taken < len(items) else ""
            if item.word == "one" and taken == 1 and kind == "number" and following not in self.lexicon.spelled:
                before = self.words[index - 1] if index else ""
                if before in ("list", "give", "name", "exactly", "just", "only", "least"):
                    self.quantifiers.add("one")
                return 1
            if following == "dozen":
                value, taken = times(value, 12), taken + 1
        if kind == "ordinal" and not self._beside_month(index, taken):
            value += "th"
        if not units and kind in ("number", "time") and index + taken < len(items):
            units, more = self._unit_behind(index + taken)
            taken += more
        if units in (frozenset(("week",)), frozenset(("fortnight",))):
            value, units = times(value, self.lexicon.seconds[next(iter(units))]), frozenset(("day",))
        self.quantities.append(Quantity(value, units, self.bound or (self.slot if self.slot in _SINCE else ""), bool(self.joined)))
        self.bound, self.joined, self.counting = "", "", False
        self._take_pending(frozenset((value,)))
        return taken

    def _beside_month(self, index: int, taken: int) -> bool:
        near = self.words[max(index - 2, 0) : index] + self.words[index + taken : index + taken + 2]
        return any(base_form(word) in _MONTHS or word in _MONTHS for word in near)

    def _unit_behind(self, index: int) -> tuple[frozenset[str], int]:
        """The unit named right behind a number, and whether it took an item."""
        item = self.items[index]
        word = item.word
        if word == "in":
            following = self.words[index + 1] if index + 1 < len(self.words) else ""
            return (frozenset(("inch",)), 1) if following in ("to", "in", "into", "as") else (_EMPTY, 0)
        if word in ("degree", "degrees"):
            following = self.items[index + 1].word if index + 1 < len(self.items) else ""
            scale = {"c": "celsius", "f": "fahrenheit", "celsius": "celsius", "fahrenheit": "fahrenheit", "centigrade": "celsius", "kelvin": "kelvin"}.get(following)
            return (frozenset((scale,)), 2) if scale else (frozenset(("degree",)), 1)
        if word == "percent":
            return frozenset(("percent",)), 1
        written = self._as_written(item)
        found = self.lexicon.symbols.get(written) or self.lexicon.spelled.get(word) or self.lexicon.spelled.get(base_form(word))
        if found is None and len(word) > 1:
            found = self.lexicon.symbols.get(word) or self.lexicon.symbols.get(word.upper())
        if not found or word in ("a", "us", "won", "st", "real"):
            return _EMPTY, 0
        return found, 1

    @staticmethod
    def _as_written(item: Item) -> str:
        return item.raw or item.word

    def _bare_unit(self, item: Item, index: int) -> frozenset[str] | None:
        """The unit a word names without a number, where the sentence converts or measures."""
        word = item.word
        lexicon = self.lexicon
        spelled = lexicon.spelled.get(word) or lexicon.spelled.get(base_form(word))
        if not spelled and not (word in lexicon.symbols or len(word) == 1 or item.raw in lexicon.symbols):
            return None
        before = self.words[index - 1] if index else ""
        measured = any(quantity.units for quantity in self.quantities)
        placed = (self.counting and self._measures()) or before in ("to", "in", "into", "per", "as") or self.converting
        if spelled:
            if before in ("a", "an") and (self.units or self.converting) and index > 1:
                self.quantities.append(Quantity("1", spelled, "", False))
                return _EMPTY
            if placed or (measured and not spelled <= _TIME_UNITS):
                return spelled
            return None
        symbol = self.lexicon.symbols.get(self._as_written(item)) or (self.lexicon.symbols.get(word) if word not in _NOT_BARE else None)
        if symbol and len(word) > 1 and word not in _NOT_BARE and (placed or measured):
            return symbol
        if symbol and measured and before in ("to", "in", "into"):
            return symbol
        if len(word) == 1 and measured and before in ("to", "in", "into"):
            return self.lexicon.symbols.get(word.upper())
        return None

    def _content(self, item: Item, index: int) -> int:
        word = item.word
        unit = self._bare_unit(item, index)
        if unit is not None:
            self.counting = False
            self.clause_start = False
            if unit:
                self.units.append(unit)
                self.slot = ""
            return 1
        if item.flags & CAPITAL or (self.terms and self.terms[-1].word == "ww"):
            numbered = bool(self.terms) and (self.terms[-1].word in _NUMBERED or self.terms[-1].kind == NAME)
            value = roman(word.upper()) if len(word) < 6 and set(word) <= set("ivx") and (len(word) > 1 or (numbered and index == len(self.words) - 1 or self.terms and self.terms[-1].word in _NUMBERED)) else ""
            if value and self.terms:
                self.quantities.append(Quantity(value, _EMPTY, "", False))
                return 1
        if word == "x" and self.quantities and index + 1 < len(self.items) and self.items[index + 1].flags & DIGITS:
            word = "times"
        entry = self.lexicon.entry(word)
        if word == "name" and self.clause_start and not self.terms and not self.questions:
            return 1
        if word == "less" and self._turns_round(index):
            # "Less safe" is "more unsafe".
            self.turned = True
            word, entry = "more", self.lexicon.entry("more")
        if entry is not None and entry.kind == VOID and not (item.flags & CAPITAL and word.isupper()):
            if word not in ("and", "a", "the", "an"):
                self.counting = self.counting and word in ("of", "the")
            if self.clause_start and word not in ("so", "and", "then", "also", "but"):
                self.clause_start = False
            return 1
        self._add(word, entry, item.flags)
        return 1

    def _turns_round(self, index: int) -> bool:
        """Whether "less" stands before an adjective that has an opposite."""
        following = self.lexicon.entry(self.words[index + 1]) if index + 1 < len(self.words) else None
        return following is not None and bool(following.poles) and following.kind != VOID

    def _add(self, word: str, entry: object, flags: int) -> None:
        from policies.guards.lexicon import Entry

        base = base_form(word)
        if flags & CAPITAL and base != word and word in known_words() and base not in self.lexicon.entries:
            base = word
        found = entry if isinstance(entry, Entry) else None
        keys = found.keys if found else frozenset((base, word))
        kind = found.kind if found else PLAIN
        label = found.label if found else ""
        poles = found.poles if found else frozenset()
        if kind == SOFT and base in ("become", "write") and "how" not in self.questions and self.terms:
            kind = PLAIN
        digits = any(letter.isdigit() for letter in word)
        if (flags & CAPITAL or digits) and kind != SOFT:
            kind, label = NAME, label or "entity"
        negated = False
        if self.turned and word != "more":
            self.turned = False
            if poles:
                negated, poles = True, frozenset(-pole for pole in poles)
        if "not" in self.pending:
            if poles:
                self.pending.remove("not")
                negated = True
                poles = frozenset(-pole for pole in poles)
            elif base not in self.lexicon.small.light:
                self.pending.remove("not")
                self.negations.append(keys)
        if self.pending:
            self._take_pending(keys)
        if base in self.lexicon.small.symmetric:
            self.symmetric = True
        known = found is not None or is_known(word, self.lexicon)
        guess = _EMPTY
        if not known:
            base = word
            intended = suggestion(word, self.lexicon.listed)
            if intended:
                meant = self.lexicon.entry(intended)
                guess = meant.keys if meant else frozenset((base_form(intended),))
        aspects = found.aspects if found else _EMPTY
        graded = base in self.lexicon.small.graded
        self.terms.append(Term(base, keys, aspects, kind, label, self.slot, self.joined, negated, poles, graded, known, guess))
        self.joined = ""
        self.clause_start = False
        self.counting = False

    def _take_pending(self, keys: frozenset[str]) -> None:
        for waiting in self.pending:
            {"not": self.negations, "only": self.only, "except": self.excepted}[waiting].append(keys)
        self.pending.clear()

    def _measures(self) -> bool:
        """Whether a unit follows a number or an article anywhere: "2 hours", "a tablespoon"."""
        spelled, symbols = self.lexicon.spelled, self.lexicon.symbols
        return any(
            (before in ("a", "an", "one") or before[0].isdigit() or before in NUMBER_WORDS)
            and (word in spelled or base_form(word) in spelled or (word in symbols and before[0].isdigit()))
            for before, word in pairwise(self.words)
        ) or any(item.flags & DIGITS and not item.raw.isdigit() for item in self.items)

    def _flush(self) -> None:
        """At the end of a sentence nothing may wait any longer."""
        if self.pending:
            self._take_pending(_ANY)


_MONTHS = frozenset("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec".split())
