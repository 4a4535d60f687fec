"""Compares two parses and names the first reason why one answer may not serve both."""

from __future__ import annotations

from policies.guards.alignment import Alignment, align
from policies.guards.arithmetic import arithmetic_conflict
from policies.guards.code_names import code_name_conflict, spelling_conflict
from policies.guards.comparisons import turned_comparison
from policies.guards.demands import demand_conflict
from policies.guards.facts import SOFT, Conflict, Facts, conflict
from policies.guards.leftovers import leftover_conflict, opposite_conflict
from policies.guards.light_verbs import light_verb_conflict
from policies.guards.literals import literal_conflict, unquoted
from policies.guards.near_synonyms import near_synonym_conflict
from policies.guards.negation import negation_conflict, settle_fronted
from policies.guards.order import order_conflict
from policies.guards.quantities import quantity_conflict
from policies.guards.questions import question_conflict
from policies.guards.roles import roles_conflict
from policies.guards.scope import scope_conflict
from policies.guards.stages import stage_conflict, title_conflict
from policies.guards.tense import tense_conflict
from policies.guards.voice import voice_conflict

GUARDS = (
    "quotes", "code", "numbers", "units", "languages", "negation", "contrast", "question", "scope", "order", "entities",
    "tense", "format", "substitution", "narrowing",
)  # fmt: skip
"""The groups a policy may list."""
DEFAULT_GUARDS = frozenset(GUARDS)
REASONS = (
    "unrelated", "foreign", "quoted", "code", "number", "number_unit", "unit", "language", "programming_language",
    "negation", "negation_scope", "contrast", "question_type", "only_except", "quantity", "from_to", "order", "entity",
    "tense", "modality", "person", "format", "substitution", "narrowing",
)  # fmt: skip


def compare(cached: Facts, asked: Facts, guards: frozenset[str] = DEFAULT_GUARDS) -> Conflict | None:
    """The first conflict between two prompts under the guards listed, or None: the answer may serve.

    Two checks need no listing: prompts that share nothing, and text that is not English, which must be the same words.
    Cheap checks come first, those that align the words of both prompts behind them.
    """
    renamed = spelling_conflict(cached, asked, guards)
    if renamed:
        return renamed
    if _same_words(cached, asked):
        return None
    if not (cached.english and asked.english):
        return conflict("foreign", cached.words, asked.words)
    if cached.negations or asked.negations:
        cached, asked = settle_fronted(cached, asked), settle_fronted(asked, cached)
    found = (
        ("quotes" in guards and literal_conflict("quoted", cached.quoted, asked.quoted, cached, asked))
        or ("code" in guards and literal_conflict("code", cached.code, asked.code, cached, asked))
        or ("code" in guards and code_name_conflict(cached, asked))
        or ("numbers" in guards and arithmetic_conflict(cached, asked))
        or quantity_conflict(cached, asked, guards)
        or ("negation" in guards and negation_conflict(cached, asked))
        or ("format" in guards and _format_conflict(cached, asked))
        or ("substitution" in guards and demand_conflict(cached, asked))
    )
    if found:
        return found
    alignment = align(cached.terms, asked.terms)
    left, right = alignment.cached_left, alignment.asked_left
    if bool(cached.quoted) != bool(asked.quoted):
        left, right = unquoted(left, asked.quoted), unquoted(right, cached.quoted)
    if bool(cached.code) != bool(asked.code):
        left, right = unquoted(left, asked.code), unquoted(right, cached.code)
    turned = turned_comparison(cached, asked, alignment)
    if turned:
        left, right = ([term for term in side if term not in turned] for side in (left, right))
    found = (
        opposite_conflict(left, right, guards)
        or ("contrast" in guards and stage_conflict(cached, asked))
        or ("entities" in guards and title_conflict(cached, asked))
    )
    if found:
        return found
    if not _related(cached, asked, alignment):
        return conflict("unrelated", cached.words, asked.words)
    return (
        ("question" in guards and question_conflict(cached, asked, left, right))
        or ("scope" in guards and scope_conflict(cached, asked, left, right, alignment.pairs))
        or ("tense" in guards and tense_conflict(cached, asked))
        or ("order" in guards and (voice_conflict(cached, asked) or roles_conflict(cached, asked)))
        or ("order" in guards and not turned and order_conflict(cached, asked, alignment.pairs))
        or ("substitution" in guards and near_synonym_conflict(cached, asked, alignment.pairs))
        or ("substitution" in guards and light_verb_conflict(cached, asked))
        or leftover_conflict(cached, asked, left, right, guards)
        or None
    )


def _same_words(cached: Facts, asked: Facts) -> bool:
    """Whether the prompts are one, but for case, punctuation and white space."""
    return (
        cached.words == asked.words
        and cached.code == asked.code
        and cached.quoted == asked.quoted
        and cached.quantities == asked.quantities
        and cached.arithmetic == asked.arithmetic
    )


def _format_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """What is asked of the answer's form: its length, language of markup, audience."""
    if cached.formats == asked.formats:
        return None
    return conflict("format", sorted(cached.formats), sorted(asked.formats))


def _related(cached: Facts, asked: Facts, alignment: Alignment) -> bool:
    """Whether the prompts share anything but small words: an embedder that fails must not make strangers alike."""
    if any(cached.terms[i].kind != SOFT for i, _ in alignment.pairs):
        return True
    if (cached.units and asked.units) or (cached.quantities and asked.quantities):
        return True  # the numbers are another check's question, and so are the literals
    for one, other in ((cached.quoted, asked.quoted), (cached.code, asked.code)):
        if (one and other) or ((one or other) and literal_conflict("", one, other, cached, asked) is None):
            return True
    sides = (alignment.cached_left, alignment.asked_left)
    return bool(alignment.pairs) and any(all(term.kind == SOFT for term in side) for side in sides)
