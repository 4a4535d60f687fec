"""What a prompt states, as far as a guard can tell: the values that parse makes and compare reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

SOFT, PLAIN, NAME, ASPECT = 1, 2, 3, 4


class Term(NamedTuple):
    """A word, or a phrase read as one, that carries meaning."""

    word: str
    """The base form."""
    keys: frozenset[str]
    """The base form and every group of synonyms or name it belongs to; terms that share one are the same."""
    aspects: frozenset[str]
    """What a question word may ask for to mean this one ("height": @height); for an ASPECT, itself."""
    kind: int
    """SOFT may be missing on one side, PLAIN and NAME may not, ASPECT is what the question asks for."""
    label: str
    """What sort of name it is (a reason of a conflict), or empty."""
    slot: str
    """The preposition that governs it, or empty for a subject or an object."""
    joined: str
    """What ties it to the term before: "and", "or", "vs", a comma, or empty."""
    negated: bool
    poles: frozenset[int]
    """Axes of opposites it lies on: +n or -n, already turned round if it is negated."""
    graded: bool
    """Praise that is soft, but the point where the answer is yes or no."""
    known: bool
    """False for a word outside the vocabulary, which may be a misspelling."""
    guess: frozenset[str]
    """Keys of the word it may be a misspelling of."""
    determiner: str = ""
    """What its phrase begins with: "a", "one" or "all", "this" if it stands for a literal; empty for anything else."""
    plural: bool = False
    listed: bool = False
    """Whether the lexicon lists it: "Barcelona", but not "Janssen"."""
    owner: bool = False
    """Whether it stands in the possessive: "Canada's capital" is the "capital of Canada"."""
    then: bool = False
    """Whether it follows in time or rank what is named before: "by date, then by name"."""
    conditional: bool = False
    """Whether it belongs to the condition ("if it rains, …") and not to what depends on it."""
    beside: frozenset[str] = frozenset()
    """Words, @units and @aspects beside which it goes without saying: "orbit" beside "moon"; "=" for any country."""


class Act(NamedTuple):
    """What a person does, told by a pronoun: "I did not tell"."""

    person: str
    """first, he, she, they, or told ("tell him to call")."""
    verb: str
    passive: bool
    negated: bool
    time: str
    """past, future, or empty where it can't be told."""


class Undergone(NamedTuple):
    """A person that something is done to: "my boss told me"."""

    person: str
    window: frozenset[str]
    """Base forms of the words before it in its clause."""
    nearest: str
    """The last of them that is no preposition."""
    slot: str
    """The preposition that governs the person, or empty."""


class Quantity(NamedTuple):
    """A number with what it counts."""

    value: str
    units: frozenset[str]
    """The units its symbol may mean ("pound": mass or money); empty without one."""
    bound: str
    """"", ">", "<", ">=", "<=", "=", "since", "until", "by": "over 50", "at least 3", "reduced to 25", "since 2010"."""
    joined: str
    """What ties it to what stands before: "and", "or", "vs", a comma, or empty."""
    place: int = 0
    """How many terms stand before it: the next one may be what it counts."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One prompt, parsed. Stored beside a cache entry; equal prompts have equal facts."""

    words: tuple[str, ...]
    """Every token as read, fillers and politeness left out."""
    terms: tuple[Term, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    units: tuple[frozenset[str], ...] = ()
    """Units named without a number: what is converted to."""
    quoted: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    arithmetic: tuple[str, ...] = ()
    """Expressions in which brackets count, and divisions said the other way round."""
    questions: frozenset[str] = frozenset()
    """what, who, when, where, why, how, polar; empty for a command or a fragment."""
    negations: tuple[frozenset[str], ...] = ()
    """Keys of the term each negation denies; empty keys where it can't be told."""
    only: tuple[frozenset[str], ...] = ()
    excepted: tuple[frozenset[str], ...] = ()
    quantifiers: frozenset[str] = frozenset()
    person: str = ""
    """Whose things it is about, if "my" or "your" says so: first, second, he or she."""
    addressed: bool = False
    """Whether it asks about whoever answers: "have you ever"."""
    tense: str = ""
    modal: str = ""
    being: bool = False
    """Whether its first verb is a form of "be" or "have"."""
    formats: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
    """Persons that do something ("I", "they"), as far as pronouns say."""
    patients: frozenset[str] = frozenset()
    """Persons that something is done to ("me", "them")."""
    acts: tuple[Act, ...] = ()
    undergone: tuple[Undergone, ...] = ()
    asks_for: str = ""
    """"subject" ("what eats spiders"), "object" ("what do spiders eat") or "agent" ("by whom are they eaten"); empty
    where it can't be told."""
    subject: str = ""
    """Who acts, told by the verb before it: "first" ("can I"), "they", "someone" or the noun ("can the bank"); empty
    where it can't be told or something is done to it ("can it be closed")."""
    requests: bool = False
    """Whether it has something made up or picked out: "suggest a name"."""
    symmetric: bool = False
    """Whether the relation it names reads the same both ways ("difference between")."""
    turn: int = 0
    """How many terms stand before its "but"; 0 without one."""
    programming: bool = False
    """Whether it names a programming language."""
    called: frozenset[str] = frozenset()
    """Words that stand where a name in code stands: "use load"."""
    spellings: frozenset[str] = frozenset()
    """Words that a capital makes something else, as written: "Map" or "map"."""
    english: bool = True
    fragment: bool = False
    """Search words without a sentence around them."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why an answer to one prompt may not serve the other. `cached` and `asked` quote the prompts: never log them."""

    reason: str
    cached: str
    asked: str


def conflict(reason: str, cached: Iterable[str], asked: Iterable[str]) -> Conflict:
    """A conflict that shows lists of words."""
    return Conflict(reason, " ".join(cached), " ".join(asked))
