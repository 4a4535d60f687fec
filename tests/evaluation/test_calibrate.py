"""Calibration keeps its promise, on synthetic labels whose false-hit rate is known at every threshold."""

import math

import numpy as np
import pytest

from evaluation.calibrate import Accepted, Promise, Refused, calibrate, level_of, splits_kept, wrong_share
from evaluation.thresholds import Probe, halves

PROMISE = Promise(max_false_hit=0.05, confidence=0.95)


def miss(reach: float) -> Probe:
    return Probe("f", None, should_hit=False, right=False, reach=reach)


def hit(reach: float) -> Probe:
    return Probe("f", None, should_hit=True, right=True, reach=reach)


def draw(generator: np.random.Generator, labels: int) -> list[Probe]:
    """Similarities of should-miss lookups are uniform over 0…1: at a threshold t, 1 − t of them are served."""
    return [miss(reach) for reach in generator.uniform(size=labels)] + [hit(0.9)] * 10


def accepted(found: Accepted | Refused) -> Accepted:
    assert isinstance(found, Accepted)
    return found


def test_the_promise_holds_in_at_least_91_of_100_draws():
    generator = np.random.default_rng(7)
    broken = 0
    for _ in range(100):
        found = calibrate(draw(generator, 400), PROMISE, level=0.05, floor=0.0)
        # The threshold's true false-hit rate is known: 1 − threshold.
        broken += isinstance(found, Accepted) and 1 - found.threshold > PROMISE.max_false_hit + 1e-9
    assert broken <= 9


def test_it_is_not_kept_by_refusing_everything():
    generator = np.random.default_rng(7)
    found = [calibrate(draw(generator, 2000), PROMISE, level=0.05, floor=0.0) for _ in range(20)]
    thresholds = [accepted(one).threshold for one in found]
    assert min(thresholds) >= 0.95
    assert np.median(thresholds) <= 0.965


def test_thresholds_are_tried_from_strict_to_loose_and_the_first_failure_ends_it():
    # At 0.9 the bound fails; at 0.5 it would hold again only if labels there could undo it, which they can't.
    seen = [miss(0.0)] * 80 + [miss(0.9)] * 20 + [hit(0.95), hit(0.4)]
    assert accepted(calibrate(seen, PROMISE, level=0.05, floor=0.0)).threshold == 0.905


def test_no_threshold_below_the_floor_is_tried():
    seen = [miss(-math.inf)] * 200 + [hit(0.3)]
    assert accepted(calibrate(seen, PROMISE, level=0.05, floor=0.8)).threshold == 0.8
    assert accepted(calibrate(seen, PROMISE, level=0.05, floor=0.6)).threshold == 0.6


def test_too_few_labels_are_refused_with_the_number_that_is_missing():
    found = calibrate([miss(-math.inf)] * 200, Promise(max_false_hit=0.01), level=0.05, floor=0.8)
    assert found == Refused("200 lookups that should miss prove a rate of 1.49% at best: label 99 more")
    assert isinstance(calibrate([miss(-math.inf)] * 299, Promise(max_false_hit=0.01), level=0.05, floor=0.8), Accepted)


def test_an_equal_request_labelled_as_different_can_not_be_calibrated_away():
    found = calibrate([miss(math.inf)] * 30 + [miss(0.0)] * 270, PROMISE, level=0.05, floor=0.8)
    assert found == Refused("30 of 300 lookups that should miss are served even at a threshold of 1")


def test_a_wrong_entry_counts_against_the_promise():
    wrong_entries = [Probe("f", None, should_hit=True, right=False, reach=0.9)] * 30
    found = calibrate([miss(-math.inf)] * 300 + wrong_entries, PROMISE, level=0.05, floor=0.8)
    assert accepted(found).threshold == 0.905


def test_families_and_guard_sets_share_the_chance_to_be_wrong():
    assert level_of(PROMISE, families=5, guard_sets=2) == pytest.approx(0.005)
    labels = [miss(-math.inf)] * 60
    assert isinstance(calibrate(labels, PROMISE, level=0.05, floor=0.8), Accepted)
    assert isinstance(calibrate(labels, PROMISE, level_of(PROMISE, 5, 1), floor=0.8), Refused)


def test_the_wrong_share_depends_on_how_much_repeats():
    rates = {"false_hit": 0.01, "wrong_entry": 0.0, "hit": 0.5}
    assert wrong_share(**rates, repeat_share=0.5) == pytest.approx(0.01 / 0.51)
    assert wrong_share(**rates, repeat_share=0.05) == pytest.approx(0.0095 / 0.0345)
    assert wrong_share(false_hit=0.0, wrong_entry=0.0, hit=0.0, repeat_share=0.3) == 0.0


def test_a_bounded_wrong_share_needs_hits_too():
    promise = Promise(max_false_hit=0.05, max_wrong_share=0.05, repeat_share=0.5)
    misses = [miss(-math.inf)] * 400
    unserved = calibrate([*misses, *[hit(-math.inf)] * 400], promise, level=0.05, floor=0.8)
    assert isinstance(unserved, Refused)
    assert "too little is served" in unserved.reason
    assert accepted(calibrate([*misses, *[hit(0.85)] * 400], promise, level=0.05, floor=0.8)).threshold == 0.8


def test_splits_that_kept_the_promise_are_counted():
    generator = np.random.default_rng(3)
    seen = [Probe("f", number, False, False, reach) for number, reach in enumerate(generator.uniform(size=1000))]
    counts = splits_kept((halves(seen, seed) for seed in range(20)), PROMISE, level=0.05, floor=0.0)
    assert counts["splits"] == 20
    assert counts["kept"] + counts["refused"] >= 16
