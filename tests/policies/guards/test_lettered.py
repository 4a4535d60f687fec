"""Single letters that name things: they change places like any name, and an "a" among them is no article."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('How do I sum column B where column A equals "Paid"?', 'How do I sum column A where column B equals "Paid"?'),
        ('sum column b where column a is "paid"', 'sum column a where column b is "paid"'),
        ('How do I average column C if column A is "Yes"?', 'How do I average column A if column C is "Yes"?'),
        ('How do I average column C if column A is "Yes"?', 'Average column A where column C is "Yes"'),
        ("If A implies B and B is false, is A false?", "If B implies A and A is false, is B false?"),
        ('Sum column B where column C equals "Paid"', 'Sum column B where column C does not equal "Paid"'),
        ('Sum column B where column C equals "Paid"', 'Sum column B where column C contains "Paid"'),
        ('Count rows in which status is "open"', 'Count rows in which status includes "open"'),
        ('Does column A equal "B"?', "Does column A equal column B?"),
        ("Is A a subset of B?", "Is B a subset of A?"),
        ("What does vitamin A do?", "What does vitamin do?"),
    ],
)
def test_letters_that_change_places_or_values(one, other):
    assert reason(one, other) != "serves"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('How do I sum column A where column B is "Paid"?', 'How can I sum column A if column B equals "Paid"?'),
        ('Filter rows where status is "open"', 'Filter rows where status equals "open"'),
        ("how do I hide column a in excel", "How do I hide column A in Excel?"),
        ("How much vitamin A is in a carrot?", "how much vitamin a is in a carrot"),
        ("Who wrote A Brief History of Time?", "who wrote a brief history of time"),
        ('Which rows contain "open"?', 'What rows include "open"?'),
    ],
)
def test_letters_in_their_places(one, other):
    assert reason(one, other) == "serves"
