"""Thresholds: what each would serve, which is best, and that nothing is chosen where it is scored."""

import math

import pytest

from evaluation.score import Scorer
from evaluation.thresholds import (
    NEVER,
    Probe,
    Tally,
    best_without_wrong,
    by_family,
    everywhere,
    for_half_of_hits,
    halves,
    or_never,
    probes,
    tally,
    transferred,
)
from evaluation.vectors import Vectors
from tests.evaluation.made import Angles, cached, lookup, pair, policies, rows, scored


def right(reach: float, family: str = "f", group: object = "g") -> Probe:
    return Probe(family, group, should_hit=True, right=True, reach=reach)


def wrong(reach: float, family: str = "f", group: object = "g") -> Probe:
    return Probe(family, group, should_hit=False, right=False, reach=reach)


def other_entry(reach: float) -> Probe:
    return Probe("f", "g", should_hit=True, right=False, reach=reach)


def test_a_tally_counts_both_kinds_of_wrong_answer():
    seen = [right(0.9), right(0.7), other_entry(0.95), wrong(0.85), wrong(0.5)]
    assert tally(seen, everywhere(0.8)) == Tally(n_hit=3, hits=1, n_miss=2, false_hits=1, wrong_entry=1)


def test_the_best_threshold_lies_between_the_nearest_wrong_and_the_farthest_right_answer_above_it():
    assert best_without_wrong([right(0.97), right(0.93), wrong(0.91), right(0.85)]) == pytest.approx(0.92)


def test_a_wrong_entry_counts_as_wrong():
    assert best_without_wrong([right(0.97), other_entry(0.95)]) == pytest.approx(0.96)


def test_nothing_right_above_the_wrong_leaves_equal_requests():
    seen = [right(0.9), right(math.inf), wrong(0.91)]
    assert best_without_wrong(seen) == NEVER
    assert tally(seen, everywhere(NEVER)).hits == 1


@pytest.mark.parametrize("seen", [[right(0.3)], [right(0.3), wrong(-math.inf)], [right(0.9), wrong(0.1)]])
def test_no_threshold_falls_below_the_floor_where_no_error_was_seen(seen):
    assert best_without_wrong(seen) == 0.80
    assert best_without_wrong(seen, floor=0.85) == 0.85


def test_each_family_has_its_own():
    assert by_family([right(0.9), wrong(0.85), right(0.9, "g"), wrong(0.95, "g")]) == {
        "f": pytest.approx(0.875),
        "g": NEVER,
    }


def test_half_of_the_paraphrases():
    assert for_half_of_hits([right(0.9), right(0.8), right(0.7), other_entry(0.99), wrong(0.6)]) == 0.8
    assert for_half_of_hits([right(0.9), right(0.8), right(0.7)]) == 0.8
    assert for_half_of_hits([right(0.9), right(-math.inf), right(-math.inf)]) == -math.inf


def test_halves_keep_what_is_about_one_stored_prompt_together():
    seen = [right(0.9, group=f"prompt {number % 40}") for number in range(200)]
    one, other = halves(seen)
    assert len(one) + len(other) == 200
    assert 50 < len(one) < 150
    assert {probe.group for probe in one}.isdisjoint(probe.group for probe in other)
    assert halves(seen, seed=1) != halves(seen, seed=0)


def test_transfer_scores_every_probe_under_thresholds_it_had_no_part_in():
    seen = [right(0.9, group=number) for number in range(50)]

    def choose(chosen_on):
        groups = {probe.group for probe in chosen_on}
        asked.append(groups)
        return everywhere(0.8)

    asked: list[set[object]] = []
    assert transferred(seen, choose) == Tally(n_hit=50, hits=50, n_miss=0, false_hits=0, wrong_entry=0)
    one, other = asked
    assert one.isdisjoint(other)


def test_a_family_without_a_threshold_stays_exact_when_transferred():
    assert transferred([right(0.9), right(math.inf)], lambda chosen_on: or_never({})).hits == 1


def test_probes_say_what_every_threshold_would_serve(tmp_path):
    degrees = {"how tall is K2": 0.0, "what is the height of K2": 20.0, "how tall is K2?!": 30.0}
    vectors = Vectors(Angles(degrees))
    scorer = Scorer(policies(tmp_path), vectors)
    lookups = rows(
        tmp_path / "rows.jsonl",
        cached(0, "how tall is K2"),
        lookup("what is the height of K2", "hit", 0),
        lookup("how tall is K3", "miss"),
        lookup("how tall is K2", "hit", 0),
        pair("how tall is K2?!", "how tall is K2", 0),
    )
    similar, refused, equal, alike = probes(lookups, scored(lookups, scorer, vectors))
    assert similar.right
    assert similar.reach == pytest.approx(0.9397, abs=1e-4)
    assert (refused.right, refused.reach) == (False, -math.inf)
    assert (equal.right, equal.reach) == (True, math.inf)
    assert (alike.right, alike.should_hit) == (False, False)
    assert alike.reach == pytest.approx(0.866, abs=1e-3)
    assert similar.group == refused.group == equal.group == "how tall is K2"
    assert alike.group == "how tall is K2?!"
    for threshold in (0.5, 0.9, 0.95):
        by_probe = [probe.served(threshold) for probe in (similar, refused, equal, alike)]
        again = Scorer(policies(tmp_path), vectors, {"f": threshold, "default": threshold}).score(lookups)
        assert by_probe == [row.served is not None for row in again]
