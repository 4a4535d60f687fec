"""Nationality and passport, borders and neighbours, what is made so, what is contained, what things are called."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Do Canadian citizens need a visa for Japan? | I hold a Canadian passport. Do I need a visa for Japan?
    Do Canadian citizens need a visa for Japan? | Do Canadian passport holders need a visa for Japan?
    Do Irish citizens need a visa for China? | Do holders of an Irish passport need a visa for China?
    Can Brazilian citizens work in Portugal? | Can Brazilian nationals work in Portugal?
    Which countries border Switzerland? | Switzerland's neighbouring countries
    Which countries border Laos? | What are the neighboring countries of Laos?
    Which countries border Chad? | Which countries share a border with Chad?
    Which states border Ohio? | Which states are bordering Ohio?
    How do I thicken a sauce? | How do I make a sauce thicker?
    How do I soften butter? | How can I make the butter softer?
    How do I strengthen my wrists? | How do I make my wrists stronger?
    How do I whiten my teeth? | How can I make my teeth whiter?
    Which foods are high in iron? | Which foods contain a lot of iron?
    What foods are high in fiber? | What foods have lots of fiber?
    Which fruits contain plenty of potassium? | Which fruits are rich in potassium?
    Is walking good for back pain? | Does walking help with back pain?
    Is ginger good for nausea? | Does ginger help with nausea?
    How do I remove candle wax from a tablecloth? | How do I get candle wax off a tablecloth?
    How do I remove a sticker from a laptop? | How do I get a sticker off of a laptop?
    How do I fall asleep faster? | How do I get to sleep more quickly?
    How do I take a screenshot on a Mac? | How do I capture a screenshot on a Mac?
    How do I take a screenshot on a Pixel? | How do I screenshot on a Pixel?
    How do I get to York by train? | How do I get to York by rail?
    What carry-on bag size does Ryanair allow? | What cabin bag size does Ryanair allow?
    Which carry-on luggage is allowed on KLM? | Which hand luggage is allowed on KLM?
    What is the Excel formula for the average of A1 to A10? | What is the Excel formula for the mean of A1 to A10?
    What is the average speed of a train? | What is the mean speed of a train?
    How do I check if an egg is bad? | How do I check if an egg has gone bad?
    Can I take ibuprofen and paracetamol together? | Can I take ibuprofen and paracetamol at the same time?
    """
)
def test_one_question(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Do Canadian citizens need a visa for Japan? | I hold a Japanese passport. Do I need a visa for Canada?
    Do Canadian citizens need a visa for Japan? | Do Canadian residents need a visa for Japan?
    Do Canadian citizens need a visa for Japan? | Do Japanese passport holders need a visa for Canada?
    Do Irish citizens need a passport? | Do Irish passport holders need a visa?
    How do I renew a Canadian passport? | How do I become a Canadian citizen?
    I lost my Canadian passport. What do I do? | I hold a Canadian passport. What do I do?
    Which countries border Switzerland? | How many countries border Switzerland?
    Which countries border Switzerland? | Which countries do not border Switzerland?
    Which countries border Laos? | Which rivers border Laos?
    What are the neighbouring countries of Laos? | What are the neighbouring provinces of Laos?
    How do I thicken a sauce? | How do I make a sauce thinner?
    How do I sharpen a knife? | How do I make a sharper knife?
    How do I soften butter? | Why is butter softer?
    How do I shorten a dress? | How do I make a dress longer?
    Which foods are high in iron? | Which foods are low in iron?
    Which foods contain a lot of iron? | Which foods do not contain a lot of iron?
    Does milk contain a lot of sugar? | Does milk contain sugar?
    Do plums have lots of iron? | Do plums have iron?
    Is walking good for back pain? | Is walking bad for back pain?
    Does walking help with back pain? | Does walking cause back pain?
    How do I get wax off a tablecloth? | How do I get wax onto a tablecloth?
    How do I get a sticker off a laptop? | How do I get a laptop off a sticker?
    How do I fall asleep faster? | How do I wake up faster?
    How do I capture a screenshot on a Mac? | How do I crop a screenshot on a Mac?
    How do I capture a screenshot on a Mac? | How do I print a screenshot on a Mac?
    Can the husband or wife of a resident work? | Can the son of a resident work?
    How do I get to York by rail? | How do I get to York by road?
    What carry-on bag size does Ryanair allow? | What checked bag size does Ryanair allow?
    What is the Excel formula for the mean of A1 to A10? | What is the Excel formula for the median of A1 to A10?
    What is the mean speed of a train? | What is the top speed of a train?
    How do I wake up at the same time every day? | How do we wake up together every day?
    Can I take ibuprofen and paracetamol at the same time? | Can I take ibuprofen and paracetamol at different times?
    Is the egg bad? | Is the egg good?
    Can I bring a cabin bag? | Can I bring a hand bag?
    How do I make my battery last longer? | How do I lengthen my battery?
    """
)
def test_another_question(one, other):
    assert reason(one, other) != "serves"
