"""`python -m simulation plan TRACE`: how many engines keep a promise, and what a cache changes."""

import argparse
from dataclasses import asdict

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from simulation.commands.options import (
    add_cost,
    add_engine,
    add_examples,
    add_fleet,
    add_json,
    add_trace,
    described,
    engine_settings,
    load_trace,
    out,
    told,
    warnings_told,
    write_json,
)
from simulation.commands.tables import narrow
from simulation.cost_file import load_cost
from simulation.fleet import MOST_ENGINES
from simulation.plan import Site, Target, plan, read_target, with_repeats
from simulation.request import WorkloadError
from simulation.settings import EngineSettings

NAME = "plan"
HELP = "how many engines a recorded workload needs to keep a target, with and without a cache in front"
EXAMPLES = (
    "plan simulation/data/azure2023_conv.csv --cost rtxpro6000-llama3.1-8b \\\n      "
    '--blocks 8000 --target "p95 ttft < 1" --rate 20 --repeats 0.3',
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES)
    add_trace(parser)
    add_cost(parser)
    parser.add_argument(
        "--target",
        required=True,
        type=_target,
        metavar="PROMISE",
        help="like 'p95 ttft < 1': pN or mean; ttft, latency or wait; seconds",
    )
    parser.add_argument("--max-engines", type=int, default=64, metavar="N", help="give up beyond these (64)")
    parser.add_argument(
        "--repeats",
        type=float,
        metavar="SHARE",
        help="for traces that do not say who asked the same: this share of the "
        "requests asks one of --questions, by Zipf's law",
    )
    parser.add_argument("--questions", type=int, default=500, metavar="N", help="questions that are asked again (500)")
    add_fleet(parser)
    add_engine(parser)
    add_json(parser)


def _target(text: str) -> Target:
    try:
        return read_target(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace) -> int:
    cost = load_cost(args.cost)
    settings = engine_settings(args, EngineSettings())
    if not 1 <= args.max_engines <= MOST_ENGINES:
        raise WorkloadError(f"--max-engines is {args.max_engines}; use 1 to {MOST_ENGINES:,}")
    trace = load_trace(args)
    if args.repeats is not None:
        trace = with_repeats(trace, args.questions, args.repeats, args.seed)
    target: Target = args.target
    shown = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with warnings_told(), Progress(*shown, console=told, transient=True) as progress:
        task = progress.add_task("planning", total=None)
        needs = plan(
            trace,
            Site(cost, settings, args.route, args.max_engines),
            target,
            told=lambda front, engines, value: progress.update(
                task, description=f"{front}: {engines} engine(s), {value:.3g} s"
            ),
        )
    if str(args.json) != "-":
        title = f"{trace.path}: {len(trace.requests):,} requests, {trace.rate_per_s:.3g}/s"
        columns = ("engines", "with them", "one fewer", "hits", "coalesced", "preempts")
        table = narrow(title, "in front", *columns)
        for need in needs:
            table.add_row(
                need.front,
                str(need.engines or f"more than {args.max_engines}"),
                f"{need.value_s:.3g} s",
                "" if need.one_less_s is None else f"{need.one_less_s:.3g} s",
                f"{need.hit_share:.1%}",
                f"{need.coalesced_share:.1%}",
                f"{need.preemptions:,}",
            )
        out.print(table)
        name = "mean" if target.percentile is None else f"p{target.percentile:g}"
        out.print(
            f"target: {name} {target.measure} below {target.limit_s:g} s over all requests, whoever answered them"
        )
    write_json(
        args.json,
        {
            "target": asdict(target),
            "requests": len(trace.requests),
            "rate_per_s": trace.rate_per_s,
            "needs": [asdict(need) for need in needs],
            **described(cost, settings),
        },
    )
    return 0 if all(need.engines for need in needs) else 1
