"""`python -m simulation`: the batching study."""

import argparse
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from simulation import report
from simulation.commands.options import add_json, out, write_json, write_text
from simulation.report import plus_minus
from simulation.request import WorkloadError
from simulation.schedulers import DISCIPLINES
from simulation.study import Parameters, Study, cores, json_text, run_study

NAME = "study"
HELP = "sequential, static and continuous batching under load, beside the published table (what runs without a command)"
EXAMPLE = "example: python -m simulation --slo 5 --loads 0.5 1 2 4 8 --results /tmp/study"

_FAILED = 1
_INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    defaults = Parameters()
    parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="DIR", help="where simulation.json, .html and PNGs go"
    )
    parser.add_argument("--no-report", action="store_true", help="write only simulation.json")
    add_json(parser)
    add_jobs(parser)
    group = parser.add_argument_group("study")
    group.add_argument(
        "--loads", type=float, nargs="+", default=defaults.loads, metavar="R", help="requests per second"
    )
    group.add_argument(
        "--slo", dest="slo_s", type=float, default=defaults.slo_s, metavar="S", help="limit for p95 (10 s)"
    )
    for flag, kind, text in (
        ("slots", int, "requests that a server holds at once"),
        ("step-ms", float, "cost of a step"),
        ("sequence-ms", float, "cost of a sequence in a step"),
        ("prompt-token-ms", float, "cost of a prompt token"),
        ("prompt-median", float, "tokens"),
        ("prompt-sigma", float, "spread of the logarithm"),
        ("output-median", float, "tokens"),
        ("output-sigma", float, "spread of the logarithm"),
        ("output-cap", int, "longest output, tokens"),
        ("requests", int, "length of a long run to begin with"),
        ("runs", int, "long runs a load"),
        ("replicates", int, "3-seed averages that the published table is compared with"),
        ("seed", int, "the first seed"),
    ):
        default = getattr(defaults, flag.replace("-", "_"))
        group.add_argument(f"--{flag}", type=kind, default=default, metavar="N", help=f"{text} ({default:g})")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=cores(), metavar="N", help="processes to use (all cores)")


def run(args: argparse.Namespace) -> int:
    values = {one.name: getattr(args, one.name) for one in fields(Parameters)}
    parameters = Parameters(**{**values, "loads": tuple(args.loads)})
    study = with_progress(parameters, args.jobs)
    if str(args.json) != "-":
        show(study)
    write_json(args.json, study.as_json())
    try:
        args.results.mkdir(parents=True, exist_ok=True)
        name = "simulation.json" if study.whole else "simulation.partial.json"
        write_text(args.results / name, json_text(study))
        if study.whole and not args.no_report:
            page = report.write(study, args.results)
            Console(stderr=True).print(f"report: {page}", highlight=False, markup=False, soft_wrap=True)
    except OSError as error:
        raise WorkloadError(f"{args.results}: cannot be written ({error.strerror})") from None
    if not study.whole:
        Console(stderr=True).print(f"interrupted; what was complete is in {args.results / name}", highlight=False)
        return _INTERRUPTED
    return 0 if all(one.within for one in study.published) else _FAILED


def with_progress(parameters: Parameters, jobs: int) -> Study:
    if jobs < 1:
        raise WorkloadError(f"{jobs} jobs; use 1 or more")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("simulating", total=None)
        return run_study(parameters, jobs, lambda done, total: progress.update(bar, completed=done, total=total))


def show(study: Study) -> None:
    if study.published:
        out.print(_published(study))
    if study.points:
        out.print(_points(study))
    if study.highest:
        out.print(_highest(study))
    if study.sharing:
        out.print(_sharing(study))


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(columns[0])
    for column in columns[1:]:
        table.add_column(column, justify="right")
    return table


def _published(study: Study) -> Table:
    table = _table(
        f"published beside simulated ({study.parameters.replicates} averages of 3 runs of 1,500 requests)",
        "entry",
        "published",
        "mean",
        "SD",
        "z",
        "",
    )
    for one in study.published:
        table.add_row(
            one.name,
            f"{one.published:,g}",
            f"{one.mean:,.4g}",
            f"{one.sd:.2g}",
            f"{one.z:+.1f}",
            "ok" if one.within else "[red]differs[/red]",
        )
    return table


def _points(study: Study) -> Table:
    table = _table(
        "long runs (p95 with 95 % interval; moved: against the first half of the run)",
        "policy",
        "req/s",
        "p95, s",
        "first token, s",
        "done/s",
        "tokens/s",
        "slot use",
        "runs",
        "moved",
        "label",
    )
    wanted = set(study.parameters.loads)
    for discipline in DISCIPLINES:
        for one in study.points:
            if one.discipline == discipline and one.load in wanted:
                table.add_row(
                    discipline,
                    f"{one.load:g}",
                    plus_minus(one.p95_s),
                    f"{one.first_token_p95_s.mean:,.3g}",
                    f"{one.done_per_s.mean:.3g}",
                    f"{one.tokens_per_s.mean:,.0f}",
                    f"{one.slot_use_percent.mean:.0f} %",
                    f"{one.p95_s.replicates} x {one.requests:,}",
                    f"{100 * one.moved:+.1f} %",
                    one.label if one.label == "stable" else f"[red]{one.label}[/red]",
                )
        table.add_section()
    return table


def _highest(study: Study) -> Table:
    table = _table(
        f"highest load with p95 under {study.parameters.slo_s:g} s",
        "policy",
        "req/s",
        "of capacity",
        "rests on runs of",
    )
    for discipline in DISCIPLINES:
        for one in study.highest:
            if one.discipline == discipline:
                share = one.load.mean / study.capacity_per_s[discipline]
                table.add_row(
                    discipline,
                    plus_minus(one.load, 4),
                    f"{100 * share:.0f} %",
                    f"{one.load.replicates} x {one.requests:,}",
                )
    return table


def _sharing(study: Study) -> Table:
    table = _table(
        "sharing answers (medians over question draws)",
        "front end",
        "servers",
        "req/s",
        "p95, s",
        "x bare",
        "hits",
        "coalesced",
    )
    for one in study.sharing:
        table.add_row(
            one.name,
            str(one.engines),
            f"{one.load:g}",
            f"{one.p95_median_s:.1f} ({one.p95_quartiles_s[0]:.1f}-{one.p95_quartiles_s[1]:.1f})",
            f"{one.against_bare:.2f} ({one.against_bare_interval[0]:.2f}-{one.against_bare_interval[1]:.2f})",
            f"{one.hit_percent.mean:.1f} %",
            f"{one.coalesced_percent.mean:.1f} %",
        )
    return table
