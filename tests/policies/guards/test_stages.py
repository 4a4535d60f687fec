"""States that follow each other, opposites in one command, and titles that a plural tells apart."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("order says delivered but i dont have it", "order says shipped but i dont have it"),
        ("my package is marked out for delivery", "my package is marked delivered"),
        ("can i cancel an order that was shipped", "can i cancel an order that was delivered"),
        ("has my order shipped", "has my order been delivered"),
        ("when will my order ship", "when will my order arrive"),
        ("was my parcel returned", "was my parcel refunded"),
        ("status says refunded", "status says returned"),
        ("my application was submitted what now", "my application was approved what now"),
        ("can i edit a submitted form", "can i edit a draft form"),
        ("my claim was aproved", "my claim was rejected"),
        ("show hiden files in windows explorer", "hide files in windows explorer"),
        ("show hidden columns in excel", "hide columns in excel"),
        ("enable disabled buttons", "disable buttons"),
        ("unlock locked cells in excel", "lock cells in excel"),
        ("how to open closed tabs", "how to close tabs"),
        ("Who directed Alien?", "Who directed Aliens?"),
        ("who directed alien", "who directed aliens"),
        ("when was Predator released", "when was Predators released"),
        ("Who starred in Gremlin?", "Who starred in Gremlins?"),
        ("who plays the lead in Insider", "who plays the lead in Insiders"),
        ("who wrote The Stranger", "who wrote The Strangers"),
    ],
)
def test_another_state_or_title(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("did my order ship", "has my order shipped"),
        ("has my order been shipped", "was my order dispatched"),
        ("has my package arrived", "was my package delivered"),
        ("do you ship to Canada", "do you deliver to Canada"),
        ("my claim was rejected what now", "what now, my claim was rejected"),
        ("show hidden files in windows", "how do I show hidden files in Windows"),
        ("reopen closed tabs in chrome", "how can I reopen closed tabs in Chrome"),
        ("Who directed Aliens?", "who is the director of Aliens"),
        ("who wrote The Outsiders", "who is the author of The Outsiders"),
        ("when was Aliens released", "what is the release date of Aliens"),
        ("who makes the best burger", "who makes the best burgers"),
        ("who wrote the best poem about spring", "who wrote the best poems about spring"),
    ],
)
def test_the_same_state_or_title(cached, asked):
    assert reason(cached, asked) == "serves"
