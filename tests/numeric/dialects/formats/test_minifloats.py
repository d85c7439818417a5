"""Minifloats: their numbers and rounding equal those of ml_dtypes, and their sums are exact."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from programs.number_formats import Array

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.minifloat import MinifloatType
from tinyml.dialects.machine.numpy_machine import NumpyMachine

M = NumpyMachine()
TYPES: dict[tuple[int, int], Any] = {
    (3, 4): ml_dtypes.float8_e3m4,
    (4, 3): ml_dtypes.float8_e4m3fn,
    (5, 2): ml_dtypes.float8_e5m2,
    (2, 3): ml_dtypes.float6_e2m3fn,
    (3, 2): ml_dtypes.float6_e3m2fn,
    (2, 1): ml_dtypes.float4_e2m1fn,
}

of_each_kind = pytest.mark.parametrize(("e", "m"), TYPES)


def theirs(raws: Array, e: int, m: int) -> Array:
    """Convert tinyml's ordered raws to the sign and magnitude of ml_dtypes."""
    return (np.abs(raws).astype(np.uint8) | (raws < 0).astype(np.uint8) << (e + m)).view(TYPES[e, m])


@of_each_kind
def test_numbers_are_those_of_ml_dtypes(e: int, m: int):
    format = MinifloatType(e, m)
    raws = np.arange(1 << (e + m)).astype(np.uint8)
    finite = raws[np.isfinite(raws.view(TYPES[e, m]).astype(np.float64))].astype(np.int8)
    assert format.raw_limits == (-finite.max(), finite.max())
    both = np.concatenate([-finite[::-1], finite])
    np.testing.assert_array_equal(format.decode(both), theirs(both, e, m).astype(np.float64))
    np.testing.assert_array_equal(format.encode(format.decode(both)), both)


@of_each_kind
def test_reals_are_rounded_as_ml_dtypes_rounds_them(e: int, m: int):
    format = MinifloatType(e, m)
    numbers = format.decode(format.numbers[0])
    middles = (numbers[:-1] + numbers[1:]) / 2
    random = np.random.default_rng(0).normal(size=20_000) * 2.0 ** np.random.default_rng(1).integers(-20, 18, 20_000)
    # The oracle rounds doubles by way of floats.
    middles = middles.astype(np.float32)
    around = [np.nextafter(middles, np.float32(far)) for far in (-9e9, 9e9)]
    reals = np.concatenate([numbers, middles, *around, random]).astype(np.float32).astype(np.float64)
    reals = reals[np.abs(reals) <= numbers[-1]]
    expected = reals.astype(TYPES[e, m]).astype(np.float64)
    np.testing.assert_array_equal(format.decode(format.encode(reals)), expected)
    assert (format.encode(np.array([1e9, -1e9, np.inf])) == np.array(format.raw_limits)[[1, 0, 1]]).all()


@of_each_kind
def test_floats_are_rounded_as_the_doubles_that_they_equal(e: int, m: int):
    format = MinifloatType(e, m)
    floats = np.random.default_rng(0).integers(0, 1 << 32, 20_000, np.uint32).view(np.float32)
    single: Any = floats[~np.isnan(floats)]
    np.testing.assert_array_equal(format.encode(single), format.encode(single.astype(np.float64)))


@pytest.mark.parametrize(("e", "m"), [kind for kind in TYPES if kind != (5, 2)])
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_operations_are_those_of_ml_dtypes(e: int, m: int, name: str):
    """Results equal those of ml_dtypes for all pairs of operands whose result is in range."""
    format = MinifloatType(e, m)
    raws = format.numbers[0].astype(np.int8)
    a, b = np.repeat(raws, len(raws)), np.tile(raws, len(raws))
    compute = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[name]
    inside = np.abs(compute(format.decode(a), format.decode(b))) <= format.decode(np.array(format.raw_limits[1]))
    ours = getattr(format, name)(M, a, format, b, format)
    expected = compute(theirs(a, e, m), theirs(b, e, m)).astype(np.float64)
    np.testing.assert_array_equal(format.decode(ours)[inside], expected[inside])


def test_what_devices_store_are_the_numbers_that_fit_into_16_bits():
    format, all_numbers = MinifloatType(5, 2, 3), MinifloatType(5, 2)
    held = format.decode(format.numbers[0]) * 8
    np.testing.assert_array_equal(all_numbers.decode(all_numbers.encode(held)), held)
    assert max(map(abs, format.integer_limits)) < 1 << 15
    assert all_numbers.coding is None
    with pytest.raises(InputError, match="numbers that exceed 32 bits as integers"):
        all_numbers.neg(M, np.ones(1, np.int8), all_numbers)
