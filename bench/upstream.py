"""A stub engine: deterministic, OpenAI-compatible, and able to fail in every way a real one can.

It answers chat and completions, plain and streamed, prompt arrays, embeddings and model lists, and tells its counters
at /stats. Answers depend on the request alone. A marker such as [[stub: status=503]] in a prompt makes it fail.
"""

import argparse
import asyncio
import json
import signal
import sys
from typing import Any

import uvloop

from bench.stub_engine import StubEngine as StubEngine
from bench.stub_script import OPTIONS
from bench.stub_server import StubUpstream as StubUpstream


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM."""
    options = "\n".join(f"  {name:18} {text}" for name, text in OPTIONS.items())
    epilog = f"options of a marker, [[stub: NAME=VALUE …]]:\n{options}\n\nexample: python -m bench.upstream --port 9100"
    parser = argparse.ArgumentParser(
        prog="python -m bench.upstream",
        description=__doc__,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9100, help="0 takes a free one (default: %(default)s)")
    parser.add_argument("--base-ms", type=float, default=12.0, help="time of a generation (default: %(default)s)")
    parser.add_argument(
        "--per-item-ms", type=float, default=3.0, help="and for each prompt in it (default: %(default)s)"
    )
    parser.add_argument("--model", action="append", help="a name in /v1/models; repeat for more (default: stub)")
    parser.add_argument("--api-key", help="refuse /v1/* without this bearer token")
    parser.add_argument("--idle-s", type=float, help="close connections that are idle for so long (default: never)")
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    parsed = parser.parse_args(arguments)
    engine = StubEngine(
        base_ms=parsed.base_ms,
        per_item_ms=parsed.per_item_ms,
        models=tuple(parsed.model or ["stub"]),
        api_key=parsed.api_key,
    )
    try:
        uvloop.run(_serve(StubUpstream(engine, host=parsed.host, port=parsed.port, idle_s=parsed.idle_s), parsed.json))
    except OSError as error:
        print(f"cannot listen on {parsed.host}:{parsed.port} ({error.strerror}): give another --port", file=sys.stderr)
        return 2
    return 0


async def _serve(upstream: StubUpstream, as_json: bool) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with upstream:
        told: dict[str, Any] = {"url": upstream.url, "models": upstream.engine.models}
        print(json.dumps(told) if as_json else f"stub engine on {upstream.url}", flush=True)
        await stopped.wait()


if __name__ == "__main__":
    sys.exit(main())
