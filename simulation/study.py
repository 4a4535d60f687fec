"""The batching study: the published table, long runs, the highest load that keeps a promise, and sharing.

The study is a list of independent pieces of work, run on as many processes as there are cores. It is deterministic:
the same parameters give the same numbers, on however many.
"""

import json
import math
import multiprocessing
import os
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from typing import Any

from simulation.cost import CostModel
from simulation.loads import Highest, Point, capacity_per_s, highest, point
from simulation.published import SEEDS_IN_AN_AVERAGE, Reproduced, Row, compare, measure_seed
from simulation.request import WorkloadError
from simulation.schedulers import DISCIPLINES, Discipline, Server, reference_server
from simulation.sharing import (
    CAPACITY_PER_S,
    CASES,
    HEAT_HITS,
    HEAT_LOADS,
    CaseResult,
    CaseRun,
    HeatRow,
    heat_row,
    run_case,
    summarise,
)
from simulation.workload import LogNormal, Mix

# Where p95 is measured besides the loads asked for, as parts of capacity: the curves of the report.
CURVE = (0.2, 0.4, 0.6, 0.75, 0.87)
# Runs as short as the published ones, to show what they overstate.
SHORT_REQUESTS = 1500
SEEDS_A_PIECE = 30


@dataclass(frozen=True, slots=True)
class Parameters:
    """Everything the numbers depend on. The defaults are those that fit the published table best.

    A long run begins with `requests` and is doubled until p95 settles, up to longest_requests; there are `runs` of them
    a load. replicates: how many 3-seed averages the published table is compared with. short_runs: runs of 1,500 in
    which the highest load is sought too. The sharing ones are about front ends. Seeds count up from seed.
    """

    loads: tuple[float, ...] = (0.5, 1, 2, 4, 8, 10)
    slo_s: float = 10.0
    slots: int = 32
    step_ms: float = 6.0
    sequence_ms: float = 0.25
    prompt_token_ms: float = 0.05
    prompt_median: float = 300
    prompt_sigma: float = 0.7
    output_median: float = 120
    output_sigma: float = 0.88
    output_cap: int = 950
    requests: int = 10_000
    longest_requests: int = 80_000
    runs: int = 10
    replicates: int = 200
    short_runs: int = 30
    sharing_requests: int = 4000
    sharing_runs: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.loads or not all(0 < load < math.inf for load in self.loads):
            raise WorkloadError("the loads must be one or more numbers above 0, in requests per second")
        if not self.slo_s > 0:
            raise WorkloadError(f"the limit for p95 is {self.slo_s} s; it must be above 0")
        if min(self.requests, self.sharing_requests) < 100 or min(self.runs, self.sharing_runs, self.replicates) < 2:
            raise WorkloadError("needed are 100 or more requests a run, and 2 or more runs and replicates")
        if self.short_runs < 1 or self.seed < 0:
            raise WorkloadError("needed are 1 or more short runs, and a seed from 0 up")
        costs = (self.step_ms, self.sequence_ms, self.prompt_token_ms)
        if not all(0 <= cost < math.inf for cost in costs) or self.step_ms + self.sequence_ms <= 0:
            raise WorkloadError("costs must be 0 ms or more, and a step must take time")
        # Both refuse what they cannot be made of.
        _ = self.mix, self.server

    @property
    def mix(self) -> Mix:
        return Mix(
            LogNormal(self.prompt_median, self.prompt_sigma),
            LogNormal(self.output_median, self.output_sigma, self.output_cap),
        )

    @property
    def server(self) -> Server:
        cost = CostModel(
            "study",
            step_s=self.step_ms / 1000,
            sequence_s=self.sequence_ms / 1000,
            prompt_token_s=self.prompt_token_ms / 1000,
        )
        return reference_server(cost, self.slots)

    @property
    def as_published(self) -> bool:
        """Whether the published table is about this system; only then it is compared with."""
        return (self.mix, self.server) == (Parameters().mix, Parameters().server)


@dataclass(slots=True)
class Study:
    """What has been found so far; whole is False while something is missing."""

    parameters: Parameters
    capacity_per_s: dict[Discipline, float]
    published: list[Reproduced] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    highest: list[Highest] = field(default_factory=list)
    sharing: list[CaseResult] = field(default_factory=list)
    heat_loads: tuple[float, ...] = HEAT_LOADS
    heat: list[HeatRow] = field(default_factory=list)
    whole: bool = False

    def as_json(self) -> dict[str, Any]:
        """Plain values, floats to six significant digits."""
        plain: dict[str, Any] = json.loads(
            json.dumps(asdict(self)), parse_float=lambda text: float(f"{float(text):.6g}")
        )
        return plain


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of the work: function(*arguments) is one value, or one of the values, of a section."""

    section: str
    place: int
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def pieces(parameters: Parameters, capacities: dict[Discipline, float]) -> list[Piece]:
    """In the order in which they should be begun: what takes long first."""
    mix, server, seed = parameters.mix, parameters.server, parameters.seed
    long_runs = range(seed, seed + parameters.runs)
    found: list[Piece] = []

    def add(section: str, function: Callable[..., Any], *arguments: Any) -> None:
        found.append(Piece(section, len(found), function, arguments))

    for discipline in reversed(DISCIPLINES):
        capacity = capacities[discipline]
        short_runs = range(seed, seed + parameters.short_runs)
        for requests, seeds in ((2 * parameters.requests, long_runs), (SHORT_REQUESTS, short_runs)):
            add("highest", highest, discipline, parameters.slo_s, mix, server, capacity, requests, seeds)
        for load in _with_curve(parameters.loads, capacity):
            lengths = (parameters.requests, parameters.longest_requests)
            add("points", point, discipline, load, mix, server, capacity, long_runs, *lengths)
    if parameters.as_published:
        end = seed + parameters.replicates * SEEDS_IN_AN_AVERAGE
        for begin in range(seed, end, SEEDS_A_PIECE):
            add("published", _measure_seeds, range(begin, min(begin + SEEDS_A_PIECE, end)), mix, server)
    scale = _sharing_scale(parameters, capacities)
    for case in CASES:
        for turn in range(seed, seed + parameters.sharing_runs):
            add(f"case {case.name}", run_case, case, scale, mix, server, parameters.sharing_requests, turn)
    for hit_rate in HEAT_HITS:
        add("heat", heat_row, hit_rate, _heat_loads(scale), mix, server, parameters.sharing_requests, seed)
    return found


def _sharing_scale(parameters: Parameters, capacities: dict[Discipline, float]) -> float:
    """What the loads of the sharing part are multiplied by, so that another server is as busy as the reference one."""
    return 1.0 if parameters.as_published else capacities["continuous"] / CAPACITY_PER_S


def _heat_loads(scale: float) -> tuple[float, ...]:
    return tuple(scale * load for load in HEAT_LOADS)


def _with_curve(loads: tuple[float, ...], capacity: float) -> list[float]:
    """The loads, and points of the curve where none of them is near."""
    curve = (round(part * capacity, 3) for part in CURVE)
    apart = [load for load in curve if all(abs(load - other) > 0.03 * capacity for other in loads)]
    return sorted({*loads, *apart})


def _measure_seeds(seeds: range, mix: Mix, server: Server) -> list[Row]:
    return [measure_seed(seed, mix, server) for seed in seeds]


def run_study(parameters: Parameters, jobs: int, tell: Callable[[int, int], None]) -> Study:
    """Run all pieces; tell(done, all) after each. After Ctrl-C the study holds what is done."""
    mix, server = parameters.mix, parameters.server
    study = Study(
        parameters,
        {discipline: capacity_per_s(discipline, mix, server, parameters.seed) for discipline in DISCIPLINES},
    )
    scale = _sharing_scale(parameters, study.capacity_per_s)
    study.heat_loads = _heat_loads(scale)
    todo = pieces(parameters, study.capacity_per_s)
    values: dict[str, dict[int, Any]] = defaultdict(dict)
    try:
        for done, (piece, value) in enumerate(_completed(todo, jobs), start=1):
            values[piece.section][piece.place] = value
            tell(done, len(todo))
    except KeyboardInterrupt:
        pass
    needed = Counter(piece.section for piece in todo)
    found = {section: [by_place[place] for place in sorted(by_place)] for section, by_place in values.items()}
    study.points = found.get("points", [])
    study.highest = found.get("highest", [])
    study.heat = found.get("heat", [])
    study.whole = all(len(found.get(section, ())) == count for section, count in needed.items())
    # The rest says something only when it is complete.
    if needed["published"] and len(found.get("published", ())) == needed["published"]:
        study.published = compare([row for rows in found["published"] for row in rows])
    cases: dict[str, list[CaseRun]] = {case.name: found.get(f"case {case.name}", []) for case in CASES}
    if all(len(runs) == parameters.sharing_runs for runs in cases.values()):
        study.sharing = summarise(cases, scale)
    return study


def _completed(todo: list[Piece], jobs: int) -> Iterator[tuple[Piece, Any]]:
    if jobs == 1:
        for piece in todo:
            yield piece, piece.function(*piece.arguments)
        return
    # Spawned, not forked: the terminal's progress runs a thread. The workers leave Ctrl-C to this process.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    )
    try:
        futures = {pool.submit(piece.function, *piece.arguments): piece for piece in todo}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def json_text(study: Study) -> str:
    """As `as_json`, a line for each value of a list, so that a changed number is a changed line."""
    return json.dumps(study.as_json(), indent=1) + "\n"


def parameters_of(found: dict[str, Any]) -> Parameters:
    """Parameters from what `Study.as_json` writes."""
    values: dict[str, Any] = {**found, "loads": tuple(found["loads"])}
    return Parameters(**values)
