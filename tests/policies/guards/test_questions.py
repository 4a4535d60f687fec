"""Groups `question`, `tense` and `format`: what is asked, of when, and in which form."""

import pytest

from tests.policies.guards.verdicts import reason, rows


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("When was the Eiffel Tower built?", "Why was the Eiffel Tower built?"),
        ("Who invented the telephone?", "When was the telephone invented?"),
        ("how far is the moon", "how old is the moon"),
        ("Where is the Great Barrier Reef?", "What is the Great Barrier Reef?"),
        ("How often should I change my oil?", "How should I change my oil?"),
        ("Is yoga good for back pain?", "Why is yoga good for back pain?"),
        ("Can I bring a dog on the train?", "How do I bring a dog on the train?"),
        ("How many people live in Tokyo?", "How do people live in Tokyo?"),
        ("how tall is mount everest", "how cold is mount everest"),
        ("how much does a passport cost", "how long does a passport take"),
        ("What is the tariff?", "What is included in the tariff?"),
        ("what is a hedge fund", "what is the best hedge fund"),
    ],
)
def test_what_is_asked_must_be_the_same(cached, asked):
    assert reason(cached, asked) == "question_type"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How tall is Mount Everest?", "What is the height of Mount Everest?"),
        ("How many people live in Norway?", "What is the population of Norway?"),
        ("When did World War II end?", "What year did WW2 end?"),
        ("How much does a passport cost?", "What's the cost of a passport?"),
        ("Who wrote Pride and Prejudice?", "Who is the author of Pride and Prejudice?"),
        ("Why is the sky blue?", "What makes the sky blue?"),
        ("How do I get rid of ants?", "What is the best way to get rid of ants?"),
        ("What is photosynthesis?", "Can you explain photosynthesis?"),
        ("who is the president of france", "Who is the French president?"),
        ("How far is the Moon from Earth?", "What is the distance from Earth to the Moon?"),
        ("Is Python faster than Java?", "Which is faster, Java or Python?"),
        ("Which is older, Prague or Vienna?", "Is Prague or Vienna older?"),
        ("How far is the station from the port?", "What is the distance from the station to the port?"),
        ("When should I sow carrots?", "carrots sow when"),
        ("When should I call a vet about a limp?", "At what point should I call a vet about a limp?"),
        ("Why has my order been held?", "why's my order been held"),
        ("Is there a sauna at the hostel?", "Does the hostel have a sauna?"),
        ("Can I get a discount?", "Is a discount possible?"),
        ("How does a hare differ from a rabbit?", "What is the difference between a hare and a rabbit?"),
        ("How much is the deductible?", "What's the deductible?"),
        ("When I move, do I keep my number?", "Do I keep my number when I move?"),
        ("Who played Hamlet?", "Which actor played Hamlet?"),
        ("When was the bridge opened?", "What is the date the bridge was opened?"),
        ("Which papers do I need for a visa?", "Which papers are required for a visa?"),
        ("How long do badgers sleep?", "How many hours do badgers sleep?"),
        ("How much is 20% of 60?", "What is 20 percent of 60?"),
        ("Do you have to tip in Oslo?", "Must you tip in Oslo?"),
        ("What should I bring to a picnic?", "What am I supposed to bring to a picnic?"),
        ("Good morning! Where do I park?", "Where do I park?"),
        ("After I pay, can I change the seat?", "Can I change the seat after I pay?"),
        ("Are bikes allowed on the ferry?", "Can I take bikes on the ferry?"),
        ("Who is responsible for cleaning the stairs?", "Who has to clean the stairs?"),
        ("How do I avoid jet lag?", "How can I prevent jet lag?"),
        ("How do I stop my cat from scratching?", "How do I get my cat to stop scratching?"),
        ("What if I lose my ticket?", "What happens if I lose my ticket?"),
        ("How do I descale a kettle?", "Would you mind telling me how to descale a kettle?"),
        ("simplify the fraction 12/16", "simplify 12/16"),
    ],
)
def test_one_question_may_be_asked_with_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked", "expected"),
    [
        ("Who is the president of France?", "Who was the president of France?", "tense"),
        ("Who owns Twitter?", "Who owned Twitter?", "tense"),
        ("Will interest rates rise?", "Did interest rates rise?", "tense"),
        ("May employees work from home?", "Must employees work from home?", "modality"),
        ("Can I deduct office expenses?", "Do I have to deduct office expenses?", "modality"),
        ("Should I vaccinate my cat?", "Can I vaccinate my cat?", "modality"),
        ("is his mother at home", "is her mother at home", "person"),
        ("what is my name", "what is your name", "person"),
    ],
)
def test_tense_modality_and_person(cached, asked, expected):
    assert reason(cached, asked) == expected


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Explain photosynthesis", "Explain photosynthesis in one sentence"),
        ("list the planets", "list the planets as JSON"),
        ("Explain TCP briefly", "Explain TCP in depth"),
        ("explain DNS", "explain DNS like I'm five"),
        ("summarize the French Revolution in a paragraph", "summarize the French Revolution in bullet points"),
    ],
)
def test_the_form_of_the_answer(cached, asked):
    assert reason(cached, asked) == "format"


def test_the_form_may_be_asked_for_anywhere():
    assert reason("Explain entropy in one sentence", "In one sentence, explain entropy") == "serves"


@pytest.mark.parametrize(
    ("cached", "asked", "expected"),
    [
        ("Is the shop closing?", "Has the shop closed?", "tense"),
        ("Is my parcel being sent?", "Has my parcel been sent?", "tense"),
        ("Who opened this ticket?", "Who can open a ticket?", "modality"),
        ("How much is a deposit?", "What is a deposit?", "question_type"),
        ("Could the date move?", "Did the date move?", "modality"),
        ("Do I need a permit?", "Can I get a permit?", "modality"),
        ("Has anyone had a dream that they can recall?", "Has anyone ever had a dream?", "narrowing"),
    ],
)
def test_what_goes_on_is_not_done_and_what_may_be_is_no_need(cached, asked, expected):
    assert reason(cached, asked) == expected


@rows(
    """
    What did the inspector advise? | Who did the inspector advise?
    What did the teacher ask? | Who did the teacher ask?
    What year was the tower built? | What month was the tower built?
    In what year did he die? | On what day did he die?
    At what time is the flight? | On what date is the flight?
    When was Lincoln killed? | Under what circumstances was Lincoln killed?
    """
)
def test_another_person_or_time_is_asked_for(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Who is the director of Dune? | What is the name of the director of Dune?
    Who directed Dune? | director of Dune
    What year was the tower built? | When was the tower built?
    In which cases is a visa needed? | When is a visa needed?
    """
)
def test_the_same_person_or_time_in_other_words(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How much is a flat in Berlin? | What is the rent of a flat in Berlin?
    How much does speeding cost in Ohio? | What is the fine for speeding in Ohio?
    Where is Kyoto? | What are the sights of Kyoto?
    Who wrote the Bible? | Who is in the Bible?
    Who made the first car? | Who was in the first car?
    What is the treatment for gout? | How do I get gout?
    """
)
def test_a_price_a_place_or_a_person_of_another_kind(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How much is the rent of a flat in Berlin? | What is the rent of a flat in Berlin?
    How much is the deposit? | What is the deposit?
    Who wrote Dune? | Who is the author of Dune?
    What is the treatment for gout? | How do you treat gout?
    """
)
def test_a_price_a_person_or_a_cure_of_the_same_kind(one, other):
    assert reason(one, other) == "serves"
