"""Fixed phrases that are read as one another, and the prompts in which they part."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    What must I bring to the exam? | What should I bring to the exam?
    When must I apply for a visa? | When should I apply for a visa?
    What do I have to bring? | What should I bring?
    How long can I stay in Spain without a visa? | How long should I stay in Spain without a visa?
    How much protein can I eat? | How much protein should I eat?
    What can I eat after surgery? | What should I eat after surgery?
    Must I pay taxes on tips? | Should I pay taxes on tips?
    How much protein should I eat? | How much protein do people eat?
    How much sleep should a baby get? | How much sleep does a baby get?
    How much do teachers earn? | How much should teachers earn?
    How strong is this coffee? | How strong should coffee be?
    Where can I renew my passport? | At which office was my passport renewed?
    """
)
def test_may_must_and_should_are_three_questions(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How often should I change the oil? | How often do I have to change the oil?
    How can I sleep better? | How should I sleep better?
    How often should I water a fern? | How often does a fern need to be watered?
    When should I prune roses? | When do you prune roses?
    When do I need to renew it? | When must I renew it?
    """
)
def test_what_should_be_done_is_how_it_is_done(one, other):
    assert reason(one, other) in ("serves", "order")


@rows(
    """
    How much did gas cost? | How much does gas cost?
    How long did the flu last? | How long does the flu last?
    How long did it take to build the bridge? | How long does it take to build the bridge?
    What made the stock market fall? | What makes the stock market fall?
    What did Tesla do? | What does Tesla do?
    What caused the engine to stall? | What causes the engine to stall?
    How did the war affect Europe? | What is the effect of the war on Europe?
    How do I work a crane? | How does a crane work?
    """
)
def test_a_phrase_keeps_its_tense_and_its_subject(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What made the stock market fall? | Why did the stock market fall?
    What is the effect of caffeine on sleep? | How does caffeine affect sleep?
    How long will it take to charge? | How long does it take to charge?
    How does a crane work? | Explain how a crane works.
    How long does cooked rice keep in the fridge? | How long will cooked rice last in the fridge?
    """
)
def test_a_phrase_with_its_tense_is_still_one(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What does DNA stand for? | What is DNA?
    What is a baby goat called? | What is a baby goat?
    What is Rome like? | What is Rome?
    What makes a good leader? | Why is a leader good?
    How cold does Mars get? | How hot does Mars get?
    How much does a wedding photographer make? | How much does a wedding photographer cost?
    What is the most effective way to lose weight? | What is the easiest way to lose weight?
    When is the best time to visit Japan? | When do people visit Japan?
    What is the best time to call the bank? | When does the bank call?
    When is the best time to fly to Rome? | When can I fly to Rome?
    Where can I find gold? | Where can I buy gold?
    Where do I get a passport? | Where is my passport?
    Which man won Wimbledon? | Which woman won Wimbledon?
    Which woman won Wimbledon in 2019? | Who won Wimbledon in 2019?
    Which actor won the Oscar? | Who won the Oscar?
    Which director won the most Oscars? | Who won the most Oscars?
    Can I travel on probation? | Can I travel during my probation period?
    Is bread high in sodium? | Does bread have sodium?
    How do I take out life insurance? | How do I remove life insurance?
    How do I get access to a folder? | How do I give access to a folder?
    What should I look for in a car? | What should I find in a car?
    How do I bring up salary in an interview? | How do I increase salary in an interview?
    How do I talk to my teenager about drugs? | How do I contact my teenager about drugs?
    How do I pick up a language? | How do I collect a language?
    How do I fill in my eyebrows? | How do I complete my eyebrows?
    How do I cut down a tree? | How do I reduce a tree?
    Where did the Titanic end up? | Where did the Titanic end?
    Where did Obama grow up? | Where did Obama grow?
    How do I go out with friends? | How do I date friends?
    """
)
def test_phrases_that_are_one_only_elsewhere(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is a baby kangaroo called? | What do you call a baby kangaroo?
    What's the weather like in Paris? | How is the weather in Paris?
    Which actor played Hamlet? | Who played Hamlet?
    When is the best time to visit Japan? | When should I visit Japan?
    Where can I buy vegan shoes? | Where can I get vegan shoes?
    How do I take out the trash? | How do I remove the trash?
    How do I pick up my prescription? | How do I collect my prescription?
    How do I fill in a tax form? | How do I complete a tax form?
    How can I speak to a human? | How do I contact a human?
    What is the easiest way to peel garlic? | What is the simplest way to peel garlic?
    What is the easiest way to peel garlic? | How do I peel garlic?
    """
)
def test_phrases_in_their_frame(one, other):
    assert reason(one, other) == "serves"
