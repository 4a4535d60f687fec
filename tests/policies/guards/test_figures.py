"""Numbers and signs of arithmetic as an embedder gets them."""

import pytest

from policies.guards.figures import in_figures


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("seventeen multiplied by twenty three", "17 times 23"),
        ("one hundred and twenty divided by six", "120 divided by 6"),
        ("nine hundred ninety-nine plus one", "999 plus 1"),
        ("fifteen per cent of eighty", "15 percent of 80"),
        ("three thousand five hundred words", "3500 words"),
        ("the novel Nineteen Eighty-Four", "the novel 1984"),
        ("Calculate √1764.", "Calculate the square root of 1764."),
        ("7 x 8", "7 times 8"),
        ("7×8 and 9*2", "7 times 8 and 9 times 2"),
        ("936/12 = ?", "936 divided by 12 = ?"),
        ("20 ÷ 4, 5+7, 9 - 2", "20 divided by 4, 5 plus 7, 9 minus 2"),
        ("run half an hour", "run 30 minutes"),
        ("20% off", "20 percent off"),
    ],
)
def test_a_number_is_in_figures_and_an_operation_in_words(text, written):
    assert in_figures(text) == written
    assert in_figures(written) == written


@pytest.mark.parametrize(
    "text",
    [
        "which one of the two",
        "two-factor login",
        "the twenty-first century",
        "seven eleven",  # a shop
        "nine one one",
        "hundred hundred",
        "one million dollars",
        "someone phoned",
        "at 2024-11-30, pages 3-4",
        "192.168.1.0/24",
        "and/or 24/7",
        "- 5",
        "`5 + 7`",
        "ten " * 300,
        "",
    ],
)
def test_what_is_no_figure_is_left_alone(text):
    assert in_figures(text) == text
