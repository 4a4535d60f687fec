"""Counts and histograms: exact where they can be, mergeable, and the same after a trip between processes."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.ask import Ask, Expected
from bench.reading import Exchange
from bench.tally import LONGEST, Slo, Tally, Values

ASK = Ask(b"")


def exchange(outcome: str = "miss", error: str | None = None, e2e_s: float = 0.2, **fields: object) -> Exchange:
    told: dict[str, object] = {
        "ttft_s": 0.1,
        "gaps_s": [],
        "tpot_s": None,
        "prompt_tokens": 5,
        "output_tokens": 3,
        "finish": "stop",
    }
    return Exchange(outcome=outcome, error=error, e2e_s=e2e_s, **{**told, **fields})  # type: ignore[arg-type]


def values(*numbers: float) -> Values:
    found = Values()
    for number in numbers:
        found.add(number)
    return found


@settings(max_examples=25)
@given(st.lists(st.integers(1, 10_000_000), min_size=1, max_size=200), st.sampled_from([0.0, 0.5, 0.9, 0.99, 1.0]))
def test_quantiles_are_right_to_three_digits(numbers: list[int], share: float):
    expected = float(np.quantile(numbers, share, method="inverted_cdf"))
    assert values(*numbers).quantile(share) == pytest.approx(expected, rel=2e-3)


@settings(max_examples=25)
@given(st.lists(st.integers(1, 10_000_000)), st.lists(st.integers(1, 10_000_000)))
def test_merged_is_as_if_recorded_together(left: list[int], right: list[int]):
    merged = values(*left)
    merged.merge(values(*right))
    together = values(*left, *right)
    assert merged.encode() == together.encode()
    assert merged.count == len(left) + len(right)


def test_histogram_survives_the_way_between_processes():
    sent = values(1, 250, 250, 90_000)
    received = pickle.loads(pickle.dumps(sent))
    assert (received.count, received.quantile(0.5), received.encode()) == (4, 250, sent.encode())


def test_values_beyond_the_range_are_recorded_at_its_ends():
    found = values(0, 10 * LONGEST)
    assert found.count == 2
    assert found.quantile(0.5) == 1
    assert found.quantile(1.0) == pytest.approx(LONGEST, rel=1e-3)


def test_no_values_have_quantile_zero():
    assert (Values().count, Values().quantile(0.99)) == (0, 0)


def test_answers_are_counted_by_outcome_and_errors_by_word():
    tally = Tally()
    for told in (exchange("hit"), exchange("hit"), exchange("miss"), exchange(error="timeout")):
        tally.record(ASK, told, Slo(), "code")
    assert tally.outcomes == {"hit": 2, "miss": 1}
    assert tally.errors == {"timeout": 1}
    assert (tally.done, tally.families, tally.tokens) == (3, {"code": 3}, 9)
    assert tally.latencies["hit", "e2e"].count == 2
    assert tally.whole("e2e").count == 3


def test_error_that_was_asked_for_is_no_error():
    tally = Tally()
    tally.record(Ask(b"", expected=Expected.LEFT), exchange(error="left"), Slo())
    tally.record(Ask(b"", expected=Expected.ERROR), exchange(error="error event"), Slo())
    assert (tally.errors, tally.injected) == ({}, {"left": 1, "error": 1})


def test_merge_adds_everything():
    left, right = Tally(began_s=5.0, ended_s=9.0, cpu_shares=[0.2]), Tally(began_s=4.0, ended_s=8.0, cpu_shares=[0.4])
    left.record(ASK, exchange("hit", gaps_s=[0.01], tpot_s=0.01), Slo())
    right.record(ASK, exchange("miss", gaps_s=[0.02, 0.03], tpot_s=0.02), Slo())
    left.merge(pickle.loads(pickle.dumps(right)))
    assert left.outcomes == {"hit": 1, "miss": 1}
    assert (left.began_s, left.ended_s, left.elapsed_s, left.cpu_shares) == (4.0, 9.0, 5.0, [0.2, 0.4])
    assert [left.whole(metric).count for metric in ("ttft", "itl", "tpot", "e2e")] == [2, 3, 2, 2]
    assert left.prompt_tokens.count == 2


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        (Slo(), True),
        (Slo(ttft_ms=100), True),
        (Slo(ttft_ms=99), False),
        (Slo(e2e_ms=200), True),
        (Slo(e2e_ms=199), False),
        (Slo(tpot_ms=20), True),
        (Slo(tpot_ms=19), False),
        (Slo(ttft_ms=100, e2e_ms=1), False),
    ],
)
def test_answer_within_every_limit_is_good(limits: Slo, kept: bool):
    tally = Tally()
    tally.record(ASK, exchange(tpot_s=0.02), limits)
    assert tally.good == kept


def test_failed_request_is_never_good():
    tally = Tally()
    tally.record(ASK, exchange(error="timeout"), Slo())
    assert tally.good == 0
