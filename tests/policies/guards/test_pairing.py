"""Numbers belong to what they count, and what is given is not what is asked."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Is a plan of 5 days on and 2 days off good?", "Is a plan of 2 days on and 5 days off good?"),
        ("3 adults and 2 kids cruise price", "2 adults and 3 kids cruise price"),
        ("room for two adults and three children", "room for three adults and two children"),
        (
            "i have 4 red socks and 6 blue socks whats the chance of red",
            "i have 6 red socks and 4 blue socks whats the chance of red",
        ),
        (
            "worked 6 hours on monday and 8 hours on tuesday overtime",
            "worked 8 hours on monday and 6 hours on tuesday overtime",
        ),
        ("invest 70 percent in stocks and 30 percent in bonds", "invest 30 percent in stocks and 70 percent in bonds"),
        ("take 2 pills in the morning and 1 at night", "take 1 pill in the morning and 2 at night"),
        ("bought at 100 and sold at 120", "sold at 100 and bought at 120"),
        ("an hour and a half in seconds", "half an hour in seconds"),
        ("two dogs and one cat food cost", "one dog and two cats food cost"),
    ],
)
def test_numbers_change_places(cached, asked):
    """Two numbers of one sort that each count what the other one counted."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("3 adults and 2 kids cruise price", "cruise price for 2 kids and 3 adults"),
        ("stocks 70% and bonds 30%", "70% stocks and 30% bonds"),
        (
            "worked 6 hours on monday and 8 hours on tuesday overtime",
            "worked 8 hours on tuesday and 6 hours on monday overtime",
        ),
        ("width 40 height 80", "height 80 width 40"),
        ("lost 5 kg in 3 weeks", "in 3 weeks i lost 5 kg"),
        ("one dog and two cats", "two cats and one dog"),
        ("half an hour in seconds", "30 minutes in seconds"),
    ],
)
def test_numbers_change_places_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What is my take-home pay on a 45,000 gross salary?", "What gross salary do I need for 45,000 take-home pay?"),
        ("take home pay on 45000 gross", "gross pay for 45000 take home"),
        ("net price 100 what is the gross", "gross price 100 what is the net"),
        ("the price was reduced by 25 dollars", "the price was reduced to 25 dollars"),
        ("increase the font size by 12", "increase the font size to 12"),
        ("files larger than 1gb and older than 7 days", "files larger than 1gb or older than 7 days"),
    ],
)
def test_what_is_given_is_not_what_is_asked(cached, asked):
    """The number belongs to one of two opposites; by is not to; and is not or."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("net salary for 50000 gross in germany", "50000 gross salary in germany net"),
        ("take home pay for 60000 in uk", "what is the take home pay on 60000 in the uk"),
        ("the price dropped by 25 dollars", "the price dropped 25 dollars"),
        ("files larger than 1gb and older than 7 days", "files older than 7 days and larger than 1gb"),
    ],
)
def test_what_is_given_is_not_what_is_asked_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("convert tabelspoons to mililiters", "convert mililiters to tabelspoons"),
        ("conver fahrenhiet to celcius", "conver celcius to fahrenhiet"),
        ("how many onces in a tablspoon", "how many tablspoons in an once"),
    ],
)
def test_units_are_units_when_misspelt(cached, asked):
    """Direction counts between names of units with a slip in them."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("convert tabelspoons to mililiters", "convert tablespoons to milliliters"),
        ("killograms to pouns", "kilograms to pounds"),
    ],
)
def test_units_are_units_when_misspelt_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
