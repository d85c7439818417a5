"""`tm_requantize_even_s32` rounds exact products once, halves to even, on every chip."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES, roomy
from programs.runtime_functions import run_cases
from programs.spread import spread

Integers = NDArray[np.int64]

AVR = "uno"
"""The chip whose function is in assembly."""

STATEMENT = "out[0] = tm_requantize_even_s32(X[0], X[1], (int8_t)X[2]);"
ENDS = [-(1 << 31), 1 - (1 << 31), -1, 0, 1, (1 << 31) - 1]
MULTIPLIERS = [0, 1 << 30, (1 << 30) + 1, 3 << 29, (1 << 31) - 1]


def arguments(random: np.random.Generator, count: int) -> Integers:
    """Rows (x, multiplier, shift): ends, halves with their neighbours, and random numbers of all sizes."""
    ends = [(x, m, shift) for x in ENDS for m in MULTIPLIERS for shift in (-31, -16, -9, -8, -2, -1, 0, 1, 7, 30)]
    halves = [
        ((2 * int(n) + 1) * (1 << -shift) + beside, 1 << 30, shift)
        for shift in range(-20, 1)
        for n in random.integers(-100, 100, 3)
        for beside in (-1, 0, 1)
    ]
    sizes = random.integers(1, 32, count)
    numbers = random.integers(-(1 << 31), 1 << 31, count) >> 31 - sizes
    multipliers = random.integers(1 << 30, 1 << 31, count)
    return np.array([*ends, *halves, *zip(numbers, multipliers, random.integers(-31, 31, count), strict=True)])


def exact(row: Integers) -> int:
    x, multiplier, shift = map(int, row)
    return min(max(round(Fraction(x * multiplier) * Fraction(2) ** (shift - 31)), -(1 << 31)), (1 << 31) - 1)


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize("device", sorted({AVR, *spread(DEVICES, 4)}))
def test_a_product_is_rounded_once_on_every_chip(device: str, tmp_path: Path):
    rows = arguments(np.random.default_rng(3), 400)
    header = '#include "tinyml/requantize.h"'
    [scores] = run_cases([(STATEMENT, rows.astype(np.int32))], header, ("int32_t", 1), roomy(device), tmp_path)
    np.testing.assert_array_equal(scores[:, 0], [exact(row) for row in rows])
