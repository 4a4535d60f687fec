"""The stub engine and the proxy as child processes, ended with the block that started them."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

START_S = 60.0
END_S = 15.0


class NotStarted(RuntimeError):
    """A child process that did not come up; the message ends with what it said."""


@dataclass(frozen=True, slots=True)
class Child:
    """A server that answers at `url`."""

    url: str
    pid: int


def stub_engine(*options: str) -> contextlib.AbstractContextManager[Child]:
    """`python -m bench.upstream` on a free port."""
    return _engine("bench.upstream", *options)


def llamacpp_engine(model: Path) -> contextlib.AbstractContextManager[Child]:
    """`python -m bench.llamacpp` on a free port."""
    return _engine("bench.llamacpp", str(model))


@contextlib.contextmanager
def _engine(module: str, *options: str) -> Iterator[Child]:
    """A module that serves, and prints its address as JSON first of all."""
    with _running([sys.executable, "-m", module, "--port", "0", "--json", *options]) as (process, log):
        end_s = time.monotonic() + START_S
        while time.monotonic() < end_s and process.poll() is None:
            for line in log.read_text(errors="replace").splitlines():
                with contextlib.suppress(ValueError, TypeError, KeyError):
                    url: str = json.loads(line)["url"]
                    yield Child(url, process.pid)
                    return
            time.sleep(0.02)
        raise NotStarted(f"python -m {module} did not start: {_last_words(log)}")


@contextlib.contextmanager
def proxy_before(upstream: str, *options: str, config: Path | None = None) -> Iterator[Child]:
    """`python -m proxy` on a free port, in front of `upstream`, ready to answer."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "proxy", "--port", str(port), "--upstream", upstream, *options]
    if config is not None:
        command += ["--config", str(config)]
    with _running(command) as (process, log):
        url = f"http://127.0.0.1:{port}"
        _wait_ready(f"{url}/readyz", process, log)
        yield Child(url, process.pid)


def _wait_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until `url` answers 200.

    Raises:
        NotStarted: the process ended, or too much time passed.
    """
    end_s = time.monotonic() + START_S
    while time.monotonic() < end_s and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(url, timeout=2).status_code == 200:
                return
        time.sleep(0.05)
    raise NotStarted(f"the proxy did not start: {_last_words(log)}")


@contextlib.contextmanager
def _running(command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A process in a session of its own (Ctrl-C is not for it), and the file it writes to."""
    with tempfile.TemporaryDirectory(prefix="askonce-bench-") as folder:
        log = Path(folder, "log")
        with log.open("wb") as file:
            process = subprocess.Popen(
                command,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield process, log
        finally:
            process.terminate()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _last_words(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return " / ".join(lines[-3:]) or "it said nothing"
