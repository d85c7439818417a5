"""`tm_weighted_sum_s8` returns the exact weighted sum of two bytes on every chip."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from programs.devices import DEVICES, roomy
from programs.runtime_functions import run_cases
from programs.spread import spread

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.num import weighted_sum_fits

AVR = "uno"
"""The chip whose function is in assembly."""

MOST = (1 << 39) - 1
"""The greatest sum."""

Case: TypeAlias = tuple[int, int, int]
"""Both weights and the start value."""


def cases(random: np.random.Generator) -> list[Case]:
    """Weights with and without an upper byte, zero weights, ends of the sums, and random numbers."""
    greatest = (1 << 31) - 1
    ends = [
        (greatest, 0, MOST - 128 * greatest),
        (greatest, greatest, 256 * greatest - MOST),
        (0, 0, -MOST),
        ((1 << 24) - 1, 1 << 24, 0),
        (1, 0, (1 << 23) - 1),
        (255 << 16, 255 << 8, -1),
    ]
    drawn: list[Case] = []
    for bits in random.integers(20, 28, 10):
        first, second = random.integers(0, 1 << int(bits), 2)
        drawn.append((int(first), int(second), int(random.integers(-(1 << 31), 1 << 31))))
    assert all(weighted_sum_fits(weights, start) for *weights, start in [*ends, *drawn])
    return [*ends, *drawn]


def exact(a: int, b: int, case: Case) -> int:
    first, second, start = case
    return min(max((a * first + b * second + start) // (1 << 24), -128), 127)


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize("device", sorted({AVR, *spread(DEVICES, 4)}))
def test_sums_of_all_sizes_on_every_chip(device: str, tmp_path: Path):
    random = np.random.default_rng(5)
    rows = np.concatenate(
        [[[a, b] for a in (-128, -1, 0, 127) for b in (-128, 0, 1, 127)], random.integers(-128, 128, (40, 2))]
    )
    drawn = cases(random)
    statements = [
        (f"out[0] = tm_weighted_sum_s8((int8_t)X[0], (int8_t)X[1], {a}, {b}, {c}LL);", rows.astype(np.int16))
        for a, b, c in drawn
    ]
    results = run_cases(statements, '#include "tinyml/weighted.h"', ("int8_t", 1), roomy(device), tmp_path)
    for case, result in zip(drawn, results, strict=True):
        expected = [exact(int(a), int(b), case) for a, b in rows]
        assert result[:, 0].tolist() == expected, case
        reference = RUNTIME_FUNCTIONS["tm_weighted_sum_s8"].reference
        assert reference(*rows.astype(np.int8).T, *map(np.int64, case)).tolist() == expected
