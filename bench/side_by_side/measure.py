"""The run: every round measures every target once per metric, in shuffled order."""

import json
import os
import random
import subprocess
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.side_by_side.bodies import flight_body
from bench.side_by_side.build import Workshop
from bench.side_by_side.processes import CHAT, NotUp, cpu_ns, pinned, pss_mb, running, tree, wait_up
from bench.side_by_side.targets import FAST, PASS, Kind, Target

Figures = dict[str, Any]
"""What the load generator prints, and `cpu_us` per request; `fail` in place of all that if it could not run."""

MAX_S = 25
FLIGHT_READERS = 64
FLIGHT_US = 200_000
INFLIGHT = (32, 256)


@dataclass(frozen=True, slots=True)
class Metric:
    """How one figure is measured: body, the load generator's options, and requests by class of speed."""

    body: str
    options: tuple[str, ...]
    counts: tuple[int, int, int, int]
    kind: Kind
    what: str


DISTINCT = ("-u",)
SAME = ("-s", "7")
METRICS = {
    "pass32": Metric("1k", (*DISTINCT, "-c", "32"), (150, 800, 4000, 15000), "pass", "misses, 32 connections"),
    "pass1": Metric("1k", (*DISTINCT, "-c", "1"), (60, 300, 1500, 3000), "pass", "misses, one connection"),
    "rate100": Metric("1k_slow", (*DISTINCT, "-c", "64", "-r", "100"), (200,) * 4, "pass", "100/s, a 12 ms engine"),
    "body32k": Metric("32k", (*DISTINCT, "-c", "32"), (100, 300, 2500, 6000), "pass", "misses with 32 KB bodies"),
    "ttft1": Metric("1k_slow_stream", (*DISTINCT, "-c", "1"), (25,) * 4, "pass", "streams, one connection"),
    "stream32": Metric("1k_stream", (*DISTINCT, "-c", "32"), (50, 250, 1200, 2000), "pass", "20-chunk streams, 32"),
    "hit32": Metric("1k", (*SAME, "-c", "32"), (200, 1000, 15000, 30000), "hit", "exact hits, 32 connections"),
    "hit1": Metric("1k", (*SAME, "-c", "1"), (100, 400, 3000, 5000), "hit", "exact hits, one connection"),
}
WARM_METRICS = ("pass32", "stream32", "hit32")
WARM_COUNTS = (50, 200, 500, 500)


class Run:
    """One interleaved run; `results` is by metric and target, a list over rounds."""

    def __init__(self, workshop: Workshop, targets: list[Target], *, pin: bool) -> None:
        self.results: dict[str, dict[str, list[Figures]]] = {}
        self.inflight: dict[str, float] = {}
        self.pss_mb: dict[str, dict[str, float]] = {}
        self.troubles: list[str] = []
        self.loads: list[float] = []
        self._workshop = workshop
        self._targets = targets
        self._pids: dict[str, int] = {}
        self._proxy_core: str | None = "0" if pin else None
        self._load_core: str | None = "1" if pin else None

    def run(self, metrics: list[str], rounds: int, tell: Callable[[str], None]) -> None:
        """Start everything, measure, end everything.

        Raises:
            NotUp: nginx or the proxy did not start. A peer that does not is a trouble, and left out.
        """
        with ExitStack() as stack:
            tell("starting")
            self._start(stack)
            self._warm_up(metrics)
            self.pss_mb["warm"] = self._memory()
            for number in range(rounds):
                self._round(metrics, number, tell)
                self.loads.append(round(os.getloadavg()[0], 2))
            tell("requests in flight")
            self._in_flight()
            self.pss_mb["end"] = self._memory()

    def _start(self, stack: ExitStack) -> None:
        folder, port = self._workshop.folder, self._workshop.ports["stub"]
        body = (folder / "1k.json").read_bytes()
        log = folder / "stub.log"
        stub = stack.enter_context(running(("./stub", f"{port}:0:0"), log=log, core=self._load_core, cwd=folder))
        wait_up(port, stub, body, log)
        started = []
        for target in self._targets:
            if target.same_process_as:
                started.append(target)
                continue
            log = folder / f"{target.name}.log"
            process = stack.enter_context(
                running(
                    target.command,
                    log=log,
                    core=self._proxy_core,
                    cwd=target.cwd or folder,
                    environment=target.environment,
                )
            )
            try:
                wait_up(target.port, process, body, log)
            except NotUp as error:
                if target.name in ("nginx", "proxy"):
                    raise
                self.troubles.append(str(error))
                continue
            self._pids[target.name] = process.pid
            started.append(target)
        self._targets = [*started, Target("direct", port, FAST, PASS)]
        self._pids |= {one.name: self._pids[one.same_process_as] for one in started if one.same_process_as}
        self._pids["direct"] = stub.pid

    def _warm_up(self, metrics: list[str]) -> None:
        for target in self._targets:
            for name in WARM_METRICS:
                metric = METRICS[name]
                if name in metrics and metric.kind in target.kinds:
                    self._load(target, metric, WARM_COUNTS[target.speed], 0)

    def _round(self, metrics: list[str], number: int, tell: Callable[[str], None]) -> None:
        for name in metrics:
            metric = METRICS[name]
            tell(f"round {number + 1}: {name}")
            chosen = [target for target in self._targets if metric.kind in target.kinds]
            random.shuffle(chosen)
            for target in chosen:
                count = metric.counts[target.speed]
                figures = self._load(target, metric, count, 5 if count < 300 else count // 20)
                self.results.setdefault(name, {}).setdefault(target.name, []).append(figures)
                wrong = {key: figures[key] for key in ("fail", "errs", "non2xx") if figures.get(key)}
                if wrong:
                    self.troubles.append(f"{target.name}, {name}: {wrong}")
        tell(f"round {number + 1}: flight")
        for target in self._targets:
            if "hit" in target.kinds:
                figures = self._flight(target, f"{target.name}-{number}-{time.time_ns()}")
                self.results.setdefault("flight", {}).setdefault(target.name, []).append(figures)

    def _load(self, target: Target, metric: Metric, count: int, warm: int) -> Figures:
        return self._generate(target, f"{metric.body}.json", metric.options, count, warm)

    def _generate(self, target: Target, body: str, options: tuple[str, ...], count: int, warm: int) -> Figures:
        core = self._proxy_core if target.name == "direct" else self._load_core
        words = ("./lg", "-p", str(target.port), "-P", CHAT, "-n", str(count), "-w", str(warm), "-T", str(MAX_S))
        command = pinned((*words, "-b", body, *options), core)
        pids = tree(self._pids[target.name])
        before_ns = cpu_ns(pids)
        done = subprocess.run(command, capture_output=True, text=True, cwd=self._workshop.folder, check=False)
        spent_ns = cpu_ns(pids) - before_ns
        try:
            figures: Figures = json.loads(done.stdout)
        except ValueError:
            return {"fail": done.stderr.strip()[-200:]}
        figures["cpu_us"] = spent_ns / 1000 / max(figures["done"], 1)
        return figures

    def _flight(self, target: Target, tag: str) -> Figures:
        """64 equal requests at once: calls of the engine, and the last answer's time over the engine's own."""
        Path(self._workshop.folder, "flight.json").write_bytes(flight_body(tag))
        before = self._calls()
        figures = self._generate(target, "flight.json", ("-c", str(FLIGHT_READERS)), FLIGHT_READERS, 0)
        calls = self._calls() - before
        return {"calls": calls, "over": figures.get("max", 0) / FLIGHT_US, "non2xx": figures.get("non2xx")}

    def _calls(self) -> int:
        with urllib.request.urlopen(f"{self._workshop.stub_url}/stats", timeout=10) as reply:
            return int(json.load(reply)["posts"])

    def _in_flight(self) -> None:
        proxy = next(target for target in self._targets if target.name == "proxy")
        for connections in INFLIGHT:
            figures = self._generate(proxy, "1k_slow.json", (*DISTINCT, "-c", str(connections)), 8000, 400)
            self.inflight[str(connections)] = figures.get("cpu_us", float("nan"))

    def _memory(self) -> dict[str, float]:
        apart = {target.name for target in self._targets if target.same_process_as} | {"direct"}
        return {name: pss_mb(tree(pid)) for name, pid in self._pids.items() if name not in apart}
