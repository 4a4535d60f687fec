"""Words that may stand for one another in some prompts only, and small verbs that are all a prompt asks about."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    How do I cancel a Zoom meeting? | How do I end a Zoom meeting?
    What happens when I close my laptop? | What happens when I shut down my laptop?
    How do I remove an SD card? | How do I erase an SD card?
    How long does it take to make a movie? | How long does it take to write a movie?
    How do I open a zip file? | How do I create a zip file?
    How do I pick a lock? | How do I choose a lock?
    How often should I change my oil? | How often should I update my oil?
    How do I swap two columns in Excel? | How do I replace two columns in Excel?
    How do I send a photo on Instagram? | How do I post a photo on Instagram?
    How do I solve a Rubik's cube? | How do I repair a Rubik's cube?
    How do I improve my blood pressure? | How do I increase my blood pressure?
    How do I check my email? | How do I verify my email?
    Can I see Mars tonight? | Can I visit Mars tonight?
    How do I turn a picture in Word? | How do I convert a picture in Word?
    How do I save energy at home? | How do I store energy at home?
    How do I stop a nosebleed? | How do I prevent a nosebleed?
    How do I make an invoice? | How do I send an invoice?
    Where is my tax refund? | Where is my tax return?
    How long does it take to prepare a turkey? | How long does it take to cook a turkey?
    When should I plant roses? | When do roses flower?
    What are good snacks? | What are healthy snacks?
    Is pizza good? | Is pizza healthy?
    What caused World War I? | What resulted from World War I?
    Is Norwegian the same as Danish? | Is Norwegian similar to Danish?
    How much does it cost to rent a car? | How much does it cost to lease a car?
    Does T-Mobile have good coverage? | Does T-Mobile have good insurance?
    How much is a metro ticket? | How much is a metro pass?
    What is the best laptop for gaming? | What is the best computer for gaming?
    How long does mail take to arrive? | How long does email take to arrive?
    Who invented the internet? | Who invented the web?
    How do I sum the digits in Python? | How do I sum the numbers in Python?
    Is Harvard a good university? | Is Harvard the best university?
    Who won the last match? | Who won the final match?
    Is it going to rain tonight? | Is it going to rain today?
    Who scored the most points? | Who scored the most goals?
    What are the symptoms of a brain tumor? | What are the symptoms of brain cancer?
    Can my partner get a visa? | Can my spouse get a visa?
    Is there a park near the museum? | Is there parking near the museum?
    What is the most popular pet? | What is the most popular animal?
    How do I reverse a matrix? | How do I invert a matrix?
    How do I report my boss? | How do I inform my boss?
    How do I recall an email in Outlook? | How do I remember an email in Outlook?
    How do I trim a string in Java? | How do I cut a string in Java?
    """
)
def test_words_that_are_one_only_elsewhere(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How do I end my Netflix subscription? | How do I cancel my Netflix subscription?
    How do I shut down my PayPal account? | How do I close my PayPal account?
    How do I cancel my PayPal account? | How do I close my PayPal account?
    Write a haiku about rain | Create a haiku about rain
    How do I open a savings account? | How do I create a savings account?
    How do I update my shipping address? | How do I change my shipping address?
    How do I post a letter? | How do I send a letter?
    Is coffee good for you? | Is coffee healthy?
    Is coffee bad for you? | Is coffee harmful?
    What led to the French Revolution? | What caused the French Revolution?
    What does smoking lead to? | What does smoking cause?
    How do I solve this error? | How do I fix this error?
    What's today's date? | What is the date today?
    """
)
def test_words_that_are_one_in_their_frame(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Is caffeine a drug? | Is caffeine a medication?
    Is Hispanic a race? | Is Hispanic an ethnicity?
    Is a leak a problem? | Is a leak an issue?
    What is the difference between a leader and a boss? | What is the difference between a leader and a manager?
    What is the difference between an error and a bug? | What is the difference between an error and an issue?
    difference between a college and a school | difference between a university and a school
    What is an error? | What is a bug?
    What is a river? | What is a stream?
    """
)
def test_near_synonyms_are_told_apart_where_kinds_are(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How do I set the timer on my oven? | How do I set the time on my oven?
    How do I find a trainer? | How do I find training?
    How do I fix my phone charger? | How do I fix my phone charge?
    Why is my internet slow? | Why is my internet slower?
    """
)
def test_who_or_what_does_it_is_not_what_is_done(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    Who invented the telephone? | Who is the inventor of the telephone?
    Who won the race? | Who was the winner of the race?
    How do I fix an error in Excel? | How do I fix an issue in Excel?
    """
)
def test_near_synonyms_elsewhere(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    How do I get feedback? | How do I give feedback?
    How do I get permission? | How do I give permission?
    How do I get a refund? | How do I offer a refund?
    Can I get a dog in my flat? | Can I keep a dog in my flat?
    How do I use a coupon? | How do I get a coupon?
    How do I take a test? | How do I give a test?
    How do I make a PDF? | How do I get a PDF?
    What did Einstein say about God? | What did Einstein think about God?
    What should I get my boss? | What should I give my boss?
    How do I explain a gap in my resume? | How do I list a gap in my resume?
    """
)
def test_small_verbs_are_told_apart_where_nothing_else_is_asked(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How do I get a copy of my payslip? | How do I obtain a copy of my payslip?
    When will I get my refund? | When will I receive my refund?
    How do I know if an egg is bad? | How can I tell if an egg is bad?
    How do I see open ports on Linux? | How do I list open ports on Linux?
    how many vacation days do I get | how many vacation days do I have
    What can I do to fall asleep faster? | How can I fall asleep faster?
    Does anyone know how to get feedback? | How do I get feedback?
    """
)
def test_small_verbs_of_one_sort_are_one(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is a normal heart rate? | What is a heart rate?
    What is a common noun? | What is a noun?
    What is general anesthesia? | What is anesthesia?
    What is simple interest? | What is interest?
    What is a long jump? | What is a jump?
    What is a total eclipse? | What is an eclipse?
    When is the new moon? | When is the moon?
    How do I get rid of back acne? | How do I get rid of acne?
    Can a single woman adopt? | Can a woman adopt?
    How do I open an online store? | How do I open a store?
    """
)
def test_a_word_that_tells_the_sort_may_not_be_missing(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What is recursion? | What is recursion in programming?
    What is Python? | What is the Python programming language?
    What is a mutex? | Can you help me understand what a mutex is?
    Why does my back hurt? | What causes back pain?
    How long does a common cold last? | How long does a cold last?
    """
)
def test_a_word_that_tells_no_sort_may_be_missing(one, other):
    assert reason(one, other) == "serves"
