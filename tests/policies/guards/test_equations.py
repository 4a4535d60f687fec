"""What asks for the unknown of an equation, and what asks for something else about it."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Solve 3x + 7 = 22 for x. | find x if 3x+7=22
    Solve 2x + 5 = 17 for x. | If 2x + 5 = 17, what is x?
    Solve for y: 4y - 3 = 9 | What is the value of y if 4y - 3 = 9?
    What is x when 5x = 40? | Solve 5x = 40
    Determine x given that 2x - 1 = 9. | Solve 2x - 1 = 9 for x.
    Solve for x: 2x + y = 7 | Find x if 2x + y = 7
    Solve 4n = 20 | 4n = 20, find n
    How do I solve x^2 = 16 for x? | How do I find x if x^2 = 16?
    Calculate the value of x in 7x = 21 | Solve for x: 7x = 21
    """
)
def test_ways_to_ask_for_the_unknown(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Solve 2x + y = 7 for y. | Solve 2x + y = 7 for x.
    Solve for x: 2x + y = 7 | Solve for y: 2x + y = 7
    Find x if 2x + y = 7 | Find y if 2x + y = 7
    Solve 3x + 7 = 22 for x. | If 3x + 7 = 22, what is 2x?
    Solve 3x + 7 = 22 for x. | If 3x + 7 = 22, what is 3x?
    Solve 3x + 7 = 22 for x. | Graph 3x + 7 = 22
    Solve 3x + 7 = 22 for x. | Find x if 3x - 7 = 22.
    Solve 3x + 7 = 22 for x. | Find x if 7x + 3 = 22.
    Is x = 5 when 3x + 7 = 22? | Solve 3x + 7 = 22.
    Find x + 1 if 3x + 7 = 22. | Solve 3x + 7 = 22 for x.
    Check whether 3x + 7 = 22 has a solution. | Solve 3x + 7 = 22 for x.
    What is x if 2x + y = 7? | Solve 2x + y = 7 for y.
    Why does 3x = 9 give x = 3? | Solve 3x = 9 for x.
    Solve x^2 = 16 for x. | Solve x^2 = 16 for positive x.
    Solve x^2 = 16. | Differentiate x^2 = 16.
    What is the square of x if 3x = 9? | Solve 3x = 9 for x.
    What is the double of x if 3x = 9? | What is x if 3x = 9?
    How many solutions does x^2 = 16 have? | Solve x^2 = 16
    Does x exist if 3x = 9? | Find x if 3x = 9
    Find the larger x if x^2 = 16 | Find the smaller x if x^2 = 16
    What is the reciprocal of x if 3x = 9? | Find x if 3x = 9
    Solve 3x = 9 step by step. | Solve 3x = 9
    What does x mean in 3x = 9? | Find x in 3x = 9
    What is the coefficient of x in 3x = 9? | What is x in 3x = 9?
    """
)
def test_another_unknown_or_question(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Subtract 18 from 45 | 18 minus 45
    What is 18 subtracted from 45? | What is 45 subtracted from 18?
    Take 7 away from 30 | 7 minus 30
    Subtract 18 from 45 | Add 18 to 45
    """
)
def test_a_difference_has_a_direction(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Subtract 18 from 45 | 45 minus 18
    What is 18 subtracted from 45? | What is 45 - 18?
    """
)
def test_a_difference_may_be_told_either_way(one, other):
    assert reason(one, other) == "serves"
