"""`python -m evaluation`: every embedder and guard on the labelled sets."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation import report
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
    stderr,
    tell_skipped,
    write_json,
    write_text,
)
from evaluation.embedders import AS_WRITTEN, ROWS, HashedWords, Row
from evaluation.environment import environment
from evaluation.published import PUBLISHED
from evaluation.score import Scorer
from evaluation.sets import FAMILIES, SHIPPED, LabelledSet, given, shipped
from evaluation.study import Study, run_study
from evaluation.vectors import Vectors, cache_folder
from policies.model import PolicySet

EMBEDDERS = ("unigrams", "bigrams", "minilm")

NAME = "study"
HELP = "every embedder and guard on the shipped sets, beside the published table (what runs without a command)"
EXAMPLE = "example: python -m evaluation --all --data ~/labels --results /tmp/evaluation"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--all", action="store_true", help="also the templates that the shipped families are calibrated on"
    )
    add_data(parser, required=False)
    add_policies(parser)
    add_embedder(parser)
    parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="DIR", help="where evaluation.json, .html and PNGs go"
    )
    parser.add_argument("--no-report", action="store_true", help="write only evaluation.json")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policies = read_policies(args.policies)
    sets = [shipped(name) for name in (*SHIPPED, *([FAMILIES] if args.all else []))]
    if args.data:
        more, skipped = given(args.data, skip_bad=args.skip_bad)
        tell_skipped(skipped)
        sets += more
    study, embedders = study_of(sets, policies, args.embedder)
    result = as_json(study, sets, embedders["minilm"])
    if str(args.json) != "-":
        for table in tables(result):
            out.print(table, "")
    write_json(args.json, result)
    write_json(args.results / "evaluation.json", result)
    if not args.no_report:
        pictures, page = report.write(result)
        for name, picture in pictures.items():
            report.save(args.results / "evaluation" / f"{name}.png", picture)
        write_text(args.results / "evaluation.html", page)
        stderr().print(f"report: {args.results / 'evaluation.html'}")
    return 0


def study_of(
    sets: Sequence[LabelledSet], policies: PolicySet, embedder: str, rows: Sequence[Row] = ROWS
) -> tuple[Study, Mapping[str, Vectors]]:
    """With progress; the embedders by the names the rows give them."""
    minilm = load_embedder(embedder)
    embedders = {
        "unigrams": Vectors(HashedWords(pairs=False), prepare=str),
        "bigrams": Vectors(HashedWords(pairs=True), prepare=str),
        AS_WRITTEN: Vectors(minilm, cache_folder(), prepare=str),
        "minilm": load_vectors(minilm),
    }
    with progress() as bar:
        for vectors in embedders.values():
            scorer = Scorer(policies, vectors)
            make_vectors(vectors, {text for one in sets for text in scorer.texts(one.lookups)}, bar)
        return run_study(sets, embedders, policies, rows=rows, progress=_told(bar, sets, rows)), embedders


def _told(bar: Bar, sets: Sequence[LabelledSet], rows: Sequence[Row]) -> "_Told":
    return _Told(bar, sum(len(one.lookups) for one in sets) * len(rows))


class _Told:
    """The study's progress on one bar."""

    def __init__(self, bar: Bar, total: int) -> None:
        self._bar = bar
        self._total = total
        self._row = ""

    def __call__(self, row: str, done: int) -> None:
        if row != self._row:
            self._row = row
            self._bar.start(row, self._total)
        self._bar.at(done)


def as_json(study: Study, sets: Sequence[LabelledSet], vectors: Vectors) -> dict[str, Any]:
    """The result file."""
    return {
        "command": " ".join(["python -m evaluation", *map(_without_folder, sys.argv[1:])]),
        **environment(vectors.embedder.identity),
        "sets": {one.name: {"lookups": len(one.lookups), "shipped": one.shipped} for one in sets},
        "rows": study.cells,
        "swapped": study.swapped,
        "wrong": study.wrong,
    }


def _without_folder(word: str) -> str:
    """An argument without the part of a path that is this machine's."""
    return Path(word).name if word.startswith("/") else word


def tables(result: Mapping[str, Any]) -> list[Table]:
    """One for each set, and the published one; each fits 80 columns."""
    return [*(_set(result, name) for name in result["sets"]), _published(result), _swapped(result)]


def _narrow(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", padding=(0, 1, 0, 0))
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=number > 0)
    return table


def _set(result: Mapping[str, Any], name: str) -> Table:
    sizes = next(iter(result["rows"].values()))[name]
    table = _narrow(
        f"{name}: {sizes['n_hit']:,} should hit, {sizes['n_miss']:,} should miss; hits (wrong)",
        *("", "0.96", "0.80", "one", "families", "carried", "≤ 1 %", "half"),
    )
    for row, cells in result["rows"].items():
        cell = cells[name]
        table.add_row(
            row.replace("hashed ", "").replace(" guard", ""),
            _share(cell, cell["at_096"]),
            _share(cell, cell["at_default"]),
            _share(cell, cell["single"]),
            _share(cell, cell["families"]),
            _share(cell, cell["transferred_families"]),
            _share(cell, cell["transferred_promise"]),
            "-" if cell["half"] is None else f"({cell['half']['wrong']:,})",
        )
    table.caption = (
        "one, families: best thresholds without a wrong answer, in sample. carried: those, from the other half. "
        "≤ 1 %: one threshold with a bound of 1 %, from the other half. half: wrong when half of the paraphrases hit"
    )
    table.caption_justify = "left"
    return table


def _share(cell: Mapping[str, Any], counts: Mapping[str, Any]) -> str:
    return f"{counts['hits'] / cell['n_hit']:.0%} ({counts['wrong']})" if cell["n_hit"] else f"- ({counts['wrong']})"


def _published(result: Mapping[str, Any]) -> Table:
    table = _narrow(
        "Published (267 lookups of the same shape) and ours on seed_shaped",
        *("", "hit at 0.96", "wrong", "one threshold", "families"),
    )
    for one in PUBLISHED:
        cell = result["rows"][one.row]["seed_shaped"]
        single = "none" if one.single is None else f"{one.single:.1%}"
        table.add_row(
            f"{one.row}, published", f"{one.hit_at_096:.1%}", str(one.wrong_at_096), single, f"{one.families:.1%}"
        )
        table.add_row(
            "ours",
            f"{cell['at_096']['hits'] / cell['n_hit']:.1%}",
            str(cell["at_096"]["wrong"]),
            f"{cell['single']['hits'] / cell['n_hit']:.1%}",
            f"{cell['families']['hits'] / cell['n_hit']:.1%}",
            end_section=True,
        )
    table.caption = "why they differ: results/evaluation.html"
    return table


def _swapped(result: Mapping[str, Any]) -> Table:
    table = _narrow("Similarity of a question to a paraphrase, and to a trap", *("", *EMBEDDERS, "guard"))
    for one in result["swapped"]:
        table.add_row(one["question"], *[""] * (len(EMBEDDERS) + 1))
        for which, text in enumerate((one["paraphrase"], one["trap"])):
            values = [one["similarity"][name][which] for name in EMBEDDERS]
            table.add_row(
                f"  {text}",
                *("-" if value is None else f"{value:.3f}" for value in values),
                one["guard"][which],
                end_section=which == 1,
            )
    return table
