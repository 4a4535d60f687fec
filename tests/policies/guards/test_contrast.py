"""Groups `contrast` and `languages`: words left over on both sides that exclude one another."""

import pytest

from policies.guards import DEFAULT_GUARDS
from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do I enable dark mode?", "How do I disable dark mode?"),
        ("How do I turn on two-factor authentication?", "How do I turn off two-factor authentication?"),
        ("turn up the volume", "turn down the volume"),
        ("largest desert in the world", "smallest desert in the world"),
        ("how to accept a job offer by email", "how to decline a job offer by email"),
        ("symptoms of hyperthyroidism", "symptoms of hypothyroidism"),
        ("Which country is north of Mexico?", "Which country is south of Mexico?"),
        ("gift for my mother", "gift for my father"),
        ("How do I lock my card?", "How do I unlock my card?"),
        ("how do i enble 2fa", "how do i disble 2fa"),
        ("is it safe to eat snow", "is it unsafe to eat snow"),
        ("let the dog in", "let the dog out"),
    ],
)
def test_M01_opposites_never_serve(cached, asked):
    assert reason(cached, asked) == "contrast"


def test_before_and_after():
    assert reason("What should I do before surgery?", "What should I do after surgery?") == "contrast"


def test_exchanged_opposites_are_an_order():
    assert reason("expand a collapsed sidebar", "collapse an expanded sidebar") == "order"


@pytest.mark.parametrize(
    ("cached", "asked", "expected"),
    [
        ("How do you say water in French?", "How do you say water in Italian?", "language"),
        ("cheers in dutch", "cheers in danish", "entity"),
        ("read a file line by line in Go", "read a file line by line in Rust", "programming_language"),
        ("sort a list in Python", "sort a list in Ruby", "programming_language"),
        ("hello world in C", "hello world in C++", "programming_language"),
        ("write fizzbuzz in C", "write fizzbuzz in C#", "programming_language"),
    ],
)
def test_languages(cached, asked, expected):
    assert reason(cached, asked) in (expected, "language", "substitution")


def test_without_the_group_an_opposite_is_only_another_word():
    assert reason("enable dark mode", "disable dark mode", DEFAULT_GUARDS - {"contrast"}) == "substitution"
