"""Words that what stands beside them makes something else: "lactose-free", "beginner yoga", "the number of"."""

from __future__ import annotations

from policies.guards.draft import NOTHING, STOPS, Draft
from policies.guards.facts import PLAIN, SOFT
from policies.guards.lexicon import Entry
from policies.guards.vocabulary import base_form

_FAMED = frozenset(("famous", "known", "renowned", "noted", "popular", "remembered", "celebrated"))
_FAME = Entry(PLAIN, frozenset(("fame",)), NOTHING, "", frozenset())
_PURPOSE = Entry(PLAIN, frozenset(("use", "purpose")), NOTHING, "", frozenset())
_ROLE = Entry(SOFT, frozenset(("role", "function", "purpose", "use", "define", "doing")), NOTHING, "", frozenset())
_EFFECT = Entry(PLAIN, frozenset(("effect", "doing")), NOTHING, "", frozenset())
"""What a thing does, and not what it is for."""
_DEFINING = frozenset(("meaning", "definition", "form"))
_ABSTRACT = ("ment", "tion", "sion", "ity", "ness", "ism", "ance", "ence", "ship", "hood", "cy")
_THINGS = frozenset(("carnation", "city", "ship", "constellation", "cement", "pigment", "fence"))
"""What an abstract ending does not make abstract. A thing has a meaning besides: "red rose meaning"."""
_NAME = Entry(SOFT, frozenset(("name",)), NOTHING, "", frozenset())
_SELECTING = frozenset(
    ("return", "returns", "returning", "select", "selects", "selecting", "fetch", "fetches", "retrieve")
)
_NAMING = frozenset(
    ("does", "the", "a", "an", "use", "using", "is", "of", "between", "vs", "and", "or", "define", "explain")
)
_KEYWORDS = frozenset(
    ("work", "works", "clause", "statement", "statements", "keyword", "command", "vs", "versus", "mean")
)
_TABLES = frozenset(("table", "tables", "view", "index", "database", "trigger", "user"))
"""What SQL creates, and does not select."""
_MADE = frozenset(
    (
        "regex", "function", "script", "query", "command", "code", "formula", "program", "letter", "email", "poem",
        "essay", "slogan", "caption", "toast", "speech", "synonym", "antonym", "translation", "summary", "example",
    )
)  # fmt: skip
_USERS = frozenset(("i", "you", "we", "one", "people", "@howto", "@canyou"))
_DONE_TO = frozenset(("create", "start", "offer", "keep"))
"""Verbs that say by themselves what one does with a thing."""
_USUAL = frozenset(("normal", "common", "usual", "typical"))
_END_USE = frozenset(("to", "for", "instead", "in", "on", "with"))
"""Behind these "use" only helps: "how do I use a regex to match"."""
_ARTICLES = frozenset(("a", "an", "the", "my", "your", "our", "his", "her", "their", "me"))
_EFFECTS = frozenset(("sideeffect", "effect", "symptom", "complication"))
_END = frozenset(("", *STOPS))
_GOING = frozenset(("go", "goes", "going", "gone", "went"))
_TURNED = frozenset(
    (
        "yellow", "brown", "black", "white", "red", "green", "blue", "pink", "purple", "orange", "gray", "grey", "bald",
        "sour", "stale", "moldy", "mouldy", "cloudy", "numb",
    )
)  # fmt: skip
_CHOSEN = frozenset(("green", "red", "blue"))
"""What one goes by choice too: "should we go green"."""
_CAUSING = frozenset(("cause", "causes", "caused", "causing"))
_PHRASE = 4
"""Words of a thing that a prompt asks the meaning of."""
_OF_ONE = frozenset(("the", "this", "that", "my", "a", "an"))
_SWITCHING = frozenset(("turn", "turns", "turned", "turning", "switch", "switches", "switched", "switching"))
_OBJECT = 4
"""Words of an object between a verb and its particle."""
_THAT = frozenset(("it", "this", "that"))
_ROOM = frozenset(("disk", "space", "memory", "ram", "storage", "seats", "slots"))
_SHOWN = frozenset(
    (
        "the", "show", "shows", "showing", "check", "checks", "checking", "see", "view", "display", "displays", "find",
        "get", "list", "of", "my", "any", "much", "@count", "isthere", "remaining",
    )
)  # fmt: skip
"""Before "free" they show that it is no verb: "show free memory", "free memory"."""
_OFFERED = frozenset(("find", "get", "list", "of", "show", "shows", "showing", "see", "view", "display", "displays"))
_SOLD = frozenset(("storage", "seats", "slots"))
"""What may be free of charge: "find free storage"."""
_PEOPLE = frozenset(
    (
        "me", "you", "him", "her", "us", "man", "men", "woman", "women", "girl", "girls", "boy", "boys", "guy", "guys",
        "people", "someone", "boyfriend", "girlfriend", "husband", "wife",
    )
)  # fmt: skip
"""Whom one turns on or off, and does not enable."""


def read_by_neighbour(draft: Draft, word: str, index: int) -> bool:
    """Record a word that its neighbour gives another sense; whether it was one."""
    substances = draft.lexicon.small.substances
    before, following = draft.word_at(index - 1), draft.word_at(index + 1)
    if word == "free" and _names_substance(draft, index):
        draft.pending.append("not")  # "free of lactose" is so too
        return True
    if word in substances and following == "free" and not _names_substance(draft, index + 1):
        draft.pending.append("not")  # "lactose-free" is "no lactose"
    elif word in ("free", "rich") and before in substances:
        return True  # "potassium-rich" is "with potassium"
    elif word == "beginner" and following.isalpha() and not _is_small(draft, following):
        draft.formats.add(word)  # "beginner yoga" is "yoga for beginners"
        return True
    elif word in _GOING and following in _TURNED and (following not in _CHOSEN or "why" in draft.questions):
        draft.add("turn", draft.lexicon.entry("turn"))
        return True
    elif (
        word == "free"
        and following in _ROOM
        and before in _SHOWN
        and (before not in _OFFERED or following not in _SOLD)
    ):
        draft.add("available", draft.lexicon.entry("available"))
        return True
    elif word in _CAUSING and following in _THAT and draft.word_at(index + 2) in _END and "what" in draft.questions:
        draft.questions.discard("what")  # "my screen flickers, what is causing this"
        draft.questions.add("why")
        draft.modal = ""
        return True
    elif word in _SWITCHING and (particle := _particle(draft, index)):
        draft.words[particle] = "the"
        draft.items[particle] = draft.items[particle]._replace(word="the")
        named = "enable" if draft.items[particle].raw.lower() == "on" else "disable"
        draft.add(named, draft.lexicon.entry(named))  # "turn the heating on" is "turn on the heating"
        return True
    elif word == "cause" and (draft.asks_for == "object" or _ends_question(draft, index)):
        entry = draft.lexicon.entry("effect")  # "what does it cause" asks for effects, and is no "why"
        said = any(term.word in _EFFECTS for term in draft.terms)
        draft.add("effect", entry._replace(kind=SOFT) if entry and said else entry)
        return True
    elif word == "premium" and following.isalpha() and not _is_small(draft, following):
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(aspects=NOTHING) if entry else None)  # "the premium plan" is no price
        return True
    elif word == "called" and following in _END and draft.questions == {"what"} and draft.terms:
        draft.add("name", _NAME)  # "what is the book about bees called"
        return True
    elif word == "missing" and following in _ARTICLES and before in ("of", "for", "by", "after", "if"):
        draft.add("miss", draft.lexicon.entry("miss"))  # "the consequences of missing a payment"
        return True
    elif word in ("draft", "compose") and draft.clause_start and not draft.terms and following in _ARTICLES:
        draft.add("write", draft.lexicon.entry("write"))
        return True
    elif word == "take" and before == "to" and draft.terms:
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(aspects=NOTHING) if entry else None)  # "to take a sabbatical" lasts no time
        return True
    elif word == "use" and before in _USERS and not draft.terms and _END_USE.isdisjoint(draft.words[index + 1 :]):
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(kind=PLAIN) if entry else None)  # "how do I use a credit card", and get it
        return True
    elif word in _DONE_TO and before in _USERS and not draft.terms and "how" in draft.questions:
        entry = draft.lexicon.entry(word)
        kind = SOFT if following.endswith("ing") else PLAIN
        draft.add(word, entry._replace(kind=kind) if entry else None)  # "how do I start a meeting", and see meetings
        return True
    elif word in _USUAL and draft.questions == {"polar"} and (before in _THAT or following in _END):
        draft.add(word, Entry(PLAIN, frozenset(("normal",)), NOTHING, "", frozenset()))  # "is it normal to sneeze"
        return True
    elif word == "start" and "when" in draft.questions and draft.tense == "past":
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(kind=PLAIN) if entry else None)  # "when did the war start"
        return True
    elif word in ("make", "makes") and _is_earned(draft, following):
        draft.add("earn", draft.lexicon.entry("earn"))  # "how much does a nurse make"
        return True
    elif word == "long" and draft.terms and draft.terms[0].word == "write":
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(kind=PLAIN) if entry else None)  # "write a long poem"
        return True
    elif word in ("taken", "used") and draft.tense == "perfect":
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(kind=PLAIN, aspects=NOTHING) if entry else None)  # "how many days have I taken"
        return True
    elif word in ("take", "takes") and (following == "to" or following in _END) and draft.lasts():
        return True  # "how long does delivery take"
    elif word == "definition" and following in _END and draft.terms and not (draft.questions or draft.tense):
        if draft.programming or "function" in draft.words:
            return False
        draft.add("define", draft.lexicon.entry("define"))  # "amortization definition"
        return True
    elif word == "wrong" and following in _END and _asks_whats_wrong(draft, index):
        draft.questions.discard("what")  # "my dishwasher does not drain, what is wrong"
        draft.questions.add("why")
        draft.modal = ""
        return True
    elif word == "need" and before == "i" and _wants_made(draft, index):
        return True  # "I need a regex that …" asks for one
    elif word in _SELECTING and _selects(draft, index):
        return True  # "a SQL query that returns the highest salary"
    elif word == "table" and draft.terms and base_form(before) == draft.terms[-1].word and "sql" in draft.words:
        return True  # "the employees table"
    elif word in ("query", "tables", "table", "statement") and "sql" in draft.words:
        draft.add(word, Entry(SOFT, frozenset((base_form(word),)), NOTHING, "", frozenset()))
        return True
    elif word == "create" and "sql" in draft.words and not _TABLES.isdisjoint(draft.words[index + 1 : index + 5]):
        draft.add(word, Entry(PLAIN, frozenset((word,)), NOTHING, "", frozenset()))
        return True
    elif word == "exercise" and _begins_percentage(draft, index + 1):
        draft.add("compute", draft.lexicon.entry("compute"))  # "work out 17 percent of 240"
        return True
    elif word == "usage" and following in _END and "vs" in draft.words and not draft.questions:
        draft.questions.add("when")  # "affect vs effect usage"
        draft.add("use", draft.lexicon.entry("use"))
        return True
    elif word in ("happen", "happens") and following in ("if", "when") and "what" in draft.questions:
        entry = draft.lexicon.entry("happen")
        draft.add(word, entry._replace(kind=PLAIN) if entry else None)  # "what happens if I cancel"
        return True
    elif word in ("myself", "yourself", "oneself") and following in _END and "polar" in draft.questions:
        draft.add("self", Entry(PLAIN, frozenset(("self",)), NOTHING, "", frozenset()))  # "can I install it myself"
        return True
    elif word == "simply" and following in _END and draft.terms:
        draft.formats.add("simple")  # "explain it simply"
        return True
    elif word == "whatdoes":
        draft.add("role", _ROLE)  # "what do mitochondria do"
        return True
    elif word == "spend" and draft.lasts() and before not in ("to", ""):
        return True  # "how long does a cat spend sleeping"
    elif word == "area" and before == "by":
        draft.add(word, Entry(PLAIN, frozenset((word,)), NOTHING, "", frozenset()))  # "the largest city by area"
        return True
    elif word in _DEFINING and _asks_meaning(draft, index):
        draft.add("define", draft.lexicon.entry("define"))
        return True
    elif word in ("effect", "effects") and following == "of" and before in ("the", "is", "are", "explain", ""):
        draft.add(word, _EFFECT)
        return True
    elif word == "count" and following == "of":
        draft.add(word, draft.lexicon.entry(word))
        draft.counting = True  # "the number of teaspoons in …"
        return True
    elif following == "for" and draft.word_at(index + 2) in _END:
        # What for is what is asked.
        if word in _FAMED:
            draft.add("famous", _FAME)
            return True
        if word == "used":
            add_purpose(draft)
            return True
    return False


def _asks_meaning(draft: Draft, index: int) -> bool:
    """ "Soft skill definition", "amortization meaning", "the full form of DNS"."""
    word, before, following = draft.words[index], draft.word_at(index - 1), draft.word_at(index + 1)
    if word == "form":
        return before == "full" and following == "of" and draft.word_at(index + 2) not in _OF_ONE
    if not 0 < index <= _PHRASE or index != len(draft.words) - 1 or draft.questions or draft.programming:
        return False
    return word == "definition" or (before.endswith(_ABSTRACT) and before not in _THINGS)


def _names_substance(draft: Draft, index: int) -> bool:
    """Whether what a "free" at this place is about stands behind it: "free of lactose"."""
    return draft.word_at(index + 1) == "of" and draft.word_at(index + 2) in draft.lexicon.small.substances


def _particle(draft: Draft, index: int) -> int:
    """The place of the "on" or "off" that ends the clause of a "turn" or "switch", with its object between; or 0."""
    if draft.word_at(index + 1) in _PEOPLE:
        return 0
    for place in range(index + 2, min(index + 2 + _OBJECT, len(draft.words))):
        word = draft.words[place]
        if word in ("on", "off"):
            return place if draft.word_at(place + 1) in (",", *_END) else 0
        if word in draft.lexicon.small.prepositions or word in STOPS or word in _PEOPLE:
            return 0
    return 0


def _selects(draft: Draft, index: int) -> bool:
    """Whether "select" says what a query does, and is no keyword that is asked about."""
    if "sql" not in draft.words or draft.items[index].raw.isupper() or draft.word_at(index - 1) in _NAMING:
        return False
    following = draft.word_at(index + 1)
    return following.isalpha() and not _is_small(draft, following) and following not in _KEYWORDS


def _is_earned(draft: Draft, following: str) -> bool:
    """Whether "how much" asks what is made and no thing is."""
    small = draft.lexicon.small
    priced = len(draft.terms) > 1 and draft.terms[0].word == "@price"
    return priced and (following in _END or following in small.prepositions or following.startswith("per"))


def _wants_made(draft: Draft, index: int) -> bool:
    """ "I need a regex that …" at the beginning asks for one, "I need a visa" does not."""
    return not (draft.terms or draft.questions) and not _MADE.isdisjoint(draft.words[index + 1 : index + 5])


def _asks_whats_wrong(draft: Draft, index: int) -> bool:
    """Whether "what is wrong", or "what could be wrong", stands behind what is told."""
    asked = draft.words[max(index - 3, 0) : index]
    contiguous = asked[-2:] == ["what", "is"] or (asked[:1] == ["what"] and asked[-1:] == ["be"])
    return contiguous and bool(draft.terms)


def _begins_percentage(draft: Draft, index: int) -> bool:
    item = draft.item_at(index)
    return item is not None and (
        item.word.endswith("%") or (item.word.isdigit() and draft.word_at(index + 1) == "percent")
    )


def _ends_question(draft: Draft, index: int) -> bool:
    """Whether a verb is the last word of "which rashes can it cause", behind its object and its subject."""
    asks = not draft.questions.isdisjoint(("what", "which")) and len(draft.terms) > 1
    return asks and draft.word_at(index + 1) in _END and bool(draft.tense or draft.modal)


def add_purpose(draft: Draft) -> None:
    """What a thing is for, where no word says "purpose"."""
    draft.add("use", _PURPOSE)


def add_content(draft: Draft) -> None:
    """What is in a thing, where no word says "ingredient" or "included"."""
    named = (draft.lexicon.entry(word) for word in ("include", "contain", "ingredient"))
    keys = frozenset(key for entry in named if entry for key in entry.keys)
    draft.add("include", Entry(SOFT, keys, NOTHING, "", frozenset()))


def _is_small(draft: Draft, word: str) -> bool:
    small = draft.lexicon.small
    return (
        word in small.prepositions or word in small.auxiliary or word in small.subject or word in ("and", "or", "who")
    )
