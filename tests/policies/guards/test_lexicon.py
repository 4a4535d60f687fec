"""The data, and what a policy may add to it."""

import pytest

from policies.guards import compare, default_lexicon, parse
from policies.guards.spelling import same_but_for_a_slip, suggestion
from policies.guards.vocabulary import base_form


def test_a_policy_adds_opposites_units_names_and_synonyms():
    lexicon = default_lexicon().extended(
        contrasts=[[["arm"], ["disarm"]]],
        units={"furlong": ["furlong", "furlongs"]},
        names=["zanzibar"],
        synonyms=[["gizmo", "widget"]],
    )

    def reason(cached: str, asked: str) -> str:
        found = compare(parse(cached, lexicon), parse(asked, lexicon))
        return found.reason if found else "serves"

    assert reason("arm the alarm", "disarm the alarm") == "contrast"
    assert reason("how long is 5 furlongs", "how long is 5 miles") == "number_unit"
    assert reason("weather on the coast", "weather on the zanzibar coast") == "entity"
    assert reason("how do I install the gizmo", "how do I install the widget") == "serves"

    again = lexicon.extended(names=["narnia"])
    assert "zanzibar" in again.entries, "additions add up"
    assert "narnia" in again.entries
    assert "zanzibar" not in default_lexicon().entries, "and leave the default alone"


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("running", "run"), ("making", "make"), ("hoping", "hope"), ("hopping", "hop"), ("planes", "plane"),
        ("plans", "plan"), ("cities", "city"), ("watches", "watch"), ("children", "child"), ("wrote", "write"),
        ("colours", "color"), ("analysing", "analyze"), ("this", "this"), ("glass", "glass"), ("during", "during"),
        ("euros", "euro"), ("kubernetes", "kubernete"),
    ],
)  # fmt: skip
def test_base_forms(form, base):
    assert base_form(form) == base


def test_slips():
    assert same_but_for_a_slip("captial", "capital")
    assert same_but_for_a_slip("vegitarian", "vegetarian")
    assert not same_but_for_a_slip("hypertension", "hypotension")
    assert not same_but_for_a_slip("cat", "car")
    assert not same_but_for_a_slip("enable", "unable")


def test_an_unclear_slip_is_left_alone():
    listed = default_lexicon().listed
    assert suggestion("whats", listed) in ("", "what", "whats")
    assert suggestion("disble", listed) == "disable"
    assert suggestion("xqzwv", listed) == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [("rfund", "refund"), ("branh", "branch"), ("seevn", "seven"), ("mnay", "many"), ("simplfy", "simplify")],
)
def test_a_letter_left_out_or_swapped_is_likelier_than_another_letter(written, meant):
    assert suggestion(written, default_lexicon().listed) == meant
