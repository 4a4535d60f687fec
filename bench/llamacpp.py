"""llama.cpp's own server as `xllamacpp` packs it, with one model, until it is told to end."""

import argparse
import json
import signal
import socket
import sys
import threading
from pathlib import Path

CONTEXT_TOKENS_A_SLOT = 1024
HTTP_THREADS = 128
"""Its server gives each open connection a thread, and by default it has some eight: a ninth client would not wait for
a slot, but for another client to close its connection."""


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.llamacpp",
        description=__doc__,
        epilog="example: python -m bench.llamacpp model.gguf --port 8000 --slots 8",
    )
    parser.add_argument("model", type=Path, help="a .gguf file; its name is the model's")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one (default: %(default)s)")
    parser.add_argument("--slots", type=int, default=4, help="requests at once (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="more would spin on a busy machine (default: 1)")
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    parsed = parser.parse_args(arguments)
    try:
        import xllamacpp
    except ImportError:
        print("xllamacpp is missing: pip install -e '.[dev]'", file=sys.stderr)
        return 2
    if not parsed.model.is_file():
        print(f"{parsed.model}: no such file", file=sys.stderr)
        return 2
    params = xllamacpp.CommonParams()
    params.model.path = str(parsed.model)
    params.model_alias = {parsed.model.stem}
    params.hostnames = ["127.0.0.1"]
    params.port = parsed.port or _free_port()
    params.n_parallel = parsed.slots
    params.n_ctx = parsed.slots * CONTEXT_TOKENS_A_SLOT
    params.cpuparams.n_threads = parsed.threads
    params.n_threads_http = HTTP_THREADS
    server = xllamacpp.Server(params)
    address = str(server.listening_address)
    print(json.dumps({"url": address}) if parsed.json else f"llama.cpp on {address}", flush=True)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    while not ended.wait(1.0):  # a plain wait would keep the handlers from running
        pass
    return 0


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


if __name__ == "__main__":
    sys.exit(main())
