"""One amount in two units, one number in two notations; and amounts that are not one."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Can I drive 1.5 hours after a glass of wine? | Can I drive 90 minutes after a glass of wine?
    What can I cook in 15 minutes? | What can I cook in a quarter of an hour?
    Can I retire on 1 million dollars? | Can I retire on $1,000,000?
    Can I retire on a million dollars? | Can I retire on $1 million?
    How tall is 5'10" in cm? | How tall is 5 feet 10 inches in cm?
    How tall is 5'10 in cm? | How tall is 5 ft 10 in in cm?
    What size bike do I need if I'm 180 cm tall? | What size bike do I need if I'm 1.8 m tall?
    What can I make with 1 kg of apples? | What can I make with a kilo of apples?
    What can I make with 1000 g of apples? | What can I make with 1 kg of apples?
    How many calories in 250 ml of milk? | How many calories in 0.25 l of milk?
    What is open at half past eight in the evening? | What is open at 8:30 pm?
    Cron expression for every day at noon | Cron expression for every day at 12 pm
    Cron expression for every day at midnight | Cron expression for every day at 00:00
    What day of the week was 12/25/2020? | What day of the week was December 25, 2020?
    What day of the week was 2020-12-25? | What day of the week was December 25, 2020?
    How many days until Dec 25? | How many days until December 25th?
    What was popular in the 90s? | What was popular in the 1990s?
    What was popular in the nineties? | What was popular in the 1990s?
    What was popular in the 90's? | What was popular in the 90s?
    Who was Louis XIV? | Who was Louis the 14th?
    Who was Henry VIII? | Who was Henry the Eighth?
    What is 3 squared? | What is 3^2?
    What is 100 divided by 4? | What is 100/4?
    What is 50 - 18? | Subtract 18 from 50
    I was charged twice | I was charged two times
    Should I brush my teeth twice a day? | Should I brush my teeth two times a day?
    How do I lose 10 lbs in a month? | How do I lose ten pounds in one month?
    Where should I travel for 2 weeks in May? | Where should I travel for a fortnight in May?
    Is 18 months too old for a bottle? | Is 1.5 years too old for a bottle?
    Toys for a 3 y/o | Toys for a 3 year old
    Toys for a 3yo | Toys for a 3-year-old
    Is 1 Gbps fast? | Is 1 gigabit per second fast?
    Is 500 mg of vitamin C a day safe? | Is 0.5 g of vitamin C a day safe?
    Is it possible to live on $1000/month? | Is it possible to live on $1000 a month?
    What is a 401k? | What is a 401(k)?
    How do I open a 401k? | How do I open a 401(k)?
    What is Covid-19? | What is covid 19?
    What is covid? | What is Covid-19?
    How many oz in a lb? | How many ounces are in a pound?
    How many grams in a tbsp of sugar? | How many grams in a tablespoon of sugar?
    How many tsp in a tbsp? | How many teaspoons are in a tablespoon?
    how much does a gallon of water weigh | how much does one gallon of water weigh
    How much does one gallon of water weigh in pounds? | What's the weight of a gallon of water in lbs?
    how much caffeine is in a cup of coffee | how much caffeine is in 1 cup of coffee
    how much does a pound of gold cost | how much does 1 pound of gold cost
    how much is an ounce of gold | how much is one ounce of gold
    how long does it take to run a mile | how long does it take to run one mile
    how much does a cubic meter of concrete weigh | how much does 1 cubic meter of concrete weigh
    how much sugar is in a tablespoon of honey | how much sugar is in one tablespoon of honey
    how much is a liter of milk | how much is one litre of milk
    can i lose a kilo in a week | can i lose 1 kg in one week
    can i lose a kilo a week | can i lose one kilo per week
    how do I learn Spanish in a month | how do I learn Spanish in one month
    what is the weather like in a week | what is the weather like in one week
    how many hours in a day | how many hours in one day
    how many days in a year | how many days are there in one year
    how much is a dollar in euros | how much is one dollar in euros
    Subtract 18 from 45 | What is 45 minus 18?
    Subtract 18 from 45. | 45 - 18
    What is 45 minus 18? | Deduct 18 from 45
    Divide 936 by 12. | 936/12 = ?
    What is 936 divided by 12? | What is 936/12?
    what is 936 / 12 | what is 936/12
    calculate 144/6 | divide 144 by 6
    when did henry viii die | When did Henry VIII die?
    when did henry viii die | When did Henry the Eighth die?
    how many wives did Henry VIII have | how many wives did Henry the 8th have
    what is type ii diabetes | what is type 2 diabetes
    """
)
def test_an_amount_may_be_written_in_another_way(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Can I drive 1.5 hours after a glass of wine? | Can I drive 150 minutes after a glass of wine?
    Is 2k steps a day enough? | Is 2 steps a day enough?
    How do I get to the airport by 3 pm? | How do I get to the airport by 3 am?
    How do I get to the airport by 3 pm? | How do I get to the airport by 03:00?
    What is open at 8:30 pm? | What is open at 8:30?
    What happened on July 4, 1776? | What happened on April 7, 1776?
    What was popular in the 90s? | What was popular in the 1890s?
    How many ml is 1 cup? | How many cups is 1 ml?
    How many oz in a lb? | How many lb in an oz?
    70kg in lbs | 70 lbs in kg
    What is 50 minus 18? | What is 18 minus 50?
    Toys for a 3-year-old | Toys for 3 year-olds and 4 year-olds
    Toys for a 12 month old | Toys for a 12 year old
    Can I leave milk out for 24 hours? | Can I leave milk out for 24 days?
    Is 500 mg of vitamin C a day safe? | Is 5 g of vitamin C a day safe?
    How do I lose 10 lb in 4 weeks? | How do I lose 4 lb in 10 weeks?
    Is 1 Gbps fast? | Is 1 GBps fast?
    What size bike do I need if I'm 180 cm tall? | What size bike do I need if I'm 1.8 cm tall?
    How long does a 10K run take? | How long does a 10 mile run take?
    Is $50k a good salary in Texas? | Is €50k a good salary in Texas?
    how many calories in a cup of rice | how many calories in 2 cups of rice
    how many calories in a cup of rice | how many calories in a pound of rice
    how many calories in a cup of rice | how many calories in rice
    lose 10 pounds in a month | lose 10 pounds a month
    how many calories should i eat in a week | how many calories should i eat in a day
    how do I learn Spanish in a month | how do I learn Spanish in two months
    how much is a dollar in euros | how much is a euro in dollars
    how long does it take to run a mile | how long does it take to run a marathon
    how do I earn $1000 in a month | how do I earn $1000 a month
    how do I earn $1000 in one month | how do I earn $1000 per month
    how do I lose a kilo in a week | how do I lose a kilo every week
    1.5 hours in minutes | 90 minutes in hours
    how many minutes is 1.5 hours | how many hours is 90 minutes
    convert 1.5 kg to grams | convert 1500 g to kg
    how long is 90 minutes | how long is 1.5 hours
    what is 1000 grams | what is 1 kg
    how do you say 90 minutes in french | how do you say 1.5 hours in french
    how do you write 1.5 km | how do you write 1500 m
    round 1.5 kg to the nearest whole number | round 1500 g to the nearest whole number
    how many significant figures are in 1.5 kg | how many significant figures are in 1500 g
    is 90 minutes enough for a layover | is 9 hours enough for a layover
    is 90 minutes enough for a layover | is 1.5 minutes enough for a layover
    how much is a 24-hour pass in vienna | how much is a 1-day pass in vienna
    is 1024 mb enough | is 1 gb enough
    16 oz of milk calories | 1 pound of milk calories
    what can i do with 50 cents | what can i do with $0.50
    how many pounds in a ton | how many pounds in a tonne
    how much is 100 NOK in USD | how much is 100 DKK in USD
    how many kg is 2 tons | how many kg is 2 tonnes
    can i retire on 1 million dollars | can i retire on 1 million euros
    can i retire on 1 million dollars | can i retire on 1 billion dollars
    is 0.5 a rational number | is 1/2 an integer
    is 100 cm a meter | is 1 m a meter
    what is the difference between 1 m and 100 m | what is the difference between 100 cm and 1 m
    which is longer, 1 m or 3 ft | which is longer, 100 cm or 1 ft
    how do i write 1000 m in km | how do i write 1 km in m
    what can I cook in 30 minutes | what can I cook in 0.3 hours
    5 feet in cm | 5 inches in cm
    how tall is 5'10" in cm | how tall is 10'5" in cm
    how tall is 5'10" in cm | how tall is 5'1" in cm
    a train leaves at 5:10 and travels 3 hours | a train leaves at 5:10 and travels 3 minutes
    what is 3 squared | what is 3 cubed
    what is 3 squared | what is 2 cubed
    derivative of x squared | derivative of x cubed
    area of 3 meters squared | area of 3 meters cubed
    what is 3^2 | what is 2^3
    what happened on 2020-12-25 | what happened on 2020-12-24
    what happened on 12/25/2020 | what happened on 25 november 2020
    what day was 03/04/2020 | what day was April 3, 2020
    what day was 03/04/2020 | what day was March 4, 2020
    convert 2020-12-25 to a unix timestamp | convert 2020-12-24 to a unix timestamp
    what format is 2020-12-25 | what format is December 25, 2020
    how do I parse 2020-12-25 in python | how do I parse December 25, 2020 in python
    music of the 90s | music of the 80s
    music of the 90s | music of the 1890s
    how do I stay fit in my 60s | how did people stay fit in the 1960s
    people in their 80s | people in the 1980s
    temperatures in the 90s | movies in the 1990s
    i was charged twice | i was charged three times
    what is two times three | what is twice
    2 times table | twice table
    toys for a 3 y/o | toys for a 3 month old
    how do i open a 401k | how do i open a 403b
    what is open at half past eight | what is open at half past nine
    what is open at quarter to nine | what is open at quarter past nine
    cron for every day at noon | cron for every day at midnight
    who was henry viii | who was henry vii
    who was louis xiv | who was louis xvi
    who was the 14th louis | who was the 15th louis
    how many miles is a 10k | how many miles is 10000
    what is covid 19 | what is sars
    how do i drive two and a half hours | how do i drive two hours and a half marathon
    is a quarter of an hour enough | is a quarter of a year enough
    can i take 500 mg of vitamin c | can i take 500 g of vitamin c
    can i take 500 mg of vitamin c | can i take 0.05 g of vitamin c
    Subtract 18 from 45 | What is 18 minus 45?
    Subtract 45 from 18 | What is 45 minus 18?
    what is 9/11 | what is 9 divided by 11
    what is 80/20 | what is 80 divided by 20
    what is 24/7 | what is 24 divided by 7
    936/12 = ? | divide 12 by 936
    936/12 = ? | 12/936 = ?
    what is 2023/24 | what is 2023 divided by 24
    what is 936/12 | what is 936 times 12
    Who was Louis XIV? | Who was Louis XVI?
    Who was Henry VIII? | Who was Henry the Seventh?
    when did henry viii die | when did henry vii die
    Who won France the 3rd goal | Who won France 3 goals
    what is iv therapy | what is 4 therapy
    WHO WAS VI | WHO WAS 6
    how do i exit vi | how do i exit 6
    when did george michael come out | when was george michael released
    what ports are on a macbook | what ports are on an imac
    how do i adjust the brightness on a windows laptop | how do i adjust the brightness on a windows pc
    how do I take a screenshot on an iphone | how do I take a screenshot on a mac
    who holds the 1000 m record | who holds the 1 mile record
    can I take 500 mg every 6 hours | can I take 6 mg every 500 hours
    mix 1 kg flour with 500 g sugar | mix 1 kg sugar with 0.5 kg flour
    mix 1 kg flour with 500 g sugar | mix 1000 g sugar with 0.5 kg flour
    is 90 minutes too short | is 1.5 days too short
    train leaves at 9:45 | train leaves at quarter past nine
    is 18 months too old for a bottle | is 18 years too old for a bottle
    lose 5 kg in a month | lose 5 kg in a week
    how many times a day should i eat | how many times a week should i eat
    what is 2 million divided by 4 | what is 2 billion divided by 4
    1.5 million in words | 15 million in words
    how do i write 1,000,000 in words | how do i write 1 million in digits
    what is 5 feet 10 in cm | what is 10 feet 5 in cm
    is 1/2 cup of sugar too much | is 2 cups of sugar too much
    what is half of 3/4 | what is half of 0.34
    recipe for two and a half cups of flour | recipe for two cups of flour
    best songs of the 80s | best songs of the 1880s
    how old is a 3yo horse in human years | how old is a 3 day old horse in human years
    """
)
def test_amounts_and_what_is_asked_of_them_are_two(one, other):
    assert reason(one, other) != "serves"
