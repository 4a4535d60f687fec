"""What a run needs: the compiled tools, nginx's configuration, and each peer's virtual environment."""

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from bench.side_by_side.bodies import write_bodies
from config.document import read_document

SOURCES = Path(__file__).parent
POLICIES = "policies.yaml"
PACKAGES = {
    "litellm": "litellm[proxy]==1.108.7",
    "cachellm": "cachellm-proxy==0.3.0",
    "vllm-router": "vllm-router==0.1.17",
}
PORTS = (
    "stub",
    "proxy",
    "nginx",
    "nginx_cache",
    "litellm",
    "litellm_cache",
    "cachellm_off",
    "cachellm",
    "vllm",
    "vllm_prometheus",
)


class CannotBuild(RuntimeError):
    """Something is missing; the message says what to install."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """A folder with everything in it, and the ports of a run."""

    folder: Path
    ports: dict[str, int]

    @property
    def stub_url(self) -> str:
        return f"http://127.0.0.1:{self.ports['stub']}"


def build(folder: Path, peers: list[str]) -> Workshop:
    """Compile and install what is missing below `folder`, and write bodies and configurations.

    Raises:
        CannotBuild: not on Linux with nginx and gcc, an unknown peer, or pip failed.
    """
    check(peers)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("stub", "lg"):
        source, made = SOURCES / f"{name}.c", folder / name
        if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
            _run(["gcc", "-O2", "-o", str(made), str(source)])
    for peer in peers:
        _install(folder / peer, PACKAGES[peer])
    workshop = Workshop(folder, dict(zip(PORTS, free_ports(len(PORTS)), strict=True)))
    write_bodies(folder)
    # The cache of nginx lies in memory where there is a file system for that.
    cache = Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else folder, f"nginx-{workshop.ports['nginx']}")
    (folder / "nx").mkdir(exist_ok=True)
    for source in (SOURCES / "conf").iterdir():
        text = source.read_text().replace("@CACHE@", str(cache))
        for name, port in workshop.ports.items():
            text = text.replace(f"@{name.upper()}@", str(port))
        (folder / source.name).write_text(text)
    (folder / POLICIES).write_text(exact_only())
    return workshop


def exact_only() -> str:
    """The default families without semantic lookup, as YAML: the embedder is not what is compared here."""
    text = resources.files("config").joinpath("policies.yaml").read_text("utf-8")
    policies = read_document(text, "config/policies.yaml").data
    for family in (policies["defaults"], *policies["families"]):
        family.pop("semantic", None)
    return json.dumps(policies)


def clean(workshop: Workshop) -> None:
    """Remove what is not worth keeping for the next run."""
    for folder in (Path("/dev/shm"), workshop.folder):
        shutil.rmtree(folder / f"nginx-{workshop.ports['nginx']}", ignore_errors=True)


def check(peers: list[str]) -> None:
    unknown = set(peers) - PACKAGES.keys()
    if unknown:
        raise CannotBuild(f"no peer is called {', '.join(sorted(unknown))}; there are {', '.join(PACKAGES)}")
    if sys.platform != "linux":
        raise CannotBuild("this needs Linux: epoll, taskset, /proc")
    missing = [tool for tool in ("gcc", "nginx", "taskset") if shutil.which(tool) is None]
    if missing:
        raise CannotBuild(f"{', '.join(missing)} not found: apt-get install nginx gcc libc6-dev util-linux")


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _install(folder: Path, package: str) -> None:
    if (folder / "installed").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)])
    _run([str(folder / "bin/python"), "-m", "pip", "install", "-q", package])
    (folder / "installed").write_text(package)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"{' '.join(command)}: {done.stderr.strip()[-400:]}")
