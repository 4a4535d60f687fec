"""The reference schedulers: against their step-by-step oracle, against queueing theory, and by invariant."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulation.cost import PRESETS, CostError
from simulation.cost_file import load_cost
from simulation.schedulers import DISCIPLINES, RUN, Discipline, Server, Timeline, reference_server
from simulation.stepping import walk
from simulation.workload import Arrivals, LogNormal, Mix, Workload

MIX = Mix(LogNormal(300, 0.7), LogNormal(120, 0.88, 950))


def server(slots: int = 32) -> Server:
    return reference_server(PRESETS["reference"], slots)


def assert_same(one: Timeline, other: Timeline) -> None:
    for name in ("scheduled_s", "first_s", "finish_s"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-6, rel=0), name
    assert one.paid_slot_steps == other.paid_slot_steps


@pytest.mark.parametrize("discipline", DISCIPLINES)
@pytest.mark.parametrize(("load", "slots"), [(0.5, 32), (2, 32), (8, 32), (20, 32), (2, 4), (1, 1)])
def test_skipping_equals_walking_every_step(discipline: Discipline, load: float, slots: int):
    work = MIX.draw(200, 11, Arrivals(load))
    assert_same(RUN[discipline](work, server(slots)), walk(discipline, work, server(slots)))


requests = st.lists(
    # Gaps in quarter steps of 8 ms: arrivals before, on and after step boundaries, and at the same time.
    st.tuples(st.integers(0, 40), st.integers(1, 6), st.integers(1, 12)),
    min_size=1,
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(requests=requests, slots=st.integers(1, 4), discipline=st.sampled_from(DISCIPLINES))
def test_skipping_equals_walking_for_any_requests(
    requests: list[tuple[int, int, int]], slots: int, discipline: Discipline
):
    even = Server((0.006, *(0.008 for _ in range(slots))), 0.002)
    times = np.cumsum([gap * 0.002 for gap, _, _ in requests]).tolist()
    work = Workload(times, [prompt for _, prompt, _ in requests], [output for _, _, output in requests])
    assert_same(RUN[discipline](work, even), walk(discipline, work, even))


@pytest.mark.parametrize("load", [0.3, 0.8, 2.0])
def test_with_one_slot_all_three_are_the_same(load: float):
    work = MIX.draw(500, 2, Arrivals(load))
    alone = RUN["sequential"](work, server())
    assert_same(RUN["static"](work, server(1)), alone)
    assert_same(RUN["continuous"](work, server(1)), alone)


def test_first_token_comes_from_the_first_decode_step():
    work = Workload([1.0], [100], [4])
    for discipline in DISCIPLINES:
        line = RUN[discipline](work, server())
        assert line.scheduled_s == [1.0]
        assert line.first_s == pytest.approx([1.0 + 100 * 50e-6 + 6.25e-3])
        assert line.finish_s == pytest.approx([1.0 + 100 * 50e-6 + 4 * 6.25e-3])


def test_a_static_batch_answers_together_and_pays_for_its_longest():
    work = Workload([0.0, 0.5, 0.6], [100, 100, 100], [200, 10, 50])
    line = RUN["static"](work, server())
    assert line.finish_s[0] == pytest.approx(0.005 + 200 * 6.25e-3)
    assert line.scheduled_s[1] == line.scheduled_s[2] == line.finish_s[0]
    assert line.finish_s[1] == line.finish_s[2] == pytest.approx(line.finish_s[0] + 0.01 + 50 * 6.5e-3)
    assert line.paid_slot_steps == 200 + 2 * 50


def test_a_prefill_stalls_who_is_decoding():
    work = Workload([0.0, 0.1], [1, 1000], [100, 1])
    line = RUN["continuous"](work, server())
    assert line.finish_s[0] == pytest.approx(0.00005 + 0.05 + 99 * 6.25e-3 + 6.5e-3)


@pytest.mark.parametrize(("rho", "seeds"), [(0.34, 1), (0.67, 1), (0.85, 4)])
def test_waiting_alone_follows_pollaczek_khinchine(rho: float, seeds: int):
    waits, expected = [], []
    for seed in range(seeds):
        unit = MIX.draw(300_000, seed, Arrivals(1.0))
        service = np.array(unit.prompt_tokens) * 50e-6 + np.array(unit.output_tokens) * 6.25e-3
        load = rho / service.mean()
        work = unit.at_rate(load)
        line = RUN["sequential"](work, server())
        waits.append(np.subtract(line.scheduled_s, work.arrival_s).mean())
        expected.append(load * np.mean(service**2) / (2 * (1 - rho)))
    assert np.mean(waits) == pytest.approx(np.mean(expected), rel=0.02)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_littles_law(discipline: Discipline):
    """The number in the system, looked at now and then, is throughput times mean latency."""
    load = {"sequential": 0.6, "static": 2.0, "continuous": 8.0}[discipline]
    work = MIX.draw(40_000, 4, Arrivals(load))
    line = RUN[discipline](work, server())
    end = work.arrival_s[-1]
    looks = np.sort(np.random.default_rng(0).uniform(0, end, 20_000))
    inside = np.searchsorted(work.arrival_s, looks) - np.searchsorted(np.sort(line.finish_s), looks)
    latency = np.subtract(line.finish_s, work.arrival_s).mean()
    assert inside.mean() == pytest.approx(len(work) / end * latency, rel=0.02)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_no_slot_idles_while_somebody_waits(discipline: Discipline):
    """Who waited longer than any step boundary is away took a place that was given up at that very moment."""
    small = server(4)
    work = MIX.draw(2000, 6, Arrivals(3.0))
    line = RUN[discipline](work, small)
    ends = set(line.finish_s)
    boundary = 4 * max(work.prompt_tokens) * small.prompt_token_s + max(small.decode_s)
    waited = [
        begin
        for begin, arrival in zip(line.scheduled_s, work.arrival_s, strict=True)
        if begin > arrival + (boundary if discipline == "continuous" else 0)
    ]
    assert len(waited) > 500
    assert all(begin in ends or discipline == "sequential" for begin in waited)
    if discipline == "sequential":
        assert line.scheduled_s[1:] == pytest.approx(np.maximum(work.arrival_s[1:], line.finish_s[:-1]).tolist())


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_requests_are_taken_in_order_and_work_is_neither_lost_nor_made(discipline: Discipline):
    work = MIX.draw(1000, 8, Arrivals(3.0))
    line = RUN[discipline](work, server())
    assert line.scheduled_s == sorted(line.scheduled_s)
    assert all(
        arrival <= begin < first <= finish
        for arrival, begin, first, finish in zip(
            work.arrival_s, line.scheduled_s, line.first_s, line.finish_s, strict=True
        )
    )
    if discipline == "static":
        assert line.paid_slot_steps > sum(work.output_tokens)
    else:
        assert line.paid_slot_steps == sum(work.output_tokens)


def test_costs_that_the_reference_model_has_no_term_for_are_refused():
    with pytest.raises(CostError, match="kv_token_s"):
        reference_server(load_cost("rtxpro6000-llama3.1-8b"), 32)
    with pytest.raises(CostError, match="0 slots"):
        reference_server(PRESETS["reference"], 0)
    tabled = replace(PRESETS["reference"], sequence_table=((1.0, 0.01), (4.0, 0.02)))
    assert reference_server(tabled, 4).decode_s[4] == pytest.approx(0.006 + 4 * 0.00025 + 0.02)
