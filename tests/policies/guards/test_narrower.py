"""Words that narrow a question although they say little elsewhere."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What is the capital of France?", "What is the capital of France famous for?"),
        ("Can I eat tuna while pregnant?", "Can I eat canned tuna while pregnant?"),
        ("Convert 20 celsius to fahrenheit", "Convert a 20 celsius difference to fahrenheit"),
        ("Is a 1200 calorie diet safe?", "Is a 1200 calorie diet safe for men?"),
        ("How many miles is 10000 steps in km?", "How many miles is 10000 steps in km for a woman?"),
        ("What is the capital of Italy?", "What is the capital of Italy known for?"),
        ("Can I eat salmon while pregnant?", "Can I eat canned salmon while pregnant?"),
        ("Convert 10 celsius to fahrenheit", "Convert a difference of 10 celsius to fahrenheit"),
        ("Is a 1500 calorie diet safe?", "Is a 1500 calorie diet safe for women?"),
        ("How much protein do I need a day?", "How much protein does a man need a day?"),
        ("Is fasting safe?", "Is fasting safe for a woman?"),
        ("Can I eat peppers on keto?", "Can I eat stuffed peppers on keto?"),
        ("Is meat bad for you?", "Is processed meat bad for you?"),
        ("What is the area of Paris?", "What is the area code of Paris?"),
        ("How many calories are in milk?", "How many calories are in whole milk?"),
        ("Is the keto diet safe?", "Is the keto diet safe for men over 50?"),
        ("How many calories should I eat?", "How many calories should a woman eat?"),
        ("What is the currency of Japan?", "What is the currency code of Japan?"),
        ("Are carbs bad?", "Are simple carbs bad?"),
        ("How many calories in pasta?", "How many calories in whole wheat pasta?"),
        ("Can I eat cheese while pregnant?", "Can I eat hard cheese while pregnant?"),
        ("Are vitamin supplements safe?", "Are vitamin supplements safe for people with diabetes?"),
        ("Is tuna safe while breastfeeding?", "Is canned tuna safe while breastfeeding?"),
        ("What foods contain protein?", "What foods contain complete protein?"),
        ("How many people live in Spain?", "How many people live in Spain illegally?"),
        ("How many calories are in an egg?", "How many calories are in a whole egg?"),
        ("What is the population of Ohio?", "What is the total population of men in Ohio?"),
        ("Is sugar bad?", "Is sugar bad for men?"),
        ("Convert 15 kelvin to celsius", "Convert a 15 kelvin change to celsius"),
        ("Convert 30 fahrenheit to celsius", "Convert a 30 fahrenheit increase to celsius"),
        ("Are eggs healthy?", "Are eggs healthy for a man?"),
        ("Is rice good?", "Is rice good for women?"),
        ("What is the capital of Austria?", "What is the capital of Austria best known for?"),
        ("What is the capital of Cuba?", "What is the capital of Cuba called in Spanish?"),
        ("What is the capital of Cuba?", "What is the capital of Cuba noted for?"),
        ("Can I eat salmon?", "Can I eat smoked salmon?"),
        ("Can I eat beans on keto?", "Can I eat canned beans on keto?"),
        ("Is tofu safe?", "Is tofu safe for men?"),
        ("Is a vegan diet healthy?", "Is a vegan diet healthy for women?"),
        ("Is a vegan diet healthy?", "Is a vegan diet healthy long term?"),
        ("How much sugar is safe?", "How much sugar is safe for a person with diabetes?"),
        ("How many calories does walking burn?", "How many calories does walking burn for a man?"),
        ("Convert 12 celsius to fahrenheit", "Convert a 12 celsius drop to fahrenheit"),
        ("Convert 5 kelvin to celsius", "Convert a 5 kelvin difference to celsius"),
        ("What is the population of Nairobi?", "What is the male population of Nairobi?"),
        ("What is the population of Nairobi?", "What is the population of men in Nairobi?"),
        ("What is the population of Nairobi?", "What is the total area and population of Nairobi?"),
        ("Can I eat honey?", "Can I eat raw honey?"),
        ("Is coffee bad for you?", "Is instant coffee bad for you?"),
        ("How many carbs are in rice?", "How many carbs are in cooked rice?"),
        ("How many carbs are in corn?", "How many carbs are in canned corn?"),
        ("What vitamins do I need?", "What vitamins does a woman need?"),
        ("Which supplements are safe?", "Which supplements are safe for men?"),
        ("What is the capital of Mali?", "What was the capital of Mali?"),
        ("Which foods contain sugar?", "Which foods contain natural sugar?"),
        ("Which fruits are safe while pregnant?", "Which canned fruits are safe while pregnant?"),
        ("Are eggs a protein?", "Are eggs a complete protein?"),
        ("What foods are high in sugar?", "What foods are high in added sugar?"),
        ("Can I eat ham while pregnant?", "Can I eat cooked ham while pregnant?"),
        (
            "How long does it take to walk 5 miles in minutes?",
            "How long does it take a woman to walk 5 miles in minutes?",
        ),
    ],
)
def test_a_soft_word_narrows_what_is_asked(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What is Paris famous for?", "What is Paris known for?"),
        ("Can I eat canned tuna while pregnant?", "Is it safe to eat canned tuna when pregnant?"),
        ("Is it ok to drink coffee while pregnant?", "Can pregnant women drink coffee?"),
        ("How many calories should a man eat a day?", "How many calories does a man need to eat per day?"),
        ("What is 20 celsius in fahrenheit?", "Convert 20 celsius to fahrenheit"),
        ("Is fasting safe for men?", "Is it safe for men to fast?"),
        ("Who is the man who invented the telephone?", "Who invented the telephone?"),
        ("Which foods are good for pregnant women?", "What foods are good for a pregnant woman?"),
        ("What is the currency code of Japan?", "Japan's currency code"),
        ("What's the capital of Austria known for?", "What is the capital of Austria famous for?"),
        ("Are avocados safe for pregnant women?", "Are avocados safe during pregnancy?"),
        ("What diet is best for women over 50?", "What's the best diet for women over 50?"),
        ("How much protein does a woman need?", "How much protein do women need?"),
        ("Is sugar bad for you?", "is sugar bad"),
        ("Is fruit healthy for people?", "Is fruit healthy?"),
    ],
)
def test_the_same_may_be_asked_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
