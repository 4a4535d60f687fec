"""What makes a figure comparable: the machine, the engine as it describes itself."""

import contextlib
import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import httpx

from bench.client import root_of

TIMEOUT_S = 10.0
PATHS = ("/version", "/props", "/api/version", "/get_server_info")
"""Where vLLM, llama.cpp, Ollama and SGLang say what they are."""


class Unreachable(RuntimeError):
    """A server that does not answer, or answers nothing that can be used."""


def machine() -> dict[str, Any]:
    """This machine and the versions that matter for the figures."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": model,
        "cores": usable,
        "memory_mb": _memory_mb(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "uvloop": metadata.version("uvloop"),
        "httptools": metadata.version("httptools"),
    }


def load_average() -> float:
    return round(os.getloadavg()[0], 2)


def _memory_mb() -> int | None:
    if sys.platform != "linux":
        return None
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


def first_model(url: str, headers: dict[str, str]) -> str:
    """The first name in `/v1/models`.

    Raises:
        Unreachable: nobody answers, or there is no model.
    """
    told = _get(f"{root_of(url)}/v1/models", headers)
    with contextlib.suppress(LookupError, TypeError):
        name: str = told["data"][0]["id"]
        return name
    raise Unreachable(f"{url}/v1/models names no model: give --model")


def engine(url: str, model: str, headers: dict[str, str]) -> dict[str, Any]:
    """What the engine says of itself and of the model; what it does not say is left out."""
    root = root_of(url)
    found: dict[str, Any] = {}
    with httpx.Client(timeout=TIMEOUT_S, headers=headers) as client:
        for path in PATHS:
            with contextlib.suppress(httpx.HTTPError, ValueError):
                reply = client.get(root + path)
                if "server" in reply.headers:
                    found.setdefault("server", reply.headers["server"])
                told = reply.json() if reply.status_code == 200 else None
                if isinstance(told, dict):
                    found.update(
                        {name: told[name] for name in ("version", "build_info", "total_slots") if name in told}
                    )
        with contextlib.suppress(httpx.HTTPError, ValueError, LookupError, TypeError):
            rows = client.get(f"{root}/v1/models").json()["data"]
            row = next(row for row in rows if row["id"] == model)
            found["owned_by"] = row.get("owned_by")
            if "max_model_len" in row:
                found["max_model_len"] = row["max_model_len"]
    return found


def generations(url: str) -> int:
    """The stub engine's own count."""
    return int(_get(f"{root_of(url)}/stats", {})["generations"])


def _get(url: str, headers: dict[str, str]) -> Any:
    try:
        reply = httpx.get(url, timeout=TIMEOUT_S, headers=headers)
        reply.raise_for_status()
        return reply.json()
    except (httpx.HTTPError, ValueError) as error:
        raise Unreachable(f"{url}: {type(error).__name__}; is it running?") from None
