"""The router: where requests go, and that several engines are each other's equals."""

import numpy as np
import pytest

from simulation.cost import PRESETS, CostModel
from simulation.cost_file import load_cost
from simulation.engine import Engine
from simulation.frontend import FrontEnd, serve
from simulation.reference_engine import Completion, ReferenceEngine
from simulation.request import Request, WorkloadError
from simulation.router import ROUTES, FullEngine, Route, Router
from simulation.schedulers import continuous, reference_server
from simulation.settings import EngineSettings
from simulation.workload import Arrivals, Catalogue, LogNormal, Mix, Workload

SERVER = reference_server(PRESETS["reference"], 32)
MIX = Mix(LogNormal(300, 0.7), LogNormal(120, 0.88, 950))


def engines(count: int) -> list[ReferenceEngine]:
    return [ReferenceEngine(SERVER) for _ in range(count)]


def sent(router: Router, *requests: Request) -> list[int]:
    """Which engine each request went to; none of them finishes meanwhile."""
    places = []
    for row, request in enumerate(requests):
        before = list(router.submitted)
        router.submit(row, request, 0.0)
        places.append(next(at for at, count in enumerate(router.submitted) if count > before[at]))
    return places


def test_round_robin_takes_turns():
    assert sent(Router(engines(3), "round-robin"), *[Request(0.0, 10, 10)] * 5) == [0, 1, 2, 0, 1]


def test_least_loaded_fills_the_emptiest():
    router = Router(engines(2), "least-loaded")
    assert sent(router, *[Request(0.0, 10, 10)] * 3) == [0, 1, 0]
    assert router.outstanding == 3


def test_prefix_affinity_follows_the_longest_known_prefix():
    router = Router(engines(2), "prefix-affinity")
    requests = [
        Request(0.0, 48, 5, hash_ids=(1, 2, 3)),
        Request(0.0, 48, 5, hash_ids=(7, 8, 9)),
        Request(0.0, 48, 5, hash_ids=(1, 2, 4)),
        Request(0.0, 48, 5, hash_ids=(7, 8, 9)),
        Request(0.0, 48, 5, hash_ids=(1, 2, 4)),
    ]
    assert sent(router, *requests) == [0, 1, 0, 1, 0]


def test_prefix_affinity_uses_identities_where_there_are_no_hashes():
    router = Router(engines(2), "prefix-affinity")
    first, second = Request(0.0, 10, 5, identity=1), Request(0.0, 10, 5, identity=2)
    assert sent(router, first, second, second, first) == [0, 1, 1, 0]


def test_prefix_affinity_gives_way_when_its_engine_is_crowded():
    router = Router(engines(2), "prefix-affinity", slack=2)
    assert sent(router, *[Request(0.0, 16, 5, hash_ids=(1,))] * 5) == [0, 0, 0, 1, 1]


def test_prefix_affinity_forgets_what_it_sent_long_ago():
    router = Router(engines(2), "prefix-affinity", memory=1)
    requests = [Request(0.0, 16, 5, hash_ids=(name,)) for name in (1, 2, 3, 1)]
    # 3 pushes 1 out of engine 0's memory, so the last is sent by load alone.
    assert sent(router, *requests) == [0, 1, 0, 1]


@pytest.mark.parametrize("route", ROUTES)
def test_every_request_is_answered_once_on_any_route(route: Route):
    work = Mix(MIX.prompt, MIX.output, Catalogue(20, share=0.5, block_tokens=16)).draw(800, 1, Arrivals(20))
    router = Router(engines(3), route)
    served = serve(work, FrontEnd(), router)
    assert sum(router.submitted) == len(work)
    assert router.outstanding == 0
    assert all(
        finish > first > begin >= arrival
        for finish, first, begin, arrival in zip(
            served.finish_s, served.first_s, served.scheduled_s, served.arrival_s, strict=True
        )
    )


def test_round_robin_over_two_is_two_servers_with_every_other_request():
    work = MIX.draw(600, 2, Arrivals(12))
    served = serve(work, FrontEnd(), Router(engines(2), "round-robin"))
    for turn in (0, 1):
        half = Workload(work.arrival_s[turn::2], work.prompt_tokens[turn::2], work.output_tokens[turn::2])
        assert served.finish_s[turn::2] == pytest.approx(continuous(half, SERVER).finish_s, abs=1e-9)


def test_two_servers_are_quicker_than_one_and_least_loaded_beats_turns():
    work = MIX.draw(3000, 3, Arrivals(14))
    one = np.mean(serve(work, FrontEnd(), Router(engines(1), "least-loaded")).latencies())
    turns = np.mean(serve(work, FrontEnd(), Router(engines(2), "round-robin")).latencies())
    least = np.mean(serve(work, FrontEnd(), Router(engines(2), "least-loaded")).latencies())
    assert least < turns < one


def test_prefix_affinity_finds_more_of_its_prompts_in_the_cache():
    work = Mix(LogNormal(600, 0.3), LogNormal(40, 0.5), Catalogue(60, exponent=0.0, block_tokens=16)).draw(
        400, 4, Arrivals(10)
    )
    cached: dict[Route, int] = {}
    for route in ROUTES:
        full = [FullEngine(Engine(load_cost("rtxpro6000-llama3.1-8b"), EngineSettings(blocks=2000))) for _ in range(3)]
        serve(work, FrontEnd(), Router(full, route))
        cached[route] = sum(sum(one.engine.cached_tokens) for one in full)
    assert cached["prefix-affinity"] > 1.2 * cached["round-robin"]
    assert cached["prefix-affinity"] > 1.2 * cached["least-loaded"]


def test_a_request_no_engine_can_hold_is_named_by_its_row():
    work = Workload([0.0, 1.0, 2.0], [10, 5000, 10], [5, 5, 5])
    small = [FullEngine(Engine(PRESETS["reference"], EngineSettings(blocks=50))) for _ in range(2)]
    with pytest.raises(WorkloadError) as caught:
        serve(work, FrontEnd(), Router(small, "round-robin"))
    assert caught.value.index == 1


def test_a_plan_is_cut_short_by_an_arrival_that_finds_a_slot():
    engine = ReferenceEngine(SERVER)
    engine.submit(0, Request(0.0, 100, 400), 0.0)
    assert engine.advance(np.inf) == []
    alone = engine.next_s
    assert alone == pytest.approx(0.005 + 400 * 6.25e-3)
    engine.submit(1, Request(1.0, 100, 1), 1.0)
    assert engine.next_s == pytest.approx(0.005 + 160 * 6.25e-3), "the first boundary from then on"
    assert engine.advance(np.inf) == []
    (done,) = engine.advance(np.inf)
    assert done.row == 1
    assert done.first_s == done.finish_s == pytest.approx(1.005 + 0.005 + 6.5e-3)


def test_a_late_clock_still_moves():
    """At ten million seconds a nanosecond is less than the clock's last digit."""
    engine = FullEngine(Engine(CostModel("x", "", 0.01)))
    engine.submit(0, Request(0.0, 5, 3), 3e7)
    done: list[Completion] = []
    for _ in range(20):
        done += engine.advance(engine.next_s)
    assert [one.row for one in done] == [0]


@pytest.mark.parametrize("route", ["least-loaded", "prefix-affinity"])
def test_a_request_in_its_last_step_is_still_in_its_engine(route: Route):
    """Engines run ahead to the end of a step; a router must not know of it."""
    step = CostModel("x", "", 1.0)
    router = Router([FullEngine(Engine(step)) for _ in range(2)], route)
    seen = []
    for row, now_s in enumerate((0.0, 0.5, 0.75, 1.25)):
        while router.next_s < now_s:
            router.advance(now_s)
        router.submit(row, Request(now_s, 5, 1), now_s)
        seen.append(list(router.submitted))
    # Two engines for the first two; the third queues behind the first; then the first has gone.
    assert seen == [[1, 0], [1, 1], [2, 1], [3, 1]]
