"""One engine or several behind a router, run to the end of a workload."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from simulation.cost import CostModel, Seen
from simulation.engine import Engine
from simulation.outcomes import Outcomes, outcomes
from simulation.request import Request, WorkloadError
from simulation.router import FullEngine, Route, Router
from simulation.settings import EngineSettings

MOST_ENGINES = 10_000


class _Noted(FullEngine):
    """Remembers which rows of the workload it was given."""

    __slots__ = ("rows",)

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.rows: list[int] = []

    def submit(self, row: int, request: Request, now_s: float) -> None:
        super().submit(row, request, now_s)
        self.rows.append(row)


@dataclass(frozen=True, slots=True)
class Fleet:
    """Engines that served a workload to its end, and what became of each request, in the workload's order."""

    engines: tuple[Engine, ...]
    outcomes: Outcomes

    @property
    def steps(self) -> int:
        return sum(engine.steps for engine in self.engines)


def run_fleet(
    requests: Sequence[Request],
    cost: CostModel,
    settings: EngineSettings,
    *,
    engines: int = 1,
    route: Route = "least-loaded",
    hash_tokens: int = 16,
    step: bool = False,
    series: bool = False,
    warm: Sequence[Request] = (),
) -> Fleet:
    """Serve the requests; warns if a step was larger than what the costs were measured on.

    series: the engines also keep their state after each step or jump. warm: requests served before, whose prompts every
    engine's cache still holds at the start.

    Raises:
        WorkloadError: a request that no engine could run (its index is that in `requests`), or no engine.
    """
    if not 1 <= engines <= MOST_ENGINES:
        raise WorkloadError(f"{engines} engines; use 1 to {MOST_ENGINES:,}")
    made = [Engine(cost, settings, step=step, hash_tokens=hash_tokens) for _ in range(engines)]
    for engine in made:
        engine.series = [] if series else None
        engine.warm(warm)
    if engines == 1:
        for request in requests:
            made[0].submit(request)
        made[0].finish()
        return Fleet((made[0],), outcomes(made))
    noted = [_Noted(engine) for engine in made]
    router = Router(noted, route)
    for row, request in enumerate(requests):
        while router.next_s < request.arrival_s:
            router.advance(request.arrival_s)
        try:
            router.submit(row, request, request.arrival_s)
        except WorkloadError as error:
            raise WorkloadError(error.reason, row) from None
    while router.next_s < inf:
        router.advance(inf)
    ran = tuple(one.engine for one in noted)
    for engine in ran:
        engine.run_until()  # An engine that plans ahead still holds the blocks of those that just ended.
    cost.warn_beyond(largest(ran))
    return Fleet(ran, outcomes(ran, [row for one in noted for row in one.rows]))


def largest(engines: Sequence[Engine]) -> Seen:
    """The largest step that any of them took, measure by measure."""
    steps = [engine.largest for engine in engines]
    return Seen(
        max(step.sequences for step in steps),
        max(step.kv_tokens for step in steps),
        max(step.prompt_tokens for step in steps),
    )
