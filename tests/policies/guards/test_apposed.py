"""Words about a literal that stands beside them."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    Is the following email spam? "You won!" | tell me whether this mail is spam: "You won!"
    Is the following sentence grammatical? "He go home." | Is this sentence grammatical: "He go home."
    Fix the grammar in the following text: "He go home." | Fix the grammar in this text: "He go home."
    Can you balance this equation for me: H2 + O2 -> H2O | balance H2 + O2 -> H2O
    Summarize this article: "Cats sleep a lot." | Summarize: "Cats sleep a lot."
    Proofread this paragraph: "He go home." | Please proofread: "He go home."
    Classify this review as good, bad or mixed: "It died." | Is this review good, mixed or bad? "It died."
    Classify this message as spam or not spam: "You won!" | Is this message spam or not spam? "You won!"
    Label the tone of this email as angry or calm: "Hi" | Is the tone of this email angry or calm? "Hi"
    List the people mentioned in: "Maria met Tom." | which persons are named in "Maria met Tom."
    List the cities mentioned in "From Rome to Oslo." | Which cities are mentioned in "From Rome to Oslo."?
    Which dates appear in "Due May 1, paid May 3."? | List the dates mentioned in "Due May 1, paid May 3."
    Rewrite in the passive voice: "The dog ate." | put this sentence into the passive: "The dog ate."
    Rewrite in the past tense: "I run." | Change this sentence to past tense: "I run."
    Put this in the plural: "the child" | Change to plural: "the child"
    Is the tone of this message polite? "Go away." | Tell me if the tone of this message is polite: "Go away."
    Convert this sentence to the passive: "He ate it." | Rewrite this sentence in the passive voice: "He ate it."
    Which of the following is a prime number: 4, 6, 7? | Which of these is a prime number: 4, 6, 7?
    """
)
def test_words_that_only_point_at_the_literal(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    Is the following email spam? "You won!" | Why is the following email spam? "You won!"
    Is the following email spam? "You won!" | Is the following email safe? "You won!"
    Reply to this email: "You won!" | Summarize this email: "You won!"
    Is this word a noun: "run" | Is this word a verb: "run"
    Classify this review as positive or negative: "It died." | Rewrite this review as positive or negative: "It died."
    Classify this message as spam or not: "Hi" | Explain why this message is spam or not: "Hi"
    Classify this review as good, bad or mixed: "It died." | Classify this review as good or bad: "It died."
    List the people mentioned in: "Maria met Tom in Oslo." | List the places mentioned in: "Maria met Tom in Oslo."
    List the people not mentioned in "Maria met Tom." | List the people mentioned in "Maria met Tom."
    How many people are mentioned in "Maria met Tom."? | List the people mentioned in "Maria met Tom."
    Rewrite in the passive voice: "The dog chased the cat." | Rewrite in the active voice: "The dog chased the cat."
    Rewrite in the past tense: "I run." | Rewrite in the future tense: "I run."
    Rewrite in the passive voice: "The dog chased the cat." | Is this in the passive voice? "The dog chased the cat."
    Rewrite in the past tense: "I run." | Rewrite in the past perfect: "I run."
    What happened the following year? | What happened this year?
    What events occurred in the following year: 1999? | What events occurred in the year before: 1999?
    Balance this equation: H2 + O2 -> H2O | Name this equation: H2 + O2 -> H2O
    Continue this story: "Once upon a time" | Continue this poem: "Once upon a time"
    Who wrote the following line: "To be or not to be"? | Who wrote the line following "To be or not to be"?
    Put this sentence into the passive: "The dog ate." | Put this sentence into a question: "The dog ate."
    What is the sentence before this: "To be" | What is this: "To be"
    Rewrite this text as an email: "Send it." | Rewrite this email: "Send it."
    Rewrite as an email: "Send it." | Rewrite this email: "Send it."
    Shorten the title of this article: "Cats." | Shorten this article: "Cats."
    Find the email address in this text: "a b" | Find this text: "a b"
    Turn this poem into a story: "Roses are red" | Turn this story into a poem: "Roses are red"
    Change the active voice to the passive: "I ate it." | Change the passive voice to the active: "I ate it."
    Is this sentence correct: "He go." | Is this equation correct: "He go."
    Is the last line of this poem sad: "Oh no." | Is this poem sad: "Oh no."
    Which cities are named after "Washington"? | Which cities are mentioned in "Washington"?
    Classify this animal as a mammal or reptile: "whale" | Is this animal dangerous or harmless: "whale"
    Label this message as spam or not spam: "You won!" | Classify this message as urgent or not urgent: "You won!"
    What is the tone of this email: "Where is it?" | What is the purpose of this email: "Where is it?"
    """
)
def test_another_task_or_another_literal(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    In awk, print the following line after "foo" | In awk, print the line after "foo"
    Python: get the following element | Python: get the element
    In "Hamlet", describe the following scene | In "Hamlet", describe the scene
    Who wrote the review "Bad Film"? | Who wrote "Bad Film"?
    Label this email as spam: "buy" | Is this email spam: "buy"
    In "Dark", who can change the past? | In "Dark", who can put in the past?
    What would "Lost" change in the past? | What would "Lost" rewrite in the past?
    """
)
def test_what_seems_to_point_at_a_literal_and_does_not(one, other):
    assert reason(one, other) != "serves"
    assert reason(other, one) != "serves"
