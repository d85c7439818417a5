"""Transpositions of images in place, with pixels in bytes and half-bytes, on every device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.runtime_functions import run_figure

LENGTH = 64
SOURCE = f"""#include "figure.h"
#include "tinyml/transpose.h"
static int8_t image[{LENGTH}];
const int8_t *figure_scores(void) {{ return image; }}
void figure_predict(const int8_t *X)
{{
    for (int i = 0; i < {LENGTH}; i++)
        image[i] = X[5 + i];
    if (X[0])
        tm_transpose_s4(image, X[1], X[2], X[3], X[4]);
    else
        tm_transpose(image, X[1], X[2], X[3], X[4]);
}}
"""
SHAPES = [
    (0, 1, 1, 3),
    (2, 1, 7, 2),
    (1, 5, 1, 1),
    (3, 4, 4, 3),
    (0, 3, 5, 4),
    (5, 7, 2, 1),
    (0, 0, 9, 2),
    (1, 3, 20, 1),
    (2, 2, 13, 2),
]


def successor(i: int, rows: int, columns: int) -> int:
    """Gural and Murmann's equation (5): the pixel of the rows x columns image that moves to pixel i of the transposed
    image.
    """
    return i % rows * columns + i // rows


def cycles(rows: int, columns: int) -> list[list[int]]:
    """The cycles of the permutation that transposes an image of rows x columns pixels, each beginning with its least
    pixel.
    """
    found: list[list[int]] = []
    left = dict.fromkeys(range(rows * columns))
    while left:
        at, cycle = next(iter(left)), list[int]()
        while at in left:
            del left[at]
            cycle.append(at)
            at = successor(at, rows, columns)
        found.append(cycle)
    return found


def test_cycles_of_figure_6(tmp_path: Path):
    """Gural and Murmann, figure 6: the transposition of 3 x 4 pixels has two cycles of five pixels each; two corners do
    not move.
    """
    assert cycles(3, 4) == [[0], [1, 4, 5, 9, 3], [2, 8, 10, 7, 6], [11]]
    image = np.arange(LENGTH, dtype=np.int8)
    inputs = np.concatenate([np.array([0, 0, 3, 4, 1], np.int8), image])[None]
    [found] = run_figure(SOURCE, inputs, LENGTH, "host", tmp_path)
    assert found[:12].tolist() == [successor(i, 3, 4) for i in range(12)] == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]


def steps_for_a_pixel(rows: int, columns: int) -> float:
    """The number of pixel addresses that `tm_transpose` computes, divided by the number of pixels. For each pixel, the
    function follows the cycle to determine whether the pixel is the least of its cycle; if so, the function rotates
    the cycle. The function stops when all pixels have moved.
    """
    lengths = {cycle[0]: len(cycle) for cycle in cycles(columns, rows)}
    steps, left, i = 0, rows * columns, 1
    while left > 2:
        at, first = i, True
        while first or at > i:
            at, first = successor(at, columns, rows), False
            steps += 1
        if at == i:
            left, steps = left - lengths[i], steps + lengths[i]
        i += 1
    return steps / (rows * columns)


def test_steps_are_usually_less_than_5():
    """The number c of steps per pixel, which Gural and Murmann (3.4.2) state to be usually less than 5, is less than 5
    for all images of 2 x 2 to 14 x 14 pixels.
    """
    taken = [steps_for_a_pixel(rows, columns) for rows in range(2, 14 + 1) for columns in range(2, 14 + 1)]
    assert max(taken) < 5


CASES = [(halves, *shape) for halves in (0, 1) for shape in SHAPES]


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_transposes(device: str, tmp_path: Path):
    data = np.random.default_rng(1).integers(-128, 128, (len(CASES), LENGTH)).astype(np.int8)
    expected = data.copy()
    for row, (halves, first, rows, columns, pixel) in zip(expected, CASES, strict=True):
        units = np.stack([row & 15, row >> 4 & 15], 1).reshape(-1) if halves else row.copy()
        part = units[first : first + rows * columns * pixel]
        part[:] = part.reshape(rows, columns, pixel).transpose(1, 0, 2).reshape(-1)
        row[:] = units[::2] | units[1::2] << 4 if halves else units
    inputs = np.concatenate([np.array(CASES, np.int8), data], 1)
    np.testing.assert_array_equal(run_figure(SOURCE, inputs, LENGTH, device, tmp_path), expected)
