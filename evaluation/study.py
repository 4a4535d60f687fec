"""Every row of the table on every set: what it serves at fixed, at the best, and at transferred thresholds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.calibrate import Accepted, Promise, calibrate
from evaluation.dataset import Lookup, pair
from evaluation.embedders import AS_WRITTEN, ROWS, Row
from evaluation.score import DEFAULT_THRESHOLD, Readings, Scorer
from evaluation.scored import Scored
from evaluation.sets import LabelledSet
from evaluation.thresholds import (
    NEVER,
    Probe,
    Tally,
    Thresholds,
    best_without_wrong,
    by_family,
    everywhere,
    families,
    for_half_of_hits,
    or_never,
    probes,
    tally,
    transferred,
)
from evaluation.vectors import Vectors
from policies.model import PolicySet
from proxy.cache.lookup import Hit

PUBLISHED_THRESHOLD = 0.96
CURVE = tuple(round(step / 100, 2) for step in range(100, 29, -2))
"""Thresholds of a curve of hits against false hits."""
BINS = 50
"""Of a histogram of similarity, from 0 to 1."""
PROMISE = Promise(max_false_hit=0.01, confidence=0.95)
SHOWN_WRONG = 40
"""Wrong answers of a set that are kept with their texts."""

SWAPPED = (
    ("convert 5 km to miles", "how many miles is 5 km", "convert 5 miles to km"),
    ("convert 10 kg to pounds", "what is 10 kg in pounds?", "convert 10 pounds to kg"),
    (
        "translate 'good morning' to French",
        "how do you say 'good morning' in French?",
        "translate 'good morning' to German",
    ),
    ("is Python faster than Java?", "does Python run faster than Java?", "is Java faster than Python?"),
)
"""A question, a paraphrase of it, and one that only looks like it."""


@dataclass(frozen=True, slots=True)
class Study:
    """All cells, by row and set, with what the report shows beside them."""

    cells: Mapping[str, Mapping[str, Any]]
    swapped: Sequence[Mapping[str, Any]]
    wrong: Mapping[str, Sequence[Mapping[str, Any]]]
    """By shipped set: what the last row, the typed guard's, serves wrongly at `DEFAULT_THRESHOLD`."""


def run_study(
    sets: Sequence[LabelledSet],
    embedders: Mapping[str, Vectors],
    policies: PolicySet,
    *,
    rows: Sequence[Row] = ROWS,
    progress: Callable[[str, int], None] = lambda what, done: None,
) -> Study:
    """Vectors of all texts must have been made. `progress` is told what is scored, and how many lookups are."""
    readings = Readings()
    floors = {family.name: family.semantic.floor for family in policies.families}
    cells: dict[str, dict[str, Any]] = {}
    wrong: dict[str, Sequence[Mapping[str, Any]]] = {}
    done = 0
    for row in rows:
        vectors = embedders[row.embedder]
        scorer = Scorer(
            policies,
            vectors,
            DEFAULT_THRESHOLD,
            row.guards,
            guarded=row.guards is not None,
            readings=readings,
        )
        cells[row.name] = {}
        for one in sets:
            before = done
            scored = scorer.score(one.lookups, lambda n, at=before, row=row: progress(row.name, at + n))  # type: ignore[misc]
            done += len(one.lookups)
            seen = probes(one.lookups, scored)
            cells[row.name][one.name] = cell(seen, scored, floors)
            if row is rows[-1] and one.shipped:
                wrong[one.name] = wrong_answers(one.lookups, scored)
    return Study(cells, _swapped(embedders, policies, readings), wrong)


def cell(seen: Sequence[Probe], scored: Sequence[Scored], floors: Mapping[str, float]) -> dict[str, Any]:
    """What one row does on one set."""

    def floor(family: str) -> float:
        return floors.get(family, DEFAULT_THRESHOLD)

    single = best_without_wrong(seen)
    own = by_family(seen, floor)
    half = for_half_of_hits(seen)
    return {
        "n_hit": sum(probe.should_hit for probe in seen),
        "n_miss": sum(not probe.should_hit for probe in seen),
        "at_096": _counts(tally(seen, everywhere(PUBLISHED_THRESHOLD))),
        "at_default": _counts(tally(seen, everywhere(DEFAULT_THRESHOLD))),
        "single": {"threshold": _json(single), **_counts(tally(seen, everywhere(single)))},
        "families": {
            **_counts(tally(seen, own.__getitem__)),
            "by_family": {
                name: {"threshold": _json(own[name]), **_counts(tally(group, own.__getitem__), sizes=True)}
                for name, group in families(seen).items()
            },
        },
        "transferred_single": _counts(transferred(seen, lambda here: everywhere(best_without_wrong(here)))),
        "transferred_families": _counts(transferred(seen, lambda here: or_never(by_family(here, floor)))),
        "transferred_promise": _counts(transferred(seen, _promised)),
        "half": {"threshold": _json(half), **_counts(tally(seen, everywhere(half)))} if half > -1 else None,
        "curve": [_point(seen, at) for at in CURVE],
        "histogram": _histogram(scored),
    }


def _promised(seen: Sequence[Probe]) -> Thresholds:
    """One threshold whose false-hit rate is at most 1 % with 95 % confidence; none if the labels can't prove one."""
    found = calibrate(seen, PROMISE, 1 - PROMISE.confidence, DEFAULT_THRESHOLD)
    return everywhere(found.threshold if isinstance(found, Accepted) else NEVER)


def _counts(found: Tally, *, sizes: bool = False) -> dict[str, int]:
    counts = {"hits": found.hits, "false_hits": found.false_hits, "wrong": found.wrong}
    return {"n_hit": found.n_hit, "n_miss": found.n_miss, **counts} if sizes else counts


def _point(seen: Sequence[Probe], threshold: float) -> tuple[float, int, int]:
    found = tally(seen, everywhere(threshold))
    return threshold, found.hits, found.wrong


def _json(threshold: float) -> float | None:
    """None for `NEVER`."""
    return round(threshold, 6) if abs(threshold) <= 1 else None


def _histogram(scored: Sequence[Scored]) -> dict[str, list[int]]:
    """Similarities of the candidate served, or of the nearest, in `BINS` bins from 0 to 1."""
    bins: dict[str, list[int]] = {"should_hit": [0] * BINS, "should_miss": [0] * BINS}
    for row in scored:
        if row.similarity is not None:
            place = min(BINS - 1, max(0, int(row.similarity * BINS)))
            bins["should_miss" if row.expected is None else "should_hit"][place] += 1
    return bins


def wrong_answers(lookups: Sequence[Lookup], scored: Sequence[Scored]) -> list[dict[str, Any]]:
    """What was served wrongly, most similar first."""
    found = []
    for lookup, row in zip(lookups, scored, strict=True):
        if row.wrong:
            served = next(stored for stored in lookup.stored if stored.key == row.served)
            found.append(
                {
                    "asked": _text(lookup.messages),
                    "served_from": _text(served.messages),
                    "similarity": round(row.similarity or 0.0, 4),
                    "kind": lookup.kind,
                }
            )
    return sorted(found, key=lambda one: (-float(str(one["similarity"])), str(one["asked"])))[:SHOWN_WRONG]


def _text(messages: Sequence[Mapping[str, Any]]) -> str:
    return str(messages[-1]["content"])


def _swapped(embedders: Mapping[str, Vectors], policies: PolicySet, readings: Readings) -> list[dict[str, Any]]:
    """The similarities of a question to its paraphrase and to its trap, and what the typed guard says of them."""
    scorers = {
        row.embedder: Scorer(policies, embedders[row.embedder], guards=row.guards, readings=readings)
        for row in ROWS
        if row.embedder in embedders and row.embedder != AS_WRITTEN
    }
    told = []
    for question, paraphrase, trap in SWAPPED:
        similarities: dict[str, list[float | None]] = {}
        verdicts: list[str] = []
        for name, scorer in scorers.items():
            asked = [pair(question, other) for other in (paraphrase, trap)]
            embedders[name].make(scorer.texts(asked))
            rows = scorer.score(asked)
            similarities[name] = [None if row.similarity is None else round(row.similarity, 4) for row in rows]
            if name == ROWS[-1].embedder:
                verdicts = [_said(scorer, one) for one in asked]
        told.append(
            {
                "question": question,
                "paraphrase": paraphrase,
                "trap": trap,
                "similarity": similarities,
                "guard": verdicts,
            }
        )
    return told


def _said(scorer: Scorer, lookup: Lookup) -> str:
    verdict, considered = scorer.judge(lookup)
    if isinstance(verdict, Hit):
        return "may answer"
    conflict = considered[0].conflict if considered else None
    return conflict.reason if conflict is not None else verdict.reason
