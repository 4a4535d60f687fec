"""What lookups came to, one by one and counted: hit and false-hit rates.

Two rates, never mixed. False-hit rate: should-miss lookups that were served ÷ should-miss lookups; a property of
matcher and threshold. Wrong share: wrong answers ÷ answers served; it depends on how much traffic repeats, and is
derived elsewhere at a stated share. `wrong` counts both kinds of wrong answer: one served where none should be, and
one of another entry than the labelled.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.intervals import upper_bound


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
    """Cosine of the candidate that was served, else of the nearest; None without one."""
    reason: str | None
    """Why it missed: as in the proxy, or `no-part` for what similarity may not judge. `exact` for an equal request."""
    nearest: str | None
    """Key of the most similar candidate, refused or not."""
    servable: str | None
    """Key of the nearest candidate that no guard refuses, whatever its similarity."""
    servable_similarity: float | None
    """A threshold up to this serves it."""

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
            refused[str(row.reason)] += 1
    summary.wrong = summary.false_hits + summary.wrong_entry
    summary.false_hit_upper95 = upper_bound(summary.false_hits, summary.n_miss)
    summary.refused_by = dict(sorted(refused.items(), key=lambda item: (-item[1], item[0])))
    return summary


def report(rows: Sequence[Scored], threshold: Callable[[str], float]) -> dict[str, Any]:
    """The result file: counts in all, by family, by source and by kind, and one row a lookup.

    `threshold`: what each family was scored at.
    """
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
        summary["threshold"] = threshold(family)
    return {
        "all": asdict(summarise(rows)),
        **told,
        "lookups": [{**asdict(row), "hit": row.hit, "wrong": row.wrong} for row in rows],
    }
