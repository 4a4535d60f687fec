"""The same question in other words, and beside it the near miss that must stay one."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Hey there, quick question: how do I boil an egg? Thanks so much! | How do I boil an egg?
    Could you possibly tell me who invented the telephone? | Who invented the telephone?
    I was hoping you could explain what an API is. | What is an API?
    Can you put together a packing list for a two-week trip? | Packing list for a 2-week trip
    Plan a 3-day itinerary for Rome. | Please come up with a three-day Rome itinerary.
    Riddle: what has keys but opens no lock? | What has keys but opens no lock?
    """
)
def test_a_request_may_be_wrapped_in_politeness(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Do I need a comma before "and"? | Can I put a comma before "and"?
    How do I put together a shelf? | How do I take apart a shelf?
    I need a poem about love. | I need a song about love.
    Do I need to eject a USB stick? | Can I eject a USB stick?
    """
)
def test_a_wrapper_hides_no_difference(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What's the git command to delete a branch? | How do I delete a branch in git?
    What's the formula for the area of a circle? | How do you calculate the area of a circle?
    What is the role of mitochondria in a cell? | What do mitochondria do in a cell?
    What is the state file for? | What's the purpose of the state file?
    In which situations should I use a paired t-test? | When should I use a paired t-test?
    How early should I book a flight? | How far in advance should I book a flight?
    What's the probability of rain tomorrow? | How likely is rain tomorrow?
    How much notice must I give when I resign? | What notice do I need to give when I resign?
    What's the vitamin C content of a kiwi? | How much vitamin C is in a kiwi?
    How much is 20% off 50 dollars? | What is $50 with 20% off?
    How can I track my order? | Where can I track my order?
    What is the boiling point of ethanol? | At what temperature does ethanol boil?
    Is it necessary to peel carrots? | Do I need to peel carrots?
    Is it better to buy or rent? | Should I buy or rent?
    How is the weather in Rome? | What's the weather like in Rome?
    How is the variable FOO set in bash? | How do I set the variable FOO in bash?
    Which river runs through Paris? | What is the name of the river that flows through Paris?
    Is it true that bats are blind? | Are bats blind?
    How are voltage and current related? | What's the relationship between voltage and current?
    How do I loop through a dict in Python? | How do I iterate over a dictionary in Python?
    What is the shelf life of milk? | How long does milk last?
    What's the journey time from Rome to Pisa? | How long does it take to get from Rome to Pisa?
    How can two strings be compared in C? | How do I compare two strings in C?
    """
)
def test_two_forms_ask_the_same(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I install the ls command? | What does the ls command do?
    How does the formula for BMI work? | What is the formula for BMI?
    What is the role of mitochondria? | What is the structure of mitochondria?
    What does a plumber do? | What does a plumber earn?
    What do koalas eat? | What eats koalas?
    How early is the pharmacy open? | How late is the pharmacy open?
    How far in advance should I book? | How far is it?
    What deposit do I need? | What documents do I need?
    How much money do I need? | How much time do I need?
    How do I store my bike? | Where do I store my bike?
    What is the boiling point of water? | What is the freezing point of water?
    Is it necessary to peel carrots? | Is it safe to peel carrots?
    Is it better to buy or rent? | Is it cheaper to buy or rent?
    How is the president elected? | What is the president?
    Which river runs through Paris? | Which road runs through Paris?
    Is it true that bats are blind? | Why are bats blind?
    Is Wi-Fi available on the flight? | Is Wi-Fi free on the flight?
    What do cats and dogs have in common? | What is the difference between cats and dogs?
    How long does it take to boil an egg? | How long does a boiled egg last?
    What's the flight time to Rome? | What time is the flight to Rome?
    In which situations is aspirin dangerous? | In which countries is aspirin dangerous?
    """
)
def test_two_forms_ask_for_something_else(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    a password of at least 8 characters | a password of 8 or more characters
    a password with one or more digits | a password with at least one digit
    products priced above 50 | products priced at more than 50
    Count from one to five in Basque | Count from 1 to 5 in Basque
    Summarise Hamlet in three sentences. | Give me a 3-sentence summary of Hamlet.
    the temperature in °F | the temperature in degrees Fahrenheit
    Convert 3 furlongs to yards | How many yards are in 3 furlongs?
    How many ounces are in a pound? | What's the number of ounces in one pound?
    Who ruled during the First World War? | Who ruled during World War I?
    Is it OK to train every day? | Is it okay to train every single day?
    a table for two at 7 pm | a table for 2 at seven in the evening
    the best phone under Rs 15000 | the best phone under 15,000 rupees
    the ban of 500 and 1000 rupee notes | the ban of Rs 500 and Rs 1000 notes
    What should I pack for a week in Rome? | What should I pack for one week in Rome?
    the speed of sound in m/s | the speed of sound in meters per second
    """
)
def test_a_number_may_be_said_in_another_way(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    a password of 8 or more characters | a password of 8 or fewer characters
    a password of 8 or more characters | a password of 8 characters
    a password of at least 8 characters | a password of more than 8 characters
    products priced above 50 | products priced below 50
    What is 72°F in °C? | What is 72°C in °F?
    Give me a 3-sentence summary of Hamlet. | Give me a 5-sentence summary of Hamlet.
    Convert 3 furlongs to yards | Convert 3 yards to furlongs
    When did the First World War end? | When did the Second World War end?
    a table at seven in the morning | a table at seven in the evening
    the best phone under Rs 15000 | the best phone under $15000
    Convert 5 mol/L to mmol/L | Convert 5 mmol/L to mol/L
    What should I pack for a week in Rome? | What should I pack for two weeks in Rome?
    """
)
def test_another_number_or_bound(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Why isn't my sourdough rising? | Why is my sourdough not rising?
    Why aren't phones allowed on takeoff? | Why are phones not allowed on takeoff?
    Which cheeses are lactose-free? | Which cheeses contain no lactose?
    Which foods are high in potassium? | What are some potassium-rich foods?
    Sort a list without modifying the original | Sort a list, leaving the original unchanged
    How do I undo a commit without losing my changes? | How do I undo a commit but keep my changes?
    Can I enter without notice? | Can I enter without giving notice?
    List all files except hidden ones | List all files, leaving out hidden ones
    Why won't my car start? | Why does my car not start?
    """
)
def test_a_negation_said_in_another_way(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Why isn't my bread rising? | Why is my bread rising?
    Why isn't my bread rising? | Why is my bread not falling?
    Why aren't phones allowed? | Why are phones allowed?
    Which cheeses are lactose-free? | Which cheeses contain lactose?
    Is parking free at the mall? | Is parking paid at the mall?
    Which foods are rich in iron? | Which foods are low in iron?
    Sort a list without modifying the original | Sort a list and modify the original
    How do I undo a commit but keep my changes? | How do I undo a commit and lose my changes?
    Can I enter without notice? | Can I enter with notice?
    """
)
def test_a_negation_is_not_lost(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Why is quicksort usually faster than bubble sort? | Why is bubble sort usually slower than quicksort?
    Is Mars smaller than the Earth? | Is the Earth bigger than Mars?
    Why is gold more expensive than silver? | Why is silver cheaper than gold?
    """
)
def test_a_comparison_may_be_turned_round(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Is Mars smaller than the Earth? | Is Mars bigger than the Earth?
    Is Mars smaller than the Earth? | Is the Earth smaller than Mars?
    How much faster is a jet than a train? | How much slower is a train than a jet?
    Is gold heavier than lead? | Is lead not lighter than gold?
    Which is heavier, gold or lead? | Which is lighter, gold or lead?
    """
)
def test_half_a_turn_is_another_comparison(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What vaccinations do Canadians need for Kenya? | Which vaccines do Canadian citizens need for Kenya?
    How many moons does Neptune have? | What is the number of moons orbiting Neptune?
    What is the plural of 'cactus'? | What is the plural form of 'cactus'?
    What does a 70 kg person burn? | What does a person weighing 70 kg burn?
    the best headphones under $300 | the best headphones costing less than $300
    """
)
def test_a_word_goes_without_saying_beside_another(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What vaccinations do Canadians need for Kenya? | What vaccinations do Canadian children need for Kenya?
    How many moons does Neptune have? | How many rings does Neptune have?
    Do I need a visa for Japan? | Do I need a visa to work in Japan?
    Who wrote Dune? | Who wrote the movie Dune?
    Do Canadian citizens need a visa? | Do Canadian residents need a visa?
    How many citizens does Canada have? | How many cities does Canada have?
    """
)
def test_beside_a_stranger_it_must_be_said(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is the difference between `let` and `var`? | How do `var` and `let` differ?
    Translate 'I am hungry' into Tagalog. | How would I say 'I'm hungry' in Tagalog?
    Balance H2 + O2 -> H2O | Balance H2 + O2 → H2O
    How many rows are in a table called orders? | How many rows are in the orders table?
    """
)
def test_literals_in_another_order_or_spelling(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Does `a` contain `b`? | Does `b` contain `a`?
    What is the difference between `let` and `var`? | What is the difference between `let` and `const`?
    Translate 'I am hungry' into Tagalog. | Translate 'I'm not hungry' into Tagalog.
    How do I use 'it's' in a sentence? | How do I use 'it is' in a sentence?
    """
)
def test_other_literals(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How long should I rest a steak after grilling it? | After grilling a steak, how long should I rest it?
    How do I copy a file from here to a server using scp? | Using scp, how do I copy a file to a server from here?
    How do I get from JFK to Soho by bus? | How do I get to Soho from JFK by bus?
    What can I cook with chicken, rice and beans? | What can I cook with rice, beans and chicken?
    Which documents are necessary? | Which are the necessary documents?
    How do I remove blank rows from a sheet? | How do I delete empty rows in a worksheet?
    """
)
def test_phrases_may_change_places(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Should I stretch before or after running? | Should I run before or after stretching?
    Rest a steak after grilling it | Grill a steak after resting it
    trains from Paris to Rome | trains from Rome to Paris
    Mix red, then blue and green | Mix blue, then red and green
    flights from London in May | flights to London in May
    """
)
def test_roles_may_not(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How do I scale a Kubernetes deployment? | How do I scale a k8s deployment?
    the formula of sulfuric acid | the formula of sulphuric acid
    How do I undo a commit? | How can a commit be undone?
    Why is the fan so loud all the time? | Why is the fan constantly so noisy?
    an employee who repeatedly arrives late | an employee's repeated late arrivals
    What does a virtual machine cost? | What does a VM cost?
    What's the cheapest way to Rome? | What's the least expensive way to Rome?
    regex for zip codes | regular expression for a zip code
    """
)
def test_words_that_mean_the_same_everywhere(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Who is hardly working? | Who is hard working?
    How do I use a list in Python? | How do I reverse a list in Python?
    What is high blood pressure? | What is low blood pressure?
    How do I block a user? | How do I unblock a user?
    Sort the list in descending order | Sort the list in ascending order
    """
)
def test_words_that_only_look_alike(one, other):
    assert reason(one, other) != "serves"
