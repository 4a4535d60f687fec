"""Places, sides and persons that change their parts between two clauses or about one verb."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        (
            "Which SQL join keeps all rows of the left table but only matching rows of the right one?",
            "Which SQL join keeps all rows of the right table but only matching rows of the left one?",
        ),
        (
            "How do I delete photos from my iPhone but keep them in iCloud?",
            "How do I delete photos from iCloud but keep them on my iPhone?",
        ),
        (
            "remove songs from my phone but keep them on my laptop",
            "remove songs from my laptop but keep them on my phone",
        ),
        ("delte emails from outlook but keep them in gmail", "delte emails from gmail but keep them in outlook"),
        (
            "turn off wifi on my phone but leave it on on my tablet",
            "turn off wifi on my tablet but leave it on on my phone",
        ),
        ("round the left corner but keep the right one square", "round the right corner but keep the left one square"),
        ("I passed math but failed physics", "I passed physics but failed math"),
        ("recipe with butter but without milk", "recipe with milk but without butter"),
        (
            "Write a SQL condition for orders placed after 1 March 2024.",
            "Write a SQL condition for orders placed on or after 1 March 2024.",
        ),
        ("orders placed before 5 May", "orders placed on or before 5 May"),
        ("filter rows on or after monday", "filter rows after monday"),
    ],
)
def test_what_is_said_of_one_here_and_of_the_other_there(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        (
            "How do I delete photos from my iPhone but keep them in iCloud?",
            "how can I delete photos from my iPhone and keep them in iCloud",
        ),
        (
            "delete photos from my iphone but keep them in icloud",
            "keep photos in icloud but delete them from my iphone",
        ),
        ("I passed math but failed physics", "I failed physics but passed math"),
        ("orders placed on or after 1 March", "orders placed on or after March 1"),
        ("difference between left and right join", "difference between right and left join"),
        ("how do I remove duplicates from a list in Python", "in Python, how do I remove duplicates from a list"),
        ("import photos from my phone in Lightroom", "in Lightroom, import photos from my phone"),
    ],
)
def test_the_same_clauses_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("my daughter lied to her teacher how do i handle it", "my daughters teacher lied to her how do i handle it"),
        ("my son hit his friend what do i do", "my son's friend hit him what do i do"),
        ("my son hit his friend what do i do", "my sons friend hit him what do i do"),
        ("my sister cheated on her husband", "my sister's husband cheated on her"),
        ("my brother sued his boss", "my brothers boss sued him"),
        ("Who taught Plato?", "Whom did Plato teach?"),
        ("who taught plato", "who did plato teach"),
        ("who defeated napoleon", "whom did napoleon defeat"),
        ("who killed hamlet", "who did hamlet kill"),
        ("good questions to ask a candidate in an interview", "good questions for a candidate to ask in an interview"),
        ("questions to ask a landlord", "questions for a landlord to ask"),
        ("things to teach a kid", "things for a kid to teach"),
        (
            "A friend wants to borrow $500 from me. What should I say to them?",
            "I want to borrow $500 from a friend. What should I say to them?",
        ),
        ("my cousin wants to borrow my car from me", "i want to borrow a car from my cousin"),
        ("a coworker asked me for money", "i asked a coworker for money"),
        ("my brother wants to move in with me", "i want to move in with my brother"),
        ("the dog chased the cat, is that normal", "the cat chased the dog, is that normal"),
    ],
)
def test_who_acts_is_another(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("who taught Plato", "who was Plato's teacher"),
        ("who taught Plato?", "by whom was Plato taught?"),
        ("Whom did Plato teach?", "Who did Plato teach?"),
        ("my daughter lied to her teacher how do i handle it", "how do i handle it, my daughter lied to her teacher"),
        ("my sons friend hit him what do i do", "my son's friend hit him, what do I do?"),
        (
            "good questions to ask a candidate in an interview",
            "what are good questions to ask a candidate in an interview",
        ),
        ("questions for a candidate to ask in an interview", "questions a candidate should ask in an interview"),
        (
            "a friend wants to borrow money from me what should i say",
            "what should i say, a friend wants to borrow money from me",
        ),
        ("who painted the Mona Lisa", "by whom was the Mona Lisa painted"),
    ],
)
def test_who_acts_is_the_same(cached, asked):
    assert reason(cached, asked) == "serves"
