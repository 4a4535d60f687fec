"""`python -m simulation benchmark`: how fast the reference model and the full engine are."""

import argparse
import math
import platform
from dataclasses import asdict
from importlib import resources
from pathlib import Path

from simulation.benchmark import (
    COST,
    MUST_RATE,
    MUST_REFERENCE,
    MUST_SKIPPING,
    MUST_STEPPING,
    EngineSpeed,
    ReferenceSpeed,
    engine_speed,
    reference_speeds,
    slow,
    table_seconds,
)
from simulation.commands.options import add_examples, add_json, out, told, verdict, write_json
from simulation.commands.tables import narrow
from simulation.request import WorkloadError
from simulation.traces import read_trace

NAME = "benchmark"
HELP = "requests per second of CPU time of the reference model and of the full engine, by jumps and step by step"
EXAMPLES = ("benchmark --check --json speed.json",)


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES)
    parser.add_argument(
        "--lengths", type=Path, metavar="TRACE", help="full engine: a trace whose lengths to use (shipped Azure 2023)"
    )
    parser.add_argument(
        "--rates", type=float, nargs="+", default=[0.5, 2.0, 6.0], metavar="R", help="full engine: per second (0.5 2 6)"
    )
    parser.add_argument("--requests", type=int, default=8000, metavar="N", help="requests of a pass (8000)")
    parser.add_argument("--passes", type=int, default=5, metavar="N", help="passes, the best of which counts (5)")
    parser.add_argument(
        "--check",
        action="store_true",
        help=f"exit 1 if slower than specified: reference model {MUST_REFERENCE:,}, full engine {MUST_SKIPPING:,} and "
        f"{MUST_STEPPING:,} step by step at {MUST_RATE:g}/s",
    )
    parser.add_argument(
        "--must", type=float, metavar="N", help="exit 1 if the reference model does fewer than N, whatever the policy"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.requests < 1 or args.passes < 1 or not all(0 < rate < math.inf for rate in args.rates):
        raise WorkloadError("--requests and --passes must be 1 or more, --rates above 0")
    if args.lengths:
        trace = read_trace(args.lengths)
    else:
        with resources.as_file(resources.files("simulation") / "data" / "azure2023_conv.csv") as path:
            trace = read_trace(path)
    lengths = [(request.prompt_tokens, request.output_tokens) for request in trace.requests]
    with told.status("reference model"):
        reference, table_s = reference_speeds(args.requests, args.passes), table_seconds()
    engine: list[EngineSpeed] = []
    for rate in args.rates:
        with told.status(f"full engine, {rate:g} requests/s"):
            engine.append(engine_speed(lengths, rate, args.requests, args.passes))
    if str(args.json) != "-":
        show(reference, table_s, engine)
    write_json(
        args.json,
        {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "requests": args.requests,
            "passes": args.passes,
            "reference": [asdict(one) for one in reference],
            "table_cpu_s": table_s,
            "engine_cost": COST,
            "engine": [asdict(one) for one in engine],
        },
    )
    must = args.must if args.must is not None else MUST_REFERENCE if args.check else 0.0
    found = slow(engine if args.check else (), reference, must)
    for line in found:
        verdict(args).print(line, highlight=False, soft_wrap=True)
    return 1 if found else 0


def show(reference: list[ReferenceSpeed], table_s: float, engine: list[EngineSpeed]) -> None:
    table = narrow("reference model, requests per CPU second", "policy", "arrivals", "skipping", "step by step")
    for one in reference:
        table.add_row(one.discipline, f"{one.load:g}/s", f"{one.skipping:,.0f}", f"{one.stepping:,.0f}")
    out.print(table)
    out.print(f"the published table once: {table_s:.2f} CPU s", highlight=False)
    out.print()
    table = narrow("full engine, requests per CPU second", "arrivals", "skipping", "step by step", "steps a request")
    for speed in engine:
        table.add_row(
            f"{speed.rate_per_s:g}/s",
            f"{speed.skipping:,.0f}",
            f"{speed.stepping:,.0f}",
            f"{speed.steps_per_request:.1f}",
        )
    out.print(table)
