"""The study: the published table, long runs and their labels, the highest load, intervals, and the report."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from simulation import report
from simulation.intervals import estimate, p95, student_t_975
from simulation.loads import capacity_per_s, highest, point
from simulation.published import ENTRIES, PEAK_WITHIN_PERCENT, compare, measure_seed
from simulation.request import WorkloadError
from simulation.schedulers import DISCIPLINES
from simulation.sharing import CASES, HEAT_HITS, HEAT_LOADS, heat_row, run_case
from simulation.study import Parameters, Study, parameters_of, run_study

STANDARD = Parameters()
MIX, SERVER = STANDARD.mix, STANDARD.server

# Averages of seeds 0, 1 and 2, by entry.
PINNED = {
    "sequential p95_s 1 req/s": 181.53189,
    "static p95_s 1 req/s": 8.7226241,
    "static p95_s 2 req/s": 15.494281,
    "static slot_use_percent 1 req/s": 57.982983,
    "static slot_use_percent 2 req/s": 34.854554,
    "static slot_use_percent 8 req/s": 24.270542,
    "static slot_use_percent 10 req/s": 24.462856,
    "static done_per_s 8 req/s": 2.958041,
    "continuous p95_s 1 req/s": 3.5261731,
    "continuous p95_s 2 req/s": 3.763778,
    "continuous p95_s 8 req/s": 6.6821202,
    "continuous p95_s 10 req/s": 10.106848,
    "sequential peak_tokens_per_s peak": 157.20543,
    "static peak_tokens_per_s peak": 518.76627,
    "continuous peak_tokens_per_s peak": 1779.0964,
}


def quiet(done: int, total: int) -> None:
    """Progress nobody looks at."""


def test_published_table_on_fixed_seeds():
    rows = [measure_seed(seed, MIX, SERVER) for seed in range(3)]
    for entry in ENTRIES:
        load = 20.0 if entry.load is None else entry.load
        average = float(np.mean([row[entry.discipline, entry.measure, load] for row in rows]))
        assert average == pytest.approx(PINNED[entry.name], rel=1e-6), entry.name


def test_every_published_entry_is_a_likely_draw():
    """Here over 12 averages; the recorded study has 200 (results/simulation.json, checked by `check`)."""
    found = compare([measure_seed(seed, MIX, SERVER) for seed in range(36)])
    assert [one.name for one in found] == [entry.name for entry in ENTRIES]
    assert len(found) == 15
    for entry, one in zip(ENTRIES, found, strict=True):
        assert abs(entry.value - one.mean) <= 2 * math.hypot(one.sd, entry.half_unit), one
        assert one.within
        if entry.load is None:
            assert abs(one.difference_percent) <= PEAK_WITHIN_PERCENT[entry.discipline]


def test_an_unlikely_entry_is_told():
    rows = [measure_seed(seed, Parameters(output_sigma=0.3).mix, SERVER) for seed in range(6)]
    assert not all(one.within for one in compare(rows))


def test_a_stable_point_has_settled_and_is_precise():
    found = point("continuous", 4.0, MIX, SERVER, 10.6, range(6), 4000)
    assert found.label == "stable"
    assert abs(found.moved) < 0.03
    assert found.p95_s.half <= 0.05 * found.p95_s.mean
    assert found.done_per_s.mean == pytest.approx(4.0, rel=0.05)
    assert found.slot_use_percent.mean == 100


def test_a_run_is_prolonged_until_p95_is_precise():
    assert point("sequential", 0.6, MIX, SERVER, 0.91, range(4), 500).requests > 500


def test_above_capacity_p95_grows_with_the_run_and_the_label_says_so():
    short = point("static", 6.0, MIX, SERVER, 3.04, range(3), 1000)
    long = point("static", 6.0, MIX, SERVER, 3.04, range(3), 2000)
    assert short.label == long.label == "overloaded"
    assert long.p95_s.mean > 1.7 * short.p95_s.mean
    assert long.requests == 2000, "no run is long enough, so none is prolonged"


def test_just_below_capacity_an_unsettled_run_is_backlogged():
    assert point("continuous", 10.5, MIX, SERVER, 10.6, range(3), 3000).label == "backlogged"


def test_capacity_is_what_a_saturated_server_does():
    mean_service = 0.05e-3 * 383 + 6.25e-3 * 171
    assert capacity_per_s("sequential", MIX, SERVER, 0) == pytest.approx(1 / mean_service, rel=0.02)
    assert capacity_per_s("static", MIX, SERVER, 0) == pytest.approx(3.03, rel=0.02)
    assert capacity_per_s("continuous", MIX, SERVER, 0) == pytest.approx(10.6, rel=0.01)


def test_at_the_highest_load_p95_is_the_limit():
    found = highest("continuous", 6.0, MIX, SERVER, 10.6, 4000, range(2))
    tails = []
    for seed in range(2):
        one = highest("continuous", 6.0, MIX, SERVER, 10.6, 4000, range(seed, seed + 1))
        at = point("continuous", one.load.mean, MIX, SERVER, 0.0, range(seed, seed + 1), 4000)
        tails.append(at.p95_s.mean)
    assert tails == pytest.approx([6.0, 6.0], rel=0.01)
    assert 6.5 < found.load.mean < 8.5


def test_a_limit_that_even_an_idle_server_misses_allows_no_load():
    assert highest("sequential", 0.5, MIX, SERVER, 0.91, 500, range(2)).load.mean == 0


def test_a_limit_that_short_runs_never_reach_is_bounded():
    assert 2.7 <= highest("static", 1e6, MIX, SERVER, 3.0, 200, range(2)).load.mean / 3.0 <= 3.3


def test_near_capacity_sharing_shortens_the_tail_and_with_room_it_hardly_does():
    tails = {case.name: run_case(case, 1.0, MIX, SERVER, 3000, 1).p95_s for case in CASES}
    assert tails["cache and single flight"] < tails["single flight"] < tails["bare"]
    spared_near = tails["bare"] - tails["cache and single flight"]
    assert tails["two servers, bare"] - tails["two servers, cache and single flight"] < 0.5 * spared_near


def test_hits_are_worth_load():
    none, half = (heat_row(hits, HEAT_LOADS, MIX, SERVER, 1000, 0) for hits in (0.0, 0.5))
    assert len(none.p95_s) == len(HEAT_LOADS)
    assert all(with_hits < without for with_hits, without in zip(half.p95_s, none.p95_s, strict=True))
    assert list(none.p95_s) == sorted(none.p95_s)


@pytest.mark.parametrize(("df", "exact"), [(1, 12.7062), (2, 4.3027), (4, 2.7764), (9, 2.2622), (30, 2.0423)])
def test_students_t(df: int, exact: float):
    assert student_t_975(df) == pytest.approx(exact, rel=1e-3)


def test_intervals_hold_the_mean_as_often_as_they_say():
    rng = np.random.default_rng(0)
    held = [abs(one.mean) <= one.half for one in (estimate(rng.standard_normal(8).tolist()) for _ in range(2000))]
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)
    assert estimate([3.0]).half == 0
    assert p95([float(value) for value in range(101)]) == 95


SMALL = Parameters(
    loads=(1.0, 4.0),
    requests=200,
    longest_requests=200,
    runs=2,
    replicates=2,
    short_runs=2,
    sharing_requests=100,
    sharing_runs=2,
    seed=3,
)


@pytest.fixture(scope="module")
def small() -> Study:
    return run_study(SMALL, 1, quiet)


def test_a_study_is_whole_and_the_same_each_time(small: Study):
    assert small.whole
    assert len(small.published) == 15
    assert {one.load for one in small.points if one.discipline == "static"} >= {1.0, 4.0}
    assert [one.requests for one in small.highest if one.discipline == "static"] == [400, 1500]
    assert len(small.sharing) == len(CASES)
    assert len(small.heat) == len(HEAT_HITS)
    assert run_study(SMALL, 1, quiet).as_json() == small.as_json()


def test_the_recorded_parameters_are_enough_to_run_it_again(small: Study):
    assert parameters_of(small.as_json()["parameters"]) == SMALL


def test_another_system_is_not_compared_with_the_published_table():
    assert STANDARD.as_published
    assert Parameters(loads=(1.0,), seed=9).as_published
    assert not Parameters(slots=16).as_published
    assert not Parameters(output_sigma=0.9).as_published


def test_a_smaller_server_shares_at_loads_it_can_bear():
    study = run_study(replace(SMALL, slots=4), 1, quiet)
    assert study.sharing[0].load == pytest.approx(10 * study.capacity_per_s["continuous"] / 10.6)
    assert study.heat_loads[0] < HEAT_LOADS[0]
    assert study.published == []


def test_what_was_done_survives_an_interruption():
    def interrupt(done: int, total: int) -> None:
        # The heat map is the last section; its first row is done.
        if done == total - len(HEAT_HITS) + 1:
            raise KeyboardInterrupt

    study = run_study(SMALL, 1, interrupt)
    assert not study.whole
    assert study.points
    assert study.highest
    assert study.sharing
    assert len(study.heat) == 1


def test_a_comparison_that_is_not_complete_is_not_made():
    def interrupt(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    study = run_study(SMALL, 1, interrupt)
    assert study.points or study.highest
    assert not study.published
    assert not study.sharing


@pytest.mark.parametrize(
    "wrong",
    [
        {"loads": ()},
        {"loads": (0.0,)},
        {"slo_s": 0},
        {"requests": 10},
        {"runs": 1},
        {"seed": -1},
        {"step_ms": -1},
        {"step_ms": 0, "sequence_ms": 0},
        {"output_cap": 0},
        {"prompt_sigma": -1},
    ],
)
def test_parameters_that_cannot_be_are_refused(wrong: dict[str, float]):
    with pytest.raises(WorkloadError):
        Parameters(**wrong)  # type: ignore[arg-type] # one wrong value at a time


def test_the_page_needs_no_network_and_holds_every_picture(small: Study, tmp_path):
    page = report.write(small, tmp_path).read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|href|url)\s*[=(]\s*"?([^">)]{1,40})', page)
    assert len(sources) == 6
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)
    pictures = sorted(file.name for file in (tmp_path / "simulation").iterdir())
    assert pictures == [
        "gantt.png",
        "load-and-hits.png",
        "p95-against-load.png",
        "sharing.png",
        "slot-use.png",
        "throughput-over-time.png",
    ]
    assert all(discipline in page for discipline in DISCIPLINES)
