"""Forms of one root: participles that are adjectives elsewhere, a verb and its noun, a verb and "make it so"."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    How do I freeze the top row in Excel? | In Excel, how can the top row be frozen?
    Can I freeze cooked rice? | Can cooked rice be frozen?
    Should I freeze bread? | Should bread be frozen?
    Can I leave a puppy alone? | Can a puppy be left alone?
    Can I leave butter out overnight? | Can butter be left out overnight?
    When did Mount Vesuvius erupt? | When was the eruption of Mount Vesuvius?
    What causes iron to corrode? | What causes the corrosion of iron?
    How do I analyze survey data? | What are the steps in the analysis of survey data?
    How do I subscribe to the magazine? | magazine subscription
    How do I choose between two jobs? | How do I make a choice between two jobs?
    What did the inspector advise? | What was the inspector's advice?
    How do I prove Fermat's little theorem? | proof of Fermat's little theorem
    """
)
def test_one_root(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I cook chicken? | How do I cook frozen chicken?
    Can you freeze chicken? | Can you buy frozen chicken?
    How long can cooked rice be frozen? | How long can frozen rice be cooked?
    Can water freeze a pipe? | Can water be frozen by a pipe?
    Can a puppy leave? | Can a puppy be left alone?
    Can butter be left out? | What will be left of the butter?
    Can a car be left in neutral? | Can a car turn left in neutral?
    When did Mount Vesuvius erupt? | Why was the eruption of Mount Vesuvius?
    How long did the eruption of Vesuvius last? | How often did Vesuvius erupt?
    What causes iron to corrode? | What does the corrosion of iron cause?
    How do I subscribe to the magazine? | How do I cancel the magazine subscription?
    How do I unsubscribe from the magazine? | magazine subscription
    How do I choose between two jobs? | How do I make two jobs between a choice?
    What did the inspector advise? | Did the inspector take advice?
    How do I prove the theorem? | How do I disprove the theorem?
    """
)
def test_another_word_of_that_root(one, other):
    assert reason(one, other) != "serves"
