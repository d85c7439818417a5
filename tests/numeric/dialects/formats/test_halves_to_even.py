"""Fixed point that rounds halves to even: signed where the type says so, unsigned always. Nothing leaves the limits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tinyml.dialects.formats.fixed.type import FixedType, SignedType, UnsignedType
from tinyml.dialects.machine.numpy_machine import NumpyMachine

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
    """Every number of 16 bits, at any scale; floats and averages too."""
    raws = np.arange(-(1 << 15) + 1, 1 << 15).astype(np.int16)
    source_format = FixedType(16, source)
    reals = source_format.decode(raws)
    exact = rounded(format, reals)
    np.testing.assert_array_equal(format.recode(M, raws, source_format), exact)
    np.testing.assert_array_equal(format.encode(reals), exact)
    np.testing.assert_array_equal(format.from_f32(M, reals.astype(np.float32)), exact)


@given(formats, fracs, st.integers(1, 200))
def test_averages_round_as_numpy_does(format: Format, source: int, count: int):
    """An average with an even divisor has ties; both neighbours of a tie are tried."""
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
