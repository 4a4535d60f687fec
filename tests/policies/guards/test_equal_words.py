"""Particle verbs, abbreviations, names of two countries and two registers; and words that are near them."""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    How do I fix error 404? | How do I solve error 404?
    How do I write a function in Python that reverses a string? | Make a Python function that reverses a string
    How can I increase my typing speed? | How can I improve my typing speed?
    How do I bring down a fever? | How do I reduce a fever?
    How do I get over a breakup? | How do I recover from a breakup?
    How do I get better at chess? | How do I improve at chess?
    How do I get better at drawing? | How can I improve my drawing?
    How do I find out who owns a domain? | How can I check who owns a domain?
    How do I work out the area of a triangle? | How do I calculate the area of a triangle?
    How do I take apart a MacBook? | How do I disassemble a MacBook?
    How do I pick a college major? | How do I choose a college major?
    How do I choose a good password? | How do I pick a good password?
    How do I pick out a watermelon? | How do I choose a watermelon?
    How do I throw away batteries? | How do I dispose of batteries?
    How do I throw out old medication? | How do I dispose of old medication?
    How do I keep avocados from browning? | How do I prevent avocados from browning?
    How do I stop hiccups? | How do I get rid of hiccups?
    Proofread this paragraph: It were a dark night. | Check this paragraph for errors: It were a dark night.
    Is it bad to crack your knuckles? | Is cracking your knuckles bad for you?
    Why did the dinosaurs die out? | Why did the dinosaurs go extinct?
    Why did the dinosaurs become extinct? | What caused the dinosaurs to go extinct?
    When did Queen Victoria die? | In what year did Queen Victoria pass away?
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
    What is UX? | What is user experience?
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
    How do I remove duplicates from a list in Python? | How do I get rid of duplicates in a list in Python?
    How do I change a string to lowercase? | How do I convert a string to lowercase?
    How do I add an item to a list in Python? | How do I append an element to a list in Python?
    How do I insert a row in Excel? | How do I add a row in Excel?
    How do I print on both sides? | How do I print double-sided?
    How do I unclog a drain? | How do I clear a blocked drain?
    How do I unclog a drain? | How do I clear a clogged drain?
    How do I thank my boss? | How do I say thank you to my boss?
    How do I ask for a day off? | How do I request a day off?
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
    How do I uninstall apps on a Mac? | How do I uninstall apps on macOS?
    How do I take a screenshot on my MacBook? | How do I take a screenshot on a Mac?
    How do I take a screenshot on Windows 11? | How do I take a screenshot on a Windows 11 PC?
    Can I work from abroad? | Can I work from another country?
    How long is probation for a new hire? | How long is probation for a new employee?
    What perks do employees get? | What benefits do employees get?
    Do you ship internationally? | Do you ship abroad?
    How do I concatenate strings in Java? | How do I join strings in Java?
    How do I exit a loop in Python? | How do I break out of a loop in Python?
    How do I discard local changes in git? | How do I throw away local changes in git?
    How do I squash commits? | How do I combine commits into one?
    Why does my Wi-Fi keep dropping? | Why does my wifi keep disconnecting?
    How do I free up space on my phone? | How do I clear space on my phone?
    How do I print a screenshot? | How do I print out a screenshot?
    How do I freeze the top row in Excel? | How do I lock the top row in Excel?
    How do I find duplicates in Excel? | How do I identify duplicates in Excel?
    How do I calculate a percentage in Excel? | How do I work out percentages in Excel?
    How do I work out percentages in Excel? | How do I calculate percentages in Excel?
    How do I work out the area of a triangle? | How do I find the area of a triangle?
    How do you work out the area of a triangle? | How is the area of a triangle calculated?
    How do I work out at home? | How can I exercise at home?
    how to work out at home | how do I work out at home
    How do I pick a mattress? | How do I choose a mattress?
    How can I become better at math? | How do I improve my math?
    How do I stop my glasses from fogging? | How can I prevent my glasses from fogging?
    How do I count items in a list in Python? | How do I count the items of a list in Python?
    Write a Python function that reverses a string | Make a Python function that reverses a string
    How do I change a string to lowercase in Java? | How do I convert a string to lowercase in Java?
    Convert 500 kilocalories to kilojoules. | 500 kcal to kJ
    How many megabytes per second is 100 megabits per second? | Convert 100 Mbps to MB/s.
    what's the atomic number of carbon | Carbon's atomic number?
    What's the serial number of my printer? | my printer's serial number?
    convert 5 foot 9 to cm | What's 5 ft 9 in in centimetres?
    convert 5'9" to cm | convert 5 ft 9 to cm
    how many cm is 5 foot 9 | how many cm is 5 feet 9 inches
    Is it safe for a 6-month-old to drink water? | Is drinking water safe for a six-month-old?
    Does drinking water help with headaches? | Does it help with headaches to drink water?
    Why does my steering wheel vibrate at high speed? | Why does my steering wheel shake at high speed?
    What does DNS stand for? | What is the full form of DNS?
    full form of NASA | what does NASA stand for
    what is the full form of html | what is HTML short for
    how do i veiw the logs of a runing container | how do i view the logs of a running container
    how to calcualte the median of colum B in excel | How do I calculate the median of column B in Excel?
    What are the signs of a heart attack? | What are the symptoms of a myocardial infarction?
    How do I treat a fever? | How do I treat a high temperature?
    I have a high temperature, should I see a doctor? | I have a fever, should I see a doctor?
    How do I lower a fever? | How do I bring down a fever?
    What causes nosebleeds? | What causes nose bleeds?
    How do I get rid of kidney stones? | How do I get rid of renal calculi?
    What is the medical term for nearsightedness? | What is the medical name for nearsightedness?
    What is the medical term for hiccups? | What's the medical word for hiccups?
    What does a cardiologist do? | What does a heart doctor do?
    What does a dermatologist do? | What does a skin doctor do?
    How do I write a will? | How do I make a will?
    What is a prenup? | What is a prenuptial agreement?
    What is a condo? | What is a condominium?
    How do I get pre-approved for a mortgage? | How do I get preapproved for a home loan?
    How do I study for the SAT? | How do I prepare for the SAT?
    How do I cite a website in APA? | How do I reference a website in APA?
    How do I cite a website in APA format? | How do I cite a website in APA style?
    How do I proofread an essay? | How do I check an essay for mistakes?
    How do I improve my handwriting? | How do I make my handwriting better?
    How do I make my essay longer? | How do I lengthen my essay?
    How do I make my room warmer? | How do I warm up my room?
    How do I make my room cooler? | How do I cool down my room?
    How do I cool a room without AC? | How do I cool down a room without air conditioning?
    How do I lighten my hair? | How do I make my hair lighter?
    How do I enlarge a photo? | How do I make a photo bigger?
    How do I resize an image? | How do I change the size of an image?
    How do I see who unfollowed me? | How can I find out who unfollowed me?
    How do I recover deleted photos? | How do I get back deleted photos?
    How do I shut down my Mac? | How do I turn off my Mac?
    How do I wipe a hard drive? | How do I erase a hard drive?
    How do I unzip a file? | How do I extract a zip file?
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
    how do i save up for a car | how do i save on a car
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
    how do I print out a screenshot | how do I take a screenshot
    how do I free up space on my phone | how do I free my phone
    how do I clear the cache on my phone | how do I clear space on my phone
    how do I join strings | how do I split strings
    how do I break out of a loop | how do I continue a loop
    how do I exit a loop | how do I exit a function
    how do I lock the top row in excel | how do I lock the first column in excel
    how do I freeze the top row in excel | how do I unfreeze the top row in excel
    how do I find duplicates in excel | how do I remove duplicates in excel
    can I work from abroad | can I work from home
    can I work abroad | can I work in the country
    how do I take a screenshot on a mac | how do I take a screenshot on windows
    how do I take a screenshot on windows 10 | how do I take a screenshot on windows 11
    best apps for mac | best cases for mac
    how long is probation for a new hire | how long is probation for an old employee
    how do I get divorced | how do I get married
    how do I get in shape | how do I get a shape
    what perks do employees get | what duties do employees get
    how do I combine commits into one | how do I split a commit into two
    how do I give a file execute permission | how do I remove execute permission
    how do I see the commit log in git | how do I log in to git
    how do I work out the area of a circle | how do I work out at the gym
    how do I work out in the morning | how do I calculate the morning
    do you ship internationally | do you ship locally
    how do i get used to a new job | how do i get a new job
    How do I make my essay longer? | How do I make my essay shorter?
    How do I make my hair lighter? | How do I make my hair darker?
    How do I make my room cooler? | How do I make my room warmer?
    How do I cool down my room? | How do I cool down after a run?
    How do I warm up my room? | How do I warm up before a run?
    How do I make my handwriting better? | How do I make my handwriting worse?
    How do I make my dog feel better? | How do I improve my dog?
    What is the best way to make my bed? | How do I improve my bed?
    How do I change the size of an image? | How do I change the color of an image?
    How do I turn off my phone? | How do I turn on my phone?
    How do I turn off my phone? | How do I turn down my phone?
    How do I shut down my mac? | How do I restart my mac?
    How do I turn off the sound on my phone? | How do I turn off my phone?
    How do I unzip a file? | How do I zip a file?
    How do I study for the SAT? | How do I study for the GRE?
    How do I check my essay for mistakes? | How do I check my code for mistakes?
    How do I proofread an essay? | How do I write an essay?
    How do I cite a website in APA? | How do I cite a website in MLA?
    How do I cite a website in APA? | How do I cite a book in APA?
    What does a cardiologist do? | What does a skin doctor do?
    How do I recover deleted photos? | How do I delete photos?
    How do I enlarge a photo? | How do I make a photo smaller?
    How do I make a will? | How do I contest a will?
    How do I erase a hard drive? | How do I erase a file?
    How do I turn down my computer? | How do I shut down my computer?
    how do I treat a fever | how do I get a fever
    How do I shut off my phone? | How do I shut off the water?
    How do I get pre-approved for a mortgage? | How do I get approved for a mortgage?
    How do I work out the area of a triangle? | How does the area of a triangle work?
    How do I work out at home? | How do I work from home?
    How do I work out at home? | How do I work at home?
    How do I pick a lock? | How do I choose a lock?
    How do I pick a good apple? | How do I choose a bad apple?
    How do I get better at chess? | How do I get better?
    How do I get better at chess? | How do I get worse at chess?
    How do I increase my heart rate? | How do I improve my heart rate?
    How do I increase my debt? | How do I improve my debt?
    How do I keep avocados from browning? | How do I keep avocados?
    How do I keep avocados from browning? | How do I make avocados brown?
    How do I prevent my dog from barking? | How do I prevent my cat from barking?
    List the Python keywords in a list | Print the Python keywords in a table
    How do I ask for a day off? | How do I ask for two days off?
    How do I ask for a day off? | How do I ask for a day?
    How do I change a string to lowercase in Java? | How do I change a string to uppercase in Java?
    Is it bad to crack your knuckles? | Is cracking your knuckles good for you?
    How do I fix error 404? | How do I get error 404?
    How do I improve my English? | How do I teach English?
    How do I pick a name for my dog? | How do I change a name for my dog?
    what is 2 * x | what is twice
    Convert 100 Mbps to MB/s. | Convert 100 MB/s to Mbps.
    Convert 100 Mb/s to GB/s. | Convert 100 MB/s to GB/s.
    what's the atomic number of carbon | what's the atomic mass of carbon
    What's the serial number of my printer? | What's the number of printers?
    how many cm is 5 foot 9 | how many cm is 5 foot 8
    how many cm is 5 foot 9 | how many cm is 9 foot 5
    Is drinking water safe in Mexico? | Is water safe in Mexico?
    Is drinking water safe for a baby? | Is drinking milk safe for a baby?
    What does DNS stand for? | What does DNS do?
    what is the full form of DNS | what is the form of DNS
    what is the full form of DNS | what is DNS
    who is Colum McCann | who is column mccann
    how do i divide fractions | how do i multiply fractions
    how do i treat a burn | how do i treat a sunburn
    how is the area of a triangle calculated | how does the area of a triangle work
    how do I add a column in excel | how do I sum a column in excel
    """
)
def test_a_near_word_does_not(one, other):
    assert reason(one, other) != "serves"
