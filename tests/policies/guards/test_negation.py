"""Group `negation`."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("list countries that are in the EU", "list countries that are not in the EU"),
        ("Which expenses can I claim back from work?", "Which expenses can't I claim back from work?"),
        ("recipes with gluten", "recipes without gluten"),
        ("Cancel my subscription", "Don't cancel my subscription"),
        ("should i tell my boss", "should i not tell my boss"),
        ("foods to eat while pregnant", "foods to avoid while pregnant"),
    ],
)
def test_one_side_alone_says_no(cached, asked):
    assert reason(cached, asked) == "negation"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Ask her not to sign the contract", "Do not ask her to sign the contract"),
        ("find rows where status is active and not archived", "find rows where status is not active and archived"),
    ],
)
def test_what_is_denied_counts(cached, asked):
    assert reason(cached, asked) in ("negation", "negation_scope", "contrast")


def test_not_all_is_not_none():
    assert reason("All students did not pass the test", "Not all students passed the test") == "negation"
    assert reason("not all cats are grey", "all cats are not grey") == "negation_scope"


def test_a_denied_word_with_an_opposite_is_the_opposite():
    assert reason("What's included in the price?", "What's not included in the price?") == "contrast"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Why isn't my code compiling?", "Why is my code not compiling?"),
        ("My order hasn't arrived", "My order has not arrived yet"),
        ("Which mushrooms are not safe to eat?", "Which mushrooms are unsafe to eat?"),
        ("Is it illegal to sell raw milk?", "Is it against the law to sell raw milk?"),
        ("countries that don't have an army", "countries without an army"),
        ("how can I become less negative", "how can I become more positive"),
    ],
)
def test_one_denial_may_be_worded_as_another(cached, asked):
    assert reason(cached, asked) == "serves"
