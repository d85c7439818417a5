"""The rule that detects words in a sequence of results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import Seconds
from tinyml.tools.driver.heard import Rule, smoothed, words_in

NAMES = ["yes", "no", "noise"]
SCORES = np.array([[0, 0, 3], [4, 1, 0], [1, 4, 0], [5, 0, 0], [0, 0, 2], [0, 6, 1], [0, 5, 4]], np.float64)


def heard(**options: object) -> list[tuple[float, str]]:
    rule = Rule(**options)  # pyright: ignore[reportArgumentType]
    return [(word.time, word.name) for word in words_in(rule, np.arange(7.0), SCORES, NAMES)]


def test_every_change_is_a_word_by_default():
    assert heard() == [(0, "noise"), (1, "yes"), (2, "no"), (3, "yes"), (4, "noise"), (5, "no")]


def test_parts_of_the_rule():
    assert heard(background=("noise",)) == [(1, "yes"), (2, "no"), (3, "yes"), (5, "no")]
    assert heard(background=("noise",), threshold=4.0) == [(3, "yes"), (5, "no")]
    assert heard(background=("noise",), refractory=Seconds(2.0)) == [(1, "yes"), (3, "yes"), (5, "no")]
    # A word that began in the pause after another one is not heard when the pause ends.
    assert heard(background=("noise",), refractory=Seconds(1.5)) == [(1, "yes"), (3, "yes"), (5, "no")]
    assert heard(smooth=3, background=("noise",)) == [(1, "yes"), (5, "no")]


def test_the_score_of_a_word_is_a_mean():
    [word, *_] = words_in(Rule(smooth=2, background=("noise",)), np.arange(7.0), SCORES, NAMES)
    assert (word.time, word.label, word.score, word.lead) == (1, 0, 2, 0.5)


def test_an_unknown_background_is_an_error():
    with pytest.raises(InputError, match="the program has no class silence: they are yes, no, noise"):
        heard(background=("silence",))


@settings(max_examples=30)
@given(arrays(np.float64, st.tuples(st.integers(1, 9), st.just(2)), elements=st.integers(-9, 9)), st.integers(1, 12))
def test_means_are_of_the_last_answers(scores: np.ndarray, count: int):
    expected = [scores[max(at - count + 1, 0) : at + 1].mean(0) for at in range(len(scores))]
    np.testing.assert_allclose(smoothed(scores, count), expected)
