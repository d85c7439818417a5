"""Number formats, except those that reproduce a paper's arithmetic, compared with double precision: results are as
accurate as the formats guarantee.
"""

from __future__ import annotations

import math
import os
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.number_formats import FORMATS, FUNCTIONS, SORTS, Array, Sort, extremes, pairs_of, raws_of, some_raws_of
from programs.spread import EXHAUSTIVE, spread_product

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import Function, NumberFormat
from tinyml.dialects.machine.numpy_machine import NumpyMachine

M = NumpyMachine()

OWN = [sort for sort in SORTS if not sort.variants[0].AS_PUBLISHED]
by_sort = pytest.mark.parametrize("sort", OWN, ids=str)
by_exact_sort = pytest.mark.parametrize(
    "sort",
    [sort for sort in SORTS if sort.variants[0].ROUNDS_ONCE and not sort.variants[0].AS_PUBLISHED],
    ids=str,
)
NEAREST = [format for format in FORMATS if not format.AS_PUBLISHED]
formats = st.sampled_from(NEAREST)
reals = st.lists(st.floats(-1.0e9, 1.0e9) | st.floats(-1, 1), min_size=1, max_size=50).map(np.array)

DOUBLE = 2.0**-52
SINGLE = 2.0**-24


@pytest.fixture(autouse=True)
def float_overflow_is_no_error():
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        yield


def exactly(function: Function, x: NDArray[np.float64]) -> NDArray[np.float64]:
    match function:
        case "exp":
            return np.exp(x)
        case "tanh":
            return np.tanh(x)
        case "sigmoid":
            return 0.5 + 0.5 * np.tanh(x / 2)
        case "erf":
            return np.array([math.erf(each) for each in x.ravel().tolist()]).reshape(x.shape)
        case "softplus":
            return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
        case "log":
            return np.log(np.maximum(x, 2.0**-126))


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS, ids=lambda format: str(format.type))
def test_ends_bracket_all_numbers(format: NumberFormat):
    """All numbers of a format lie between its extremes, even if its `encode` wraps around. Finite extremes are numbers
    of the format.
    """
    low, high = (float(format.decode(raw)) for raw in format.ends())
    numbers = format.decode(raws_of(format))
    assert low <= numbers.min() <= numbers.max() <= high
    if np.isfinite([low, high]).all():
        assert [low, high] == [numbers.min(), numbers.max()]


def assert_nearest(format: NumberFormat, raws: Array, exact: NDArray[np.float64], tolerance: float = DOUBLE):
    """Assert that each raw is at most as far from the exact real as the number to which `encode` rounds and saturates
    this real. At a tie, either of the two nearest numbers is accepted.

    tolerance: the additional distance that is accepted, as a fraction of the exact real.
    """
    best = np.abs(format.decode(format.encode(exact)) - exact)
    found = np.abs(format.decode(raws) - exact)
    assert (found <= best + tolerance * np.abs(exact)).all() or np.array_equal(raws, format.encode(exact))


def assert_next(format: NumberFormat, raws: Array, exact: NDArray[np.float64], greatest: Any = 0.0):
    """Assert that the values of raws differ from the exact results, limited to the range of the format, by at most
    three quarters of a step plus 2^-17 of the operands and the result.

    format: a format of at most 16 bits.
    greatest: the magnitude of the operands.
    """
    place = widest_place(format)
    limited = np.clip(exact, *extremes(format))
    assert (np.abs(format.decode(raws) - limited) <= 0.75 * place + 2.0**-17 * (greatest + np.abs(limited))).all()


@cache
def neighbours(format: NumberFormat) -> NDArray[np.float64]:
    """All numbers of a format of at most 16 bits in increasing order."""
    return np.sort(format.decode(raws_of(format)))


@cache
def widest_place(format: NumberFormat) -> float:
    """The greatest difference between neighbouring numbers of a format."""
    return float(np.diff(neighbours(format)).max())


def results_of(sort: Sort) -> list[tuple[int, NumberFormat]]:
    """The result formats with which the operand formats of `sort` are tested, each with its index in `NEAREST`: the
    variants of `sort` and a quarter of all other formats. In `make exhaustive`, all formats.
    """
    turn = SORTS.index(sort) % 4
    return [
        (number, format)
        for number, format in enumerate(NEAREST)
        if number % 4 == turn or format in sort.variants or EXHAUSTIVE in os.environ
    ]


@by_sort
def test_decoding_is_undone_by_encoding(sort: Sort):
    for format in sort.variants:
        raws = raws_of(format)
        np.testing.assert_array_equal(format.encode(format.decode(raws)), raws)
        assert raws.dtype == format.dtype


@given(formats, reals)
def test_encoding_takes_the_nearest_value(format: NumberFormat, x: NDArray[np.float64]):
    raws = format.encode(x)
    assert raws.shape == x.shape
    assert raws.dtype == format.dtype
    if format.dtype.itemsize > 2:
        limited = np.clip(x, *extremes(format))
        # No number but 0 is rounded to 0: posits are coarsest there.
        scale = np.maximum(np.abs(limited), np.max(np.abs(extremes(format))) * 2.0**-5)
        assert (np.abs(format.decode(raws) - limited) <= SINGLE * scale).all()
    else:
        values = neighbours(format)
        distance = np.abs(values[:, None] - x).min(0)
        # Zero-skew numbers of quantised files are quotients in single precision, of a real in single precision.
        tolerance = DOUBLE if format.ROUNDS_ONCE else 3 * SINGLE
        assert (np.abs(format.decode(raws) - x) <= distance + tolerance * np.abs(x)).all()


@given(formats, reals)
def test_encoding_is_monotone(format: NumberFormat, x: NDArray[np.float64]):
    assert (np.diff(format.decode(format.encode(np.sort(x)))) >= 0).all()


@pytest.mark.long
@by_exact_sort
@pytest.mark.parametrize("name", ["add", "sub", "mul", "maximum", "minimum"])
def test_results_are_the_nearest_values(sort: Sort, name: str):
    """Results are the numbers nearest to the exact results. For formats of at most 16 bits, ties are also rounded as
    `encode` rounds them, because double precision is exact for these formats.
    """
    exact = getattr(np, {"add": "add", "sub": "subtract", "mul": "multiply"}.get(name, name))
    for (i, lhs), (j, rhs) in product(enumerate(sort.variants), repeat=2):
        result = sort.variants[(i + 2 * j) % len(sort.variants)]
        a, b = pairs_of(lhs, rhs, every=lhs == rhs)
        computed = getattr(result, name)(M, a, lhs, b, rhs)
        expected = exact(lhs.decode(a), rhs.decode(b))
        assert_nearest(result, computed, expected)
        if result.dtype.itemsize <= 2:
            np.testing.assert_array_equal(computed, result.encode(expected))


@pytest.mark.long
@by_sort
def test_negation_and_conversion_give_the_nearest_values_and_are_monotone(sort: Sort):
    for turn, result in results_of(sort):
        source = sort.variants[turn // 2 % len(sort.variants)]
        x = some_raws_of(source)
        x = x[np.argsort(source.decode(x), kind="stable")]
        # Between families a value goes through a float.
        tolerance = DOUBLE if source.FAMILY == result.FAMILY else SINGLE if source.ROUNDS_ONCE else 2 * SINGLE
        converted = np.broadcast_to(result.convert(M, x, source), x.shape)
        assert (np.diff(result.decode(converted)) >= 0).all()
        if result.ROUNDS_ONCE:
            assert_nearest(result, converted, source.decode(x), tolerance)
        else:
            assert_next(result, converted, source.decode(x))
        if source.FAMILY == result.FAMILY:
            check = assert_nearest if result.ROUNDS_ONCE else assert_next
            check(result, result.neg(M, x, source), -source.decode(x))


@pytest.mark.parametrize("sort", [sort for sort in SORTS if not sort.variants[0].ROUNDS_ONCE], ids=str)
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_results_that_are_rounded_twice_are_next_to_the_exact_ones(sort: Sort, name: str):
    exact = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[name]
    for lhs, rhs, result in product(sort.variants, repeat=3):
        a, b = pairs_of(lhs, rhs, every=lhs == rhs == result)
        x, y = lhs.decode(a), rhs.decode(b)
        assert_next(result, getattr(result, name)(M, a, lhs, b, rhs), exact(x, y), np.abs(x) + np.abs(y))


@by_sort
def test_results_beyond_the_extremes_saturate(sort: Sort):
    for format in sort.variants:
        low, high = extremes(format)
        ends = format.encode(np.array([low, high]))
        for real, end in zip((low, high), ends, strict=True):
            np.testing.assert_array_equal(format.encode(np.array([real])), end)
            if np.isfinite(format.decode(format.encode(np.array([2.0 * real])))).all():
                np.testing.assert_array_equal(format.encode(np.array([2.0 * real, 1.0e300 * np.sign(real)])), end)
                np.testing.assert_array_equal(format.add(M, end[None], format, end[None], format), end)
                wrong_way = ends[::-1][list(ends).index(end)]
                np.testing.assert_array_equal(format.sub(M, end[None], format, wrong_way[None], format), end)


WIDE_PLACE = 2.0**-14
"""The place by which results of more than 16 bits are judged: fixed point tabulates functions of 16 bits."""


@pytest.mark.long
@pytest.mark.parametrize(("sort", "name"), spread_product(len(OWN), OWN, FUNCTIONS), ids=str)
def test_functions_follow_the_real_ones(sort: Sort, name: Function):
    """For all scales, the error is at most 4 steps of the result plus 2e-3 of the value. Results never decrease, except
    by errors of functions in single precision.

    Each function is tested on half of the pairs of source and result scales; every source and every result occurs.
    """
    turn, variants = FUNCTIONS.index(name), [*enumerate(sort.variants)]
    for (i, source), (j, result) in product(variants, repeat=2):
        if (i + j + turn) % 2 and len(variants) > 1:
            continue
        x = source.decode(raws_of(source) if source == result else some_raws_of(source))
        x = np.sort(x[np.abs(x) < 80])
        computed = result.decode(np.broadcast_to(result.function(M, name, source.encode(x), source), x.shape))
        exact = np.clip(exactly(name, x), *extremes(result))
        if result.dtype.itemsize <= 2:
            values = neighbours(result)
            above = np.clip(np.searchsorted(values, exact), 1, len(values) - 1)
            place = values[above] - values[above - 1]
            # What goes through floats may fall by as much as their functions are wrong.
            assert ((np.diff(np.searchsorted(values, computed)) >= 0) | (np.diff(computed) >= -4 * SINGLE)).all()
        else:
            place = np.full(x.shape, WIDE_PLACE)
            assert (np.diff(computed) >= -4 * SINGLE * np.maximum(np.abs(computed[1:]), 1.0)).all()
        assert (np.abs(computed - exact) <= 4 * place + 2.0e-3 * np.abs(exact) + 4 * SINGLE).all()


# Greatest errors of 16-bit fixed point in units of the result's last place, as measured, with a margin of 5 %.
BOUNDS: dict[tuple[Function, int, int], float] = {
    ("exp", 12, 12): 3.2,
    ("exp", 12, 15): 2.7,
    ("exp", 11, 14): 3.3,
    ("exp", 8, 15): 4.5,
    ("tanh", 12, 15): 1.6,
    ("tanh", 12, 14): 1.8,
    ("tanh", 11, 14): 1.7,
    ("tanh", 10, 14): 2.0,
    ("sigmoid", 12, 15): 1.8,
    ("sigmoid", 11, 15): 1.8,
    ("sigmoid", 12, 14): 1.4,
    ("sigmoid", 10, 14): 1.5,
    ("erf", 12, 15): 1.8,
    ("erf", 11, 14): 1.8,
    ("softplus", 11, 11): 1.5,
    ("softplus", 12, 12): 1.2,
}


@pytest.mark.parametrize(("name", "source_frac", "result_frac"), BOUNDS)
def test_errors_of_fixed_functions(name: Function, source_frac: int, result_frac: int):
    source, result = FixedType(16, source_frac), FixedType(16, result_frac)
    x = raws_of(source)
    exact = np.clip(exactly(name, source.decode(x)), *extremes(result))
    places = np.ldexp(np.abs(result.decode(result.function(M, name, x, source)) - exact), result_frac)
    assert places.max() <= BOUNDS[name, source_frac, result_frac]


LIMITS: dict[Function, tuple[float, float]] = {
    "exp": (0.0, np.inf),
    "tanh": (-1.0, 1.0),
    "sigmoid": (0.0, 1.0),
    "erf": (-1.0, 1.0),
    "log": (-np.inf, np.inf),
    "softplus": (0.0, np.inf),
}


@pytest.mark.long
@pytest.mark.parametrize("name", FUNCTIONS)
@given(st.sampled_from([8, 13, 16]), st.integers(-3, 16), st.sampled_from([8, 13, 16]), st.integers(-3, 20))
def test_fixed_functions_never_fall(name: Function, width: int, frac: int, result_width: int, result_frac: int):
    source, result = FixedType(width, frac), FixedType(result_width, result_frac)
    computed = np.broadcast_to(result.function(M, name, raws_of(source), source), raws_of(source).shape)
    assert (np.diff(computed.astype(np.int64)) >= 0).all()
    # A result whose step is above a limit rounds to that step.
    step = 2.0**-result_frac
    least, most = (np.sign(limit) * max(abs(limit), step) for limit in LIMITS[name])
    assert (result.decode(computed) >= least).all()
    assert (result.decode(computed) <= most).all()


@given(
    st.sampled_from([8, 16, 32]), st.integers(-31, 62), st.sampled_from([8, 16, 32]), st.integers(-31, 62), st.data()
)
def test_any_scales_give_values_inside_the_format(width: int, frac: int, other: int, other_frac: int, data: Any):
    """For no pair of scales does an intermediate value of a unary op overflow, and every result is within the
    format's limits.
    """
    source, result = FixedType(width, frac), FixedType(other, other_frac)
    low, high = result.limits
    raws = data.draw(st.lists(st.integers(*source.limits), min_size=1, max_size=20))
    x = np.array([*raws, *source.limits, 0], source.dtype)
    for name in FUNCTIONS:
        y = result.function(M, name, x, source)
        assert (y >= low).all()
        assert (y <= high).all()
    as_float = source.to_f32(M, x)
    y = result.from_f32(M, as_float)
    assert (y >= low).all()
    assert (y <= high).all()
