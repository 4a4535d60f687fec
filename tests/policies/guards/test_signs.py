"""Signs that carry meaning: brackets, operators, currency, quotation marks a shell reads, the case of a chord."""

import pytest

from tests.policies.guards.verdicts import reason


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What is 2 + 3 * 4?", "What is (2 + 3) * 4?"),
        ("whats 2+3*4", "whats (2+3)*4"),
        ("calculate 20 / (2 + 3)", "calculate 20 / 2 + 3"),
        ("10 - (4 - 1)", "10 - 4 - 1"),
        ("8/(2*2)", "8/2*2"),
        ("compute 5 * (6 + 7)", "compute (5 * 6) + 7"),
        ("solve (2+3)^2", "solve 2+3^2"),
        ("expand (a + b) * c", "expand a + b * c"),
        ("What is 6 divided into 42?", "What is 6 divided by 42?"),
        ("whats 3 divided into 12", "whats 3 divided by 12"),
    ],
)
def test_brackets_and_the_way_of_a_division_count(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("what is 2+3*4", "2 + 3 × 4 = ?"),
        ("What is 2 + 3 * 4?", "what's 2 + 3 × 4"),
        ("what is (2+3)*4", "What is ( 2 + 3 ) × 4 ?"),
        ("what is (2 * 3) + 4", "what is 2 * 3 + 4"),
        ("what is (2 + 3)", "what is 2 + 3"),
        ("what is 12 / 4", "What is 12 ÷ 4?"),
        ("what is 10 − 4", "what is 10 - 4"),
        ("What is 42 divided by 6?", "what is 42 / 6"),
        ("population of Georgia (country)", "population of the country of Georgia"),
        ("what is an API (application programming interface)?", "what is an API, application programming interface?"),
    ],
)
def test_brackets_that_change_nothing(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("What does / do with two integers in Python 3?", "What does // do with two integers in Python 3?"),
        ("what does & do in c", "what does && do in c"),
        ("what does = mean in javascript", "what does == mean in javascript"),
        ("what does == do in javascript", "what does === do in javascript"),
        ("what does > do in bash", "what does >> do in bash"),
        ("what does the | operator do in java", "what does the || operator do in java"),
        ("what does * mean in python", "what does ** mean in python"),
        ("what does % do in python", "what does * do in python"),
        ("waht does / do in pyhton", "waht does // do in pyhton"),
        ("what does the ^ sign mean in regex", "what does the $ sign mean in regex"),
        ("What does a / b return in Python?", "What does a // b return in Python?"),
        ("what is 7 / 2 in python", "what is 7 // 2 in python"),
        ("what does ! mean in bash", "what does ? mean in bash"),
        ("difference between & and &&", "difference between | and ||"),
        ("how do i type the £ sign on a us keyboard", "how do i type the € sign on a us keyboard"),
        ("how do I type # on a mac", "how do I type @ on a mac"),
        ("type £ symbol on windows", "type ¥ symbol on windows"),
        ("what is the # symbol called", "what is the & symbol called"),
        ("convert $ to €", "convert $ to £"),
        ("convert $ to €", "convert € to $"),
        ("how to make © symbol", "how to make ® symbol"),
        ("meaning of ≤ sign", "meaning of ≥ sign"),
        ("what does 🙂 mean", "what does 🙃 mean"),
        ("what does $@ mean in bash", "what does $* mean in bash"),
        ("what does ?. mean in js", "what does ?? mean in js"),
        ("what does [] mean in regex", "what does () mean in regex"),
        ("$ to ¥ rate", "¥ to $ rate"),
    ],
)
def test_a_sign_that_is_asked_about_is_the_same_sign(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("what does // do in python", "in python, what does // do?"),
        ("what does the // operator do in python", "What does the `//` symbol do in Python?"),
        ("what does the '&' operator do in C", "what does the & operator do in C"),
        ("difference between & and &&", "difference between && and &"),
        ("how do i type the £ sign", "how do i type a £ symbol"),
        ("how do i type the € sign on a us keyboard", "how do i type the euro sign on a us keyboard"),
        ("who founded AT&T", "Who was the founder of AT&T?"),
        ("salt & pepper chicken recipe", "salt and pepper chicken recipe"),
        ("who founded Johnson & Johnson", "who founded Johnson and Johnson"),
        ("how do I learn C++", "how can I learn C++?"),
        ("what does R&D mean", "what is the meaning of R&D"),
        ("what does 🙂 mean", "what is the meaning of 🙂"),
        ("what does the @ symbol mean", "what does @ mean"),
        ("what does & mean in C", "what is the meaning of & in C"),
        ("how do i type the $ sign", "how do i type the dollar sign"),
        ("what is the capital of Peru 🙂", "what is the capital of Peru"),
        ("pros and/or cons of tea", "pros or cons of tea"),
        ("best laptop under $ 500", "best laptop under $500"),
        ("- what is the capital of France", "what is the capital of France"),
        ("* what is the capital of Peru *", "what is the capital of Peru"),
        ("who wrote “Emma”?", 'who wrote "Emma"?'),
        ("explain ‘carpe diem’", "explain 'carpe diem'"),
        ("# what is the capital of Peru", "what is the capital of Peru"),
        ("Rock & Roll history", "rock and roll history"),
        ("what is the difference between a & b in c", "what is the difference between a and b in c"),
    ],
)
def test_signs_that_say_nothing_of_their_own(cached, asked):
    assert reason(cached, asked) == "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ('What does echo "$HOME" print in bash?', "What does echo '$HOME' print in bash?"),
        ("in bash what does grep '$x' f do", 'in bash what does grep "$x" f do'),
        ('php echo "$name" output', "php echo '$name' output"),
        ("what is 'a' in C", 'what is "a" in C'),
        ("What are the notes of the chord CM7?", "What are the notes of the chord Cm7?"),
        ("how to play Am7 on guitar", "how to play AM7 on guitar"),
        ("FM9 chord", "Fm9 chord"),
        ("what is a GM chord", "what is a Gm chord"),
        ("chord Dm7b5", "chord DM7b5"),
    ],
)
def test_marks_and_case_that_tell_two_things_apart(cached, asked):
    assert reason(cached, asked) != "serves"


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do I split 'a,b' in Python?", 'How do I split "a,b" in Python?'),
        ("how do I echo 'hello' in bash", 'how do I echo "hello" in bash'),
        ("what are the notes of the chord Cm7", "which notes are in the Cm7 chord"),
        ("convert wav to MP3", "convert wav to mp3"),
        ("what is vitamin B12", "what is vitamin b12"),
    ],
)
def test_marks_and_case_that_tell_nothing(cached, asked):
    assert reason(cached, asked) == "serves"
