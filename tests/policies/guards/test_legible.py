"""What an embedder is given of a prompt typed in a hurry."""

import pytest

from policies.guards.legible import legible


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("longst rivr in scottland", "longest river in scotland"),
        ("wirte a polite emial turnning down a job", "write a polite email turning down a job"),
        ("How much protien is in eggs?", "How much protein is in eggs?"),
        ("kazakstan captial city", "kazakhstan capital city"),
        ("is mixing amonia with bleech dangerous", "is mixing ammonia with bleach dangerous"),
        ("can u recomend 3 comedys", "can u recommend 3 comedies"),
        ("are leather sofas bad for allergys", "are leather sofas bad for allergies"),
        ("symtoms of a cloged artery", "symptoms of a clogged artery"),
        ("can i freze leftover noodels", "can i freeze leftover noodles"),
        ("do suculents need a lot of light", "do succulents need a lot of light"),
        ("how to stop a nosebleeed", "how to stop a nosebleed"),
        ("is there step-free acess at the staion", "is there step-free access at the station"),
        ("how do i chagne the name of the brnach im on in git", "how do i change the name of the branch im on in git"),
        ("how do i reverse a strign in python", "how do i reverse a string in python"),
        ("pyhton fucntion that retunrs the weekday", "python function that returns the weekday"),
        ("how do i delet a local brach in git", "how do i delete a local branch in git"),
        ("how long can cookd chiken stay fresh", "how long can cooked chicken stay fresh"),
        ("how do i unclogg a kichen sink", "how do i unclog a kitchen sink"),
        ("which node version do i have instaled", "which node version do i have installed"),
        ("trasnlate 'happy brithday' to maltese", "translate 'happy birthday' to maltese"),
    ],
)
def test_slips_of_the_pen_are_put_right(typed, read):
    assert legible(typed) == read


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "Which colour is the neighbour's lorry?",
        "why does my_funtcion(x) fail in src/utlis/helpr.py on https://exampel.com/pathh",
        "run kubectl and psql with numpy",
        "wo ist der bahnhof von muenchen und wie komme ich dorthin",
        "cuál es la capitl de francia",
        "xqzj vbnmk wrtpl",
        "what is cuda",
        "is skoda a good car",
        "what is lyrica used for",
        "difference between sarin and decane",
        "how do you spell recieve",
        "is seperate spelled correctly",
        "how do i install cmakke and nginxx",
        "bash exprot command not found",
        "default postgres port",
        "merge 2 dicts in python",
        "how do i install flink",
        "is wwiii likely this decade",
        "connect a doorbell to IFTTT without paying",
        "does coking ruin a frying pan",
        "are wireless mouses any good",
        "the tailor next door is called Tomas Borde",
        "my aunt doesn't drink whiskey",
        "why does git say chekcout is not a git command: chekcout",
        "git error when i type stauts in the terminal",
        "how do i call numpy arange in a python script",
        "how do i start alacritty and conda from the shell",
        "install lerna or pinot with docker",
        "",
        "the capitl " * 400,
        "theese aree verry manny wordds withh a sllip eachh ande moree off themm thann anybodyy writess",
    ],
)
def test_other_words_names_in_code_and_other_languages_stay_as_they_are(text):
    assert legible(text) == text


def test_two_prompts_that_differ_in_an_unknown_name_still_differ():
    assert legible("who is Zyphorin Quellat") != legible("who is Zyphorin Quillet")


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("what is cuda in kilometers", "what is cuda in kilometres"),
        ("my skoda was canceled", "my skoda was cancelled"),
        ("is lyrica sold in liters", "is lyrica sold in liters"),
    ],
)
def test_american_spelling_is_no_sign_that_other_words_are_slips(typed, read):
    assert legible(typed) == read
