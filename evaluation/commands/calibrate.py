"""`python -m evaluation calibrate`: thresholds that keep a promise, with the evidence the proxy asks for."""

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.calibrate import Accepted, Promise, Refused
from evaluation.commands.options import (
    FORMATS,
    add_embedder,
    add_json,
    add_policies,
    add_skip_bad,
    load_embedder,
    load_vectors,
    make_vectors,
    out,
    progress,
    read_data,
    read_policies,
    stderr,
    write_json,
    write_text,
)
from evaluation.commands.score import read_guards
from evaluation.dataset import DataError, Lookup
from evaluation.evidence import Calibrated, calibrate_family, difference, evidence_of, fragment
from evaluation.families import SOURCE, family_lookups
from evaluation.score import Readings, Scorer
from evaluation.sets import templates_path
from evaluation.thresholds import Probe, families, probes
from evaluation.vectors import Vectors
from policies.model import DEFAULT_FAMILY, FamilyPolicy, PolicySet

NAME = "calibrate"
HELP = "find the loosest threshold of each family that keeps a promise; write policy fragment and evidence"
EXAMPLE = f"""example: python -m evaluation calibrate rows.jsonl --max-false-hit 0.01 --confidence 0.95

{FORMATS}
The promise: with this confidence, no family that is accepted serves more than --max-false-hit of the lookups that
should miss. Proving 1 % for one family takes 299 labelled lookups that should miss and are not served; for one of five,
459. Thresholds are tried from strict to loose, in an order fixed in advance, and never below the family's floor.
exit status: 0 all families accepted, 1 one refused, 2 bad usage or input"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "file", type=Path, nargs="*", metavar="FILE", help=f"labelled rows (the project's own templates, {SOURCE})"
    )
    add_skip_bad(parser)
    add_policies(parser)
    parser.add_argument("--max-false-hit", type=_rate, default=0.01, metavar="R", help="budget of the promise (0.01)")
    parser.add_argument("--confidence", type=_rate, default=0.95, metavar="C", help="of all families together (0.95)")
    parser.add_argument(
        "--max-wrong-share", type=_rate, metavar="R", help="also bound wrong answers ÷ answers served (not bounded)"
    )
    parser.add_argument(
        "--repeat-share", type=_rate, default=0.3, metavar="R", help="share of requests asked before, for that (0.3)"
    )
    parser.add_argument(
        "--guards",
        action="append",
        metavar="A,B,…",
        help="a set of guards to try; several share the confidence (the family's own)",
    )
    parser.add_argument(
        "--held-out", type=_rate, default=0.3, metavar="R", help="share of stored prompts kept for a last look (0.3)"
    )
    parser.add_argument("--family", action="append", metavar="NAME", help="only this one; may be given several times")
    add_embedder(parser)
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="where evaluation/FAMILY.json, the evidence, and evaluation/policies.yaml, the fragment, go (results)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policies = read_policies(args.policies)
    promise = Promise(args.max_false_hit, args.confidence, args.max_wrong_share, args.repeat_share)
    guard_sets = [read_guards(written) or () for written in args.guards] if args.guards else None
    lookups = read_data(args.file, skip_bad=args.skip_bad) if args.file else family_lookups()
    vectors = load_vectors(load_embedder(args.embedder))
    found = calibrate_all(
        policies,
        lookups,
        vectors,
        promise,
        guard_sets=guard_sets,
        held_out=args.held_out,
        only=args.family,
        folder=args.results / "evaluation",
    )
    accepted = [one for one in found if one.accepted]
    data = described(args.file)
    evidence = {one.family.name: evidence_for(one, promise, vectors, data) for one in accepted}
    for name, said in evidence.items():
        write_json(args.results / "evaluation" / f"{name}.json", said)
    if accepted:
        after = [one.family for one in accepted]
        write_text(args.results / "evaluation" / "policies.yaml", fragment(after))
    if str(args.json) != "-":
        out.print(table(found, promise))
        _tell_policy(policies, accepted, args.results / "evaluation")
    write_json(args.json, {"promise": _promise(promise), "families": [_as_json(one, evidence) for one in found]})
    return 0 if len(accepted) == len(found) else 1


def calibrate_all(
    policies: PolicySet,
    lookups: Sequence[Lookup],
    vectors: Vectors,
    promise: Promise,
    *,
    guard_sets: Sequence[tuple[str, ...]] | None,
    held_out: float,
    only: Sequence[str] | None,
    folder: Path,
) -> list[Calibrated]:
    """Each family the lookups name, by name.

    Raises:
        DataError: no lookup is of a family that may be calibrated.
    """
    configured = {family.name: family for family in policies.families}
    by_set: dict[tuple[str, ...] | None, Mapping[str, Sequence[Probe]]] = {}
    readings = Readings()
    with progress() as bar:
        tried: Sequence[tuple[str, ...] | None] = guard_sets or [None]
        for guards in tried:
            scorer = Scorer(policies, vectors, guards=guards, readings=readings)
            make_vectors(vectors, scorer.texts(lookups), bar)
            bar.start("scoring", len(lookups))
            by_set[guards] = families(probes(lookups, scorer.score(lookups, bar.at)))
    names = [name for name in next(iter(by_set.values())) if name != DEFAULT_FAMILY and (not only or name in only)]
    if not names:
        raise DataError(f"no lookup is of {' or '.join(only) if only else 'a family'}: write a `family` into the rows")
    told = []
    for name in names:
        family = configured.get(name) or policies.defaults.model_copy(update={"name": name})
        seen = {
            guards if guards is not None else family.semantic.guards: group[name] for guards, group in by_set.items()
        }
        told.append(
            calibrate_family(
                family,
                seen,
                promise,
                families=len(names),
                held_out=held_out,
                evidence=(folder / f"{name}.json").as_posix(),
            )
        )
    return told


def evidence_for(
    one: Calibrated, promise: Promise, vectors: Vectors, data: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    embedder = vectors.embedder
    sha256 = getattr(embedder, "weights_sha256", None)
    return evidence_of(one, promise, embedder=embedder.identity, embedder_sha256=sha256, data=data)


def described(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The labels' files by name and content."""
    files = [file for path in paths for file in (sorted(path.rglob("*.*")) if path.is_dir() else [path])]
    return [
        {"file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        for file in (files or [templates_path()])
    ]


def table(found: Sequence[Calibrated], promise: Promise) -> Table:
    shown = Table(
        "family",
        title=f"False-hit rate at most {promise.max_false_hit:.1%}, with {promise.confidence:.0%} confidence for all",
        title_justify="left",
    )
    for column in ("from", "proven ≤", "hits", "held out: hits", "wrong", "splits kept"):
        shown.add_column(column, justify="right", no_wrap=True)
    for one in found:
        if isinstance(one.found, Refused):
            shown.add_row(one.family.name, "refused")
            continue
        bounds = one.found.bounds
        shown.add_row(
            one.family.name,
            f"{one.found.threshold:g}",
            f"{bounds.false_hit:.2%}",
            f"{bounds.tally.hit_rate:.0%}",
            f"{one.held_out.hit_rate:.0%}",
            f"{one.held_out.wrong} of {one.held_out.n_miss}",
            _kept(one.splits),
        )
    refused = [f"{one.family.name}: {one.found.reason}" for one in found if isinstance(one.found, Refused)]
    shown.caption = "\n".join(refused) or None
    shown.caption_justify = "left"
    return shown


def _kept(splits: Mapping[str, int]) -> str:
    tried = splits["splits"] - splits["refused"]
    return f"{splits['kept']} of {tried}" if tried else "halves too small"


def _tell_policy(policies: PolicySet, accepted: Sequence[Calibrated], folder: Path) -> None:
    if not accepted:
        return
    configured = {family.name: family for family in policies.families}
    after = [one.family for one in accepted]
    before = [configured.get(family.name, FamilyPolicy(name=family.name)) for family in after]
    changes = difference(before, after)
    out.print(changes or "the policy in force already says this", markup=False, highlight=False, soft_wrap=True)
    for family in after:
        if family.name not in configured:
            stderr().print(
                f"{family.name} is not in {policies.source}: write its match there and calibrate again, "
                "as evidence is about the requests that match"
            )
    stderr().print(f"evidence and fragment: {folder}")


def _promise(promise: Promise) -> dict[str, Any]:
    return {
        "max_false_hit": promise.max_false_hit,
        "confidence": promise.confidence,
        "max_wrong_share": promise.max_wrong_share,
        "repeat_share": promise.repeat_share,
    }


def _as_json(one: Calibrated, evidence: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(one.found, Accepted):
        said: dict[str, Any] = json.loads(json.dumps(evidence[one.family.name]["families"][one.family.name]))
        return {"family": one.family.name, "accepted": True, **said}
    return {"family": one.family.name, "accepted": False, "reason": one.found.reason}


def _rate(written: str) -> float:
    value = float(written)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{written}: write a share between 0 and 1, such as 0.01")
    return value
