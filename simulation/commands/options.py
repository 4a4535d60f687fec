"""Options that several subcommands share, and how they speak."""

import argparse
import csv
import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from simulation.cost import CostModel, ExtrapolationWarning
from simulation.cost_file import preset_names
from simulation.outcomes import Outcomes
from simulation.request import Request, WorkloadError
from simulation.router import ROUTES
from simulation.servegen import TRACE_ENDING, draw_client
from simulation.settings import EngineSettings
from simulation.traces import Trace, read_trace

out = Console()
# What is not the result goes to standard error, so that `--json -` prints JSON and nothing else.
told = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def add_examples(parser: argparse.ArgumentParser, examples: Sequence[str], notes: str = "") -> None:
    """What the help ends with; the examples run as printed, from the project's folder."""
    lines = [f"  python -m simulation {words}" for words in examples]
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(["examples:" if len(lines) > 1 else "example:", *lines]) + notes


def add_cost(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cost",
        required=True,
        metavar="PRESET_OR_JSON",
        help=f"step costs: a preset ({', '.join(preset_names())}) or a JSON file in microseconds with "
        "a (per step), b (per decoding sequence), c (per KV token), d (per prompt token), e (per chunk x context), and "
        "optionally overhead: {step, sequence, prompt_token}, mixed_c, knee_tokens, prefill_floor, sequence_table, "
        "token_table",
    )


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Every option's default is None: what is not given stays as it was."""
    group = parser.add_argument_group("engine")
    group.add_argument("--blocks", type=int, metavar="N", help="KV blocks as the engine reports them (no limit)")
    group.add_argument("--block-tokens", type=int, metavar="N", help="tokens in a block (16)")
    group.add_argument("--max-num-seqs", type=int, metavar="N", help="sequences that run at once (128)")
    group.add_argument("--max-num-batched-tokens", type=int, metavar="N", help="token budget of a step (2048)")
    group.add_argument("--long-prefill-tokens", type=int, metavar="N", help="largest chunk of one prompt (0: no limit)")
    switch = argparse.BooleanOptionalAction
    group.add_argument("--prefix-caching", action=switch, default=None, help="reuse blocks of equal prefixes (on)")
    group.add_argument("--chunked-prefill", action=switch, default=None, help="prompts in parts (on)")
    group.add_argument("--reserve-prompt", action=switch, default=None, help="admit whole prompts that fit only (on)")
    group.add_argument("--plan-ahead", action=switch, default=None, help="plan a step while the last one runs (on)")
    group.add_argument(
        "--noted-at-boundary", action=switch, default=None, help="arrivals as the engine noted them (validate, fit: on)"
    )
    group.add_argument("--step", action="store_true", help="take every step by itself, without event skipping (slow)")


def engine_settings(args: argparse.Namespace, base: EngineSettings) -> EngineSettings:
    """Raises WorkloadError for settings that no engine accepts."""
    given = {name: value for name in base.__slots__ if (value := getattr(args, name, None)) is not None}
    settings = replace(base, **given)
    try:
        settings.check()
    except ValueError as error:
        raise WorkloadError(str(error)) from None
    return settings


def add_trace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "trace",
        type=Path,
        metavar="TRACE",
        help=".csv or .jsonl: Azure 2023, Mooncake, an engine's record, a ServeGen client (NAME-trace.csv beside "
        "NAME-dataset.json), or your own with arrival_s, prompt_tokens, output_tokens (hash_ids, identity)",
    )
    group = parser.add_argument_group("workload")
    speed = group.add_mutually_exclusive_group()
    speed.add_argument("--speed", type=float, metavar="X", help="X times as fast as recorded")
    speed.add_argument("--rate", type=float, metavar="R", help="mean requests per second, gaps in proportion")
    group.add_argument("--limit", type=int, metavar="N", help="the first N requests only")
    group.add_argument("--hash-tokens", type=int, metavar="N", help="tokens a hash id stands for (as the format says)")
    group.add_argument("--seed", type=int, default=0, metavar="S", help="for what is drawn (ServeGen; 0)")
    group.add_argument("--from-s", type=float, metavar="T", help="ServeGen: start of the stretch (first active window)")
    group.add_argument(
        "--for-s", type=float, default=3600.0, metavar="T", help="ServeGen: its length in seconds (3600)"
    )


def load_trace(args: argparse.Namespace) -> Trace:
    path: Path = args.trace
    if path.name.endswith(TRACE_ENDING) and Path(str(path).removesuffix(TRACE_ENDING) + "-dataset.json").exists():
        trace = draw_client(path, args.seed, args.from_s, args.for_s)
    else:
        trace = read_trace(path, args.hash_tokens)
    if args.limit is not None:
        trace = trace.first(args.limit)
    if args.speed is not None:
        trace = trace.faster(args.speed)
    if args.rate is not None:
        trace = trace.at_rate(args.rate)
    return trace


def add_fleet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--route", choices=ROUTES, default="least-loaded", help="how requests are spread over engines")


def add_warm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--warm",
        type=Path,
        metavar="TRACE",
        help="start with the prompts of these earlier requests in the prefix cache",
    )


def verdict(args: argparse.Namespace) -> Console:
    """Where a line belongs that is part of the result, unless the result is JSON on standard output."""
    return told if str(args.json) == "-" else out


def load_warm(args: argparse.Namespace, trace: Trace) -> Sequence[Request]:
    """The requests of --warm.

    Raises:
        WorkloadError: its hash ids stand for other pieces of text than the trace's.
    """
    if args.warm is None:
        return ()
    warm = read_trace(args.warm, getattr(args, "hash_tokens", None))
    hashed = any(request.hash_ids for request in warm.requests) and any(request.hash_ids for request in trace.requests)
    if hashed and warm.hash_tokens != trace.hash_tokens:
        raise WorkloadError(
            f"{warm.path}: hash ids of {warm.hash_tokens} tokens, those of {trace.path} are of {trace.hash_tokens}; "
            "--warm needs earlier requests of the same trace"
        )
    return warm.requests if hashed else ()


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=new_file, metavar="OUT", help="write the result as JSON too (- prints it alone)")


def new_file(text: str) -> Path:
    """An option's type: a path that can be written, said before the work and not after it."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a directory" if path.is_dir() else f"there is no directory {path.parent}"
        raise argparse.ArgumentTypeError(f"{path}: cannot be written ({problem})")
    return path


def new_table(text: str) -> Path:
    """An option's type: a path that `write_table` can write."""
    if not text.endswith((".csv", ".jsonl")):
        raise argparse.ArgumentTypeError(f"{text}: tables are .csv or .jsonl files")
    return new_file(text)


def write_json(path: Path | None, data: Mapping[str, Any]) -> None:
    if path is None:
        return
    text = json.dumps(_finite(data), indent=1) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        write_text(path, text)


def _finite(value: Any) -> Any:
    """The same with null for what JSON has no number for, such as the rate of requests that came at once."""
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_text(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WorkloadError(f"{path}: cannot be written ({error.strerror})") from None


def write_table(path: Path, columns: Mapping[str, Any]) -> None:
    """Columns of equal length as .csv or .jsonl, by the file's name."""
    names = list(columns)
    rows = zip(*(values.tolist() if hasattr(values, "tolist") else values for values in columns.values()), strict=True)
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            if path.suffix == ".jsonl":
                file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
            else:
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows(rows)
    except OSError as error:
        raise WorkloadError(f"{path}: cannot be written ({error.strerror})") from None


def columns_of(seen: Outcomes) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in seen.__slots__}


def described(cost: CostModel, settings: EngineSettings) -> dict[str, Any]:
    """What a result rests on."""
    return {"cost": cost.name, "provenance": cost.provenance, "engine": asdict(settings)}


@contextmanager
def warnings_told() -> Iterator[None]:
    """Print extrapolations as one line each on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ExtrapolationWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        told.print(f"warning: {text}", style="yellow")
