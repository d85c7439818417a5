"""Thresholds of monotone functions, and integer arithmetic (lines and shifts) that computes the same levels for every
argument.
"""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.lowering.frontends.qonnx.staircases import (
    Levels,
    Lines,
    Staircase,
    lines,
    rounding_thresholds,
    shifts,
    staircase,
)

CHANNELS = 24


def random_levels(greatest: int, last: int) -> Levels:
    """A function that computes a random line for each channel, rounds its values half to even and limits them to the
    range from 0 to `last`. The slopes have both signs.

    greatest: the greatest argument, which determines the order of magnitude of the slopes.
    """
    random = np.random.default_rng(last)
    slopes, offsets = random.normal(size=(CHANNELS, 1)) * last / greatest, random.normal(size=(CHANNELS, 1)) * last
    return lambda x: np.clip(np.rint(slopes * x + offsets), 0, last).astype(np.int64)


def steps_of(levels: Levels, greatest: int, last: int) -> Staircase:
    ends = np.full(CHANNELS, -greatest), np.full(CHANNELS, greatest)
    return staircase(levels, *ends, 0, last)


@pytest.mark.parametrize(("greatest", "last"), [(30, 1), (784, 2), (50, 7), (20000, 15), (1000, 255)])
def test_lines_have_the_levels_of_the_function(greatest: int, last: int):
    levels = random_levels(greatest, last)
    known = lines(steps_of(levels, greatest, last), to_even=False)
    x = np.broadcast_to(np.arange(-greatest, greatest + 1), (CHANNELS, 2 * greatest + 1))
    assert known is not None
    np.testing.assert_array_equal(np.clip(known.levels(x, to_even=False), 0, last), levels(x))


def test_a_function_that_no_line_rounds_to():
    """A function with steps of widths 1 and 7 in turn is not a rounded line, whose steps differ in width by at most 1.
    With a slack of 2, a line is found.
    """
    ends = np.zeros(1, np.int64), np.full(1, 40)
    uneven = staircase(lambda x: np.searchsorted([5, 6, 13, 14, 21], x, "right"), *ends, 0, 5)
    np.testing.assert_array_equal(uneven.at, [[5, 6, 13, 14, 21]])
    assert lines(uneven, to_even=False) is None
    assert lines(uneven, to_even=False, slack=2) is not None


def test_thresholds_of_a_falling_function():
    """A falling function has the thresholds of the rising function of the negated argument. A threshold beyond the
    greatest argument is marked as never reached.
    """
    ends = np.array([-3]), np.array([4])
    falling = staircase(lambda x: np.clip(2 - x, 0, 9), *ends, 0, 6)
    assert falling.signs.tolist() == [-1]
    assert falling.at.tolist() == [[-1, 0, 1, 2, 3, 4]]
    assert falling.reached.tolist() == [[True, True, True, True, True, False]]


@pytest.mark.parametrize(("to_even", "expected"), [(False, [-2, 2, 6, 10]), (True, [-2, 3, 6, 11])])
def test_thresholds_of_rounding(to_even: bool, expected: list[int]):
    """The least integers whose quotients by 4 are rounded to 0, 1, 2 and 3 are -2, 2, 6 and 10. If halves are rounded
    to even, they are -2, 3, 6 and 11.
    """
    assert rounding_thresholds(np.arange(4), 2, to_even=to_even).tolist() == expected


def test_the_addend_of_a_rounding():
    """For a rounding function with the divisor 4 and a given staircase, exactly one addend, 11, shifts the thresholds
    of the rounding to those of the staircase. For a staircase with steps of another width there is none.
    """
    ends = np.full(1, -100), np.full(1, 100)
    wanted = staircase(lambda x: np.clip((x + 13) >> 2, 0, 3), *ends, 0, 3)
    thresholds = rounding_thresholds(wanted.levels, 2, to_even=False)
    addends = shifts(wanted, thresholds)
    assert addends is not None
    assert addends.tolist() == [11]
    assert shifts(staircase(lambda x: np.clip(x >> 3, 0, 3), *ends, 0, 3), thresholds) is None


def test_the_last_rounding_of_lines():
    line = Lines(np.array([1]), np.array([0]), 15, 0, 1)
    assert line.levels(np.array([[1, 3, 5]]), to_even=False).tolist() == [[1, 2, 3]]
    assert line.levels(np.array([[1, 3, 5]]), to_even=True).tolist() == [[0, 2, 2]]
