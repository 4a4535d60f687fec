"""Options that several subcommands share, and how they speak."""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from evaluation.dataset import DataError, Lookup, load
from evaluation.score import Scorer
from evaluation.scored import Scored
from evaluation.vectors import Vectors, cache_folder
from policies.load import load_policies
from policies.model import PolicySet
from proxy.cache.embedder import Embedder
from proxy.cache.embedder_loader import PACKAGED_MODEL, embedder_loader

FORMATS = """rows, JSONL or CSV, of one file in any mixture:
  {"id": "p1", "a": "capital of Peru", "b": "Peru's capital", "same": 1}
  {"role": "cached", "family": "f", "key": 7, "prompt": "…"} and
  {"role": "lookup", "family": "f", "key": 7, "prompt": "…", "expect": "hit"} (or "miss", without a key)
  {"id": "c1", "cached_messages": [{"role": "user", "content": "…"}],
   "probe_messages": [{"role": "user", "content": "…"}], "same": 0}"""

out = Console()


def stderr() -> Console:
    """For what is not the result: progress, warnings."""
    return Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def add_policies(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--policies", type=Path, metavar="FILE", help="families, their thresholds and guards (the packaged file)"
    )


def add_data(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        action="append",
        required=required,
        metavar="FILE_OR_DIR",
        help="labelled rows, .jsonl or .csv; a folder means all in it; may be given several times",
    )
    add_skip_bad(parser)


def add_skip_bad(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--skip-bad", action="store_true", help="leave rows out that can't be used, and say how many")


def add_embedder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--embedder",
        default=PACKAGED_MODEL,
        metavar="NAME_OR_FOLDER",
        help="another of fastembed's models, or a folder with a model.onnx (the packaged MiniLM)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the result as JSON (- prints it alone)")


def read_policies(path: Path | None) -> PolicySet:
    """Raises PolicyError. Evidence is not judged here: this package makes it."""
    return load_policies(path)


def read_data(paths: Sequence[Path], *, skip_bad: bool) -> list[Lookup]:
    """Raises DataError; with `skip_bad` it says how many rows were left out, and which were the first."""
    lookups, skipped = load(paths, skip_bad=skip_bad)
    tell_skipped(skipped)
    if not lookups:
        raise DataError(f"{', '.join(map(str, paths))}: no lookup to score")
    return lookups


def tell_skipped(skipped: Sequence[str], shown: int = 5) -> None:
    if skipped:
        told = stderr()
        told.print(f"{len(skipped)} bad row{'s' * (len(skipped) != 1)} left out:")
        for line in skipped[:shown]:
            told.print(f"  {line}")
        if len(skipped) > shown:
            told.print(f"  … and {len(skipped) - shown} more")


def load_embedder(name: str) -> Embedder:
    """Raises EmbedderUnavailable."""
    if name == PACKAGED_MODEL:
        return embedder_loader("packaged")()
    weights = Path(name) / "model.onnx"
    if weights.is_file():
        return embedder_loader("packaged", model=name, sha256=hashlib.sha256(weights.read_bytes()).hexdigest())()
    return embedder_loader("fastembed", model=name)()


def load_vectors(embedder: Embedder) -> Vectors:
    return Vectors(embedder, cache_folder())


def make_vectors(vectors: Vectors, texts: set[str], bar: "Bar") -> None:
    """What is missing is made; Ctrl-C keeps what is done."""
    bar.start("embedding", None)
    vectors.make(texts, lambda done, total: bar.at(done, total))


def score_all(scorer: Scorer, vectors: Vectors, lookups: Sequence[Lookup]) -> list[Scored]:
    """Vectors and scores, with progress."""
    with progress() as bar:
        make_vectors(vectors, scorer.texts(lookups), bar)
        bar.start("scoring", len(lookups))
        return scorer.score(lookups, bar.at)


class Bar:
    """One line of progress on standard error."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task = bars.add_task("", total=None)

    def start(self, what: str, total: int | None) -> None:
        self._bars.update(self._task, description=what, total=total, completed=0)

    def at(self, done: int, total: int | None = None) -> None:
        if total is None:
            self._bars.update(self._task, completed=done)
        else:
            self._bars.update(self._task, completed=done, total=total)


@contextmanager
def progress() -> Iterator[Bar]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield Bar(bars)


def write_json(path: Path | None, data: Mapping[str, Any]) -> None:
    if path is not None:
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        if str(path) == "-":
            sys.stdout.write(text)
        else:
            write_text(path, text)


def write_text(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None
