"""What the rest of the project may rely on."""

import pickle

from policies.guards import DEFAULT_GUARDS, GUARDS, REASONS, compare, parse


def test_equal_prompts_never_conflict():
    for text in ("", "?", "What is the capital of Canada?", "foo(1, 2)", "¿Cuál es la capital?", "x" * 100_000):
        assert compare(parse(text), parse(text), frozenset(GUARDS)) is None


def test_the_first_conflict_is_named_with_both_sides():
    conflict = compare(parse("convert 5 km to miles"), parse("convert 5 m to miles"), DEFAULT_GUARDS)
    assert conflict is not None
    assert conflict.reason == "number_unit"
    assert conflict.reason in REASONS
    assert "kilometre" in conflict.cached
    assert "metre" in conflict.asked


def test_facts_survive_pickling():
    facts = parse("How many teaspoons are in 2 tablespoons of 'sugar'?")
    assert pickle.loads(pickle.dumps(facts)) == facts


def test_a_policy_without_a_guard_does_not_look():
    cached, asked = parse("restaurants in Berlin"), parse("vegan restaurants in Berlin")
    assert compare(cached, asked, DEFAULT_GUARDS - {"narrowing"}) is None
    found = compare(cached, asked, DEFAULT_GUARDS | {"narrowing"})
    assert found is not None
    assert found.reason == "narrowing"
