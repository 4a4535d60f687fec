"""`python -m bench [WORKLOAD …]`: the load test."""

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bench import environment, page, session, summary, tables
from bench.children import NotStarted, llamacpp_engine, proxy_before, stub_engine
from bench.client import BadUrl, root_of
from bench.client import Target as Address
from bench.commands.watch import watcher
from bench.crew import Crew, LoadFailed
from bench.environment import Unreachable
from bench.load import Loop
from bench.session import DIRECT, PROXY, Case, Settings, Target
from bench.tally import Slo
from bench.workloads import SEMANTIC_POLICIES, Burst, Paraphrase, Recorded, Users, Workload, Zipf
from simulation.request import WorkloadError

DESCRIPTION = """\
Load test of a running proxy, or of one it starts in front of a stub engine (--stub).

workloads, one or several:
  burst        80 requests over 4 prompts, of which the fourth repeats the first; 16 in flight
  users        50 users who ask, read and ask again; all was asked before, or a share of it: users:0.3
  zipf         the same over 1,000 prompts, of which few are asked often
  stream       the same as users:0.3, streamed
  paraphrase   answered questions in other words: semantic hits, where a family has them
  trace FILE   a recorded load at its own times: Azure .csv, Mooncake .jsonl, or arrival_s, prompt_tokens, output_tokens

With --rate, requests are due at their times whatever the answers do, and are timed from then on."""
EXAMPLE = """examples:
  python -m bench --stub
  python -m bench users:1 users:0.3 --base-url http://127.0.0.1:8080 --direct http://127.0.0.1:8000
  python -m bench zipf --rate 200 --slo ttft=200,e2e=2000 --seconds 30"""

WORKLOADS = ("burst", "users", "zipf", "stream", "paraphrase", "trace")
DEFAULT_WORKLOADS = ["burst", "users"]
DEFAULT_URL = "http://127.0.0.1:8080"
SECONDS, STUB_SECONDS = 10.0, 5.0
REPEATS = 3
BURST_REQUESTS = 80
USERS = {"burst": 16, "users": 50, "zipf": 50, "stream": 32, "paraphrase": 8, "trace": 1}
STREAM_REPEAT_SHARE = 0.3
STUB_PACE = " [[stub: chunk-ms=5]]"
FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130


class BadUsage(ValueError):
    """Options that do not go together, or a workload nobody knows; the message says what to write."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="see above (default: burst users)")
    where = parser.add_argument_group("where")
    where.add_argument("--base-url", metavar="URL", help=f"the proxy, with or without /v1 (default: {DEFAULT_URL})")
    where.add_argument("--stub", action="store_true", help="start a stub engine and a proxy, and check exact counts")
    where.add_argument(
        "--llamacpp", type=Path, metavar="GGUF", help="start llama.cpp's server with this model, and a proxy before it"
    )
    where.add_argument(
        "--direct",
        nargs="?",
        const="",
        metavar="URL",
        help="the same against the engine (no URL if started here)",
    )
    where.add_argument("--model", metavar="NAME", help="default: the first in /v1/models")
    where.add_argument("--api-key-env", metavar="NAME", help="variable that holds the key to send")
    where.add_argument("--policies", type=Path, metavar="FILE", help="families of the proxy that is started here")
    what = parser.add_argument_group("what is asked")
    what.add_argument("--users", type=int, metavar="N", help="requests in flight in a closed loop (by workload)")
    what.add_argument("--rate", type=float, metavar="R", help="open loop: requests per second")
    what.add_argument(
        "--arrivals", choices=("poisson", "fixed"), default="poisson", help="of --rate (default: poisson)"
    )
    what.add_argument("--requests", type=int, metavar="N", help="end after so many (burst: 80)")
    what.add_argument(
        "--seconds", type=float, metavar="S", help=f"or after so long ({SECONDS:g}; --stub {STUB_SECONDS:g})"
    )
    what.add_argument("--stream", action="store_true", help="stream every workload")
    what.add_argument("--max-tokens", type=int, default=128, metavar="N", help="of an answer (default: %(default)s)")
    what.add_argument("--prompt-words", type=int, default=40, metavar="N", help="of a prompt (default: %(default)s)")
    what.add_argument(
        "--repeat-share", type=float, metavar="P", help="share of repeated prompts (users 1.0, stream 0.3)"
    )
    what.add_argument("--distinct", type=int, metavar="N", help="prompts that are repeated (users 20, zipf 1000)")
    what.add_argument("--exponent", type=float, default=1.0, metavar="S", help="of zipf (default: %(default)s)")
    what.add_argument("--speed", type=float, default=1.0, metavar="X", help="play a trace X times as fast")
    what.add_argument(
        "--prompt-limit", type=int, default=2048, metavar="N", help="longest prompt of a trace, in tokens"
    )
    what.add_argument("--output-limit", type=int, default=256, metavar="N", help="longest answer of a trace, in tokens")
    what.add_argument("--no-coalesce", action="store_true", help="ask the proxy to share no flight")
    what.add_argument("--seed", type=int, default=0, metavar="N")
    how = parser.add_argument_group("how it is measured")
    how.add_argument("--warmup", type=int, default=16, metavar="N", help="requests before anything counts (16)")
    how.add_argument("--repeat", type=int, metavar="N", help=f"runs of each workload ({REPEATS}; with --stub 1)")
    how.add_argument("--processes", type=int, default=1, choices=(1, 2), help="load processes (default: 1)")
    how.add_argument("--timeout", type=float, default=300.0, metavar="S", help="of one request (default: %(default)s)")
    how.add_argument(
        "--slo", type=slo, default=Slo(), metavar="LIMITS", help="in ms, such as ttft=200,tpot=50,e2e=2000"
    )
    out = parser.add_argument_group("what is written")
    out.add_argument("--results", type=Path, default=Path("results"), metavar="DIR", help="where the report goes")
    out.add_argument("--name", default="bench", help="NAME.json, NAME.html and NAME/*.png (default: %(default)s)")
    out.add_argument("--no-report", action="store_true", help="write no files")
    out.add_argument("--json", metavar="OUT", help="the figures as JSON; - is standard output, and no tables then")
    out.add_argument("--note", default="", help="a line for the report")


def slo(text: str) -> Slo:
    """`ttft=200,e2e=2000`, in milliseconds."""
    limits: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            limits[f"{name.strip()}_ms"] = float(value)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{part}: write NAME=MILLISECONDS") from None
    unknown = limits.keys() - set(Slo.__slots__)
    if unknown:
        names = ", ".join(name.removesuffix("_ms") for name in Slo.__slots__)
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown)).replace('_ms', '')}: known are {names}")
    return Slo(**limits)


def run(args: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, _end)
    tell = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    try:
        check(args)
        cases = cases_of(args)
        with contextlib.ExitStack() as stack:
            report, sections, interrupted = _measure(args, cases, stack)
    except (BadUsage, BadUrl, WorkloadError, Unreachable, NotStarted, LoadFailed) as error:
        tell.print(f"bench: {error}")
        return BAD_USAGE
    except KeyboardInterrupt:
        tell.print("bench: interrupted before anything was measured")
        return INTERRUPTED
    if args.json != "-":
        show(report)
    broken = session.broken_promises(sections) if args.stub and not args.no_coalesce else []
    if args.json == "-":
        sys.stdout.write(page.json_text(report))
    try:
        if args.json and args.json != "-":
            Path(args.json).write_text(page.json_text(report), encoding="utf-8")
        if not args.no_report and report["sections"]:
            tell.print(f"report: {page.write(report, args.results, args.name)}")
    except OSError as error:
        tell.print(f"bench: {error.filename}: {error.strerror}")
        return BAD_USAGE
    for text in broken:
        tell.print(f"FAILED: {text}")
    if interrupted:
        tell.print("interrupted; above is what was measured")
        return INTERRUPTED
    failed = broken or (
        args.stub and any(target["errors"] for one in report["sections"] for target in one["targets"].values())
    )
    return FAILED if failed else 0


def check(args: argparse.Namespace) -> None:
    """Raises BadUsage for what no run can mean."""
    started = args.stub or args.llamacpp
    if args.stub and args.llamacpp:
        raise BadUsage("--stub and --llamacpp each start an engine; give one of them")
    if started and args.base_url:
        raise BadUsage("--stub and --llamacpp start their own proxy; leave out --base-url")
    if args.llamacpp and not args.llamacpp.is_file():
        raise BadUsage(f"{args.llamacpp}: no such file")
    if args.policies and not started:
        raise BadUsage("--policies is for a proxy that --stub or --llamacpp starts; a running one has its own")
    if args.direct == "" and not started:
        raise BadUsage("--direct needs the engine's URL")
    for name in (
        "users",
        "requests",
        "seconds",
        "rate",
        "repeat",
        "max_tokens",
        "prompt_words",
        "distinct",
        "speed",
        "timeout",
    ):
        value = getattr(args, name)
        if value is not None and value <= 0:
            raise BadUsage(f"--{name.replace('_', '-')} is {value:g}; it must be above 0")
    if args.repeat_share is not None and not 0 <= args.repeat_share <= 1:
        raise BadUsage(f"--repeat-share is {args.repeat_share:g}; it is a share, from 0 to 1")
    if args.warmup < 0:
        raise BadUsage(f"--warmup is {args.warmup}; it must not be negative")
    if args.api_key_env and args.api_key_env not in os.environ:
        raise BadUsage(f"--api-key-env: {args.api_key_env} is not set")
    for url in filter(None, (args.base_url, args.direct)):
        Address(url)


def cases_of(args: argparse.Namespace) -> list[Case]:
    """The cases that the words of the command line name.

    Raises:
        BadUsage: an unknown workload, or `trace` without a file.
    """
    words = iter(args.workloads or DEFAULT_WORKLOADS)
    cases = []
    for words_share in words:
        word, _, share = words_share.partition(":")
        if word not in WORKLOADS:
            raise BadUsage(f"no workload is called {word}; there are {', '.join(WORKLOADS)}")
        path = next(words, None) if word == "trace" else None
        if word == "trace" and path is None:
            raise BadUsage("write the file after trace: python -m bench trace FILE")
        cases.append(_case(word, args, path, _share(word, share) if share else args.repeat_share))
    return cases


def _share(word: str, share: str) -> float:
    if word not in ("users", "stream"):
        raise BadUsage(f"{word} takes no share")
    try:
        found = float(share)
    except ValueError:
        raise BadUsage(f"{word}:{share}: write the share as a number, such as {word}:0.3") from None
    if not 0 <= found <= 1:
        raise BadUsage(f"{word}:{share}: it is a share, from 0 to 1")
    return found


def _case(word: str, args: argparse.Namespace, path: str | None, share: float | None) -> Case:
    words = args.prompt_words
    workload: Workload
    seconds: float | None = args.seconds or (STUB_SECONDS if args.stub else SECONDS)
    requests: int | None = args.requests
    match word:
        case "burst":
            workload = Burst(words)
            requests = requests or BURST_REQUESTS
        case "zipf":
            workload = Zipf(args.distinct or Zipf().distinct, args.exponent, words)
        case "paraphrase":
            workload = Paraphrase()
        case "trace":
            assert path is not None
            workload = Recorded(Path(path), args.speed, args.prompt_limit, args.output_limit)
            next(workload.prompts(0))  # a file that can't be read is told before anything starts
            requests = requests or sys.maxsize
        case _:
            share = share if share is not None else STREAM_REPEAT_SHARE if word == "stream" else 1.0
            workload = Users(share, args.distinct or Users().distinct, words, word)
    if requests is not None:
        seconds = args.seconds
    loop = Loop(args.users or USERS[word], args.rate, args.arrivals == "fixed", requests, seconds)
    return Case(workload, loop, args.stream or word == "stream")


def _measure(
    args: argparse.Namespace, cases: list[Case], stack: contextlib.ExitStack
) -> tuple[dict[str, Any], list[session.Section], bool]:
    tell = Console(stderr=True, highlight=False, soft_wrap=True)
    key = {"authorization": f"Bearer {os.environ[args.api_key_env]}"} if args.api_key_env else {}
    url, direct = args.base_url or DEFAULT_URL, args.direct
    count: Callable[[], int] | None = None
    if args.stub or args.llamacpp:
        engine = stack.enter_context(stub_engine() if args.stub else llamacpp_engine(args.llamacpp))
        url = stack.enter_context(proxy_before(engine.url, "--access-log", "off", *_policies(args, cases))).url
        direct = engine.url if direct is not None else None
        count = partial(environment.generations, engine.url) if args.stub else None
    model = args.model or environment.first_model(url, key)
    bypass = {"x-askonce-bypass": "share"} if args.no_coalesce else {}
    targets = [Target(PROXY, root_of(url), {**key, **bypass})]
    if direct:
        environment.first_model(direct, key)
        targets.append(Target(DIRECT, root_of(direct), key))
    settings = Settings(
        model,
        args.max_tokens,
        args.warmup,
        args.repeat or (1 if args.stub else REPEATS),
        args.seed,
        args.slo,
        args.timeout,
        STUB_PACE if args.stub else "",
    )
    report: dict[str, Any] = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        # Without the folders of this machine.
        "command": [
            "python",
            "-m",
            "bench",
            *(Path(word).name if word.startswith("/") else word for word in sys.argv[1:]),
        ],
        "note": args.note,
        "engine": environment.engine(direct or url, model, key),
        "model": model,
        "machine": environment.machine(),
        "load_average": {"before": environment.load_average()},
        "warmup": settings.warmup,
        "repeats": settings.repeats,
        "coalesce": not args.no_coalesce,
        "slo": {name: getattr(args.slo, name) for name in Slo.__slots__},
    }
    crew = stack.enter_context(Crew(args.processes))
    report["client"] = {"processes": args.processes, "floor_us": crew.floor_us()}
    with _progress(tell) as progress:
        sections = session.run_cases(cases, targets, settings, crew, watcher(progress), count)
    report["load_average"]["after"] = environment.load_average()
    report["sections"] = [figures for one in sections if (figures := summary.section_figures(one))["targets"]]
    families = {name for one in report["sections"] for target in one["targets"].values() for name in target["families"]}
    report["families"] = sorted(families)
    report["warnings"] = summary.warnings(
        report["sections"], report["load_average"]["before"], report["machine"]["cores"]
    )
    return report, sections, crew.interrupted


def _policies(args: argparse.Namespace, cases: list[Case]) -> list[str]:
    """The families of a proxy that is started here: what was given, or what the workload needs, or the defaults."""
    policies = args.policies
    if policies is None and any(isinstance(case.workload, Paraphrase) for case in cases):
        policies = SEMANTIC_POLICIES
    return ["--policies", str(policies)] if policies else []


def show(report: dict[str, Any]) -> None:
    console = Console(highlight=False)
    for line in tables.head_lines(report):
        console.print(line, markup=False, soft_wrap=True)
    for table in tables.tables(report):
        console.print("", table)
    for text in report["warnings"]:
        console.print(f"[bold red]![/] {text}", soft_wrap=True)


@contextlib.contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield progress


def _end(number: int, frame: object) -> None:
    """Ending by SIGTERM ends the child processes as well."""
    raise KeyboardInterrupt
