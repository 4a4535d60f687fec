"""One answer to many different questions raises an alarm; one popular question does not."""

from proxy.cache.concentration import MAX_TEXTS, WINDOW_HITS, HitConcentration


def test_one_entry_for_many_different_texts_raises_the_alarm_once():
    hits = HitConcentration()
    raised = [hits.served(1, f"question {number}") for number in range(1000)]
    assert raised.index(True) == MAX_TEXTS
    assert (sum(raised), hits.alarms) == (1, 1)


def test_a_popular_question_raises_nothing():
    hits = HitConcentration()
    for number in range(1000):
        hits.served(1, f"wording {number % MAX_TEXTS}")
    assert hits.alarms == 0


def test_many_texts_of_an_entry_among_more_hits_of_others_raise_nothing():
    hits = HitConcentration()
    for number in range(1000):
        hits.served(number % 3, f"question {number}")
    assert hits.alarms == 0


def test_an_entry_that_calmed_down_can_raise_the_alarm_again():
    hits = HitConcentration()
    for _episode in range(2):
        for number in range(WINDOW_HITS):
            hits.served(1, f"question {number}")
        for _ in range(2 * WINDOW_HITS):
            hits.served(2, "the same")
    assert hits.alarms == 2


def test_memory_is_bounded_by_the_window():
    hits = HitConcentration()
    for number in range(10 * WINDOW_HITS):
        hits.served(number, f"question {number}")
    assert len(hits._last) == len(hits._of_pair) == len(hits._of_entry) == len(hits._texts) == WINDOW_HITS
    assert not hits._alarmed
