"""Who acts and who is acted upon behind "can", "should", "will"; and "yr old"."""

import pytest

from tests.policies.guards.verdicts import reason, rows


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Can an automatic car tow a trailer?", "Can an automatic car be towed on a trailer?"),
        ("Can a dog bite a child?", "Can a dog be bitten by a child?"),
        ("Should a landlord pay the deposit?", "Should a landlord be paid the deposit?"),
        ("Can a tenant evict a lodger?", "Can a tenant be evicted with a lodger?"),
        ("Can a bank sue a customer?", "Can a bank be sued by a customer?"),
    ],
)
def test_a_subject_that_acts_is_not_acted_upon(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Can you tow an automatic car?", "Can an automatic car be towed?"),
        ("Can I wash wool?", "Can wool be washed?"),
        ("how much sleep does a 6 year old need", "how much sleep does a 6 yr old need"),
        ("Are 10 yr olds allowed in the pool?", "Are 10 yr olds allowed in the pool"),
        ("shoe size of a 4-year-old", "shoe size of a 4 yr old"),
    ],
)
def test_the_same_asked_in_the_other_voice_serves(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("how much sleep does a 6 year old need", "how much sleep does a 5 yr old need"),
        ("how much sleep does a 6 month old need", "how much sleep does a 6 yr old need"),
        ("Explain photosynthesis to a six-year-old.", "Explain photosynthesis to a 16 yr old."),
    ],
)
def test_another_age_stays_another(cached, asked):
    assert reason(cached, asked) != "serves"


@rows(
    """
    Who was killed by Brutus? | Who killed Brutus?
    What is eaten by foxes? | What eats foxes?
    Who was taught by Aristotle? | Who taught Aristotle?
    Can my account be closed by the bank? | Can I close my bank account?
    How do I stop my cat from scratching? | How do I stop scratching my cat?
    """
)
def test_who_does_it_is_not_who_it_is_done_by(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Who was killed by Brutus? | Who did Brutus kill?
    What eats foxes? | What are foxes eaten by?
    By whom was Hamlet written? | Who wrote Hamlet?
    Can the hole be patched by hand? | Can I patch the hole by hand?
    How do I stop my dog from biting me? | How do I stop my dog biting me?
    How do I stop my dog from barking? | How do I make my dog stop barking?
    """
)
def test_a_question_in_the_passive_is_one_in_the_active(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I get hired? | How do I hire?
    How do I get invited? | How do I invite?
    How do I get refunded? | How do I refund?
    Why was I charged twice? | Why did I charge twice?
    Why was my account blocked? | Why did I block my account?
    Will my post be deleted? | Will I delete my post?
    What do I do if my dog bites someone? | What do I do if someone bites my dog?
    Can someone sue my company? | Can my company sue someone?
    """
)
def test_what_happens_to_me_is_not_what_i_do(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Can I freeze eggs? | Can eggs be frozen?
    Should milk be left out? | Should I leave milk out?
    Can I be sued by my landlord? | Can my landlord sue me?
    How much does it cost to get my house painted? | How much does it cost to paint my house?
    What do I do if someone steals my card? | Someone steals my card, what do I do?
    How do I get divorced? | how to get divorced
    """
)
def test_what_may_be_done_is_what_i_may_do(one, other):
    assert reason(one, other) == "serves"
