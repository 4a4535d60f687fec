"""What is asked may be asked in other words: why, when, how long, how much; beside it what must stay another question."""

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
    Why does my phone overheat? | What could make my phone overheat?
    Why does my dog cough at night? | What might make my dog cough at night?
    Why does my washing machine leak? | What can make my washing machine leak?
    Why is my laptop overheating? | What is making my laptop overheat?
    Why is the sky blue? | What gives the sky its blue colour?
    Why are flamingos pink? | What gives flamingos their pink color?
    Why is Swiss cheese full of holes? | What gives Swiss cheese its holes?
    """
)
def test_what_makes_trouble_or_gives_a_property_is_why(pair):
    assert _reason(pair) == "serves"


@_all(
    """
    Why does my phone overheat? | What could stop my phone overheating?
    Why does my phone overheat? | What would make my phone charge?
    Why does my hair grow? | What would make my hair grow?
    Why is my cat happy? | What would make my cat happy?
    Why does my dog bark? | What would make my dog stop barking?
    Why does my dog bark at night? | What would make my dog bark at strangers?
    What could make my car stall? | How do I make my car stall?
    Why are flamingos pink? | What gives flamingos their long legs?
    Why are flamingos pink? | What do flamingos give their chicks?
    Why is the sky blue? | What gives the sea its blue colour?
    What gives rubies their red colour? | What gives rubies their red glow?
    What is a black hole? | What color is a black hole?
    """
)
def test_what_would_make_something_good_happen_is_not_why(pair):
    assert _reason(pair) != "serves"


@_all(
    """
    What day of the week was July 20, 1969? | Which weekday did 20 July 1969 fall on?
    What day of the week is Christmas this year? | Which weekday does Christmas fall on this year?
    What day of the week was 1 May 1990? | On which day of the week did 1 May 1990 fall?
    On what day of the week will New Year's Day 2030 fall? | Which weekday will New Year's Day 2030 fall on?
    """
)
def test_the_weekday_is_the_day_of_the_week(pair):
    assert _reason(pair) == "serves"


@_all(
    """
    What day of the week was July 20, 1969? | Which weekday did 20 July 1968 fall on?
    What day of the week was July 20, 1969? | Which weekday did 20 June 1969 fall on?
    What day of the week is Christmas this year? | Which weekday did Christmas fall on last year?
    Which weekday is busiest? | Which day of the week is busiest?
    What date did Easter fall on in 2020? | Which weekday did Easter fall on in 2020?
    What day did the Berlin Wall fall? | What day was the Berlin Wall?
    """
)
def test_another_day_is_another_weekday(pair):
    assert _reason(pair) != "serves"


@_all(
    """
    When do I use "affect" and when do I use "effect"? | affect vs effect, which one when
    When do I use a mutex and when a semaphore? | semaphore vs mutex: which one should I use when?
    When should I use "fewer" and when should I use "less"? | "Less" vs "fewer": when do I use which?
    When should I use "who" and when "whom"? | "Whom" vs "who": when to use which?
    """
)
def test_which_one_when_asks_when_to_use_either(pair):
    assert _reason(pair) == "serves"


@_all(
    """
    When do I use "affect" and when do I use "effect"? | affect vs effect, which one is the noun
    When do I use "affect" and when do I use "effect"? | affect vs infect, which one when
    When do I use a mutex and when a semaphore? | mutex vs semaphore: which is faster when?
    Why do I use a mutex and why a semaphore? | mutex vs semaphore: which one when?
    When do I use a mutex and when a semaphore? | mutex vs spinlock: which one when?
    When should I use ice and when should I stop using heat? | When should I use heat and when should I stop using ice?
    When should I use "lay" and when "lie"? | When should I use "lay" and when "laid"?
    """
)
def test_which_one_when_is_neither_which_nor_why(pair):
    assert _reason(pair) != "serves"


@_all(
    """
    What's the best month to visit Iceland? | Which month is best to visit Iceland?
    Which month is best for a trip to Peru? | What's the best month for a trip to Peru?
    What is the best season for planting roses? | Which season is best for planting roses?
    What's the best day to fly to Paris? | Which day is the best to fly to Paris?
    """
)
def test_which_month_is_best_asks_for_the_best_month(pair):
    assert _reason(pair) == "serves"


@_all(
    """
    What's the best month to visit Iceland? | Which month is worst to visit Iceland?
    What's the best month to visit Iceland? | Which month is best to leave Iceland?
    What's the best month to visit Iceland? | Which day is best to visit Iceland?
    What's the best month to visit Iceland? | Why is May the best month to visit Iceland?
    Which season is best for planting roses? | Which season is best for pruning roses?
    """
)
def test_the_best_month_is_not_the_worst_nor_a_day(pair):
    assert _reason(pair) != "serves"
