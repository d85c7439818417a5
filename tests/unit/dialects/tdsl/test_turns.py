"""Convolutions in place, pixel by pixel, in memory of exactly the computed size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.convolution import Turn, herringbone, lead, single_transpose, turns, window_pixels
from tinyml.transforms.schedules.plans.pixel_orders import order_of


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], list[int]]:
    """Random extents of a result and of a kernel, strides, and the rows of each turn."""
    result, kernel, steps = ((draw(st.integers(1, most)), draw(st.integers(1, most))) for most in (6, 4, 2))
    (height, width), rows = result, [draw(st.integers(0, result[0]))]
    height, width = width, height - rows[0]
    while height and width:
        rows.append(draw(st.integers(1, height)))
        height, width = width, height - rows[-1]
    return result, kernel, steps, rows


def pixels_of(turn: Turn) -> list[tuple[int, int]]:
    """The pixels of a result that a turn computes, as (row, column) from the first pixel that was not yet computed, in
    the order of memory.
    """
    return [(y, x) for y in range(turn.rows) for x in range(turn.result[1])]


@settings(max_examples=100)
@given(convolutions(), st.integers(1, 3), st.integers(1, 4))
def test_a_convolution_runs_in_the_memory_that_it_claims(
    case: tuple[tuple[int, int], tuple[int, int], tuple[int, int], list[int]], before: int, after: int
):
    """A convolution in place overwrites no pixel before the last window that contains it has been read. Instead of the
    values of pixels, the test stores their numbers.

    before, after: the numbers of elements of a pixel of the image and of the result.
    """
    result, kernel, steps, rows = case
    image = tuple((count - 1) * step + size for count, step, size in zip(result, steps, kernel, strict=True))
    made = turns(rows, (image[0], image[1]), result, steps)
    windows = np.concatenate([window_pixels(turn, kernel, steps) for turn in made])
    start = lead(windows, before, after)
    size = image[0] * image[1]
    memory = np.full(max(start + size * before, len(windows) * after), -1)
    memory[start : start + size * before] = np.repeat(np.arange(size), before)
    original = np.arange(size).reshape(image)
    top, left, computed = 0, 0, 0
    order: list[tuple[int, int]] = []
    for turn in made:
        for y, x in pixels_of(turn):
            place = (top + x, left + y) if turn.turned else (top + y, left + x)
            order.append(place)
            down, right = place[0] * steps[0], place[1] * steps[1]
            expected = original[down : down + kernel[0], right : right + kernel[1]].reshape(-1)
            read = memory[start + windows[computed][:, None] * before + np.arange(before)]
            np.testing.assert_array_equal(read, np.repeat(expected[:, None], before, 1))
            memory[computed * after : (computed + 1) * after] = -2 - computed
            computed += 1
        top, left = (top, left + turn.rows) if turn.turned else (top + turn.rows, left)
        (height, width), read_up_to = turn.drop(steps)
        part = memory[start + read_up_to * before : start + size * before]
        if turn is not made[-1]:
            part[:] = part.reshape(height, width, before).transpose(1, 0, 2).reshape(-1)
    assert sorted(order) == [(y, x) for y in range(result[0]) for x in range(result[1])]
    numbers = np.repeat(np.arange(computed), after)
    for turn in made[:0:-1]:
        part = numbers[turn.written * after :]
        part[:] = part.reshape(*turn.result, after).transpose(1, 0, 2).reshape(-1)
    found = numbers.reshape(-1, after)[:, 0]
    assert [order[number] for number in found] == sorted(order)


@pytest.mark.parametrize("result", [(5, 5), (7, 3), (2, 6), (1, 1)])
@pytest.mark.parametrize("rows_first", [True, False])
def test_plans_count_pixels_in_the_order_in_which_turns_compute_them(result: tuple[int, int], rows_first: bool):
    order: list[tuple[int, int]] = []
    top = left = 0
    rows = herringbone(result, rows_first)
    for turn in turns(rows, result, result, (1, 1)):
        order += [(top + x, left + y) if turn.turned else (top + y, left + x) for y, x in pixels_of(turn)]
        top, left = (top, left + turn.rows) if turn.turned else (top + turn.rows, left)
    numbers = order_of(rows, *result)
    assert [numbers[pixel] for pixel in order] == list(range(numbers.size))


@pytest.mark.parametrize("side", [1, 2, 3, 8])
def test_equation_6(side: int):
    """Turns write each pixel of a square at the position that Gural and Murmann's equation 6 states."""

    def place(row: int, column: int) -> int:
        if column >= row:
            return row * (2 * side - row - 1) + column
        return column * (2 * side - column - 2) + side + row - 1

    expected = [[place(row, column) for column in range(side)] for row in range(side)]
    assert order_of(herringbone((side, side), True), side, side).tolist() == expected
    assert side != 3 or expected == [[0, 1, 2], [3, 5, 6], [4, 7, 8]]


@pytest.mark.parametrize(
    ("side", "before", "after", "expected"), [(10, 5, 8, (868, 874, 934)), (8, 8, 11, (845, 847, 887))]
)
def test_memory_of_published_layers(side: int, before: int, after: int, expected: tuple[int, int, int]):
    """The elements that a layer needs by herringbone, by a single transpose and by replacing differ from those of the
    paper by at most 1.

    The layers are Gural and Murmann's second, 12x12x5 to 10x10x8, and third, 10x10x8 to 8x8x11. Equations (1) to (3),
    in the order replacing, herringbone, single transpose, yield 935, 868 and 875 for the second layer, and 888, 845 and
    848 for the third.
    """
    image, result = (side + 2, side + 2), (side, side)

    def elements(rows: list[int]) -> int:
        windows = [window_pixels(turn, (3, 3), (1, 1)) for turn in turns(rows, image, result, (1, 1))]
        return lead(np.concatenate(windows), before, after) + image[0] * image[1] * before

    transposed = min(elements(single_transpose(result, last)) for last in range(side + 1))
    assert (elements(herringbone(result)), transposed, elements([side])) == expected


@pytest.mark.parametrize(
    ("rows", "message"),
    [([2, 1], "turns of [2, 1] rows leave 1x2 pixels"), ([2, 0, 3], "turn 1 takes 0"), ([5], "turn 0 takes 5 of 4")],
)
def test_turns_compute_all_of_a_result(rows: list[int], message: str):
    with pytest.raises(VerifyException, match=message.replace("[", r"\[").replace("]", r"\]")):
        turns(rows, (4, 4), (4, 2), (1, 1))
