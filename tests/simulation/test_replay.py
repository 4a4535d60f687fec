"""Replaying a trace, and planning from one."""

import pytest

from simulation.cost import CostModel
from simulation.fleet import run_fleet
from simulation.outcomes import Spread, spread
from simulation.plan import Site, plan, read_target, with_repeats
from simulation.replay import per_second, replay
from simulation.request import Request, WorkloadError
from simulation.settings import EngineSettings
from simulation.traces import Trace

# One slot and one second a step: an engine answers a request of n tokens in n seconds.
SECOND = CostModel("second", "", 1.0)
HUNDREDTH = CostModel("hundredth", "", 0.01)
ONE = EngineSettings(max_num_seqs=1, plan_ahead=False)


def trace(gap_s: float, count: int, output: int = 2, identity: int | None = None) -> Trace:
    requests = tuple(Request(gap_s * index, 10, output, (), identity) for index in range(count))
    return Trace("made.csv", requests, tuple(range(2, count + 2)))


def test_a_replay_says_what_requests_saw():
    found = replay(trace(3.0, 10), SECOND, ONE)
    assert (found.wait.mean, found.ttft.p99, found.latency.mean) == (0.0, 1.0, 2.0)
    assert found.tpot.mean == 1.0
    assert found.done_per_s == pytest.approx(10 / 29)
    assert found.output_tokens_per_s == pytest.approx(20 / 29)
    assert (found.label, found.requests, found.preemptions) == ("stable", 10, 0)


@pytest.mark.parametrize(("gap_s", "label"), [(2.5, "stable"), (1.0, "overloaded"), (1.98, "stable")])
def test_the_label_says_whether_the_engine_kept_up(gap_s: float, label: str):
    assert replay(trace(gap_s, 60), SECOND, ONE).label == label


def test_a_queue_that_stood_before_the_second_half_is_a_backlog():
    burst = [Request(0.0, 10, 2)] * 20 + [Request(2.0 * index, 10, 2) for index in range(1, 40)]
    found = replay(Trace("made.csv", tuple(burst), tuple(range(len(burst)))), SECOND, ONE)
    assert found.label == "backlogged"


def test_several_engines_share_the_requests_and_keep_their_order():
    fleet = run_fleet(trace(1.0, 40).requests, SECOND, ONE, engines=2)
    assert [len(engine.arrival_s) for engine in fleet.engines] == [20, 20]
    assert fleet.outcomes.arrival_s.tolist() == [float(index) for index in range(40)]
    assert fleet.outcomes.latency_s.max() == 2.0


@pytest.mark.parametrize("route", ["round-robin", "least-loaded", "prefix-affinity"])
def test_one_engine_behind_any_router_is_one_engine(route: str):
    work = trace(1.7, 30).requests
    alone = run_fleet(work, SECOND, ONE)
    two = run_fleet(work, SECOND, ONE, engines=2, route=route)  # type: ignore[arg-type]
    assert two.outcomes.latency_s.sum() <= alone.outcomes.latency_s.sum()


def test_an_error_behind_a_router_names_the_row_of_the_file():
    requests = (*trace(1.0, 3).requests, Request(3.0, 500, 2))
    long = Trace("made.csv", requests, (2, 3, 4, 5))
    with pytest.raises(WorkloadError, match=r"^made\.csv, row 5: 500 prompt"):
        replay(long, SECOND, EngineSettings(max_num_seqs=1, blocks=10), engines=2)


def test_the_state_by_the_second_adds_up():
    found = replay(trace(1.0, 6), SECOND, ONE, series=True)
    series = per_second(found.fleet)
    assert series["t"] == [float(second) for second in range(13)]
    for second, running, waiting in zip(series["t"], series["running"], series["waiting"], strict=True):
        arrived = sum(index <= second for index in range(6))
        assert running + waiting == arrived - min(arrived, int(second // 2))
    assert max(series["running"]) == 1


def test_no_engine_is_refused():
    with pytest.raises(WorkloadError, match="0 engines"):
        replay(trace(1.0, 2), SECOND, ONE, engines=0)


def test_a_spread_of_nothing_is_0():
    fleet = run_fleet([Request(0.0, 1, 1)], SECOND, ONE)
    assert spread(fleet.outcomes.tpot_s) == Spread(0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "percentile", "measure", "limit"),
    [
        ("p95 ttft < 1", 95, "ttft", 1),
        ("mean latency<2.5s", None, "latency", 2.5),
        ("P99.9 WAIT < 0.5", 99.9, "wait", 0.5),
    ],
)
def test_targets_are_read(text: str, percentile: float | None, measure: str, limit: float):
    found = read_target(text)
    assert (found.percentile, found.measure, found.limit_s) == (percentile, measure, limit)


@pytest.mark.parametrize(
    "text", ["ttft < 1", "p95 ttft > 1", "p0 ttft < 1", "p101 ttft < 1", "p95 tpot < 1", "p95 ttft < 0"]
)
def test_what_is_no_target_is_told(text: str):
    with pytest.raises(ValueError, match=r"write a target like|percentiles lie|above 0 s"):
        read_target(text)


def test_a_plan_is_the_fewest_engines_that_keep_the_target():
    """A request every 0.5 s that takes 2 s keeps four engines busy; three fall behind."""
    told: list[tuple[str, int]] = []
    needs = plan(
        trace(0.5, 80, output=200),
        Site(HUNDREDTH, ONE),
        read_target("p95 latency < 2.1"),
        told=lambda front, engines, value_s: told.append((front, engines)),
    )
    assert [need.engines for need in needs] == [4, 4, 4]
    assert needs[0].value_s == pytest.approx(2.0, abs=0.03)
    assert needs[0].one_less_s is not None
    assert needs[0].one_less_s > 2.1
    assert ("no front end", 3) in told


def test_a_cache_in_front_saves_engines_where_questions_repeat():
    needs = plan(trace(0.5, 80, output=200, identity=1), Site(HUNDREDTH, ONE), read_target("p95 latency < 2.1"))
    assert [need.engines for need in needs] == [4, 1, 1]
    assert needs[1].coalesced_share > 0.7
    assert needs[2].hit_share > 0.9


def test_a_plan_gives_up_at_the_most_engines():
    needs = plan(trace(0.1, 40), Site(SECOND, ONE, max_engines=3), read_target("mean wait < 0.1"))
    assert needs[0].engines is None
    assert needs[0].value_s > 0.1


def test_a_plan_names_the_row_that_does_not_fit():
    with pytest.raises(WorkloadError, match=r"^made\.csv, row 2: 10 prompt"):
        plan(
            trace(1.0, 3, output=900),
            Site(SECOND, EngineSettings(max_num_seqs=1, blocks=10)),
            read_target("p95 wait < 1"),
        )


def test_repeats_keep_the_arrivals_and_ask_the_first_questions_again():
    some = trace(1.0, 2000)
    found = with_repeats(some, entries=20, share=0.3, seed=1)
    assert [request.arrival_s for request in found.requests] == [request.arrival_s for request in some.requests]
    asked = [request.identity for request in found.requests if request.identity is not None]
    assert len(asked) / 2000 == pytest.approx(0.3, abs=0.03)
    assert set(asked) == set(range(20))
    assert asked.count(0) > 3 * asked.count(10)
    with pytest.raises(WorkloadError, match="a share of 2"):
        with_repeats(some, 20, 2, 1)


@pytest.mark.parametrize("engines", [1, 2])
@pytest.mark.parametrize("plan_ahead", [True, False])
def test_the_state_by_the_second_is_the_same_step_by_step_and_nothing_is_held_when_nobody_runs(
    engines: int, plan_ahead: bool
):
    sizes = [(0.0, 30, 900), (0.1, 100, 40), (30.0, 10, 5), (42.0, 300, 700)]
    work = Trace("made.csv", tuple(Request(*size) for size in sizes), (2, 3, 4, 5))
    cost, given = CostModel("x", "", 0.0213, sequence_s=0.00317), EngineSettings(blocks=100, plan_ahead=plan_ahead)
    jumping, stepping = (
        per_second(replay(work, cost, given, engines=engines, series=True, step=step).fleet) for step in (False, True)
    )
    assert jumping == stepping
    assert max(jumping["blocks"]) > 50
    for running, blocks in zip(jumping["running"], jumping["blocks"], strict=True):
        assert (running == 0) == (blocks == 0)


@pytest.mark.parametrize("engines", [1, 2])
def test_engines_hold_no_block_when_all_is_done(engines: int):
    # The second request's last step passes the arrival of the third, after which its engine gets nothing more.
    requests = [Request(0.0, 5, 1), Request(0.5, 5, 2), Request(2.0, 5, 1)]
    fleet = run_fleet(requests, SECOND, EngineSettings(blocks=50), engines=engines, route="round-robin")
    assert [engine.pool.used for engine in fleet.engines] == [0] * engines


def test_a_series_of_many_days_is_refused():
    fleet = replay(Trace("a", (Request(0, 1, 1), Request(1e8, 1, 1)), (1, 2)), SECOND, ONE, series=True).fleet
    with pytest.raises(WorkloadError, match="a series of 100,000,001 seconds"):
        per_second(fleet)
