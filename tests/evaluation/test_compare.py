"""Other ways to decide, in so far as they are ours to get right."""

import math
import random

from evaluation.commands.compare import last_message_only
from evaluation.per_entry import PerEntry, per_entry
from evaluation.thresholds import Probe
from tests.evaluation.made import conversation, rows, say


def test_last_message_only_forgets_what_was_before(tmp_path):
    written = conversation([say("system", "s"), say("user", "x")], [say("assistant", "a"), say("user", "y")], 0)
    (lookup,) = rows(tmp_path / "rows.jsonl", written)
    seen = last_message_only(lookup)
    assert seen.messages == (say("user", "y"),)
    assert [stored.messages for stored in seen.stored] == [(say("user", "x"),)]
    assert (seen.expected, seen.id) == (lookup.expected, lookup.id)


def test_an_entry_that_has_seen_nothing_always_asks():
    assert PerEntry(0.01).explore(0.99) > 0.95


def test_an_entry_serves_more_the_more_it_has_seen_right():
    entry = PerEntry(0.05)
    explored = []
    for _ in range(40):
        explored.append(entry.explore(0.95))
        entry.observe(0.95, right=True)
    assert explored == sorted(explored, reverse=True)
    assert explored[-1] < 0.6
    assert entry.explore(0.5) > entry.explore(0.95)


def test_a_wrong_answer_makes_an_entry_careful():
    entry = PerEntry(0.05)
    for _ in range(40):
        entry.observe(0.95, right=True)
    before = entry.explore(0.95)
    entry.observe(0.95, right=False)
    assert entry.explore(0.95) > before


def test_wrong_answers_stay_below_delta():
    chance = random.Random(1)
    asked = []
    for _ in range(800):
        similarity = chance.uniform(0.6, 1.0)
        right = chance.random() < 1 / (1 + math.exp(-40 * (similarity - 0.8)))
        asked.append(Probe("f", "one entry", should_hit=right, right=right, reach=similarity))
    found = per_entry(asked, delta=0.05)
    assert found.hits > 50
    assert found.wrong <= 0.05 * len(asked)


def test_what_a_guard_or_nothing_offers_is_asked_upstream():
    refused = [Probe("f", "x", should_hit=True, right=False, reach=-math.inf)] * 3
    equal = [Probe("f", "x", should_hit=True, right=True, reach=math.inf)] * 2
    found = per_entry([*refused, *equal], delta=0.01)
    assert (found.n_hit, found.hits, found.wrong) == (5, 2, 0)
