"""A burst of equal requests at one moment: how many generations it costs, and how much later than one alone it ends.

The stub engine and the proxy are processes of their own. The connections stand before the burst; a round's time is from
its first byte sent to the last byte of its slowest reply. The client does no more than receive while the clock runs: it
reads the time with the bytes, and takes the replies apart afterwards. Its own CPU time of a round is told too. Before
each burst one request goes straight to the engine, so that one sees what of the difference is the machine's. Rounds
alternate between plain and streamed. The families are the default ones without semantic lookup, whose embedder would be
loading meanwhile.
"""

import argparse
import json
import selectors
import socket
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import orjson
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.children import NotStarted, proxy_before, stub_engine
from bench.environment import generations, load_average, machine
from bench.side_by_side.build import exact_only

PATIENCE_S = 30.0
WARM_UP_ROUNDS = 2
READ_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class Round:
    """One burst."""

    stream: bool
    calls: int
    slowest_ms: float
    """From the first byte sent to the end of the last reply."""
    direct_ms: float
    """One request without a proxy."""
    client_ms: float
    """CPU time that this process spent on the burst."""
    distinct_bodies: int


class Connection:
    """One kept-alive connection, on which one request at a time is sent and its reply received to the end."""

    def __init__(self, url: str) -> None:
        at = urlsplit(url)
        self.socket = socket.create_connection((at.hostname, at.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.reply = b""
        self.ended_s = 0.0

    def send(self, data: bytes) -> None:
        """Send a request, of a size that a socket's buffer takes."""
        self.reply = b""
        self.socket.sendall(data)

    def receive(self) -> bool:
        """Take what has come; whether the reply is whole.

        Raises:
            RuntimeError: the server closed the connection.
        """
        data = self.socket.recv(READ_BYTES)
        self.ended_s = time.perf_counter()
        if not data:
            raise RuntimeError("the server closed the connection within a burst")
        self.reply += data
        return is_whole(self.reply)


def is_whole(reply: bytes) -> bool:
    """Whether a reply has come to its end."""
    head, end, body = reply.partition(b"\r\n\r\n")
    if not end:
        return False
    _, found, length = head.lower().partition(b"\r\ncontent-length: ")
    return len(body) >= int(length.partition(b"\r\n")[0]) if found else body.endswith(b"0\r\n\r\n")


def body_of(reply: bytes) -> bytes:
    """The body of a whole 200, without its framing.

    Raises:
        RuntimeError: another status.
    """
    head, _, rest = reply.partition(b"\r\n\r\n")
    status = head.partition(b"\r\n")[0]
    if b" 200 " not in status:
        raise RuntimeError(f"the proxy answered {status.decode()}")
    if b"\r\ncontent-length: " in head.lower():
        return rest
    body = b""
    while True:
        size, _, rest = rest.partition(b"\r\n")
        count = int(size, 16)
        if not count:
            return body
        body += rest[:count]
        rest = rest[count + 2 :]


def request(host: str, question: str, *, stream: bool) -> bytes:
    """A whole greedy chat request."""
    body = orjson.dumps(
        {
            "model": "stub",
            "messages": [{"role": "user", "content": question}],
            "temperature": 0,
            "stream": stream,
        }
    )
    lines = ["POST /v1/chat/completions HTTP/1.1", f"host: {host}", "authorization: Bearer sk-burst"]
    lines += ["content-type: application/json", f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def burst(connections: list[Connection], data: bytes) -> tuple[float, float, set[bytes]]:
    """Send `data` on all connections at once; milliseconds to the end of the slowest reply and of CPU, and the bodies.

    Raises:
        TimeoutError: nothing came for `PATIENCE_S`.
    """
    waiting = len(connections)
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        began_cpu_s = time.process_time()
        started_s = time.perf_counter()
        for connection in connections:
            connection.send(data)
        while waiting:
            ready = selector.select(PATIENCE_S)
            if not ready:
                raise TimeoutError(f"{waiting} replies did not come within {PATIENCE_S:g} s")
            for key, _ in ready:
                waiting -= key.data.receive()
        client_s = time.process_time() - began_cpu_s
    slowest_s = max(connection.ended_s for connection in connections) - started_s
    return slowest_s * 1000, client_s * 1000, {body_of(connection.reply) for connection in connections}


def measure(proxy: str, engine: str, requests: int, rounds: int, *, quiet: bool) -> list[Round]:
    """All rounds, without those that only warm up."""
    at = urlsplit(proxy)
    connections = [Connection(proxy) for _ in range(requests)]
    straight = Connection(engine)
    measured = []
    for number in track(range(-WARM_UP_ROUNDS, rounds), "bursts", console=Console(stderr=True), disable=quiet):
        stream = number % 2 == 1
        data = request(at.netloc, f"Burst {number}", stream=stream)
        direct_ms, _, _ = burst([straight], data)
        before = generations(engine)
        slowest_ms, client_ms, bodies = burst(connections, data)
        if number >= 0:
            calls = generations(engine) - before
            measured.append(Round(stream, calls, slowest_ms, direct_ms, client_ms, len(bodies)))
    for connection in [*connections, straight]:
        connection.socket.close()
    return measured


def report(rounds: list[Round], arguments: argparse.Namespace) -> dict[str, object]:
    """What was measured, as plain values."""

    def figures(stream: bool) -> dict[str, object]:
        some = [one for one in rounds if one.stream == stream]
        ratios = sorted(one.slowest_ms / arguments.upstream_ms for one in some)
        return {
            "rounds": len(some),
            "calls_per_round": sorted({one.calls for one in some}),
            "distinct_bodies": sorted({one.distinct_bodies for one in some}),
            "direct_ms_median": round(statistics.median(one.direct_ms for one in some), 1),
            "client_cpu_ms_median": round(statistics.median(one.client_ms for one in some), 1),
            "slowest_ms_median": round(statistics.median(one.slowest_ms for one in some), 1),
            "slowest_over_upstream_median": round(statistics.median(ratios), 3),
            "slowest_over_upstream_worst": round(ratios[-1], 3),
        }

    return {
        "requests": arguments.requests,
        "upstream_ms": arguments.upstream_ms,
        "plain": figures(False),
        "streamed": figures(True),
        "load_average": load_average(),
        "machine": machine(),
    }


def table(told: dict[str, object]) -> Table:
    title = f"{told['requests']} equal requests at once, an upstream of {told['upstream_ms']:g} ms"
    shown = Table(title=title, title_justify="left")
    for column in (
        "",
        "rounds",
        "calls a round",
        "different bodies",
        "slowest, median",
        "over upstream",
        "worst round",
    ):
        shown.add_column(column, justify="right" if column else "left")
    for mode in ("plain", "streamed"):
        of = told[mode]
        assert isinstance(of, dict)
        shown.add_row(
            mode,
            str(of["rounds"]),
            ", ".join(map(str, of["calls_per_round"])),
            ", ".join(map(str, of["distinct_bodies"])),
            f"{of['direct_ms_median']} ms",
            f"{of['slowest_ms_median']} ms",
            f"{of['slowest_over_upstream_median']} ×",
            f"{of['slowest_over_upstream_worst']} ×",
        )
    return shown


def main(words: list[str] | None = None) -> int:
    """1 if a burst cost more than one generation or was answered in two ways."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.flight_burst",
        description=__doc__,
        epilog="example: python -m bench.flight_burst --requests 64 --upstream-ms 200",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--requests", type=int, default=64, help="of a burst (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=20, help="bursts, half of them streamed (default: %(default)s)")
    parser.add_argument("--upstream-ms", type=float, default=200, help="of a generation (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args(words)
    if arguments.requests < 1 or arguments.rounds < 2 or arguments.upstream_ms <= 0:
        print("give at least 1 request, 2 rounds, and a time over 0", file=sys.stderr)
        return 2
    try:
        with (
            stub_engine("--base-ms", str(arguments.upstream_ms), "--per-item-ms", "0") as engine,
            tempfile.TemporaryDirectory(prefix="askonce-burst-") as folder,
        ):
            policies = Path(folder, "policies.yaml")
            policies.write_text(exact_only())
            options = ("--access-log", "off", "--policies", str(policies))
            with proxy_before(engine.url, *options) as proxy:
                rounds = measure(proxy.url, engine.url, arguments.requests, arguments.rounds, quiet=arguments.json)
    except NotStarted as error:
        print(error, file=sys.stderr)
        return 1
    told = report(rounds, arguments)
    if arguments.json:
        print(json.dumps(told, indent=2))
    else:
        Console().print(table(told))
    return 0 if all((one.calls, one.distinct_bodies) == (1, 1) for one in rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
