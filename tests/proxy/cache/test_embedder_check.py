"""An embedder that gives unlike texts one vector is found out; what a tokenizer reads as the same is not unlike."""

import numpy as np
import pytest

from proxy.cache.embedder import EmbedderUnavailable
from proxy.cache.embedder_check import REMEMBERED_ROWS, VectorCheck, rehearse
from tests.proxy.cache.fake_embedder import FakeEmbedder

UNIT = np.eye(4, dtype=np.float32)
UNRELATED = [f"unrelated question number {number}" for number in range(100)]


def judge(*pairs: tuple[str, np.ndarray]) -> list[bool]:
    check = VectorCheck(4)
    return [check.judge([text], row[None, :])[0] is None for text, row in pairs]


def test_the_same_vector_for_other_words_is_refused():
    assert judge(("what is a cat", UNIT[0]), ("what is a dog", UNIT[0])) == [True, False]


def test_the_same_vector_for_what_an_uncased_tokenizer_reads_as_the_same_is_fine():
    texts = ["Where is the Café?", "where is the cafe", "WHERE  IS THE CAFÉ??"]
    assert judge(*((text, UNIT[0]) for text in texts)) == [True, True, True]


def test_nearly_the_same_vector_is_fine_for_long_texts_that_share_most_words():
    near = np.array([1.0, 0.03, 0, 0], np.float32)
    near /= np.linalg.norm(near)
    long = " ".join(f"word{number}" for number in range(200))
    assert judge((long, UNIT[0]), (long + " more", near)) == [True, True]
    assert judge((long, UNIT[0]), ("something else", near)) == [True, False]


def test_a_constant_embedder_stays_refused_however_many_texts_it_has_seen():
    check = VectorCheck(4)
    usable = [check.judge([text], UNIT[:1])[0] is None for text in UNRELATED]
    assert usable == [True] + [False] * 99
    assert check.look_alikes == 99


def test_only_the_last_rows_are_remembered():
    check = VectorCheck(REMEMBERED_ROWS * 4)
    basis = np.eye(REMEMBERED_ROWS * 4, dtype=np.float32)
    check.judge(["first"], basis[:1])
    check.judge([f"filler {number}" for number in range(REMEMBERED_ROWS)], basis[1 : 1 + REMEMBERED_ROWS])
    assert check.judge(["second"], basis[:1]) == [None]


def test_a_rehearsal_passes_a_good_embedder():
    rehearse(FakeEmbedder())


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda texts, rows: np.tile(rows[:1], (len(texts), 1)), "gives unlike texts the same vector"),
        (lambda texts, rows: rows * 0, "not of unit length"),
        (lambda texts, rows: 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_a_rehearsal_refuses_an_embedder_that_cannot_be_right(spoil, says):
    with pytest.raises(EmbedderUnavailable, match=says):
        rehearse(FakeEmbedder(spoil=spoil))
