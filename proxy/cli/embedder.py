"""`python -m proxy embedder`: what the embedder is, and another packing of the packaged weights."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from proxy.cache.embedder import Embedder, EmbedderUnavailable
from proxy.cache.embedder_loader import PACKAGED_MODEL, built_folder, embedder_loader
from proxy.cache.embedder_repack import repack

HELP = "Say what the embedder is (info), or re-pack its weights by blocks (build)."


def configure(parser: argparse.ArgumentParser) -> None:
    """The two actions and their options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = """examples:
  python -m proxy embedder info
  python -m proxy embedder build                    another packing, for who has evidence about it
  python -m proxy embedder info --sha256 SHA256     of what `build` made"""
    actions = parser.add_subparsers(dest="action", required=True)
    info = actions.add_parser("info", help="load the embedder and print its identity")
    info.add_argument("--model", default=PACKAGED_MODEL, help="the packaged model, or a folder with a model.onnx")
    info.add_argument("--sha256", help="of a file made by `build`")
    build = actions.add_parser("build", help="re-pack the packaged weights by blocks (needs onnx and onnx-ir)")
    build.add_argument("--output", type=Path, help="folder to write to, instead of the cache folder")
    for action in (info, build):
        action.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """0 if it did what was asked, 1 if it can't."""
    try:
        report = _build(arguments.output) if arguments.action == "build" else _info(arguments.model, arguments.sha256)
    except EmbedderUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(report))
        return 0
    width = max(map(len, report))
    for name, value in report.items():
        print(f"{name:<{width}}  {value}")
    return 0


def _info(model: str, sha256: str | None) -> dict[str, object]:
    return _describe(embedder_loader("packaged", model=model, sha256=sha256)())


def _build(output: Path | None) -> dict[str, object]:
    # What these load, the other commands must not wait for.
    from rich.console import Console

    from proxy.cache.embedder_check import REHEARSAL
    from proxy.cache.embedder_fastembed import file_sha256, packaged_weights

    source = packaged_weights()
    with Console(stderr=True).status("re-packing"), tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "model.onnx"
        repack(source, made)
        sha256 = file_sha256(made)
        folder = output or built_folder(sha256)
        folder.mkdir(parents=True, exist_ok=True)
        # Written beside its place and renamed, so that a proxy starting meanwhile sees a whole file or none.
        beside = folder / ".model.onnx.new"
        beside.write_bytes(made.read_bytes())
        beside.replace(folder / "model.onnx")
    embedder = embedder_loader("packaged", model=str(folder), sha256=sha256)()
    before = embedder_loader("packaged")().embed(REHEARSAL)
    cosines = (before * embedder.embed(REHEARSAL)).sum(axis=1)
    model = PACKAGED_MODEL if output is None else str(folder)
    return {
        "file": str(folder / "model.onnx"),
        "bytes": (folder / "model.onnx").stat().st_size,
        **_describe(embedder),
        "cosine to the packaged embedder": round(float(cosines.min()), 5),
        "settings": f"embedder: {{model: {model}, sha256: '{sha256}'}}",
    }


def _describe(embedder: Embedder) -> dict[str, object]:
    return {
        "identity": embedder.identity,
        "sha256": getattr(embedder, "weights_sha256", ""),
        "dimensions": embedder.dimensions,
        "window": embedder.window,
    }
