"""Rounding of halves to even: in the formats whose type specifies it, and always in unsigned fixed point."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tinyml.dialects.formats.fixed.type import FixedType, SignedType, UnsignedType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

M = NumpyMachine()

Format: TypeAlias = FixedType | SignedType | UnsignedType

fracs = st.integers(-4, 20)
formats = (
    st.builds(UnsignedType, st.integers(1, 15), fracs)
    | st.builds(FixedType, st.integers(2, 32), fracs, to_even=st.just(True))
    | st.builds(SignedType, st.integers(2, 32), fracs, to_even=st.just(True))
)


@given(formats, st.integers(-4, 20))
def test_results_round_as_numpy_does(format: Format, source: int):
    """A conversion of any 16-bit fixed-point number rounds as numpy does, from a raw of scale `source`, from a real and
    from a float.
    """
    raws = np.arange(-(1 << 15) + 1, 1 << 15).astype(np.int16)
    source_format = FixedType(16, source)
    reals = source_format.decode(raws)
    exact = rounded(format, reals)
    np.testing.assert_array_equal(format.recode(M, raws, source_format), exact)
    np.testing.assert_array_equal(format.encode(reals), exact)
    np.testing.assert_array_equal(format.from_f32(M, reals.astype(np.float32)), exact)


@given(formats, fracs, st.integers(1, 200))
def test_averages_round_as_numpy_does(format: Format, source: int, count: int):
    """Averages of `count` numbers round as numpy does. The sums include ties, which occur if `count` is even, and their
    neighbours.
    """
    totals = np.arange(-20 * count, 20 * count + 1).astype(np.int32)
    source_format = FixedType(16, source)
    exact = rounded(format, np.ldexp(totals, -source) / count)
    np.testing.assert_array_equal(format.average(M, totals, count, source_format), exact)


def rounded(format: Format, reals: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(np.rint(np.ldexp(reals, format.frac.data)), *format.limits)


def test_storage_holds_the_greatest_number():
    for width, bytes in ((7, 1), (8, 2), (15, 2)):
        format = UnsignedType(width, 0)
        assert format.dtype.itemsize == bytes
        assert format.encode(np.array([-1.0, 1e9])).tolist() == [0, (1 << width) - 1]


@given(
    st.integers(-(1 << 31), (1 << 31) - 1).map(np.int32),
    st.integers(1 << 30, (1 << 31) - 1).map(np.int32),
    st.integers(-31, 30).map(np.int8),
)
def test_a_requantised_number_is_rounded_once(x: np.int32, multiplier: np.int32, shift: np.int8):
    exact = Fraction(int(x) * int(multiplier)) / Fraction(2) ** (31 - int(shift))
    limited = min(max(round(exact), -(1 << 31)), (1 << 31) - 1)
    assert RUNTIME_FUNCTIONS["tm_requantize_even_s32"].reference(x, multiplier, shift) == limited


@given(st.integers(2, 8), st.integers(-8, 4), st.integers(-100, 100))
def test_zero_skew_sums_round_halves_to_even_before_the_zero_point(width: int, exponent: int, sum: int):
    """A sum is rounded half to even before the zero point is added. Scales are powers of two, for which the multiplier
    is exact, so that ties occur.
    """
    low, high = -(1 << width - 1), (1 << width - 1) - 1
    lhs, format = ZeroSkewType(8, 1.0), ZeroSkewType(width, math.ldexp(1.0, exponent), low // 2, to_even=True)
    accumulator = format.accumulator(lhs, lhs, None)
    exact = min(max(round(Fraction(sum) / Fraction(2) ** exponent) + low // 2, low), high)
    assert format.finish(M, np.array(sum, np.int32), accumulator, None) == exact
