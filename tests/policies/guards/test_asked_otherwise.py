"""What is asked may be asked in other words (why, when, how long, how much); beside it what stays another question.

Over 400 lines, nearly all of them rows: the near misses of a form stand beside the form.
"""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Why does my phone overheat? | What could make my phone overheat?
    Why does my dog cough at night? | What might make my dog cough at night?
    Why does my washing machine leak? | What can make my washing machine leak?
    Why is my laptop overheating? | What is making my laptop overheat?
    Why is the sky blue? | What gives the sky its blue colour?
    Why are flamingos pink? | What gives flamingos their pink color?
    Why is Swiss cheese full of holes? | What gives Swiss cheese its holes?
    """
)
def test_what_makes_trouble_or_gives_a_property_is_why(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Why does my phone overheat? | What could stop my phone overheating?
    Why does my phone overheat? | What would make my phone charge?
    Why does my hair grow? | What would make my hair grow?
    Why is my cat happy? | What would make my cat happy?
    Why does my dog bark? | What would make my dog stop barking?
    Why does my dog bark at night? | What would make my dog bark at strangers?
    What could make my car stall? | How do I make my car stall?
    Why are flamingos pink? | What gives flamingos their long legs?
    Why are flamingos pink? | What do flamingos give their chicks?
    Why is the sky blue? | What gives the sea its blue colour?
    What gives rubies their red colour? | What gives rubies their red glow?
    What is a black hole? | What color is a black hole?
    """
)
def test_what_would_make_something_good_happen_is_not_why(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What day of the week was July 20, 1969? | Which weekday did 20 July 1969 fall on?
    What day of the week is Christmas this year? | Which weekday does Christmas fall on this year?
    What day of the week was 1 May 1990? | On which day of the week did 1 May 1990 fall?
    On what day of the week will New Year's Day 2030 fall? | Which weekday will New Year's Day 2030 fall on?
    """
)
def test_the_weekday_is_the_day_of_the_week(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What day of the week was July 20, 1969? | Which weekday did 20 July 1968 fall on?
    What day of the week was July 20, 1969? | Which weekday did 20 June 1969 fall on?
    What day of the week is Christmas this year? | Which weekday did Christmas fall on last year?
    Which weekday is busiest? | Which day of the week is busiest?
    What date did Easter fall on in 2020? | Which weekday did Easter fall on in 2020?
    What day did the Berlin Wall fall? | What day was the Berlin Wall?
    """
)
def test_another_day_is_another_weekday(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    When do I use "affect" and when do I use "effect"? | affect vs effect, which one when
    When do I use a mutex and when a semaphore? | semaphore vs mutex: which one should I use when?
    When should I use "fewer" and when should I use "less"? | "Less" vs "fewer": when do I use which?
    When should I use "who" and when "whom"? | "Whom" vs "who": when to use which?
    """
)
def test_which_one_when_asks_when_to_use_either(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    When do I use "affect" and when do I use "effect"? | affect vs effect, which one is the noun
    When do I use "affect" and when do I use "effect"? | affect vs infect, which one when
    When do I use a mutex and when a semaphore? | mutex vs semaphore: which is faster when?
    Why do I use a mutex and why a semaphore? | mutex vs semaphore: which one when?
    When do I use a mutex and when a semaphore? | mutex vs spinlock: which one when?
    When should I use ice and when should I stop using heat? | When should I use heat and when should I stop using ice?
    When should I use "lay" and when "lie"? | When should I use "lay" and when "laid"?
    """
)
def test_which_one_when_is_neither_which_nor_why(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What's the best month to visit Iceland? | Which month is best to visit Iceland?
    Which month is best for a trip to Peru? | What's the best month for a trip to Peru?
    What is the best season for planting roses? | Which season is best for planting roses?
    What's the best day to fly to Paris? | Which day is the best to fly to Paris?
    """
)
def test_which_month_is_best_asks_for_the_best_month(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What's the best month to visit Iceland? | Which month is worst to visit Iceland?
    What's the best month to visit Iceland? | Which month is best to leave Iceland?
    What's the best month to visit Iceland? | Which day is best to visit Iceland?
    What's the best month to visit Iceland? | Why is May the best month to visit Iceland?
    Which season is best for planting roses? | Which season is best for pruning roses?
    """
)
def test_the_best_month_is_not_the_worst_nor_a_day(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How long does amoxicillin take to start working? | Amoxicillin, how quickly does that kick in?
    How long does ibuprofen take to kick in? | How soon does ibuprofen start working?
    How long before melatonin takes effect? | How quickly does melatonin take effect?
    How long does it take for an antidepressant to start to work? | How long until an antidepressant kicks in?
    """
)
def test_how_soon_it_works_is_how_long_it_takes_to(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How long does amoxicillin take to start working? | How long does amoxicillin work?
    How long does ibuprofen take to kick in? | How long does ibuprofen take to wear off?
    How quickly does melatonin take effect? | How quickly does melatonin stop working?
    How soon does the course start? | How long is the course?
    How long does the film take to start? | How long is the film?
    How quickly does caffeine kick in? | How long does caffeine last?
    How quickly does caffeine kick in? | How does caffeine kick in?
    How quickly does a new law take effect? | How long does a law stay in effect?
    How quickly does melatonin take effect? | What effect does melatonin have?
    How long does a car take to start? | How long does it take to start a car business?
    """
)
def test_how_long_until_it_works_is_not_how_long_it_works(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How early should I arrive at the airport for a flight? | how long before a flight should i be at the airport
    How early should I book a hotel for the festival? | How long before the festival should I book a hotel?
    How early should I stop eating before surgery? | How long before surgery should I stop eating?
    How soon before a run should I eat? | How long before a run should I eat?
    """
)
def test_how_long_before_i_should_is_how_early(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How early should I arrive at the airport for a flight? | How long after a flight should I be at the airport?
    How early should I arrive at the airport? | How long should I be at the airport?
    How early should I arrive at the airport? | How early should I leave the airport?
    How early should I arrive before a flight? | How early should I arrive after a flight?
    How soon before a run should I eat? | How soon after a run should I eat?
    How long should I rest before a run? | How early should I rest before a run?
    How long before an exam should I eat? | How long does an exam last?
    How long before a trip should I get vaccinated? | How long before a trip must my dog be vaccinated?
    """
)
def test_how_long_before_is_neither_after_nor_how_long(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How long are cats pregnant? | what's the gestation period of a cat
    How long is an elephant pregnant? | gestation period of an elephant
    How long are rabbits pregnant for? | length of gestation in rabbits
    How long is a horse pregnant? | What is the pregnancy length of a horse?
    """
)
def test_how_long_it_is_pregnant_is_its_gestation_period(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How long are cats pregnant? | How long do cats live?
    How long are cats pregnant? | How often are cats pregnant?
    How long are cats pregnant? | How old must a cat be to get pregnant?
    gestation period of a cat | gestation period of a dog
    gestation period of a virus | incubation period of a virus
    How long is an elephant pregnant? | How long is an elephant?
    """
)
def test_gestation_is_another_time_than_life_or_age(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How many minutes are in a day? | number of minutes in 1 day
    How many hours are there in a week? | number of hours in one week
    How many weeks are in a year? | How many weeks in one year?
    """
)
def test_what_is_in_a_day_is_in_one_day(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How many minutes are in a day? | number of minutes in 2 days
    How many minutes are in a day? | How many minutes a day?
    How many hours are there in a week? | How many days are there in a week?
    How many days are there in a month? | How many days are there in a year?
    How many hours are in a day? | How many hours a day should I work?
    """
)
def test_what_is_in_a_day_is_not_what_one_does_a_day(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How much protein should I eat per day to build muscle? | to gain muscle, what should my daily protein intake be
    How much water should I drink a day? | What should my daily water intake be?
    How much fibre should I eat each day? | What should my daily fiber intake be?
    """
)
def test_a_daily_intake_is_what_is_consumed_a_day(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How much protein should I eat per day to build muscle? | to lose fat, what should my daily protein intake be
    How much water should I drink a day? | What should my weekly water intake be?
    How much water should I drink a day? | What should my daily salt intake be?
    How much protein should I eat per day? | What should my daily protein source be?
    How much protein should I eat per meal? | What should my daily protein intake be?
    How much should my baby eat per day? | What should my daily intake be?
    How much milk should I drink? | How much milk should I buy?
    """
)
def test_another_intake_is_another_question(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Which is easier for beginners, a ukulele or a guitar? | guitar or ukulele, which one is easier for a beginner
    Recommend a tent for beginners. | Recommend a tent for a beginner.
    Explain recursion for beginners. | Explain recursion for a complete beginner.
    What's a good beginner camera under $500? | Recommend a camera for a beginner that costs less than 500 dollars.
    """
)
def test_for_a_beginner_is_for_beginners(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Explain recursion for beginners. | Explain recursion for an expert.
    Recommend a tent for a beginner. | Recommend a tent for a family.
    Recommend a tent for a beginner. | Recommend a tent.
    Recommend a course for a beginner. | Recommend a course by a beginner.
    """
)
def test_a_beginner_is_no_expert_and_no_teacher(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Recommend a phone under $300. | Recommend a phone that costs less than $300.
    Hotels in Rome under 100 euros | Hotels in Rome that cost under 100 euros
    Suggest a gift over $50. | Suggest a gift costing more than $50.
    """
)
def test_what_costs_less_than_a_sum_is_under_it(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Recommend a phone that costs less than $300. | Recommend a phone that costs more than $300.
    Recommend a phone that costs less than $300. | Recommend a phone that costs $300.
    Recommend a phone that costs less than $300. | Recommend a phone that saves less than $300.
    """
)
def test_a_bound_of_the_price_keeps_its_direction(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Summarise the plot of Romeo and Juliet in three sentences. | romeo and juliet plot summary, 3 sentences
    Summarize Hamlet in two sentences. | Hamlet summary, two sentences
    Explain gravity in one paragraph. | Explain gravity, one paragraph.
    Describe Rome in four sentences. | Describe Rome, 4 sentences please
    """
)
def test_a_length_may_stand_behind_a_comma(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Summarize Hamlet in two sentences. | Hamlet summary, three sentences
    Summarize Hamlet in two sentences. | Hamlet summary, two paragraphs
    Summarize Hamlet in two sentences. | Hamlet summary, two sentences per act
    Explain gravity in one paragraph. | Explain gravity, one sentence.
    Summarize Hamlet. | Hamlet summary, two sentences
    """
)
def test_another_length_is_another_answer(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Write a SQL query to count rows in the orders table. | Write a SQL query to count rows in table orders.
    SQL query to get duplicate emails from the users table | sql that returns duplicate emails in table users
    """
)
def test_a_table_that_is_named_is_no_form_of_the_answer(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Write a SQL query to count rows in the orders table. | Write a SQL query to count rows in table customers.
    Compare Java and Go in a table. | Compare Java and Go.
    SQL query to get the top salary from the staff table | sql that deletes the top salary in table staff
    SQL query to get the highest salary from the employees table | sql that returns the highest salary as a table
    """
)
def test_another_table_is_another_query(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Show me how to stash only one file in git. | Is there a way to git stash just a single file? How?
    How do I print only one page of a PDF? | How do I print just a single page of a PDF?
    How can I mute only one tab? | How can I mute only a single tab?
    """
)
def test_just_a_single_is_only_one(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I commit only one file? | How do I commit a single directory?
    How do I commit just a single file? | How do I commit all but a single file?
    How do I commit just a single file? | How do I commit all files?
    How do I print just a single page? | How do I print just a single copy?
    How do I print just a single page? | How do I print single-sided pages?
    """
)
def test_just_a_single_is_not_all_but_one(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Excel formula to count cells that are not blank | What formula counts the non-empty cells in Excel?
    How do I highlight cells that are not blank? | How do I highlight non-empty cells?
    How do I select blank cells in Excel? | How do I select cells that are blank in Excel?
    How do I skip non-blank lines in Python? | How do I skip lines that are not empty in Python?
    """
)
def test_not_blank_is_not_empty(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Excel formula to count cells that are not blank | Excel formula to count cells that are blank
    How do I highlight cells that are not blank? | How do I highlight empty cells?
    How do I highlight cells that are not blank? | How do I not highlight blank cells?
    How do I highlight non-empty cells? | How do I empty non-highlighted cells?
    """
)
def test_not_blank_is_not_blank(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Do I have to pay tax on lottery winnings in Canada? | are lottery winnings taxable in canada
    Do you pay taxes on Social Security benefits? | Are Social Security benefits taxed?
    Is interest subject to tax in Spain? | Do I have to pay tax on interest in Spain?
    """
)
def test_what_one_pays_tax_on_is_taxable(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Do I have to pay tax on lottery winnings in Canada? | Are lottery winnings tax-free in Canada?
    Do I have to pay tax on lottery winnings in Canada? | Are lottery winnings tax deductible in Canada?
    Do I have to pay VAT on gifts? | Are gifts taxable?
    How much tax do I pay on gifts? | Are gifts taxable?
    Do I have to pay tax on gifts? | Does my aunt have to pay tax on gifts?
    Do I have to pay tax on dividends in Spain? | Are dividends from Spain taxable?
    When do I have to pay tax on dividends? | Are dividends taxable?
    Are dividends taxed? | Are dividends taxed twice?
    """
)
def test_what_is_taxable_is_not_free_of_tax_nor_deductible(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Can I freeze cheese? | Can cheese be frozen?
    How do I freeze herbs? | How are herbs frozen?
    Is it safe to refreeze meat? | Can meat be refrozen?
    Can you marinate chicken overnight? | Can chicken be marinated overnight?
    Can I sue a landlord? | Can a landlord be sued?
    Can I dye leather shoes? | Can leather shoes be dyed?
    """
)
def test_what_is_frozen_one_freezes(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Can I freeze cheese? | Can I buy frozen cheese?
    How do I freeze chicken? | How do I cook frozen chicken?
    Can cheese be frozen? | Can cheese not be frozen?
    Can I freeze cooked rice? | Can I cook frozen rice?
    Is the lake frozen? | Can the lake freeze?
    Can a landlord sue? | Can a landlord be sued?
    Can a landlord sue a tenant? | Can a landlord be sued by a tenant?
    Can meat be refrozen? | Can meat be frozen?
    Can I freeze milk? | Can milk be thawed?
    """
)
def test_what_is_already_frozen_is_not_to_be_frozen(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How many feet is 1.80 m? | 1.8 metres in ft
    Convert 2.50 kg to pounds | 2.5 kg in pounds
    How many inches is 10.0 cm? | Convert 10 cm to inches
    """
)
def test_a_measure_may_end_in_zeros(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How many feet is 1.80 m? | 1.08 metres in ft
    How many feet is 1.80 m? | 18 metres in ft
    How many feet is 10.0 m? | How many feet is 100 m?
    Install version 1.80 of the app | Install version 1.8 of the app
    What's new in Python 3.10? | What's new in Python 3.1?
    """
)
def test_a_version_may_not_end_in_zeros(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is the boiling point of ethanol in Celsius? | ethanol boiling point °C
    How tall is Everest in feet? | everest height feet
    What is the weight of a blue whale in tons? | blue whale weight tons
    How long is the Nile in miles? | Nile length miles
    What's the top speed of a cheetah in mph? | cheetah top speed mph
    What is the average temperature of Oslo in Fahrenheit? | average temperature Oslo °F
    """
)
def test_the_last_word_of_what_is_measured_is_its_unit(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is the boiling point of ethanol in Celsius? | ethanol boiling point °F
    What is the boiling point of ethanol in Celsius? | ethanol melting point °C
    How tall is Everest in feet? | everest height metres
    How tall is Everest in feet? | everest weight tons
    average height of a foot | average height in feet
    What is the weight of a stone? | weight in stone
    """
)
def test_another_unit_or_measure_stays_another(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How long is a marathon in kilometres? | marathon distance km
    How long is the Tour de France in miles? | distance of the Tour de France in miles
    How long is a mile in kilometres? | mile distance km
    """
)
def test_how_long_in_miles_is_a_distance(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How long is a marathon? | marathon distance km
    How long is a marathon in hours? | marathon distance km
    How long is a marathon in kilometres? | marathon duration hours
    How long does a marathon take? | How long is a marathon in miles?
    How long is a marathon in kilometres? | How far is a marathon in kilometres?
    How long is the lake in km? | distance to the lake in km
    How long is the lake in km? | distance from the lake in km
    How long is the lake in km? | What is the distance across the lake in km?
    How long is the lake in km? | What is the distance around the lake in km?
    How long is the lake in km? | lake width km
    """
)
def test_how_long_is_not_how_far_away(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How many teaspoons are in a tablespoon? | tsp per tbsp
    How many ounces are in a pound? | ounces per pound
    How many feet are in a mile? | How many feet per mile?
    How many ml are in a cup? | ml per cup
    """
)
def test_one_unit_per_another_is_how_many_are_in_one(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How many teaspoons are in a tablespoon? | tbsp per tsp
    How many teaspoons are in a tablespoon? | tsp per cup
    How many feet are in a mile? | How many feet per hour?
    How many feet are in 2 miles? | feet per mile
    How many calories are in a cup of rice? | calories per cup of tea
    How many miles are in a gallon? | gallons per mile
    tsp per tbsp | tsp vs tbsp
    """
)
def test_per_has_a_direction(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Is it "fewer" or "less" with countable nouns? | With countable nouns, should I say "less" or "fewer"?
    Is it "between you and I" or "between you and me"? | Should I write "between you and me" or "between you and I"?
    Should I use "who" or "whom" after a preposition? | Should I use "whom" or "who" after a preposition?
    Is "colour" or "color" the British spelling? | Is "color" or "colour" the British spelling?
    """
)
def test_quoted_alternatives_have_no_order(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Is it "fewer" or "less" with countable nouns? | Is it "fewer" or "less" with uncountable nouns?
    Should I replace "fewer" with "less"? | Should I replace "less" with "fewer"?
    Is it "fewer" or "less" with countable nouns? | Is it "fewer" or "lesser" with countable nouns?
    Is "fewer" more formal than "less"? | Is "less" more formal than "fewer"?
    Translate "yes" or "no" into Greek, then "no" | Translate "no" or "yes" into Greek, then "yes"
    Should I avoid "who" or "whom"? | Should I use "whom" or "who"?
    Does "a" or "b" come before "c"? | Does "c" or "b" come before "a"?
    Is it "fewer" or "less"? | Why is it "less" or "fewer"?
    """
)
def test_other_quotations_keep_their_order(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Translate "Where is the train station?" into German | german for "where's the train station?"
    How do you say "What is your name?" in Greek? | How do you say "What's your name?" in Greek?
    Translate "Who is there?" into French | Translate "Who's there?" into French
    Say "There is no milk" in Dutch | "there's no milk" in Dutch
    """
)
def test_a_contraction_is_translated_as_what_it_stands_for(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Translate "Where is the train station?" into German | german for "where was the train station?"
    Translate "the dog is home" into French | Translate "the dog's home" into French
    Translate "What is your name?" into Greek | Translate "What's in your name?" into Greek
    Rewrite without contractions: "What's your name?" | Rewrite without contractions: "What is your name?"
    Is "What's your name?" formal? | Is "What is your name?" formal?
    """
)
def test_a_possessive_is_no_contraction_and_tense_counts(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How do I convert text to uppercase in Excel with a formula? | what excel formula turns text into uppercase
    How do I double a column with a formula? | Which formula doubles a column?
    How do I close a tab with a shortcut? | What shortcut closes a tab?
    How do I count words using a formula? | Which formula counts words?
    How do I turn a PDF into a Word file? | How do I convert a PDF to a Word file?
    """
)
def test_which_formula_does_it_asks_how_with_a_formula(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I replace a value with a formula? | Which formula replaces a value?
    How do I fill a column with a formula? | Which formula fills a column?
    How do I find cells with a formula? | Which formula finds cells?
    How do I convert text to uppercase with a formula? | What formula turns text into lowercase?
    How do I convert uppercase to lowercase with a formula? | What formula turns lowercase into uppercase?
    How do I list open ports with a command? | Which command closes open ports?
    How do I close a tab with a shortcut? | Why does the shortcut close a tab?
    How do I close a tab with a shortcut? | Who made the shortcut that closes a tab?
    How do I close a tab with a shortcut? | How do I close a shortcut with a tab?
    How do I turn a bedroom into an office? | How do I turn an office into a bedroom?
    """
)
def test_with_a_formula_may_name_no_means(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What fee does a bank usually charge for a wire? | What fee does a bank charge for a wire?
    How long does a divorce usually take in Ohio? | How long does a divorce take in Ohio?
    How much does a plumber usually cost? | How much does a plumber cost?
    At what temperature does water usually boil? | At what temperature does water boil?
    """
)
def test_an_amount_asked_for_is_the_usual_one(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Do cats usually hate water? | Do cats hate water?
    Do all banks charge a fee? | Do banks usually charge a fee?
    How long do most divorces take? | How long do all divorces take?
    Which fruits are usually red? | Which fruits are red?
    Who usually pays for the wedding? | Who pays for the wedding?
    How much does a plumber usually cost? | How much does a plumber always cost?
    """
)
def test_what_is_usually_so_is_not_always_so(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is the derivative of sin(x)? | differentiate sin x
    Integrate cos(x) | What is the integral of cos x?
    What is the limit of ln(x) at 0? | limit of ln x at 0
    derivative of sin(x) - cos(x) | differentiate sin x - cos x
    """
)
def test_a_function_has_its_argument_in_brackets_or_not(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is the derivative of sin(x)? | differentiate cos x
    What is the derivative of sin(x)? | integrate sin x
    What is the derivative of sin(2x)? | differentiate sin x
    What is the derivative of sin(x^2)? | differentiate sin(x)^2
    What is the derivative of sin(x)? | differentiate x sin x
    What is the derivative of sin(y)? | differentiate sin x
    What is the derivative of sin(x)? | What is the derivative of arcsin(x)?
    What is the derivative of sin(x)cos(x)? | derivative of sin x / cos x
    What is the derivative of sin(x) + cos(x)? | derivative of sin(x) - cos(x)
    derivative of sin x - cos x | derivative of sin x cos x
    derivative of sin(x) - cos(x) | derivative of cos(x) - sin(x)
    """
)
def test_another_function_or_argument_is_another(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What's the difference between WHERE and HAVING in SQL? | HAVING vs WHERE in SQL: how are they different?
    What is the difference between WHERE and HAVING in SQL? | where vs having in sql difference
    """
)
def test_keywords_that_are_compared_ask_for_nothing(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What's the difference between WHERE and HAVING in SQL? | difference between WHERE and ON in SQL
    What's the difference between WHERE and HAVING in SQL? | HAVING vs GROUP BY in SQL: how are they different?
    What's the difference between WHERE and HAVING in SQL? | WHERE vs HAVING in SQL: which is faster?
    What's the difference between WHERE and HAVING in SQL? | Where is the difference between HAVING and GROUP BY in SQL?
    """
)
def test_other_keywords_are_another_comparison(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Why do onions make you cry? | What is it about onions that makes you cry?
    Why is my Wi-Fi slow? | What's slowing down my Wi-Fi?
    Why is my laptop slow? | What is slowing my laptop down?
    Why won't my car start? | What's preventing my car from starting?
    Why isn't my phone charging? | What could be stopping my phone from charging?
    Why is the printer not printing? | What is keeping the printer from printing?
    """
)
def test_what_slows_or_prevents_it_is_why(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Why do onions make you cry? | What is it about onions that makes them sweet?
    Why is my Wi-Fi slow? | What's speeding up my Wi-Fi?
    Why is my Wi-Fi slow? | How do I slow down my Wi-Fi?
    Why is my car rusting? | What is preventing my car from rusting?
    Why won't my car start? | What's preventing my car from stopping?
    Why won't my car start? | Who is preventing my car from starting?
    What's preventing my car from starting? | What do I do to prevent my car from starting?
    What keeps a ship from sinking? | Why won't my ship sink?
    What is stopping my phone from charging? | Why does my phone stop charging?
    """
)
def test_what_prevents_it_is_neither_how_nor_why_it_happens(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    My toilet won't stop running, why? | Why does my toilet keep running?
    Why won't my dog stop barking? | Why does my dog keep barking?
    My nose won't stop bleeding, what should I do? | What should I do if my nose keeps bleeding?
    Why does my laptop not stop restarting? | Why does my laptop keep restarting?
    """
)
def test_what_does_not_stop_keeps_on(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Why won't my dog stop barking? | Why did my dog stop barking?
    Why won't my dog stop barking? | Why won't my dog bark?
    How do I stop my dog from barking? | Why won't my dog stop barking?
    Why won't my car stop? | Why does my car keep running?
    Why does my toilet keep running? | Why does my toilet stop running?
    Why won't my tap stop dripping? | Why won't my tap drip?
    """
)
def test_what_does_not_stop_has_not_stopped(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    When does the store open? | At what hour does the store open?
    Where can I renew my license? | At which office can I renew my license?
    Which team won the 2018 World Cup? | Who won the World Cup in 2018?
    How much does a passport cost? | What do I have to pay for a passport?
    What does "ASAP" mean? | What is "ASAP" short for?
    What does NATO stand for? | What is NATO an abbreviation of?
    What are the benefits of green tea? | How is green tea good for you?
    How can I tell if an avocado is ripe? | What are the signs that an avocado is ripe?
    """
)
def test_a_question_word_may_be_said_in_other_words(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    When does the store open? | At what hour does the store close?
    Which team won the 2018 World Cup? | Which team lost the 2018 World Cup?
    Which team won the cup? | Which coach won the cup?
    How much does a passport cost? | What do I have to bring for a passport?
    How much does a passport cost? | When do I have to pay for a passport?
    What does NATO stand for? | What is NATO short of?
    What does "ASAP" mean? | What is "FYI" short for?
    How is green tea good for you? | How is green tea bad for you?
    How is green tea good for you? | How is green tea made for you?
    How can I tell if an avocado is ripe? | What are the signs that an avocado is rotten?
    How can I tell if an avocado is ripe? | How can I ripen an avocado?
    """
)
def test_another_question_word_is_another_question(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How many hours of sleep does a teenager need? | hours of sleep needed by teenagers
    How many calories does a 70 kg person burn running 5 km? | calories burned by a 70 kg person on a 5 km run
    How many days until Christmas? | days until Christmas
    How many weeks until Easter? | weeks till Easter
    How many days are left in the year? | days left in the year
    """
)
def test_a_fragment_that_begins_with_a_unit_asks_how_many(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How many hours of sleep does a teenager need? | hours of sleep needed by babies
    How many hours of sleep does a teenager need? | Are hours of sleep needed by teenagers?
    How many days until Christmas? | days since Christmas
    How many days until Christmas? | days after Christmas
    How many days until Christmas? | What to do in the days until Christmas?
    How many documents are needed for a visa? | documents needed for a visa
    How many people are needed for a jury? | people needed for a jury
    How many days until Christmas? | weeks until Christmas
    How many calories does running burn? | calories needed for running
    """
)
def test_other_fragments_do_not_ask_how_many(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What does where mean in SQL? | What does having mean in SQL?
    what does the where clause do in sql | what does the having clause do in sql
    Which team won the most medals? | Who won the most medals?
    """
)
def test_a_keyword_is_asked_about_by_its_name(one, other):
    assert reason(one, other) != "serves"
