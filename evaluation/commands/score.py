"""`python -m evaluation score`: hit and false-hit rates of a policy on labelled prompts."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.commands.options import (
    FORMATS,
    add_data,
    add_embedder,
    add_json,
    add_policies,
    load_embedder,
    load_vectors,
    out,
    read_data,
    read_policies,
    score_all,
    write_json,
)
from evaluation.dataset import DataError, Lookup
from evaluation.score import DEFAULT_THRESHOLD, Scorer
from evaluation.scored import Scored, report
from evaluation.thresholds import NEVER, by_family, probes
from policies.guards import GUARDS
from policies.model import PolicySet

EXACT_ONLY = 2.0
"""A threshold that no similarity reaches."""

NAME = "score"
HELP = "score labelled prompts under a policy: hits and wrong answers, by family"
EXAMPLE = f"""example: python -m evaluation score --data rows.jsonl --thresholds thresholds.json --json scored.json

{FORMATS}
A row with a family is scored under it, configured or not; another under the one the policy's match rules choose.
A family's mode doesn't matter. One without a threshold is scored at {DEFAULT_THRESHOLD:g}."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_data(parser, required=True)
    add_policies(parser)
    parser.add_argument(
        "--thresholds", type=Path, metavar="FILE", help="JSON {family: threshold}, in place of the policy's own"
    )
    parser.add_argument(
        "--write-thresholds",
        type=Path,
        metavar="OUT",
        help="the best threshold of each family without a wrong answer on these rows, for --thresholds on others",
    )
    parser.add_argument(
        "--guards",
        metavar="A,B,…",
        help=f"guards of every family, in place of the policy's own, or none; of: {', '.join(GUARDS)}",
    )
    add_embedder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policies = read_policies(args.policies)
    thresholds = read_thresholds(args.thresholds)
    guards = read_guards(args.guards)
    lookups = read_data(args.data, skip_bad=args.skip_bad)
    vectors = load_vectors(load_embedder(args.embedder))
    scorer = Scorer(policies, vectors, thresholds, guards, guarded=guards != ())
    rows = score_all(scorer, vectors, lookups)
    result = {"embedder": vectors.embedder.identity, "policies": policies.source, **report(rows, scorer.threshold)}
    if str(args.json) != "-":
        out.print(table(result))
    write_json(args.json, result)
    if args.write_thresholds:
        write_json(args.write_thresholds, best_thresholds(lookups, rows, policies))
    return 0


def best_thresholds(lookups: Sequence[Lookup], rows: Sequence[Scored], policies: PolicySet) -> dict[str, float]:
    """By family, none below its floor."""
    floors = {family.name: family.semantic.floor for family in policies.families}
    best = by_family(probes(lookups, rows), lambda family: floors.get(family, policies.defaults.semantic.floor))
    return {family: EXACT_ONLY if threshold == NEVER else round(threshold, 6) for family, threshold in best.items()}


def table(result: dict[str, Any]) -> Table:
    """One line a family, and one for all."""
    shown = Table("family", title="Hits and wrong answers")
    for column in ("from", "should hit", "hits", "should miss", "wrong", "false ≤"):
        shown.add_column(column, justify="right", no_wrap=True)
    shown.caption = "from: threshold. false: false-hit rate, its upper bound at 95 %"
    for name, one in [*result["families"].items(), ("all", result["all"])]:
        if name == "all":
            shown.add_section()
        threshold = one.get("threshold")
        shown.add_row(
            name,
            "" if threshold is None else f"{threshold:.4g}",
            f"{one['n_hit']:,}",
            f"{one['hits']:,} {one['hits'] / one['n_hit']:.0%}" if one["n_hit"] else "-",
            f"{one['n_miss']:,}",
            str(one["wrong"]),
            f"{one['false_hit_upper95']:.2%}" if one["n_miss"] else "-",
        )
    return shown


def read_thresholds(path: Path | None) -> dict[str, float]:
    """Raises DataError. A threshold above 1 serves equal requests only."""
    if path is None:
        return {}
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"{path}: not JSON ({error})") from None
    if not isinstance(found, dict):
        raise DataError(f'{path}: write {{"family": threshold, …}}')
    for family, threshold in found.items():
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or threshold != threshold:
            raise DataError(f"{path}: `{family}`: write a number, a cosine similarity")
    return found


def read_guards(written: str | None) -> tuple[str, ...] | None:
    """Raises DataError. `none` is similarity alone."""
    if written is None:
        return None
    if written == "none":
        return ()
    guards = tuple(word.strip() for word in written.split(","))
    for guard in guards:
        if guard not in GUARDS:
            raise DataError(f"--guards: unknown guard `{guard}`: write some of {', '.join(GUARDS)}, or none")
    return guards
