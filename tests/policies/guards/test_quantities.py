"""Groups `numbers` and `units`."""

import pytest

from policies.guards import parse
from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What is 15% of 200?", "What is 25% of 200?"),
        ("What happened in 1969?", "What happened in 1996?"),
        ("World War I causes", "World War II causes"),
        ("Who was the 16th US president?", "Who was the 17th US president?"),
        ("what happened in the 1920s", "what happened in the 1820s"),
        ("Remind me at 7am", "Remind me at 7pm"),
        ("my son is two years old", "my son is five years old"),
        ("a dozen roses price", "two dozen roses price"),
        ("1.5 million people", "1.5 billion people"),
        ("-5 plus 3", "5 plus 3"),
        ("What is new in Python 3.1?", "What is new in Python 3.10?"),
        ("top 5 books on leadership", "books on leadership"),
    ],
)
def test_numbers_must_be_equal(cached, asked):
    assert reason(cached, asked) == "number"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What is ten percent of 50?", "What's 10% of 50?"),
        ("top ten movies of 1999", "top 10 movies of 1999"),
        ("1,000 meters in miles", "1000 m in miles"),
        ("Who was the 16th US president?", "Who was the sixteenth president of the US?"),
        ("World War II causes", "causes of World War 2"),
        ("twenty-five squared", "25 squared"),
        ("meeting at 3 pm", "meeting at 3pm"),
        ("events of March 5, 2020", "events of 5 March 2020"),
        ("Can I return it after 14 days?", "Can I return it after two weeks?"),
        ("translate one hundred and five into Roman numerals", "translate 105 into Roman numerals"),
    ],
)
def test_a_number_may_be_written_in_another_way(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked", "expected"),
    [
        ("convert 5 km to miles", "convert 5 m to miles", "number_unit"),
        ("convert 5 km to miles", "convert 5 miles to km", "number_unit"),
        ("is 200 mg of caffeine safe", "is 200 g of caffeine safe", "number_unit"),
        ("500 MB in GB", "500 Mb in GB", "number_unit"),
        ("3 MW", "3 mW", "number_unit"),
        ("what is 98.6 F in C", "what is 98.6 C in F", "number_unit"),
        ("$20 in pesos", "€20 in pesos", "number_unit"),
        ("set the timer for 5 minutes", "set the timer for 5 hours", "number_unit"),
        ("how many ounces is 3 pounds", "how many grams is 3 pounds", "unit"),
        ("How tall is the Shard in feet?", "How tall is the Shard in metres?", "unit"),
        ("How many teaspoons in a tablespoon?", "How many tablespoons in a teaspoon?", "number_unit"),
        ("convert Celsius to Fahrenheit formula", "convert Fahrenheit to Celsius formula", "from_to"),
    ],
)
def test_units_are_bound_to_their_numbers_and_keep_their_direction(cached, asked, expected):
    assert reason(cached, asked) == expected


@pytest.mark.parametrize(
    "asked",
    [
        "how many miles is 5 km",
        "what is 5 kilometres in miles?",
        "5km expressed in miles",
        "5 km to miles",
        "convert 5 kilometers to miles",
    ],
)
def test_a_conversion_may_be_asked_in_many_ways(asked):
    assert reason("convert 5 km to miles", asked) == "serves"


def test_a_bound_is_part_of_the_number():
    assert (
        reason("countries with more than 100 million people", "countries with less than 100 million people")
        == "quantity"
    )
    assert reason("population since 2010", "population in 2010") == "quantity"
    assert reason("At least three people can enter", "At most three people can enter") == "quantity"


def test_numbers_keep_their_order_unless_they_are_tied():
    assert reason("what is 7 minus 3", "what is 3 minus 7") == "order"
    assert reason("what is 7 plus 3", "what is 3 plus 7") == "serves"
    assert reason("what is 7 times 8", "what is 8 times 7") == "serves"
    assert reason("a random number between 1 and 10", "a random number between 10 and 1") == "serves"


def test_the_pronoun_one_is_no_number():
    assert parse("Which one is better?").quantities == ()
    assert parse("one kilometer").quantities[0].value == "1"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("the 2nd law of thermodynamics", "the second law of thermodynamics"),
        ("who was the 1st person in space", "who was the first person in space"),
        ("how many days of leave after 2 years", "how many leave days after 2 years"),
    ],
)
def test_ordinals_and_counted_days_may_be_written_in_two_ways(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("the 2nd law of thermodynamics", "the 1st law of thermodynamics"),
        ("flights on 1st May", "flights on 2nd May"),
        ("the second gear grinds", "the 3rd gear grinds"),
        ("how many hours do cats sleep", "how many days do cats sleep"),
    ],
)
def test_ordinals_and_lengths_that_differ(cached, asked):
    assert reason(cached, asked) != "serves"


def test_two_units_alone_are_a_conversion():
    assert reason("gbp jpy", "jpy gbp") == "from_to"
    assert reason("gbp jpy", "convert gbp to jpy") == "serves"
