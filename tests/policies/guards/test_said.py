"""What is to be translated or said is literal: every word and ending counts."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do you say dog in French?", "How do you say dogs in French?"),
        ("How do you say eat in Spanish?", "How do you say ate in Spanish?"),
        ("How do you say this in Korean?", "How do you say that in Korean?"),
        ("How do you say it is in Welsh?", "How do you say is it in Welsh?"),
        ("How do you say a house in Swedish?", "How do you say the house in Swedish?"),
        ("How do you say cat in Spanish?", "How do you say cats in Spanish?"),
        ("Translate I eat to German", "Translate I ate to German"),
        ("What is the French word for child?", "What is the French word for children?"),
        ("How do you say the dog in Italian?", "How do you say a dog in Italian?"),
        ("How do you say he can in Dutch?", "How do you say can he in Dutch?"),
        ("How would you say these shoes in Polish?", "How would you say those shoes in Polish?"),
        ("What is brother in Japanese?", "What is brothers in Japanese?"),
        ("How do you spell goes in French?", "How do you spell go in French?"),
        ("Translate to Spanish: I was there", "Translate to Spanish: I am there"),
        ("How is please said in Russian?", "How is pleased said in Russian?"),
        ("What's the German translation of my friend?", "What's the German translation of my friends?"),
        ("the cat in Swedish", "a cat in Swedish"),
        ("How do you say drink in Turkish?", "How do you say drank in Turkish?"),
        ("What do you call a boy in Hindi?", "What do you call the boy in Hindi?"),
        ("How do you pronounce read in Welsh?", "How do you pronounce reads in Welsh?"),
        ('Can you translate "we go" to French?', "Can you translate we went to French?"),
        ("what does gato mean in English", "what does gatos mean in English"),
        ("How do I say sit down please in Thai?", "How do I say sit down in Thai?"),
        ("How do you say yes in French?", "What is the French word for no?"),
        ("How do you say dog in French?", "What's the French word for dogs?"),
    ],
)
def test_what_is_to_be_said_is_read_as_if_quoted(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do you say dog in French?", "What's the French word for dog?"),
        ("How do you say dog in French?", "Translate dog to French"),
        ("How do you say dog in French?", 'translate "dog" into French'),
        ("How do you say good morning in Spanish?", "how would you say good morning in spanish"),
        ("How do you say good morning in Spanish?", "Spanish for good morning"),
        ("How do you say good morning in Spanish?", "what is good morning in Spanish?"),
        ("How do you say good morning in Spanish?", "Can you translate good morning to Spanish?"),
        ("How do you say thank you in Korean?", "What is the Korean word for thank you?"),
        ("How do I say I love you in Italian?", 'How do you say "I love you" in Italian?'),
        ("What is the French for cheese?", "How do you say cheese in French?"),
        ("Translate hello to German", "Translate the word hello to German"),
        ("Translate hello to German", "hello in German"),
        ("Translate to Spanish: I was there", "translate into spanish: I was there."),
        ("What is the German translation of house?", "Translate house to German"),
        ("What are some sad songs in English?", "What are sad songs in English?"),
        ("What is the longest word in English?", "Which is the longest word in English?"),
        ("How can I learn to speak French?", "How do I learn to speak French?"),
    ],
)
def test_the_same_text_may_be_asked_for_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
