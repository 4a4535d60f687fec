"""How fast the full engine is: requests per second of CPU time, with event skipping and step by step.

CPU time of this process, best of several passes, so that a busy machine does not count.
"""

import argparse
import platform
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from simulation.commands.options import add_json, out, write_json
from simulation.commands.tables import narrow
from simulation.cost_file import load_cost
from simulation.engine import simulate
from simulation.request import Request, WorkloadError
from simulation.settings import EngineSettings
from simulation.traces import read_trace

NAME = "benchmark"
HELP = "measure how many requests the full engine serves per second of CPU time"
EXAMPLE = "example: python -m simulation benchmark --lengths azure_conv.csv --rates 0.5 2 6 --json results/speed.json"

COST = "rtxpro6000-llama3.1-8b"
# What the specification asks for, at 2 requests/s.
MUST_SKIPPING, MUST_STEPPING, MUST_RATE = 15_000, 3_000, 2.0


@dataclass(frozen=True, slots=True)
class Speed:
    """Requests per CPU second at one arrival rate, and how many steps of the engine a request took."""

    rate_per_s: float
    skipping: float
    stepping: float
    steps_per_request: float


def measure(lengths: Sequence[tuple[int, int]], rate_per_s: float, requests: int, passes: int, seed: int) -> Speed:
    """lengths: prompt and output tokens, taken in turn."""
    rng = random.Random(seed)
    clock = 0.0
    work: list[Request] = []
    for index in range(requests):
        clock += rng.expovariate(rate_per_s)
        work.append(Request(clock, *lengths[index % len(lengths)]))
    cost = load_cost(COST)
    best = {True: 0.0, False: 0.0}
    steps = 0
    for _ in range(passes):
        for step in (False, True):
            begin = time.process_time()
            steps = simulate(work, cost, EngineSettings(), step=step).steps
            best[step] = max(best[step], requests / (time.process_time() - begin))
    return Speed(rate_per_s, best[False], best[True], steps / requests)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--lengths", type=Path, metavar="TRACE", help="a trace whose lengths to use (shipped Azure 2023)"
    )
    parser.add_argument("--rates", type=float, nargs="+", default=[0.5, 2.0, 6.0], help="requests per second (0.5 2 6)")
    parser.add_argument("--requests", type=int, default=8000, metavar="N", help="requests of a pass (8000)")
    parser.add_argument("--passes", type=int, default=5, metavar="N", help="passes, the best of which counts (5)")
    parser.add_argument("--check", action="store_true", help="exit 1 if slower than the specification asks")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.requests < 1 or args.passes < 1 or min(args.rates) <= 0:
        raise WorkloadError("--requests and --passes must be 1 or more, --rates above 0")
    if args.lengths:
        trace = read_trace(args.lengths)
    else:
        with resources.as_file(resources.files("simulation") / "data" / "azure2023_conv.csv") as path:
            trace = read_trace(path)
    lengths = [(request.prompt_tokens, request.output_tokens) for request in trace.requests]
    found: list[Speed] = []
    for rate in args.rates:
        with out.status(f"{rate:g} requests/s"):
            found.append(measure(lengths, rate, args.requests, args.passes, seed=1))
    if str(args.json) != "-":
        title = f"full engine, requests per CPU second, Python {platform.python_version()} on one core"
        table = narrow(title, "arrivals", "skipping", "step by step", "steps a request")
        for speed in found:
            table.add_row(
                f"{speed.rate_per_s:g}/s",
                f"{speed.skipping:,.0f}",
                f"{speed.stepping:,.0f}",
                f"{speed.steps_per_request:.1f}",
            )
        out.print(table)
    write_json(
        args.json,
        {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "cost": COST,
            "requests": args.requests,
            "passes": args.passes,
            "speeds": [asdict(speed) for speed in found],
        },
    )
    slow = [
        s for s in found if s.rate_per_s == MUST_RATE and (s.skipping < MUST_SKIPPING or s.stepping < MUST_STEPPING)
    ]
    if args.check and slow:
        out.print(f"slower than {MUST_SKIPPING:,} with skipping or {MUST_STEPPING:,} step by step at {MUST_RATE:g}/s")
        return 1
    return 0
