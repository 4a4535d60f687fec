"""`python -m simulation validate RUN`: a real engine's run against its simulation."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from simulation.commands.options import (
    add_cost,
    add_engine,
    add_examples,
    add_json,
    add_warm,
    described,
    engine_settings,
    load_warm,
    new_file,
    out,
    told,
    verdict,
    warnings_told,
    write_json,
    write_text,
)
from simulation.commands.tables import narrow
from simulation.cost_file import format_cost, load_cost
from simulation.overhead import DEFAULT_NUMBERS, NUMBERS, Workbench, fit_overhead
from simulation.recorded import out_of_order, read_meta, read_run, read_samples, replicas_of, settings_of
from simulation.request import WorkloadError
from simulation.validate import Errors, LeftOut, Validation, halves, mechanisms_left_out, validate
from simulation.validate_plot import check_plot, draw, save

NAME = "validate"
HELP = "simulate a recorded engine run and compare: latency, TTFT, TPOT, prefix hits, preemptions"
EXAMPLES = (
    "validate simulation/data/vllm_runs/rtxpro6000_llama31_8b_tp1.jsonl \\\n      "
    "--cost rtxpro6000-llama3.1-8b --json out.json --plot out.png",
    "validate simulation/data/vllm_runs/rtxpro6000_qwen3_32b_tp2.jsonl \\\n      "
    "--cost rtxpro6000x2-qwen3-32b-tables --fit-overhead first-half",
)
NOTES = """

RUN has a row per request: arrival_s, prompt_tokens, output_tokens, first_token_s, last_token_s (scheduled_s, hash_ids).
META has engine_kwargs with the engine's arguments by vLLM's names; options given here win over it.

--json: errors are fractions of the measured value (0.02 is 2 %), above 0 where the simulation is too slow.
  latency_mape                       mean over requests of |simulated - measured| / measured
  latency_mean_err, latency_p95_err  of the mean and 95th percentile from arrival to last token
  ttft_mean_err, tpot_mean_err       of the mean time to first token, and per output token after it
  prefix_hit_rate                    cached prompt tokens / prompt tokens, simulated, each request once (0 to 1)
  preemptions                        simulated count
With --fit-overhead first-half these are the second half's, which the fit did not see; first_half, second_half and all
hold each part's."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES, NOTES)
    parser.add_argument("record", type=Path, metavar="RUN", help="the engine's record, .jsonl or .csv")
    parser.add_argument("--meta", type=Path, metavar="META.json", help="its arguments (RUN's name with .meta.json)")
    add_cost(parser)
    add_engine(parser)
    parser.add_argument(
        "--engines", type=int, metavar="N", help="engines that shared the requests (data_parallel_size)"
    )
    parser.add_argument(
        "--fit-overhead",
        choices=("first-half",),
        help="first fit the overhead on the first half's latencies, then report the second half",
    )
    add_overhead(parser)
    parser.add_argument("--save-cost", type=new_file, metavar="COST.json", help="write the cost model used")
    parser.add_argument("--mechanisms", action="store_true", help="also say what leaving out each mechanism does")
    parser.add_argument("--plot", type=new_file, metavar="OUT", help="measured against simulated, as .png or .html")
    parser.add_argument(
        "--timeseries", type=Path, metavar="CSV", help="for the plot: the engine's log with t, running, waiting"
    )
    parser.add_argument("--max-mape", type=float, metavar="F", help="exit 1 if latency_mape is above this fraction")
    add_warm(parser)
    add_json(parser)


def add_overhead(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--overhead",
        metavar="NUMBERS",
        default=",".join(DEFAULT_NUMBERS),
        help=f"which overhead numbers a fit may move, of {', '.join(NUMBERS)} ({','.join(DEFAULT_NUMBERS)})",
    )


def overhead_numbers(args: argparse.Namespace) -> list[str]:
    numbers = [part.strip() for part in args.overhead.split(",")]
    if not set(numbers) <= set(NUMBERS) or len(set(numbers)) != len(numbers):
        raise WorkloadError(f"--overhead {args.overhead}: write some of {', '.join(NUMBERS)}, separated by commas")
    return numbers


def run(args: argparse.Namespace) -> int:
    if args.plot:
        check_plot(args.plot)
    if args.max_mape is not None and not args.max_mape >= 0:
        raise WorkloadError(f"--max-mape is {args.max_mape}; it must be a fraction of 0 or more, 0.05 for 5 %")
    cost = load_cost(args.cost)
    recorded = read_run(args.record)
    meta = args.meta or args.record.with_suffix(".meta.json")
    arguments = read_meta(meta) if args.meta or meta.exists() else {}
    settings = engine_settings(args, settings_of(arguments, meta))
    engines = replicas_of(arguments, meta) if args.engines is None else args.engines
    fitted = args.fit_overhead is not None
    numbers = overhead_numbers(args)
    warm = load_warm(args, recorded.trace)
    if moved := out_of_order(recorded):
        told.print(f"{args.record}: {moved} rows stood behind a later arrival and were sorted")
    with warnings_told():
        if fitted:
            first, _ = halves(len(recorded.trace.requests))
            bench = Workbench(
                recorded.trace.requests,
                recorded.first_token_s,
                recorded.last_token_s,
                settings,
                recorded.trace.hash_tokens,
                engines,
            )
            with told.status("fitting the overhead on the first half"):
                cost = fit_overhead(bench, cost, first, numbers)
        result = validate(recorded, cost, settings, engines=engines, step=args.step, warm=warm)
        left_out = mechanisms_left_out(recorded, cost, settings, engines) if args.mechanisms else []
    headline = result.second_half if fitted else result.every
    if args.save_cost:
        write_text(args.save_cost, format_cost(cost))
    if args.plot:
        beside = args.timeseries or args.record.with_suffix(".timeseries.csv")
        samples = read_samples(beside) if args.timeseries or beside.exists() else []
        save(draw(recorded, result, f"{args.record.name}: {cost.name}", samples), args.plot)
    if str(args.json) != "-":
        show(result, left_out, args.record.name, cost.name)
    write_json(
        args.json,
        {
            **{name: value for name, value in asdict(headline).items() if name != "requests"},
            "prefix_hit_rate": result.prefix_hit_rate,
            "preemptions": result.preemptions,
            "rows": "second half" if fitted else "all",
            "requests": headline.requests,
            "all": asdict(result.every),
            "first_half": asdict(result.first_half),
            "second_half": asdict(result.second_half),
            "mechanisms_left_out": [asdict(one) for one in left_out],
            "engines": engines,
            **described(cost, settings),
            "cost_model": json.loads(format_cost(cost)),
        },
    )
    if args.max_mape is not None and headline.latency_mape > args.max_mape:
        verdict(args).print(f"latency MAPE {headline.latency_mape:.2%} is above {args.max_mape:.2%}")
        return 1
    return 0


def show(result: Validation, left_out: list[LeftOut], run_name: str, cost_name: str) -> None:
    columns = ("MAPE", "mean", "p95", "TTFT", "TPOT", "TPOT p99")
    table = narrow(f"{run_name}, simulated with {cost_name}, less measured", "requests", *columns)
    parts = (("all", result.every), ("first half", result.first_half), ("second half", result.second_half))
    for name, part in parts:
        table.add_row(f"{name} ({part.requests})", *_cells(part))
    out.print(table)
    out.print("MAPE, mean and p95 of the latency; mean TTFT and TPOT", highlight=False)
    out.print(f"simulated: prefix hits {result.prefix_hit_rate:.2%}, {result.preemptions} preemptions", highlight=False)
    if left_out:
        table = narrow("the same costs, with a mechanism left out", "left out", *columns, "preempted")
        for one in left_out:
            table.add_row(one.mechanism, *_cells(one.errors), f"{one.preemptions:,}")
        out.print(table)


def _cells(part: Errors) -> tuple[str, ...]:
    signed = (part.latency_mean_err, part.latency_p95_err, part.ttft_mean_err, part.tpot_mean_err, part.tpot_p99_err)
    return (f"{part.latency_mape:.2%}", *(f"{value:+.2%}" for value in signed))
