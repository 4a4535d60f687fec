"""Which person does what, to whom: pronouns are no words of meaning, so their verbs are compared with them."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("my girlfriend cheated on me what should i do", "i cheated on my girlfriend what should i do"),
        ("my gf lied to me", "i lied to my gf"),
        ("my sister borrowed money from me", "i borrowed money from my sister"),
        ("my mom told me to wait", "i told my mom to wait"),
        ("the book my friend gave me", "the book i gave my friend"),
        ("my wife earns more than me", "i earn more than my wife"),
        ("my brother is taller than me", "i am taller than my brother"),
        ("my neighbor hit my car", "i hit my neighbors car"),
        ("i was hit by a car", "i hit a car"),
        ("remind me to call mom", "remind mom to call me"),
        ("can u text me", "can i text u"),
        ("are you mad at me", "am i mad at you"),
        ("why did you block me", "why did i block you"),
        ("our dog sleeps with us", "we sleep with our dog"),
        ("who invited you", "who did you invite"),
        ("i think that she knows", "she thinks that i know"),
        ("my client fired me", "i fired my client"),
        ("my clinet fierd me", "i fierd my clinet"),
        ("my moms boyfriend hit me", "my boyfriend hit my mom"),
        ("my husband snores and i cant sleep", "i snore and my husband cant sleep"),
    ],
)
def test_a_person_does_it_here_and_has_it_done_there(cached, asked):
    """A pronoun that changes from subject to object."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("my girlfriend cheated on me what should i do", "what should i do, my girlfriend cheated on me"),
        ("my boss yelled at me what should i do", "what should i do if my boss yelled at me"),
        ("my cat bit me do i need a shot", "do i need a shot if my cat bit me"),
        ("i was fired yesterday can i get benefits", "i got fired yesterday, can i get benefits?"),
        ("my neighbor hit my car", "my car was hit by my neighbor"),
        ("my friend told me a secret should i tell", "should i tell a secret my friend told me"),
        ("remind me to drink water", "can you remind me to drink water"),
        ("give me tips for sleeping", "i want tips for sleeping"),
        ("my tenant hasnt paid me", "i have not been paid by my tenant"),
    ],
)
def test_a_person_does_it_here_and_has_it_done_there_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("my coworker says i was rude", "i say my coworker was rude"),
        ("my boss thinks i am lazy", "i think my boss is lazy"),
        ("write a text telling her that i will pay", "write a text telling her to pay"),
        ("tell my boss i will come", "tell my boss to come"),
        ("ask if i can come", "ask if he can come"),
        ("email saying i accept the offer", "email saying they accept the offer"),
        ("tom says ann lied", "ann says tom lied"),
    ],
)
def test_another_person_does_it(cached, asked):
    """In a report it counts who says it and of whom it is said."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("write a text telling her that i will pay", "write a text telling her i'll pay"),
        ("how do i tell my boss i quit", "how can i tell my boss that i quit"),
        ("how do i ask my boss for a raise", "how can i ask my boss for a raise"),
        ("what does it mean if he texts me every day", "he texts me every day what does that mean"),
    ],
)
def test_another_person_does_it_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("I missed my flight, what do I do?", "I'm going to miss my flight, what do I do?"),
        ("i got fired today", "i am getting fired today"),
        ("i already paid the fine", "i have to pay the fine"),
        ("should i have refused", "should i refuse"),
        ("is the mall bigger than the park", "is the mall going to be bigger than the park"),
    ],
)
def test_it_is_over_here_and_to_come_there(cached, asked):
    """The tense of what a person does."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("im gonna miss my flight", "i'm going to miss my flight"),
        ("i will be late for work", "i'm going to be late for work"),
        ("is it going to rain tomorrow", "will it rain tomorrow"),
    ],
)
def test_it_is_over_here_and_to_come_there_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("I want children and my partner doesn't", "I don't want children and my partner does"),
        ("my wife works and i dont", "my wife doesnt work and i do"),
        ("he wants to move and i dont", "i want to move and he doesnt"),
        ("i can hear them but they cant hear me", "they can hear me but i cant hear them"),
        ("why didnt he come and why did she leave", "why did he come and why didnt she leave"),
        ("my gf wants kids i dont", "i want kids my gf doesnt"),
    ],
)
def test_the_negation_moves_to_another_clause(cached, asked):
    """Who does not, where one does and one does not."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("I want children and my partner doesn't", "I want kids and my partner does not"),
        ("what if it doesn't", "what if it does not"),
        ("why doesn't my phone charge", "why does my phone not charge"),
    ],
)
def test_the_negation_moves_to_another_clause_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("my dog bit my neighbors cat", "my neighbors dog bit my cat"),
        ("my dog bit the neighbors cat", "the neighbors cat bit my dog"),
        ("my sisters husband", "my husbands sister"),
        ("my bosses wife", "my wifes boss"),
        ("the dogs owner", "the owners dog"),
        ("my kids father", "my fathers kid"),
    ],
)
def test_things_change_their_owners(cached, asked):
    """Possessives without an apostrophe are possessives."""
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("my sisters husband died what do i write", "my sister's husband died what should i write"),
        ("which countries are neighbors of germany", "germany's neighbors"),
    ],
)
def test_things_change_their_owners_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
