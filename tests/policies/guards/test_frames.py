"""One question in the forms it comes in: told first, in the passive, as a noun, as a tag, in the words of a form."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Who assassinated Archduke Franz Ferdinand? | By whom was Archduke Franz Ferdinand assassinated?
    Who shot Oswald? | By whom was Oswald shot?
    Who taught Plato? | Who was Plato taught by?
    Who was Plato taught by? | By whom was Plato taught?
    Who was shot by Oswald? | Whom did Oswald shoot?
    What eats spiders? | What are spiders eaten by?
    What do spiders eat? | What is eaten by spiders?
    Which book did Orwell write in 1945? | Which book was written by Orwell in 1945?
    How do central banks control inflation? | How is inflation controlled by central banks?
    What causes kidney stones? | What are kidney stones caused by?
    What causes tides? | What are tides caused by?
    """
)
def test_who_did_it_may_be_asked_in_the_passive(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Who was shot by Oswald? | Who shot Oswald?
    Who was shot by Archduke Ferdinand? | By whom was Archduke Ferdinand shot?
    Who did Oswald shoot? | By whom was Oswald shot?
    Who was Plato taught by? | Who did Plato teach?
    What is eaten by spiders? | What eats spiders?
    What are spiders eaten by? | What do spiders eat?
    What are kidney stones caused by? | What do kidney stones cause?
    What are tides caused by? | What do tides cause?
    Who was hired by Jobs? | Who hired Jobs?
    """
)
def test_the_passive_has_a_direction(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How many people live in Lisbon? | Lisbon, how many people live there?
    What is the population of Lisbon? | How big is the population of Lisbon?
    What is the population of Lisbon? | What's the number of people living in Lisbon?
    What does a new roof cost? | How much do you pay for a new roof?
    What does a new roof cost? | What should I expect to pay for a new roof?
    What does the premium plan cost per month? | Premium plan, how much per month?
    What does the premium plan cost per month? | How much am I charged per month for the premium plan?
    How many grams are in a cup of flour? | How much does a cup of flour weigh in grams?
    A cup of flour is how many grams? | 1 cup of flour in grams
    How much does one gallon of water weigh in pounds? | What's the weight of a gallon of water in lbs?
    What is 17 % of 240? | 17 percent of 240 is how much?
    """
)
def test_an_amount_may_be_asked_in_other_forms(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Lisbon, how many people live there? | Porto, how many people live there?
    How big is Lisbon? | How big is the population of Lisbon?
    Where do people in Lisbon live? | What's the number of people living in Lisbon?
    How many people work in Lisbon? | What's the number of people living in Lisbon?
    How do I pay for a new roof? | How much do you pay for a new roof?
    What should I expect from a new roof? | What should I expect to pay for a new roof?
    Premium plan, how much per year? | Premium plan, how much per month?
    When am I charged for the premium plan? | How much am I charged for the premium plan?
    How much does a cup of sugar weigh in grams? | How much does a cup of flour weigh in grams?
    How much does a cup of flour weigh in ounces? | How much does a cup of flour weigh in grams?
    2 cups of flour in grams | How much does a cup of flour weigh in grams?
    How many cups are in a gram of flour? | How much does a cup of flour weigh in grams?
    What is the weight of a gallon of milk in lbs? | What's the weight of a gallon of water in lbs?
    How tall is a cup in centimeters? | How much does a cup weigh in grams?
    17 percent of 240 is how much? | 240 percent of 17 is how much?
    17 percent of 240 is how much? | 17 is how much percent of 240?
    """
)
def test_another_amount_is_asked(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is amortization? | I keep hearing about amortization. What is it?
    What does DNS stand for? | What is the full form of DNS?
    What is the difference between a latte and a cappuccino? | What makes a latte different from a cappuccino?
    Is Istanbul the capital of Turkey? | Istanbul is Turkey's capital, isn't it?
    Do you ship to Canada? | You ship to Canada, right?
    When was the policy last updated? | When was the last time the policy was updated?
    When do babies start walking? | At what age do babies start walking?
    When is the library open? | What time does the library open and close?
    What are the library's opening hours? | What times is the library open?
    Who is eligible for the student discount? | Who qualifies for the student discount?
    Who is eligible for the student discount? | Who is entitled to the student discount?
    Who is eligible for the student discount? | What are the eligibility criteria for the student discount?
    Am I eligible for paternity leave? | Do I qualify for paternity leave?
    What are the symptoms of appendicitis? | How do I know if I have appendicitis?
    What is the deadline for filing taxes? | What is the due date for filing taxes?
    What is the plural of "octopus"? | How do you write octopus in the plural?
    What is a synonym for "happy"? | What word means the same as "happy"?
    How do you say "good luck" in Italian? | How is "good luck" said in Italian?
    Recommend a book about the Roman Empire. | Any recommendations for a book on the Roman Empire?
    Recommend a book about the Roman Empire. | What book should I read about the Roman Empire?
    What are the planets of the solar system? | What are the names of the planets in our solar system?
    How do I stop my puppy from biting? | My puppy bites, do you have any advice on how to stop it?
    Where on my printer is the serial number? | Excuse me, would you know where on my printer the serial number is?
    List the benefits of swimming in bullet points. | What are the benefits of swimming? Answer in bullet points.
    List the benefits of swimming in bullet points. | What are the benefits of swimming? Use bullet points.
    Explain the water cycle in three sentences. | What is the water cycle? Keep it to three sentences.
    Explain the water cycle in three sentences. | What is the water cycle? Answer in three sentences.
    Is the gym open every day except Sunday? | Is the gym open every day but not on Sunday?
    Is the gym open every day except Sunday? | Is the gym open on all days but Sunday?
    Summarize the plot of Hamlet. | Can you sum up the plot of Hamlet?
    """
)
def test_a_form_asks_what_another_asks(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is amortization? | I keep hearing about amortization. Why?
    I keep hearing noises in the attic. What is it? | I keep hearing about amortization. What is it?
    How do I define a function in Python? | What is a function in Python?
    What is the full form of DNS? | What is the full price of DNS?
    What makes a latte different from a cappuccino? | What makes a latte better than a cappuccino?
    What makes a latte different from a cappuccino? | What makes a latte different from a mocha?
    Istanbul is Turkey's capital, isn't it? | What is Turkey's capital?
    Istanbul is Turkey's capital, isn't it? | Ankara is Turkey's capital, isn't it?
    You ship to Canada, right? | When do you ship to Canada?
    You ship to Canada, right? | Did you ship to Canada?
    When was the first time the policy was updated? | When was the last time the policy was updated?
    When is the next policy update? | When was the last time the policy was updated?
    When did Mozart die? | At what age did Mozart die?
    When do babies start talking? | At what age do babies start walking?
    When does the library close? | What time does the library open and close?
    When is the library closed? | What times is the library open?
    Who is not eligible for the student discount? | Who qualifies for the student discount?
    How do I get the student discount? | Who is entitled to the student discount?
    Am I eligible for maternity leave? | Do I qualify for paternity leave?
    Who qualified for the World Cup? | Who is eligible for the World Cup?
    What causes appendicitis? | How do I know if I have appendicitis?
    How is appendicitis treated? | How do I know if I have appendicitis?
    What are the symptoms of gastritis? | How do I know if I have appendicitis?
    What is the due date for paying taxes? | What is the deadline for filing taxes?
    What word means the opposite of "happy"? | What word means the same as "happy"?
    How is "good luck" said in Italian? | How is "good luck" said in Spanish?
    Any recommendations for a book on the Roman Empire? | What are the recommendations for a flu shot?
    What book should I write about the Roman Empire? | What book should I read about the Roman Empire?
    How many planets are in the solar system? | What are the names of the planets in the solar system?
    List the benefits of swimming in a table. | What are the benefits of swimming? Use bullet points.
    What are the benefits of swimming? | What are the benefits of swimming? Answer in bullet points.
    Explain the water cycle in four sentences. | What is the water cycle? Keep it to three sentences.
    Explain the water cycle in three paragraphs. | What is the water cycle? Answer in three sentences.
    Is the gym open every day including Sunday? | Is the gym open every day but not on Sunday?
    Is the gym open every day except Saturday? | Is the gym open on all days but Sunday?
    Is the gym open only on Sunday? | Is the gym open on all days but Sunday?
    """
)
def test_near_forms_ask_something_else(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is inflation? | inflation definition
    What is a load balancer? | load balancer definition
    Why is my dishwasher not draining? | My dishwasher does not drain, what is wrong?
    Why does my car shake? | My car shakes, what could be wrong?
    Write a regex that matches an email address. | I need a regex matching email addresses
    Which is faster, Rust or Go? | Which of Rust and Go is faster?
    Which is faster, Rust or Go? | Between Rust and Go, which is faster?
    Which fruits must dogs not eat? | Which fruits can't dogs eat?
    Which fruits can dogs not eat? | What fruits can't dogs eat?
    Which fruits must dogs not eat? | Which fruits can dogs not eat?
    What is 17 % of 240? | work out 17% of 240
    """
)
def test_a_word_at_the_edge_says_what_is_asked(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is the hidden cost of inflation? | inflation definition
    Why does inflation matter? | inflation meaning
    How is inflation measured? | inflation definition
    My dishwasher does not drain, what is wrong? | How do I fix a dishwasher that does not drain?
    My dishwasher does not drain, what is wrong? | Which dishwasher does not drain?
    Which answer is wrong? | Why is the answer wrong?
    Why do I need a regex? | I need a regex matching email addresses
    How do I know if I need a visa? | How do I get a visa?
    Which is slower, Rust or Go? | Which of Rust and Go is faster?
    Which languages are Rust and Go written in? | Which language is Rust or Go written in?
    Which fruits can dogs eat? | What fruits can't dogs eat?
    Which fruits should dogs eat? | What fruits can't dogs eat?
    Why can't I delete the file? | Why must I not delete the file?
    Which fruits must dogs eat? | Which fruits can dogs eat?
    I work out 30 minutes a day | What is 30 minutes of a day?
    """
)
def test_a_word_at_the_edge_turns_the_question(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    SQL query for the highest salary in the employees table | SQL query for the highest salary from employees
    Write a SQL query to find the oldest customer. | What SQL query returns the oldest customer?
    How do I get the average age per city in SQL? | Write a SQL statement that selects the average age per city.
    Write a SQL query to find users without orders. | How do I retrieve users without orders in SQL?
    """
)
def test_sql_selects_in_many_words(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Write a SQL query to delete the oldest customer. | What SQL query returns the oldest customer?
    Write a SQL query to create the employees table. | Write a SQL query to select the employees table.
    Update rows in orders in SQL. | Select rows from orders in SQL.
    Copy rows from orders to customers in SQL. | Copy rows to orders from customers in SQL.
    How do I drop a table in SQL? | How do I drop a column in SQL?
    What is a SQL query? | What is SQL?
    What is a table in SQL? | What is SQL?
    """
)
def test_sql_does_not_only_select(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Is a helmet required on an e-scooter? | Do I have to wear a helmet on an e-scooter?
    Are helmets mandatory on e-scooters? | Must I wear a helmet on an e-scooter?
    Do I need a helmet on an e-scooter? | Must I wear a helmet on an e-scooter?
    Do I need a visa for Vietnam? | Is it necessary to have a visa for Vietnam?
    Does Vietnam require a visa? | Must I have a visa for Vietnam?
    Can I bring my dog into the office? | Are dogs allowed in the office?
    Can I bring my dog into the office? | Is bringing a dog into the office permitted?
    Can I bring food into the cinema? | Is food allowed in the cinema?
    """
)
def test_what_one_must_have_is_required(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Do I need to buy a helmet? | Must I wear a helmet?
    Can I wear a helmet on an e-scooter? | Is a helmet required on an e-scooter?
    Should I wear a helmet on an e-scooter? | Is a helmet required on an e-scooter?
    Are helmets allowed on e-scooters? | Must I wear a helmet on an e-scooter?
    Is there a visa for Vietnam? | Must I get a visa for Vietnam?
    Must I pay for a visa for Vietnam? | Do I need a visa for Vietnam?
    Who must wear a helmet? | Is a helmet required?
    Do I have to clean a helmet? | Is a helmet required?
    Can I bring my cat into the office? | Are dogs allowed in the office?
    Must I bring my dog into the office? | Are dogs allowed in the office?
    Should I bring my dog into the office? | Are dogs allowed in the office?
    Are dogs forbidden in the office? | Can I bring my dog into the office?
    Can I bring my dog? | Is a permit needed to bring a dog?
    """
)
def test_what_one_must_have_is_not_what_one_may_have(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is "good luck" in Italian? | Italian translation of "good luck"
    How do you say "good luck" in Italian? | What is the Italian translation of "good luck"?
    Rewrite this sentence in a formal tone: "gotta go, see ya" | Make this sentence more formal: "gotta go, see ya"
    Classify this review as positive or negative: "Cold." | Tell me whether this review is positive or negative: "Cold."
    Is this review positive or negative: "Cold." | Determine if the following review is positive or negative: "Cold."
    """
)
def test_a_text_may_be_worked_on_in_other_words(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Italian translation of "good luck" | Spanish translation of "good luck"
    Who made the translation of "War and Peace"? | Translate "War and Peace".
    Make this sentence more formal: "gotta go, see ya" | Make this sentence less formal: "gotta go, see ya"
    Make this sentence more formal: "gotta go, see ya" | Rewrite this sentence in a casual tone: "gotta go, see ya"
    Make this sentence shorter: "gotta go, see ya" | Make this sentence longer: "gotta go, see ya"
    Make a sentence with: "gotta go" | Rewrite this sentence: "gotta go"
    Is this sentence more formal: "gotta go, see ya" | Make this sentence more formal: "gotta go, see ya"
    Classify this review as positive or negative: "Cold." | Check whether this review is long or short: "Cold."
    Classify this review as positive or negative: "Cold." | Why is this review negative: "Cold."
    """
)
def test_a_text_is_worked_on_in_another_way(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Can I smoke on the balcony? | smoking on the balcony allowed?
    Can I take a power bank on a plane? | Are power banks allowed on a plane?
    Can I take a power bank on a plane? | power bank on plane allowed?
    Is it safe to eat raw eggs? | eating raw eggs safe?
    Which is healthier, butter or margarine? | Is margarine or butter healthier?
    butter or margarine: which is healthier? | Which one is healthier, margarine or butter?
    Should I fry the egg or the fish? | Should I fry the fish or the egg?
    Should I get a flu shot? | Is a flu shot recommended?
    Should I get a flu shot? | Would you recommend getting a flu shot?
    Should I get a flu shot? | Is getting a flu shot a good idea?
    How do I unclog a bathtub drain? | unclogging a bathtub drain
    How often should I descale a kettle? | kettle descaling how often
    What happens if I miss a loan payment? | What are the consequences of missing a loan payment?
    What happens if I miss a loan payment? | What will happen when I miss a loan payment?
    What are some ideas for a birthday party? | Can you come up with ideas for a birthday party?
    Write an email to a customer about a late delivery. | Draft an email to a customer about a late delivery.
    What is the Wi-Fi password? | Can I have the Wi-Fi password?
    What should I do if I lose my passport? | What do I need to do if I lose my passport?
    What is a sabbatical? | Someone mentioned a sabbatical. What is that?
    When is Mother's Day this year? | Mother's Day date this year
    """
)
def test_whether_it_is_so_may_be_asked_in_other_forms(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I eat raw eggs? | eating raw eggs safe?
    Should I smoke on the balcony? | smoking on the balcony allowed?
    Must I smoke on the balcony? | smoking on the balcony allowed?
    Which liquids are allowed in hand luggage? | hand luggage liquids allowed
    Must I take a power bank on a plane? | Are power banks allowed on a plane?
    Can I charge a power bank on a plane? | Are power banks allowed on a plane?
    Which is unhealthier, butter or margarine? | Is margarine or butter healthier?
    Which is cheaper, butter or margarine? | Is margarine or butter healthier?
    Is a cat or a dog better with a child? | Is a child or a dog better with a cat?
    Can I get a flu shot? | Would you recommend getting a flu shot?
    Do I have to get a flu shot? | Is a flu shot recommended?
    When is a flu shot recommended? | Should I get a flu shot?
    Can you grow basil indoors? | growing basil indoors
    Can I reverse a string in JavaScript? | Write JavaScript code that reverses a string.
    Can I export my contacts from Outlook? | Exporting contacts from Outlook
    How do I unclog a bathtub drain? | clogging a bathtub drain
    What happens if I miss a flight? | What are the consequences of missing a loan payment?
    What will happen to the loan when I pay it? | What happened to the loan when I paid it?
    Why did I decline the payment? | Why was my payment declined?
    Why did I cancel the order? | Why was my order cancelled?
    Who broke my laptop? | Who is responsible for broken laptops?
    Who must approve the report? | Who approved the report?
    How do I approve an expense report? | expense report approver
    Does my landlord need to notify me? | Does my landlord have to be notified?
    Must the bank inform me? | Must the bank be informed?
    How many vacation days have I taken? | How many vacation days do I get?
    How long is a sabbatical? | What does it mean to take a sabbatical?
    What is a beginner camera? | What's a good beginner camera?
    What is a beginner camera? | Can you recommend a camera for beginners?
    What is a birthday party? | birthday party ideas
    Give me one idea for a birthday party. | Give me ideas for a birthday party.
    What is not included in the basic plan? | What's in the basic plan?
    Is the weather good in Madrid today? | weather Madrid today
    What can I do with an old laptop? | What should I do if my laptop is old?
    """
)
def test_whether_it_is_so_is_not_how_it_is(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How does caffeine affect sleep? | effects of caffeine on sleep
    How does caffeine affect sleep? | caffeine effect on sleep
    How does caffeine affect sleep? | What does caffeine do to your sleep?
    How do I become a pilot? | What does it take to become a pilot?
    How do I cancel my subscription? | What do I have to do to cancel my subscription?
    What is the minimum age to rent a car in Spain? | At what age can I rent a car in Spain?
    What is the minimum age to rent a car in Spain? | From what age can you rent a car in Spain?
    What should I wear to a job interview? | How should I dress for a job interview?
    What should I wear to a job interview? | What clothes should I wear to a job interview?
    What happens if I cancel my subscription? | What are the consequences of cancelling my subscription?
    My drain is clogged. How do I fix it? | What should I do if my drain is clogged?
    How do I fix "ModuleNotFoundError: requests"? | What do I do about "ModuleNotFoundError: requests"?
    What does chmod 755 do? | What is the effect of running chmod 755?
    When should I use "affect" and when "effect"? | affect vs effect usage
    Who founded Nintendo? | Name the founder of Nintendo.
    How long is a visa valid? | I'd like to ask how long a visa is valid.
    """
)
def test_a_clause_may_be_a_noun(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How does sleep affect caffeine? | effects of caffeine on sleep
    How does sleep affect caffeine? | caffeine effect on sleep
    Does caffeine affect sleep? | effects of caffeine on sleep
    How does alcohol affect sleep? | What does caffeine do to your sleep?
    How long does it take to become a pilot? | What does it take to become a pilot?
    What does a pilot do? | What does it take to become a pilot?
    What is the maximum age to rent a car in Spain? | At what age can I rent a car in Spain?
    How old is the car I rented in Spain? | At what age can I rent a car in Spain?
    What is the minimum age to buy a car in Spain? | At what age can I rent a car in Spain?
    What should I not wear to a job interview? | How should I dress for a job interview?
    What happens if I cancel my subscription? | cancelling my subscription
    Did I reset my password? | resetting my password
    What can I do with a clogged drain? | How do I fix a clogged drain?
    Why is my drain clogged? | What should I do if my drain is clogged?
    What did the founder of Nintendo do? | Who founded Nintendo?
    Who was founded by Nintendo? | Name the founder of Nintendo.
    Whose stories can I see? | Who can see my stories?
    Where can I buy a train ticket in Geneva? | Where can I buy a train ticket to Geneva?
    Which trains run in Switzerland? | Which trains run to Switzerland?
    """
)
def test_another_clause_is_another_noun(one, other):
    assert reason(one, other) != "serves"
