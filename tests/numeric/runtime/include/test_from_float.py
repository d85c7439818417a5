"""`tm_f32_to_sN` returns the same bits as its numpy reference on every chip, and the results are the nearest
integers.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.c_library import c_library
from programs.devices import DEVICES, roomy
from programs.runtime_functions import run_cases
from programs.spread import spread

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

FRACS = (-31, -3, 0, 7, 15, 31, 62)
CASES = [
    (width, frac, low, high)
    for width in (8, 16, 32)
    for frac in FRACS
    for bits in (2, width - 3, width)
    for low, high in ((1 - (1 << bits - 1), (1 << bits - 1) - 1), (-1 << bits - 1, (1 << bits - 1) - 1))
] + [(width, 4, 0, (1 << width - 1) - 1) for width in (8, 16, 32)]
"""Bits of the result, scale and limits, with and without the least number, and those of unsigned numbers."""

SOURCE = """
#include "tinyml/from_float.h"
#define EACH(N) \\
    void each_s##N(const float *x, int8_t frac, int##N##_t low, int##N##_t high, int##N##_t *y, int32_t n) \\
    { for (int32_t i = 0; i < n; i++) y[i] = tm_f32_to_s##N(x[i], frac, low, high); }
EACH(8)
EACH(16)
EACH(32)
"""


def floats(count: int, step: int) -> NDArray[np.float32]:
    """Random bit patterns; halves of integers, scaled by powers of two, with the adjacent floats; zeros, very small and
    very large numbers, infinities and NaN.

    count: the number of bit patterns, and of random halves.
    step: the difference between the exponents of the halves that are not random.
    """
    random = np.random.default_rng(0)
    patterns = random.integers(0, 1 << 32, count, np.uint64).astype(np.uint32).view(np.float32)
    halves = (random.integers(-(1 << 22), 1 << 22, count) / 2).astype(np.float32)
    halves = np.ldexp(halves, random.integers(-70, 40, count)).astype(np.float32)
    exponents = np.arange(-63, 64, step)[:, None]
    edges = np.ldexp(np.array([0.5, -0.5, 1.5, -1.5, 1, -1]), exponents).astype(np.float32).ravel()
    ends = np.array([0.0, -0.0, 1e-45, -1e-45, 3e38, -3e38, np.inf, -np.inf, np.nan, -np.nan], np.float32)
    exact = np.concatenate([edges, halves])
    around = [np.nextafter(exact, np.float32(end)) for end in (np.inf, -np.inf)]
    return np.concatenate([ends, exact, *around, patterns])


def expected(x: NDArray[np.float32], width: int, frac: int, low: int, high: int) -> NDArray[np.int64]:
    """The integers that the numpy reference of `tm_f32_to_sN` computes from floats.

    width: the bits of an integer.
    frac: the exponent of the power of two by which floats are multiplied.
    low, high: the limits of the integers.
    """
    ends = (np.array(end, f"i{width // 8}") for end in (low, high))
    # Of a signalling NaN.
    with np.errstate(invalid="ignore"):
        return RUNTIME_FUNCTIONS[f"tm_f32_to_s{width}"].reference(x, np.array(frac, np.int8), *ends).astype(np.int64)


@pytest.mark.long
def test_every_kind_of_float(tmp_path: Path):
    library = c_library(tmp_path, SOURCE)
    x = floats(40_000, 1)
    for width, frac, low, high in CASES:
        integer = {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32}[width]
        y = np.empty(len(x), f"i{width // 8}")
        arguments = ctypes.c_int8(frac), integer(low), integer(high)
        library[f"each_s{width}"](ctypes.c_void_p(x.ctypes.data), *arguments, ctypes.c_void_p(y.ctypes.data), len(x))
        np.testing.assert_array_equal(y, expected(x, width, frac, low, high), err_msg=f"s{width} {frac} {low} {high}")


def test_the_reference_rounds_to_nearest_and_saturates():
    x = np.array([-0.5, 0.5, 1.5, -1.5, 2.4999, -2.5001, 300, -300, np.inf, -np.inf, np.nan], np.float32)
    assert expected(x, 8, 0, -127, 127).tolist() == [0, 1, 2, -1, 2, -3, 127, -127, 127, -127, -127]
    assert expected(x[:3], 8, 2, -127, 127).tolist() == [-2, 2, 6]


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 4))
def test_on_every_chip(device: str, tmp_path: Path):
    x = floats(40, 9)
    calls = "".join(
        f"    out[{number}] = tm_f32_to_s{width}(y.value, {frac}, {_spelled(low)}, {high});\n"
        for number, (width, frac, low, high) in enumerate(CASES)
    )
    statement = f"union {{ int32_t bits; float value; }} y;\n    y.bits = *X;\n{calls}"
    inputs = x.view(np.int32).reshape(-1, 1)
    definitions, output = '#include "tinyml/from_float.h"', ("int32_t", len(CASES))
    [scores] = run_cases([(statement, inputs)], definitions, output, roomy(device), tmp_path)
    np.testing.assert_array_equal(scores, np.stack([expected(x, *case) for case in CASES], axis=-1))


def _spelled(low: int) -> str:
    """A constant expression in C for an integer, in a form that also works for the least 32-bit number, which has no
    literal.
    """
    return f"({low + 1} - 1)"
