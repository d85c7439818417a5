"""The C runtime's functions return the same bits as their numpy references, and both approximate the real functions."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.c_library import c_library

from tinyml.dialects.machine.float_functions import EXP_HIGH, EXP_LOW, exp, sigmoid, tanh
from tinyml.dialects.machine.runtime_functions import LEAST_SQUARE, RUNTIME_FUNCTIONS, inverse_root_float

SOURCE = """
#include "tinyml/functions.h"
#include "tinyml/requantize.h"
#define EACH(NAME, IN, OUT) \\
    void each_##NAME(const IN *x, OUT *y, int32_t n) { for (int32_t i = 0; i < n; i++) y[i] = NAME(x[i]); }
EACH(tm_expf, float, float)
EACH(tm_tanhf, float, float)
EACH(tm_sigmoidf, float, float)
EACH(tm_inverse_rootf, float, float)
EACH(tm_erff, float, float)
EACH(tm_logf, float, float)
EACH(tm_softplusf, float, float)
EACH(tm_int_to_f32, int32_t, float)
EACH(tm_root_shift_s32, int32_t, int8_t)
EACH(tm_root_multiplier_s32, int32_t, int32_t)
EACH(tm_inverse_root_s32, int32_t, int32_t)
EACH(tm_inverse_root_s64, int64_t, int32_t)
void each_tm_f32_to_nearest(const float *x, int32_t low, int32_t high, int32_t *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++) y[i] = tm_f32_to_nearest(x[i], low, high);
}
void each_tm_f32_to_odd(const float *x, int32_t low, int32_t high, int32_t *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++) y[i] = tm_f32_to_odd(x[i], low, high);
}
"""
EDGES = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, EXP_LOW, EXP_HIGH, 2.0**24, 2.0**30, 2.0**31, -(2.0**31), 3e38, -3e38, 1e-45]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return c_library(tmp_path_factory.mktemp("runtime"), SOURCE)


def floats() -> NDArray[np.float32]:
    """More than a million floats: random bit patterns, numbers from -100 to 100, multiples of 1/2, edge cases with the
    adjacent floats, infinities and NaN.
    """
    random = np.random.default_rng(0)
    patterns = random.integers(0, 1 << 32, 400_000, np.uint64).astype(np.uint32).view(np.float32)
    near = random.uniform(-100, 100, 400_000).astype(np.float32)
    halves = (random.integers(-(1 << 22), 1 << 22, 200_000) / 2).astype(np.float32)
    edges = np.array(EDGES, np.float32)
    with np.errstate(over="ignore"):
        around = np.concatenate(
            [edges, np.nextafter(edges, np.float32(np.inf)), np.nextafter(edges, -np.float32(np.inf))]
        )
    return np.concatenate([patterns, near, halves, around, np.array([np.nan, np.inf, -np.inf], np.float32)])


def pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def assert_same_bits(ours: NDArray[Any], theirs: NDArray[Any], x: NDArray[Any]):
    different = np.flatnonzero(ours.view(np.int32) != theirs.view(np.int32))
    assert not len(different), (
        f"f({x[different[0]]!r}) = {ours[different[0]]!r} in C, {theirs[different[0]]!r} in numpy"
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["tm_expf", "tm_tanhf", "tm_sigmoidf", "tm_inverse_rootf", "tm_erff", "tm_logf", "tm_softplusf"]
)
def test_functions(library: ctypes.CDLL, name: str):
    x = floats()
    y = np.empty_like(x)
    library[f"each_{name}"](pointer(x), pointer(y), len(x))
    with np.errstate(all="ignore"):
        assert_same_bits(y, RUNTIME_FUNCTIONS[name].reference(x), x)


def test_reciprocal_roots_of_integers(library: ctypes.CDLL):
    """Reciprocal square roots of integers have the bits of the numpy reference. They differ from the real ones by at
    most 2^-19 of the value plus the error of rounding, which is half a unit, or three quarters for 64-bit integers.
    """
    random = np.random.default_rng(3)
    near = 1 << np.arange(63, dtype=np.int64)
    x = np.concatenate([random.integers(0, 1 << 63, 300_000) >> random.integers(0, 63, 300_000), near - 1, near])
    narrow = x[x < 1 << 31].astype(np.int32)
    for name, arguments in {"s64": x, "s32": narrow}.items():
        y = np.empty(len(arguments), np.int32)
        library[f"each_tm_inverse_root_{name}"](pointer(arguments), pointer(y), len(arguments))
        assert_same_bits(y, RUNTIME_FUNCTIONS[f"tm_inverse_root_{name}"].reference(arguments), arguments)
        real = np.minimum(2.0**31 / np.sqrt(np.maximum(arguments, 1)), 2.0**31 - 1)
        # Roots of more than 32 bits are rounded twice.
        assert (np.abs(y - real) <= (0.75 if name == "s64" else 0.5) + real * 2.0**-19).all()
    multiplier, shift = np.empty(len(narrow), np.int32), np.empty(len(narrow), np.int8)
    library.each_tm_root_multiplier_s32(pointer(narrow), pointer(multiplier), len(narrow))
    library.each_tm_root_shift_s32(pointer(narrow), pointer(shift), len(narrow))
    assert_same_bits(multiplier, RUNTIME_FUNCTIONS["tm_root_multiplier_s32"].reference(narrow), narrow)
    np.testing.assert_array_equal(shift, RUNTIME_FUNCTIONS["tm_root_shift_s32"].reference(narrow))


def test_integer_to_float(library: ctypes.CDLL):
    patterns = np.random.default_rng(1).integers(-(1 << 31), 1 << 31, 1_000_000).astype(np.int32)
    x = np.concatenate([patterns, patterns >> 20, np.array([0, -1, 2**31 - 1, -(2**31), 2**24 + 1], np.int32)])
    y = np.empty(len(x), np.float32)
    library.each_tm_int_to_f32(pointer(x), pointer(y), len(x))
    assert_same_bits(y, RUNTIME_FUNCTIONS["tm_int_to_f32"].reference(x), x)


@pytest.mark.parametrize("greatest", [2**width - 1 for width in (1, 8, 24, 31)])
def test_float_to_nearest(library: ctypes.CDLL, greatest: int):
    x = floats()
    y = np.empty(len(x), np.int32)
    low, high = np.int32(-greatest), np.int32(greatest)
    library.each_tm_f32_to_nearest(pointer(x), ctypes.c_int32(-greatest), ctypes.c_int32(greatest), pointer(y), len(x))
    with np.errstate(all="ignore"):
        assert_same_bits(y, RUNTIME_FUNCTIONS["tm_f32_to_nearest"].reference(x, low, high), x)
        real = np.nan_to_num(x.astype(np.float64), nan=-np.inf)
        expected = np.clip(np.trunc(real + np.copysign(0.5, real)), -greatest, greatest)
    np.testing.assert_array_equal(y, expected)


def test_float_to_odd(library: ctypes.CDLL):
    x = floats()
    y = np.empty(len(x), np.int32)
    greatest = 1 << 30
    low, high = np.int32(-greatest), np.int32(greatest)
    library.each_tm_f32_to_odd(pointer(x), ctypes.c_int32(-greatest), ctypes.c_int32(greatest), pointer(y), len(x))
    with np.errstate(all="ignore"):
        assert_same_bits(y, RUNTIME_FUNCTIONS["tm_f32_to_odd"].reference(x, low, high), x)
        inside = x[np.abs(x) < high]
        odd = y[np.abs(x) < high]
    floor = np.floor(inside.astype(np.float64))
    np.testing.assert_array_equal(odd[floor == inside], floor[floor == inside])
    assert (odd[floor != inside] & 1).all()
    assert (np.abs(odd - inside.astype(np.float64)) <= 1).all()


def test_accuracy():
    x = np.random.default_rng(2).uniform(EXP_LOW, EXP_HIGH, 1_000_000).astype(np.float32)
    x[: len(x) // 2] /= 50
    real = x.astype(np.float64)
    exact = np.exp(real)
    assert (np.abs(exp(x) - exact) <= 2 * np.spacing(exact.astype(np.float32))).all()
    assert (np.abs(tanh(x) - np.tanh(real)) <= 2.0**-22).all()
    positive = np.maximum(np.exp(x), np.float32(LEAST_SQUARE))
    root = 1 / np.sqrt(positive.astype(np.float64))
    assert (np.abs(inverse_root_float(positive) - root) <= 2.0**-22 * root).all()
    assert (np.abs(sigmoid(x) - 1 / (1 + np.exp(-real))) <= 2.0**-23).all()
