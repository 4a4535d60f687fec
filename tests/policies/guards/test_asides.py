"""What is said beside a question and asks nothing."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Real quick, how do I exit vim? | How do I exit vim?
    How do I exit vim? Asap! | How do I exit vim?
    Once and for all, how do I exit vim? | How do I exit vim?
    How the heck do I exit vim? | How do I exit vim?
    Walk me through how to replace a bike tube. | How do I replace a bike tube?
    Could you walk me through replacing a bike tube? | How do I replace a bike tube?
    Is there an easy way to replace a bike tube? | How do I replace a bike tube?
    Been wondering how to replace a bike tube. | How do I replace a bike tube?
    How tall is Big Ben, just out of interest? | How tall is Big Ben?
    For a trivia quiz: how tall is Big Ben? | How tall is Big Ben?
    Pub quiz question: how tall is Big Ben? | How tall is Big Ben?
    how tall is big ben?? need it asap | How tall is Big Ben?
    If I may ask, how tall is Big Ben? | How tall is Big Ben?
    Not sure if you know, but how tall is Big Ben? | How tall is Big Ben?
    Does anyone happen to know how tall Big Ben is? | How tall is Big Ben?
    For my homework, what is the capital of Laos? | What is the capital of Laos?
    I need this for my homework: what is the capital of Laos? | What is the capital of Laos?
    I forgot: who wrote Emma? | Who wrote Emma?
    Remind me, who wrote Emma? | Who wrote Emma?
    Can you remind me who wrote Emma? | Who wrote Emma?
    My friend asked me who wrote Emma. | Who wrote Emma?
    Trying to find out who wrote Emma. | Who wrote Emma?
    What is a monad? I've never understood it. | What is a monad?
    What the hell is a monad? | What is a monad?
    I'd be grateful if you could explain what a monad is. | What is a monad?
    Would you be so kind as to explain what a monad is? | What is a monad?
    Care to explain what a monad is? | What is a monad?
    Do you by any chance know the capital of Peru? | What is the capital of Peru?
    Please answer: what is the capital of Peru? | What is the capital of Peru?
    Answer this question: what is the capital of Peru? | What is the capital of Peru?
    Settle this for me: what is the capital of Peru? | What is the capital of Peru?
    My wife and I are arguing about this: what is the capital of Peru? | What is the capital of Peru?
    We're having a debate about this. What is the capital of Peru? | What is the capital of Peru?
    Excuse my ignorance, but what is the capital of Peru? | What is the capital of Peru?
    Forgive me for asking, but what is the capital of Peru? | What is the capital of Peru?
    I'm completely lost. How do I exit vim? | How do I exit vim?
    I've been trying for hours. How do I exit vim? | How do I exit vim?
    What do I have to do to exit vim? | How do I exit vim?
    Dear AI, how do I exit vim? | How do I exit vim?
    Quick help: how do I exit vim? | How do I exit vim?
    I'm interested in learning how to exit vim. | How do I exit vim?
    How do I exit vim? I'd appreciate any pointers. | How do I exit vim?
    How do I exit vim? It's driving me crazy. | How do I exit vim?
    How do I exit vim? I'm clueless. | How do I exit vim?
    How do I exit vim? Ty! | How do I exit vim?
    omg how do i exit vim | How do I exit vim?
    bro how do i exit vim | How do I exit vim?
    wait, how do I exit vim? | How do I exit vim?
    Alright, how do I exit vim? | How do I exit vim?
    First question: how do I exit vim? | How do I exit vim?
    Q: how do I exit vim? | How do I exit vim?
    May I know how to exit vim? | How do I exit vim?
    Might you know how to exit vim? | How do I exit vim?
    Would you happen to know how to exit vim? | How do I exit vim?
    Would anyone know how to exit vim? | How do I exit vim?
    Anybody have an idea how to exit vim? | How do I exit vim?
    Any clue how to exit vim? | How do I exit vim?
    """
)
def test_an_aside_asks_nothing(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    I forgot my password, how do I reset it? | How do I reset it?
    I forgot. What do I do? | What do I do?
    For a school project, what are good topics? | For a pub quiz, what are good topics?
    For my homework, what is the deadline? | What is the deadline?
    For a school project, what is the limit? | For a pub quiz, what is the limit?
    For a school project, what do I need? | For a pub quiz, what do I need?
    Rewrite this: I forgot, who are you? | Rewrite this: who are you?
    Rewrite this more politely. Real quick. | Rewrite this more politely. I have never understood it.
    Translate into French: just out of interest, who are you? | Translate into French: who are you?
    How do you say "just out of interest, who are you?" in Italian? | How do you say "who are you?" in Italian?
    My boss asked me why I was late. What do I say? | My teacher asked me why I was late. What do I say?
    My friend asked me how I feel, what do I answer? | How do I feel?
    Who asked my friend who wrote Emma? | Who wrote Emma?
    Why did my friend ask me who wrote Emma? | Who wrote Emma?
    Why does my son forget who wrote Emma? | Who wrote Emma?
    How did I forget who wrote Emma? | Who wrote Emma?
    Correct the grammar: I forgot who wrote Emma | Correct the grammar: who wrote Emma
    My friend asked me who I am. | Who am I?
    Remind me to call mom. | Call mom.
    Remind me when my exam starts. | When does my exam start?
    Is it urgent to see a doctor? | Is it good to see a doctor?
    This is urgent, who can I call? | Who can I call about my phone?
    How do I walk my dog through the city? | How do I explain my dog the city?
    Where the hell is hell? | Where is heaven?
    Is there an easy way to make pasta? | Is there an easy recipe for pasta?
    Is there a cheap way to fly to Rome? | How do I fly to Rome?
    I'm trying to learn how to swim. | Who is trying to learn to swim?
    Trivia: how tall is Big Ben? | How tall is the Big Ben trivia book?
    Wait, don't exit vim. | How do I exit vim?
    How long do I wait, and how do I exit? | How do I exit?
    I'm lost. What do I do? | What do I do?
    Lost in the forest, how do I find north? | How do I find north?
    My wife and I are arguing about money. What should we do? | What should we do?
    My wife and I are arguing about this: is she right? | My boss and I are arguing about this: is he right?
    Answer the following question with yes or no: is Lima the capital? | Is Lima the capital of Peru?
    How do I answer the question who are you? | Who are you?
    What was the last question? | What was the question?
    Final question: what is the final? | What is the question?
    Excuse me, what did you say? | What did you hear?
    How do I excuse my ignorance? | How do I ignore my excuse?
    What does bro mean? | What does it mean?
    Do you by any chance know my name? | What is your name?
    Would you know how to survive a fall? | Would you survive a fall?
    I've been trying for hours to sleep. Why can't I? | Why can't I eat?
    What do I have to do to get fired? | How do I get hired?
    Man, what is a man? | What is a woman?
    Translate "wait, how do I exit?" into French | Translate "how do I exit?" into French
    How do I say: alright, who are you? in Spanish | How do I say: who are you? in Spanish
    What is Q, and how is it used? | What is it, and how is it used?
    Reply to this message: dude, who are you? | Reply to this message: who are you?
    """
)
def test_no_aside(one, other):
    assert reason(one, other) != "serves"
