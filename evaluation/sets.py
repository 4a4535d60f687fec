"""The labelled sets: those that ship, and those given by path."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from evaluation.dataset import Lookup, load
from evaluation.families import SOURCE, family_lookups

SHIPPED = ("seed_shaped", "fow_cache", "near_miss", "traps", "checklist", "paws")
QUICK = ("seed_shaped", "fow_cache", "near_miss")
"""What `check` runs: few enough texts to embed within a minute on a machine that has none yet."""
FAMILIES = "families"


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Lookups that are scored together."""

    name: str
    lookups: tuple[Lookup, ...]
    shipped: bool
    """Whether its texts may stand in a report. Others' terms may forbid it: of sets given by path, counts are kept."""


def shipped_path(name: str) -> Path:
    return Path(str(resources.files("evaluation").joinpath("data", f"{name}.jsonl")))


def templates_path() -> Path:
    return Path(str(resources.files("evaluation").joinpath("data", SOURCE)))


def shipped(name: str) -> LabelledSet:
    if name == FAMILIES:
        return LabelledSet(name, tuple(family_lookups()), shipped=True)
    return LabelledSet(name, tuple(load([shipped_path(name)])[0]), shipped=True)


def given(paths: Sequence[Path], *, skip_bad: bool = False) -> tuple[list[LabelledSet], list[str]]:
    """One set for each file; a line for each bad row that was left out.

    Raises:
        DataError: at the first bad row, unless they are skipped; for a path with no data.
    """
    lookups, skipped = load(paths, skip_bad=skip_bad)
    by_source: dict[str, list[Lookup]] = {}
    for lookup in lookups:
        by_source.setdefault(lookup.source, []).append(lookup)
    return [LabelledSet(name, tuple(found), shipped=False) for name, found in by_source.items()], skipped
