"""CPU time of single steps, in rounds so that two commits can be compared: what drifts between rounds drifts for all.

A figure is the median over rounds of CPU time per operation, with its quartiles. CPU time leaves out what neighbours on
a busy machine take, but not what they do to caches; the quartiles show it.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from bench.in_process import InProcess
from bench.load import Alarm
from bench.micro_cases import CASES, DERIVED, Case, Run, body_of, must_be, packaged_worker
from bench.tally import Values
from proxy.cache.embedder_worker import EmbeddingWorker
from proxy.cli.serve import spare_the_collector

ROUND_S = 0.05
"""CPU time of one case in one round."""
MAX_COUNT = 100_000
HIT_RATE_PER_S = 200.0
"""Of the exact hits that are timed beside an embedder."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds of CPU per operation: the median of the rounds, and their quartiles."""

    what: str
    median_us: float
    low_us: float
    high_us: float
    rounds: tuple[float, ...]


def cost(what: str, rounds: Sequence[float]) -> Cost:
    low, median, high = statistics.quantiles(rounds, n=4) if len(rounds) > 1 else [rounds[0]] * 3
    return Cost(what, median, low, high, tuple(rounds))


async def measure(
    cases: Sequence[Case], rounds: int, tell: Callable[[str], None] = lambda title: None, round_s: float = ROUND_S
) -> dict[str, Cost]:
    """Run every case in every round, in another order each time."""
    found: dict[str, list[float]] = {case.name: [] for case in cases}
    async with AsyncExitStack() as stack:
        runs = {}
        for case in cases:
            tell(f"starting {case.name}")
            runs[case.name] = await stack.enter_async_context(case.start())
        counts = {name: await _count(run, round_s) for name, run in runs.items()}
        shuffled = random.Random(0)
        for number in range(rounds):
            for name in shuffled.sample(sorted(runs), len(runs)):
                tell(f"round {number + 1} of {rounds}: {name}")
                began_s = time.process_time()
                await runs[name](counts[name])
                found[name].append(1e6 * (time.process_time() - began_s) / counts[name])
    costs = {case.name: cost(case.what, found[case.name]) for case in cases}
    for name, (what, longer, shorter, between) in DERIVED.items():
        if longer in found and shorter in found:
            pairs = zip(found[longer], found[shorter], strict=True)
            costs[name] = cost(what, [(long - short) / between for long, short in pairs])
    return costs


async def _count(run: Run, round_s: float) -> int:
    """How often a round does it; finding out warms it up."""
    count = 1
    while True:
        began_s = time.process_time()
        await run(count)
        spent_s = time.process_time() - began_s
        if spent_s >= round_s / 4 or count >= MAX_COUNT:
            return max(1, min(MAX_COUNT, round(count * round_s / max(spent_s, 1e-6))))
        count *= 4


async def hit_latency(*, busy: bool, seconds: float) -> Values:
    """Microseconds from when an exact hit was due until it was sent whole, 200 a second.

    busy: an embedder in its thread always has texts to embed, as a flood of new prompts would give it.
    """
    proxy, body, latencies = InProcess(), body_of(1024, mark="7"), Values()
    await proxy.ask(body)
    must_be(await proxy.ask(body), "hit")
    worker = packaged_worker()
    if busy:
        await worker.start(60)
    spare_the_collector()  # as the proxy does when it starts: what was measured before has left a large heap
    stopped = asyncio.Event()
    flood = asyncio.get_running_loop().create_task(_flood(worker, stopped)) if busy else None
    began_s = time.monotonic()
    with Alarm() as alarm:
        for number in range(int(seconds * HIT_RATE_PER_S)):
            due_s = began_s + number / HIT_RATE_PER_S
            await alarm.wait_until(due_s)
            await proxy.ask(body)
            latencies.add(1e6 * (time.monotonic() - due_s))
    if flood is not None:
        # Waited for: the process must not end with the embedder's thread inside its library.
        stopped.set()
        await flood
    await worker.aclose()
    await proxy.app.aclose()
    return latencies


async def lookup_latency(count: int) -> Values:
    """Microseconds of semantic lookups among 10,000 texts, one after another: what a request waits for its lookup.

    Less than their CPU time, since a question is read while it is embedded.
    """
    case, latencies = next(case for case in CASES if case.name == "semantic_lookup"), Values()
    async with case.start() as run:
        await run(count // 10)  # warms up
        spare_the_collector()  # as above
        for _ in range(count):
            began_s = time.monotonic()
            await run(1)
            latencies.add(1e6 * (time.monotonic() - began_s))
    return latencies


async def _flood(worker: EmbeddingWorker, stopped: asyncio.Event) -> None:
    number = 0
    while not stopped.is_set():
        texts = [f"Which city is the capital of region {number + step}?" for step in range(32)]
        number += len(texts)
        await asyncio.gather(*(worker.embed(text) for text in texts))


@dataclass(frozen=True, slots=True)
class Change:
    """One case in two records."""

    name: str
    before_us: float
    after_us: float
    distinct: bool
    """The quartiles do not overlap: more than noise."""

    @property
    def ratio(self) -> float:
        return self.after_us / self.before_us


def compare(before: dict[str, Cost], after: dict[str, Cost]) -> list[Change]:
    """The cases that both have."""
    return [
        Change(
            name,
            before[name].median_us,
            found.median_us,
            found.low_us > before[name].high_us or found.high_us < before[name].low_us,
        )
        for name, found in after.items()
        if name in before
    ]
