"""Encoding of features by integers returns the raws nearest to the real quotients, and recovers every raw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyml.dialects import tdsl
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType

FORMATS = [FixedType(8, 7), FixedType(8, 5), FixedType(6, 5), FixedType(16, 15), FixedType(16, 12)]
POWERS = st.integers(-40, 40).map(lambda exponent: 2.0**exponent)


def encoding_of(scales: list[float], zeros: list[float], format: NumberFormat) -> tdsl.FeatureEncoding:
    features = tdsl.FeatureMap(np.array(scales), np.array(zeros))
    encoding = tdsl.feature_encoding(features, format)
    assert encoding is not None
    return encoding


def all_raws(format: NumberFormat) -> np.ndarray:
    low, high = sorted(int(end) for end in format.ends())
    return np.arange(low, high + 1)[:, None]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FORMATS), POWERS, st.integers(-200, 200), st.integers(0, 1 << 32))
def test_powers_of_two_give_the_nearest_raw(format: FixedType, scale: float, steps: int, seed: int) -> None:
    """With a scale that is a power of two, raws are those nearest to the quotient. Halves are rounded up, and numbers
    beyond the range saturate.
    """
    zero = steps * scale / 16
    encoding = encoding_of([scale], [zero], format)
    assert encoding.factors is None
    x = np.random.default_rng(seed).normal(zero, scale, (300, 1)).astype(np.float32)
    exact = np.floor(np.ldexp((x.astype(np.float64) - zero) / scale, format.frac.data) + 0.5)
    np.testing.assert_array_equal(encoding.raws(x), np.clip(exact, *format.limits))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([*FORMATS[:3], FORMATS[4], ZeroSkewType.of_width(8)]),
    st.floats(1e-5, 1e5),
    st.floats(-20, 20),
    st.booleans(),
)
def test_other_scales_are_off_by_less_than_a_raw(
    format: NumberFormat, scale: float, steps: float, negative: bool
) -> None:
    scale = float(np.float32(-scale if negative else scale))
    zero = float(np.float32(steps * scale))
    encoding = encoding_of([scale], [zero], format)
    raws = all_raws(format)
    x = format.decode(raws.astype(format.dtype)) * scale + zero
    found = encoding.raws(x).astype(np.int64)
    assert np.abs(found - raws).max() <= (1 if format.dtype.itemsize == 1 else 3)


@pytest.mark.parametrize("format", [*FORMATS, ZeroSkewType.of_width(8)], ids=str)
@pytest.mark.parametrize("scales", [[0.25, 8.0], [0.3, 7.0], [-0.3, 1e-4]])
def test_raws_come_back(format: NumberFormat, scales: list[float]) -> None:
    encoding = encoding_of(scales, [0.1, -40.0 * scales[1]], format)
    raws = np.repeat(all_raws(format), 2, axis=1)
    np.testing.assert_array_equal(encoding.raws(encoding.features(raws)), raws)


def test_what_is_no_number_has_a_raw() -> None:
    x = np.array([[np.nan], [-np.nan], [np.inf], [-np.inf], [-0.0], [1e-45]], np.float32)
    assert encoding_of([1.0], [0.0], FORMATS[0]).raws(x).ravel().tolist() == [-127, -127, 127, -127, 0, 0]
    assert encoding_of([0.7], [0.0], FORMATS[0]).raws(x).ravel().tolist() == [-127, -127, 127, -127, 0, 0]


def test_floats_encode_what_integers_cannot() -> None:
    """Integers cannot encode features in formats that are not affine, with a zero far from 0 in units of the scale, or
    with a scale beyond the range of floats; floats are then used instead.
    """
    near = tdsl.FeatureMap(np.ones(1), np.zeros(1))
    assert tdsl.feature_encoding(near, PositType(8, 0, -6, 1)) is None
    assert tdsl.feature_encoding(tdsl.FeatureMap(np.ones(1), np.full(1, 1e6)), FORMATS[3]) is None
    assert tdsl.feature_encoding(tdsl.FeatureMap(np.full(1, 2.0**-120), np.zeros(1)), FORMATS[3]) is None
    assert tdsl.feature_encoding(tdsl.FeatureMap(np.full(1, 0.7), np.zeros(1)), FixedType(32, 31)) is None
