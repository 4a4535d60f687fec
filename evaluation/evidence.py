"""Calibrated families: thresholds from one part of the labels, what the other part says, the evidence, the policy."""

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from evaluation.calibrate import Accepted, Promise, Refused, calibrate, level_of, splits_kept
from evaluation.intervals import upper_bound
from evaluation.thresholds import Probe, Tally, everywhere, halves, tally
from policies.evidence import policy_digest
from policies.model import FamilyPolicy

SPLITS = 50
"""Splits on which the promise is tried out."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """One family, under the set of guards that served most."""

    family: FamilyPolicy
    """With the threshold and guards found, on, or as it was if it was refused."""
    found: Accepted | Refused
    held_out: Tally
    """What the threshold does on the lookups it was not chosen on."""
    splits: Mapping[str, int]

    @property
    def accepted(self) -> bool:
        return isinstance(self.found, Accepted)


def calibrate_family(
    family: FamilyPolicy,
    by_guards: Mapping[tuple[str, ...], Sequence[Probe]],
    promise: Promise,
    *,
    families: int,
    held_out: float,
    evidence: str,
) -> Calibrated:
    """Calibrate under every set of guards and keep the one that hits most.

    Args:
        by_guards: the family's probes under each set.
        families: how many share the level.
        held_out: share of the stored prompts that thresholds are not chosen on.
        evidence: the file that the policy will name.
    """
    level = level_of(promise, families, len(by_guards))
    floor = family.semantic.floor
    best: tuple[int, tuple[str, ...], Accepted | Refused] | None = None
    for guards, probes in by_guards.items():
        chosen_on, _ = part(probes, held_out)
        found = calibrate(chosen_on, promise, level, floor)
        hits = found.bounds.tally.hits if isinstance(found, Accepted) else -1
        if best is None or hits > best[0]:
            best = (hits, guards, found)
    assert best is not None
    _, guards, found = best
    probes = by_guards[guards]
    _, other = part(probes, held_out)
    threshold = found.threshold if isinstance(found, Accepted) else float("inf")
    if isinstance(found, Accepted):
        changed = {"mode": "on", "threshold": threshold, "guards": guards, "evidence": evidence}
        family = family.model_copy(update={"semantic": family.semantic.model_copy(update=changed)})
    # Halves have half the labels: tried at the level of one family alone, or few could prove anything.
    split = (halves(probes, seed) for seed in range(1, SPLITS + 1))
    kept = splits_kept(split, promise, 1 - promise.confidence, floor)
    return Calibrated(family, found, tally(other, everywhere(threshold)), kept)


def part(probes: Sequence[Probe], held_out: float) -> tuple[list[Probe], list[Probe]]:
    """What thresholds are chosen on, and what is held out; split by stored prompt, the same way on every machine."""
    here: list[Probe] = []
    there: list[Probe] = []
    for probe in probes:
        digest = hashlib.sha256(f"held out\0{probe.family}\0{probe.group}".encode("utf-8", "surrogatepass")).digest()
        (there if int.from_bytes(digest[:4]) < held_out * 2**32 else here).append(probe)
    return here, there


def evidence_of(
    one: Calibrated, promise: Promise, *, embedder: str, embedder_sha256: str | None, data: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """What the family's threshold rests on, as `policies.evidence` reads it."""
    assert isinstance(one.found, Accepted)
    bounds = one.found.bounds
    semantic = one.family.semantic
    said: dict[str, Any] = {
        "policy": policy_digest(one.family),
        "threshold": one.found.threshold,
        "floor": semantic.floor,
        "guards": [*semantic.guards],
        "embedder": embedder,
        "embedder_sha256": embedder_sha256,
        "max_false_hit": promise.max_false_hit,
        "confidence": promise.confidence,
        "level": round(one.found.level, 9),
        "false_hit_bound": round(bounds.false_hit, 6),
        "chosen_on": _told(bounds.tally),
        "held_out": {
            **_told(one.held_out),
            "false_hit_upper95": round(upper_bound(one.held_out.false_hits, one.held_out.n_miss), 6),
        },
        "halves": dict(one.splits),
        "data": [dict(file) for file in data],
    }
    if bounds.wrong_share is not None:
        said |= {
            "max_wrong_share": promise.max_wrong_share,
            "repeat_share": promise.repeat_share,
            "wrong_share_bound": round(bounds.wrong_share, 6),
        }
    return {"families": {one.family.name: said}}


def _told(found: Tally) -> dict[str, int]:
    return {
        "n_hit": found.n_hit,
        "hits": found.hits,
        "n_miss": found.n_miss,
        "false_hits": found.false_hits,
        "wrong_entry": found.wrong_entry,
    }


def fragment(families: Sequence[FamilyPolicy]) -> str:
    """What to write under these families in a policies file."""
    written = [
        {"name": family.name, "semantic": _semantic(family, FamilyPolicy(name=family.name))} for family in families
    ]
    return yaml.safe_dump({"families": written}, sort_keys=False, width=110, default_flow_style=None)


def difference(before: Sequence[FamilyPolicy], after: Sequence[FamilyPolicy]) -> str:
    """A unified diff of the fragments, empty if nothing changes."""
    lines = difflib.unified_diff(
        fragment(before).splitlines(), fragment(after).splitlines(), "in force", "calibrated", lineterm="", n=3
    )
    return "\n".join(lines)


def _semantic(family: FamilyPolicy, unset: FamilyPolicy) -> dict[str, Any]:
    """What differs from the defaults; mode and threshold always."""
    shown = family.semantic.model_dump(mode="json")
    default = unset.semantic.model_dump(mode="json")
    return {key: value for key, value in shown.items() if key in ("mode", "threshold") or value != default[key]}
