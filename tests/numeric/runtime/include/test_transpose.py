"""Images are transposed in place, in bytes and in halves of bytes, on every device."""

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
CASES = [(halves, *shape) for halves in (0, 1) for shape in SHAPES]


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
