"""`python -m bench soak`: does it leak, and does it lose anything?"""

import argparse
import json
import signal
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from bench import environment
from bench.children import NotStarted, proxy_before, stub_engine
from bench.crew import Crew, LoadFailed, Watch
from bench.soak import CAPACITY_SHARE, STORE_BYTES, Soaked, soak
from bench.summary import finite
from bench.tables import brief
from bench.worker import Progress

DESCRIPTION = """\
Starts a stub engine and the proxy, finds out how much it can do, and asks for half of that: 30 % repeated, half of it
streamed, 1 % of the clients leave in the middle, 1 % of the replies are reset by the engine. Exit status 1 if memory
grows after the warm-up, if there is an error that was not asked for, or if a connection is left in the end."""
EXAMPLE = """examples:
  python -m bench soak --minutes 10
  python -m bench soak --minutes 1 --rate 200"""

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minutes", type=float, default=10.0, metavar="M", help="(%(default)s)")
    parser.add_argument("--rate", type=float, metavar="R", help="requests per second (default: half of what it can do)")
    parser.add_argument(
        "--out", type=Path, default=Path("results/bench-soak.json"), metavar="FILE", help="(%(default)s)"
    )
    parser.add_argument("--note", default="", help="a line for the record")


def run(args: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, _end)
    tell = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if args.minutes <= 0 or (args.rate is not None and args.rate <= 0):
        tell.print("bench soak: --minutes and --rate must be above 0")
        return BAD_USAGE
    if sys.platform != "linux":
        tell.print("bench soak: this needs Linux, whose /proc tells memory and connections")
        return BAD_USAGE
    before = environment.load_average()
    try:
        with ExitStack() as stack, tell.status("starting") as status:

            def titled(title: str) -> Watch:
                return lambda told: status.update(f"{title}: {_words(told)}")

            stub = stack.enter_context(stub_engine())
            config = Path(stack.enter_context(tempfile.TemporaryDirectory()), "proxy.yaml")
            config.write_text(f"access_log: 'off'\nstore: {{max_bytes: {STORE_BYTES}}}\n")
            proxy = stack.enter_context(proxy_before(stub.url, config=config))
            crew = stack.enter_context(Crew())
            found = soak(proxy, stub, crew, seconds=60 * args.minutes, rate_per_s=args.rate, model="stub", tell=titled)
            interrupted = crew.interrupted
    except (NotStarted, LoadFailed) as error:
        tell.print(f"bench soak: {error}")
        return BAD_USAGE
    except KeyboardInterrupt:
        tell.print("bench soak: interrupted")
        return INTERRUPTED
    show(found)
    report = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "note": args.note,
        "minutes": args.minutes,
        "machine": environment.machine(),
        "load_average": {"before": before, "after": environment.load_average()},
        **found.as_json(),
    }
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(finite(report), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        tell.print(f"bench soak: {args.out}: {error.strerror}")
        return BAD_USAGE
    tell.print(f"record: {args.out}")
    broken = found.broken()
    for text in broken:
        tell.print(f"FAILED: {text}")
    if interrupted:
        tell.print("interrupted; above is what was measured")
        return INTERRUPTED
    return FAILED if broken else 0


def show(found: Soaked) -> None:
    console = Console(highlight=False, soft_wrap=True)
    tally, samples = found.tally, found.measured
    if found.capacity_per_s:
        console.print(f"it can do {found.capacity_per_s:,.0f} requests/s; asked for {CAPACITY_SHARE:.0%} of that")
    minutes = tally.elapsed_s / 60
    console.print(f"{found.rate_per_s:,.0f} requests/s for {minutes:.1f} min: {tally.done:,} answers")
    console.print(f"outcomes: {_counts(tally.outcomes)}")
    console.print(f"failures: {_counts(tally.injected)} as asked for; not asked for: {_counts(tally.errors)}")
    whole = tally.whole("e2e")
    console.print(f"end to end: p50 {brief(whole.quantile(0.5) / 1e3)} ms, p99 {brief(whole.quantile(0.99) / 1e3)} ms")
    if samples:
        told = f"{found.before.rss_mb:.1f} before, {samples[0].rss_mb:.1f} warm, {samples[-1].rss_mb:.1f} at the end"
        console.print(f"memory, MB: {told}; slope after the warm-up {found.slope_mb_per_min:+.3f} a minute")
    for word, one in (("before", found.before), ("after", found.after)):
        console.print(f"held {word}: {one.sockets} connections, {one.files} open files")
    console.print(f"engine: {found.engine}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {word}" for word, count in counts.items()) or "none"


def _words(told: Progress) -> str:
    return f"{sum(told.outcomes.values()):,} answers, {told.errors:,} errors"


def _end(number: int, frame: object) -> None:
    """Ending by SIGTERM ends the child processes as well."""
    raise KeyboardInterrupt
