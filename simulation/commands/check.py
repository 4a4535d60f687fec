"""`python -m simulation check`: are the recorded numbers still what the code computes?"""

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simulation.commands.options import add_examples, out
from simulation.commands.study import add_jobs, with_progress
from simulation.request import WorkloadError
from simulation.study import parameters_of

NAME = "check"
HELP = "run the recorded study again and compare every number; exit 1 if one differs"
EXAMPLES = ("check --against results/simulation.json",)

# Recorded are six digits; another machine's exp and log may round the last bit of a draw differently.
_RELATIVE = 1e-5
_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(parser, EXAMPLES)
    parser.add_argument(
        "--against",
        type=Path,
        default=Path("results/simulation.json"),
        metavar="FILE",
        help="a study's result file (results/simulation.json)",
    )
    add_jobs(parser)


def run(args: argparse.Namespace) -> int:
    recorded = _read(args.against)
    try:
        parameters = parameters_of(recorded["parameters"])
    except (KeyError, TypeError, AttributeError):
        raise WorkloadError(f"{args.against}: not a study's result; write one with `python -m simulation`") from None
    study = with_progress(parameters, args.jobs)
    if not study.whole:
        out.print("interrupted; nothing was compared", highlight=False)
        return 130
    found = list(differences(recorded, study.as_json(), ""))
    for line in found[:_SHOWN]:
        out.print(line, highlight=False, markup=False, soft_wrap=True)
    if len(found) > _SHOWN:
        out.print(f"… and {len(found) - _SHOWN} more", highlight=False)
    failed = [one.name for one in study.published if not one.within]
    for name in failed:
        out.print(f"{name}: the published value is not reproduced", highlight=False, markup=False)
    if found or failed:
        return 1
    out.print(f"{args.against}: all {_numbers(recorded):,} numbers are the same", highlight=False, markup=False)
    return 0


def differences(recorded: Any, computed: Any, where: str) -> Iterator[str]:
    """One line for each place where two plain values differ, named like `points[3].p95_s.mean`."""
    if isinstance(recorded, dict) and isinstance(computed, dict):
        for key in sorted(recorded.keys() | computed.keys()):
            place = f"{where}.{key}" if where else key
            if key not in recorded or key not in computed:
                yield f"{place}: only in what was {'recorded' if key in recorded else 'computed'}"
            else:
                yield from differences(recorded[key], computed[key], place)
    elif isinstance(recorded, list) and isinstance(computed, list):
        if len(recorded) != len(computed):
            yield f"{where}: {len(recorded)} recorded, {len(computed)} computed"
        for at, (one, other) in enumerate(zip(recorded, computed, strict=False)):
            yield from differences(one, other, f"{where}[{at}]")
    elif _number(recorded) and _number(computed):
        if not math.isclose(recorded, computed, rel_tol=_RELATIVE, abs_tol=1e-6):
            yield f"{where}: recorded {recorded:g}, computed {computed:g}"
    elif recorded != computed:
        yield f"{where}: recorded {recorded!r}, computed {computed!r}"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(value: Any) -> int:
    if isinstance(value, dict):
        return sum(_numbers(one) for one in value.values())
    if isinstance(value, list):
        return sum(_numbers(one) for one in value)
    return int(_number(value))


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise WorkloadError(f"{path}: {error.strerror}; write it with `python -m simulation`") from None
    except ValueError:
        raise WorkloadError(f"{path}: not JSON; write it anew with `python -m simulation`") from None
