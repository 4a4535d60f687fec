"""Reads a prompt into Facts: one pass over its words, each handed to the reader of its group.

Over 400 lines, since which reader comes before which is one decision, and is to be seen in one place.
"""

from __future__ import annotations

import hashlib

from policies.guards.amounts import settle_length, with_how_many
from policies.guards.apposed import read_beside_literal
from policies.guards.arithmetic import arithmetic_in
from policies.guards.asides import without_asides
from policies.guards.beside_numbers import bind_behind, is_number, number_follows, read_currency
from policies.guards.code_names import counts_in_code, is_programming, names_in, spellings_in
from policies.guards.draft import ANY, NOTHING, STOPS, Draft
from policies.guards.equations import settle_unknown
from policies.guards.facts import ASPECT, NAME, PLAIN, SOFT, Facts, Term
from policies.guards.lettered import is_letter, read_before_literal
from policies.guards.lexicon import VOID, Entry, Lexicon, default_lexicon
from policies.guards.literals import shell_spacing
from policies.guards.negation import NEGATORS, read_negation
from policies.guards.neighbours import add_content, add_purpose, read_by_neighbour
from policies.guards.notation import in_one_notation
from policies.guards.numerals import read_roman
from policies.guards.places import is_part_of_name
from policies.guards.quantities import read_bare_unit, read_quantity
from policies.guards.questions import is_keyword, read_auxiliary, read_marker, read_question, settle_ending
from policies.guards.reading import CAPITAL, DIGITS, POSSESSIVE, Item, apply_phrases, read
from policies.guards.roles import is_unmarked_owner, read_act, read_told, read_undergone
from policies.guards.said import is_long_translation, literal_lists, with_quotes
from policies.guards.scope import read_quantifier
from policies.guards.spelling import without_accents
from policies.guards.tense import AGENTS, PATIENTS, PERSONS, read_main_verb, read_person
from policies.guards.tokens import MAX_CHARS, tokenize
from policies.guards.vocabulary import base_form

MAX_TERMS = 160
"""More words of meaning than an embedder's window holds: compare stays bounded."""
_BRACKETS = frozenset("()[]{}—–,")
_BOUNDS = {
    "!more": ">",
    "!less": "<",
    "!atleast": ">=",
    "!atmost": "<=",
    "over": ">",
    "above": ">",
    "under": "<",
    "below": "<",
    "beyond": ">",
}
_CONVERTING = frozenset(("convert", "conversion", "converted", "express", "expressed"))
_REQUESTS = frozenset(
    ("suggest", "recommend", "tell", "give", "list", "name", "write", "generate", "share", "need", "want")
)
_DETERMINERS = frozenset(
    ("the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their", "some", "any")
)
_VARIANTS = frozenset(("plus", "pro", "max", "mini", "ultra", "lite", "air", "slim", "se"))
"""Last names of products: "pro" is no advantage and "max" no maximum behind a name or a number."""
_RETURNING = frozenset(("fly", "drive", "travel", "ship", "send", "call", "write", "move", "sail", "mail"))
"""Behind these "back" says which way."""
_INTO = frozenset(("to", "into"))
_BEFORE_DATA = frozenset(("a", "the", "my", "to", "into", "from"))
_DAY_PARTS = frozenset(("morning", "afternoon", "evening"))
_ARITHMETIC = frozenset(("@price", "@count", "plus", "minus", "times", "time", "dividedby", "percent"))
_ASKED_OF_UNITS = frozenset(("@count", "count", "@price", "convert", "equal", "equivalent"))
_WEIGHT = frozenset(("@weight", "weight", "weigh"))
_COUNTED = frozenset(("number", "fraction", "integer", "value", "year"))
_TURNS = frozenset(("but", "whereas"))
_SAYING = frozenset(("say", "tell"))
_INTERVALS = frozenset(("difference", "change"))
_NOUNS = frozenset(("may", "can", "will", "must", "might"))


def parse(text: str, lexicon: Lexicon | None = None) -> Facts:
    """The facts of a prompt. Linear in its length; one too long to be told apart is opaque and equals only itself."""
    text = text.strip()
    if len(text) > MAX_CHARS:
        return _opaque(text)
    lexicon = default_lexicon() if lexicon is None else lexicon
    quoted = with_quotes(in_one_notation(text))
    if is_long_translation(text, quoted):
        return _opaque(text)
    reading = read(tokenize(quoted), lexicon)
    reading = reading._replace(items=without_asides(reading.items, lexicon))
    english, fragment = _language(reading.items, text, lexicon)
    if english and not text.isascii():
        reading = reading._replace(items=[item._replace(word=without_accents(item.word)) for item in reading.items])
    items = with_how_many(reading.items, lexicon) if english else reading.items
    items = apply_phrases(apply_phrases(items, lexicon.first), lexicon.second) if english else items
    draft = Draft(items, lexicon)
    draft.programming = is_programming(items, lexicon)
    _read_all(draft)
    if "=" in reading.code:
        settle_unknown(draft)
    if len(draft.terms) + len(draft.quantities) + len(reading.code) > MAX_TERMS:
        return _opaque(text)
    return Facts(
        words=tuple(
            item.raw if item.raw in lexicon.cased else item.word
            for item in reading.items
            if item.word not in STOPS and item.word != ","
        ),
        terms=tuple(draft.terms),
        quantities=tuple(draft.quantities),
        units=tuple(draft.units),
        quoted=tuple(reading.quoted),
        code=(*reading.code, *shell_spacing(text)),
        arithmetic=arithmetic_in(items, draft.words),
        questions=frozenset(draft.questions),
        negations=tuple(draft.negations),
        only=tuple(draft.only),
        excepted=tuple(draft.excepted),
        quantifiers=frozenset(draft.quantifiers),
        person=draft.person,
        addressed=draft.addressed,
        tense=draft.tense,
        modal=draft.modal,
        being=draft.being,
        formats=frozenset(draft.formats),
        agents=frozenset(draft.agents),
        patients=frozenset(draft.patients),
        acts=tuple(draft.acts),
        undergone=tuple(draft.undergone),
        asks_for=draft.asks_for,
        subject=draft.subject,
        requests=not draft.questions and not _REQUESTS.isdisjoint([item.word for item in reading.items]),
        symmetric=draft.symmetric,
        turn=draft.turn,
        programming=draft.programming,
        called=names_in(reading.items, lexicon) if draft.programming else NOTHING,
        spellings=spellings_in(reading.items, draft.terms, draft.programming),
        english=english,
        fragment=fragment,
    )


def _opaque(text: str) -> Facts:
    """Facts that only the same text has."""
    return Facts(words=(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),), english=False)


def _language(items: list[Item], text: str, lexicon: Lexicon) -> tuple[bool, bool]:
    """Whether the prompt reads as English, and whether it is a fragment: words without any function word."""
    if not text.isascii():
        letters = [letter for letter in text if letter.isalpha()]
        if sum(letter > "\x7f" for letter in letters) > 0.1 * len(letters):
            return False, False
    common = commands = foreign = 0
    for item in items:
        if item.word in lexicon.small.common:
            common += 1
        elif item.word in lexicon.small.foreign:
            foreign += 1
        elif item.word in lexicon.small.commands:
            commands += 1
    return foreign <= common + commands, not common


def _read_all(draft: Draft) -> None:
    """Hand every word to its reader."""
    items, small = draft.items, draft.lexicon.small
    if draft.words[:1] == ["good"] and draft.word_at(1) in _DAY_PARTS and draft.word_at(2) in (",", "!", "."):
        items = draft.items = items[3:]  # a greeting
        draft.words = draft.words[3:]
    draft.converting = not _CONVERTING.isdisjoint(draft.words) or _only_units(draft)
    index = 0
    while index < len(items):
        item = items[index]
        word = item.word
        if word in STOPS or word in _BRACKETS:
            _read_mark(draft, word)
        elif is_number(item) and (taken := read_quantity(draft, index)):
            index += taken
            continue
        elif read_currency(draft, index):
            pass
        elif word[0] in "@#!" and len(word) > 1:
            _read_sign(draft, word, index)
        elif word == '"':
            draft.take_pending(ANY)
            draft.clause_start = False
        elif is_keyword(draft, word, index):
            draft.add(word, None)
        elif word in small.question:
            read_question(draft, small.question[word], index)
            if word in ("who", "what"):
                read_main_verb(draft, index + 1, word)
        elif word in small.auxiliary and not _is_noun(draft, word, index):
            read_auxiliary(draft, word, index)
        elif word in NEGATORS:
            read_negation(draft, word, index)
        elif word == "only":
            draft.pending.append("only")
        elif word in ("and", "or") and bind_behind(draft, index):
            index += 2
            continue
        elif word in ("and", "or", "vs"):
            draft.joined = word
            draft.symmetric = draft.symmetric or word == "vs"
        elif not read_quantifier(draft, word, index):
            if word in PERSONS or word == "you":
                read_person(draft, word, index)
            if word in AGENTS:
                draft.agents.add(AGENTS[word])
                read_act(draft, AGENTS[word], index)
            elif word in PATIENTS:
                draft.patients.add(PATIENTS[word])
                read_undergone(draft, PATIENTS[word], index)
            elif word == "to":
                read_told(draft, index)
            if word in small.coordinators:
                measured = word == "versus" and any(term.kind == ASPECT for term in draft.terms)
                draft.joined = "" if measured else "vs"  # "how big is an atom compared to a cell" has a direction
                draft.symmetric = draft.symmetric or (word in ("versus", "between") and not measured)
            if word in small.prepositions or (word in _BOUNDS and number_follows(draft, index)):
                _read_preposition(draft, word, index)
            else:
                _read_content(draft, item, index)
            if word in ("times", "plus") and index + 1 < len(items) and is_number(items[index + 1]):
                draft.joined = "vs"  # the order of factors and summands says nothing
        index += 1
    draft.end_sentence()
    if not (draft.questions or draft.tense or draft.modal):
        settle_ending(draft)
    if draft.units and draft.quantities:
        # "How many miles is 5 km": what is counted is the unit, and that is on record.
        asked = _ASKED_OF_UNITS | _WEIGHT if _weighs_volume(draft) else _ASKED_OF_UNITS
        draft.terms = [term for term in draft.terms if term.word not in asked]
    elif draft.units:
        settle_length(draft)
    elif len(draft.quantities) > 1 and all(term.word in _ARITHMETIC for term in draft.terms):
        # "How much is 15 % of 80", "15 % of 80 is how much".
        draft.terms = [term for term in draft.terms if term.word not in ("@price", "@count")]


def _only_units(draft: Draft) -> bool:
    """ "Usd eur": nothing but units, so one is converted to the other."""
    names = [word for word in draft.words if word not in _INTO and word != "in"]
    lexicon = draft.lexicon
    return len(names) == 2 and all(
        len(word) > 2 and (word in lexicon.spelled or word in lexicon.symbols or word.upper() in lexicon.symbols)
        for word in names
    )


def _weighs_volume(draft: Draft) -> bool:
    """ "How much does a cup of flour weigh in grams" converts as "a cup of flour in grams" does."""
    groups = draft.lexicon.sources["units"]
    measures = [quantity.units for quantity in draft.quantities]
    return all(units & groups["volume"].keys() for units in measures) and all(
        unit & groups["mass"].keys() for unit in draft.units
    )


def _read_mark(draft: Draft, mark: str) -> None:
    """Punctuation ends what a preposition governs, and with it a clause."""
    draft.slot = draft.determiner = ""
    if mark in STOPS:
        draft.end_sentence()
    elif mark == ",":
        draft.clause_start = draft.clause_start or not draft.questions
        draft.joined = "," if draft.terms else ""
        draft.conditional = False


def _read_sign(draft: Draft, word: str, index: int) -> None:
    """What a phrase was read as: #form of the answer, !relation, @question."""
    name = word[1:]
    if name == "explainwhy" and not (draft.terms or draft.questions) and draft.word_at(index + 1) not in ("", *STOPS):
        read_marker(draft, "why", index)  # "explain why ice floats"
    elif name == "bullets" and draft.programming and draft.word_at(index + 1) == "in":
        draft.add("list", draft.lexicon.entry("list"))  # "duplicates in a list in Python"
    elif word[0] == "#":
        draft.formats.add(name)
    elif name == "canyou":
        read_auxiliary(draft, "can", index)
    elif name == "tag":
        if not draft.questions:
            draft.questions.add("polar")  # "it is the capital, isn't it"
    elif word[0] == "@":
        read_marker(draft, name, index)
    elif name in ("only", "except"):
        draft.pending.append(name)
    elif any(is_number(item) for item in draft.items[index + 1 : index + 3]):
        draft.bound = _BOUNDS[word]
    else:
        # No number follows: "older than" is an ordinary comparison.
        said = draft.items[index].raw if name in ("more", "less") else name
        draft.add(said, draft.lexicon.entry(said))


def _is_noun(draft: Draft, word: str, index: int) -> bool:
    """ "In May", "a can of coke", "the will"."""
    if word not in _NOUNS:
        return False
    before = draft.word_at(index - 1)
    if word == "may":
        capital = bool(draft.items[index].flags & CAPITAL)
        if (
            capital
            or before in ("in", "of", "on", "since", "until", "by", "last", "next", "this")
            or before[:1].isdigit()
        ):
            return True
    return before in ("a", "an", "the", "of", "my", "per")


def _read_preposition(draft: Draft, word: str, index: int) -> None:
    """A preposition governs what follows it; at the end of a phrase it is a particle, before a number a bound."""
    small = draft.lexicon.small
    draft.clause_start = False
    draft.determiner = ""
    following = draft.word_at(index + 1)
    if (
        word in ("in", "on", "over")
        and index
        and (not following or following in STOPS or following in small.prepositions or following in ("and", "or"))
    ):
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(kind=SOFT) if entry else None)
    elif word in _BOUNDS and number_follows(draft, index):
        draft.bound = _BOUNDS[word]
    elif word == "of":
        draft.slot = draft.slot or "of"
    else:
        if word == "in" and draft.words[:index] in (["what", "is"], ["@what", "is"]):
            add_content(draft)  # "what is in tiramisu"
        ends = word == "for" and (not following or following in STOPS)
        if ends and draft.being and draft.questions == {"what"} and not draft.lasts():
            add_purpose(draft)  # "what is the flag for"
            return
        draft.slot = word
        if word == "than" and draft.bound:
            return  # "more than 50" is "over 50"
        if word in ("before", "after", "between", "since", "until", "against", "than"):
            entry = draft.lexicon.entry(word)
            since = word == "until" and not any(term.word == "@duration" for term in draft.terms)
            kind = PLAIN if since or word in ("before", "after", "against") else SOFT
            poles = entry.poles if entry else frozenset()
            draft.terms.append(
                Term(word, frozenset((word,)), NOTHING, kind, "", "", "", False, poles, False, True, NOTHING)
            )


def _name(word: str) -> Entry:
    return Entry(NAME, frozenset((word,)), NOTHING, "entity", frozenset())


def _is_data(draft: Draft, index: int) -> bool:
    """Whether a list is the thing that is worked on ("a list to a set") and not how the answer is wanted."""
    following = draft.word_at(index + 1)
    return following in _INTO or (draft.word_at(index - 1) in _BEFORE_DATA and following != "of")


def _is_interval(draft: Draft, word: str, index: int) -> bool:
    """ "A 20 celsius difference" is another amount of fahrenheit than 20 celsius."""
    return word in _INTERVALS and (
        bool(draft.quantities)
        or (draft.word_at(index + 1) in ("of", "between") and draft.word_at(index + 2)[:1].isdigit())
    )


def _read_content(draft: Draft, item: Item, index: int) -> None:
    """A word that carries meaning, or none ("the", "really")."""
    word = item.word
    if read_bare_unit(draft, index) or read_roman(draft, index):
        return
    if word == "name" and draft.clause_start and not draft.terms and not draft.questions:
        return  # "name three rivers" is "list three rivers"
    following = draft.items[index + 1] if index + 1 < len(draft.items) else None
    at_end = following is None or following.word in STOPS
    if word in _DETERMINERS and draft.determiner != "all":
        draft.determiner = ""
    if is_letter(draft, item, index):
        draft.add(word, _name(word))
        return
    if read_before_literal(draft, word, index) or read_beside_literal(draft, word, index):
        return
    if word in ("a", "an"):
        draft.determiner = "a"
        if at_end or (following and following.word in draft.lexicon.small.prepositions):
            draft.add(word, None)  # the name of a variable: "divide a by b"
        elif draft.word_at(index - 1) in ("name", "suggest", "recommend") and not draft.terms:
            draft.quantifiers.add("one")
        return
    if word in _COUNTED and draft.word_at(index - 1) == "the" and following is not None and is_number(following):
        return  # "the fraction 18/24"
    if word == "cheers" and index and at_end:
        return  # thanks, not the toast
    if word == "fast" and at_end and draft.terms and not (draft.being or "polar" in draft.questions):
        return  # "quickly", which says as little: "lose weight fast"
    if word == "x" and draft.quantities and following is not None and following.flags & DIGITS:
        word = "times"
    if word in _VARIANTS and draft.terms and (draft.terms[-1].kind == NAME or is_number(draft.items[index - 1])):
        draft.add(word, _name(word), item.flags)
        return
    if is_part_of_name(draft, item, index):
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(kind=NAME, label="entity") if entry else None, item.flags)
        return
    if read_by_neighbour(draft, word, index):
        return
    if word == "using":
        draft.slot = "via"  # and nothing before it governs what follows
    if word in literal_lists()["coordinated"] and "and" in (draft.word_at(index - 1), draft.word_at(index + 1)):
        entry = draft.lexicon.entry(word)
        draft.add(word, entry._replace(kind=PLAIN) if entry else None, item.flags)
        return
    if (draft.programming and counts_in_code(word, draft.lexicon)) or _is_interval(draft, word, index):
        draft.add(word, Entry(PLAIN, frozenset((base_form(word),)), NOTHING, "", frozenset()), item.flags)
        return
    if word == "back" and draft.word_at(index - 1) in _RETURNING and draft.word_at(index + 1) not in ("in", "and"):
        draft.add(word, Entry(PLAIN, frozenset((word,)), NOTHING, "", frozenset()))
        return
    if word == "list" and _is_data(draft, index):
        draft.add(word, Entry(SOFT, frozenset((word,)), NOTHING, "", frozenset()))
        return
    if item.raw in draft.lexicon.cased:
        draft.add(item.raw, _name(item.raw))  # "Mb" is not "MB"
        return
    if word == "going" and draft.tense == "present" and following is not None and following.word == "to":
        draft.tense = "future"
    entry = draft.lexicon.entry(word)
    if word == "less" and following is not None:
        turned = draft.lexicon.entry(following.word)
        if turned is not None and turned.poles and turned.kind != VOID:
            # "Less safe" is "more unsafe".
            draft.turned = True
            word, entry = "more", draft.lexicon.entry("more")
    if entry is None or entry.kind != VOID:
        draft.add(word, entry, item.flags | (POSSESSIVE if is_unmarked_owner(draft, word, index) else 0))
        return
    draft.conditional = draft.conditional or word == "if"
    if word in _TURNS and draft.terms and not draft.turn:
        draft.turn, draft.slot = len(draft.terms), ""
    draft.then = draft.then or (word == "then" and bool(draft.terms))
    if "not" in draft.pending and base_form(word) in _SAYING:
        draft.take_pending(frozenset((base_form(word),)))  # "did not say I should", "said I should not"
    if word not in ("and", "a", "the", "an"):
        draft.counting = draft.counting and word in ("of", "the")
    if word not in ("so", "and", "then", "also", "but"):
        draft.clause_start = False
