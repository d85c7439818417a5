"""Unsigned fixed point: halves go to even, and nothing leaves the limits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tinyml.dialects.formats.fixed.type import FixedType, UnsignedType
from tinyml.dialects.machine.numpy_machine import NumpyMachine


@given(st.integers(1, 15), st.integers(-4, 20), st.integers(-4, 20))
def test_results_round_as_numpy_does(width: int, source: int, result: int):
    """Every number of 16 bits, at any scale."""
    raws = np.arange(-(1 << 15) + 1, 1 << 15).astype(np.int16)
    source_format, format = FixedType(16, source), UnsignedType(width, result)
    exact = np.clip(np.rint(np.ldexp(raws.astype(np.float64), result - source)), 0, (1 << width) - 1)
    np.testing.assert_array_equal(format.recode(NumpyMachine(), raws, source_format), exact)
    np.testing.assert_array_equal(format.encode(source_format.decode(raws)), exact)


def test_storage_holds_the_greatest_number():
    for width, bytes in ((7, 1), (8, 2), (15, 2)):
        format = UnsignedType(width, 0)
        assert format.dtype.itemsize == bytes
        assert format.encode(np.array([-1.0, 1e9])).tolist() == [0, (1 << width) - 1]
