"""The lexical rows: what hashing words can and can't tell apart."""

import numpy as np
import pytest

from evaluation.embedders import ROWS, HashedWords
from proxy.cache.candidate import similarity

ONE, SWAPPED = "convert 5 km to miles", "convert 5 miles to km"


@pytest.mark.parametrize("pairs", [False, True])
def test_rows_are_unit_vectors_and_the_same_whatever_else_is_asked(pairs):
    embedder = HashedWords(pairs=pairs)
    rows = embedder.embed([ONE, "Straße", "?!"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(HashedWords(pairs=pairs).embed([ONE])[0], rows[0])


def test_unigrams_give_reordered_words_one_vector():
    one, other = HashedWords(pairs=False).embed([ONE, SWAPPED])
    assert similarity(one, other) == 1.0


def test_bigrams_tell_reordered_words_apart():
    one, other = HashedWords(pairs=True).embed([ONE, SWAPPED])
    assert similarity(one, other) < 0.9


def test_case_and_punctuation_are_no_difference():
    one, other = HashedWords(pairs=True).embed([ONE, "Convert 5 km to miles!"])
    assert similarity(one, other) == 1.0


def test_texts_without_words_are_not_one_text():
    one, other = HashedWords(pairs=False).embed(["?!", "…"])
    assert similarity(one, other) < 1.0


def test_the_two_never_share_vectors():
    assert HashedWords(pairs=True).identity != HashedWords(pairs=False).identity


def test_only_the_lexical_rows_are_exact_arithmetic():
    assert [row.name for row in ROWS if row.exact_arithmetic] == ["hashed unigrams", "hashed uni+bigrams"]
