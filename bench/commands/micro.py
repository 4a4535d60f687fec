"""`python -m bench micro`: what single steps cost."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import uvloop
from rich.console import Console
from rich.table import Table

from bench import environment
from bench.micro import Change, Cost, compare, hit_latency, lookup_latency, measure
from bench.micro_cases import CASES
from bench.tables import brief
from bench.tally import Values

DESCRIPTION = (
    "CPU time of single steps in this process, without sockets: medians over rounds, with quartiles; "
    "and how long hits and semantic lookups take."
)
EXAMPLE = """examples:
  python -m bench micro --json before.json
  python -m bench micro --only hit_plain,key_1k --rounds 30
  python -m bench micro --compare before.json --limit 1.1      exit status 1 if a step has become 10 % dearer"""

LATENCY_SECONDS = 8.0
LOOKUPS = 1000
FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130


def configure(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(case.name for case in CASES)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="of every case (default: %(default)s)")
    parser.add_argument("--only", metavar="NAMES", help=f"some of {names}")
    parser.add_argument(
        "--no-embedder", action="store_true", help="leave out what loads the embedder, the latencies beside it too"
    )
    parser.add_argument("--json", metavar="OUT", help="the figures as JSON; - is standard output, and no tables then")
    parser.add_argument("--compare", type=Path, metavar="JSON", help="what --json wrote at another commit")
    parser.add_argument(
        "--limit", type=float, metavar="RATIO", help="with --compare: exit 1 if a step got dearer than so"
    )


def run(args: argparse.Namespace) -> int:
    tell = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    wanted = args.only.split(",") if args.only else [case.name for case in CASES]
    unknown = set(wanted) - {case.name for case in CASES}
    if unknown:
        tell.print(f"bench micro: no case is called {', '.join(sorted(unknown))}; there are {_names()}")
        return BAD_USAGE
    if args.rounds < 1:
        tell.print(f"bench micro: --rounds is {args.rounds}; it must be 1 or more")
        return BAD_USAGE
    if args.limit is not None and args.compare is None:
        tell.print("bench micro: --limit needs --compare")
        return BAD_USAGE
    before: dict[str, Cost] = {}
    if args.compare is not None:
        try:
            before = read(args.compare)
        except (OSError, ValueError, TypeError, KeyError) as error:
            tell.print(f"bench micro: {args.compare}: {type(error).__name__}; give a file that --json wrote")
            return BAD_USAGE
    cases = [one for one in CASES if one.name in wanted and not (args.no_embedder and one.name.startswith("semantic"))]
    report: dict[str, Any] = {"machine": environment.machine(), "load_average": environment.load_average()}
    try:
        with tell.status("") as status:
            costs = uvloop.run(measure(cases, args.rounds, lambda title: status.update(title)))
            if not args.no_embedder and not args.only:
                status.update("exact hits beside an embedder")
                report["hit_latency_ms"] = {
                    name: _quantiles(uvloop.run(hit_latency(busy=busy, seconds=LATENCY_SECONDS)))
                    for name, busy in (("embedder idle", False), ("embedder busy", True))
                }
                status.update("semantic lookups")
                report["lookup_latency_ms"] = _quantiles(uvloop.run(lookup_latency(LOOKUPS)))
    except KeyboardInterrupt:
        tell.print("bench micro: interrupted")
        return INTERRUPTED
    report["costs"] = {name: asdict(cost) for name, cost in costs.items()}
    report["load_average_after"] = environment.load_average()
    changes = compare(before, costs)
    write(report, args.json, changes, costs)
    dearer = [change for change in changes if args.limit and change.distinct and change.ratio > args.limit]
    for change in dearer:
        tell.print(f"FAILED: {change.name} costs {change.ratio:.2f} times what it did")
    return FAILED if dearer else 0


def read(path: Path) -> dict[str, Cost]:
    """The costs of a record."""
    return {name: Cost(**told) for name, told in json.loads(path.read_text())["costs"].items()}


def write(report: dict[str, Any], out: str | None, changes: list[Change], costs: dict[str, Cost]) -> None:
    text = json.dumps(report, indent=1) + "\n"
    if out == "-":
        sys.stdout.write(text)
        return
    if out:
        Path(out).write_text(text, encoding="utf-8")
    console = Console(highlight=False)
    table = Table("", "us", "quartiles", "", title="CPU per operation", title_justify="left", box=None)
    for name, cost in costs.items():
        table.add_row(name, brief(cost.median_us), f"{brief(cost.low_us)} - {brief(cost.high_us)}", cost.what)
    console.print(table)
    for name, told in report.get("hit_latency_ms", {}).items():
        console.print(f"exact hits, {name}: p50 {brief(told['p50'])} ms, p99 {brief(told['p99'])} ms ({told['n']:,})")
    if told := report.get("lookup_latency_ms"):
        console.print(f"semantic lookups: p50 {brief(told['p50'])} ms, p99 {brief(told['p99'])} ms ({told['n']:,})")
    if changes:
        table = Table("", "before", "after", "ratio", "", title="us, compared", title_justify="left", box=None)
        for change in changes:
            mark = "" if change.distinct else "within the noise"
            table.add_row(change.name, brief(change.before_us), brief(change.after_us), f"{change.ratio:.2f}", mark)
        console.print(table)


def _quantiles(values: Values) -> dict[str, float]:
    return {"n": values.count, **{name: values.quantile(at) / 1e3 for name, at in (("p50", 0.5), ("p99", 0.99))}}


def _names() -> str:
    return ", ".join(case.name for case in CASES)
