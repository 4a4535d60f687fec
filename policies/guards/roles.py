"""Group `order`: which person does what, as far as pronouns say: "I told my boss", "my boss told me".

Nouns keep their place in a sentence, so order.py compares them. A pronoun is no term: here its verb is read with it.
"""

from __future__ import annotations

from itertools import pairwise

from policies.guards.draft import STOPS, Draft
from policies.guards.facts import Act, Conflict, Facts, Undergone
from policies.guards.vocabulary import base_form

_REACH = 6
"""Words behind a pronoun among which its verb is looked for: "I am really not going to …"."""
_BE = frozenset(("am", "is", "are", "was", "were", "be", "been", "being", "get", "gets", "got", "getting"))
_MODAL = frozenset(("should", "could", "would", "must", "might"))
_AHEAD = frozenset(("will", "shall", "must", "should", "can", "could"))
"""Verbs before the person that ask about what is still to be done."""
_DENY = frozenset(("not", "never", "hardly"))
_BETWEEN = frozenset(
    ("just", "also", "still", "ever", "even", "always", "often", "now", "then", "already", "all", "both", "would", "so")
)
"""Words that stand between a person and the verb, as every adverb in -ly does."""
_PREPOSITIONS = frozenset(("on", "to", "with", "for", "at", "of", "about", "against", "from", "by", "off", "behind"))
_TELLING = frozenset(
    ("tell", "ask", "remind", "order", "urge", "advise", "instruct", "persuade", "convince", "force", "warn")
)
_NOT_TOLD = frozenset(("me", "us", "how", "what", "that", "whether", "if"))
_TOLD = "told"
"""The person of whoever is told to do something: "tell him to call"."""
_TOLD_REACH = 4
_CLASHING = {
    frozenset(pair)
    for pair in (("first", "he"), ("first", "she"), ("first", "they"), ("he", "she"), ("first", _TOLD))
}  # fmt: skip
_NO_NOUN = frozenset(
    ("i", "me", "we", "us", "you", "he", "him", "she", "her", "it", "they", "them", "my", "your", "his", "our", "their")
)
_HELPERS = frozenset(("has", "have", "had", "does", "do", "did", "will", "would", "can", "could", "not", "never"))
_OBJECTS = (("my",), ("the",), ("a",), ("our",))
"""What an object begins with right behind its verb."""
OWNING = frozenset(
    (
        "neighbor", "friend", "mother", "father", "mom", "mum", "dad", "brother", "sister", "wife", "husband",
        "girlfriend", "boyfriend", "boss", "landlord", "tenant", "son", "daughter", "partner", "cousin", "uncle",
        "aunt", "grandma", "grandpa", "roommate", "coworker", "colleague", "manager", "teacher", "doctor", "ex", "bf",
        "gf", "customer",
    )
)  # fmt: skip
"""Persons whose possessive is often written without its apostrophe."""
_BEFORE_OWNER = frozenset(("the", "my", "your", "his", "her", "our", "their", "this", "that"))
_NO_THING = frozenset(("and", "or", "but", "who", "that", "not", "only", "all"))


def read_act(draft: Draft, person: str, index: int) -> None:
    """Record the verb a person is the subject of: "I really did not tell", "was I told"."""
    small = draft.lexicon.small
    words = draft.words
    before = words[index - 1] if index else ""
    negated = before in _DENY
    passive = before in _BE
    helped = before in small.auxiliary
    future = before in _AHEAD
    past = before in ("was", "were")
    end = min(index + 1 + _REACH, len(words))
    place = index + 1
    while place < end:
        word = words[place]
        following = words[place + 1] if place + 1 < len(words) else ""
        if word in _DENY:
            negated = True
        elif (word in ("going", "about") and following == "to" and passive) or word == "gonna":
            future, passive = True, False
            place += following == "to"
        elif word in small.auxiliary or word in _BE:
            helped = True
            passive = word in _BE
            past = past or word in ("was", "were", "got") or (word in ("have", "been") and before in _MODAL)
            future = future or word in ("will", "must", "getting")
        elif word in _BETWEEN or word.endswith("ly"):
            pass
        elif not word.isalpha() or word in small.prepositions or word in small.question or word in _NO_NOUN:
            return
        else:
            verb = base_form(word)
            told = not helped and verb != word and not word.endswith(("s", "ing"))
            time = "past" if past or told else "future" if future else ""
            draft.acts.append(Act(person, verb, passive and not word.endswith("ing"), negated, time))
            return
        place += 1


def read_undergone(draft: Draft, person: str, index: int) -> None:
    """Record the words that may do something to a person: what stands before "me" in its clause."""
    window = []
    nearest = ""
    for place in range(index - 1, max(index - _REACH, 0) - 1, -1):
        word = draft.words[place]
        if word in STOPS or word == "," or word in ("i", "we", "he", "she", "they"):
            break
        if word == "than":
            return
        base = base_form(word)
        window.append(base)
        if not nearest and word not in _PREPOSITIONS:
            nearest = base
    slot = draft.word_at(index - 1)
    draft.undergone.append(Undergone(person, frozenset(window), nearest, slot if slot in _PREPOSITIONS else ""))


def read_told(draft: Draft, index: int) -> None:
    """Record what somebody is told to do, at the "to" of "tell my tenant to pay"."""
    words = draft.words
    verb = draft.word_at(index + 1)
    if index < 2 or not verb.isalpha():
        return
    for place in range(index - 2, max(index - 1 - _TOLD_REACH, 0) - 1, -1):
        if base_form(words[place]) in _TELLING and words[place + 1] not in _NOT_TOLD:
            draft.acts.append(Act(_TOLD, base_form(verb), False, False, ""))
            return


def is_unmarked_owner(draft: Draft, word: str, index: int) -> bool:
    """ "My neighbors cat": the possessive of a person as it is typed in a hurry, with a noun behind it."""
    small = draft.lexicon.small
    following = draft.word_at(index + 1)
    return (
        word[-1] == "s"
        and base_form(word) != word  # "boss"
        and base_form(word) in OWNING
        and draft.word_at(index - 1) in _BEFORE_OWNER
        and following.isalpha()
        and following not in small.auxiliary
        and following not in small.prepositions
        and following not in small.question
        and following not in _NO_THING
    )


def roles_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """The first verb that another person does in the other prompt, or that is done to the same one."""
    if not (cached.acts or asked.acts or (cached.undergone and asked.undergone)):
        return None
    return _other_act(cached, asked) or _other_act(asked, cached) or _other_object(cached, asked)


def _other_act(one: Facts, other: Facts) -> Conflict | None:
    for act in one.acts:
        same = [theirs for theirs in other.acts if theirs.verb == act.verb]
        mine = [theirs for theirs in same if theirs.person == act.person]
        shown = f"{act.person} {act.verb}"
        if mine:
            if len(one.negations) == len(other.negations) and all(found.negated != act.negated for found in mine):
                return Conflict("negation_scope", shown, shown)
            told = "by" in (one.words if act.passive else other.words) or "did" in (
                other.words if act.passive else one.words
            )
            if told and all(f.passive != act.passive for f in mine):
                return Conflict("order", shown, shown)  # "I was hit by a car", "I hit a car"
            if act.time and all(found.time and found.time != act.time for found in mine):
                return Conflict("tense", act.time, mine[0].time)
        elif same:
            if all(frozenset((act.person, found.person)) in _CLASHING for found in same):
                return Conflict("order", shown, f"{same[0].person} {act.verb}")
        elif act.person != _TOLD and _undergoes(other, act) and not _undergoes(one, act):
            return Conflict("order", shown, f"{act.verb} {act.person}")
        if not same and act.person == "first" and not act.passive and _was_done(one, other, act.verb):
            return Conflict("order", shown, act.verb)  # "why did I decline it", "why was it declined"
        if not same and act.person == "first" and _noun_acts(one, other, act):
            return Conflict("order", shown, act.verb)
    return None


def _was_done(one: Facts, other: Facts, verb: str) -> bool:
    """Whether both ask why, and the other prompt tells of what somebody else did: "why was my payment declined"."""
    if "why" not in one.questions & other.questions:
        return False
    done = False
    for before, word in pairwise(other.words):
        done = done or before in _BE
        if base_form(word) == verb and not word.endswith("ing"):
            return before == "you" or (done and before not in _NO_NOUN)
    return False


def _undergoes(facts: Facts, act: Act) -> bool:
    """Whether the same is done to the same person; of "I am mad" only in "mad at me", as "am" may begin a passive."""
    return any(
        found.person == act.person
        and (found.nearest == act.verb and found.slot if act.passive else act.verb in found.window)
        for found in facts.undergone
    )


def _noun_acts(one: Facts, other: Facts, act: Act) -> bool:
    """ "I earn more than my wife", "my wife earns more than me": the subject is a noun that both prompts name."""
    if "by" in one.words or "by" in other.words:
        return False
    named = act.person in other.agents or act.person in other.patients
    for place, word in enumerate(other.words):
        if place and base_form(word) == act.verb:
            if not named and (other.person != act.person or other.words[place + 1 : place + 2] not in _OBJECTS):
                return False  # "I broke my phone", "my phone broke"
            before = next((w for w in reversed(other.words[:place]) if w not in _BE and w not in _HELPERS), "")
            noun = base_form(before)
            return (
                noun not in _NO_NOUN
                and any(term.word == noun and term.slot not in ("for", "with") for term in one.terms)
                and _owned(other, before)
            )
    return False


def _owned(facts: Facts, noun: str) -> bool:
    """Whether the noun has "my" before it: a person or thing of the one who asks."""
    place = facts.words.index(noun)
    return facts.words[max(place - 2, 0)] in ("my", "our") or facts.words[max(place - 1, 0)] in ("my", "our")


def _other_object(cached: Facts, asked: Facts) -> Conflict | None:
    """ "Remind me to call mum", "remind mum to call me"."""
    for found in cached.undergone:
        if found.person == "they" and cached.turn and asked.turn:
            continue  # "keep A but delete them", "delete A but keep them": a "but" tells the things apart
        others = [theirs.nearest for theirs in asked.undergone if theirs.person == found.person]
        if not others or not found.nearest or found.nearest in others or found.nearest in _NO_NOUN:
            continue
        bases = set(map(base_form, asked.words))
        mine = set(map(base_form, cached.words))
        if found.nearest in bases and all(nearest in mine and nearest not in _NO_NOUN for nearest in others):
            return Conflict("order", f"{found.nearest} {found.person}", f"{others[0]} {found.person}")
    return None
