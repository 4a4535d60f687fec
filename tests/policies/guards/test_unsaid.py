"""Words that one prompt has and the other implies, and frames that add a word to a noun.

Over 400 lines, nearly all of them rows: a word's near misses stand beside what it may leave out.
"""

from tests.policies.guards.verdicts import reason, rows


@rows(
    """
    How much does a wedding cost? | How much does a wedding cost on average?
    What does a dental crown cost? | What is the average cost of a dental crown?
    How much do electricians charge? | On average, how much do electricians charge?
    How long do ferrets sleep? | How long do ferrets normally sleep?
    How heavy is a koala? | How heavy is a koala on average?
    How tall is the Eiffel Tower? | Roughly how tall is the Eiffel Tower?
    How long should a blog post be? | What is the ideal length for a blog post?
    How should I store honey? | What's the optimal way to store honey?
    How do I update a row in SQL? | How do I update an existing row in SQL?
    How do I delete a branch in git? | How do I delete an existing branch in git?
    How do I hide a column in Excel? | How do I hide a column of a spreadsheet in Excel?
    Excel formula for the sum of B2 to B9 | Excel formula for the sum of cells B2 to B9
    How do I average column C in Google Sheets? | How do I average the values in column C in Google Sheets?
    How do I count the rows of a table in SQLite? | How do I count the rows of a table in a SQLite database?
    How do I list all branches in git? | How do I list all branches in a git repository?
    What port does MySQL use? | What port does MySQL use by default?
    What port does Redis listen on? | What port does Redis listen on by default?
    What is the speed of sound? | How fast does sound travel?
    How tall are sunflowers? | How tall do sunflowers grow?
    Explain Ohm's law. | How does Ohm's law work?
    What does the `-v` flag do in grep? | What does `-v` do in grep?
    What does a `KeyError` mean in Python? | What does a `KeyError` error mean in Python?
    What does the static keyword do in Java? | What does static do in Java?
    How do I make ricotta? | How do I make homemade ricotta?
    How do I write a file in Go? | How do I write a file to disk in Go?
    What does HTTP 503 mean? | What does HTTP status 503 mean?
    Can I carry scissors in my checked bag? | Are scissors allowed in checked bags?
    Can I wear sandals in the office? | Are sandals allowed in the office?
    Can we bring drinks into the stadium? | Are drinks allowed in the stadium?
    Who wrote the song Imagine? | Who wrote Imagine?
    Who is the author of the novel Emma? | Who wrote Emma?
    Who directed the movie Jaws? | Who is the director of Jaws?
    How long is the river Danube? | How long is the Danube?
    How big is the planet Jupiter? | How big is Jupiter?
    How do I find my public IP address? | How do I find my public IP?
    How do I quit the nano editor? | How do I quit nano?
    How do I list running processes in Linux? | How do I list processes in Linux?
    How do I get a coffee stain out of a shirt? | How do I get coffee out of a shirt?
    How much should I tip in Spain? | How much of a tip should I leave in Spain?
    What is the minimum wage in Spain? | What is the minimum wage in Spain nowadays?
    How much time should a child spend reading per day? | How long should a child read each day?
    Who won the 2010 World Cup? | Which country was the winner of the 2010 World Cup?
    How do I perform the Heimlich maneuver? | How do I do the Heimlich maneuver?
    How many Oscars has Spielberg won? | How many Oscars has Spielberg won to date?
    How many people have walked on the moon? | How many people have walked on the moon so far?
    What is the melting point of ice? | What is the melting point of ice at atmospheric pressure?
    How many jokers are in a deck of cards? | How many jokers are in a deck of playing cards?
    What's the best laptop? | What's the best laptop out there?
    What is 20% of 150? | What number is 20% of 150?
    What is 9 squared? | What is 9 squared equal to?
    What is the square root of 81? | What is the value of the square root of 81?
    Solve the equation 2x + 1 = 9 | Solve 2x + 1 = 9
    How do I shuffle a list in Python? | How do I shuffle the items in a list in Python?
    How do I sum an array in JavaScript? | How do I sum the values of an array in JavaScript?
    How do I iterate over a set in Java? | How do I iterate over the elements of a set in Java?
    How do I update my phone number? | How do I update the phone number on my account?
    How do I reset my password? | How do I reset my account password?
    How do I exchange a product? | How do I exchange a product I purchased?
    How much does delivery cost? | How much are delivery costs?
    How do I zip a folder on Windows? | How do I zip a folder on a Windows PC?
    How do I force quit an app on a Mac? | How do I force quit an app on a Mac computer?
    What do I need for pancakes? | What ingredients do I need for pancakes?
    How do I parse a JSON in Python? | How do I parse a JSON file in Python?
    How do I read an Excel file in pandas? | How do I read an Excel file into a dataframe in pandas?
    Is a whale classified as a mammal? | Is a whale a mammal?
    How can I manage to fall asleep faster? | How can I fall asleep faster?
    Who is the richest man as of today? | Who is the richest man right now?
    What is the Linux terminal command to copy a file? | What is the Linux command to copy a file?
    How many states does Brazil have? | How many states is Brazil divided into?
    How many players are on a baseball team? | How many players does a baseball team consist of?
    What does git reset do? | What is the effect of running git reset?
    I forgot my PIN, how do I reset it? | How do I reset my PIN?
    How do I take a screenshot on a Chromebook? | How do I capture the screen on a Chromebook?
    How do I free up storage on my phone? | How do I free up storage space on my phone?
    Make this sentence more concise: "I am late." | Rewrite this sentence in a more concise way: "I am late."
    Make this email friendlier: "Send me the file." | Rewrite this email in a friendlier tone: "Send me the file."
    What is the safe internal temperature for pork? | At what internal temperature is pork safe to eat?
    Is it safe to take ibuprofen with alcohol? | Can I take ibuprofen while drinking alcohol?
    What is the recommended dose of ibuprofen for adults? | How much ibuprofen should an adult take?
    What foods are high in iron? | What foods are good sources of iron?
    How do I keep avocados from browning? | How do I keep avocados from turning brown?
    Do I need a visa for Japan? | Do I need a visa to travel to Japan?
    Do I need a visa for Japan? | Do I need a visa to enter Japan?
    How do I file my taxes? | How do I file my tax return?
    What is an LLC? | What is an LLC company?
    What is a metaphor? | What is a metaphor in literature?
    What is a noun? | What is a noun in grammar?
    Who is the prime minister of Japan? | Who currently serves as prime minister of Japan?
    What is the largest city in Canada? | What is the largest city in Canada by population?
    What is the highest mountain in Africa? | What is the highest mountain on the African continent?
    What ocean is between Europe and America? | What ocean lies between Europe and America?
    Who painted the Mona Lisa? | Who was the artist who painted the Mona Lisa?
    Who wrote Hamlet? | Who wrote the play Hamlet?
    How many chapters are in Moby Dick? | How many chapters does the book Moby Dick have?
    When was the iPhone released? | When was the iPhone first released?
    When was penicillin discovered? | When was penicillin first discovered?
    When did humans land on the moon? | When did humans first land on the moon?
    How did the Titanic sink? | How did the Titanic end up sinking?
    How is glass made? | How is glass manufactured?
    How is paper made? | How is paper produced?
    How do planes fly? | How do planes manage to fly?
    Why is the sky blue? | Why does the sky appear blue?
    How do I get rid of aphids? | How do I get rid of an aphid infestation?
    How long are cats pregnant? | How long does a cat's pregnancy last?
    How many vacation days do I get? | How many vacation days am I entitled to?
    What is the second law of thermodynamics? | What does the second law of thermodynamics state?
    How fast is a cheetah? | How fast can a cheetah run?
    How long is a passport valid? | How long is a passport valid for?
    What is the legal drinking age in Germany? | What is the drinking age in Germany?
    What is a lease? | What is a lease agreement?
    Who created Bitcoin? | Who is the creator of Bitcoin?
    Who founded Apple? | Who founded the company Apple?
    When was Apple founded? | When was the company Apple founded?
    How do I print in Python? | How do I print to the console in Python?
    How do I link a CSS file in HTML? | How do I link a CSS file to an HTML page?
    How do I change the background color in CSS? | How do I change the background color of a page in CSS?
    How do I concatenate strings in Java? | How do I concatenate two strings in Java?
    How do I compare strings in Java? | How do I compare two strings in Java?
    How do I install a package with pip? | How do I install a Python package with pip?
    How do I update npm? | How do I update npm to the latest version?
    How do I check my Python version? | How do I check which version of Python I have installed?
    How do I check the Node version? | How do I check what version of Node is installed?
    How do I squash commits in git? | How do I squash multiple commits in git?
    How do I stop a docker container? | How do I stop a running docker container?
    How do I freeze panes in Excel? | How do I freeze panes in Microsoft Excel?
    How do I crop a photo in Photoshop? | How do I crop a photo in Adobe Photoshop?
    How do I reset an iPhone? | How do I reset an Apple iPhone?
    How do I block pop-ups in Chrome? | How do I block pop-ups in the Chrome browser?
    How do I add a footer in Word? | How do I add a footer to a Word document?
    How do I add a chart in Excel? | How do I add a chart to an Excel spreadsheet?
    How do I find duplicates in Excel? | How do I find duplicate values in Excel?
    How do I remove duplicates from a list in Python? | How do I remove duplicate elements from a list in Python?
    Why does my wifi router keep restarting? | Why does my router keep restarting?
    Why is my internet slow? | Why is my internet connection slow?
    Why is my laptop slow? | Why is my laptop running so slow?
    How do I clean glasses? | How do I clean a pair of glasses?
    How do I bake sourdough bread? | How do I bake a loaf of sourdough bread?
    How do I brew tea? | How do I brew a pot of tea?
    How do I poach an egg? | How do I poach the perfect egg?
    What is a normal heart rate for a man? | What is a normal resting heart rate for a man?
    What are the benefits of drinking green tea? | What are the benefits of green tea?
    How do I clear the cache in Chrome? | How do I clear the browser cache in Chrome?
    How do I delete cookies in Firefox? | How do I delete all cookies in the Firefox browser?
    How do I make a pivot table in Excel? | How do I create a pivot table in Microsoft Excel?
    How do I remove duplicates in Excel? | How do I remove duplicate entries in Excel?
    How do I remove duplicates in Excel? | How do I remove duplicate values in Excel?
    How do I remove duplicates from a list in Python? | How do I remove duplicate items from a list in Python?
    How do I insert a page break in Word? | How do I insert a page break in a Word document?
    How do I add page numbers in Word? | How do I add page numbers to a Word document?
    How do I merge PDFs? | How do I merge PDF files?
    How do I merge PDFs? | How do I merge multiple PDFs into one?
    How do I reset my router? | How do I reset my wifi router?
    How do I find my wifi password? | How do I find my wifi network's password?
    Why is my wifi slow? | Why is my wifi connection so slow?
    Why is my wifi slow? | Why is my wifi running slow?
    Why is my computer slow? | Why is my computer running so slowly?
    How do I sharpen scissors? | How do I sharpen a pair of scissors?
    What is a normal heart rate? | What is a normal resting heart rate?
    What are the benefits of green tea? | What are the benefits of drinking green tea?
    How do I cook a steak? | How do I cook the perfect steak?
    How do I make bread? | How do I make a loaf of bread?
    How do I restore a deleted note on an iPhone? | I accidentally deleted a note on my iPhone. How do I restore it?
    How do I undo a git merge? | I accidentally ran git merge. How do I undo it?
    How do I get rid of moths? | There are moths everywhere. How do I get rid of them?
    How long is a football match? | How long does a football match last?
    How long is the movie Titanic? | How long does the movie Titanic last?
    When is Thanksgiving in 2026? | On what date does Thanksgiving fall in 2026?
    What is the smallest planet? | What is the smallest planet in the solar system?
    How big is Venus? | How big is the planet Venus?
    How many moons does Saturn have? | How many moons orbit Saturn?
    How do I get candle wax out of a tablecloth? | I spilled candle wax on my tablecloth, how can I remove it?
    How do I recover deleted photos on an iPhone? | I accidentally deleted photos on my iPhone. How do I recover them?
    How do I undo git add? | I accidentally ran git add. How do I undo it?
    How do I get rid of fruit flies? | There are fruit flies everywhere. How do I get rid of them?
    What is Edison known for? | What is Edison best known for?
    Name the planets. | Name all the planets in the solar system.
    What is the biggest planet? | What is the biggest planet in our solar system?
    What is the hottest planet? | What is the hottest planet in the solar system?
    How many moons does Jupiter have? | How many moons orbit Jupiter?
    Why is Mars red? | Why is the planet Mars red?
    When is Easter 2025? | On what date does Easter fall in 2025?
    """
)
def test_a_word_that_goes_unsaid(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What is the temperature in Oslo? | What is the average temperature in Oslo?
    How fast did Bolt run the race? | How fast did Bolt run the race on average?
    What is the price of gold? | What is the average price of gold?
    How much does Tesla stock cost? | How much does Tesla stock cost on average?
    How much does my car cost? | How much does my car cost on average?
    How much do the players in my team weigh? | How much do the players in my team weigh on average?
    How much do players weigh at most? | How much do players weigh on average?
    How much does the flight cost? | How much does the flight cost on average?
    What is the weight of these dogs? | What is the average weight of these dogs?
    How many goals does a player score in total? | How many goals does a player score on average?
    What is the height of a building in this list? | What is the average height of a building in this list?
    What does a root canal cost? | What does an average root canal cost with insurance?
    What is the grade of a student? | What is the average grade of a student at MIT?
    select the salary of a nurse in sql | select the average salary of a nurse in sql
    What is the highest salary of a nurse? | What is the highest average salary of a nurse?
    How long did a siege take? | How long did a siege take on average?
    What is the median salary of a nurse? | What is the average salary of a nurse?
    How tall is an average building? | How tall is the tallest building?
    How long does it take a cat to roughly scratch a sofa? | How long does it take a dog to scratch a sofa?
    How do I roughly chop onions? | How do I chop onions?
    How many cells are in column B? | How many values are in column B?
    Count the values in column B | Count column B
    Excel formula to sum column B | Excel formula to sum the cells above column B
    How do I delete a sheet from Excel? | How do I delete a row from Excel?
    How do I delete a sheet in Excel? | How do I delete Excel?
    How do I copy the first row to another sheet in Excel? | How do I copy the first row in Excel?
    How do I delete the first row in all sheets in Excel? | How do I delete the first row in Excel?
    How do I protect a column of a sheet in Excel? | How do I protect a column in Word?
    How do I delete MySQL? | How do I delete a MySQL database?
    How do I list all databases in MySQL? | How do I list all tables in MySQL?
    How do I list all tables in all MySQL databases? | How do I list all tables in MySQL?
    How do I connect to a MySQL database from PHP? | How do I connect to MySQL?
    How do I delete a git repository? | How do I delete git?
    How do I undo a commit in all git repositories? | How do I undo a commit in git?
    How do I create a git repository? | How do I create a git?
    How do I open the terminal in Linux? | How do I open Linux?
    How do I list files in the Linux terminal? | How do I list files in Linux?
    What is the default gateway? | What is the gateway?
    How do I change the default browser? | How do I change the browser?
    What port does SSH use by default? | What ports does SSH not use?
    What is the speed of light? | How fast does sound travel?
    How far does light travel in a year? | How fast does light travel?
    How fast do sunflowers grow? | How tall do sunflowers grow?
    How tall is a sunflower? | How fast does a sunflower grow?
    How long does hair grow? | How long does hair last?
    Explain the work of Monet. | Explain Monet.
    Explain how the law of gravity works on Mars. | Explain the law of gravity.
    Explain the law. | How does the law firm work?
    Who works for the law? | Explain the law.
    What does the yield keyword do in Python? | What does the return keyword do in Python?
    List all keywords in Python. | List all in Python.
    What is a keyword in Python? | What is a variable in Python?
    How do I search a keyword in a Python list? | How do I search a Python list?
    What does the `-r` flag do in cp? | What does the `-p` flag do in cp?
    How do I raise an error in Python? | How do I raise in Python?
    How do I log HTTP errors? | How do I log HTTP?
    What does `KeyError` mean? | What does `ValueError` error mean?
    How do I ignore a `KeyError` error? | How do I raise a `KeyError`?
    Is homemade mayonnaise safe? | Is mayonnaise safe?
    How long does homemade mayonnaise last? | How long does mayonnaise last?
    What can I make with homemade mayonnaise? | What can I make with mayonnaise?
    How do I recover a deleted file from disk in Python? | How do I recover a deleted file in Python?
    How do I format a disk? | How do I format a file?
    Can I bring wine into Norway? | Is wine allowed in Norway?
    Can I bring food from the restaurant? | Is food allowed in the restaurant?
    Can I bring a knife in hand luggage? | Are knives allowed in checked luggage?
    Can I wear jeans at a wedding? | Is a wedding dress allowed in jeans?
    Can I bring my dog to the restaurant? | Are dogs safe in the restaurant?
    Can dogs carry rabies? | Are dogs with rabies allowed?
    Should I bring a gift to the party? | Are gifts allowed at the party?
    Why can't I bring a knife on a plane? | Are knives allowed on a plane?
    How long should a cover letter be? | How long is the ideal cover letter for Google?
    How long is a cover letter? | What is the ideal length of a cover letter?
    What is the temperature of a fridge? | What is the ideal temperature of a fridge?
    What is an ideal gas? | What is a gas?
    How should an ideal gas behave? | How should a gas behave?
    Should I weigh 70 kg? | Is 70 kg my ideal weight?
    How do I create a table from an existing table in SQL? | How do I create a table in SQL?
    How do I copy an existing table? | How do I create a table?
    How do I add a new column to a new table? | How do I add a new column to an existing table?
    What existing laws protect cats? | What laws protect cats?
    How long can a cat spend outside? | How long does a cat sleep outside?
    How much money do cats spend? | How much money do cats have?
    How do I stain wood with coffee? | How do I get coffee out of wood?
    How do I remove paint stains from wood? | How do I remove paint from wood?
    What is the chemical composition of gold? | What is the composition of gold?
    What is the symbol of Egypt? | What is the chemical symbol of gold?
    How do I list running containers? | How do I list containers?
    Which planet is named after Mars? | Who is Mars?
    What planet is next to Mars? | What is next to Mars?
    How long is the Rhine? | How long is the Rhine valley?
    Who wrote the song Hallelujah? | Who sang the song Hallelujah?
    Who wrote the book about Dracula? | Who wrote Dracula?
    What process is running on port 8080? | What process is blocking port 8080?
    How do I run a process on port 8080? | How do I kill a process on port 8080?
    Am I entitled to vote? | Do I get to vote early?
    soft skill definition | What are soft skills examples?
    python function definition | what is a python function
    What does aspirin do to the stomach? | What does aspirin do to the liver?
    What does he do to the car? | How does he affect the driver?
    How do I perform a song? | How do I write a song?
    How do I perform better in exams? | How do I get better in exams?
    Who performed the song? | Who wrote the song?
    How well does the fund perform? | How does the fund work?
    How many titles has she won? | How many titles will she win so far?
    Why is Pluto so far? | Why is Pluto so cold?
    How many cups had Brazil won by 1990? | How many cups has Brazil won so far?
    What should I wear to a date? | What should I wear?
    How many people has she asked to date? | How many people has she asked?
    What is the boiling point of water at sea level? | What is the boiling point of water at high altitude?
    What is the pressure at sea level? | What is the boiling point at sea level?
    What is the boiling point of water at high pressure? | What is the boiling point of water?
    At what pressure does water boil? | At what temperature does water boil?
    How do I play a deck of cards? | How many cards are in a deck?
    What number is Messi? | What is Messi?
    240 is 15% of what number? | What is 15% of 240?
    What is 12 squared? | Is 12 squared equal to 144?
    What is 12 squared? | Which squares equal 12?
    Solve the equation x + 3 = 5 | Solve the equation x - 3 = 5
    Solve the equation x + 3 = 5 | Plot the equation x + 3 = 5
    What is the value of the root? | What is the root?
    What is the value of 5 apples? | What is 5 apples?
    What is the largest animal on the planet? | What is the largest planet?
    What is the best way out? | What is the best way?
    Is there life out there? | Is there life?
    How do I sort a list in Python? | How do I sort the list of lists in Python?
    How do I sort a list in Python? | How do I sort the keys of a dictionary in Python?
    How do I count the elements of a list in Python? | How do I count a list in Python?
    How do I delete the elements of a list in Python? | How do I delete a list in Python?
    How do I reverse a string in Java? | How do I reverse the words of a string in Java?
    How do I sort the characters of a string? | How do I sort the strings?
    How do I change my password? | How do I change my account?
    How do I delete my account? | How do I delete my password?
    How do I change my bank account password? | How do I change my password?
    How do I change the name on another account? | How do I change the name on my card?
    How do I add money to my account? | How do I add money?
    How do I return an item? | How do I return an item I sold?
    How do I sell an item I bought? | How do I sell an item?
    How do I return an item I bought on sale? | How do I return an item?
    How much is the loan? | How much is the fee for the loan?
    How much is a house? | How much is the insurance cost of a house?
    Where can I buy a Windows computer? | Where can I buy Windows?
    How do I install Python on Windows? | How do I install Python on a Linux computer?
    How do I install Windows on a Mac computer? | How do I install Windows?
    How do I connect a Windows computer to a Mac? | How do I connect Windows to a network?
    What ingredients do I need to make bread? | What tools do I need to make bread?
    What ingredients make bread rise? | What makes bread rise?
    How do I read a CSV file in pandas? | How do I write a CSV file in pandas?
    How do I convert a dataframe in pandas to a list? | How do I convert a list in pandas?
    Is a tomato classified as a fruit? | Is a tomato a vegetable?
    How is a tomato classified? | What is a tomato?
    Give me the planets in a list | Give me the planets
    Find the largest number in a list | Find the largest list
    How did she manage to win? | How did she win the cup in 2010?
    How do I manage people? | How do I find people?
    What is the answer as of 1990? | What is the answer as of now?
    How do I delete a dataframe? | How do I delete pandas?
    Linux command to open the terminal | Linux command
    What is the atmospheric pressure on Mars? | What is the pressure on Mars?
    How many states is Brazil divided into? | How many states border Brazil?
    How many pieces is a cake divided into? | How many cakes are in a piece?
    How many parts is 12 divided into? | How many parts does 12 have?
    How many players does a team consist of? | How many players does a team lose?
    What is 12 divided by 3? | What is 12?
    What does git reset do? | What is the effect of running git rebase?
    What is the effect of running on the knees? | What is the effect of walking on the knees?
    How do I run git reset? | How do I do git reset?
    I forgot my PIN, how do I reset it? | How do I change my PIN?
    How do I stop forgetting my password? | How do I stop my password?
    I forgot my email, how do I reset my password? | How do I reset my password?
    Rewrite this in a friendlier tone: "Send me the file." | Make this shorter: "Send me the file."
    Rewrite this in a friendlier tone: "Send me the file." | Make this friendlier: "Send me the files now."
    Rewrite this in a formal tone: "Send it." | Make this informal: "Send it."
    What tone does this have: "Send it." | Make this formal: "Send it."
    At what temperature is pork safe to eat? | At what temperature is pork safe to store?
    At what temperature is pork safe to eat? | How long is pork safe to eat?
    Is it safe to eat pork? | Is it safe to sell pork?
    What is the recommended dose of ibuprofen? | What is the maximum dose of ibuprofen?
    What is the recommended dose of ibuprofen for a dog? | How much ibuprofen should a child take?
    How much ibuprofen should I take at once? | What is the recommended daily dose of ibuprofen?
    Why do leaves turn brown? | Why do leaves turn yellow?
    Can I turn my hair white? | Is my hair white?
    How do I turn a wall white? | How do I clean a white wall?
    Do I need a visa to enter Japan? | Do I need a visa to leave Japan?
    Do I need a visa to work in Japan? | Do I need a visa for Japan?
    Do I need a visa to travel from Japan? | Do I need a visa for Japan?
    How do I enter Japan? | How do I find Japan?
    How do I return my tax form? | How do I file my taxes?
    How do I amend my tax return? | How do I amend my taxes?
    When is my tax return coming? | When is my tax due?
    What is the largest city in Canada by population? | What is the largest city in Canada by area?
    What is the largest city in Canada by area? | What is the largest city in Canada?
    What is the largest country by population? | What is the largest country?
    Which sea lies between Italy and Croatia? | Which sea lies beyond Italy?
    What lies did he tell? | What did he tell?
    When was the iPhone first released? | When was the first iPhone case released?
    Who first landed on the moon? | Who landed on the moon?
    When were the Olympics first held? | When were the Olympics held?
    When did I first use a phone? | When did I use a phone?
    When was the first car built? | When was the car built?
    When was the building first opened? | When was the building last opened?
    How did the Titanic end? | How did the Titanic sink?
    Where did they end up? | Where did they go?
    How is paper produced? | How is paper used?
    How does a company produce paper? | How does a company use paper?
    How do I manage to fly? | How do I fly a plane?
    How do companies manage planes? | How do companies fly planes?
    Why does he appear red? | Why is he red?
    What food do rabbits eat? | What plants do rabbits eat?
    What food eats rabbits? | What eats rabbits?
    What is food made of? | What is it made of?
    How does online dating work? | How do I date online?
    How does renting work? | How do I rent?
    How does the heat pump work in winter? | How does the heat pump freeze in winter?
    How does absorption of water work? | How does absorption of light work?
    How do I rent storage space? | How do I rent a space heater?
    What is an ATM machine fee? | What is an ATM fee limit?
    How tall is an oak tree? | How tall is an oak door?
    What is a verb? | What is a verb in French grammar?
    What is the median in statistics? | What is the median in anatomy?
    What is a noun phrase? | What is a noun in grammar?
    What causes Lyme disease? | What causes limes?
    What ants cause an infestation? | What ants sting?
    What are good sources of iron? | What are good sources of zinc?
    Which sources are good for iron? | Which contain iron?
    Who is the artist who painted Guernica? | Who is the artist who owned Guernica?
    Who serves the prime minister of Japan? | Who is the prime minister of Japan?
    Who wrote and plays Hamlet? | Who wrote Hamlet?
    How do I capture the screen on a Mac? | How do I clean the screen on a Mac?
    How do I capture the screen as a video on a Mac? | How do I take a screenshot on a Mac?
    What is the drug for? | What is the drug?
    How long is the visa for? | What is the visa for?
    What does the law say about dogs? | What is the law?
    How fast can a cheetah run? | How far can a cheetah run?
    How fast can a duck fly? | How fast can a duck run?
    How do I stop running containers? | How do I stop a container?
    How do I stop running? | How do I stop?
    How do I run a container? | How do I stop a container?
    How do I start a stopped container? | How do I start a running container?
    Is it legal to drink at 16 in Germany? | Do people drink at 16 in Germany?
    What is the legal age in Germany? | What is the drinking age in Germany?
    What is the legal drinking limit for drivers? | What is the legal drinking age?
    Who is the creator of Bitcoin? | Who is the owner of Bitcoin?
    Who is the creator of the Bitcoin logo? | Who created Bitcoin?
    Who owns the company Apple? | Who owns the apple?
    Who founded the company that Apple bought? | Who founded Apple?
    How do I print to a file in Python? | How do I print in Python?
    How do I clear the console in Python? | How do I clear in Python?
    How do I redirect to another page in HTML? | How do I redirect in HTML?
    How do I add a page in HTML? | How do I add a link in HTML?
    How do I delete all pages in HTML? | How do I delete in HTML?
    How do I read a CSV in Python? | How do I read a CSV in pandas?
    How do I read a CSV in Python? | How do I read a CSV in R?
    How do I install Python with pip? | How do I install pip?
    How do I install pip for Python 3? | How do I install pip?
    How do I call Python from node.js? | How do I call node.js?
    How do I convert Python code to JavaScript with react? | How do I convert code with react?
    How do I downgrade npm to the latest version? | How do I update npm?
    How do I update npm to version 6? | How do I update npm?
    What is the latest version of npm? | How do I update npm?
    How do I install the latest version of npm? | How do I update npm in a project?
    How do I install Python? | How do I check my Python version?
    How do I list multiple commits? | How do I list commits?
    Can I have multiple accounts? | Can I have an account?
    How do I merge multiple branches in git? | How do I merge a branch in git?
    How do I compare two lists? | How do I compare three lists?
    What is a rental lease? | What is a purchase agreement?
    What fruits are sources of infection? | What fruits contain iron?
    How do I add an existing user in Linux? | How do I add a user in Linux?
    How do I sort the values of a dictionary in Python? | How do I sort a dictionary in Python?
    When was the first published map sold? | When was the published map sold?
    Which fruits turn brown? | Which fruits are brown?
    How do I attach a PDF to a file? | How do I attach a PDF?
    How do I save a CSV in a file? | How do I save a CSV?
    What elements are in iron? | What is in iron?
    Which planet is closest to Mars? | Which is closest to Mars?
    How do I link an IP to an address? | How do I link an IP?
    How do I turn tofu brown? | How do I fry brown tofu?
    Which river flows into the Nile? | What flows into the Nile?
    What trees grow near an oak? | What grows near an oak?
    How do I change my browser from Chrome? | How do I change my homepage in Chrome?
    Which browser is better than Chrome? | Which is better than Chrome?
    Who founded Microsoft Excel? | Who founded Microsoft?
    How do I move files from Microsoft Azure? | How do I move files to Azure?
    How do I call Apple about my iPhone? | How do I call about my iPhone?
    How do I connect Microsoft and Excel? | How do I connect Excel?
    How do I delete a Word document? | How do I delete a word?
    How do I merge two documents in Word? | How do I merge in Word?
    How do I remove a duplicate value in Excel? | How do I remove duplicates in Excel?
    How do I remove duplicate rows in Excel? | How do I remove duplicate values in Excel?
    How do I count unique values in Excel? | How do I count duplicate values in Excel?
    How do I delete an Excel spreadsheet? | How do I delete Excel?
    How do I reset my wifi? | How do I reset my router?
    Is wifi a network? | Is wifi safe?
    Why is my computer slow? | Why is my computer running hot?
    Why is my computer running? | Why is my computer slow?
    Why am I slow at running? | Why am I slow?
    How much is a pair of shoes? | How much is a shoe?
    How do I pair my headphones? | How do I clean my headphones?
    How many calories are in a cup of coffee? | How many calories are in coffee?
    How do I make a cup of clay? | How do I make clay?
    How do I make a paper cup? | How do I make paper?
    How do I cut a loaf of bread? | How do I make bread?
    How do I check for a perfect square in Python? | How do I check for a square in Python?
    How do I get a perfect score? | How do I get a score?
    What is the perfect temperature to cook steak? | What temperature is steak cooked to in France?
    What is a normal heart rate? | What is a normal heart rate after resting for an hour?
    What is a normal heart rate while running? | What is a normal resting heart rate?
    What is a normal breathing rate? | What is a normal resting heart rate?
    Is drinking green tea bad? | Is growing green tea bad?
    What happens when drinking and eating rice? | What happens when eating rice?
    I accidentally deleted a file, how do I recover it? | I accidentally deleted a file, how do I replace it?
    What happens if I accidentally delete it? | What happens if I recover it?
    How do I undo git add? | How do I run git add?
    I ran a marathon. How do I get back in shape? | How do I get back in shape?
    I spilled wine on the table. What do I do? | I spilled wine on the carpet. What do I do?
    How do I clean a spill? | How do I clean a bottle?
    I spilled water on my laptop. How do I clean it? | I spilled wine on my laptop. How do I clean it?
    How long does a battery last? | How long is a battery?
    How long is a day on Mars? | How long is a day on the last planet?
    When did the war last? | When was the war?
    On what date did the wall fall? | When was the wall built?
    On what day does the deadline fall? | Why is the deadline on that day?
    What is the biggest planet in other solar systems? | What is the biggest planet?
    What is the biggest star in the solar system? | What is the biggest star?
    How do solar panels on a planet work? | How does a planet work?
    Which moon orbits Jupiter? | Which moon leaves Jupiter?
    Do moons orbit planets? | Do moons leave planets?
    What is Edison best known for? | What is Edison least known for?
    How do I delete a pandas dataframe? | How do I delete pandas?
    How do I copy a pandas dataframe? | How do I copy pandas columns?
    Why do leaves fall? | Why are leaves green?
    Why are ants everywhere? | Why are ants here?
    How much does a nurse earn on average in Ohio? | How much does a nurse earn in Iowa?
    How much does a nurse earn at most? | What does a nurse earn on average?
    How many hours does a cat sleep? | How many hours does an average dog sleep?
    What's the average age of a president? | What's the age of a president?
    How old are students? | What is the average age of Harvard students?
    How much rain falls in a storm? | How much rain falls on average?
    How much is an average? | How much is it?
    How do I calculate the average of a column? | How do I calculate a column?
    How should I dress? | What is the ideal dress?
    How much should I weigh? | What is my ideal weight at age 12?
    Who should I invite? | Who is the ideal guest?
    How do I find existing bugs? | How do I find bugs?
    How do I update a table? | How do I update an existing table view?
    How do I check the port? | How do I check the default?
    What port does the default site use? | What port does the site use?
    How do I find the default port? | How do I change the port?
    Explain this sentence: "I can't go." | Rewrite this sentence: "I can't go."
    Make this sentence a question: "I can't go." | Rewrite this sentence in a formal tone: "I can't go."
    Make this email shorter: "Send it." | Rewrite this email in a shorter style: "Send them."
    How do I use a computer on Windows? | How do I use Windows?
    What does the flag do in `cp -r`? | What does `cp -r` do?
    What does the error `E11000` mean? | What does `E11001` mean?
    How do I raise a `ValueError` error? | How do I catch a `ValueError` error?
    When was the first book published? | When was the book first published in English?
    When was it first published? | When was it last published?
    When did women first vote? | When did women vote?
    When did humans land on Mars? | When will humans first land on Mars?
    How do vaccines work? | How do vaccines fail to work?
    How does memory work? | How does memory loss work?
    How many states does Brazil have? | How many regions is Brazil divided into?
    How many parties divided Germany? | How many parties does Germany have?
    Can I bring a dog to work? | Can I bring a cat to work?
    Can I bring my dog to the beach? | Are dogs allowed on the beach at night?
    Can I carry a gun? | Are guns allowed to be sold?
    Can I wear shorts to the office? | Are shorts allowed in school?
    Do I need a visa to enter Japan? | Do I need a visa to enter China?
    What is the dose of ibuprofen? | How much ibuprofen should I buy?
    Who is the founder of Apple? | Who founded the company that makes apples?
    How much does shipping cost? | How much did shipping cost?
    What number is 15% of 80? | What number is 15% off 80?
    How many players does a team consist of? | How many teams does a player have?
    What is the tallest tree on the planet? | What is the tallest tree in Europe?
    What's the best phone out there? | What's the best phone under $300?
    What is the melting point of ice at sea level? | What is the level of the sea?
    How do I read a file in Python? | How do I read a file on another disk in Python?
    How do I list tables in a database? | How do I list tables in MySQL?
    How do I sum the numbers in column B? | How do I sum the numbers in row B?
    How do I sum the cells A1 to A5? | How do I sum the cells A1 to A6?
    What is a Python keyword? | What is Python?
    How do I restart my router? | How do I restart my wifi extender?
    Why is my internet slow? | Why is my internet connection lost?
    How do I make homemade bread? | How do I make homemade jam?
    Am I entitled to a refund? | Do I get a discount?
    Which scientist discovered radium? | Which scientist discovered polonium?
    What ingredients go into pesto? | What ingredients go into hummus?
    What role does iron play in blood? | What role does iron play in steel?
    What does aspirin do to the blood? | What does blood do to aspirin?
    What effect does aspirin have on the heart? | What effect does aspirin have on the liver?
    What symptoms does a B12 deficiency cause? | What causes a B12 deficiency?
    Which process is using port 80? | Which port is the process using?
    How do I take a screenshot on Windows? | How do I capture the screen with audio on Windows?
    Remind me what the capital of Peru was in 1500. | What is the capital of Peru?
    I forgot who won. | I forgot who lost.
    Who won, and by how much? | Who won?
    Is it urgent? | Is it good?
    Just out of interest, how do interest rates work? | How does interest work?
    How do I write a question? | How do I write a quick question?
    What is a serious question? | What is a question?
    Dear Sir, who are you? | Dear AI, what are you?
    What does "asap" mean? | What does "fyi" mean?
    Anyone, who? | Anyone, what?
    Best laptop for a school project | Best laptop
    For a school project, how tall is the Eiffel Tower? | For a school project, how old is the Eiffel Tower?
    Ideas for a school project | Ideas
    Give me trivia about Peru. | Give me facts about Peru.
    If I may ask, may I ask? | May I?
    soft skill definition | hard skill definition
    What is the effect of running on sleep? | What is the effect of sleep on running?
    """
)
def test_a_word_that_narrows(one, other):
    assert reason(one, other) != "serves"


@rows(
    """
    What symptoms does anemia cause? | What are the symptoms of anemia?
    What side effects can ibuprofen have? | What are the side effects of ibuprofen?
    What advantages do electric cars offer? | What are the advantages of electric cars?
    What role does chlorophyll play in photosynthesis? | What is the role of chlorophyll in photosynthesis?
    What purpose does the appendix serve? | What is the purpose of the appendix?
    How many points is a field goal worth? | How many points do you get for a field goal?
    How does osmosis work? | Explain the process of osmosis.
    Explain the process by which rocks form. | How do rocks form?
    Am I entitled to a pension? | Do I get a pension?
    Are part-time workers entitled to sick pay? | Do part-time workers get sick pay?
    Which soil works best for roses? | What is the best soil for roses?
    Which lens works well for portraits? | What is a good lens for portraits?
    How many cups make up a gallon? | How many cups are in a gallon?
    Who is credited with inventing the radio? | Who invented the radio?
    Which physicist discovered radioactivity? | Who discovered radioactivity?
    Which architect designed the Sydney Opera House? | Who designed the Sydney Opera House?
    What are the key differences between tea and coffee? | What are the differences between tea and coffee?
    What are the primary causes of erosion? | What are the main causes of erosion?
    Which problems occur in the Windows operating system? | Which problems occur in Windows?
    What ingredients go into hummus? | What are the ingredients of hummus?
    What are gallstones caused by? | What causes gallstones?
    What is the full form of RAM? | What does RAM stand for?
    what is an endorsement | endorsement meaning
    what is a hedge fund | hedge fund definition
    What does alcohol do to the liver? | What is the effect of alcohol on the liver?
    What does git rebase do? | Explain the effect of git rebase.
    What damage does hail do to cars? | What damage does hail cause to cars?
    Which process is listening on port 3000? | Which process is using port 3000?
    """
)
def test_a_frame_that_adds_a_word(one, other):
    assert reason(one, other) == "serves"


@rows(
    """
    What symptoms does iron deficiency cause? | What causes iron deficiency?
    What symptoms does iron deficiency cause? | What are the symptoms of iron overload?
    What symptoms can iron deficiency cause? | What causes the symptoms of iron deficiency?
    What symptoms does iron deficiency cause? | How do I treat the symptoms of iron deficiency?
    What symptoms does iron deficiency cause in dogs? | What are the symptoms of iron deficiency?
    What side effects does metformin have? | What are the effects of metformin?
    What side effects does metformin cause in children? | What are the side effects of metformin?
    What benefits does yoga offer? | What are the risks of yoga?
    What benefits do employers offer? | What are the benefits of an employer loan?
    What risks does smoking carry? | What are the risks of quitting smoking?
    What requirements must I meet to adopt a dog? | What are the requirements to sell a dog?
    What requirements did I have to meet to adopt a dog? | What are the tips to adopt a dog?
    What role does oxygen play in combustion? | What is the role of carbon in combustion?
    What role does the mother play in Psycho? | Who plays the mother in Psycho?
    What role did Al Pacino play in Scarface? | What is the role of Scarface in Al Pacino's career?
    What purpose does the appendix serve? | What is the purpose of an appendix in a book?
    How many points is a touchdown worth? | How much is a touchdown worth?
    How many points is a touchdown worth? | How many touchdowns is a point worth?
    Explain the process of photosynthesis. | Explain the purpose of photosynthesis.
    Explain the process of photosynthesis. | Why is photosynthesis important?
    How does a bill become law? | How does a law become a bill?
    Am I entitled to sick pay? | Am I entitled to holiday pay?
    Am I entitled to sick pay? | Did I get sick pay?
    Am I entitled to a refund? | How do I get a refund?
    Which oil works best for frying? | Which oil works worst for frying?
    Which oil works best for frying? | Which oil is safest for frying?
    How does olive oil work for frying? | What is the best olive oil for frying?
    How many ounces make up a pound? | How many pounds make up an ounce?
    Which notes make up the C major chord? | Which chords contain the note C?
    Which states make up New England? | Which states border New England?
    Who is credited with inventing the telephone? | Who is credited with improving the telephone?
    Who is credited in the telephone movie? | Who invented the telephone?
    Which scientist discovered penicillin? | Which scientist discovered radium?
    Which scientist won two Nobel prizes? | Who won two Nobel prizes?
    Which scientist works on penicillin? | Who discovered penicillin?
    What are the main causes of WW1? | What are the main effects of WW1?
    What are the minor causes of WW1? | What are the causes of WW1?
    What is the key signature of this piece? | What is the signature of this piece?
    What is the primary school of Leeds? | What is the school of Leeds?
    What is the major key of this song? | What is the key of this song?
    What is an owl? | owl meaning
    What is a wolf tattoo? | wolf tattoo meaning
    What is a red rose? | red rose meaning
    What is a carnation? | carnation meaning
    What is a dream about a wedding? | dream about a wedding meaning
    what is bohemian rhapsody | bohemian rhapsody meaning
    What is the greenhouse effect? | What does a greenhouse do?
    What does aspirin do? | What are the side effects of aspirin?
    What does aspirin do? | What is the effect of alcohol on aspirin?
    What does caffeine do? | What is the effect of sugar?
    What is the purpose of DDT? | What is the effect of DDT?
    What are kidney stones caused by? | What do kidney stones cause?
    What is malaria caused by? | What does malaria cause?
    What is the full form of DNS? | What is the full name of the DNS inventor?
    What is the full form of the poem? | What is the poem?
    What are the ingredients used to make pesto? | What ingredients did people formerly use for pesto?
    What did they use to make bread? | What is used to make bread?
    What is the minimum wage nowadays? | What was the minimum wage?
    How do cats tend to their kittens? | How do cats see their kittens?
    Why do cats tend to purr? | Why do cats tend to bite?
    How much of a tip should I leave in the US? | How much should I tip in the UK?
    tips for leaving a job | tips for a job
    Which Windows operating system is best for gaming? | Which Windows is best for offices?
    What is the central theme of Emma? | What is the central conflict of Emma?
    What is the central station of Rome? | What is the station of Rome?
    What is the central bank of Japan? | What is the main bank of Japan?
    Where is Toyota based? | Where is Toyota made?
    What advantages does a Roth IRA have over a 401k? | What advantages does a 401k have over a Roth IRA?
    What benefits does vitamin C have for skin? | What are the benefits of vitamin C?
    """
)
def test_another_thing_in_a_like_frame(one, other):
    assert reason(one, other) != "serves"
