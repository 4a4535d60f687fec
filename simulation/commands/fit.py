"""`python -m simulation fit MEASUREMENTS`: a cost model from kernel profiles, measured steps, or a run."""

import argparse
from dataclasses import replace
from pathlib import Path

from simulation.commands.options import (
    add_engine,
    add_examples,
    add_json,
    engine_settings,
    new_file,
    out,
    told,
    write_json,
    write_text,
)
from simulation.commands.tables import narrow
from simulation.commands.validate import add_overhead, overhead_numbers
from simulation.cost import CostModel
from simulation.cost_file import format_cost, load_cost
from simulation.overhead import Workbench, fit_overhead
from simulation.profile import Fitted, from_profile, from_steps, read_profile, read_steps
from simulation.recorded import read_meta, read_run, replicas_of, settings_of
from simulation.validate import halves

NAME = "fit"
HELP = "make a cost model from kernel profiles or measured steps, and fit its overhead on a real run"
EXAMPLES = (
    "fit simulation/data/steps_h100x8_llama2_70b.csv --out h100x8.json",
    "fit rtxpro6000-llama3.1-8b-tables \\\n      "
    "--run simulation/data/vllm_runs/rtxpro6000_llama31_8b_tp1.jsonl --out mine.json",
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES)
    parser.add_argument(
        "measurements",
        metavar="MEASUREMENTS",
        help="the common beginning of a kernel profile's files (NAME for NAME_dense.csv, NAME_attention.csv and "
        "NAME_per_sequence.csv); or a .csv or .jsonl of steps with sequences, kv_tokens, prompt_tokens, chunk_context "
        "and time_us, time_ms or time_s; or a cost model (JSON or preset) whose overhead is to be fitted",
    )
    parser.add_argument("--layers", type=int, metavar="N", help="layers of the profiled model; a profile needs it")
    parser.add_argument("--formula", action="store_true", help="profile: five numbers instead of tables")
    parser.add_argument("--knee", type=int, default=0, metavar="TOKENS", help="five numbers: d counts only beyond this")
    parser.add_argument(
        "--run", dest="record", type=Path, metavar="RUN.jsonl", help="also fit the overhead on this run's first half"
    )
    parser.add_argument("--meta", type=Path, metavar="META.json", help="its arguments (RUN's name with .meta.json)")
    add_overhead(parser)
    add_engine(parser)
    parser.add_argument("--overhead-of", metavar="PRESET_OR_JSON", help="carry the overhead over from this cost model")
    parser.add_argument("--name", metavar="NAME", help="name of the new cost model (of its file, or the measurements)")
    parser.add_argument("--out", type=new_file, metavar="COST.json", help="write the cost model here")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    source = Path(args.measurements)
    name = args.name or (args.out.stem if args.out else source.stem)
    fitted = measured(args, source, name)
    cost = replace(fitted.cost, name=name)
    if args.overhead_of:
        other = load_cost(args.overhead_of)
        cost = cost.with_overhead(other.overhead_step_s, other.overhead_sequence_s, other.overhead_prompt_token_s)
        cost = with_overhead_of(cost, f"carried over from {other.name}")
    if args.record:
        recorded = read_run(args.record)
        meta = args.meta or args.record.with_suffix(".meta.json")
        arguments = read_meta(meta) if args.meta or meta.exists() else {}
        bench = Workbench(
            recorded.trace.requests,
            recorded.first_token_s,
            recorded.last_token_s,
            engine_settings(args, settings_of(arguments, meta)),
            recorded.trace.hash_tokens,
            replicas_of(arguments, meta),
        )
        first, _ = halves(len(recorded.trace.requests))
        with told.status("fitting the overhead"):
            cost = fit_overhead(bench, cost, first, overhead_numbers(args))
        cost = with_overhead_of(cost, f"fitted on the first half of {args.record.name}")
    text = format_cost(cost)
    if args.out:
        write_text(args.out, text)
    if str(args.json) != "-":
        show(cost, fitted)
    write_json(args.json, {"cost": cost.name, "rms": fitted.rms, "samples": fitted.samples, "json": text})
    return 0


def with_overhead_of(cost: CostModel, origin: str) -> CostModel:
    """Say where its overhead is from, instead of where an earlier one was from."""
    kernels = cost.provenance.split("; overhead")[0]
    return replace(cost, provenance=f"{kernels}; overhead {origin}")


def measured(args: argparse.Namespace, source: Path, name: str) -> Fitted:
    if Path(f"{source}_attention.csv").exists() or args.layers is not None:
        profile = read_profile(str(source), args.layers or 0)
        fitted = from_profile(profile, name, tables=not args.formula, knee_tokens=args.knee)
    elif source.suffix.lower() in (".csv", ".jsonl"):
        fitted = from_steps(read_steps(source), name, args.knee)
    else:
        return Fitted(load_cost(args.measurements), {}, 0)
    errors = ", ".join(f"{kind} {error:.1%}" for kind, error in fitted.rms.items())
    return replace(fitted, cost=replace(fitted.cost, provenance=f"fitted to {source.name}, rms {errors}"))


def show(cost: CostModel, fitted: Fitted) -> None:
    table = narrow(f"{cost.name} ({cost.provenance})", "number", "microseconds")
    for label, seconds in (
        ("a, per step", cost.step_s),
        ("b, per decoding sequence", cost.sequence_s),
        ("c, per KV token", cost.kv_token_s),
        ("  more in steps that prefill too", cost.mixed_kv_token_s),
        ("d, per prompt token", cost.prompt_token_s),
        ("e, per chunk x context", cost.chunk_context_s),
        ("overhead per step", cost.overhead_step_s),
        ("overhead per sequence", cost.overhead_sequence_s),
        ("overhead per prompt token", cost.overhead_prompt_token_s),
    ):
        table.add_row(label, f"{seconds * 1e6:,.5g}")
    out.print(table)
    if cost.token_table or cost.sequence_table:
        out.print(f"and tables of {len(cost.token_table)} points by tokens, {len(cost.sequence_table)} by sequences")
    for kind, error in fitted.rms.items():
        out.print(f"rms error, {kind} steps: {error:.2%}")
