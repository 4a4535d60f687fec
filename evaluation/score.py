"""Hit and false-hit rates of a policy on labelled prompts, through the proxy's own lookup code.

Two rates, never mixed. False-hit rate: should-miss lookups that were served ÷ should-miss lookups; a property of
matcher and threshold. Wrong share: wrong answers ÷ answers served; it depends on how much traffic repeats, and is
derived elsewhere at a stated share. `wrong` counts both kinds of wrong answer: one served where none should be, and
one of another entry than the labelled.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from evaluation.dataset import Lookup, Messages
from evaluation.intervals import upper_bound
from evaluation.vectors import Vectors
from policies.classify import classify
from policies.guards import Lexicon, parse
from policies.guards.lexicon import default_lexicon
from policies.model import FamilyPolicy, PolicySet
from proxy import openai
from proxy.cache.candidate import Candidate
from proxy.cache.embedder import Vector
from proxy.cache.index import VectorIndex
from proxy.cache.lookup import Considered, decide
from proxy.cache.semantic import SemanticCache
from proxy.keys import cache_key, namespace
from proxy.openai import CHAT

DEFAULT_THRESHOLD = 0.80
"""What a family without a threshold of its own is scored at: the floor, below which none is accepted unasked."""

TENANT = b"evaluation"
MODEL = "evaluation"


@dataclass(frozen=True, slots=True)
class Scored:
    """What one lookup came to."""

    id: str
    source: str
    family: str
    kind: str | None
    expected: str | None
    """Key of the stored prompt that should answer it; None: it should miss."""
    served: str | None
    """Key of the one that did."""
    similarity: float | None
    """Cosine of the nearest candidate, or of the one served."""
    reason: str | None
    """Why it missed: `threshold`, a guard's reason, `empty`, `over-window`, `no-part`; `exact` for an equal text."""

    @property
    def hit(self) -> bool:
        """Served what it should be."""
        return self.expected is not None and self.served == self.expected

    @property
    def wrong(self) -> bool:
        """Served what it should not be."""
        return self.served is not None and self.served != self.expected


@dataclass(slots=True)
class Summary:
    """Counts over some lookups."""

    n_hit: int = 0
    """Lookups that should hit."""
    hits: int = 0
    """Of these, served by the right entry."""
    n_miss: int = 0
    """Lookups that should miss."""
    wrong: int = 0
    """Wrong answers: false hits and wrong entries."""
    false_hits: int = 0
    """Lookups that should miss and were served."""
    wrong_entry: int = 0
    """Lookups that should hit and were served by another entry."""
    false_hit_upper95: float = 1.0
    """One-sided 95 % Clopper–Pearson upper bound of false hits ÷ `n_miss`."""
    refused_by: dict[str, int] = field(default_factory=dict)
    """Lookups that missed, by reason."""


def summarise(rows: Iterable[Scored]) -> Summary:
    """Count."""
    summary = Summary()
    refused: Counter[str] = Counter()
    for row in rows:
        if row.expected is None:
            summary.n_miss += 1
            summary.false_hits += row.served is not None
        else:
            summary.n_hit += 1
            summary.hits += row.hit
            summary.wrong_entry += row.wrong
        if row.served is None:
            refused[row.reason or "?"] += 1
    summary.wrong = summary.false_hits + summary.wrong_entry
    summary.false_hit_upper95 = upper_bound(summary.false_hits, summary.n_miss)
    summary.refused_by = dict(sorted(refused.items(), key=lambda item: (-item[1], item[0])))
    return summary


class Scorer:
    """Scores lookups under one policy set.

    A family that is named and not configured is scored as the default family under that name.
    """

    def __init__(self, policies: PolicySet, vectors: Vectors, thresholds: Mapping[str, float] | None = None) -> None:
        """`thresholds`: by family, in place of the policy's own."""
        self._policies = policies
        self._vectors = vectors
        self._thresholds = dict(thresholds or {})
        self._named = {family.name: family for family in (policies.defaults, *policies.families)}
        self._worlds: dict[tuple[int, str | None], SemanticCache] = {}
        self._lexicons: dict[str, Lexicon] = {}
        self._read = lru_cache(maxsize=200_000)(parse)

    def texts(self, lookups: Iterable[Lookup]) -> set[str]:
        """Every text that will need a vector."""
        found = set()
        for lookup in lookups:
            for messages in (lookup.messages, *(stored.messages for stored in lookup.stored)):
                found.add(messages[-1][1])
        return found

    def score(self, lookups: Sequence[Lookup], progress: Callable[[int], None] = lambda done: None) -> list[Scored]:
        """One row a lookup, in order. The vectors of `texts(lookups)` must have been made."""
        rows = []
        for done, lookup in enumerate(lookups, 1):
            rows.append(self.score_one(lookup))
            progress(done)
        return rows

    def threshold(self, family: FamilyPolicy) -> float:
        """What the family is scored at."""
        if family.name in self._thresholds:
            return self._thresholds[family.name]
        own = family.semantic.threshold
        return DEFAULT_THRESHOLD if own is None else own

    def look_up(self, lookup: Lookup) -> tuple[FamilyPolicy, list[Considered], str | None]:
        """The family of a lookup, its candidates as they were judged, and why there are none."""
        family = self._family(lookup, lookup.messages)
        space = self._namespace(family, lookup.messages)
        if space is None:
            return family, [], "no-part"
        values = self._vectors[lookup.messages[-1][1]]
        if values is None:
            return family, [], "over-window"
        world = self._world(lookup)
        nearest = world.nearest(space, Vector(values, self._vectors.embedder.identity), family.semantic.top_k)
        lexicon = self._lexicon(family)
        _, considered = decide(
            nearest,
            self._read(lookup.messages[-1][1], lexicon),
            threshold=self.threshold(family),
            guards=frozenset(family.semantic.guards),
            is_fresh=lambda candidate: True,
            facts_of=lambda candidate: self._read(candidate.text, lexicon),
        )
        return family, considered, None if considered else "empty"

    def score_one(self, lookup: Lookup) -> Scored:
        """Score one lookup; an equal request is the exact cache's, whatever the family says of similarity."""
        equal = self._equal(lookup)
        if equal is not None:
            family = self._family(lookup, lookup.messages)
            return self._scored(lookup, family.name, equal, 1.0, "exact")
        family, considered, why = self.look_up(lookup)
        for one in considered:
            if one.refused is None:
                return self._scored(lookup, family.name, one.candidate.key.decode(), one.similarity, None)
        if considered:
            threshold = self.threshold(family)
            telling = next((one for one in considered if one.conflict and one.similarity >= threshold), considered[0])
            why = telling.conflict.reason if telling.conflict and telling.similarity >= threshold else "threshold"
        similarity = considered[0].similarity if considered else None
        return self._scored(lookup, family.name, None, similarity, why)

    def _scored(
        self, lookup: Lookup, family: str, served: str | None, similarity: float | None, reason: str | None
    ) -> Scored:
        return Scored(lookup.id, lookup.source, family, lookup.kind, lookup.expected, served, similarity, reason)

    def _equal(self, lookup: Lookup) -> str | None:
        key = self._key(lookup, lookup.messages)
        return next((one.key for one in lookup.stored if self._key(lookup, one.messages) == key), None)

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
        )

    def _world(self, lookup: Lookup) -> SemanticCache:
        name = (id(lookup.stored), lookup.family)
        world = self._worlds.get(name)
        if world is None:
            world = SemanticCache(VectorIndex, clock=lambda: 0.0)
            if len(lookup.stored) > 1:
                # Kept, and with it the tuple whose id names it; a pair's world is used once.
                self._worlds[name] = world
            for stored in lookup.stored:
                self._store(world, lookup, stored.key, stored.messages)
        return world

    def _store(self, world: SemanticCache, lookup: Lookup, key: str, messages: Messages) -> None:
        family = self._family(lookup, messages)
        space = self._namespace(family, messages)
        values = self._vectors[messages[-1][1]]
        if space is not None and values is not None:
            candidate = Candidate(key.encode(), messages[-1][1], None, 0.0, family.name)
            world.add(space, Vector(values, self._vectors.embedder.identity), candidate)

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
        )

    def _lexicon(self, family: FamilyPolicy) -> Lexicon:
        lexicon = self._lexicons.get(family.name)
        if lexicon is None:
            words = family.semantic.lexicon
            lexicon = default_lexicon()
            if words.contrasts or words.units or words.names or words.synonyms:
                lexicon = lexicon.extended(words.contrasts, words.units, words.names, words.synonyms)
            self._lexicons[family.name] = lexicon
        return lexicon


def report(rows: Sequence[Scored], thresholds: Mapping[str, float]) -> dict[str, Any]:
    """The result file: counts in all, by family, by source and by kind, and one row a lookup."""
    groups: dict[str, dict[str, list[Scored]]] = {
        "families": defaultdict(list),
        "sources": defaultdict(list),
        "kinds": defaultdict(list),
    }
    for row in rows:
        groups["families"][row.family].append(row)
        groups["sources"][row.source].append(row)
        if row.kind is not None:
            groups["kinds"][row.kind].append(row)
    told: dict[str, Any] = {
        name: {key: asdict(summarise(group[key])) for key in sorted(group)} for name, group in groups.items()
    }
    for family, summary in told["families"].items():
        summary["threshold"] = thresholds[family]
    return {
        "all": asdict(summarise(rows)),
        **told,
        "lookups": [{**asdict(row), "hit": row.hit, "wrong": row.wrong} for row in rows],
    }


def _payload(messages: Messages) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": role, "content": text} for role, text in messages], "temperature": 0}
