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
        ("How do you say mouse in Spanish?", "How do you say mice in Spanish?"),
        ("How do you say he is tired in Greek?", "How do you say is he tired in Greek?"),
        ("Translate run to Finnish", "Translate running to Finnish"),
        ("Translate the book into Arabic", "Translate a book into Arabic"),
        ("How do you say I have eaten in Czech?", "How do you say I have ate in Czech?"),
        ("How do you say a lot in Danish?", "How do you say lot in Danish?"),
        ("How do I say my name is in Hebrew?", "How do I say his name is in Hebrew?"),
        ("What's the Dutch word for woman?", "What's the Dutch word for women?"),
        ("How do you say here in Polish?", "How do you say there in Polish?"),
        ("How can I say some water in Hindi?", "How can I say any water in Hindi?"),
        ("Translate: the dogs, to French", "Translate: the dog, to French"),
        ("Could you tell me how to say him in Korean", "Could you tell me how to say her in Korean"),
        ("How do you say thanks in Brazilian Portuguese?", "How do you say thank in Brazilian Portuguese?"),
        ("Spanish translation of book", "Spanish translation of books"),
        ("What is the Italian for boy?", "What is the Italian for boys?"),
        ("How do you say good in French?", "How do you say goods in French?"),
        ("Translate this sentence to French: The cat sleeps", "Translate this sentence to French: The cat slept"),
        ("Translate the following to German: we need it", "Translate the following to German: we needed it"),
        ("Translate from English to French: dog", "Translate from English to French: dogs"),
        ("Translate dog from English to French", "Translate dogs from English to French"),
        ("Translate to French, please: dogs", "Translate to French, please: dog"),
        ("How do you translate dog into French?", "How do you translate dogs into French?"),
        ("In French, how do you say dog?", "In French, how do you say dogs?"),
        ("How do the French say dog?", "How do the French say dogs?"),
        ('Translate into French: "dog"', "Translate into French: dogs"),
        ("dog translated to French", "dogs translated to French"),
        ("French translation: dog", "French translation: dogs"),
        ("What would dog be in French?", "What would dogs be in French?"),
        ("Dog in French please", "Dogs in French please"),
        ("What is the plural of dog in French?", "What is dog in French?"),
        ("Give me the French word for eat", "Give me the French word for ate"),
        ("How do you write this in Chinese?", "How do you write that in Chinese?"),
        ("Translate dogs to french and spanish", "Translate dog to french and spanish"),
        ("How do you say foot in Hungarian?", "How do you say feet in Hungarian?"),
        ("How can you say the water in Thai?", "How can you say water in Thai?"),
        ("Whats the arabic word for cat", "Whats the arabic word for cats"),
        ("Can you give me the Russian word for a friend?", "Can you give me the Russian word for the friend?"),
        ("How to say my in Vietnamese", "How to say our in Vietnamese"),
        ("Translate do you have milk to Spanish", "Translate you do have milk to Spanish"),
        ('What\'s "dog" in French?', "What's dogs in French?"),
        ("French for dog", "French for dogs"),
        ("say dog in french", "say dogs in french"),
        ("I want to know how to say cat in German", "I want to know how to say cats in German"),
        ("tell me how you'd say the sun in Irish", "tell me how you'd say a sun in Irish"),
        ("Please translate into Spanish: they are here", "Please translate into Spanish: they were here"),
        ("What is the Spanish equivalent of knife?", "What is the Spanish equivalent of knives?"),
        ("How would a German say dog?", "How would a German say dogs?"),
        ("Translate this to French. The dogs are in the garden", "Translate this to French. The dog is in the garden"),
        (
            "Translate the dogs are in the garden and the old cat sleeps under the big tree all day to French",
            "Translate the dogs are in the garden and the old cat slept under the big tree all day to French",
        ),
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
        ("How do you say cat in Italian?", "how do u say cat in italian?"),
        ("How do you say cat in Italian?", "Please translate cat to Italian"),
        ("In French, how do you say dog?", "How do you say dog in French?"),
        ("How do you say excuse me in Japanese?", "How would one say excuse me in Japanese?"),
        ("What's the Spanish translation of milk?", "How do you say milk in Spanish?"),
        ("How do I order a coffee in French?", "How can I order a coffee in French?"),
        ("How do I write a letter in English?", "How can I write a letter in English?"),
        ("What is the past tense of go in English?", "What's the past tense of go in English?"),
        ("Who invented the alphabet in Greek?", "Who invented the Greek alphabet?"),
        ("Translate the phrase good luck to Welsh", "Translate good luck into Welsh"),
        ("What is the best way to learn German?", "How can I best learn German?"),
        ("How do you say foot in Hungarian?", "What's the Hungarian word for foot?"),
        ("How do you say bread in Portuguese?", "how to say bread in portuguese"),
        ("Translate good night to Swedish", "How do you say good night in Swedish?"),
        ("Translate good night to Swedish", "good night in swedish"),
        ("How do you say water in Thai?", "What is water in Thai?"),
    ],
)
def test_the_same_text_may_be_asked_for_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"


def test_a_long_text_to_be_translated_serves_only_itself():
    lines = "Translate this to French:\nThe dog sleeps.\nThe cat eats."
    assert reason(lines, lines) == "serves"
    assert reason(lines, lines.replace("dog", "dogs")) != "serves"
    text = "Translate to French: " + "the dog sleeps and the cat eats, " * 20
    assert reason(text, text) == "serves"
    assert reason(text, text.replace("the dog", "a dog", 1)) != "serves"
