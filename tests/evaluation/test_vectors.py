"""Vectors on disk: each text is embedded once, and no embedder reads another's."""

import numpy as np
import pytest

from evaluation.vectors import Vectors
from tests.evaluation.made import Angles


def test_a_text_is_embedded_once(tmp_path):
    first = Vectors(Angles({"x": 0.0}), tmp_path)
    first.make(["x", "y", "x"])
    embedder = Angles({})
    again = Vectors(embedder, tmp_path)
    again.make(["y", "x"])
    assert embedder.asked == []
    np.testing.assert_array_equal(again["x"], first["x"])


def test_a_text_without_a_vector_is_remembered_as_such(tmp_path):
    Vectors(Angles({}), tmp_path).make(["word " * 60])
    again = Vectors(Angles({}), tmp_path)
    assert again["word " * 60] is None
    assert again.why_none("word " * 60) == "over_window"


def test_another_embedder_has_its_own(tmp_path):
    Vectors(Angles({}), tmp_path).make(["x"])
    other = Angles({})
    other.identity = "another"
    again = Vectors(other, tmp_path)
    again.make(["x"])
    assert other.asked == ["x"]


def test_what_was_made_before_an_interruption_is_kept(tmp_path):
    class Interrupted(Angles):
        def embed(self, texts):
            if self.asked:
                raise KeyboardInterrupt
            return super().embed(texts)

    vectors = Vectors(Interrupted({}), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        vectors.make([f"text {number}" for number in range(40)])
    embedder = Angles({})
    Vectors(embedder, tmp_path).make([f"text {number}" for number in range(40)])
    assert len(embedder.asked) == 8


def test_progress_counts_what_is_missing():
    told = []
    vectors = Vectors(Angles({}))
    vectors.make(["x"])
    vectors.make(["x", *(f"text {number}" for number in range(40))], lambda done, total: told.append((done, total)))
    assert told == [(32, 40), (40, 40)]
