"""`python -m simulation`: the batching study."""

import argparse
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from simulation import report
from simulation.commands.options import add_examples, add_json, out, write_json, write_text
from simulation.commands.tables import narrow
from simulation.intervals import Estimate
from simulation.published import ENTRIES, REQUESTS, WORDS
from simulation.report import plus_minus
from simulation.request import WorkloadError
from simulation.schedulers import DISCIPLINES
from simulation.study import Parameters, Study, cores, json_text, run_study

NAME = "study"
HELP = "sequential, static and continuous batching under load, beside the published table (what runs without a command)"
EXAMPLES = ("study --results /tmp/study --loads 1 2 4 --slo 5",)

_FAILED = 1
_INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES)
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
        ("longest-requests", int, "how far it is doubled until p95 has settled"),
        ("runs", int, "long runs a load"),
        ("replicates", int, "3-seed averages that the published table is compared with"),
        ("short-runs", int, "runs of 1,500 requests in which the highest load is sought too"),
        ("sharing-requests", int, "length of a run with a front end"),
        ("sharing-runs", int, "such runs, each with its own questions"),
        ("seed", int, "the first seed"),
    ):
        default = getattr(defaults, flag.replace("-", "_"))
        group.add_argument(f"--{flag}", type=kind, default=default, metavar="N", help=f"{text} ({default:g})")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=cores(), metavar="N", help="processes to use (all cores)")


def run(args: argparse.Namespace) -> int:
    values = {one.name: getattr(args, one.name) for one in fields(Parameters)}
    parameters = Parameters(**{**values, "loads": tuple(args.loads)})
    try:
        args.results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkloadError(f"{args.results}: cannot be written ({error.strerror})") from None
    study = with_progress(parameters, args.jobs)
    tell = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if str(args.json) != "-":
        show(study)
    write_json(args.json, study.as_json())
    try:
        name = "simulation.json" if study.whole else "simulation.partial.json"
        write_text(args.results / name, json_text(study))
        if study.whole and not args.no_report:
            page = report.write(study, args.results)
            tell.print(f"report: {page}")
    except OSError as error:
        raise WorkloadError(f"{args.results}: cannot be written ({error.strerror})") from None
    if not study.whole:
        tell.print(f"interrupted; what was done is in {args.results / name}")
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
    for table in tables(study):
        out.print(table, "")


def tables(study: Study) -> list[Table]:
    """Those that have numbers; each fits 80 columns."""
    found = []
    if study.published:
        found.append(_published(study))
    if study.points:
        found.append(_points(study))
    if study.highest:
        found.append(_highest(study))
    if study.sharing:
        found.append(_sharing(study))
    return found


def _published(study: Study) -> Table:
    table = narrow(
        f"Published beside simulated: {study.parameters.replicates} averages of 3 runs of {REQUESTS:,} requests",
        *("policy", "measure", "req/s", "published", "mean", "SD", "z", ""),
    )
    for entry, one in zip(ENTRIES, study.published, strict=True):
        table.add_row(
            entry.discipline,
            WORDS[entry.measure],
            "any" if entry.load is None else f"{entry.load:g}",
            f"{one.published:,g}",
            f"{one.mean:,.4g}",
            f"{one.sd:.2g}",
            f"{one.z:+.1f}",
            "ok" if one.within else "[red]differs[/red]",
        )
    return table


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _spread(value: Estimate) -> str:
    return (
        f"{value.mean:,.0f} ± {value.half:,.0f}" if value.mean >= 100 else f"{_seconds(value.mean)} ± {value.half:.2f}"
    )


def _points(study: Study) -> Table:
    published = {
        (one.discipline, one.load): one.value
        for one in ENTRIES
        if study.parameters.as_published and one.measure == "p95_s"
    }
    table = narrow(
        f"Long runs ({study.parameters.runs} a load): p95 and p95 TTFT in seconds, done and tokens per s",
        *("policy", "req/s", "p95", "publ.", "TTFT", "done", "tokens", "use", "run", ""),
    )
    wanted = set(study.parameters.loads)
    for discipline in DISCIPLINES:
        for one in study.points:
            if one.discipline == discipline and one.load in wanted:
                known = published.get((discipline, one.load))
                table.add_row(
                    discipline,
                    f"{one.load:g}",
                    _spread(one.p95_s),
                    "" if known is None else f"{known:g}",
                    _seconds(one.first_token_p95_s.mean),
                    f"{one.done_per_s.mean:.1f}",
                    f"{one.tokens_per_s.mean:,.0f}",
                    f"{one.slot_use_percent.mean:.0f}%",
                    f"{one.requests:,}",
                    one.label if one.label == "stable" else f"[red]{one.label}[/red]",
                )
        table.add_section()
    table.caption = f"run: requests. overloaded: p95 only says how long the run was. Published: runs of {REQUESTS:,}."
    table.caption_justify = "left"
    return table


def _highest(study: Study) -> Table:
    table = narrow(
        f"Highest load with p95 under {study.parameters.slo_s:g} s, 95 % interval",
        *("policy", "req/s", "of capacity", "rests on runs of"),
    )
    for discipline in DISCIPLINES:
        for one in study.highest:
            if one.discipline == discipline:
                share = one.load.mean / study.capacity_per_s[discipline]
                table.add_row(
                    discipline,
                    plus_minus(one.load, 4),
                    f"{100 * share:.0f}%",
                    f"{one.load.replicates} x {one.requests:,}",
                )
        table.add_section()
    return table


def _sharing(study: Study) -> Table:
    table = narrow(
        "Sharing answers: p95, median and quartiles over draws of the questions",
        *("front end", "servers", "req/s", "p95, s", "of bare", "hits", "shared"),
    )
    for one in study.sharing:
        table.add_row(
            one.name.removeprefix("two servers, "),
            str(one.engines),
            f"{one.load:.3g}",
            f"{one.p95_median_s:.1f} ({one.p95_quartiles_s[0]:.1f}-{one.p95_quartiles_s[1]:.1f})",
            f"{one.against_bare:.2f}",
            f"{one.hit_percent.mean:.1f}%",
            f"{one.coalesced_percent.mean:.1f}%",
        )
    return table
