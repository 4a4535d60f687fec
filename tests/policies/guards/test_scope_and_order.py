"""Groups `scope` and `order`: how many, which ones, and who does what to whom."""

import pytest

from tests.policies.guards.verdicts import reason, rows


@pytest.mark.parametrize(
    ("cached", "asked", "expected"),
    [
        ("shipping cost for members only", "shipping cost for members", "only_except"),
        ("select all columns except id", "select only the id column", "only_except"),
        ("Do all birds fly?", "Do some birds fly?", "quantity"),
        ("Do all birds fly?", "Do birds fly?", "quantity"),
        ("Who won both races?", "Who won neither race?", "quantity"),
        ("give me one example of a metaphor", "give me several examples of metaphors", "quantity"),
        ("can I have tea and coffee", "can I have tea or coffee", "quantity"),
    ],
)
def test_scope(cached, asked, expected):
    assert reason(cached, asked) == expected


@pytest.mark.parametrize(
    ("cached", "asked", "expected"),
    [
        ("flights from Boston to Denver", "flights from Denver to Boston", "from_to"),
        ("migrate from mysql to postgres", "migrate from postgres to mysql", "from_to"),
        ("Is Python faster than Java?", "Is Java faster than Python?", "order"),
        ("Did Germany invade Poland?", "Did Poland invade Germany?", "order"),
        ("does stress cause acne", "does acne cause stress", "order"),
        ("is a tomato a fruit", "is a fruit a tomato", "order"),
        ("Should I study law before medicine?", "Should I study medicine before law?", "order"),
        ("a letter from a manager to an employee", "a letter from an employee to a manager", "from_to"),
        ("Did Andrew enjoy the rifle?", "Was Andrew enjoyed by the rifle?", "order"),
        ("how do I replace tabs with spaces in vim", "how do I replace spaces with tabs in vim", "order"),
        ("books by Jane Austen", "books about Jane Austen", "order"),
        ("flights to Paris", "flights from Paris", "from_to"),
    ],
)
def test_roles_must_be_the_same(cached, asked, expected):
    assert reason(cached, asked) == expected


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("flights from Boston to Denver", "flights to Denver from Boston"),
        ("Did Germany invade Poland?", "Was Poland invaded by Germany?"),
        ("compare Python and Java", "compare Java and Python"),
        (
            "What is the difference between a virus and a bacterium?",
            "What is the difference between bacteria and viruses?",
        ),
        ("What is the capital of Canada?", "What's Canada's capital?"),
        ("recipe for banana bread", "banana bread recipe"),
        ("Is James friends with Brian?", "Is Brian friends with James?"),
        ("At the college, when is the next open day?", "When is the next open day at the college?"),
        ("Is it safe for dogs to eat grapes?", "Are grapes safe for dogs to eat?"),
    ],
)
def test_order_that_changes_nothing(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("can they evict me", "can I evict them"),
        ("should I call him first", "should he call me first"),
        ("If I overtake a truck, who is liable?", "If a truck overtakes me, who is liable?"),
        ("what eats snails", "what do snails eat"),
        ("Who did Brutus betray?", "Who betrayed Brutus?"),
        ("which team does Kane play against", "which team plays against Kane"),
    ],
)
def test_pronouns_and_question_words_have_roles_too(cached, asked):
    assert reason(cached, asked) == "order"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("my neighbour sued me, what should I do", "what should I do if my neighbour sued me"),
        ("tell me what snails eat", "what do snails eat"),
        ("who wrote Emma", "who did write Emma"),
    ],
)
def test_the_same_roles_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("delete all docker volumes", "delete a docker volume"),
        ("remove every blank line in a file", "remove one blank line in a file"),
        ("suggest a cat name", "suggest cat names"),
        ("tell me a riddle about time", "tell me some riddles about time"),
        ("do all my answers count", "do any of my answers count"),
        ("water it every week", "water it every other week"),
    ],
)
def test_one_is_not_all_and_not_several(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("how does a bee fly", "how do bees fly"),
        ("explain a monad", "explain monads"),
        ("write a poem about a bee", "write a poem about bees"),
        ("convert a list to a tuple", "convert lists to tuples"),
        ("how do I delete an entire row", "how do I delete a row"),
    ],
)
def test_one_may_stand_for_its_kind(cached, asked):
    assert reason(cached, asked) == "serves"


def test_a_word_said_twice_still_counts():
    assert reason("left or right? I go left", "left or right? I go right") == "contrast"
    assert reason("Tea or coffee? I like tea", "Tea or coffee? I like coffee") == "substitution"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("convert a set to a list", "convert a list to a set"),
        ("list to dict in python", "dict to list in python"),
        ("how do I turn a list into a string", "how do I turn a string into a list"),
    ],
)
def test_a_list_may_be_what_is_converted(cached, asked):
    assert reason(cached, asked) == "order"
    assert reason("give me a list of rivers in Peru", "rivers in Peru") == "serves"
    assert reason("how do I sort a list in python", "python sort list") == "serves"


def test_small_words_make_no_relation_mutual():
    assert reason("convert date to string", "convert string to date") == "order"
    assert reason("next bus Bern to Basel", "next bus Basel to Bern") == "order"
    assert reason("how close is Rome to Naples", "how close is Naples to Rome") == "serves"
    assert reason("Is Anna dating Paul?", "Is Paul dating Anna?") == "serves"
    assert reason("my friend pushed my brother", "my brother pushed my friend") == "order"
    assert reason("how do I close a ticket from a guest", "how does a guest close my ticket") == "order"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Can my landlord end my lease?", "Can I end my landlord's lease?"),
        ("how do I send a file to a friend", "how does a friend send a file to me"),
        ("Who can read my notes?", "Whose notes can I read?"),
        ("Who do I send invoices to?", "Who sends invoices to me?"),
        ("can I cancel the policy", "can they cancel the policy"),
        ("my aunt's cousin's lawyer", "my cousin's lawyer's aunt"),
        ("my uncle's van hit my fence", "my van hit my uncle's fence"),
        ("can I edit what other members write", "can other members edit what I write"),
        ("group by city then by age", "group by age then by city"),
        ("do snakes that bite swim", "do snakes that swim bite"),
        ("what share of women are engineers", "what share of engineers are women"),
        ("what is a race horse", "what is a horse race"),
        ("how long is a metre compared to a yard", "how long is a yard compared to a metre"),
        ("when I move do I lose my vote", "when I lose my vote do I move"),
        ("I praised a baker and he thanked me", "I thanked a baker and he praised me"),
        ("paid by an agency", "paid as an agency"),
        ("If it snows, is the match off?", "If the match is off, does it snow?"),
        ("best way to store cheese", "best cheese to store"),
        ("how far is Oxford airport from London", "how far is London airport from Oxford"),
    ],
)
def test_who_acts_and_who_owns_must_be_the_same(cached, asked):
    assert reason(cached, asked) == "order"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Can I freeze soup?", "Is it ok to freeze soup?"),
        ("Can you get rich with shares?", "Can I get rich with shares?"),
        ("Can I take my dog on the bus?", "Can dogs be taken on the bus?"),
        ("does my dog need a ticket", "do I need a ticket for my dog"),
        ("how can someone get a visa", "how can I get a visa"),
        ("my manager's phone number", "the phone number of my manager"),
        ("my manager's travel request", "my manager's request for travel"),
    ],
)
def test_another_subject_may_do_the_same(cached, asked):
    assert reason(cached, asked) in ("serves", "narrowing", "modality")


@pytest.mark.parametrize(
    ("cached", "asked", "expected"),
    [
        ("may a member hold one ticket", "may a member hold more than one ticket", "number"),
        ("must at least one form be signed", "must more than one form be signed", "number"),
        ("few members vote", "a few members vote", "quantity"),
        ("does everybody have to sign", "does anybody have to sign", "quantity"),
        ("every room but the kitchen", "every room and the kitchen", "only_except"),
        ("what happens if the lease ends", "what happens until the lease ends", "narrowing"),
        ("Why did they not tell us to pay?", "Why did they tell us not to pay?", "negation"),
    ],
)
def test_small_words_with_a_great_effect(cached, asked, expected):
    assert reason(cached, asked) == expected


def test_search_words_come_in_any_order_but_two_names_do_not():
    assert reason("python list reverse", "python reverse list") == "serves"
    assert reason("madrid lisbon bus", "lisbon madrid bus") == "order"
    assert reason("time difference Tokyo London", "time difference London Tokyo") == "serves"
    assert reason("the last but one chapter", "the last chapter") != "serves"


@rows(
    """
    Who is older than Biden? | Who is Biden older than?
    Which planets are larger than Earth? | Which planets is Earth larger than?
    Write a poem about my dad | Write a poem for my dad
    A toast to my brother | A toast by my brother
    Recommend a book about dogs | Recommend a book for dogs
    Who is Biden's wife? | Whose wife is Biden?
    What is glass made of? | What is glass?
    """
)
def test_what_stands_on_the_other_side_is_another(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Which planets are larger than Earth? | What planets are larger than Earth?
    Write a poem about my dad | Write me a poem about my dad
    What is bread made of? | What are the ingredients of bread?
    """
)
def test_what_stands_on_the_same_side_is_the_same(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I get the index of an element? | How do I get an element by index?
    How do I get the key of a value? | How do I get a value by key?
    """
)
def test_the_name_of_a_thing_is_not_the_thing_by_its_name(one, other):
    assert reason(one, other) != "serves"
