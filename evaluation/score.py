"""Labelled prompts looked up under a policy, through the proxy's own code: keys, namespaces, index, guard, decision."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.dataset import Lookup, Messages, Stored
from evaluation.scored import Scored
from evaluation.vectors import Vectors
from policies.classify import classify
from policies.guards import Facts, Lexicon, parse
from policies.guards.lexicon import default_lexicon
from policies.model import FamilyPolicy, PolicySet
from proxy import openai
from proxy.cache.candidate import Candidate
from proxy.cache.embedder import Vector
from proxy.cache.index import VectorIndex
from proxy.cache.lookup import Considered, Hit, Miss, decide
from proxy.cache.semantic import SemanticCache
from proxy.keys import cache_key, namespace
from proxy.openai import CHAT

DEFAULT_THRESHOLD = 0.80
"""What a family without a threshold of its own is scored at: the floor, below which none is accepted unasked."""

ANY_SIMILARITY = -1.0
"""A threshold that refuses nothing: what remains is the guards' doing."""

TENANT = b"evaluation"
MODEL = "evaluation"


@dataclass(frozen=True, slots=True)
class _Found:
    """A lookup's family, its candidates, and how the asked text reads."""

    family: FamilyPolicy
    nearest: list[tuple[Candidate, float]]
    text: str
    why: str
    """Why there is no candidate."""


class Readings:
    """The guard's readings of texts, each made once; several scorers may share them."""

    def __init__(self) -> None:
        self._lexicons: dict[str, Lexicon] = {}
        """By the family's `lexicon:`, so that scorers of one policy have the same."""
        self._facts: dict[tuple[str, int], Facts] = {}

    def lexicon(self, family: FamilyPolicy) -> Lexicon:
        words = family.semantic.lexicon
        name = words.model_dump_json()
        lexicon = self._lexicons.get(name)
        if lexicon is None:
            lexicon = default_lexicon()
            if words.contrasts or words.units or words.names or words.synonyms:
                lexicon = lexicon.extended(words.contrasts, words.units, words.names, words.synonyms)
            self._lexicons[name] = lexicon
        return lexicon

    def read(self, text: str, lexicon: Lexicon) -> Facts:
        name = (text, id(lexicon))
        facts = self._facts.get(name)
        if facts is None:
            facts = self._facts[name] = parse(text, lexicon)
        return facts


@dataclass(frozen=True, slots=True)
class _World:
    """What is stored when a lookup comes."""

    stored: tuple[Stored, ...]
    """Held, because its id names the world."""
    equal: dict[bytes, str]
    """Names of the stored prompts, by the exact cache's key."""
    near: SemanticCache


class Scorer:
    """Scores lookups under one policy set, whether or not a family's `mode` is on.

    A family that is named and not configured is scored as the default family under that name.
    """

    def __init__(
        self,
        policies: PolicySet,
        vectors: Vectors,
        thresholds: Mapping[str, float] | float | None = None,
        guards: Iterable[str] | None = None,
        *,
        guarded: bool = True,
        readings: Readings | None = None,
    ) -> None:
        """
        Args:
            thresholds: by family, in place of the policy's own; or one for all.
            guards: of every family, in place of the policy's own.
            guarded: False scores similarity alone, without even what the guard checks unlisted.
        """
        self._policies = policies
        self._vectors = vectors
        self._threshold = thresholds if isinstance(thresholds, int | float) else None
        self._thresholds = dict(thresholds) if isinstance(thresholds, Mapping) else {}
        self._guards = None if guards is None else frozenset(guards)
        self._guarded = guarded
        self._named = {family.name: family for family in (policies.defaults, *policies.families)}
        self._worlds: dict[tuple[int, str | None], _World] = {}
        self._lexicons: dict[str, Lexicon] = {}
        self._readings = readings or Readings()

    def texts(self, lookups: Iterable[Lookup]) -> set[str]:
        """Every text that needs a vector."""
        found = set()
        for lookup in lookups:
            for messages in (lookup.messages, *(stored.messages for stored in lookup.stored)):
                text = openai.last_user_text(CHAT, _payload(messages))
                if text:
                    found.add(text)
        return found

    def score(self, lookups: Sequence[Lookup], progress: Callable[[int], None] = lambda done: None) -> list[Scored]:
        """One row a lookup, in order. The vectors of `texts(lookups)` must have been made."""
        rows = []
        for done, lookup in enumerate(lookups, 1):
            rows.append(self.score_one(lookup))
            progress(done)
        return rows

    def threshold(self, family: str) -> float:
        """What a family is scored at: as given here, the policy's own, or `DEFAULT_THRESHOLD`."""
        if self._threshold is not None:
            return self._threshold
        if family in self._thresholds:
            return self._thresholds[family]
        configured = self._named.get(family, self._policies.defaults)
        own = configured.semantic.threshold
        return DEFAULT_THRESHOLD if own is None else own

    def judge(self, lookup: Lookup) -> tuple[Miss | Hit, list[Considered]]:
        """The proxy's verdict on one lookup's candidates, and what it found of each."""
        found = self._find(lookup, self._world(lookup))
        if not found.nearest:
            return Miss(found.why), []
        return self._decide(found, self.threshold(found.family.name))

    def score_one(self, lookup: Lookup) -> Scored:
        """Score one lookup; an equal request is the exact cache's, whatever the family says of similarity."""
        world = self._world(lookup)
        equal = world.equal.get(self._key(lookup, lookup.messages))
        if equal is not None:
            family = self._family(lookup, lookup.messages).name
            return _scored(lookup, family, "exact", served=equal, similarity=1.0, nearest=equal, servable=(equal, 1.0))
        found = self._find(lookup, world)
        family = found.family.name
        if not found.nearest:
            return _scored(lookup, family, found.why)
        threshold = self.threshold(family)
        candidate, similarity = found.nearest[0]
        nearest = _entry_name(candidate)
        verdict, _ = self._decide(found, ANY_SIMILARITY)
        servable = None
        if isinstance(verdict, Hit):
            servable = (_entry_name(verdict.candidate), verdict.similarity)
        if servable is None or servable[1] < threshold:
            verdict, _ = self._decide(found, threshold)
        if isinstance(verdict, Miss):
            return _scored(lookup, family, verdict.reason, similarity=similarity, nearest=nearest, servable=servable)
        served = _entry_name(verdict.candidate)
        return _scored(
            lookup, family, None, served=served, similarity=verdict.similarity, nearest=nearest, servable=servable
        )

    def _find(self, lookup: Lookup, world: _World) -> _Found:
        family = self._family(lookup, lookup.messages)
        text = openai.last_user_text(CHAT, _payload(lookup.messages)) or ""
        space = self._namespace(family, lookup.messages)
        if space is None:
            return _Found(family, [], text, "no-part")
        values = self._vectors[text]
        if values is None:
            return _Found(family, [], text, f"embedder-{self._vectors.why_none(text)}".replace("_", "-"))
        vector = Vector(values, self._vectors.embedder.identity)
        return _Found(family, world.near.nearest(space, vector, family.semantic.top_k), text, "empty")

    def _decide(self, found: _Found, threshold: float) -> tuple[Hit | Miss, list[Considered]]:
        lexicon = self._lexicon(found.family)
        read = self._readings.read
        # A reading never conflicts with itself, so one for all is a decision by similarity alone.
        asked = read(found.text if self._guarded else "", lexicon)
        guards = frozenset(found.family.semantic.guards) if self._guards is None else self._guards
        return decide(
            found.nearest,
            asked,
            threshold=threshold,
            guards=guards,
            is_fresh=lambda candidate: True,
            facts_of=lambda candidate: read(candidate.text, lexicon) if self._guarded else asked,
        )

    def _key(self, lookup: Lookup, messages: Messages) -> bytes:
        family = self._family(lookup, messages)
        return cache_key(
            _payload(messages),
            path=CHAT,
            tenant=TENANT,
            model=MODEL,
            revision="",
            meaning=family.meaning,
            normalize=family.normalize,
            ignore_user=family.ignore_user,
        )

    def _world(self, lookup: Lookup) -> _World:
        name = (id(lookup.stored), lookup.family)
        world = self._worlds.get(name)
        if world is None:
            near = SemanticCache(VectorIndex, clock=lambda: 0.0, max_vectors=max(1, len(lookup.stored)))
            equal: dict[bytes, str] = {}
            for stored in lookup.stored:
                equal.setdefault(self._key(lookup, stored.messages), stored.key)
                self._store(near, lookup, stored.key, stored.messages)
            world = _World(lookup.stored, equal, near)
            if len(lookup.stored) > 1:  # a pair's is used once
                self._worlds[name] = world
        return world

    def _store(self, near: SemanticCache, lookup: Lookup, key: str, messages: Messages) -> None:
        family = self._family(lookup, messages)
        space = self._namespace(family, messages)
        text = openai.last_user_text(CHAT, _payload(messages)) or ""
        values = None if space is None else self._vectors[text]
        if space is not None and values is not None:
            candidate = Candidate(_entry_key(key), text, None, 0.0, family.name)
            near.add(space, Vector(values, self._vectors.embedder.identity), candidate)

    def _family(self, lookup: Lookup, messages: Messages) -> FamilyPolicy:
        if lookup.family is not None:
            family = self._named.get(lookup.family)
            if family is None:
                family = self._policies.defaults.model_copy(update={"name": lookup.family})
                self._named[lookup.family] = family
            return family
        payload = _payload(messages)
        return classify(
            self._policies,
            path=CHAT,
            model=MODEL,
            tenant=None,
            header=None,
            prompt_text=lambda: openai.prompt_text(payload),
            system_text=lambda: openai.system_text(payload),
        )

    def _namespace(self, family: FamilyPolicy, messages: Messages) -> bytes | None:
        """None where such a request takes no part: as `Semantics.matched` decides."""
        payload = _payload(messages)
        text = openai.last_user_text(CHAT, payload)
        if not text or not text.strip():
            return None
        if not family.semantic.multi_turn and openai.has_earlier_turns(payload):
            return None
        return namespace(
            payload,
            path=CHAT,
            tenant=TENANT,
            model=MODEL,
            revision="",
            meaning=family.meaning,
            family=family.name,
            ignore_user=family.ignore_user,
        )

    def _lexicon(self, family: FamilyPolicy) -> Lexicon:
        lexicon = self._lexicons.get(family.name)
        if lexicon is None:
            lexicon = self._lexicons[family.name] = self._readings.lexicon(family)
        return lexicon


def _scored(
    lookup: Lookup,
    family: str,
    reason: str | None,
    *,
    served: str | None = None,
    similarity: float | None = None,
    nearest: str | None = None,
    servable: tuple[str, float] | None = None,
) -> Scored:
    return Scored(
        id=lookup.id,
        source=lookup.source,
        family=family,
        kind=lookup.kind,
        expected=lookup.expected,
        served=served,
        similarity=similarity,
        reason=reason,
        nearest=nearest,
        servable=None if servable is None else servable[0],
        servable_similarity=None if servable is None else servable[1],
    )


def _entry_key(name: str) -> bytes:
    """32 bytes as the proxy's keys are, whose first ones tell entries apart; and the name after them."""
    return hashlib.sha256(name.encode()).digest() + name.encode()


def _entry_name(candidate: Candidate) -> str:
    return candidate.key[32:].decode()


def _payload(messages: Messages) -> dict[str, Any]:
    return {"model": MODEL, "messages": [*messages], "temperature": 0}
