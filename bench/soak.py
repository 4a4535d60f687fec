"""The soak: half of what the proxy can do, for long, with clients that leave and an engine that breaks.

Its four promises: memory is flat after the warm-up; no error but those asked for; no connection is left when the load
has ended; the engine works for nobody who has left.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import httpx

from bench.children import Child
from bench.crew import Crew, Watch
from bench.leaks import Held, held, slope_mb_per_min
from bench.load import Loop
from bench.session import PROXY, Measured
from bench.summary import target_figures
from bench.tally import Tally
from bench.worker import Job
from bench.workloads import Soak, Wire

CAPACITY_S = 8.0
CAPACITY_USERS = 32
CAPACITY_SHARE = 0.5
WARM_SHARE = 0.3
"""Of the time, in which caches and allocators fill up."""
FLAT_SHARE, FLAT_MB = 0.05, 5.0
"""Of the memory, and at the most: what it may grow by over the rest of the run."""
SAMPLES = 240
RELEASE_S = 30.0
"""Within which idle connections must be gone; the longest keep-alive is 3 s."""
STORE_BYTES = 4 * 2**20
"""Small enough to be full, and evicting, before the warm-up ends."""


@dataclass(slots=True)
class Soaked:
    """What a soak showed."""

    capacity_per_s: float
    rate_per_s: float
    tally: Tally
    before: Held
    after: Held
    samples: list[Held] = field(default_factory=list)
    engine: dict[str, int] = field(default_factory=dict)
    """The stub's counters, a while after the end."""

    @property
    def measured(self) -> list[Held]:
        """The samples after the warm-up."""
        end_s = self.samples[-1].at_s if self.samples else 0.0
        return [one for one in self.samples if one.at_s >= WARM_SHARE * end_s]

    @property
    def slope_mb_per_min(self) -> float:
        return slope_mb_per_min(self.measured)

    def broken(self) -> list[str]:
        """The promises that were not kept."""
        found = []
        measured = self.measured
        if len(measured) > 2:
            minutes = (measured[-1].at_s - measured[0].at_s) / 60
            allowed_mb = min(FLAT_SHARE * measured[0].rss_mb, FLAT_MB)
            if self.slope_mb_per_min * minutes > allowed_mb:
                told = f"{self.slope_mb_per_min * minutes:.1f} MB in {minutes:.1f} min, {allowed_mb:.1f} allowed"
                found.append(f"memory grows: {told}")
        found += [f"{count} errors that were not asked for: {word}" for word, count in self.tally.errors.items()]
        if self.after.sockets > self.before.sockets:
            found.append(f"{self.after.sockets - self.before.sockets} connections left: {self.after.connections}")
        if self.engine.get("in_flight"):
            found.append(f"the engine still works on {self.engine['in_flight']} requests")
        return found

    def as_json(self) -> dict[str, Any]:
        return {
            "capacity_per_s": self.capacity_per_s,
            "rate_per_s": self.rate_per_s,
            "slope_mb_per_min": self.slope_mb_per_min,
            "broken": self.broken(),
            "before": asdict(self.before),
            "after": asdict(self.after),
            "engine": self.engine,
            "samples": [asdict(one) for one in self.samples],
            "load": target_figures(Measured(PROXY, [self.tally])),
        }


def soak(
    proxy: Child,
    stub: Child,
    crew: Crew,
    *,
    seconds: float,
    rate_per_s: float | None,
    model: str,
    tell: Callable[[str], Watch],
) -> Soaked:
    """Measure the capacity, unless a rate is given; then load, and look at the proxy meanwhile and afterwards."""
    before = held(proxy.pid, 0.0)
    wire = Wire(model, "soak")
    workload = Soak()
    none = Soak(leave_share=0.0, reset_share=0.0)
    crew.run(Job(proxy.url, workload, wire, Loop(requests=1), 0, priming=True), tell("asking what will be repeated"))
    capacity = 0.0
    if rate_per_s is None:
        loop = Loop(CAPACITY_USERS, seconds=CAPACITY_S)
        tally = crew.run(Job(proxy.url, none, Wire(model, "capacity"), loop, 1), tell("how much it can do"))
        capacity = tally.done / tally.elapsed_s
        rate_per_s = CAPACITY_SHARE * capacity
    job = Job(proxy.url, workload, wire, Loop(rate_per_s=rate_per_s, seconds=seconds), 2)
    with _sampled(proxy.pid, max(seconds / SAMPLES, 0.25)) as samples:
        tally = crew.run(job, tell(f"{rate_per_s:,.0f} requests/s"))
    after = _released(proxy.pid, before, seconds)
    engine = httpx.get(f"{stub.url}/stats", timeout=10).json()
    return Soaked(capacity, rate_per_s, tally, before, after, samples, engine)


def _released(pid: int, before: Held, at_s: float) -> Held:
    """The proxy once it holds no more than before the load, or after all patience."""
    end_s = time.monotonic() + RELEASE_S
    while (found := held(pid, at_s)).sockets > before.sockets and time.monotonic() < end_s:
        time.sleep(0.5)
    return found


@contextlib.contextmanager
def _sampled(pid: int, every_s: float) -> Iterator[list[Held]]:
    samples: list[Held] = []
    over = threading.Event()
    began_s = time.monotonic()

    def look() -> None:
        while not over.wait(every_s):
            with contextlib.suppress(OSError):
                samples.append(held(pid, time.monotonic() - began_s))

    thread = threading.Thread(target=look, name="looks at the proxy", daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()
