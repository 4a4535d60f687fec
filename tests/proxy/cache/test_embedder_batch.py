"""Which waiting texts are embedded together, and what comes back for each."""

from collections.abc import Sequence

import numpy as np
import pytest

from proxy.cache.embedder import Embedded, NoVector, Vector
from proxy.cache.embedder_batch import Waiting, embed_batch, take
from proxy.cache.embedder_check import VectorCheck
from tests.proxy.cache.fake_embedder import FakeEmbedder, Rows


def waiting(*deadlines_s: float) -> list[Waiting]:
    return [Waiting(f"text {at}", b"", deadline) for at, deadline in enumerate(deadlines_s)]


def answers(embedder: FakeEmbedder, *texts: str) -> tuple[list[Embedded], str]:
    return embed_batch(embedder, VectorCheck(embedder.dimensions), texts)


def test_what_can_be_done_in_time_goes_together():
    queue = waiting(1.0, 1.0, 1.0)
    assert take(queue, 0.0, 0.001) == (queue, [])


def test_a_batch_is_no_larger_than_its_earliest_deadline_allows():
    queue = waiting(5.0, 0.2, 5.0, 5.0)
    batch, late = take(queue, 0.0, 0.1)
    assert (batch, late) == (queue[:2], [])


def test_a_text_that_would_make_an_earlier_one_late_waits_for_the_next_batch():
    queue = waiting(0.1, 9.0)
    assert take(queue, 0.0, 0.1) == (queue[:1], [])


def test_texts_that_cannot_be_done_in_time_make_room_for_those_that_can():
    queue = waiting(0.05, 0.06, 1.0)
    assert take(queue, 0.0, 0.1) == (queue[2:], queue[:2])


def test_if_none_can_be_done_in_time_the_newest_is_tried_so_that_the_estimate_can_recover():
    queue = waiting(0.05, 0.06)
    assert take(queue, 0.0, 60.0) == (queue[1:], queue[:1])


def test_nothing_waiting_is_an_empty_batch():
    assert take([], 0.0, 0.1) == ([], [])


def test_each_text_gets_its_own_vector():
    embedder = FakeEmbedder()
    made, trouble = answers(embedder, "one", "two", "three")
    assert trouble == ""
    for text, vector in zip(("one", "two", "three"), made, strict=True):
        assert isinstance(vector, Vector)
        assert np.array_equal(vector.values, embedder.row(text))
        assert vector.identity == "fake/1"


def test_M02_a_text_over_the_window_is_never_embedded():
    embedder = FakeEmbedder(window=4)
    made, trouble = answers(embedder, "just four words here", "one word more than fits")
    assert [type(made[0]), made[1], trouble] == [Vector, NoVector("over_window"), ""]
    assert embedder.calls == [["just four words here"]]


def test_a_text_with_words_the_tokenizer_does_not_know_is_never_embedded():
    made, _ = answers(FakeEmbedder(), "how are you \N{UPSIDE-DOWN FACE}")
    assert made == [NoVector("unknown_tokens")]


def test_one_text_the_embedder_chokes_on_harms_no_other():
    def choke(texts: Sequence[str], rows: Rows) -> Rows:
        if "poison" in texts:
            raise TypeError("poison")
        return rows

    made, trouble = answers(FakeEmbedder(spoil=choke), "one", "poison", "three")
    assert [type(one) for one in made] == [Vector, NoVector, Vector]
    assert trouble == "the embedder raised TypeError"


def test_a_tokenizer_that_raises_breaks_its_own_text_only():
    embedder = FakeEmbedder()
    counts = {"good": 1}
    embedder.count_tokens = counts.__getitem__  # type: ignore[assignment,method-assign]
    made, trouble = answers(embedder, "good", "bad")
    assert [type(made[0]), made[1]] == [Vector, NoVector("broken")]
    assert trouble == "the embedder raised KeyError"


SPOILERS = {
    "nan": lambda texts, rows: rows * np.float32("nan"),
    "infinite": lambda texts, rows: rows * np.float32("inf"),
    "zero": lambda texts, rows: rows * 0,
    "not normalised": lambda texts, rows: rows * 3,
    "too few dimensions": lambda texts, rows: rows[:, :-1],
    "too many dimensions": lambda texts, rows: np.hstack([rows, rows]),
    "too few rows": lambda texts, rows: rows[:-1],
    "no array": lambda texts, rows: None,
    "ragged": lambda texts, rows: [[1.0], [1.0, 0.0]],
}


@pytest.mark.parametrize("spoil", SPOILERS.values(), ids=SPOILERS)
def test_E01_a_vector_that_cannot_be_right_is_refused(spoil):
    made, trouble = answers(FakeEmbedder(spoil=spoil), "one", "two")
    assert made == [NoVector("broken"), NoVector("broken")]
    assert trouble.startswith("the embedder ")


def test_one_bad_row_does_not_spoil_its_neighbours():
    def spoil_second(texts: Sequence[str], rows: Rows) -> Rows:
        rows[1] = np.nan
        return rows

    made, _ = answers(FakeEmbedder(spoil=spoil_second), "one", "two", "three")
    assert [type(one) for one in made] == [Vector, NoVector, Vector]
