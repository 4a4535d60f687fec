"""Soft words that are part of a name, and several places of one name."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How many people live in Kansas?", "How many people live in Kansas City?"),
        ("How many people live in Panama?", "How many people live in Panama City?"),
        ("What is the population of Guatemala?", "What is the population of Guatemala City?"),
        ("What is the capital of England?", "What is the capital of New England?"),
        ("What's the capital of Washington?", "What's the capital of Washington state?"),
        ("What is the population of Georgia?", "What is the population of Georgia (country)?"),
        ("How many people live in Oklahoma?", "How many people live in Oklahoma City?"),
        ("What is the population of Kuwait?", "What is the population of Kuwait City?"),
        ("population of quebec", "population of quebec city"),
        ("What is the population of Guinea?", "What is the population of New Guinea?"),
        ("What's the capital of Georgia?", "What's the capital of the state of Georgia?"),
        ("What is the population of Iowa?", "What is the population of Iowa City?"),
        ("What is the area of New York?", "What is the area of New York state?"),
        ("What is Disney?", "What is Disney World?"),
        ("What is the population of Luxembourg?", "What is the population of Luxembourg City?"),
        ("how many people live in jersey", "how many people live in jersey city"),
        ("How many people live in Mexico?", "How many people live in the state of Mexico?"),
        ("What is the population of Washington?", "What is the population of Washington, the state?"),
        ("What is Microsoft?", "What is Microsoft Word?"),
        ("How many people live in Ireland?", "How many people live in Northern Ireland?"),
        ("What is the capital of Georgia?", "What is the capital of Georgia, the country?"),
        ("what is the population of kansas", "what is the population of kansas city"),
        ("What is the population of Salt Lake?", "What is the population of Salt Lake City?"),
        ("How large is Britain?", "How large is New Britain?"),
        ("Where is Panama?", "Where is Panama City?"),
        ("What's the population of Luxembourg?", "What's the population of the city of Luxembourg?"),
        ("How many people live in Vatican?", "How many people live in Vatican City State?"),
        ("What is the capital of Guinea?", "What is the capital of the new Guinea?"),
        ("What is the population of Buffalo?", "What is the population of Buffalo City?"),
        ("What is the population of Davao?", "What is the population of Davao City?"),
        ("What is the population of Quezon?", "What is the population of Quezon City?"),
        ("population of carson", "population of carson city"),
        ("What is the population of Johnson?", "What is the population of Johnson City?"),
        ("How many people live in Dodge?", "How many people live in Dodge City?"),
        ("What is the capital of Mexico?", "What is the capital of the state of Mexico?"),
        ("What is the population of Victoria?", "What is the population of Victoria state?"),
        ("What is the population of Limerick?", "What is the population of Limerick city?"),
        ("What is the population of Cape?", "What is the population of Cape Town?"),
        ("what is the population of benin", "what is the population of benin city"),
        ("What is the population of Belize?", "What is the population of Belize City?"),
        ("What is the population of Dominica?", "What is the population of Dominican Republic?"),
        ("What is the population of Ho Chi Minh?", "What is the population of Ho Chi Minh City?"),
        ("What is the population of Georgia?", "What is the population of Georgia (U.S. state)?"),
        ("What is the population of Georgia?", "What is the population of Georgia, USA?"),
        ("What is the population of Ireland?", "What is the population of Ireland (island)?"),
        ("What is the population of Hampshire?", "What is the population of New Hampshire?"),
        ("What is the capital of York?", "What is the capital of New York?"),
        ("What's Washington's population?", "What's Washington state's population?"),
        ("What is the population of Brasilia?", "What is the population of greater Brasilia?"),
        ("How many people live in London?", "How many people live in the City of London?"),
        ("What is the population of the Congo?", "What is the population of the Republic of the Congo?"),
        ("What is the population of Singapore?", "What is the population of Singapore's largest town?"),
        ("How many people live in Nelson?", "How many people live in Port Nelson?"),
    ],
)
def test_a_word_that_is_part_of_a_name_makes_another_name(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What is the population of Kansas City?", "How many people live in Kansas City?"),
        ("what is the population of kansas city", "What's the population of Kansas City?"),
        ("What is the capital city of Peru?", "What is the capital of Peru?"),
        ("What is the capital of New York state?", "What is the capital of New York State?"),
        ("What is the capital of the state of Texas?", "What is the capital of Texas?"),
        ("Which city is the capital of Chile?", "What's Chile's capital city?"),
        ("What is the population of the country of France?", "What is the population of France?"),
        ("What's the capital of New Zealand?", "what is the capital of new zealand"),
        ("What is the currency of the country Japan?", "What is Japan's currency?"),
        ("Which country is Panama City in?", "In which country is Panama City?"),
        ("What's the capital of turkey?", "What is the capital of Turkey?"),
        ("How many people live in New York City?", "What's the population of NYC?"),
        ("What is the capital of the US state of Georgia?", "What's the capital of the US state of Georgia?"),
        ("Which city in France is the largest?", "What is the largest city in France?"),
        ("Is London the largest city in England?", "is london the largest city in england"),
        ("What is the largest French city?", "What is the largest city in France?"),
        ("What country is Georgia in?", "Which country is Georgia in?"),
        ("What is the capital city of Georgia?", "What is the capital of Georgia?"),
        ("What is the capital city of Luxembourg?", "capital of luxembourg"),
        ("Which city is the capital of Guatemala?", "Guatemala capital city"),
        ("What is the new capital of Egypt?", "What's the new capital of Egypt?"),
    ],
)
def test_the_same_place_may_be_named_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
