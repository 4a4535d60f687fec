"""Endings and capitals that make another name, and words that narrow a question about programming."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do I make an HTTP request in Go?", "How do I make an HTTPS request in Go?"),
        ("How do I use sort in Python?", "How do I use sorted in Python?"),
        ("How do I use load in Python?", "How do I use loads in Python?"),
        ("How do I use readline in Python?", "How do I use readlines in Python?"),
        ("How do I use throw in Java?", "How do I use throws in Java?"),
        ("How do I use ssh in Python?", "How do I use sshd in Python?"),
        ("How do I use dump in Python?", "How do I use dumps in Python?"),
        ("What does final do in Java?", "What does finally do in Java?"),
        ("How do I use equal in Java?", "How do I use equals in Java?"),
        ("How do I use reverse in Python?", "How do I use reversed in Python?"),
        ("What is the throw keyword in Java?", "What is the throws keyword in Java?"),
        ("How do I use strip in Python?", "How do I use rstrip in Python?"),
        ("How do I call printf in C++?", "How do I call sprintf in C++?"),
        ("How do I restart ssh on Ubuntu?", "How do I restart sshd on Ubuntu?"),
        ("Is FTP secure?", "Is FTPS secure?"),
        ("How do I use find in Java?", "How do I use finds in Java?"),
        ("How do I use json load in Python?", "How do I use json loads in Python?"),
        ("how to use sorted in python", "how to use sort in python"),
        ("How does the extend function work in Python?", "How does the extends function work in Python?"),
        ("How do I use substr in JavaScript?", "How do I use substring in JavaScript?"),
        ("Explain http in Go", "Explain https in Go"),
        ("What is mysql?", "What is mysqld?"),
        ("Difference between throw and catch in Java", "Difference between throws and catch in Java"),
        ("How do I use writeline in C#?", "How do I use writelines in C#?"),
        ("How do I use assert in Python?", "How do I use asserts in Python?"),
        ("How do I use items in Python?", "How do I use item in Python?"),
        ("How do I use json.load in Python?", "How do I use json.loads in Python?"),
        ("How do I import load in Python?", "How do I import loads in Python?"),
        ("What's the use of sort in Python?", "What's the use of sorted in Python?"),
        ("python sort function", "python sorted function"),
        ("python load json", "python loads json"),
    ],
)
def test_an_ending_makes_another_name_in_code(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do I sort a list in Python?", "how do i sort a list in python"),
        ("How do I sort a list in Python?", "How can I sort lists in Python?"),
        ("How do I sort a list in Python?", "Sorting a list in Python"),
        ("How do I use loads in Python?", "How can I use loads in Python?"),
        ("How do I use the sorted function in Python?", "How to use sorted function in Python?"),
        (
            "What is the difference between lists and tuples in Python?",
            "What's the difference between a list and a tuple in Python?",
        ),
        ("difference between list and tuple in python", "What is the difference between lists and tuples in Python?"),
        ("How do I use threads in Python?", "How do I use a thread in Python?"),
        ("How do decorators work in Python?", "How does a decorator work in Python?"),
        ("What are decorators in Python?", "What is a decorator in Python?"),
        ("How do I throw an exception in Java?", "How can I throw exceptions in Java?"),
        ("How do I make an HTTPS request in Go?", "How can I make https requests in Go?"),
        ("How do I load a JSON file in Python?", "how to load json files in python"),
        ("How do I reverse a strng in Python?", "How do I reverse a string in Python?"),
        ("How do I read a file line by line in Java?", "Reading a file line by line in Java"),
        ("How do I use a lambda in Python?", "How to use lambdas in Python?"),
    ],
)
def test_a_thing_and_things_are_the_same_in_code(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Translate turkey to French", "Translate Turkey to French"),
        ("Translate polish to German", "Translate Polish to German"),
        ("Explain map in JavaScript", "Explain Map in JavaScript"),
        ("What is a counter in Python?", "What is a Counter in Python?"),
        ("Convert 5 mw to w in seconds to minutes", "Convert 5 MW to W in seconds to minutes"),
        ("What is a Promise in JavaScript?", "What is a promise in JavaScript?"),
        ("Explain List in Python", "Explain list in Python"),
        ("Explain Set in JavaScript", "Explain set in JavaScript"),
        ("What does Map do in JavaScript?", "What does map do in JavaScript?"),
        ("How do you say march in French?", "How do you say March in French?"),
        ("Translate china to French", "Translate China to French"),
        ("What is polish?", "What is Polish?"),
        ("What is the Spanish word for turkey?", "What is the Spanish word for Turkey?"),
        ("Convert 3 mW to W", "Convert 3 MW to W"),
        ("Convert 3 mw to W", "Convert 3 mW to W"),
        ("Convert 5 mJ to J", "Convert 5 MJ to J"),
        ("Convert 7 MHz to Hz", "Convert 7 mHz to Hz"),
        ("Convert 7 Mg to g", "Convert 7 mg to g"),
        ("Convert 8 Mb to bytes", "Convert 8 MB to bytes"),
        ("Explain Option in Rust", "Explain option in Rust"),
        ("What is an Object in Java?", "What is an object in Java?"),
        ("How do I use Date in Java?", "How do I use date in Java?"),
        ("Convert 5 mPa to Pa", "Convert 5 MPa to Pa"),
        ("Translate Nice to German", "Translate nice to German"),
        ("How do you say china in Italian?", "How do you say China in Italian?"),
        ("Convert 500 mw to kw", "Convert 500 MW to kW"),
        ("Convert 5MW to kW", "Convert 5mW to kW"),
        ("How do I use a Counter in Python?", "How do I use a counter in Python?"),
    ],
)
def test_a_capital_makes_another_name_or_unit(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do I print Hello World in Python?", "how do i print hello world in python"),
        ("How do I convert a String to an int in Java?", "how to convert a string to int in java"),
        ("How do I sort a list in Python?", "How Do I Sort A List In Python?"),
        ("What is a Promise in JavaScript?", "What's a Promise in JavaScript?"),
        ("what is a promise in javascript", "What's a promise in JavaScript?"),
        ("Convert 5 MW to kW", "How many kW is 5 MW?"),
        ("convert 5 KM to miles", "Convert 5 km to miles"),
        ("convert 5 KG to lbs", "convert 5 kg to lb"),
        ("Convert 5 mw to w", "5 mw to w"),
        ("How do you say turkey in Spanish?", "What is the Spanish word for turkey?"),
        ("how long do I cook turkey", "How long do I cook Turkey?"),
        ("How do I polish a table?", "How can I polish a table?"),
        ("convert 5 ML to cups", "convert 5 ml to cups"),
        ("How do I parse JSON in python", "how to parse json in Python"),
        ("Explain Map in JavaScript", "explain Map in Javascript"),
        ("How do I iterate over a map in Java?", "how do I iterate over a map in java"),
    ],
)
def test_capitals_say_nothing_where_there_is_one_meaning(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Sort a list in Python", "Sort a list in place in Python"),
        ("Sort a list in Python", "Sort a list of lists in Python"),
        ("Find the longest substring in Java", "Find the longest common substring in Java"),
        ("Reverse a string in Python", "Reverse each word of a string in Python"),
        ("How to make a class in Python", "How to make a class method in Python"),
        ("Remove duplicates from a list in Python", "Remove duplicates from a sorted list in Python"),
        ("Reverse a list in Python", "Reverse a list in place in Python"),
        ("Flatten a list in Python", "Flatten a list of lists in Python"),
        ("Binary search in an array in Java", "Binary search in a sorted array in Java"),
        ("Find the longest subsequence in Python", "Find the longest common subsequence in Python"),
        ("Capitalize a string in Python", "Capitalize each word of a string in Python"),
        ("How do I define a method in Java?", "How do I define a static method in Java?"),
        ("Merge two lists in Python", "Merge two sorted lists in Python"),
        ("Create a dictionary in Python", "Create a dictionary of dictionaries in Python"),
        ("How do I count characters in Python?", "How do I count common characters in Python?"),
        ("How do I reverse a string in Java?", "How do I reverse the words in a string in Java?"),
        ("How do I remove an element from a list in Python?", "How do I remove each element from a list in Python?"),
        ("Shuffle an array in JavaScript", "Shuffle an array in place in JavaScript"),
        ("How do I create a variable in Python?", "How do I create an instance variable in Python?"),
        ("How do I insert a row in SQL?", "How do I insert a row if it does not exist in SQL?"),
        ("Sort a list in Python", "Sort a list in Python without using sort"),
        ("Rotate an array in C++", "Rotate an array by one step in C++"),
        ("Check a variable in Python", "Check the type of a variable in Python"),
        ("Find the largest number in a list in Python", "Find the second largest number in a list in Python"),
        ("Find the prefix of strings in Python", "Find the common prefix of strings in Python"),
        ("How do I sort a dictionary in Python?", "How do I sort a nested dictionary in Python?"),
        ("Print a list in Python", "Print each line of a list in Python"),
        ("How do I use a list in Python?", "How do I sort a list in Python?"),
        ("How do I make a linked list in Java?", "How do I make a list in Java?"),
        ("How do I iterate a map in Java?", "How do I iterate a sorted map in Java?"),
        ("Remove vowels from a string in Python", "Remove vowels from a string once in Python"),
        ("Copy a list in Python", "Deep copy a list in Python"),
        ("Replace a string in Python", "Replace all strings in Python"),
        ("Find a word in Python", "Find every second word in Python"),
    ],
)
def test_soft_words_count_where_they_say_what_the_code_must_do(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Sort a list in place in Python", "How do I sort a list in place in Python?"),
        ("How do I flatten a list of lists in Python?", "How can I flatten a nested list in Python?"),
        ("How do I merge two sorted lists in Python?", "merge two sorted lists python"),
        ("Reverse each word of a string in Python", "How do I reverse each word in a string in Python?"),
        ("How do I make a class method in Python?", "How do I create a class method in Python?"),
        ("Find the longest common substring in Java", "How do I find the longest common substring in Java?"),
        ("Write a function to reverse a string in Python", "How do I reverse a string in Python?"),
        ("Write a Python program to reverse a string", "Reverse a string in Python"),
        ("What is the best way to reverse a string in Python?", "How do I reverse a string in Python?"),
        ("python code to reverse a string", "How do I reverse a string in Python?"),
        ("How do I count the words in a string in Python?", "count words in a string python"),
    ],
)
def test_the_same_code_may_be_asked_for_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
