"""Exact binomial bounds, against values that can be had by hand or from tables."""

import math

import pytest

from evaluation.intervals import lower_bound, trials_needed, upper_bound


def test_no_error_is_bounded_by_the_rule_of_three():
    assert upper_bound(0, 156) == pytest.approx(1 - 0.05 ** (1 / 156))


@pytest.mark.parametrize(("wrong", "of", "bound"), [(1, 10, 0.3942), (2, 50, 0.1206), (5, 100, 0.1022), (3, 3, 1.0)])
def test_bounds_are_those_of_the_tables(wrong, of, bound):
    assert upper_bound(wrong, of) == pytest.approx(bound, abs=1e-4)


def test_nothing_tried_proves_nothing():
    assert upper_bound(0, 0) == 1.0
    assert lower_bound(0, 0) == 0.0


def test_the_lower_bound_mirrors_the_upper_one():
    assert lower_bound(9, 10) == pytest.approx(1 - upper_bound(1, 10))


def test_a_large_sample_keeps_its_precision():
    assert upper_bound(150, 20_000) == pytest.approx(0.0075 + 1.645 * math.sqrt(0.0075 / 20_000), rel=0.02)


@pytest.mark.parametrize(("wrong", "trials"), [(0, 299), (1, 473), (2, 628)])
def test_how_many_labels_prove_one_percent(wrong, trials):
    assert trials_needed(0.01, 0.95, wrong) == trials
