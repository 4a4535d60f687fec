"""Particle verbs, abbreviations, names of two countries and two registers; and words that are near them."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    How do I bring down a fever? | How do I reduce a fever?
    How do I get over a breakup? | How do I recover from a breakup?
    How do I find out who owns a domain? | How can I check who owns a domain?
    How do I take apart a MacBook? | How do I disassemble a MacBook?
    How do I pick out a watermelon? | How do I choose a watermelon?
    How do I throw away batteries? | How do I dispose of batteries?
    How do I throw out old medication? | How do I dispose of old medication?
    How do I stop hiccups? | How do I get rid of hiccups?
    How do I hoover stairs? | How do I vacuum stairs?
    How to make candyfloss | How to make cotton candy
    how to make candy floss at home | how to make cotton candy at home
    How do I cook beetroot? | How do I cook beets?
    Can I use self-raising flour for pancakes? | Can I use self-rising flour for pancakes?
    how to make ice lollies | how to make popsicles
    How do roundabouts work? | How do traffic circles work?
    which bin does cling film go in | which bin does plastic wrap go in
    how do I cover a bowl with clingfilm | how do I cover a bowl with plastic wrap
    is tin foil recyclable | is aluminum foil recyclable
    how to use kitchen roll | how to use paper towels
    how do I hire a car in Spain | how do I rent a car in Spain
    What is car hire insurance? | What is car rental insurance?
    how do I open a current account | how do I open a checking account
    What is paracetamol? | What is acetaminophen?
    Can I take paracetamol with ibuprofen? | Can I take acetaminophen with ibuprofen?
    Is Tylenol acetaminophen? | Is Tylenol paracetamol?
    side effects of adrenaline | side effects of epinephrine
    how to treat a haemorrhoid | how to treat a hemorrhoid
    what does an anaesthetist do | what does an anesthesiologist do
    What's on telly tonight? | What's on TV tonight?
    What is a normal resting heart rate in bpm? | What is a normal resting heart rate in beats per minute?
    Is 100 bpm normal at rest? | Is 100 beats per minute normal at rest?
    What is Obama's DOB? | What is Obama's date of birth?
    What is RAM? | What is random access memory?
    What is SQL? | What is Structured Query Language?
    What is HTML? | What is HyperText Markup Language?
    What is a PC? | What is a personal computer?
    What is GDPR? | What is the General Data Protection Regulation?
    When was the UN founded? | When was the United Nations founded?
    What does NATO do? | What does the North Atlantic Treaty Organization do?
    What does the FBI do? | What does the Federal Bureau of Investigation do?
    What does NASA do? | What does the National Aeronautics and Space Administration do?
    When was the NBA founded? | When was the National Basketball Association founded?
    how do i apply to MIT | how do i apply to the Massachusetts Institute of Technology
    How do I write a CV? | How do I write a curriculum vitae?
    What does a CFO do? | What does a chief financial officer do?
    What's a good GPA? | What's a good grade point average?
    What is COPD? | What is chronic obstructive pulmonary disease?
    What is HIV? | What is human immunodeficiency virus?
    What is DNA? | What is deoxyribonucleic acid?
    What is CPR? | What is cardiopulmonary resuscitation?
    What does an ECG show? | What does an electrocardiogram show?
    What does an EKG show? | What does an ECG show?
    what is an ATM | what is a cash machine
    How do I use an ATM? | How do I use a cash machine?
    How do I reset my PIN? | How do I reset my PIN number?
    What is an IP address? | What is an internet protocol address?
    What is R&D? | What is research and development?
    What is an ETF? | What is an exchange-traded fund?
    What is PMS? | What is premenstrual syndrome?
    What is a USB? | What is a universal serial bus?
    What's LED lighting? | What's light-emitting diode lighting?
    What is a PDF? | What is the portable document format?
    How do I make a PDF? | How do I make a PDF file?
    What is IoT? | What is the internet of things?
    What is OOP? | What is object-oriented programming?
    How do I become a QA engineer? | How do I become a quality assurance engineer?
    How do I write a PR description? | How do I write a pull request description?
    What is TDD? | What is test-driven development?
    How many oz in a lb? | How many ounces in a pound?
    How many tsp in a tbsp? | How many teaspoons in a tablespoon?
    what is the dept of education | what is the department of education
    difference between HDD and SSD | difference between a hard drive and a solid state drive
    Tell me about the Dr. Seuss books | Tell me about the Doctor Seuss books
    Who was St. Patrick? | Who was Saint Patrick?
    How tall is Mt. Fuji? | How tall is Mount Fuji?
    how do i become a sr developer | how do i become a senior developer
    what is a STD | what is a sexually transmitted disease
    what is an STI | what is a sexually transmitted infection
    what is THC | what is tetrahydrocannabinol
    what is UV light | what is ultraviolet light
    what is a LAN | what is a local area network
    what is EVOO | what is extra virgin olive oil
    what is an SUV | what is a sport utility vehicle
    what is MPG | what is miles per gallon
    How do I put out a grease fire? | How do I extinguish a grease fire?
    How do I blow up an air mattress? | How do I inflate an air mattress?
    How do I turn up the volume on my TV? | How do I increase the volume on my TV?
    How do I turn down the brightness on my laptop? | How do I lower the brightness on my laptop?
    How do I slow down a video in iMovie? | How do I make a video slower in iMovie?
    How do I heat up leftover pizza? | How do I reheat leftover pizza?
    How do I warm up leftover pizza? | How do I reheat leftover pizza?
    How do I calm down a crying baby? | How do I soothe a crying baby?
    How do I calm a crying baby? | How do I soothe a crying baby?
    How do I break up with my girlfriend? | How do I end things with my girlfriend?
    How do I make up with a friend after a fight? | How do I reconcile with a friend after a fight?
    How do I get along with my in-laws? | How do I get on with my in-laws?
    How do I show up on time? | How do I arrive on time?
    How do I reject a job offer? | How do I decline a job offer?
    How do I check my Python version? | How do I find my Python version?
    How do I view hidden files on Mac? | How do I show hidden files on Mac?
    How do I add an item to a list in Python? | How do I append an element to a list in Python?
    How do I insert a row in Excel? | How do I add a row in Excel?
    How do I print on both sides? | How do I print double-sided?
    How do I unclog a drain? | How do I clear a blocked drain?
    How do I unclog a drain? | How do I clear a clogged drain?
    How do I thank my boss? | How do I say thank you to my boss?
    How do I start a business? | How do I set up a business?
    How do I get into Harvard? | How do I get accepted to Harvard?
    How do I memorize a speech? | How do I learn a speech by heart?
    How do I cure hiccups? | How do I get rid of hiccups?
    How do I lose weight? | How do I slim down?
    How do I get taller? | How do I increase my height?
    How do I straighten my hair? | How do I make my hair straight?
    How do I hang a picture? | How do I put up a picture?
    How do I put up a tent? | How do I pitch a tent?
    How do I put up shelves? | How do I install shelves?
    How do I uninstall an app on Windows? | How do I remove an app on Windows?
    Which fruits are low in sugar? | Which fruits contain little sugar?
    What is going on in Sudan? | What is happening in Sudan?
    What took place in 1066? | What happened in 1066?
    How often should I descale my kettle? | kettle descaling how often
    How often should I descale my kettle? | What's the recommended frequency for descaling my kettle?
    How do central banks control inflation? | How is inflation controlled by central banks?
    How can you prove that the square root of 2 is irrational? | How is the irrationality of √2 proved?
    When did Mexico become independent? | When did Mexico gain independence?
    How did India become independent? | How did India gain its independence?
    How accurate are lie detectors? | What is the accuracy of lie detectors?
    How effective is the flu vaccine? | What is the effectiveness of the flu vaccine?
    How reliable is the Toyota Corolla? | What is the reliability of the Toyota Corolla?
    How popular is soccer in the US? | What is the popularity of soccer in the US?
    How toxic is mercury? | What is the toxicity of mercury?
    How acidic is lemon juice? | What is the acidity of lemon juice?
    Where can I see the northern lights? | Where can you view the aurora borealis?
    Write an email declining a meeting | Draft an email turning down a meeting
    """
)
def test_another_word_means_the_same(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    what is a vacuum cleaner | what is a vacuum
    is -3 a whole number | is -3 an integer
    how do I throw an exception | how do I throw away an exception
    how do I throw a party | how do I throw out a party
    how do I get rid of old paint | how do I get old paint
    how do I put out a fire | how do I start a fire
    how do I put out a fire | how do I put on a fire
    how do I blow up a balloon | how do I pop a balloon
    how do I turn up the volume on my TV | how do I turn down the volume on my TV
    how do I turn up the heat | how do I turn off the heat
    how do I increase the volume | how do I turn the volume down
    how do I turn down a job offer | how do I accept a job offer
    how do I reject an offer | how do I make an offer
    how do I take apart a chair | how do I put together a chair
    how do I take a chair | how do I take apart a chair
    how do I learn a speech by heart | how do I write a speech
    what foods are low in iron | what foods are high in iron
    which fruits have little sugar | which fruits have sugar
    how do I insert a row in excel | how do I delete a row in excel
    how do I add a row in excel | how do I add a column in excel
    how do I show hidden files | how do I hide files
    how do I view hidden files | how do I view files
    how do I set up a business | how do I close a business
    how do I check my python version | how do I change my python version
    how do I tell if an egg is bad | how do I tell if an egg is good
    how do I break up with my girlfriend | how do I make up with my girlfriend
    how do I get along with my boss | how do I get away from my boss
    how do I show up late | how do I show up on time
    how do I print double sided | how do I print single sided
    how do I take a day off | how do I take two days off
    a present for my boss | a letter for my boss
    what is present tense | what is gift tense
    what is the present value of 100 | what is the gift value of 100
    symptoms of myopia | symptoms of farsightedness
    is paracetamol safe with ibuprofen | is aspirin safe with ibuprofen
    how do I hire a car in rome | how do I buy a car in rome
    how do I hire a cleaner | how do I rent a cleaner
    when did the movie come out | when did the movie come off
    why did the dinosaurs die out | why did the dinosaurs come out
    how do I open a current account | how do I open a savings account
    what is a current account deficit | what is a checking account deficit
    how do I make crisps | how do I make fries
    how do I make potato chips | how do I make french fries
    how do I make biscuits and gravy | how do I make cookies and gravy
    how do I make up a story | how do I do makeup for a story
    how do I remove an app on iphone | how do I install an app on iphone
    what does the un do | what does the eu do
    what is an llc | what is an ltd
    how do i switch to mac and cheese | how do i make mac and cheese
    what is std in c++ | what is sexually transmitted in c++
    what is ram | what is rom
    how many mbps is 100 megabytes per second | how many mbps is 100 megabits per second
    how many miles per gallon does a prius get | how many gallons per mile does a prius get
    is 100 beats per minute normal | is 100 steps per minute normal
    what's the pin code of delhi | what's the area code of delhi
    how do i clean tin foil | how do i clean plastic wrap
    how do i use parchment paper | how do i use wax paper
    do i have a fever | do i have a cold
    what if i have a high temperature | what if i have a low temperature
    how do i slow down a video | how do i speed up a video
    how do i calm down a dog | how do i excite a dog
    how do i save for a house | how do i pay for a house
    how do i get accepted to harvard | how do i get rejected by harvard
    how do i dispose of batteries | how do i charge batteries
    who is dr dre | who is mr dre
    who is st patrick | who is patrick
    what is the population of mount vernon | what is the population of vernon
    what do grown ups do | what do kids do
    how do i open a pr | how do i close a pr
    when is santa coming | when is christmas coming
    how do I find out when my passport expires | how do I find out where my passport is
    are there first names for rivers | are there last names for rivers
    what's an etf | what's a mutual fund
    how do i get a cold | how do i get rid of a cold
    how do i get rid of hiccups | how do i get hiccups
    how do i make my hair straight | how do i make my hair curly
    how do i grow taller | how do i grow a beard
    how do i get up to speed | how do i get up early
    what happened in 1066 | what is happening in 1066
    what took place in 1066 | what takes place in 2066
    """
)
def test_a_near_word_does_not(one, other):
    assert reason(one, other) != "serves"
