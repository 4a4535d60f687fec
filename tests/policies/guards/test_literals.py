"""Groups `quotes` and `code`: what must be the same letter by letter."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("Translate 'good morning' into Spanish", "Translate 'good night' into Spanish"),
        ("Synonyms of “happy”", "Synonyms of “sad”"),
        ('who said "I have a dream"', 'who said "I think, therefore I am"'),
    ],
)
def test_quotations_must_be_equal(cached, asked):
    assert reason(cached, asked) == "quoted"


def test_quotation_marks_may_be_of_another_kind_or_missing():
    assert reason("What does 'bona fide' mean?", "What does “bona fide” mean?") == "serves"
    assert reason("translate I love you to German", 'Translate "I love you" into German') == "serves"


def test_an_apostrophe_is_no_quotation_mark():
    assert reason("What's my dog's name in Tom's phone?", "What is my dog's name in Tom's phone?") == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("what does git reset --soft do", "what does git reset --hard do"),
        ("explain rm -r", "explain rm -f"),
        ("what is /etc/passwd", "what is /etc/shadow"),
        ("In JS what is == used for", "In JS what is === used for"),
        ("what does a && b do in bash", "what does a || b do in bash"),
        ("difference between i++ and i-- in C", "difference between i++ and ++i in C"),
        ("explain the regex \\d+", "explain the regex \\w+"),
        ("how do I use os.path.join", "how do I use os.path.split"),
        ("what does foo(1, 2) return", "what does foo(2, 1) return"),
        ("what does `list.append` do", "what does `list.extend` do"),
        ("open file.txt in python", "open file.csv in python"),
        ("for loop in bash over *.txt", "for loop in bash over *.md"),
        ("changes in v1.2.3", "changes in v1.2.4"),
        ("what port does 127.0.0.1:8080 use", "what port does 127.0.0.1:8081 use"),
        ("How do I fix error 0x80070057?", "How do I fix error 0x80070005?"),
        ("use of std::map", "use of std::set"),
    ],
)
def test_code_must_be_equal(cached, asked):
    assert reason(cached, asked) == "code"


def test_code_may_stand_in_backticks_or_not():
    assert reason("what does `kubectl` do", "what does kubectl do") == "serves"


def test_an_abbreviation_is_no_code():
    assert reason("Which U.S. state is the largest?", "Which US state is the largest?") == "serves"


def test_an_identifier_has_no_plural_and_no_slips():
    assert reason("how to mock fetchItem", "how to mock fetchItems") == "substitution"
    assert reason("what is sodium chloride", "what is sodium chlorate") == "substitution"
