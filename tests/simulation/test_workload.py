"""Workloads: what is drawn has the distribution asked for, and one property's draws never move another's."""

import numpy as np
import pytest

from simulation.request import Request, WorkloadError
from simulation.workload import (
    ArrivalKind,
    Arrivals,
    Catalogue,
    ClosedLoop,
    Histogram,
    LogNormal,
    Mix,
    lengths_of,
    of_requests,
    stream,
    weibull_shape,
)

MIX = Mix(LogNormal(300, 0.7), LogNormal(120, 0.88, 950))


def test_a_seed_always_draws_the_same_requests():
    assert MIX.draw(50, 3, Arrivals(2.0)) == MIX.draw(50, 3, Arrivals(2.0))
    assert MIX.draw(50, 3, Arrivals(2.0)) != MIX.draw(50, 4, Arrivals(2.0))


def test_streams_depend_on_their_name_and_seed_alone():
    first = stream(1, "arrivals").random(5)
    stream(1, "lengths").random(1000)
    assert np.array_equal(first, stream(1, "arrivals").random(5))
    assert not np.array_equal(first, stream(1, "lengths").random(5))
    assert not np.array_equal(first, stream(2, "arrivals").random(5))


def test_another_load_is_the_same_requests_closer_together():
    slow, fast = MIX.draw(100, 0, Arrivals(1.0)), MIX.draw(100, 0, Arrivals(4.0))
    assert fast.prompt_tokens == slow.prompt_tokens
    assert fast.output_tokens == slow.output_tokens
    assert fast.arrival_s == pytest.approx([at / 4 for at in slow.arrival_s])
    assert slow.at_rate(4.0).arrival_s == pytest.approx(fast.arrival_s)


def test_changing_one_property_leaves_the_others_alone():
    plain = MIX.draw(100, 0, Arrivals(1.0))
    longer = Mix(MIX.prompt, LogNormal(500, 0.2)).draw(100, 0, Arrivals(1.0, "gamma", 3.0))
    assert longer.prompt_tokens == plain.prompt_tokens
    assert longer.output_tokens != plain.output_tokens
    assert longer.arrival_s != plain.arrival_s


def test_a_longer_run_begins_like_a_shorter_one():
    assert MIX.draw(1000, 5, Arrivals(1.0)).arrival_s[:100] == MIX.draw(100, 5, Arrivals(1.0)).arrival_s


@pytest.mark.parametrize(
    ("kind", "cv", "expected"),
    [("poisson", 1.0, 1.0), ("fixed", 1.0, 0.0), ("gamma", 0.5, 0.5), ("gamma", 3.0, 3.0), ("weibull", 2.0, 2.0)],
)
def test_gaps_have_the_mean_and_the_variation_asked_for(kind: ArrivalKind, cv: float, expected: float):
    times = Arrivals(5.0, kind, cv).draw(200_000, stream(0, "gaps"))
    gaps = np.diff(times)
    assert gaps.mean() == pytest.approx(0.2, rel=0.03)
    assert gaps.std() / gaps.mean() == pytest.approx(expected, rel=0.05, abs=1e-9)


def test_weibull_of_cv_one_is_the_exponential():
    assert weibull_shape(1.0) == pytest.approx(1.0)


def test_log_normal_lengths_are_whole_and_bounded():
    tokens = LogNormal(120, 0.88, 950).draw(100_000, stream(0, "tokens"))
    assert tokens.dtype == np.int64
    assert tokens.min() >= 1
    assert tokens.max() == 950
    assert np.median(tokens) == pytest.approx(120, rel=0.02)
    assert LogNormal(1, 3.0).draw(1000, stream(0, "tokens")).min() == 1


def test_histogram_follows_its_weights():
    tokens = Histogram((10, 20, 30), (1, 0, 3)).draw(20_000, stream(0, "tokens"))
    assert set(tokens.tolist()) == {10, 30}
    assert (tokens == 30).mean() == pytest.approx(0.75, abs=0.02)


def test_lengths_of_a_trace_are_drawn_from_it():
    mix = lengths_of([Request(0.0, 7, 2), Request(1.0, 9, 3)])
    work = mix.draw(500, 0, Arrivals(1.0))
    assert set(work.prompt_tokens) == {7, 9}
    assert set(work.output_tokens) == {2, 3}


def test_a_question_keeps_its_lengths_and_popularity_is_zipf():
    work = Mix(MIX.prompt, MIX.output, Catalogue(entries=50, share=0.5)).draw(20_000, 0, Arrivals(1.0))
    lengths: dict[int, set[tuple[int, int]]] = {}
    asked = [name for name in work.identity if name is not None]
    for name, prompt, output in zip(work.identity, work.prompt_tokens, work.output_tokens, strict=True):
        if name is not None:
            lengths.setdefault(name, set()).add((prompt, output))
    assert len(asked) / len(work) == pytest.approx(0.5, abs=0.02)
    assert all(len(seen) == 1 for seen in lengths.values())
    assert asked.count(0) / asked.count(1) == pytest.approx(2.0, rel=0.15)


def test_wordings_of_a_question_are_told_apart_but_share_its_lengths():
    work = Mix(MIX.prompt, MIX.output, Catalogue(entries=1, wordings=3)).draw(300, 0, Arrivals(1.0))
    assert set(work.identity) == {0, 1, 2}
    assert len(set(work.prompt_tokens)) == 1


def test_equal_prompts_share_their_block_hashes():
    work = Mix(MIX.prompt, MIX.output, Catalogue(entries=3, share=0.8, block_tokens=16)).draw(200, 0, Arrivals(1.0))
    by_name: dict[int, set[tuple[int, ...]]] = {}
    for request in work.requests():
        if request.identity is None:
            assert request.hash_ids == ()
        else:
            assert len(request.hash_ids) == request.prompt_tokens // 16
            by_name.setdefault(request.identity, set()).add(request.hash_ids)
    assert all(len(hashes) == 1 for hashes in by_name.values())
    assert len(set.union(*by_name.values())) == len(by_name)


def test_a_trace_is_identified_by_its_hashes_and_can_be_stretched():
    requests = [
        Request(0.0, 40, 5, hash_ids=(1, 2)),
        Request(1.0, 40, 9, hash_ids=(1, 2)),
        Request(2.0, 41, 5, hash_ids=(1, 2)),
        Request(3.0, 10, 5),
        Request(4.0, 10, 5, identity=7),
    ]
    work = of_requests(requests, time_scale=2.0)
    assert work.arrival_s == [0.0, 2.0, 4.0, 6.0, 8.0]
    first, again, longer, none, named = work.identity
    assert first == again
    assert len({first, longer, named}) == 3
    assert none is None
    assert named == 7
    assert [request.hash_ids for request in work.requests()] == [request.hash_ids for request in requests]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Arrivals(0.0),
        lambda: Arrivals(float("nan")),
        lambda: Arrivals(1.0, "gamma", 0.0),
        lambda: Arrivals(1.0, "weibull", 0.001).draw(1, stream(0, "gaps")),
        lambda: LogNormal(0, 1),
        lambda: LogNormal(10, -1),
        lambda: LogNormal(10, 1, 0),
        lambda: Histogram(()),
        lambda: Histogram((0, 1)),
        lambda: Histogram((1, 2), (1,)),
        lambda: Histogram((1, 2), (0, 0)),
        lambda: Catalogue(0),
        lambda: Catalogue(5, share=1.5),
        lambda: Catalogue(10**11),
        lambda: Catalogue(5, exponent=-1.0),
        lambda: Catalogue(5, exponent=float("nan")),
        lambda: LogNormal(1e300, 1),
        lambda: LogNormal(10, 1e300),
        lambda: ClosedLoop(1, 1e300),
        lambda: MIX.draw(2, 0, Arrivals(1e-300)),
        lambda: ClosedLoop(0),
        lambda: ClosedLoop(1, -1.0),
        lambda: MIX.draw(0, 0, Arrivals(1.0)),
        lambda: of_requests([]),
        lambda: of_requests([Request(0.0, 1, 1)], time_scale=0),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(wrong):
    with pytest.raises(WorkloadError) as caught:
        wrong()
    assert "\n" not in str(caught.value)


def test_lengths_too_long_for_a_number_are_the_longest_and_not_1():
    assert LogNormal(10**6, 10).draw(2000, stream(0, "tokens")).max() == 10**9
    assert LogNormal(10**6, 10, 10**30).draw(2000, stream(0, "tokens")).max() == 10**9
    assert np.median(LogNormal(10**9, 9, 700).draw(2000, stream(0, "tokens"))) == 700
