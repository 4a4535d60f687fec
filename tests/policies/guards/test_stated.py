"""What is told beside a question, effects and causes, and verbs whose particle stands behind their object."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    What is the effect of caffeine on sleep? | How does caffeine affect sleep?
    What influence does exercise have on mood? | How does exercise influence mood?
    What impact does inflation have on savings? | How does inflation affect savings?
    What are the effects of smoking on the skin? | How does smoking affect the skin?
    How do I get from Paris to Lyon by train? | How can I travel from Paris to Lyon by train?
    How do I get from the airport to Shinjuku? | How can I travel from the airport to Shinjuku?
    How does drinking coffee affect sleep? | How does coffee affect sleep?
    Is sushi healthy? | Is eating sushi healthy?
    Is drinking beer bad for the liver? | Is beer bad for the liver?
    How do I turn off notifications on my phone? | On my phone, how do I switch notifications off?
    How do I turn on the heating? | How do I turn the heating on?
    How do I turn off location services? | How can I switch location services off?
    Explain why the sky is blue. | Why is the sky blue?
    I don't get why the sky is blue. Can you explain? | Why is the sky blue?
    Explain why ice floats on water. | Why does ice float on water?
    I don't understand why ice floats. Can you explain? | Why does ice float?
    What led to the collapse of the Maya? | Why did the Maya collapse?
    What led to the fall of Rome? | What caused the fall of Rome?
    How do I reset my password if I forgot it? | I forgot my password, how do I reset it?
    I lost my passport. How do I replace it? | How do I replace my passport if I lost it?
    I broke my phone, how can I repair it? | How can I repair my phone if I broke it?
    By when must tax returns be filed? | What is the deadline for filing tax returns?
    By when do I have to submit the form? | What is the deadline for submitting the form?
    What will be the effect of the strike on rail fares? | How will the strike affect rail fares?
    How do you motivate yourself if you keep failing? | If you keep failing, how do you keep yourself motivated?
    """
)
def test_told_or_asked_in_another_place(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is the effect of caffeine on sleep? | How does sleep affect caffeine?
    What is the effect of stress on sleep? | What is the effect of sleep on stress?
    What effect does stress have on sleep? | What effect does stress have on weight?
    What are the side effects of caffeine? | How does caffeine affect sleep?
    What are the positive effects of caffeine on sleep? | How does caffeine affect sleep?
    What is the greenhouse effect? | How does the greenhouse affect it?
    How do I get from Paris to Lyon by train? | How do I get from Lyon to Paris by train?
    How do I get from Paris to Lyon by train? | How do I get from Paris to Lyon by bus?
    What do I get from the airport shop? | How do I travel from the airport shop?
    Is drinking coffee bad for the soil? | Is growing coffee bad for the soil?
    How does eating eggs affect cholesterol? | How does eating cheese affect cholesterol?
    Can I drink coffee with milk? | Can I make coffee with milk?
    How do I turn the heating on? | How do I turn the heating off?
    How do I switch accounts on my phone? | How do I enable accounts on my phone?
    How do I turn the heating on? | How do I turn the heating down?
    What turns people on? | What turns people off?
    Does the alarm turn itself off? | Does the alarm turn itself on?
    Explain why the sky is blue. | Explain how the sky is blue.
    Explain why ice floats. | Does ice float?
    Explain why ice floats. | Explain why ice sinks.
    Does ice float? Explain why. | Does ice float?
    Is the sky blue? Explain why. | Why is the sky blue?
    What led to the fall of Rome? | What did the fall of Rome lead to?
    What led to the war? | What did the war cause?
    What led to the fall of Rome? | What led to the rise of Rome?
    I reset my password, how do I forget it? | I forgot my password, how do I reset it?
    I forgot my password, how do I reset it? | How do I reset my password so I don't forget it?
    How do I reset my password if I forgot my email? | I forgot my password, how do I reset my email?
    How do I lose my passport if I replaced it? | I lost my passport. How do I replace it?
    How do I wash a coat before I dye it? | I washed a coat, how do I dye it?
    How do I cancel a card if I lost it? | I lost a card, do I cancel it?
    I sold my car, how do I insure it? | How do I sell my car if I insured it?
    I deleted a photo, how do I recover it? | How do I recover a photo before I delete it?
    By when must tax returns be filed? | By when must tax returns be paid?
    By when must tax returns be filed? | What is the penalty for filing tax returns?
    By when must tax returns be filed? | When can tax returns be filed?
    What is the deadline for filing tax returns? | When can tax returns be filed?
    What will be the effect of the strike on rail fares? | How did the strike affect rail fares?
    What will be the effect of the strike on rail fares? | How will rail fares affect the strike?
    """
)
def test_told_is_not_asked(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    how does a company go green | how does a company turn green
    how does he turn her on | how does he enable her
    what turns men on | what enables men
    get free seats at the game | get available seats at the game
    find free storage for photos | find available storage for photos
    """
)
def test_what_goes_or_turns_in_another_sense(one, other):
    assert reason(one, other) != "serves"
    assert reason(other, one) != "serves"
