"""A load process: takes jobs from the process that reports, drives the load client, and returns a tally of each."""

import asyncio
import contextlib
import gc
import itertools
import math
import signal
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import uvloop

from bench.ask import Answer, Ask
from bench.client import LoadClient, Target
from bench.load import Loop, asks, drive
from bench.reading import read_exchange
from bench.tally import Slo, Tally
from bench.workloads import Wire, Workload

TOLD_EVERY_S = 0.25
FLOOR_ROUND_TRIPS = 300
PRIMING_USERS = 8


@dataclass(frozen=True, slots=True)
class Job:
    """One measured run of one workload against one target."""

    url: str
    workload: Workload
    wire: Wire
    loop: Loop
    seed: int
    headers: Mapping[str, str] = field(default_factory=dict)
    slo: Slo = field(default_factory=Slo)
    timeout_s: float = 300.0
    priming: bool = False
    """Ask what the workload wants answered beforehand, instead of the workload."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is."""

    outcomes: Mapping[str, int]
    errors: int


STOP = "stop"


def work(pipe: Connection, worker: int, workers: int) -> None:
    """Serve jobs until the pipe closes. The terminal's Ctrl-C is for the parent, which sends STOP."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Everything the load makes is freed by reference counts; a collection would be a pause in the measurement.
    gc.freeze()
    gc.disable()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            job = pipe.recv()
            if isinstance(job, Job):
                pipe.send(uvloop.run(_run_told(job, pipe, worker, workers)))
            elif job == FLOOR:
                pipe.send(uvloop.run(floor_us()))


async def _run_told(job: Job, pipe: Connection, worker: int, workers: int) -> Tally:
    """Run a job; tell how far it is, and end early when told to."""
    tally = Tally()
    task = asyncio.ensure_future(run_job(job, tally, worker, workers))
    while not (await asyncio.wait([task], timeout=TOLD_EVERY_S))[0]:
        if pipe.poll():
            pipe.recv()
            task.cancel()
        pipe.send(Progress(dict(tally.outcomes), sum(tally.errors.values())))
    if not task.cancelled():
        task.result()
    return tally


async def run_job(job: Job, tally: Tally, worker: int = 0, workers: int = 1) -> None:
    """This worker's share of a job, into `tally`; cancelled, it leaves there what was measured."""
    client = LoadClient(Target(job.url, job.headers), timeout_s=job.timeout_s)

    def record(ask: Ask, answer: Answer) -> None:
        tally.lateness.add(1e6 * (answer.sent_s - answer.due_s))
        tally.ended_s = answer.ended_s
        tally.record(ask, read_exchange(ask, answer), job.slo, answer.family.decode("latin-1"))

    users = max(1, job.loop.users // workers + (worker < job.loop.users % workers))
    if job.priming:
        prompts = itertools.islice(job.workload.primed(), worker, None, workers)
        share = iter([job.wire.ask(prompt) for prompt in prompts])
        users = PRIMING_USERS
    else:
        share = asks(job.workload, job.wire, job.loop, job.seed, worker, workers)
    tally.began_s = time.monotonic()
    until_s = math.inf if job.loop.seconds is None or job.priming else tally.began_s + job.loop.seconds
    cpu_s = time.process_time()
    try:
        await drive(client, share, users, until_s, record)
    finally:
        spent_s = time.process_time() - cpu_s
        tally.ended_s = tally.ended_s or time.monotonic()
        tally.cpu_shares = [spent_s / max(time.monotonic() - tally.began_s, 1e-9)]
        tally.reconnects = client.reconnects
        client.close()


FLOOR = "floor"


async def floor_us() -> float:
    """The least this client can measure: its round trip to a server on the same loop that answers anything at once."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Instant, "127.0.0.1", 0)
    client = LoadClient(Target(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
    times: list[float] = []
    for _ in range(FLOOR_ROUND_TRIPS):
        answer = await client.ask(Ask(b"{}"))
        times.append(answer.ended_s - answer.sent_s)
    client.close()
    server.close()
    return 1e6 * statistics.median(times)


class _Instant(asyncio.Protocol):
    _transport: Any

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
