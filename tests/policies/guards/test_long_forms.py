"""Short forms as an embedder gets them."""

import pytest

from policies.guards.as_embedded import as_embedded
from policies.guards.lexicon import default_lexicon
from policies.guards.long_forms import in_long_form
from policies.guards.vocabulary import read_yaml


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("whats our PTO policy", "what is our paid time off policy"),
        ("whats 2fa?", "what is two-factor authentication?"),
        ("keys of a dict in js", "keys of a dictionary in JavaScript"),
        ("teh end of WWII", "the end of World War 2"),
        ("shud u go", "should you go"),
    ],
)
def test_a_short_form_is_written_in_full(text, written):
    assert in_long_form(text) == written
    assert in_long_form(written) == written


@pytest.mark.parametrize(
    "text",
    [
        "node.js",
        "/etc/db",
        "js-yaml",
        "db@example.com",
        "C:\\db",
        "how to plot in R",
        "the US and us",
        "`db`",
        "db " * 400,
        "",
    ],
)
def test_what_may_be_no_short_form_is_left_alone(text):
    assert in_long_form(text) == text


def test_no_short_form_is_listed_twice_or_is_a_contraction_too():
    data = read_yaml("long_forms.yaml")
    assert isinstance(data, dict)
    short = [row.strip().partition(" = ")[0] for row in data["forms"].splitlines()]
    assert len(set(short)) == len(short)
    assert not set(short) & default_lexicon().small.contractions.keys()


def test_all_that_is_done_for_an_embedder_is_done_once_only():
    text = "whats fifteen % of 2kg, teh pto of u in js, and √9 of my pasport"
    assert as_embedded(as_embedded(text)) == as_embedded(text)
