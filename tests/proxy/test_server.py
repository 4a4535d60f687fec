"""The server over real sockets: what a client may send and for how long, and how it stops.
(Long, because every limit is tried at every stage of one running server.)
"""

import asyncio
import contextlib
import http.client
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from proxy.connection import MAX_PIPELINED
from proxy.server import DrainingServer, ServerLimits, serve
from tests.proxy.server_app import TalkingApp

PATIENCE_S = 20


@dataclass(frozen=True, slots=True)
class Running:
    port: int
    app: TalkingApp
    loop: asyncio.AbstractEventLoop

    def go_on(self) -> None:
        self.loop.call_soon_threadsafe(self.app.go_on.set)


@contextlib.contextmanager
def running(limits: ServerLimits) -> Iterator[Running]:
    """A server on a thread of its own."""
    app = TalkingApp()
    ports: list[int] = []
    loops: list[asyncio.AbstractEventLoop] = []
    up = threading.Event()

    def listening(port: int) -> None:
        ports.append(port)
        loops.append(asyncio.get_running_loop())
        up.set()

    server = DrainingServer(app, "127.0.0.1", 0, limits, lambda: None, lambda: None, listening)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert up.wait(PATIENCE_S)
        yield Running(ports[0], app, loops[0])
    finally:
        loops[0].call_soon_threadsafe(server.stop)
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "the server did not stop"


@pytest.fixture(scope="module")
def server():
    with running(ServerLimits(drain_s=0, grace_s=0)) as server:
        yield server


@pytest.fixture(scope="module")
def impatient():
    limits = ServerLimits(drain_s=0, grace_s=0, head_timeout_s=0.4, body_timeout_s=0.4, idle_timeout_s=0.4)
    with running(limits) as server:
        yield server


class _ReadAhead(io.BufferedReader):
    """Kept from one reply to the next, for what was read ahead of the first one's end."""

    def close(self) -> None:
        """http.client closes what it reads from after each reply."""


class Client:
    """A socket, and what came back over it."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self._incoming = _ReadAhead(socket.SocketIO(self.socket, "r"))

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def makefile(self, mode: str) -> io.BufferedReader:
        return self._incoming

    def send(self, data: bytes) -> "Client":
        # Refused before all was sent; the reply says why.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)
        return self

    def reply(self) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(self)  # type: ignore[arg-type]  # it only asks for makefile
        response.begin()
        return response

    def stream(self, path: str) -> http.client.HTTPResponse:
        response = self.send(head(path, method="GET")).reply()
        assert response.read1() == b"data: 1\n\n"
        return response

    def status(self) -> int:
        response = self.reply()
        response.read()
        return response.status

    def error_code(self) -> tuple[int, str]:
        """Status and code of an error in OpenAI's shape, after which the connection is over."""
        response = self.reply()
        code = json.loads(response.read())["error"]["code"]
        assert response.getheader("connection") == "close"
        assert self.closed()
        return response.status, code

    def closed(self) -> bool:
        try:
            return self._incoming.read(1) == b""
        except ConnectionResetError:
            return True


def head(path: str, *lines: str, method: str = "POST") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "host: a", *lines, "", ""]).encode()


def post(body: bytes, path: str = "/length") -> bytes:
    return head(path, f"content-length: {len(body)}") + body


def alive(server: "Running | Child") -> bool:
    with Client(server.port) as client:
        return client.send(post(b"abc")).reply().read() == b"3"


def test_a_request_is_answered_and_the_connection_kept(server):
    with Client(server.port) as client:
        for size in (0, 5, 300_000):
            assert client.send(post(b"x" * size)).reply().read() == str(size).encode()


def test_a_header_of_one_megabyte_is_refused(server):
    with Client(server.port) as client:
        client.send(head("/headers", "x-long: " + "a" * 1_000_000))
        assert client.error_code() == (431, "headers_too_large")
    assert alive(server)


def test_a_header_that_never_ends_is_refused(server):
    with Client(server.port) as client:
        client.send(b"POST /headers HTTP/1.1\r\nx-long: ")
        while not select.select([client.socket], [], [], 0)[0]:
            client.send(b"a" * 10_000)
        assert client.error_code() == (431, "headers_too_large")


def test_ten_thousand_header_lines_are_refused(server):
    with Client(server.port) as client:
        client.send(head("/headers", *["a: b"] * 10_000))
        assert client.error_code() == (431, "headers_too_large")


@pytest.mark.parametrize(("lines", "status"), [(199, 200), (200, 431)])
def test_two_hundred_header_lines_are_the_limit(server, lines, status):
    with Client(server.port) as client:
        assert client.send(head("/headers", *["a: b"] * lines, method="GET")).status() == status


@pytest.mark.parametrize(("size", "status"), [(65_000, 200), (66_000, 431)])
@pytest.mark.parametrize("before", [b"", post(b"abc")], ids=["first", "pipelined"])
def test_sixty_four_kilobytes_of_head_are_the_limit(server, size, status, before):
    with Client(server.port) as client:
        client.send(before + head("/headers", "x-long: " + "a" * size, method="GET"))
        if before:
            assert client.reply().read() == b"3"
            if status == 431:
                assert client.closed()  # the reply to the first said keep-alive, and nothing may follow it
                return
        assert client.status() == status


def test_a_url_counts_as_head(server):
    with Client(server.port) as client:
        client.send(head("/headers?" + "a" * 70_000, method="GET"))
        assert client.error_code() == (431, "headers_too_large")


def test_trailers_are_bounded_and_never_become_headers(server):
    with Client(server.port) as client:
        chunked = head("/headers", "transfer-encoding: chunked") + b"3\r\nabc\r\n0\r\n"
        assert client.send(chunked + b"x-tenant: other\r\n\r\n").reply().read() == b"2"
        client.send(chunked + b"x-long: " + b"a" * 200_000)
        assert client.error_code() == (431, "headers_too_large")


def test_chunk_extensions_are_bounded(server):
    with Client(server.port) as client:
        client.send(head("/length", "transfer-encoding: chunked") + b"3;x=" + b"a" * 200_000)
        assert client.error_code() == (431, "headers_too_large")


def test_many_small_chunks_are_a_body_like_any_other(server):
    with Client(server.port) as client:
        client.send(head("/length", "transfer-encoding: chunked") + b"1\r\na\r\n" * 50_000 + b"0\r\n\r\n")
        assert client.reply().read() == b"50000"


def test_half_a_head_and_silence_times_out(impatient):
    with Client(impatient.port) as client:
        assert client.send(b"POST /length HTTP/1.1\r\nhost: a\r\n").error_code() == (408, "head_timeout")


def test_half_a_head_times_out_on_a_kept_connection_too(impatient):
    with Client(impatient.port) as client:
        assert client.send(post(b"abc")).reply().read() == b"3"
        assert client.send(b"POST /le").error_code() == (408, "head_timeout")


def test_a_head_that_trickles_times_out_as_a_whole(impatient):
    with Client(impatient.port) as client:
        trickle(client, head("/length", *["x: yyyyyyyy"] * 100))
        assert client.error_code() == (408, "head_timeout")


def test_a_new_connection_that_says_nothing_is_closed(impatient):
    with Client(impatient.port) as client:
        assert client.closed()


def test_an_idle_connection_is_closed(impatient):
    with Client(impatient.port) as client:
        assert client.send(post(b"abc")).reply().read() == b"3"
        assert client.closed()


def test_silence_within_a_body_times_out(impatient):
    with Client(impatient.port) as client:
        impatient.app.left.clear()
        client.send(head("/length", "content-length: 10") + b"abc")
        assert client.error_code() == (408, "body_timeout")
        assert impatient.app.left.wait(PATIENCE_S), "the application waits for a body that never comes"


def test_a_body_of_a_byte_at_a_time_times_out(impatient):
    with Client(impatient.port) as client:
        client.send(head("/length", "content-length: 100000"))
        trickle(client, b"x" * 100_000)
        assert client.error_code() == (408, "body_timeout")
    assert alive(impatient)


def trickle(client: Client, data: bytes) -> None:
    """A byte, and another if no reply came for a while, and so on."""
    for position in range(len(data)):
        client.send(data[position : position + 1])
        if select.select([client.socket], [], [], 0.01)[0]:
            return
    raise AssertionError("all was taken")


def test_a_reply_before_the_end_of_the_body_is_read_and_then_the_connection_ends(server, monkeypatch):
    monkeypatch.setattr("proxy.connection.LINGER_S", 0.2)
    with Client(server.port) as client:
        client.send(head("/early", "content-length: 100000") + b"x")
        assert client.status() == 413
        assert client.closed()


def test_a_body_that_ends_after_its_reply_keeps_the_connection(server):
    with Client(server.port) as client:
        client.send(head("/early", "content-length: 2") + b"x")
        assert client.status() == 413
        assert client.send(b"x" + post(b"abc")).reply().read() == b"3"


def test_garbage_after_an_early_reply_is_not_answered_as_if_it_were_the_next_request(server):
    with Client(server.port) as client:
        client.send(head("/early", "transfer-encoding: chunked") + b"1\r\nx\r\n")
        assert client.status() == 413
        client.send(b"not-a-length\r\n")
        assert client.closed()


def test_pipelined_requests_are_answered_in_order(server):
    with Client(server.port) as client:
        client.send(b"".join(post(b"x" * size) for size in range(20)))
        assert [client.reply().read() for _ in range(20)] == [str(size).encode() for size in range(20)]


def test_pipelined_requests_are_bounded(server):
    with Client(server.port) as client:
        client.send(head("/ready", method="GET") * 5_000)
        answered = 0
        while True:
            try:
                assert client.status() == 200
            except (http.client.RemoteDisconnected, ConnectionResetError):
                break
            answered += 1
        assert 1 <= answered <= MAX_PIPELINED + 1
    assert alive(server)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nhost: a\r\n\r\n",
        b"CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n",
        b"POST /length HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n",
        b"POST /length HTTP/1.1\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
        b"POST /length HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nnot-a-length\r\n",
    ],
)
def test_what_is_not_http_is_refused(server, garbage):
    with Client(server.port) as client:
        assert client.send(garbage).error_code() == (400, "invalid_http")


def test_garbage_after_a_request_is_not_written_into_its_reply(server):
    with Client(server.port) as client:
        response = client.stream("/stream")
        client.send(b"\x00\x01garbage\r\n\r\n")
        server.go_on()
        assert response.read() == b"data: [DONE]\n\n"
        assert client.closed()


def test_an_upgrade_nobody_speaks_is_answered_as_a_plain_request(server):
    with Client(server.port) as client:
        client.send(head("/length", "connection: upgrade", "upgrade: h2c", "content-length: 3") + b"abc")
        assert client.reply().read() == b"3"
        assert client.send(post(b"abcd")).reply().read() == b"4"


def test_a_client_that_waits_for_100_continue_gets_it(server):
    with Client(server.port) as client:
        client.send(head("/length", "expect: 100-continue", "content-length: 3"))
        assert client.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert client.send(b"abc").reply().read() == b"3"


def test_our_server_says_no_name_and_believes_no_forwarding_header(server):
    with Client(server.port) as client:
        assert client.send(head("/ready", "x-forwarded-for: 1.2.3.4", method="GET")).reply().getheader("server") is None


def test_a_port_that_is_taken_is_exit_status_1(server):
    nothing = lambda: None  # noqa: E731  three callbacks that do nothing
    status = serve(
        TalkingApp(),
        host="127.0.0.1",
        port=server.port,
        limits=ServerLimits(),
        on_drain=nothing,
        on_reload=nothing,
    )
    assert status == 1


class Child:
    """A server in its own process."""

    def __init__(self, drain_s: float, grace_s: float) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.proxy.server_child", str(drain_s), str(grace_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        self.port = int(self.heard().split()[1])

    def heard(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self._process.pid, number)

    def go_on(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go on\n")
        self._process.stdin.flush()

    def ended(self) -> int:
        self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


@pytest.fixture
def child():
    with contextlib.ExitStack() as stack:

        def child(drain_s: float, grace_s: float) -> Child:
            started = Child(drain_s, grace_s)
            stack.callback(started.close)
            return started

        yield child


CUT = (http.client.IncompleteRead, ConnectionResetError)


def test_sigterm_under_an_open_stream_says_not_ready_lets_it_finish_and_exits_0(child):
    running = child(drain_s=2, grace_s=PATIENCE_S)
    with Client(running.port) as client:
        stream = client.stream("/stream")
        running.signal(signal.SIGTERM)
        assert running.heard() == "draining"
        with Client(running.port) as other:
            response = other.send(head("/ready", method="GET")).reply()
            assert response.status == 503, "still taken, and told to go elsewhere"
            assert response.getheader("connection") == "close"
        running.go_on()
        assert stream.read() == b"data: [DONE]\n\n"
        assert running.ended() == 0


def test_after_the_grace_period_a_stream_gets_an_error_event_and_the_exit_is_0(child):
    running = child(drain_s=0, grace_s=0.1)
    with Client(running.port) as client:
        stream = client.stream("/ending")
        running.signal(signal.SIGTERM)
        assert stream.read() == b'data: {"error": {}}\n\n'
        assert running.ended() == 0


def test_a_stream_that_can_not_be_ended_is_cut_without_an_end_and_the_exit_is_0(child):
    running = child(drain_s=0, grace_s=0.1)
    with Client(running.port) as client:
        stream = client.stream("/deaf")
        running.signal(signal.SIGTERM)
        with pytest.raises(CUT):
            stream.read()
        assert running.ended() == 0


def test_an_idle_connection_does_not_keep_the_server(child):
    running = child(drain_s=0, grace_s=PATIENCE_S * 10)
    with Client(running.port) as client:
        assert client.send(post(b"abc")).reply().read() == b"3"
        running.signal(signal.SIGTERM)
        assert client.closed()
        assert running.ended() == 0


def test_a_second_signal_ends_the_wait_for_traffic_to_go_elsewhere(child):
    running = child(drain_s=PATIENCE_S * 10, grace_s=0)
    with Client(running.port) as client:
        stream = client.stream("/ending")
        running.signal(signal.SIGINT)
        assert running.heard() == "draining"
        running.signal(signal.SIGINT)
        assert stream.read() == b'data: {"error": {}}\n\n'
        assert running.ended() == 0


def test_sighup_reloads_and_a_failed_reload_is_survived(child):
    running = child(drain_s=0, grace_s=0)
    running.signal(signal.SIGHUP)
    assert running.heard() == "reloading"
    assert alive(running)
    running.signal(signal.SIGTERM)
    assert running.ended() == 0
