"""Nouns that belong together, signs that count, and conditions that all or any one must meet."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Can I get a loan for a home business?", "Can I get a business loan for a home?"),
        ("guest house", "house guest"),
        ("how to make milk chocolate", "how to make chocolate milk"),
        ("garden flower design", "flower garden design"),
        ("young man old woman marriage", "old man young woman marriage"),
        ("hotels near the airport in rome", "airports near the hotel in rome"),
        ("rebase feature onto main", "rebase main onto feature"),
        ("What are the rules on importing china to the US?", "What are the rules on importing from China to the US?"),
        ("export japan to us", "export from japan to us"),
        ("cheapest day to fly", "cheapest day to fly back"),
        ("what is in aspirin", "what is aspirin"),
        ("what is paris the capital of", "what is the capital of paris"),
        ("which country has madrid as its capital", "what is the capital of madrid"),
        ("country whose capital is peru", "capital of peru"),
        ("marry before kids", "kids before marriage"),
        ("call before coming", "come before calling"),
        ("best and worst marvel film", "worst marvel film"),
        ("How do I re-sign my contract?", "How do I resign from my contract?"),
        ("how can i get an IT job", "how can i get a job"),
    ],
)
def test_nouns_are_tied_to_others(cached, asked):
    """Heads and modifiers change places."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("loan for a home business", "home business loan"),
        ("recipe for banana bread", "banana bread recipe"),
        ("a recipe for chicken soup", "chicken soup recipe"),
        ("best hotels in rome for families", "best family hotels in rome"),
        ("download videos from youtube", "download youtube videos"),
        ("import data from excel", "import excel data"),
        (
            "difference between term life and whole life insurance",
            "difference between whole life and term life insurance",
        ),
        ("find the area of a circle with a radius of 7 cm", "find the area of a circle whose radius is 7 cm"),
        ("is the airport near the city", "is the city near the airport"),
        ("high protein and low carb meals", "low carb and high protein meals"),
        ("how can i get an IT job", "how do i get an it job"),
        ("the best film", "what is the best film"),
        ("save before closing in vim", "save before you close vim"),
        ("what is the tallest building in the world", "what's the world's tallest building"),
    ],
)
def test_nouns_are_tied_to_others_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        (
            "Check whether all elements of a list are positive in Python.",
            "Check whether any element of a list is positive in Python.",
        ),
        ("sql find posts that have all of the tags", "sql find posts that have any of the tags"),
        ("match any of these words regex", "match all of these words regex"),
    ],
)
def test_all_is_not_any_in_a_condition(cached, asked):
    """What all must meet is not what any one may meet."""
    assert reason(cached, asked) == "quantity"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("check if all elements are positive in python", "check whether every element is positive in python"),
        ("check if any value is null in pandas", "check whether any values are null in pandas"),
    ],
)
def test_all_is_not_any_in_a_condition_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What's the molar mass of CO?", "What's the molar mass of Co?"),
        ("density of HF", "density of Hf"),
        ("what does pressing o do in vim", "what does pressing O do in vim"),
        ("what does x=5 do in bash", "what does x = 5 do in bash"),
        ("what does a = b mean in bash", "what does a=b mean in bash"),
        ("i++ in c", "++i in c"),
        ("save a workbook as xlsx", "save a workbook as xlsm"),
    ],
)
def test_case_and_space_count_where_they_mean_something(cached, asked):
    """Formulas, keys, and what a shell reads."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("molar mass of CO", "what's the molar mass of CO?"),
        ("what does x = 5 do in python", "what does x=5 do in python"),
        ("what does x=5 do in bash", "what does x=5 mean in bash"),
        ("i++ in c", "what does i++ do in c"),
    ],
)
def test_case_and_space_count_where_they_mean_something_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
