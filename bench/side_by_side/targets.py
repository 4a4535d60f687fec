"""Who is measured, and how each is started."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bench.side_by_side.build import POLICIES, Workshop

Kind = Literal["pass", "hit"]

SLOWEST, SLOW, MIDDLE, FAST = range(4)
"""Classes of speed: how many requests a metric takes."""


@dataclass(frozen=True, slots=True)
class Target:
    """One server. A target without a command is another port of `same_process_as`."""

    name: str
    port: int
    speed: int
    kinds: frozenset[Kind]
    command: tuple[str, ...] = ()
    same_process_as: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None


PASS: frozenset[Kind] = frozenset({"pass"})
HIT: frozenset[Kind] = frozenset({"hit"})
BOTH = PASS | HIT
PROXY_COMMAND = (
    f"{shlex.quote(sys.executable)} -m proxy --port PORT --upstream UPSTREAM --access-log LOG --policies POLICIES"
)
"""The whole product: tenants, metrics, an access log in a file, the default families; embedder and shared store off."""


def targets(workshop: Workshop, peers: list[str], command: str, cwd: Path) -> list[Target]:
    """All but the stub alone: nginx, its cache, the proxy, and the peers asked for."""
    ports, folder = workshop.ports, workshop.folder
    words = {"PORT": str(ports["proxy"]), "UPSTREAM": workshop.stub_url, "LOG": str(folder / "access.log")}
    words["POLICIES"] = str(folder / POLICIES)
    proxy = tuple(words.get(word, word) for word in shlex.split(command))
    nginx = ("nginx", "-p", str(folder), "-c", "nginx.conf")
    found = [
        Target("nginx", ports["nginx"], FAST, PASS, nginx),
        Target("nginx-cache", ports["nginx_cache"], FAST, HIT, same_process_as="nginx"),
        Target("proxy", ports["proxy"], MIDDLE, BOTH, proxy, cwd=cwd),
    ]
    for peer in peers:
        found += _peer(peer, workshop)
    return found


def _peer(name: str, workshop: Workshop) -> list[Target]:
    ports, scripts = workshop.ports, workshop.folder / name / "bin"
    if name == "litellm":
        common = (str(scripts / "litellm"), "--host", "127.0.0.1", "--num_workers", "1", "--telemetry", "False")
        environment = {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_LOG": "ERROR",
            "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
            "DO_NOT_TRACK": "1",
        }
        plain = (*common, "--config", "litellm.yaml", "--port", str(ports["litellm"]))
        cached = (*common, "--config", "litellm_cache.yaml", "--port", str(ports["litellm_cache"]))
        return [
            Target("litellm", ports["litellm"], SLOWEST, PASS, plain, environment=environment),
            Target("litellm-cache", ports["litellm_cache"], SLOWEST, HIT, cached, environment=environment),
        ]
    if name == "cachellm":
        command = (str(scripts / "cachellm"), "serve")
        environment = {
            "CACHELLM_BACKEND": "memory",
            "CACHELLM_EMBEDDING_BACKEND": "hash",
            "CACHELLM_OPENAI_BASE_URL": f"{workshop.stub_url}/v1",
            "CACHELLM_OPENAI_API_KEY": "sk-test",
            "CACHELLM_LOG_LEVEL": "WARNING",
        }
        # With its cache on it answers prompts that differ only in a number from each other's entries.
        off = {**environment, "CACHELLM_PORT": str(ports["cachellm_off"]), "CACHELLM_ENABLED": "false"}
        on = {**environment, "CACHELLM_PORT": str(ports["cachellm"])}
        return [
            Target("cachellm-nocache", ports["cachellm_off"], SLOW, PASS, command, environment=off),
            Target("cachellm", ports["cachellm"], SLOW, HIT, command, environment=on),
        ]
    router = (
        *(str(scripts / "vllm-router"), "--worker-urls", workshop.stub_url, "--policy", "round_robin"),
        *("--host", "127.0.0.1", "--port", str(ports["vllm"]), "--log-level", "warning"),
        *("--prometheus-port", str(ports["vllm_prometheus"]), "--prometheus-host", "127.0.0.1"),
    )
    return [Target("vllm-router", ports["vllm"], FAST, PASS, router)]
