"""What is wanted of a thing: what it is, an example of it, that it is made, changed, explained or recommended."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    What is accounting? | What is accounting software?
    What is yoga? | What is a yoga app?
    What is chess? | What is a chess program?
    What is project management? | What is a project management tool?
    What is encryption? | What is an encryption method?
    What is a loan? | What is a loan offer?
    What is dialysis? | What is the dialysis procedure?
    What is Estonia? | What is the language of Estonia?
    What is a mortgage? | What is an online mortgage?
    What is a city? | What is a city state?
    What is a metaphor? | What is an example of a metaphor?
    What is a metaphor? | example of a metaphor
    What is inflation? | What is the current inflation?
    What is meditation? | What good does meditation do?
    How do I learn sign language? | How do I learn signs?
    How does encryption work? | How does encryption software work?
    """
)
def test_what_it_is_is_not_what_is_named_after_it(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is Spotify? | What is the Spotify app?
    How do I use Photoshop? | How do I use the Photoshop app?
    What is photosynthesis? | What is the meaning of the term photosynthesis?
    What is my balance? | What is my current balance?
    What is the quadratic formula? | Please state the quadratic formula.
    What is a mole? | Help me understand what a mole is.
    """
)
def test_a_small_word_may_say_what_the_thing_is(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Recommend a book about the Roman Empire. | Write a book about the Roman Empire.
    Which poem about autumn would you recommend? | Write a poem about autumn.
    Any recommendations for a story about dragons? | Write a story about dragons.
    Recommend a book about the Roman Empire. | Who wrote a book about the Roman Empire?
    Recommend a book about the Roman Empire. | What is the book about the Roman Empire called?
    What is a good book about the Roman Empire? | What is the book about the Roman Empire called?
    Make this sentence more formal: "gotta go" | Is this sentence formal: "gotta go"
    Shorten my resume. | Is my resume short?
    Explain this regex that matches an email address. | Write a regex that matches an email address.
    Explain this regex that matches an email address. | How do I match an email address with a regex?
    Explain these side effects of metformin. | What are the side effects of metformin?
    Do children understand photosynthesis? | Describe photosynthesis so a child can understand it.
    Explain photosynthesis. | Describe photosynthesis so a child can understand it.
    """
)
def test_another_thing_is_wanted_of_it(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Explain photosynthesis to a child. | Can you explain to a child what photosynthesis is?
    Explain photosynthesis to a child. | Describe photosynthesis so a child can understand it.
    Explain this regex: `a+b` | What does this regex do: `a+b`
    What is the book about the Roman Empire called? | What's the name of the book about the Roman Empire?
    Write a letter of recommendation for a student. | Write a recommendation letter for a student.
    """
)
def test_the_same_is_wanted_of_it(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What side effects can metformin cause? | What are the side effects of metformin?
    What symptoms does appendicitis cause? | What are the symptoms of appendicitis?
    What does smoking cause? | What are the effects of smoking?
    """
)
def test_what_it_causes_is_its_effects(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What side effects can metformin cause? | What causes the side effects of metformin?
    What's the cause of leaves changing colour? | What do leaves changing colour cause?
    Which diseases can ticks cause? | What causes tick diseases?
    What symptoms does appendicitis cause? | What causes appendicitis?
    """
)
def test_what_it_causes_is_not_its_cause(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is the difference between a latte and a cappuccino? | What do a latte and a cappuccino have in common?
    What does the premium plan cost per month? | What does the premium plan include per month?
    monthly price of the premium plan | Does the premium plan cost more per month?
    latte vs cappuccino | Is a latte the same as a cappuccino?
    visa required for Vietnam? | How do I get a visa for Vietnam?
    visa required for Vietnam? | Can I get a visa for Vietnam?
    documents needed for a mortgage application | Do I need documents for a mortgage application?
    Is it required to wear a helmet on an e-scooter? | Should I wear a helmet on an e-scooter?
    freezing cooked rice possible? | Should you freeze cooked rice?
    Translate "good luck" from Italian. | What's the Italian for "good luck"?
    Translate "good luck" from Italian. | Italian translation of "good luck"
    What is meditation good for? | Is meditation good?
    """
)
def test_small_words_that_turn_a_question(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is the car insurance premium? | How much is the car insurance premium?
    Is it required to wear a helmet on an e-scooter? | Do I have to wear a helmet on an e-scooter?
    Am I required to file a tax return? | Do I have to file a tax return?
    Are we obliged to give notice? | Do we have to give notice?
    Translate "good luck" from Italian to English. | Italian to English translation of "good luck"
    """
)
def test_small_words_that_ask_the_same(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is a heat pump? | What types of heat pumps are there?
    What is the best heat pump? | types of heat pumps
    Can I install a heat pump? | Can I install a heat pump myself?
    heat pump installation | Can I install a heat pump myself?
    What is in ibuprofen? | What does ibuprofen do?
    What is in ibuprofen? | ibuprofen uses
    How is ibuprofen made? | ibuprofen ingredients
    What is ibuprofen? | What is in ibuprofen?
    things to do in Bruges | How do I get around in Bruges?
    How do I get to Bruges? | How do I get around in Bruges?
    How do I get to Bruges? | things to do in Bruges
    """
)
def test_other_things_to_know_about_it(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What heat pumps are there? | What types of heat pumps are there?
    Can I install a heat pump myself? | Can I install a heat pump on my own?
    What is in the basic plan? | What is included in the basic plan?
    What is in tiramisu? | tiramisu ingredients
    What are the best things to do in Bruges? | What is there to do in Bruges?
    things to do in Bruges | What can I do in Bruges?
    How do I get around in Bruges? | getting around in Bruges
    """
)
def test_the_same_to_know_about_it(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    When did Marie Curie die? | How did Marie Curie die?
    When was Marie Curie born? | How was Marie Curie born?
    Where was Marie Curie born? | How was Marie Curie born?
    How much did Titanic cost? | How much did Titanic make?
    How long is parental leave? | How many parental leave days have I used?
    How do I get a credit card? | How do I use a credit card?
    Where can I use my credit card? | Where is my credit card?
    What is the credit card fee? | What is this credit card fee?
    Should I learn Spanish? | learning Spanish
    Do you have vegan dishes? | What vegan dishes do you have?
    Is there a metro in Porto? | Which metro is there in Porto?
    Write a poem about the sea. | Write a long poem about the sea.
    Write a poem about the sea. | How do I write a poem about the sea?
    Write a poem about the sea. | Is there a poem about the sea?
    Write a poem about the sea. | Name a poem about the sea.
    Recommend a poem about the sea. | Translate a poem about the sea.
    Translate a poem about the sea. | Is there a poem about the sea?
    """
)
def test_another_demand_in_the_same_words(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    When did Marie Curie die? | Marie Curie date of death
    When was Marie Curie born? | What is Marie Curie's date of birth?
    How much does a nurse earn in Germany? | How much does a nurse make in Germany?
    In Porto, is there a metro? | Does Porto have a metro?
    Do you have vegan dishes? | Are there vegan dishes?
    How do I use a regex to match an email? | How do I match an email with a regex?
    Write a Python function that reverses a list. | How do I write a Python function that reverses a list?
    """
)
def test_the_same_demand_in_other_words(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Summarize this text: "The cat sat." | Explain this text: "The cat sat."
    Correct this text: "The cat sat." | Is this text correct: "The cat sat."
    Correct this text: "The cat sat." | Explain this text: "The cat sat."
    List the verbs in this text: "The cat sat." | Explain this text: "The cat sat."
    What was the French Revolution? | What happened during the French Revolution?
    When was the French Revolution? | When did the French Revolution start?
    How do I start a meeting in Zoom? | How do I find a meeting in Zoom?
    How do I create a user in Linux? | How do I list users in Linux?
    How do I start a container in Docker? | How do I list containers in Docker?
    How do I offer a refund? | How do I get a refund?
    How do I keep bees? | How do I get bees?
    """
)
def test_small_verbs_are_what_is_done(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What does this text mean: "Carpe diem." | Explain this text: "Carpe diem."
    How do I create a playlist on Spotify? | How do I make a playlist on Spotify?
    How do I start learning Spanish? | How do I learn Spanish?
    When did the French Revolution start? | When did the French Revolution begin?
    """
)
def test_small_verbs_may_say_the_same(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Do cats sneeze? | What does a sneezing cat mean?
    Do cats sneeze? | Is it normal for cats to sneeze?
    How old is my cat? | How old do cats get?
    What should my cat eat? | What eats my cat?
    Does VPN exist? | What does VPN mean?
    Do I feel tired after a vaccine? | Is it normal to feel tired after a vaccine?
    """
)
def test_a_question_that_a_phrase_was_read_from_stays_one(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How old do cats get? | How long do cats live?
    Is it normal to feel tired after a vaccine? | Is feeling tired after a vaccine normal?
    Is it normal for cats to sneeze? | Is it common for cats to sneeze?
    """
)
def test_a_question_may_be_read_from_a_phrase(one, other):
    assert reason(one, other) == "serves"
