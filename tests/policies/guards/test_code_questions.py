"""Words that narrow a question about programming although they say little elsewhere."""

import pytest

from tests.policies.guards.verdicts import reason


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
        ("Reverse a linked list in Java", "Reverse a list in Java"),
        ("Sum a list in Python", "Sum each list in a list of lists in Python"),
        ("Print a matrix in Java", "Print a matrix line by line in Java"),
        ("Find duplicates in an array in Java", "Find duplicates in a sorted array in Java"),
        ("Count words in Python", "Count common words in Python"),
        ("How do I call a method in Python?", "How do I call a class method in Python?"),
        (
            "How do I remove spaces from a string in Java?",
            "How do I remove spaces from the end of each word of a string in Java?",
        ),
        ("Convert a list to a string in Python", "Convert a list of lists to a string in Python"),
        ("How do I filter a list in Python?", "How do I filter a list in place in Python?"),
        ("How do I search a list in Python?", "How do I search a sorted list in Python?"),
        ("Find the median of an array in Java", "Find the median of two sorted arrays in Java"),
        ("How do I declare a variable in Java?", "How do I declare a class variable in Java?"),
        (
            "How do I find the ancestor of two nodes in Java?",
            "How do I find the lowest common ancestor of two nodes in Java?",
        ),
        ("How do I map a function in Python?", "How do I map a function over nested lists in Python?"),
        ("How do I merge lists in Python?", "How do I merge sorted lists in Python?"),
        ("How do I uppercase a string in Python?", "How do I uppercase each word in a string in Python?"),
        ("How do I check a string in Python?", "How do I check a string type in Python?"),
        ("How do I delete a row in SQL?", "How do I delete a row if it exists in SQL?"),
        ("How do I write a class in Java?", "How do I write an abstract class in Java?"),
        ("How do I split a string in Python?", "How do I split a string into words in Python?"),
        ("How do I use a list in Python?", "How do I use list methods in Python?"),
        ("How do I swap numbers in Java?", "How do I swap numbers in place in Java?"),
        ("How do I rotate a matrix in Python?", "How do I rotate a matrix in-place in Python?"),
        ("Find the longest word in Python", "Find the longest common word in Python"),
        ("How do I sort a list in Python?", "How do I sort a list twice in Python?"),
        ("How do I sort a list of lists in Python?", "How do I sort a list in Python?"),
        ("How do I sort a list in Python?", "How do I sort a copy of a list in Python?"),
        ("How do I sort words in Python?", "How do I sort the letters of each word in Python?"),
        ("How do I check if a list is sorted in Python?", "How do I check a list in Python?"),
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
        ("How do I reverse the words in a string in Python?", "Reverse the words of a string in Python"),
        ("How do I check if a file exists in Python?", "How to check whether a file exists in Python"),
        ("How do I get the type of a variable in Python?", "How can I get a variable's type in Python?"),
        ("How do I sort an array in place in Java?", "Sort an array in-place in Java"),
    ],
)
def test_the_same_code_may_be_asked_for_in_other_words(cached, asked):
    assert reason(cached, asked) == "serves"
