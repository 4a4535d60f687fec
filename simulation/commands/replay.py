"""`python -m simulation replay TRACE`: a recorded workload through one engine or several."""

import argparse
from dataclasses import asdict

from simulation.commands.options import (
    add_cost,
    add_engine,
    add_examples,
    add_fleet,
    add_json,
    add_trace,
    add_warm,
    columns_of,
    described,
    engine_settings,
    load_trace,
    load_warm,
    new_table,
    out,
    told,
    warnings_told,
    write_json,
    write_table,
)
from simulation.commands.tables import narrow
from simulation.cost_file import load_cost
from simulation.replay import Replay, per_second, replay
from simulation.settings import EngineSettings

NAME = "replay"
HELP = "serve a recorded workload and say what its requests would have seen"
EXAMPLES = (
    "replay simulation/data/azure2023_conv.csv --cost rtxpro6000-llama3.1-8b --rate 4 \\\n      --json out.json",
    "replay simulation/data/servegen_deepseek-r1-1-trace.csv --cost h100x8-llama2-70b \\\n      "
    "--requests requests.csv",
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES)
    add_trace(parser)
    add_cost(parser)
    add_engine(parser)
    parser.add_argument("--engines", type=int, default=1, metavar="N", help="engines behind a router (1)")
    add_fleet(parser)
    add_warm(parser)
    add_json(parser)
    parser.add_argument("--requests", type=new_table, metavar="OUT", help="a row per request, as .csv or .jsonl")
    parser.add_argument(
        "--series", type=new_table, metavar="OUT", help="a row per second: running, waiting, blocks in use"
    )


def run(args: argparse.Namespace) -> int:
    cost = load_cost(args.cost)
    settings = engine_settings(args, EngineSettings())
    trace = load_trace(args)
    warm = load_warm(args, trace)
    with warnings_told(), told.status(f"{len(trace.requests):,} requests"):
        result = replay(
            trace,
            cost,
            settings,
            engines=args.engines,
            route=args.route,
            step=args.step,
            series=args.series is not None,
            warm=warm,
        )
    if args.requests:
        write_table(args.requests, {**columns_of(result.fleet.outcomes), "path": ["generated"] * result.requests})
    if args.series:
        write_table(args.series, per_second(result.fleet))
    if str(args.json) != "-":
        show(result, trace.path)
    write_json(args.json, {**summary(result), **described(cost, settings)})
    return 0


def summary(result: Replay) -> dict[str, object]:
    return {
        name: asdict(value) if hasattr(value := getattr(result, name), "__slots__") else value
        for name in result.__slots__
        if name != "fleet"
    }


def show(result: Replay, path: str) -> None:
    title = f"{path}: {result.requests:,} requests, {result.rate_per_s:.3g}/s, {result.engines} engine(s)"
    table = narrow(title, "seconds", "mean", "p50", "p90", "p95", "p99")
    for name, spread in (
        ("wait", result.wait),
        ("TTFT", result.ttft),
        ("TPOT", result.tpot),
        ("latency", result.latency),
    ):
        table.add_row(
            name, *(f"{value:.4g}" for value in (spread.mean, spread.p50, spread.p90, spread.p95, spread.p99))
        )
    out.print(table)
    out.print(
        f"{result.label}; {result.done_per_s:.3g} requests/s, {result.output_tokens_per_s:,.0f} output tokens/s over "
        f"{result.duration_s:,.0f} s; prefix hits {result.prefix_hit_rate:.1%}, {result.preemptions} preemptions",
        highlight=False,
    )
