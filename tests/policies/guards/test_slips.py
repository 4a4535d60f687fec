"""Slips of the pen, and letters that are none: the guard reads a plain slip as the word that is meant."""

import pytest

from tests.policies.guards.verdicts import reason


def _all(pairs):
    """One parameter a line, "one | other"."""
    return pytest.mark.parametrize("pair", [line.strip() for line in pairs.strip().splitlines()])


def _reason(pair):
    one, other = pair.split(" | ")
    return reason(one, other)


@_all(
    """
    can i freze cooked rice | Can I freeze cooked rice?
    how to stop a nosebleeed | How do I stop a nosebleed?
    what is fotosynthesis | What is photosynthesis?
    is mixing amonia with bleech dangerous | Is mixing ammonia with bleach dangerous?
    do suculents need fertiliser | Do succulents need fertilizer?
    how do i chagne the brnach name in git | How do I change the branch name in git?
    what are allergys | What are allergies?
    how many centimeters in 3 meters | How many centimetres in 3 metres?
    who wrote romeo and juliete | Who wrote Romeo and Juliet?
    """
)
def test_a_plain_slip_is_no_other_word(pair):
    assert _reason(pair) == "serves"


@_all(
    """
    can i freze cooked rice | Can I fry cooked rice?
    is mixing amonia with bleech safe | Is mixing ammonia with vinegar safe?
    who is Pieter Jansen | who is Pieter Janssen
    Who is Carol Hoffman? | Who is Carol Hofmann?
    what is butene used for | What is butane used for?
    how do i enable trakcing | How do I disable tracking?
    should i strech before a run | Should I stretch after a run?
    what is prednisone | What is prednisolone?
    how many milimeters in 3 meters | How many millimeters in 3 kilometers?
    who is Zyphorin Quellat | who is Zyphorin Quillet
    """
)
def test_a_slip_hides_no_difference(pair):
    assert _reason(pair) != "serves"


@_all(
    """
    Co in chemistry, meaning | CO in chemistry, meaning
    No gas: formula | NO gas: formula
    CO poisoning at work | Co poisoning at work
    """
)
def test_a_symbol_that_starts_the_prompt_is_one_all_the_same(pair):
    assert _reason(pair) == "entity"


@_all(
    """
    No eggs pancake recipe | no eggs pancake recipe
    Is CO toxic? | is co toxic
    In chemistry, what is CO? | what is CO in chemistry
    """
)
def test_a_capital_at_the_start_says_nothing_by_itself(pair):
    assert _reason(pair) == "serves"
