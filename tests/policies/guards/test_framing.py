"""A request told before it is made, a cause asked for behind what is told, what goes without saying."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Write a haiku about autumn rain. | I'd love a haiku on the rain in autumn, could you write me one?
    Write a limerick about a cat. | I'd like a limerick about a cat, can you write one?
    Suggest a name for a bakery. | I need a name for a bakery, could you suggest one?
    Write a thank-you note to my teacher. | I'd love a thank-you note for my teacher, could you draft one?
    Why are the leaves on my monstera turning yellow? | Help, my monstera's leaves are going yellow, what's causing it?
    Why does my car shake when braking? | My car shakes when braking, what causes this?
    Why is my screen flickering? | My screen is flickering, what could be causing that?
    Why are my tomatoes turning black? | My tomatoes are going black, what would cause this?
    Why is my hair turning grey? | Why is my hair going grey?
    What makes milk go sour? | What makes milk turn sour?
    How long does a UK passport renewal take? | How long does it take to renew a UK passport?
    How long does a UK passport renewal take? | how long dose it take to renew a uk pasport
    How long does the delivery take? | how long dose the delivery take
    Why does my cat sneeze? | why dose my cat sneeze
    Write a thank-you note to a friend who fed my cat. | write a note thanking a friend who fed my cat
    Thank you, how do I write a letter? | How do I write a letter?
    How do I do a squat with good form? | How do I do a squat properly?
    How do I do a squat with good form? | How do I do a squat with proper form?
    How much free memory do I have? | How much available memory do I have?
    How do I check free disk space? | How do I check available disk space?
    What is considered a good credit score? | What counts as a good credit score?
    What is considered a good credit score? | What is a good credit score?
    What is regarded as a high fever? | What is considered a high fever?
    Is a tomato considered a fruit? | Is a tomato a fruit?
    What's the calorie count of a medium-sized banana? | What's the calorie count of a medium banana?
    How much is a large-sized pizza? | How much is a large pizza?
    What eclipse can be seen from Spain? | Which eclipse is visible from Spain?
    Who directed Parasite? | Who directed the film Parasite?
    How do I fix a broken zipper? | How do I fix a zipper?
    How do I unclog a clogged drain? | How do I unclog a drain?
    """
)
def test_the_same_in_another_frame(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Write a haiku about autumn rain. | I'd love a haiku on spring rain, could you write me one?
    I love my cat, could you write a poem about her? | I hate my cat, could you write a poem about her?
    I'd love a haiku about rain, could you write me one? | I'd love a haiku about rain, could you translate me one?
    Write a poem about summer. | I'd love a poem, could you write me one?
    I'd love a song about rain, could you write me one? | I'd love a poem about rain, could you write me one?
    Could you write me two haiku about rain? | I'd love a haiku about rain, could you write me one?
    Why would I love a dog? | Why a dog?
    Would you love a robot? | Would you build a robot?
    Why are the leaves on my monstera turning yellow? | Help, my monstera's leaves are going brown, what's causing it?
    Why are my tomatoes turning black? | My tomatoes are going black, how do I stop it?
    Why does my car shake when braking? | My car shakes when turning, what causes this?
    My car shakes when braking, what causes this? | My car shakes when braking, what does this cause?
    My dog ate chocolate, what does it cause? | My dog ate chocolate, what caused it?
    Why is my hair going grey? | Why is my hair going?
    Why are my leaves yellow? | What are my yellow leaves?
    Is my screen flickering? | My screen is flickering, what is causing it?
    How do I go red in chess? | How do I turn red?
    What dose of ibuprofen is safe? | What does ibuprofen do?
    How long does a UK passport renewal take? | How long does a UK passport last?
    How long does it take to renew a UK passport? | How long does it take to renew a US passport?
    How long does the dose take to work? | How long does the test take to work?
    Write a thank-you note to a friend who fed my cat. | Write a note to a friend who fed my cat.
    Write a thank-you letter to my boss. | Write a letter to my boss.
    Write a thank-you email after an interview. | Write an email after an interview.
    How do I do a squat with good form? | How do I do a squat with bad form?
    How do I do a squat with good form? | How do I teach a squat with good form?
    How do I free disk space on Linux? | How do I show available disk space on Linux?
    How do I check free disk space? | How do I check used disk space?
    Is disk space free? | Is disk space available?
    Which command frees disk space on Linux? | Which command shows free disk space on Linux?
    How can I free memory in C? | How can I see available memory in C?
    Is Wi-Fi available on the flight? | Is Wi-Fi free on the flight?
    Is Wi-Fi available on the flight? | Is there no Wi-Fi on the flight?
    Is there Wi-Fi on the flight? | Is Wi-Fi unavailable on the flight?
    When is Wi-Fi available on the flight? | Is there Wi-Fi on the flight?
    What is considered a good credit score? | What is considered a bad credit score?
    Is a tomato considered a fruit? | Is a tomato considered a vegetable?
    How much is a large-sized pizza? | How much is a medium-sized pizza?
    Which planets are visible tonight? | Which planets are not visible tonight?
    Can I see the doctor today? | Is the doctor visible today?
    Who directed the film Parasite? | Who directed the play Parasite?
    Who directed the film Parasite? | Who produced the film Parasite?
    Who directed Parasite? | Who composed the Parasite film score?
    Who directed the first film of Rocky? | Who directed the last film of Rocky?
    How do I fix a broken zipper? | How do I fix a stuck zipper?
    How do I fix a broken zipper? | How do I replace a zipper?
    Is the drain clogged? | Is the drain unclogged?
    Why is the drain clogged? | How do I unclog the drain?
    """
)
def test_a_frame_hides_no_difference(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    who is regarded as best | who is best
    what can be seen as rude | what is visible as rude
    what is active voice chat | what is active chat
    what is active voice | what is active
    who is the director of the film school | who is the director of the school
    who is director of the movie museum | who is director of the museum
    """
)
def test_a_frame_that_says_something(one, other):
    assert reason(one, other) != "serves"
    assert reason(other, one) != "serves"
