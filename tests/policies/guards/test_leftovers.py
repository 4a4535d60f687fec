"""Groups `entities`, `substitution` and `narrowing`, and the two checks that need no listing."""

import pytest

from policies.guards import DEFAULT_GUARDS, compare, parse
from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What's the capital of Australia?", "What's the capital of Austria?"),
        ("visa requirements for Niger", "visa requirements for Nigeria"),
        ("paintings by manet", "paintings by monet"),
        ("side effects of metformin", "dosage of metformin"),
        ("How do I delete a project?", "How do I delete an organisation?"),
        ("birth date of Mozart", "death date of Mozart"),
        ("captial of germny", "captial of hungry"),
        ("what does SIGTERM do in linux", "what does SIGKILL do in linux"),
        ("largest state in Mexico", "largest city in Mexico"),
    ],
)
def test_another_word_is_another_question(cached, asked):
    assert reason(cached, asked) == "substitution"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("restaurants in Berlin", "vegan restaurants in Berlin"),
        ("how to cook rice", "how to cook brown rice"),
        ("What's my account balance?", "What's my joint account balance?"),
        ("Is he a lawyer?", "Is he a good lawyer?"),
    ],
)
def test_a_word_more_is_a_narrower_question(cached, asked):
    assert reason(cached, asked) == "narrowing"


def test_a_name_more_counts_even_without_narrowing():
    guards = DEFAULT_GUARDS - {"narrowing"}
    assert reason("train to work", "train to work at Google", guards) == "entity"
    assert reason("how to cook rice", "how to cook brown rice", guards) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Hi, could you please tell me how tall Mount Everest is? Thanks!", "How tall is Mount Everest?"),
        ("I'd like to know the capital of Peru", "What is the capital of Peru?"),
        ("Do you know when the Titanic sank?", "When did the Titanic sink?"),
        ("WHAT IS THE CAPITAL OF FRANCE", "what is the capital of france"),
        ("how do I cancel my mobile contract", "How can I cancel my cellphone contract?"),
        ("capital france", "What is the capital of France?"),
        ("python reverse string", "How do I reverse a string in Python?"),
        ("which foods contain gluten", "foods with gluten"),
        ("colour of the sky", "color of the sky"),
    ],
)
def test_words_that_carry_nothing_may_differ(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("waht is the captial of france", "what is the capital of France"),
        ("how do i instal docker on ubunutu", "how do I install docker on ubuntu"),
        ("How do I chnage the email adress on my acount?", "How do I change the email address on my account?"),
        ("convert 5 kilometrs to miles", "convert 5 kilometers to miles"),
        ("recipie for banana bread", "recipe for banana bread"),
    ],
)
def test_a_slip_of_the_pen_is_forgiven(written, meant):
    assert reason(meant, written) == "serves"


def test_no_slip_between_two_words_that_exist():
    assert reason("is hypotension dangerous", "is hypertension dangerous") != "serves"
    assert reason("weather in Lima", "weather in Lyon") != "serves"


def test_M08_prompts_that_share_nothing_never_serve_whatever_guards_are_listed():
    prompts = [
        "how do I boil an egg",
        "capital of Peru",
        "fix my printer",
        "hello",
        "what is love",
        "translate cat",
        "2 + 2",
    ]
    facts = [parse(prompt) for prompt in prompts]
    for i, one in enumerate(facts):
        for other in facts[i + 1 :]:
            assert compare(one, other, frozenset()) is not None


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("¿Cuál es la capital de Francia?", "¿Cuál es la capital de España?"),
        ("Wie hoch ist der Eiffelturm?", "Wie alt ist der Eiffelturm?"),
        ("法国的首都是什么", "德国的首都是什么"),
        ("Какая столица Франции?", "Какая столица Испании?"),
        ("quelle est la capitale de la France", "What is the capital of France?"),
    ],
)
def test_text_that_is_not_english_serves_only_the_same_words(cached, asked):
    assert reason(cached, asked) == "foreign"
    assert reason(cached, cached.upper()) == "serves"


@pytest.mark.parametrize(
    "chatter",
    [
        "Hi! I hope you are doing well.",
        "sorry to bother you,",
        "sorry if this is a dumb question but",
        "Could you help me out?",
        "I can't figure out",
        "not sure if this is the right place but",
        "So my question is:",
        "settle a bet:",
        "quick q:",
    ],
)
def test_what_is_said_before_the_question_does_not_count(chatter):
    assert reason("how do I prune a rose", f"{chatter} how do I prune a rose") == "serves"


@pytest.mark.parametrize("thanks", ["any help appreciated", "thanks a lot", "thanks a million"])
def test_nor_what_is_said_behind_it(thanks):
    assert reason("how do I prune a rose", f"how do I prune a rose? {thanks}") == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("how long do owls live", "what is the lifespan of an owl"),
        ("life expectancy of a horse", "average lifespan of horses"),
        ("max number of guests", "maximum number of guests"),
        ("oven temp for pizza", "oven temperature for pizza"),
        ("what can I use instead of yeast", "substitute for yeast"),
        ("get my money back for a concert", "get a refund for a concert"),
        ("cheap places to eat in Porto", "cheap restaurants in Porto"),
        ("how many days until Easter", "how many days are left until Easter"),
        ("how do I learn chess fast", "how do I learn chess quickly"),
        ("how long do you boil a crab", "how long should I boil a crab"),
        ("can I swim while pregnant", "is it safe to swim while pregnant"),
        ("recipe for crème caramel", "recipe for creme caramel"),
        ("what is laissez faire", "explain laissez faire"),
        ("explain la dolce vita", "what is la dolce vita"),
    ],
)
def test_everyday_words_for_the_same_thing(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("iPhone 15 Plus battery", "iPhone 15 Pro battery"),
        ("galaxy s24 ultra price", "galaxy s24 plus price"),
        ("prednisone side effects", "prednisolone side effects"),
        ("is pentane toxic", "is pentene toxic"),
        ("what does Mb mean", "what does MB mean"),
        ("echo a > f", "echo a >> f"),
        ("are left handed people rare", "are right handed people rare"),
        ("who is leading", "who led"),
        ("should I tip in Japan", "must I tip in Japan"),
    ],
)
def test_small_differences_that_name_something_else(cached, asked):
    assert reason(cached, asked) != "serves"


def test_accents_count_where_the_text_is_not_english():
    assert reason("wann ist das schon fertig", "wann ist das schön fertig") == "foreign"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("mail from Petersen", "mail from Petersson"),
        ("invoices of Hofmann", "invoices of Hoffmann"),
        ("how much does a puppy sleep", "how much does a dog sleep"),
        ("how do I stop a docker container", "how do I stop a docker image"),
        ("is my loan approved", "is my mortgage approved"),
        ("how do I reset my tablet", "how do I restore my tablet"),
        ("how do I give Tom access to the wiki", "how do I get access to Tom's wiki"),
    ],
)
def test_things_and_names_that_are_only_close(cached, asked):
    assert reason(cached, asked) in ("substitution", "narrowing", "entity")


def test_a_listed_name_may_be_misspelt():
    assert reason("hotels in Barcelona", "hotels in Barcelna") == "serves"
    assert reason("what is Bernoulli's law", "what is Bernoullis law") == "serves"
