"""`python -m simulation frontend`: what a cache, single flight and a batching window before the engines are worth."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from simulation.commands.options import add_examples, add_json, new_table, out, told, write_json, write_table
from simulation.commands.tables import narrow
from simulation.cost import CostModel
from simulation.cost_file import load_cost
from simulation.engine import Engine
from simulation.fleet import MOST_ENGINES
from simulation.frontend import PATHS, FrontEnd, Served, semantic_rates, serve
from simulation.intervals import p95
from simulation.reference_engine import ReferenceEngine
from simulation.request import WorkloadError
from simulation.router import ROUTES, FedEngine, FullEngine, Router
from simulation.schedulers import reference_server
from simulation.settings import EngineSettings
from simulation.study import Parameters
from simulation.traces import Trace, read_trace
from simulation.workload import ARRIVAL_KINDS, Arrivals, Catalogue, ClosedLoop, Mix, Workload, of_requests

NAME = "frontend"
HELP = "the same requests through front ends: bare, single flight, cache, both, and semantic with an evaluation file"
EXAMPLES = (
    "frontend --rate 10 --share 0.3 --entries 500",
    "frontend --trace simulation/data/mooncake_conversation.jsonl --engine full \\\n      "
    "--cost rtx4090-llama3.1-8b --engines 4 --route prefix-affinity",
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES)
    work = parser.add_argument_group("workload")
    work.add_argument(
        "--trace", type=Path, metavar="FILE", help="a recorded workload (.csv, .jsonl) instead of drawn requests"
    )
    work.add_argument("--rate", type=float, metavar="R", help="requests per second (10; a trace keeps its own)")
    work.add_argument("--requests", type=int, default=6000, metavar="N", help="how many to draw (6000)")
    work.add_argument("--arrivals", choices=ARRIVAL_KINDS, default="poisson", help="how gaps are distributed (poisson)")
    work.add_argument(
        "--cv", type=float, default=1.0, metavar="X", help="coefficient of variation of gamma, Weibull gaps (1)"
    )
    work.add_argument("--users", type=int, metavar="N", help="closed loop: N users who wait for their answers")
    work.add_argument(
        "--think-s", type=float, default=0.0, metavar="S", help="closed loop: mean time before asking again (0)"
    )
    work.add_argument(
        "--share", type=float, default=0.3, metavar="X", help="part of the requests that ask the catalogue (0.3)"
    )
    work.add_argument("--entries", type=int, default=500, metavar="N", help="questions in the catalogue (500)")
    work.add_argument("--zipf", type=float, default=1.0, metavar="X", help="exponent of their popularity (1)")
    work.add_argument(
        "--wordings", type=int, default=1, metavar="N", help="spellings of a question, equally likely (1)"
    )
    work.add_argument("--seed", type=int, default=0, metavar="S", help="(0)")
    front = parser.add_argument_group("front end")
    front.add_argument(
        "--ttl-s", type=float, default=np.inf, metavar="S", help="how long an answer is fresh (for ever)"
    )
    front.add_argument("--max-entries", type=int, metavar="N", help="answers kept, least recently used go first (all)")
    front.add_argument("--window-ms", type=float, default=0.0, metavar="MS", help="batching window (0)")
    front.add_argument(
        "--max-batch-size", type=int, default=8, metavar="N", help="a window closes when so many wait (8)"
    )
    front.add_argument(
        "--semantic",
        type=Path,
        metavar="FILE",
        help="an evaluation's result (n_hit, hits, n_miss, wrong): adds a semantic cache",
    )
    engines = parser.add_argument_group("engines")
    engines.add_argument("--engines", type=int, default=1, metavar="N", help="behind the router (1)")
    engines.add_argument(
        "--route", choices=ROUTES, default="least-loaded", help="how requests are spread (least-loaded)"
    )
    engines.add_argument(
        "--engine",
        choices=("reference", "full"),
        default="reference",
        help="slots only, or with KV blocks and prefixes",
    )
    engines.add_argument("--cost", default="reference", metavar="PRESET_OR_JSON", help="step costs (reference)")
    engines.add_argument(
        "--slots", type=int, default=Parameters().slots, metavar="N", help="requests an engine runs at once (32)"
    )
    engines.add_argument("--blocks", type=int, metavar="N", help="KV blocks of a full engine (no limit)")
    add_json(parser)
    parser.add_argument(
        "--requests-out",
        type=new_table,
        metavar="OUT",
        help="a row per request of the last front end, as .csv or .jsonl",
    )


def run(args: argparse.Namespace) -> int:
    work, trace, loop = _workload(args)
    router = _routers(args, load_cost(args.cost), trace)
    shown: list[tuple[str, Served, Router]] = []
    front_ends = _front_ends(args)
    with told.status("") as status:
        for name, settings in front_ends:
            status.update(f"{name}: {len(work):,} requests")
            fleet = router()
            try:
                shown.append((name, serve(work, settings, fleet, loop=loop, seed=args.seed), fleet))
            except WorkloadError as error:
                raise (trace.located(error) if trace else error) from None
            except KeyboardInterrupt:
                break
    if not shown:
        raise KeyboardInterrupt
    results = [{"name": name, **summary(served), "per_engine": fleet.submitted} for name, served, fleet in shown]
    if str(args.json) != "-":
        out.print(_table(results, args))
    whole = len(shown) == len(front_ends)
    head = {"requests": len(work), "engines": args.engines, "route": args.route, "whole": whole}
    write_json(args.json, {**head, "front_ends": results})
    if not whole:
        missing = ", ".join(name for name, _ in front_ends[len(shown) :])
        told.print(f"simulation frontend: interrupted; not run: {missing}")
        return 130
    if args.requests_out:
        write_table(args.requests_out, shown[-1][1].columns())
    return 0


def summary(served: Served) -> dict[str, Any]:
    latencies = np.array(served.latencies())
    first = np.subtract(served.first_s, served.arrival_s)
    return {
        **{f"{path}_share": served.share(path) for path in PATHS},
        "false_hit_share": sum(served.false_hit) / len(served.false_hit),
        "latency_mean_s": float(latencies.mean()),
        "latency_p50_s": float(np.median(latencies)),
        "latency_p95_s": p95(latencies),
        "ttft_p95_s": p95(first),
        "done_per_s": len(latencies) / max(served.finish_s),
    }


def _front_ends(args: argparse.Namespace) -> list[tuple[str, FrontEnd]]:
    bare = FrontEnd(
        ttl_s=args.ttl_s,
        max_entries=args.max_entries,
        window_s=args.window_ms / 1000,
        max_batch_size=args.max_batch_size,
        wordings=args.wordings,
    )
    both = replace(bare, cache=True, single_flight=True)
    found = [
        ("bare", bare),
        ("single flight", replace(bare, single_flight=True)),
        ("cache", replace(bare, cache=True)),
        ("cache and single flight", both),
    ]
    if args.semantic:
        found.append(("and semantic", replace(both, semantic=semantic_rates(args.semantic))))
    return found


def _workload(args: argparse.Namespace) -> tuple[Workload, Trace | None, ClosedLoop | None]:
    loop = None if args.users is None else ClosedLoop(args.users, args.think_s)
    if args.trace:
        trace = read_trace(args.trace)
        if args.rate is not None:
            trace = trace.at_rate(args.rate)
        return of_requests(trace.requests), trace, loop
    parameters = Parameters()
    catalogue = Catalogue(
        args.entries, args.share, args.zipf, args.wordings, block_tokens=EngineSettings().block_tokens
    )
    mix = Mix(parameters.mix.prompt, parameters.mix.output, catalogue)
    arrivals = Arrivals(10.0 if args.rate is None else args.rate, args.arrivals, args.cv)
    return mix.draw(args.requests, args.seed, arrivals), None, loop


def _routers(args: argparse.Namespace, cost: CostModel, trace: Trace | None) -> Callable[[], Router]:
    """Makes a new router over new engines each time; bad settings are refused here, before the first run."""
    if not 1 <= args.engines <= MOST_ENGINES:
        raise WorkloadError(f"{args.engines} engines; use 1 to {MOST_ENGINES:,}")
    if args.engine == "reference":
        if args.blocks is not None:
            raise WorkloadError("--blocks needs --engine full: the reference engine has no KV blocks")
        server = reference_server(cost, args.slots)
        return lambda: Router([ReferenceEngine(server) for _ in range(args.engines)], args.route)
    settings = EngineSettings(max_num_seqs=args.slots, blocks=args.blocks)
    try:
        settings.check()
    except ValueError as error:
        raise WorkloadError(str(error)) from None
    hash_tokens = trace.hash_tokens if trace else settings.block_tokens

    def fleet() -> Router:
        engines: list[FedEngine] = [
            FullEngine(Engine(cost, settings, hash_tokens=hash_tokens)) for _ in range(args.engines)
        ]
        return Router(engines, args.route)

    return fleet


def _table(results: list[dict[str, Any]], args: argparse.Namespace) -> Table:
    table = narrow(
        f"{args.engines} engine(s), {args.route}: paths in % of the requests, p50, p95 and p95 TTFT in seconds",
        *("front end", "hit", "semantic", "false", "shared", "p50", "p95", "TTFT", "done/s"),
    )
    for one in results:
        shares = ("hit_share", "semantic_share", "false_hit_share", "coalesced_share")
        times = ("latency_p50_s", "latency_p95_s", "ttft_p95_s", "done_per_s")
        table.add_row(one["name"], *(f"{100 * one[key]:.1f}" for key in shares), *(f"{one[key]:.2f}" for key in times))
    return table
