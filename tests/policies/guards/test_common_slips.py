"""Words that are misspelled often, beyond one slip; and other words that are near them."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    symptoms of diareah | symptoms of diarrhea
    how do i wright a cover letter | how do i write a cover letter
    how to by a house | how to buy a house
    how to make expresso | how to make espresso
    what is the hight of everest | what is the height of everest
    what is the capitol of france | what is the capital of france
    what is the capital of phillipines | what is the capital of the philippines
    symptoms of athsma | symptoms of asthma
    symptoms of asma | symptoms of asthma
    how to treat excema | how to treat eczema
    how to treat hemroids | how to treat hemorrhoids
    how do i get rid of exema | how do i get rid of eczema
    reccomend a book about rome | recommend a book about rome
    how doe gravity work | how does gravity work
    how offen should i water a fern | how often should i water a fern
    how do i rest my password | how do i reset my password
    how do i clear my browser cashe | how do i clear my browser cache
    best restraunts in rome | best restaurants in rome
    cheep hotels in paris | cheap hotels in paris
    how did the dinasours die | how did the dinosaurs die
    how do i say thankyou in german | how do i say thank you in german
    how to train a chiwawa | how to train a chihuahua
    """
)
def test_a_common_misspelling_is_read(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    how do i treat exema | how do i treat an enema
    migrane symptoms | migrant symptoms
    what is asma | what is asia
    effects of prednisone | effects of prednisolone
    what is ethyne | what is ethane
    what is celexa | what is celebrex
    who is smythe | who is smith
    how do i rest my legs | how do i reset my legs
    what is a capitol building | what is a capital building
    what did the doe eat | what did the dog eat
    who controls the remote | who is controlled by the remote
    how accurate are lie detectors | how popular are lie detectors
    how toxic is mercury | is mercury toxic
    when did mexico become independent | when did mexico become a republic
    how do i descale a kettle | how do i clean a kettle
    what is humidity | what is humility
    what is a statue | what is a statute
    what is a colonel | what is a kernel
    is it desert or dessert | is it dessert or dessert
    how do i turn down a promotion | how do i ask for a promotion
    symptoms of hypoglicemia | symptoms of hyperglycemia
    who was napolean | who was neapolitan
    what is a prostrate | what is a prostate
    where is slovenia | where is slovakia
    weather in bordo | weather in border
    what is melatonin | what is melanin
    lamictal dose | lamisil dose
    what is zantac | what is xanax
    how does a turbine work | how does a turban work
    what is venlafaxin | what is vilazodone
    how to cook quail | how to cook kale
    where is astana | where is austin
    how important is sleep | is sleep important
    how safe is skydiving | is skydiving safe
    who is chased by the dog | who chases the dog
    who is managed by anna | who manages anna
    who was managed by the boss | who managed the boss
    who is controlled by the state | who controls the state
    who was eaten by the shark | who ate the shark
    which companies are owned by disney | which companies own disney
    what is caused by stress | what causes stress
    """
)
def test_a_near_word_is_another(one, other):
    assert reason(one, other) != "serves"
