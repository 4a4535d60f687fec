"""A target's processes: started together, pinned, ended together, and what they have used."""

import contextlib
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

CHAT = "/v1/chat/completions"
START_S = 120.0
END_S = 5.0


class NotUp(RuntimeError):
    """A target that did not answer in time, or ended."""


def tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += children.get(one, [])
    return found


def cpu_ns(pids: Sequence[int]) -> int:
    """Nanoseconds of CPU that all their threads have used."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    total += int((task / "schedstat").read_text().split()[0])
    return total


def pss_mb(pids: Sequence[int]) -> float:
    """Memory, what they share divided among those who share it."""
    total_kb = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total_kb += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return round(total_kb / 1024, 1)


def pinned(command: Sequence[str], core: str | None) -> list[str]:
    return ["taskset", "-c", core, *command] if core is not None else [*command]


@contextlib.contextmanager
def running(
    command: Sequence[str], *, log: Path, core: str | None, cwd: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process group, ended with the block."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            pinned(command, core),
            env={**os.environ, **(environment or {})},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_S)


def wait_up(port: int, process: subprocess.Popen[bytes], body: bytes, log: Path) -> None:
    """Wait until a target answers a chat request.

    Raises:
        NotUp: with the end of its log.
    """
    headers = {"content-type": "application/json", "authorization": "Bearer sk-test"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{CHAT}", body, headers)
    end_s = time.monotonic() + START_S
    while time.monotonic() < end_s and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=10) as reply:
            if b"choices" in reply.read():
                return
        time.sleep(0.3)
    words = log.read_text(errors="replace").strip().splitlines()[-2:]
    raise NotUp(f"{log.stem} did not start: {' / '.join(words) or 'it said nothing'}")
