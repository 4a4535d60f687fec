"""`python -m evaluation check`: are the recorded numbers, and the evidence of the shipped policy, still true?"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.commands.options import add_embedder, out
from evaluation.commands.study import as_json, study_of
from evaluation.dataset import DataError
from evaluation.embedders import ROWS
from evaluation.sets import FAMILIES, QUICK, SHIPPED, shipped
from policies.load import load_policies

NAME = "check"
HELP = "score the shipped sets again and compare every count with the recorded one; exit 1 if one differs"
EXAMPLE = "example: python -m evaluation check --against results/evaluation.json"

TOLERANCE = 2
"""Lookups by which a count may differ where another CPU or model file made the vectors."""
_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--against",
        type=Path,
        default=Path("results/evaluation.json"),
        metavar="FILE",
        help="a result of `python -m evaluation` (results/evaluation.json)",
    )
    parser.add_argument("--all", action="store_true", help=f"all shipped sets, not only {', '.join(QUICK)}")
    add_embedder(parser)


def run(args: argparse.Namespace) -> int:
    recorded = read_result(args.against)
    wanted = (*SHIPPED, FAMILIES) if args.all else QUICK
    sets = [shipped(name) for name in wanted if name in recorded["sets"]]
    study, embedders = study_of(sets, load_policies(None), args.embedder)
    computed = as_json(study, sets, embedders["minilm"])
    same_machine = all(recorded[name] == computed[name] for name in ("cpu", "embedder"))
    out.print(
        f"recorded on {recorded['cpu']}, {recorded['embedder']}\nchecked on {computed['cpu']}, {computed['embedder']}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    found = list(differences(recorded, computed, 0 if same_machine else TOLERANCE))
    found += unproven(getattr(embedders["minilm"].embedder, "weights_sha256", None))
    for line in found[:_SHOWN]:
        out.print(line, highlight=False, markup=False, soft_wrap=True)
    if len(found) > _SHOWN:
        out.print(f"… and {len(found) - _SHOWN} more", highlight=False)
    if found:
        out.print("write the new numbers with `python -m evaluation` and `python -m evaluation calibrate`")
        return 1
    names = ", ".join(one.name for one in sets)
    out.print(f"{args.against}: every count on {names} is the same", highlight=False, markup=False, soft_wrap=True)
    return 0


def differences(recorded: Mapping[str, Any], computed: Mapping[str, Any], tolerance: int) -> Iterator[str]:
    """One line for each count that differs. Lexical rows are exact arithmetic and have no tolerance."""
    exact = {row.name for row in ROWS if row.exact_arithmetic}
    for row, cells in computed["rows"].items():
        for name, cell in cells.items():
            before = recorded["rows"].get(row, {}).get(name)
            if before is None:
                yield f"{row}, {name}: not recorded"
                continue
            allowed = 0 if row in exact else tolerance
            counted, told = dict(counts(cell)), dict(counts(before))
            for place in sorted(counted.keys() | told.keys()):
                one, other = told.get(place), counted.get(place)
                if one is None or other is None or abs(one - other) > allowed:
                    yield f"{row}, {name}, {place}: recorded {one}, computed {other}"


def counts(cell: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, int]]:
    """Every count of a cell by its place; curves and thresholds, which follow from them, are left out."""
    for key, value in cell.items():
        place = f"{where}.{key}" if where else key
        if isinstance(value, dict) and key != "histogram":
            yield from counts(value, place)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield place, value


def unproven(embedder_sha256: str | None) -> list[str]:
    """What is wrong with the evidence of the shipped policy."""
    return [str(warning) for warning in load_policies(None, embedder_sha256=embedder_sha256).warnings]


def read_result(path: Path) -> Any:
    """Raises DataError."""
    try:
        found = json.loads(path.read_bytes())
        if found["rows"] and found["sets"]:
            return found
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; write it with `python -m evaluation`") from None
    except (ValueError, KeyError, TypeError):
        pass
    raise DataError(f"{path}: not a result of `python -m evaluation`; write it anew")
