"""`python -m evaluation compare`: the same prompts through other ways to decide, and through a policy."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.table import Table

from evaluation.commands.options import (
    Bar,
    add_data,
    add_embedder,
    add_json,
    add_policies,
    load_embedder,
    load_vectors,
    make_vectors,
    out,
    progress,
    read_policies,
    tell_skipped,
    write_json,
)
from evaluation.dataset import Lookup, Messages, Stored
from evaluation.intervals import upper_bound
from evaluation.per_entry import per_entry
from evaluation.score import Readings, Scorer
from evaluation.sets import LabelledSet, given, shipped
from evaluation.thresholds import EMPTY, Tally, everywhere, probes, tally
from evaluation.vectors import Vectors
from policies.model import PolicySet

NAME = "compare"
HELP = "the same prompts through one threshold, last messages only, a verified per-entry cache, and a policy"
EXAMPLE = "example: python -m evaluation compare --data rows.jsonl --policies my-policies.yaml"
SETS = ("seed_shaped", "conversations", "fow_cache", "near_miss")
DELTA = 0.01


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    add_data(parser, required=False)
    add_policies(parser)
    add_embedder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policies = read_policies(args.policies)
    if args.data:
        sets, skipped = given(args.data, skip_bad=args.skip_bad)
        tell_skipped(skipped)
    else:
        sets = [shipped(name) for name in SETS]
    vectors = load_vectors(load_embedder(args.embedder))
    with progress() as bar:
        found = compare(sets, policies, vectors, bar)
    if str(args.json) != "-":
        out.print(table(found, sets))
    write_json(args.json, as_json(found))
    return 0


@dataclass(frozen=True, slots=True)
class Way:
    """One way to decide."""

    name: str
    decide: Callable[[Sequence[Lookup]], Tally]


def ways(policies: PolicySet, vectors: Vectors) -> list[Way]:
    """Ours last."""
    alone = Scorer(policies, vectors, guarded=False)
    ours = Scorer(policies, vectors, readings=Readings())

    def one_threshold(threshold: float, change: Callable[[Lookup], Lookup] = lambda lookup: lookup) -> Any:
        def decide(lookups: Sequence[Lookup]) -> Tally:
            asked = [change(lookup) for lookup in lookups]
            return tally(probes(asked, alone.score(asked)), everywhere(threshold))

        return decide

    def per_prompt(lookups: Sequence[Lookup]) -> Tally:
        return per_entry(probes(lookups, alone.score(lookups)), DELTA)

    def policy(lookups: Sequence[Lookup]) -> Tally:
        return tally(probes(lookups, ours.score(lookups)), ours.threshold)

    return [
        Way("one threshold, 0.80", one_threshold(0.8)),
        Way("one threshold, 0.90", one_threshold(0.9)),
        Way("last message only, 0.90", one_threshold(0.9, last_message_only)),
        Way(f"verified per entry, δ {DELTA:g}", per_prompt),
        Way("this policy", policy),
    ]


def compare(
    sets: Sequence[LabelledSet], policies: PolicySet, vectors: Vectors, bar: Bar
) -> Mapping[str, Mapping[str, Tally]]:
    """By way and set."""
    make_vectors(vectors, {text for one in sets for text in Scorer(policies, vectors).texts(one.lookups)}, bar)
    found: dict[str, dict[str, Tally]] = {}
    tried = ways(policies, vectors)
    bar.start("scoring", len(tried) * len(sets))
    for number, way in enumerate(tried):
        found[way.name] = {}
        for place, one in enumerate(sets):
            found[way.name][one.name] = way.decide(one.lookups)
            bar.at(number * len(sets) + place + 1)
    return found


def last_message_only(lookup: Lookup) -> Lookup:
    """As a cache sees it that looks at nothing before the last message."""
    stored = tuple(Stored(one.key, _last(one.messages)) for one in lookup.stored)
    return replace(lookup, messages=_last(lookup.messages), stored=stored)


def _last(messages: Messages) -> Messages:
    return messages[-1:]


def table(found: Mapping[str, Mapping[str, Tally]], sets: Sequence[LabelledSet]) -> Table:
    shown = Table("hits (wrong)", title="The same prompts", title_justify="left", padding=(0, 1, 0, 0))
    for one in sets:
        shown.add_column(one.name, justify="right")
    for column in ("all", "false ≤"):
        shown.add_column(column, justify="right", no_wrap=True)
    for way, by_set in found.items():
        total = sum(by_set.values(), EMPTY)
        cells = [_cell(by_set[one.name]) for one in sets]
        shown.add_row(way, *cells, _cell(total), f"{upper_bound(total.false_hits, total.n_miss):.1%}")
    shown.caption = "false: false-hit rate over all sets, its upper bound at 95 %"
    return shown


def _cell(found: Tally) -> str:
    return f"{found.hit_rate:.0%} ({found.wrong})"


def as_json(found: Mapping[str, Mapping[str, Tally]]) -> dict[str, Any]:
    return {
        way: {
            name: {
                "n_hit": one.n_hit,
                "hits": one.hits,
                "n_miss": one.n_miss,
                "wrong": one.wrong,
                "false_hits": one.false_hits,
                "false_hit_upper95": upper_bound(one.false_hits, one.n_miss),
            }
            for name, one in [*by_set.items(), ("all", sum(by_set.values(), EMPTY))]
        }
        for way, by_set in found.items()
    }
