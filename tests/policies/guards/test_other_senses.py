"""Words and forms that are the same in one sense only: the near miss refused, and the paraphrase that stays served."""

from policies.guards import compare, parse
from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    replace "New" with "New York" in a column | replace "New York" with "New" in a column
    change `git` to `git commit` | change `git commit` to `git`
    rename "user" to "user name" | rename "user name" to "user"
    why does `sudo apt` work but not `apt` | why does `apt` work but not `sudo apt`
    """
)
def test_one_literal_inside_the_other_has_its_own_role(one, other):
    assert reason(one, other) in ("quoted", "code")


@rows(
    """
    is cinnamon safe for dogs | is cinnamon safe to eat for dogs
    is tap water in mexico safe | is tap water in mexico safe to drink
    public holidays in peru | national public holidays in peru
    how do i conduct an interview | how do i conduct a job interview
    how old is the star | how old is the movie star
    who founded apple | who founded apple fruit
    how do i kill mysql | how do i kill a mysql query
    visa for brazil | visa to enter brazil
    what causes a cold | what causes cold weather
    how big is the moon | how big is the orbit of the moon
    how do i read | how do i read a book
    is she in france | is she a citizen of france
    """
)
def test_what_narrows_the_question_must_be_said(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    How many moons does Neptune have? | How many moons are orbiting Neptune?
    How do I quit vim without saving? | How do I quit vim without saving my changes?
    who is the author of Dune | who is the author of the book Dune
    """
)
def test_what_goes_without_saying_stands_beside_what_implies_it(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    how do i reopen a file | how do i restore a file
    what can i bring on a plane | what can i take on a plane
    my old phone | my previous phone
    unique values in sql | distinct values in sql
    a blank stare | an empty stare
    how do i kill a process | how do i terminate a process
    how do i get custody of my nephew | how do i get guardianship of my nephew
    how do i file for bankruptcy | how do i file for insolvency
    how do i make honey | how do i produce honey
    missing my train | miss my train
    how do i wash a suit | how do i wash a lawsuit
    rocket salad | arugula salad
    how do i remove rust | how do i remove corrosion
    what is an element | what is an item
    real leather | genuine leather
    """
)
def test_a_synonym_in_one_sense_only_is_none(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    how do i delete blank rows in excel | how do i delete empty rows in excel
    how do i get a free screenshot tool | how do i get a free screengrab tool
    how do i change a nappy | how do i change a diaper
    """
)
def test_a_synonym_in_every_sense_stays(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    how do i check my tire pressure | where do i check my tire pressure
    how do i check for bed bugs | where do i check for bed bugs
    how do i view the eclipse | where do i view the eclipse
    what is the formula for nitroglycerin | how do i make nitroglycerin
    how is the food in japan | how do i get food in japan
    how is the president elected | what is the president
    """
)
def test_how_is_another_question(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    how do i track my refund | where do i track my refund
    what is the formula for the area of a circle | how do i find the area of a circle
    how is the food in japan | what is the food in japan like
    how is the bread baked | how do i bake the bread
    how is the variable set correctly | how do i set the variable correctly
    """
)
def test_how_asks_the_same(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    how do i tell a crow from a raven | how do i tell a crow to a raven
    how many days in advance should i book | how many months in advance should i book
    what is the best month to visit peru | what is the best time to visit peru
    is milk available in prague | is there milk in prague
    is street parking fine | is street parking ticket
    the launch of nasa | the startup of nasa
    blood pressure in texas | bp in texas
    the due date of a baby | the deadline of a baby
    can i run through the park | can i flow through the park
    exercise without leaving a chair | exercise without a chair
    write a resignation letter | look at a resignation letter
    i need a dog | write a dog
    """
)
def test_a_phrase_in_one_sense_only_is_none(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    how far in advance should i book | how early should i book
    what is high blood pressure | what is hypertension
    what is a normal bp | what is a normal blood pressure
    how do i become a police officer | how do i become a cop
    which river runs through paris | which river flows through paris
    what happens if i die without leaving a will | what happens if i die without a will
    """
)
def test_a_phrase_in_every_sense_stays(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    do i need to tip in japan | can i tip in japan
    must i tip in japan | should i tip in japan
    do i have to tip in japan | should i tip in japan
    """
)
def test_must_should_and_may_are_three_questions(one, other):
    assert reason(one, other) == "modality"


@rows(
    """
    should i take iron with food? | do I need to take iron supplements with a meal
    do i need to tip in japan | should i tip in japan
    do i need to tip in japan | must i tip in japan
    do i need to tip in japan | do i have to tip in japan
    """
)
def test_what_i_need_to_do_is_what_i_should_do(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    how do i get from rome to pisa by car | how do i get from rome to pisa by automobile
    how do i get from rome to pisa by plane | how do i get from rome to pisa by airplane
    what is bread made of | what are the ingredients of bread
    what is glass composed of | what is the composition of glass
    """
)
def test_a_means_and_what_it_is_made_of_are_no_roles(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    what is bread made of | what is made of bread
    what is paris the capital of | what is the capital of paris
    who was bitten by the dog | who bit the dog
    """
)
def test_the_whole_is_not_its_part(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    are eggs dairy free | are eggs free of dairy
    is bread free of gluten | is bread gluten free
    what is korean for thank you | how do you say thank you in korean
    i'm going to have a baby | i am about to have a baby
    """
)
def test_the_same_in_another_form(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    are eggs free of dairy | do eggs contain dairy
    are eggs free of dairy | are eggs free of gluten
    are eggs free of dairy | is dairy free of eggs
    what is korean for thank you | how do you say goodbye in korean
    i am about to have a baby | i had a baby
    """
)
def test_another_form_hides_no_difference(one, other):
    assert reason(one, other) != "serves"


def test_many_numbers_that_change_places_are_seen():
    counted = [f"{number} cat{number}x" for number in range(10, 85)]
    swapped = [*counted[:40], "50 cat51x", "51 cat50x", *counted[42:]]
    assert reason(" and ".join(counted), " and ".join(swapped)) == "order"
    assert compare(parse(" and ".join(counted)), parse("list " + " and ".join(counted))) is None


@rows(
    """
    Did Anna receive the train? | Was Anna received by the train?
    did my uncle sell the car | was my uncle sold by the car
    who missed the boat | who was missed by the boat
    """
)
def test_a_means_with_an_article_is_who_does_it(one, other):
    assert reason(one, other) is not None
