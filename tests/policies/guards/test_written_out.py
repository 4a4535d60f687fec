"""What is embedded in place of a unit's symbol, and what is left as it is."""

import pytest

from policies.guards.as_embedded import as_embedded
from policies.guards.written_out import written_out


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("convert 2.5kg to g", "convert 2.5 kilograms to grams"),
        ("what's 5 ft in cm?", "what's 5 feet in centimeters?"),
        ("1 lb in oz", "1 pound in ounces"),
        ("180 °C in °F", "180 degrees celsius in fahrenheit"),
        ("180 C to f", "180 degrees celsius to fahrenheit"),
        ("tsp per tbsp", "teaspoons per tablespoon"),
        ("60 km/h to mph", "60 kilometers per hour to miles per hour"),
        ("$40 to EUR", "40 US dollars to euros"),
        ("is 250 usd more than £200?", "is 250 US dollars more than 200 pounds?"),
        ("ten miles to km", "10 miles to kilometers"),
        ("how many litres in a cubic metre", "how many liters in a cubic meter"),
        ("a 3.5 GHz core (or 3500 MHz)", "a 3.5 gigahertz core (or 3500 megahertz)"),
        ("3 GB of RAM in MB", "3 gigabytes of RAM in megabytes"),
    ],
)
def test_a_unit_is_written_out(text, written):
    assert written_out(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "Who was the 1st US president?",
        "five people sit in a row",
        "port 3000 in linux",
        "swap 2 variables in C",
        "is 2100 a leap year",
        "an alarm at 5 pm in 2 places",
        "comedies of the 90s",
        "$85k of taxable income",
        "5 mw",  # a milliwatt or a megawatt
        "ms word 2019",
        "`5 km`",
        "count from one to five",
        "a second opinion",
        "5 km " * 300,
        "",
        "$ % ° -- ( ) 5",
    ],
)
def test_what_may_be_no_unit_is_left_alone(text):
    assert written_out(text).split() == text.split()


def test_writing_out_twice_is_as_writing_out_once():
    once = written_out("5 ft 11 in to cm, 2.5kg to g, $40 to EUR")
    assert written_out(once) == once


def test_what_is_no_slip_is_not_put_right():
    assert (
        as_embedded("how do i renew my pasport onlin in 10 mins") == "how do i renew my passport online in 10 minutes"
    )
