"""The front end: which path a request takes, and what that saves."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from simulation.answers import Answers
from simulation.cost import PRESETS
from simulation.cost_file import load_cost
from simulation.engine import Engine, simulate
from simulation.frontend import FrontEnd, SemanticRates, Served, semantic_rates, serve
from simulation.reference_engine import ReferenceEngine
from simulation.request import WorkloadError
from simulation.router import FullEngine, Router
from simulation.schedulers import continuous, reference_server
from simulation.settings import EngineSettings
from simulation.workload import Arrivals, Catalogue, ClosedLoop, LogNormal, Mix, Workload

SERVER = reference_server(PRESETS["reference"], 32)
MIX = Mix(LogNormal(300, 0.7), LogNormal(120, 0.88, 950))
SHARED = Mix(MIX.prompt, MIX.output, Catalogue(entries=50, share=0.5))


def run(work: Workload, front: FrontEnd, engines: int = 1, loop: ClosedLoop | None = None, seed: int = 0) -> Served:
    router = Router([ReferenceEngine(SERVER) for _ in range(engines)], "least-loaded")
    return serve(work, front, router, loop=loop, seed=seed)


def asks(*arrivals_and_names: tuple[float, int | None], output: int = 100) -> Workload:
    count = len(arrivals_and_names)
    return Workload(
        [at for at, _ in arrivals_and_names], [10] * count, [output] * count, [name for _, name in arrivals_and_names]
    )


@pytest.mark.parametrize("load", [1, 8, 12])
def test_bare_is_the_continuous_scheduler(load: float):
    work = MIX.draw(1000, 1, Arrivals(load))
    served, line = run(work, FrontEnd()), continuous(work, SERVER)
    assert served.finish_s == pytest.approx(line.finish_s, abs=1e-9)
    assert served.first_s == pytest.approx(line.first_s, abs=1e-9)
    assert served.scheduled_s == pytest.approx(line.scheduled_s, abs=1e-9)
    assert set(served.path) == {"generated"}


def test_bare_is_the_full_engine():
    cost = load_cost("rtxpro6000-llama3.1-8b")
    work = MIX.draw(300, 1, Arrivals(6))
    served = serve(work, FrontEnd(), Router([FullEngine(Engine(cost))], "round-robin"))
    alone = simulate(work.requests(), cost)
    assert served.finish_s == pytest.approx(alone.last_token_s, abs=1e-6)
    assert served.first_s == pytest.approx(alone.first_token_s, abs=1e-6)


def test_an_equal_request_is_coalesced_while_its_twin_is_generated_and_hits_afterwards():
    served = run(asks((0.0, 1), (0.1, 1), (0.2, 2), (5.0, 1)), FrontEnd(cache=True, single_flight=True))
    assert served.path == ["generated", "coalesced", "generated", "hit"]
    assert served.finish_s[1] == served.finish_s[0]
    assert served.first_s[1] == 0.1, "a late follower is given at once what its leader has"
    assert served.finish_s[3] == pytest.approx(5.0 + FrontEnd().hit_s)


def test_an_early_follower_gets_the_leaders_first_token():
    served = run(asks((0.0, 1), (0.001, 1)), FrontEnd(single_flight=True))
    assert served.first_s[1] == served.first_s[0]


def test_requests_without_identity_equal_no_other():
    served = run(asks((0.0, None), (0.0, None), (9.0, None)), FrontEnd(cache=True, single_flight=True))
    assert served.path == ["generated"] * 3


def test_without_single_flight_twins_are_both_generated():
    served = run(asks((0.0, 1), (0.1, 1), (5.0, 1)), FrontEnd(cache=True))
    assert served.path == ["generated", "generated", "hit"]


def test_without_a_cache_nothing_outlives_its_flight():
    assert run(asks((0.0, 1), (5.0, 1)), FrontEnd(single_flight=True)).path == ["generated", "generated"]


def test_ttl_counts_from_the_end_of_generation():
    work = asks((0.0, 1), (2.5, 1), (2.8, 1))
    done = run(work, FrontEnd()).finish_s[0]
    served = run(work, FrontEnd(cache=True, ttl_s=2.6 - done))
    assert served.path == ["generated", "hit", "generated"]


def test_the_least_recently_used_answer_goes_first():
    work = asks((0.0, 1), (5.0, 2), (10.0, 1), (15.0, 3), (20.0, 1), (25.0, 2))
    served = run(work, FrontEnd(cache=True, max_entries=2))
    assert served.path == ["generated", "generated", "hit", "generated", "hit", "generated"]


def test_unique_requests_take_room_in_the_cache():
    served = run(asks((0.0, 1), (5.0, None), (10.0, 1)), FrontEnd(cache=True, max_entries=1))
    assert served.path == ["generated"] * 3


def test_a_semantic_cache_recognises_another_wording():
    reworded = asks((0.0, 6), (5.0, 7), (10.0, 8), (15.0, 6))
    front = FrontEnd(cache=True, semantic=SemanticRates(1.0, 0.0), wordings=2)
    served = run(reworded, front)
    assert served.path == ["generated", "semantic", "generated", "hit"]
    assert not any(served.false_hit)
    assert served.finish_s[1] == pytest.approx(5.0 + front.semantic_s)
    never = FrontEnd(cache=True, semantic=SemanticRates(0.0, 0.0), wordings=2)
    assert run(reworded, never).path == ["generated", "generated", "generated", "hit"]


def test_a_false_hit_needs_an_answer_to_serve():
    always_wrong = FrontEnd(cache=True, semantic=SemanticRates(0.0, 1.0))
    served = run(asks((0.0, None), (5.0, None), (6.0, 3)), always_wrong)
    assert served.path == ["generated", "semantic", "semantic"]
    assert served.false_hit == [False, True, True]


def test_semantic_rates_are_met_on_average():
    work = Mix(MIX.prompt, MIX.output, Catalogue(200, share=0.5, wordings=4)).draw(6000, 2, Arrivals(4))
    served = run(work, FrontEnd(cache=True, single_flight=True, semantic=SemanticRates(0.0, 0.05), wordings=4))
    judged = [path for path, name in zip(served.path, work.identity, strict=True) if name is None]
    assert judged.count("semantic") / len(judged) == pytest.approx(0.05, abs=0.01)


def test_a_window_holds_what_is_not_alone_until_it_ends_or_is_full():
    work = asks((0.0, None), (0.1, None), (0.15, None), (0.16, None))
    patient = run(work, FrontEnd(window_s=0.5))
    assert patient.scheduled_s[0] == 0.0, "with nothing in flight a request leaves at once"
    assert patient.scheduled_s[1:] == pytest.approx([patient.scheduled_s[1]] * 3)
    assert 0.6 <= patient.scheduled_s[1] < 0.61
    full = run(work, FrontEnd(window_s=0.5, max_batch_size=2))
    assert 0.15 <= full.scheduled_s[1] < 0.16
    assert full.scheduled_s[3] >= 0.66


def test_sharing_never_makes_the_same_requests_slower_on_average():
    work = SHARED.draw(4000, 3, Arrivals(10))
    bare, flight, both = (
        run(work, front)
        for front in (FrontEnd(), FrontEnd(single_flight=True), FrontEnd(cache=True, single_flight=True))
    )
    assert np.mean(both.latencies()) < np.mean(flight.latencies()) < np.mean(bare.latencies())
    assert both.share("hit") > 0.4
    assert sum(both.share(path) for path in ("hit", "coalesced", "generated")) == pytest.approx(1.0)


def test_each_question_is_generated_once_with_cache_and_single_flight():
    work = SHARED.draw(3000, 4, Arrivals(10))
    served = run(work, FrontEnd(cache=True, single_flight=True))
    names = [
        name for name, path in zip(work.identity, served.path, strict=True) if path == "generated" and name is not None
    ]
    assert len(names) == len(set(names)) == len(set(work.identity) - {None})


def test_a_closed_loop_never_has_more_in_it_than_users():
    work = MIX.draw(400, 5, Arrivals(1.0))
    served = run(work, FrontEnd(), loop=ClosedLoop(users=6, think_s=0.5))
    events = sorted(
        [(at, 1) for at in served.arrival_s] + [(at, -1) for at in served.finish_s], key=lambda e: (e[0], e[1])
    )
    assert max(np.cumsum([change for _, change in events])) <= 6
    assert served.arrival_s[:6] == [0.0] * 6
    assert min(served.latencies()) > 0


def test_a_closed_loop_of_one_is_sequential():
    work = MIX.draw(50, 5, Arrivals(1.0))
    served = run(work, FrontEnd(), loop=ClosedLoop(users=1))
    assert served.arrival_s[1:] == pytest.approx(served.finish_s[:-1])


def test_a_closed_loop_is_the_same_over_the_full_engine():
    """Where the two engines have the same rules: no limit but slots, prompts whole, and no planning ahead."""
    work = MIX.draw(200, 5, Arrivals(1.0))
    settings = EngineSettings(max_num_seqs=32, max_num_batched_tokens=10**6, plan_ahead=False, prefix_caching=False)
    full = serve(
        work,
        FrontEnd(),
        Router([FullEngine(Engine(PRESETS["reference"], settings))], "round-robin"),
        loop=ClosedLoop(12, 1.0),
    )
    reference = run(work, FrontEnd(), loop=ClosedLoop(12, 1.0))
    assert np.mean(full.latencies()) == pytest.approx(np.mean(reference.latencies()), rel=0.02)


def test_hits_answer_a_closed_loops_users_at_once():
    work = Workload([0.0] * 20, [10] * 20, [50] * 20, [1] * 20)
    served = run(work, FrontEnd(cache=True), loop=ClosedLoop(1))
    assert served.path == ["generated"] + ["hit"] * 19
    assert served.finish_s[-1] == pytest.approx(served.finish_s[0] + 19 * FrontEnd().hit_s)


def test_rates_come_from_an_evaluations_counts(tmp_path: Path):
    file = tmp_path / "evaluation.json"
    file.write_text(json.dumps({"n_hit": 200, "hits": 150, "n_miss": 400, "wrong": 2, "more": "is ignored"}))
    assert semantic_rates(file) == SemanticRates(0.75, 0.005)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[]", "'n_hit' must be a count"),
        ('{"n_hit": 1, "hits": 1, "n_miss": 1}', "'wrong' must be a count"),
        ('{"n_hit": 1, "hits": true, "n_miss": 1, "wrong": 0}', "'hits' must be a count"),
        ('{"n_hit": 1, "hits": 2, "n_miss": 1, "wrong": 0}', "more hits than probes"),
    ],
)
def test_a_wrong_evaluation_file_is_refused_by_name(tmp_path: Path, text: str, says: str):
    file = tmp_path / "evaluation.json"
    file.write_text(text)
    with pytest.raises(WorkloadError, match=says) as caught:
        semantic_rates(file)
    assert "evaluation.json" in str(caught.value)
    with pytest.raises(WorkloadError, match=r"missing\.json"):
        semantic_rates(tmp_path / "missing.json")


@pytest.mark.parametrize(
    "wrong",
    [{"ttl_s": 0}, {"max_entries": 0}, {"window_s": -1}, {"max_batch_size": 0}, {"wordings": 0}],
)
def test_a_front_end_that_cannot_be_is_refused(wrong: dict[str, float]):
    with pytest.raises(WorkloadError):
        FrontEnd(**wrong)  # type: ignore[arg-type] # one wrong value at a time


def test_answers_expire_and_are_bounded():
    answers = Answers(ttl_s=10, max_entries=2, wordings=3)
    answers.store(3, 0.0)
    answers.store(4, 1.0)
    assert answers.has_question(5, 2.0)
    assert not answers.has_question(6, 2.0)
    answers.store(-1, 2.0)
    assert len(answers) == 2
    assert not answers.has(3, 10.5), "the third pushed out the least recently used"
    assert answers.has_any(11.5)
    assert not answers.has_any(math.inf)
    assert len(answers) == 0
