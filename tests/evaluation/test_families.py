"""The templates of the shipped families: what they ask, and that their labels can't contradict each other."""

from collections import defaultdict

import pytest

from evaluation.families import family_lookups
from evaluation.intervals import trials_needed
from policies.load import load_policies

TINY = {
    "f": [
        {
            "frames": {"x": ["the {colour} {from} to {to}", "{to} from {from}, {colour}"]},
            "slots": {"colour": ["red", "blue"]},
            "pairs": ["from", "to"],
            "among": [[["km", "kilometers"], ["mi"]]],
        }
    ]
}


@pytest.fixture(scope="module")
def lookups():
    return family_lookups()


def test_a_question_is_a_frame_with_values_in_either_direction():
    texts = {lookup.messages[0]["content"] for lookup in family_lookups(TINY)}
    texts |= {stored.messages[0]["content"] for lookup in family_lookups(TINY) for stored in lookup.stored}
    possible = {
        *("the red km to mi", "mi from kilometers, red", "the red mi to km", "kilometers from mi, red"),
        *("the blue km to mi", "mi from kilometers, blue", "the blue mi to km", "kilometers from mi, blue"),
    }
    assert texts <= possible


def test_the_same_on_every_machine(lookups):
    assert [lookup.id for lookup in lookups[:3]] == [lookup.id for lookup in family_lookups()[:3]]


def test_every_shipped_family_has_labels_enough_to_prove_one_percent(lookups):
    misses: dict[str | None, int] = defaultdict(int)
    for lookup in lookups:
        misses[lookup.family] += lookup.expected is None
    assert set(misses) == {family.name for family in load_policies(None).families}
    needed = trials_needed(0.01, 1 - 0.05 / len(misses))
    assert min(misses.values()) * 0.66 > needed


def test_two_questions_never_share_a_text(lookups):
    asks: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for lookup in lookups:
        asks[lookup.family, lookup.messages[0]["content"]].add(lookup.id.split(":")[1])
        for stored in lookup.stored:
            asks[lookup.family, stored.messages[0]["content"]].add(stored.key)
    assert {text: names for text, names in asks.items() if len(names) > 1} == {}


def test_what_should_miss_is_not_stored(lookups):
    for lookup in lookups:
        keys = {stored.key for stored in lookup.stored}
        assert (lookup.id.split(":")[1] in keys) == (lookup.expected is not None)
