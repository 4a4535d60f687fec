"""The facts of a prompt while they are being read: what the readers of each group write into."""

from __future__ import annotations

from functools import lru_cache

from policies.guards.facts import NAME, PLAIN, SOFT, Act, Quantity, Term, Undergone
from policies.guards.lexicon import Entry, Lexicon, is_known
from policies.guards.reading import CAPITAL, IDENTIFIER, POSSESSIVE, Item
from policies.guards.said import literal_lists
from policies.guards.spelling import suggestion
from policies.guards.vocabulary import base_form, known_words

STOPS = frozenset(".!?;\n…:")
ANY = frozenset(("*",))
"""Keys of what can't be told: it goes with any term."""
NOTHING: frozenset[str] = frozenset()
_SHORT = 3
"""Letters of a stem that may be anything."""
_PERSONS = frozenset(("friend", "neighbor", "roommate", "sibling", "acquaintance"))
_OWNERS = frozenset(("my", "your", "his", "her", "our", "their"))


@lru_cache(maxsize=1 << 13)
def _adjective(adverb: str) -> frozenset[str]:
    """The keys of the adjective an adverb is made from: "repeatedly" is "repeated"."""
    stems = (adverb[:-2], adverb[:-3] + "y" if adverb.endswith("ily") else "", adverb[:-1] + "e", adverb[:-4])
    if adverb in literal_lists()["no_adverbs"] or len(adverb) < 6:
        return NOTHING
    stem = next((stem for stem in stems[:3] if stem in known_words()), stems[3] if adverb.endswith("ally") else "")
    return frozenset((stem, base_form(stem))) if stem in known_words() else NOTHING


def _rare_verb(form: str) -> frozenset[str]:
    """The keys of a verb outside the vocabulary that a word is a form of: "descaling" belongs to "descale"."""
    stem = form.removesuffix("ing") if form.endswith("ing") else form.removesuffix("ed")
    return frozenset((stem, f"{stem}e")) if stem != form and len(stem) > _SHORT else NOTHING


class Draft:
    """The words of one prompt and what has been read of them so far. Used for one pass, then dropped."""

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
        self.being = False
        self.person = ""
        self.addressed = False
        self.agents: set[str] = set()
        self.patients: set[str] = set()
        self.acts: list[Act] = []
        self.undergone: list[Undergone] = []
        self.asks_for = ""
        self.subject = ""
        self.symmetric = False
        self.turn = 0

        # What the words read last mean for the next one.
        self.slot = ""
        self.joined = ""
        self.then = False
        self.conditional = False
        """Whether the clause being read is a condition."""
        self.bound = ""
        self.currency: frozenset[str] = NOTHING
        """A currency that stands before its number."""
        self.determiner = ""
        self.pending: list[str] = []
        """Negations, "only" and "except" that wait for the term they are about."""
        self.turned = False
        """Whether a "less" waits to turn the next adjective round."""
        self.counting = False
        """Whether "how many" waits for what it counts."""
        self.converting = False
        self.clause_start = True
        self.programming = False
        """Whether the prompt names a programming language."""

    def item_at(self, index: int) -> Item | None:
        """The item at a place, or None outside the prompt."""
        return self.items[index] if 0 <= index < len(self.items) else None

    def word_at(self, index: int) -> str:
        """The word at a place, or empty outside the prompt."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def add(self, word: str, entry: Entry | None, flags: int = 0) -> None:
        """Add a term for a word, and give it what waits for a term: negations, "only", "less"."""
        lexicon = self.lexicon
        base = base_form(word)
        if entry is not None:
            kind, keys, aspects, label, poles = entry
            known = True
        else:
            if flags & CAPITAL and base != word and word in known_words() and base not in lexicon.entries:
                base = word
            kind, keys, aspects, label, poles = PLAIN, frozenset((base, word)), NOTHING, "", frozenset()
            if word.endswith("ly"):
                keys = keys | _adjective(word)
            known = bool(flags & IDENTIFIER) or is_known(word, lexicon)
            if flags & IDENTIFIER:
                kind, base, keys, label = NAME, word, frozenset((word,)), "entity"
        if kind == SOFT and base in ("become", "write") and "how" not in self.questions and self.terms:
            kind = PLAIN
        if kind != SOFT and (flags & CAPITAL or any(map(str.isdigit, word))):
            kind, label = NAME, label or "entity"
        negated = False
        if poles and (self.turned or "not" in self.pending) and word != "more":
            negated = self.turned != ("not" in self.pending)
            if negated:
                poles = frozenset(-pole for pole in poles)
            if "not" in self.pending:
                self.pending.remove("not")
            self.turned = False
        if base in lexicon.small.symmetric or word in lexicon.small.symmetric:
            self.symmetric = self.symmetric or self._is_mutual(word, base)
        guess = NOTHING
        if not known:
            base = word
            if not flags & CAPITAL:
                keys = keys | _rare_verb(word)
            intended = suggestion(word, lexicon.listed)
            if intended:
                meant = lexicon.entry(intended)
                guess = meant.keys if meant else frozenset((base_form(intended),))
        if self.pending:
            self.take_pending(keys | guess, light=base in lexicon.small.light)
        graded = base in lexicon.small.graded
        plural = word.endswith("s") and base != word
        determiner = "" if plural and self.determiner != "all" else self.determiner
        self.terms.append(
            Term(
                base, keys, aspects, kind, label, self.slot, self.joined, negated, poles, graded, known, guess,
                determiner, plural, entry is not None,
                bool(flags & POSSESSIVE), self.then, self.conditional,
                lexicon.small.implied.get(word) or lexicon.small.implied.get(base, NOTHING),
            )
        )  # fmt: skip
        self.joined = ""
        self.then = False
        self.clause_start = False
        self.counting = False

    def _is_mutual(self, word: str, base: str) -> bool:
        """Not "my friend", who is somebody, nor "close the account"."""
        place = next((i for i, item in enumerate(self.words) if item == word), 0)
        if base == "close":
            return self.word_at(place + 1) in ("to", "are", "is") or self.word_at(place - 1) in ("how", "are", "is")
        before = self.word_at(place - 1)
        if base in ("near", "beside"):
            return bool(self.questions & {"polar", "how"}) or self.symmetric  # "hotels near the airport" wants hotels
        if base in ("match", "border"):
            return before not in _OWNERS and before not in ("a", "the")
        return base not in _PERSONS or not (before in _OWNERS or before in ("a", "the"))

    def take_pending(self, keys: frozenset[str], light: bool = False) -> None:
        """Tell what waits which term it is about. A light verb ("have", "do") is never what a "not" denies."""
        kept = ["not"] * self.pending.count("not") if light else []
        for waiting in self.pending:
            if waiting == "not" and light:
                continue
            {"not": self.negations, "only": self.only, "except": self.excepted}[waiting].append(keys)
        self.pending = kept

    def lasts(self) -> bool:
        """Whether it asks how long something takes or lasts."""
        return any(term.word == "@duration" for term in self.terms)

    def end_sentence(self) -> None:
        """At the end of a sentence nothing may wait any longer."""
        if self.pending:
            self.take_pending(ANY)
        self.clause_start = True
        self.conditional = False
