"""`python -m proxy --demo`: a stub engine, the proxy and a client, each a process of its own, for under a minute."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx

START_S = 30.0


def demo() -> int:
    """Run it; the exit status is the client's, which checks what it shows."""
    engine_port, proxy_port = _free_ports(2)
    engine = f"http://127.0.0.1:{engine_port}"
    proxy = f"http://127.0.0.1:{proxy_port}"
    environment = {**os.environ, "ASKONCE_ACCESS_LOG": "off", "PYTHONUNBUFFERED": "1"}
    # Shown is what is decided, not how fast this machine embeds: on a busy one, a late vector would be a miss.
    environment["ASKONCE_EMBEDDER__DEADLINE_MS"] = "10000"
    stub = [sys.executable, "-m", "bench.upstream", "--port", str(engine_port)]
    serve = [sys.executable, "-m", "proxy", "--port", str(proxy_port), "--upstream", engine]
    client = [sys.executable, "-m", "bench.demo", "--proxy", proxy, "--engine", engine]
    try:
        with _running(stub, environment), _running(serve, environment):
            _wait_for(f"{engine}/health")
            _wait_for(f"{proxy}/readyz", whole=True)
            return subprocess.call(client, env=environment)
    except TimeoutError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


@contextlib.contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(url: str, *, whole: bool = False) -> None:
    """Until it answers; `whole`: until it says that all of its parts are there, the embedder included."""
    end_s = time.monotonic() + START_S
    while time.monotonic() < end_s:
        with contextlib.suppress(httpx.TransportError):
            reply = httpx.get(url, timeout=1)
            if reply.status_code == 200 and (not whole or reply.json()["status"] == "ok"):
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing answers at {url}; start it by hand to see why")


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for item in sockets:
            item.bind(("127.0.0.1", 0))
        return [item.getsockname()[1] for item in sockets]
