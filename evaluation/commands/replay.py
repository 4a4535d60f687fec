"""`python -m evaluation replay`: what a policy would have done with recorded requests."""

import argparse
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.commands.options import (
    add_embedder,
    add_json,
    add_policies,
    add_skip_bad,
    load_embedder,
    load_vectors,
    make_vectors,
    out,
    progress,
    read_policies,
    tell_skipped,
    write_json,
)
from evaluation.dataset import DataError
from evaluation.replay import Replay, Replayed, Saved, read_trace
from proxy.openai import prompt_text

NAME = "replay"
HELP = "what a policy would have done with recorded requests; nothing is asked upstream"
EXAMPLE = """example: python -m evaluation replay trace.jsonl --policies my-policies.yaml

rows, JSONL; only t (seconds) and body are needed:
  {"t": 0.0, "body": {"model": "m", "temperature": 0, "messages": [{"role": "user", "content": "capital of Peru"}]}}
  {"t": 1.5, "path": "/v1/chat/completions", "tenant": "acme", "headers": {"cache-control": "no-cache"}, "body": {…},
   "upstream_s": 2.1, "usage": {"prompt_tokens": 12, "completion_tokens": 40}}"""

_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("trace", type=Path, metavar="TRACE", help="recorded requests, JSONL")
    add_skip_bad(parser)
    add_policies(parser)
    parser.add_argument("--show", action="store_true", help=f"also the first {_SHOWN} semantic hits, with their texts")
    add_embedder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policies = read_policies(args.policies)
    trace, skipped = read_trace(args.trace, skip_bad=args.skip_bad)
    tell_skipped(skipped)
    if not trace:
        raise DataError(f"{args.trace}: no request in it")
    vectors = load_vectors(load_embedder(args.embedder))
    replay = Replay(policies, vectors)
    with progress() as bar:
        make_vectors(vectors, replay.texts(trace), bar)
        bar.start("replaying", len(trace))
        saved, rows = replay.run(trace, bar.at)
    reasons = Counter(str(row.reason) for row in rows if row.reason)
    if str(args.json) != "-":
        out.print(table(saved, reasons))
        if args.show:
            out.print(hits([(one.payload, row) for one, row in zip(trace, rows, strict=True)]))
    write_json(args.json, {**asdict(saved), "not_looked_up": dict(reasons), "families": _by_family(rows)})
    return 0


def table(saved: Saved, reasons: Mapping[str, int]) -> Table:
    shown = Table("", title=f"{saved.requests:,} requests", title_justify="left")
    for how in ("requests", "share"):
        shown.add_column(how, justify="right")
    for how, what in (
        ("exact", "exact hits"),
        ("semantic", "semantic hits"),
        ("shared", "shared a generation"),
        ("generated", "generations"),
        ("other", "passed through"),
    ):
        count = saved.by_how.get(how, 0)
        shown.add_row(what, f"{count:,}", f"{count / saved.requests:.1%}")
    shown.add_section()
    for what, part, whole in (
        ("prompt tokens saved", saved.saved_prompt_tokens, saved.prompt_tokens),
        ("completion tokens saved", saved.saved_completion_tokens, saved.completion_tokens),
        ("upstream seconds saved", saved.saved_upstream_s, saved.upstream_s),
    ):
        shown.add_row(what, f"{part:,.0f}", f"{part / whole:.1%}" if whole else "-")
    if reasons:
        shown.caption = "not looked up: " + ", ".join(f"{why} {count:,}" for why, count in reasons.items())
        shown.caption_justify = "left"
    return shown


def hits(rows: list[tuple[Mapping[str, Any], Replayed]]) -> Table:
    """To be judged by eye: a trace has no labels."""
    shown = Table("similarity", "asked", "served the answer to", title="Semantic hits", title_justify="left")
    found = [(prompt_text(dict(payload)), row) for payload, row in rows if row.how == "semantic"]
    for text, row in found[:_SHOWN]:
        shown.add_row(f"{row.similarity:.3f}", text, row.served_from)
    return shown


def _by_family(rows: list[Replayed]) -> dict[str, dict[str, int]]:
    counted: dict[str, Counter[str]] = {}
    for row in rows:
        counted.setdefault(row.family or "other", Counter())[row.how] += 1
    return {family: dict(counts) for family, counts in sorted(counted.items())}
