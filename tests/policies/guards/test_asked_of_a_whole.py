"""What part or whole a question asks for: the members of what a name stands for, the number a percentage is of."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    What countries are in the EU? | What is the EU?
    Which countries are in NATO? | What is NATO?
    What states are in Australia? | What is Australia?
    What number is 15% of 80? | 15% of what number is 80?
    What is 20 percent of 50? | 20 percent of what is 50?
    What is 30% of 90? | 90 is 30% of what?
    """
)
def test_the_part_and_the_whole_are_told_apart(one, other):
    assert reason(one, other) != "serves"
    assert reason(other, one) != "serves"


@rows(
    """
    What city is the capital of France? | What is the capital of France?
    What is the EU? | What's the EU?
    Which countries are in the EU? | What countries are in the EU?
    What number is 15% of 80? | What is 15% of 80?
    15% of what number is 80? | 80 is 15% of what number?
    """
)
def test_and_what_asks_for_the_same(one, other):
    assert reason(one, other) == "serves"
