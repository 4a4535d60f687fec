"""A whole bench: every workload on every target, repeat by repeat, so that what drifts drifts for all of them."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.crew import Crew, Watch
from bench.load import Loop
from bench.tally import Slo, Tally
from bench.worker import Job
from bench.workloads import Burst, Paraphrase, Users, Wire, Workload

PROXY, DIRECT = "proxy", "direct"
WARM_USERS = 8
FILLED_S = 1.5
"""Vectors are made after the answers have gone out: how long a semantic lookup's first hits may take to become such."""


@dataclass(frozen=True, slots=True)
class Target:
    """One server under load."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """One workload and the way it is put."""

    workload: Workload
    loop: Loop
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """What all cases share."""

    model: str
    max_tokens: int = 128
    warmup: int = 16
    repeats: int = 1
    seed: int = 0
    slo: Slo = field(default_factory=Slo)
    timeout_s: float = 300.0
    stream_marker: str = ""
    """Put into streamed prompts: the stub engine has no pace of its own."""


@dataclass(slots=True)
class Measured:
    """One case on one target: a tally for each repeat."""

    target: str
    repeats: list[Tally] = field(default_factory=list)
    generations: list[int] = field(default_factory=list)
    """For each repeat, as the engine counted them; empty if it does not."""
    primed: Tally = field(default_factory=Tally)


@dataclass(slots=True)
class Section:
    """One case on all targets."""

    case: Case
    measured: dict[str, Measured]


Tell = Callable[[str, Case], Watch]
"""Called before each run with its title; what it returns is told how far the run is."""


def run_cases(
    cases: Sequence[Case],
    targets: Sequence[Target],
    settings: Settings,
    crew: Crew,
    tell: Tell,
    count_generations: Callable[[], int] | None = None,
) -> list[Section]:
    """Measure all of it; after Ctrl-C what was measured until then."""
    sections = []
    run = secrets.token_hex(4)
    for target in targets:
        if settings.warmup and not crew.interrupted:
            _warm_up(target, settings, crew, tell, run)
    for case in cases:
        section = Section(case, {target.name: Measured(target.name) for target in targets})
        sections.append(section)
        for repeat in range(settings.repeats):
            # Each is first as often as last.
            for target in targets if repeat % 2 == 0 else reversed(targets):
                if crew.interrupted:
                    return sections
                salt = f"{run}-{len(sections)}-{repeat}-{target.name}"
                _measure(section, target, settings, crew, tell, salt, repeat, count_generations)
    return sections


def _warm_up(target: Target, settings: Settings, crew: Crew, tell: Tell, run: str) -> None:
    case = Case(Users(repeat_share=0.5, distinct=4), Loop(users=WARM_USERS, requests=settings.warmup))
    crew.run(_job(case, target, settings, f"{run}-warm-{target.name}", 0), tell(f"warming up {target.name}", case))


def _measure(
    section: Section,
    target: Target,
    settings: Settings,
    crew: Crew,
    tell: Tell,
    salt: str,
    repeat: int,
    count_generations: Callable[[], int] | None,
) -> None:
    case, measured = section.case, section.measured[target.name]
    title = f"{case.workload.title}, {target.name}, {repeat + 1} of {settings.repeats}"
    # Both targets are asked the same prompts in the same order; only the salt differs.
    job = _job(case, target, settings, salt, settings.seed + repeat)
    if case.workload.primed():
        priming = Job(**{name: getattr(job, name) for name in Job.__slots__ if name != "priming"}, priming=True)
        measured.primed.merge(crew.run(priming, tell(f"{title}: asking what will be repeated", case)))
        if isinstance(case.workload, Paraphrase):
            time.sleep(FILLED_S)
    if crew.interrupted:
        return
    before = count_generations() if count_generations else 0
    measured.repeats.append(crew.run(job, tell(title, case)))
    if count_generations:
        measured.generations.append(count_generations() - before)


def _job(case: Case, target: Target, settings: Settings, salt: str, seed: int) -> Job:
    marker = settings.stream_marker if case.stream else ""
    wire = Wire(settings.model, salt, case.stream, settings.max_tokens, marker)
    return Job(target.url, case.workload, wire, case.loop, seed, target.headers, settings.slo, settings.timeout_s)


def broken_promises(sections: Sequence[Section]) -> list[str]:
    """What a burst in front of an engine that counts should have cost, where it cost something else."""
    broken = []
    for section in sections:
        measured = section.measured.get(PROXY)
        if not isinstance(section.case.workload, Burst) or measured is None:
            continue
        for tally, cost in zip(measured.repeats, measured.generations, strict=True):
            requests = section.case.loop.requests or 0
            distinct = min(Burst.DISTINCT, requests)
            if cost != distinct:
                broken.append(f"burst: {cost} generations, expected {distinct}")
            spared = tally.outcomes["hit"] + tally.outcomes["shared"]
            if spared != requests - distinct:
                broken.append(f"burst: hits and shared are {spared}, expected {requests - distinct}")
    return broken
