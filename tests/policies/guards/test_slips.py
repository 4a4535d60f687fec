"""Slips of the pen, and letters that are none: the guard reads a plain slip as the word that is meant."""

from tests.policies.guards.verdicts import reason, rows


@rows(
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
def test_a_plain_slip_is_no_other_word(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    can i freze cooked rice | Can I fry cooked rice?
    is mixing amonia with bleech safe | Is mixing ammonia with vinegar safe?
    who is Pieter Jansen | who is Pieter Janssen
    Who is Carol Hoffman? | Who is Carol Hofmann?
    what is butene used for | What is butane used for?
    how do i enable trakcing | How do I disable tracking?
    should i strech before a run | Should I stretch after a run?
    when did wwii start | when did wwiii start
    what is a gofer | what is a gopher
    who is filip larsen | who is philip larsen
    what is prednisone | What is prednisolone?
    how many milimeters in 3 meters | How many millimeters in 3 kilometers?
    who is Zyphorin Quellat | who is Zyphorin Quillet
    """
)
def test_a_slip_hides_no_difference(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Co in chemistry, meaning | CO in chemistry, meaning
    No gas: formula | NO gas: formula
    CO poisoning at work | Co poisoning at work
    """
)
def test_a_symbol_that_starts_the_prompt_is_one_all_the_same(one, other):
    assert reason(one, other) == "entity"


@rows(
    """
    No eggs pancake recipe | no eggs pancake recipe
    Is CO toxic? | is co toxic
    In chemistry, what is CO? | what is CO in chemistry
    """
)
def test_a_capital_at_the_start_says_nothing_by_itself(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    how long dose it take to renew a uk passport | How long does a UK passport renewal take?
    why dose the moon look red | Why does the moon look red?
    how dose it work with a heat pump | How does it work with a heat pump?
    whats the wether in london | What's the weather in London?
    """
)
def test_a_word_typed_for_one_that_sounds_alike_where_only_that_can_stand(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    how long does a dose last | How long does it last?
    what dose do I take | What do I take?
    should I ask whether it is raining | should I ask about the weather when it is raining
    how much of a dose is lethal | how much is lethal
    """
)
def test_a_dose_stays_a_dose(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Can I take ibuprofen before a meal? | Can I take ibuprofen before eating?
    Is it safe to swim after eating? | Is it safe to swim after a meal?
    How do I change the name of a table in SQL? | How do I rename a table in SQL?
    Changing the name of a folder on a Mac | Renaming a folder on a Mac
    How do I cancel the plan I'm on? | How do I cancel my current plan?
    Can a daughter or son inherit? | Can a child inherit?
    Can a mother or father sign the form? | Can a parent sign the form?
    Can a brother or sister inherit? | Can a sibling inherit?
    What is the filing due date for form 1040? | What is the filing deadline for form 1040?
    When is the payment due date for property tax? | When is the payment deadline for property tax?
    What is the mean temperature of Mars? | What is the average temperature of Mars?
    What is the mean salary in Norway? | What is the average salary in Norway?
    How long is the probationary period in Germany? | How long is probation in Germany?
    How do I undo the last commit in git? | How do I undo the most recent commit in git?
    How do I restore the last backup? | How do I restore the most recent backup?
    Why is my router's light blinking? | Why is my router's light flashing?
    """
)
def test_two_ways_to_say_it(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Can I take ibuprofen before a meal? | Can I take ibuprofen after eating?
    Can I take ibuprofen before a meal? | Can I take ibuprofen with a meal?
    How do I change the name on my passport? | How do I rename my passport?
    How do I change the type of a column in SQL? | How do I rename a column in SQL?
    How do I cancel the plan I'm not on? | How do I cancel my current plan?
    Can my husband work on an H-4 visa? | Can my husband or wife work on an H-4 visa?
    Can a mother sign the form? | Can a mother or father sign the form?
    Can a son inherit? | Can a son or daughter inherit?
    Can a sister inherit? | Can a brother or sister inherit?
    Can a mother or father sign the form? | Can a mother and a father sign the form separately?
    Can a brother or sister inherit? | Can a son or daughter inherit?
    When is my baby's due date? | When is my baby's deadline?
    When is the payment due date for property tax? | When is the filing deadline for property tax?
    What is the mean temperature of Mars? | What is the median temperature of Mars?
    What does mean mean? | What does average mean?
    How do I undo the last commit in git? | How do I undo the first commit in git?
    How do I undo the last commit in git? | How do I undo the last two commits in git?
    Why is my router's light blinking? | Why is my router's light off?
    Why does my eye keep blinking? | Why does my eye keep flashing?
    How long is the probationary period in Germany? | How long is the notice period in Germany?
    """
)
def test_and_what_is_said_of_something_else(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    who is older, brother or sister | who is older, sibling
    is my baby a son or daughter | is my baby a child
    does blood type come from mother or father | does blood type come from a parent
    tell me the whether clause | tell me the weather clause
    what is the whether construction | what is the weather construction
    """
)
def test_a_choice_of_two_and_a_word_that_is_meant(one, other):
    assert reason(one, other) != "serves"
    assert reason(other, one) != "serves"
