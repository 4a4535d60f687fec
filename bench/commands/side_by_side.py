"""`python -m bench side-by-side`: the proxy beside nginx and other gateways."""

import argparse
import json
import math
import os
import signal
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import environment
from bench.side_by_side.build import PACKAGES, CannotBuild, build, clean
from bench.side_by_side.measure import METRICS, Run
from bench.side_by_side.processes import NotUp
from bench.side_by_side.targets import PROXY_COMMAND, targets
from bench.side_by_side.verdict import GOALS, ratios, reached, summary, unquiet
from bench.summary import finite
from bench.tables import brief

DESCRIPTION = """\
Measures the proxy and nginx in front of the same C engine under the same C load, interleaved, and prints ratios and
which goals they reach. Only ratios of one quiet run mean anything; the record says whether it was quiet."""
EXAMPLE = """examples:
  python -m bench side-by-side
  python -m bench side-by-side --peers litellm,cachellm --rounds 3
  python -m bench side-by-side --metrics pass32,hit32 --rounds 1 --out /tmp/perf.json"""

MISSED, BAD_USAGE, INTERRUPTED = 1, 2, 130


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="figures are medians over them (3)")
    parser.add_argument("--peers", default="", metavar="NAMES", help=f"some of {', '.join(PACKAGES)}; installed by pip")
    parser.add_argument("--metrics", default=",".join(METRICS), metavar="NAMES", help=f"some of {', '.join(METRICS)}")
    parser.add_argument(
        "--command",
        default=PROXY_COMMAND,
        metavar="WORDS",
        help="with PORT, UPSTREAM, LOG, POLICIES filled in",
    )
    parser.add_argument("--unpinned", action="store_true", help="let the system place the processes")
    parser.add_argument("--must", action="store_true", help="exit 1 if a goal that must be reached is missed")
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="where things are built (a folder in the temporary one)"
    )
    parser.add_argument("--out", type=Path, default=Path("results/perf.json"), metavar="FILE", help="(%(default)s)")
    parser.add_argument("--note", default="", help="a line for the record")


def run(args: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, _end)
    tell = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    metrics, peers = [list(filter(None, words.split(","))) for words in (args.metrics, args.peers)]
    unknown = [name for name in metrics if name not in METRICS]
    if unknown or args.rounds < 1:
        what = (
            f"no metric is called {', '.join(unknown)}; there are {', '.join(METRICS)}"
            if unknown
            else "--rounds must be 1 or more"
        )
        tell.print(f"bench side-by-side: {what}")
        return BAD_USAGE
    load_before = environment.load_average()
    folder = args.work or Path(tempfile.gettempdir(), f"askonce-side-by-side-{os.getuid()}")
    try:
        with ExitStack() as stack, tell.status("building") as status:
            workshop = build(folder.resolve(), peers)
            stack.callback(clean, workshop)
            measured = Run(workshop, targets(workshop, peers, args.command, Path.cwd()), pin=not args.unpinned)
            measured.run(metrics, args.rounds, lambda what: status.update(what))
    except (CannotBuild, NotUp) as error:
        tell.print(f"bench side-by-side: {error}")
        return BAD_USAGE
    except KeyboardInterrupt:
        tell.print("bench side-by-side: interrupted")
        return INTERRUPTED
    report = record(measured, args, load_before)
    show(report)
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(finite(report), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        tell.print(f"bench side-by-side: {args.out}: {error.strerror}")
        return BAD_USAGE
    tell.print(f"record: {args.out}")
    return MISSED if args.must and any(goal["reached"] == "missed" for goal in report["goals"]) else 0


def record(run: Run, args: argparse.Namespace, load_before: float) -> dict[str, Any]:
    found = ratios(run)
    reasons = unquiet(run, load_before)
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "note": args.note,
        "quiet": not reasons,
        "unquiet_because": reasons,
        "load_average": {"before": load_before, "after_rounds": run.loads},
        "machine": environment.machine(),
        "pinned": not args.unpinned,
        "rounds": args.rounds,
        "goals": [
            {
                "name": goal.name,
                "value": found[goal.name],
                "must": goal.must,
                "stretch": goal.stretch,
                "better": "less" if goal.most else "more",
                "reached": reached(goal, found[goal.name]),
            }
            for goal in GOALS
        ],
        "medians": summary(run),
        "inflight_cpu_us": run.inflight,
        "pss_mb": run.pss_mb,
        "troubles": run.troubles,
        "rounds_measured": run.results,
    }


def show(report: dict[str, Any]) -> None:
    console = Console(highlight=False)
    for metric, by_target in report["medians"].items():
        table = Table(title=f"{metric}: {METRICS[metric].what}", title_justify="left", box=None)
        for column in ("", "rps", "/ nginx", "CPU us", "/ nginx", "p50 us", "p99 us", "TTFT us"):
            table.add_column(column, justify="left" if not column else "right")
        for name, told in sorted(by_target.items(), key=lambda item: -item[1]["rps"]):
            keys = ("rps", "rps_over_nginx", "cpu_us", "cpu_over_nginx", "p50", "p99", "ttft50")
            table.add_row(name, *("-" if math.isnan(told[key]) else brief(told[key]) for key in keys))
        console.print(table, "")
    table = Table(title="proxy, ratios", title_justify="left", box=None)
    for column in ("", "", "must", "stretch", "reached"):
        table.add_column(column, justify="right" if column in ("must", "stretch") else "left")
    for goal in report["goals"]:
        if not math.isnan(goal["value"]):
            sign = "≤" if goal["better"] == "less" else "≥"
            table.add_row(
                goal["name"],
                brief(goal["value"]),
                f"{sign} {goal['must']:g}",
                f"{sign} {goal['stretch']:g}",
                f"[red]{goal['reached']}[/]" if goal["reached"] == "missed" else goal["reached"],
            )
    console.print(table)
    console.print(f"memory, MB: {report['pss_mb']}", markup=False)
    for trouble in report["troubles"]:
        console.print(f"! {trouble}", markup=False, soft_wrap=True)
    for reason in report["unquiet_because"]:
        console.print(f"not a quiet run: {reason}", markup=False, soft_wrap=True)


def _end(number: int, frame: object) -> None:
    """Ending by SIGTERM ends the child processes as well."""
    raise KeyboardInterrupt
