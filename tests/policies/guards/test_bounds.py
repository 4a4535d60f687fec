"""Nothing a prompt contains makes the guard slow, large or fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.guards import compare, parse
from policies.guards.parse import MAX_TERMS
from policies.guards.tokens import MAX_CHARS, tokenize

HOSTILE = [
    '"',
    "'a ",
    "(",
    "1,",
    "-a",
    "/a",
    "a.",
    "`",
    "\\",
    "a_",
    "how ",
    "can you ",
    "what is the ",
    "5 km ",
    "é",
    "not ",
    "@x ",
    "#json ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hundred_kilobytes_are_opaque(piece):
    text = piece * (100_000 // len(piece))
    facts = parse(text)
    assert facts.terms == ()
    assert compare(facts, parse(text + "x")) is not None


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_longest_prompt_that_is_read_stays_bounded(piece):
    facts = parse((piece * MAX_CHARS)[:MAX_CHARS])
    assert len(facts.terms) <= MAX_TERMS
    assert compare(facts, facts) is None


@given(st.text(max_size=300))
@settings(max_examples=40, deadline=None)
def test_any_text_parses_and_agrees_with_itself(text):
    facts = parse(text)
    assert facts == parse(text)
    assert compare(facts, parse(f"  {text}\n")) is None


@given(st.text(alphabet="abc ?!.,'\"`-/\\0123456789$%@#", max_size=200))
@settings(max_examples=40, deadline=None)
def test_tokens_lose_nothing_but_white_space_and_unknown_signs(text):
    assert "".join(text.split()) == "" or len("".join(text for _, text in tokenize(text))) <= len(text)


@given(
    st.text(alphabet=st.characters(codec="ascii"), max_size=80),
    st.text(alphabet=st.characters(codec="ascii"), max_size=80),
)
@settings(max_examples=40, deadline=None)
def test_a_verdict_has_no_direction(one, other):
    assert (compare(parse(one), parse(other)) is None) == (compare(parse(other), parse(one)) is None)
