"""Group `question`: what is asked (who, when, how much, whether) and its comparison.

Over 400 lines, since a word that asks is read and judged by what stands around it, in one order.
"""

from __future__ import annotations

from itertools import pairwise

from policies.guards.draft import NOTHING, STOPS, Draft
from policies.guards.facts import ASPECT, NAME, SOFT, Conflict, Facts, Term, conflict
from policies.guards.reading import CAPITAL, CONTRACTED
from policies.guards.stated import asked_verb
from policies.guards.vocabulary import base_form

_WORDS = frozenset(("how", "why", "when", "where", "who", "what", "which", "howis"))
_KEYWORDS = frozenset(("where", "having"))
_COMPARING = frozenset(("vs", "versus", "between"))
_BESIDE = frozenset((*_COMPARING, "and", "or"))
_RELATIVE = frozenset(("who", "which", "when", "where"))
"""These also join clauses: "employees who were hired"."""
_LENGTHS = frozenset(("second", "minute", "hour", "day", "week", "month", "year"))
_FRONTED = frozenset(("can", "could", "will", "would", "should", "shall", "may", "might", "must", "do", "does", "did"))
_PASSIVE = frozenset(("be", "been", "being", "get", "gets", "got"))
_SUBJECTS = {
    "i": "first", "we": "first", "he": "he", "she": "she", "they": "they",
    "someone": "someone", "somebody": "someone", "anyone": "someone", "anybody": "someone", "people": "someone",
}  # fmt: skip
_SUMS = frozenset(("@price", "@sum"))
_CURES = frozenset(("treatment", "remedy"))
_COMING_BY = frozenset(("get", "have", "give", "catch"))
_OTHERS = frozenset(("another", "other"))
_NO_SUBJECT = frozenset(("you", "it", "one", "there", "that"))
_ASPECT_OF = {"when": "@when", "where": "@where", "who": "@who", "why": "@why", "how": "@how"}
_HOW_IT_CAME = "circumstance"
_TIMES = {
    "year": "year", "month": "month", "day": "day", "date": "day", "weekday": "day", "century": "century",
    "decade": "decade", "time": "hour", "hour": "hour", "season": "season",
    **dict.fromkeys(
        ("case", "cases", "situation", "situations", "circumstance", "circumstances", "scenario", "scenarios"),
        _HOW_IT_CAME,
    ),
}  # fmt: skip
"""What may be asked for instead of "when", and how exactly."""
_LOOKED_UP = frozenset(("check", "track", "view"))
_SENT = frozenset(("order", "status", "refund", "delivery"))
_PARTICIPLES = frozenset(
    (
        "set", "cut", "put", "run", "read", "made", "done", "built", "written", "sold", "held", "kept", "taught",
        "grown", "chosen", "taken", "given", "drawn", "known", "found", "paid", "sent", "told", "spelt", "thrown",
    )
)  # fmt: skip
"""Those that do not end in "ed"."""
_AMONG = frozenset(("between", "of"))
_WAS = frozenset(("was", "were", "is", "are"))
_FORMULAS = frozenset(("formula", "equation"))
_CHANGING = frozenset(
    (
        "convert", "turn", "change", "transform", "double", "round", "calculate", "compute", "extract", "split",
        "generate", "create", "reverse", "close", "switch", "capitalize", "sort",
    )
)  # fmt: skip
"""Verbs behind which "with a formula" says how; that of "find cells with a formula" may say which."""
_CALCULATING = frozenset(("calculate", "compute", "find", "determine"))
_ASKS_WHETHER = frozenset(
    ("allowed", "permitted", "possible", "safe", "legal", "illegal", "mandatory", "compulsory", "healthy", "edible")
)
"""Words that ask whether it is so at the end of a fragment."""
_NEEDED = frozenset(("required", "needed", "necessary", "mandatory", "compulsory"))
_NEEDS = _NEEDED | {"need", "needs", "require", "requires", "requirement", "requirements"}
"""Words that ask whether or what one must have, where no question word does: "visa required for Vietnam"."""
_MARKED = {"howmuch": frozenset(("@howmuch", "@price", "@count"))}
"""Markers that leave open what is asked: "how much should I have" may be money or not."""
_AGENTS = (
    "er",
    "or",
    "ist",
    "ian",
    "ant",
    "ent",
    "man",
    "people",
    "person",
    "ceo",
    "king",
    "queen",
    "chief",
    "head",
    "country",
    "team",
)
"""Endings of words that name somebody: "the director of Dune" answers "who directed Dune"."""


def is_keyword(draft: Draft, word: str, index: int) -> bool:
    """Whether a word is named, and asks for nothing: "WHERE or HAVING in SQL", "where vs having"."""
    if word not in _KEYWORDS or not draft.programming:
        return False
    before, following = draft.word_at(index - 1), draft.word_at(index + 1)
    if draft.items[index].raw.isupper() and following not in draft.lexicon.small.auxiliary:
        return any(item.raw.islower() for item in draft.items)
    if before == "define" or following in ("clause", "clauses"):
        return True
    compared = not _COMPARING.isdisjoint(draft.words)
    return compared and (before in _BESIDE or following in _BESIDE)


def read_question(draft: Draft, kind: str, index: int) -> None:
    """A question word: it asks at the start of a clause, or if nothing else has asked so far; else it joins clauses."""
    if kind == "when" and draft.clause_start and not draft.questions and _begins_condition(draft, index):
        draft.conditional = True
        draft.clause_start = False
        return
    joins = kind in _RELATIVE and draft.terms and draft.word_at(index - 1) not in draft.lexicon.small.prepositions
    if joins:
        draft.slot = ""  # "the time in Sydney when it is noon in London"
    relative = joins and draft.word_at(index + 1) not in ("", *STOPS)  # at the end it asks: "roses prune when"
    also = kind == "why" and draft.word_at(index - 1) == "and"  # "what is it and why"
    if draft.clause_start or also or not (draft.questions or relative):
        if kind in ("who", "what", "which") and not draft.asks_for:
            draft.asks_for = _asked_for(draft, index)
        draft.questions.add(kind)
        draft.conditional = False
    draft.clause_start = False


def _begins_condition(draft: Draft, index: int) -> bool:
    """ "When I move, do I …" and "when moving, what …": a clause without a question in it, and a question behind it."""
    small = draft.lexicon.small
    following = draft.word_at(index + 1)
    if following not in small.subject and not (following.endswith("ing") and base_form(following) != following):
        return False
    return any(
        word in small.question
        or (word in small.auxiliary and (draft.word_at(place + 1) in small.subject or draft.word_at(place - 1) == ","))
        for place, word in enumerate(draft.words[index + 2 :], index + 2)
    )


def _asked_for(draft: Draft, index: int) -> str:
    """ "What do spiders eat" asks for the object, "what eats spiders" for the subject."""
    following = draft.words[index + 1 : index + 4]
    verb = next((word for word in following if word in draft.lexicon.small.auxiliary), "")
    if verb in ("do", "does", "did"):
        return "object"
    if following[:1] == [verb] and verb in _FRONTED and draft.word_at(index + 2) in draft.lexicon.small.subject:
        return "object"  # "what should my cat eat"
    if verb in _WAS and following[0] == verb:
        return _asked_in_passive(draft, index)
    return "" if verb else "subject"


def _asked_in_passive(draft: Draft, index: int) -> str:
    """ "Who was shot by Oswald" asks for the object, "who was Oswald shot by" for the one who did it."""
    clause = _clause(draft, index + 2)
    if "by" not in clause:
        return ""
    if clause[-1] == "by":
        return "agent"
    done = clause[0] in _PARTICIPLES or base_form(clause[0]) != clause[0]
    return "object" if done and not clause[0].endswith(("s", "ing")) else ""


def read_marker(draft: Draft, name: str, index: int) -> None:
    """A phrase that was read as a question word or as an aspect ("how tall": height)."""
    kind = name
    if name == "howto":
        kind = "how"
        draft.subject = draft.subject or "first"
    if kind in _WORDS:
        if kind == "who" and not draft.questions and not draft.asks_for:
            draft.asks_for = _asked_for(draft, index)  # "whom did Plato teach"
        if kind == "who" and draft.slot == "by":
            draft.slot, draft.asks_for = "", "agent"  # "by whom was it built"
        draft.questions.add("what" if kind == "howis" and not _is_done(draft, index) else kind)
        draft.clause_start = False
        return
    draft.counting = name == "count"
    draft.symmetric = draft.symmetric or name == "distance"
    draft.questions.add("what")
    word = f"@{name}"
    keys = _MARKED.get(name) or frozenset((word,))
    draft.terms.append(Term(word, keys, keys, ASPECT, "", draft.slot, "", False, frozenset(), False, True, NOTHING))
    draft.clause_start = False


def _is_done(draft: Draft, index: int) -> bool:
    """Whether a participle ends the clause: "how is the variable set in bash", but not "how is the food in Japan"."""
    words = draft.words[index + 1 :]
    for place, word in enumerate(words[2:], 2):
        following = words[place + 1] if place + 1 < len(words) else ""
        ends = following in ("", ",", *STOPS, *draft.lexicon.small.prepositions) or following.endswith("ly")
        if ends and (word in _PARTICIPLES or (word.endswith("ed") and base_form(word) != word)):
            return True
    return False


def read_auxiliary(draft: Draft, word: str, index: int) -> None:
    """A finite verb: it tells the tense and the modality, and at the start of a clause it asks for yes or no."""
    small = draft.lexicon.small
    if not draft.tense:
        draft.tense = small.tense.get(word, "")
        draft.being = word in ("is", "are", "was", "were", "am", "has", "have", "had")
    elif (
        word == "will" and draft.tense == "present" and ("polar" in draft.questions or draft.word_at(index - 1) == "am")
    ):
        draft.tense = "future"  # "is it going to be"
    if not draft.modal:
        draft.modal = small.modal.get(word, "")
    if draft.conditional and draft.terms and word in _FRONTED and draft.word_at(index + 1) in small.subject:
        draft.conditional = False  # "if I move do I …"
        draft.clause_start = True
    if not draft.subject and word in _FRONTED:
        draft.subject = _subject(draft, word, index)
    if (word == "isthere" and (draft.clause_start or not draft.questions)) or (
        draft.clause_start and not draft.questions and _asks(draft, word, index)
    ):
        draft.questions.add("polar")
    draft.clause_start = False
    if draft.slot == "than":
        draft.slot = ""


def settle_ending(draft: Draft) -> None:
    """Where no verb asks, the last word may ask for yes or no: "smoking on the balcony allowed"."""
    last = next((word for word in reversed(draft.words) if word not in STOPS), "")
    if last in _ASKS_WHETHER and len(draft.terms) > 1 and draft.terms[0].word != "define":
        draft.questions.add("polar")


def _subject(draft: Draft, word: str, index: int) -> str:
    """Who acts, behind a verb that stands before its subject: "can I", "does the bank", "who can see"."""
    small = draft.lexicon.small
    before, following = draft.word_at(index - 1), draft.word_at(index + 1)
    told = before == "who" or following in small.subject or following in small.quantifiers or following in _OTHERS
    if not told or draft.words[index] != word or any(verb in _PASSIVE for verb in _clause(draft, index)):
        return ""
    if following in _SUBJECTS:
        return _SUBJECTS[following]
    while following in small.subject or following in small.quantifiers or following in _OTHERS:
        if following in _NO_SUBJECT:
            return ""
        index += 1
        following = draft.word_at(index + 1)
    return base_form(following) if following.isalpha() else ""


def _clause(draft: Draft, index: int) -> list[str]:
    """The words from here to the next mark."""
    words = draft.words[index:]
    return words[: next((place for place, word in enumerate(words) if word in STOPS or word == ","), len(words))]


def _asks(draft: Draft, word: str, index: int) -> bool:
    """Whether a verb that begins a clause asks ("do I …") and does not command ("do not …", "have fun")."""
    small = draft.lexicon.small
    following = draft.word_at(index + 1)
    if not following:
        return False
    if following in ("not", "never") and word in ("do", "be", "have"):
        return bool(draft.items[index + 1].flags & CONTRACTED) and draft.word_at(index + 2) in small.subject
    if word not in ("do", "have", "be", "must"):
        return True
    capital = bool(draft.items[index + 1].flags & CAPITAL)
    return capital or following in small.subject or following in small.quantifiers or following.endswith("s")


def question_conflict(cached: Facts, asked: Facts, left: list[Term], right: list[Term]) -> Conflict | None:
    """Each side's question word is the other's too, or is named there ("when": "date"), which then needs no partner."""
    one, other = _settled(cached.questions, asked.questions), _settled(asked.questions, cached.questions)
    if "when" in one and "when" in other:
        exact, other_time = _time_asked(cached), _time_asked(asked)
        if exact != other_time and exact and other_time:
            return conflict("question_type", [exact], [other_time])
        if {exact, other_time} == {"", _HOW_IT_CAME} and {"past", "verb-past"} & {cached.tense, asked.tense}:
            return conflict("question_type", [exact], [other_time])
    if one != other:
        for mine, theirs, yours, rest in ((one, asked, other, right), (other, cached, one, left)):
            for kind in mine - yours:
                if kind not in ("what", "which") and not _answered(kind, yours, theirs, rest, (cached, asked)):
                    return conflict("question_type", sorted(one), sorted(other))
    _forget_length(left, right)
    _forget_length(right, left)
    for rest, own, theirs in ((left, cached, asked), (right, asked, cached)):
        _forget_price(rest, theirs)
        _forget_amount(rest, own, theirs)
    left_aspects = [term.word for term in left if term.kind == ASPECT]
    right_aspects = [term.word for term in right if term.kind == ASPECT]
    if left_aspects or right_aspects:
        return conflict("question_type", left_aspects, right_aspects)
    return None


def _time_asked(facts: Facts) -> str:
    """What a question with "what" or "which" names instead of "when": "what year", "at which hour"; else empty."""
    for before, word in pairwise(facts.words):
        if before in ("what", "which") and word in _TIMES:
            return _TIMES[word]
    return ""


def _settled(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """ "How is the variable set" asks how to or what for: as the other prompt says."""
    if "howis" not in one:
        return one
    return (one - {"howis"}) | {"how" if "how" in other else "what"}


def _forget_length(one: list[Term], other: list[Term]) -> None:
    """Take out "how long" on one side and "how many hours" on the other."""
    hours = [term for term in other if term.word == "@count" or term.word in _LENGTHS]
    if len(hours) == 2 and any(term.word == "@duration" for term in one):
        one[:] = [term for term in one if term.word != "@duration"]
        other[:] = [term for term in other if term not in hours]


def _forget_price(rest: list[Term], other: Facts) -> None:
    """Take out the "how much" of "how much is the fee", which "what is the fee" asks as well."""
    if any(not _SUMS.isdisjoint(term.aspects) and term.determiner != "a" for term in other.terms):
        rest[:] = [term for term in rest if term.word != "@price"]


def _forget_amount(rest: list[Term], own: Facts, other: Facts) -> None:
    """Take out the "how much" of "how much notice", which "what notice" asks as well, and of a sum."""
    if any("@amount" in term.aspects for term in other.terms):
        rest[:] = [term for term in rest if term.word != "@count"]
    if not other.questions and any("@nutrient" in term.aspects for term in other.terms):
        rest[:] = [term for term in rest if term.word != "@count"]  # "protein in lentils"
    if "what" in other.questions and all(_is_sum(facts) for facts in (own, other)):
        rest[:] = [term for term in rest if term.word != "@price"]


def _is_sum(facts: Facts) -> bool:
    """ "20 % off 50 dollars"."""
    return len(facts.quantities) > 1 and any("percent" in quantity.units for quantity in facts.quantities)


def _answered(kind: str, yours: frozenset[str], facts: Facts, rest: list[Term], both: tuple[Facts, Facts]) -> bool:
    """Whether a question word one side has is said by the other side's nouns, or goes without saying."""
    if kind == "polar":
        told = yours or _needs_which(facts) or not _WORDS.isdisjoint(facts.words[:1])  # "what does it mean"
        return not told or (yours <= {"what", "which"} and _compares(*both))
    other = both[0] if facts is both[1] else both[1]
    if kind == "who" and (other.asks_for == "object" or any(term.word == "role" for term in rest)):
        return False  # "who was founded by him", "what did the founder do"
    if not yours - {"what", "which"}:
        aspect = _ASPECT_OF[kind]
        found = next((term for term in (*rest, *facts.terms) if aspect in term.aspects), None)
        if found is not None:
            if found.word == "deadline" and "possible" in (both[0].modal, both[1].modal):
                return False  # "when can I file" is the first day, and not the last
            if found.word in _CURES and asked_verb(both[0] if facts is both[1] else both[1]) in _COMING_BY:
                return False  # "the treatment for gout", "how do I get gout"
            if found in rest:
                rest.remove(found)
            return True
        if kind == "how" and _names_means(facts, rest, both):
            return True
        if kind == "who":
            only_names = not yours and all(
                term.kind == NAME or (term.kind == SOFT and (place or term.word == "define"))
                for place, term in enumerate(facts.terms)
            )
            named = set() if other.being else {term.word for term in other.terms}
            # "Who is the director", but not "who did the director choose".
            return only_names or any(_is_agent(term, named) for term in facts.terms)
    if {kind, *yours} == {"how", "where"}:
        shared = set(both[0].words) & set(both[1].words)
        return not (_LOOKED_UP.isdisjoint(shared) or _SENT.isdisjoint(shared))  # "how, where do I track my order"
    if kind == "how" and not yours and _names_doer(facts, other):
        return False
    return kind == "how" and not yours and (_NEEDED.isdisjoint(facts.words) or not _NEEDS.isdisjoint(other.words))


def _is_agent(term: Term, named: set[str]) -> bool:
    return term.word.endswith(_AGENTS) and term.kind != NAME and term.word not in named


def _names_doer(facts: Facts, other: Facts) -> bool:
    """ "Expense report approver" asks who approves, and not how one does."""
    if any(term.word == "ingredient" for term in facts.terms):
        return "ingredient" not in other.words and "ingredients" not in other.words  # nor how it is made
    return any(
        term.word.endswith(("er", "or"))
        and any(verb.word != term.word and term.word[: len(verb.word) - 1] == verb.word[:-1] for verb in other.terms)
        for term in facts.terms
    )


def _needs_which(facts: Facts) -> bool:
    """ "Documents needed for a visa" asks which, and not whether any are."""
    if _NEEDED.isdisjoint(facts.words):
        return False
    return any(
        word in _NEEDED and base_form(before) != before and before.endswith("s")
        for before, word in pairwise(facts.words)
    )


def _names_means(facts: Facts, rest: list[Term], both: tuple[Facts, Facts]) -> bool:
    """ "The formula for the area", "how do I calculate the area": a means that the "how" does not name itself."""
    other = both[0] if facts is both[1] else both[1]
    for term in facts.terms:
        if "@means" in term.aspects and _works_with(term, facts, other):
            return True
        if term.word in _FORMULAS and _CALCULATING.isdisjoint(other.words):
            continue  # "the formula for nitroglycerin" is not how to make it
        if "@means" in term.aspects and term.word not in {found.word for found in other.terms}:
            if term in rest:
                rest.remove(term)
            return True
    return False


def _works_with(means: Term, facts: Facts, other: Facts) -> bool:
    """ "Which formula doubles a column" asks how to with a formula; "replace it with a formula" names no means."""
    named = [term for term in other.terms if term.word == means.word]
    return (
        bool(named)
        and not means.slot
        and facts.questions <= {"what", "which"}
        and all(term.slot == "via" or (term.slot == "with" and not _CHANGING.isdisjoint(other.words)) for term in named)
    )


def _compares(cached: Facts, asked: Facts) -> bool:
    """ "Is A better than B" against "which is better, A or B"."""
    return any(
        any(term.slot == "than" or term.joined == "or" for term in one.terms)
        and any(term.joined == "or" or (term.joined == "and" and term.slot in _AMONG) for term in other.terms)
        for one, other in ((cached, asked), (asked, cached))
    )
