"""Posit operations return the same bits as SoftPosit, in numpy and in C. Posits whose stored range is limited equal
standard posits within that range.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.c_library import c_library
from oracles.quire import quire_dot
from oracles.soft_posit import DOTS, SORTS, assert_are_those_of_softposit, dots_of, factors, pairs, reals

from tinyml.dialects.formats.number_format import Factor, Product
from tinyml.dialects.formats.posit.arithmetic import Posit, of_reals, pack, to_reals
from tinyml.dialects.formats.posit.functions import ALL
from tinyml.dialects.formats.posit.parts import parts_of_posit
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

Array = NDArray[Any]

M = NumpyMachine()
of_each_sort = pytest.mark.parametrize(("n", "es"), SORTS)


@pytest.mark.long
@of_each_sort
def test_operations_are_those_of_softposit(n: int, es: int):
    a, b = pairs(n)
    format = PositType(n, es)
    for name in ("add", "sub", "mul"):
        assert_are_those_of_softposit(getattr(format, name)(M, a, format, b, format), name, n, es)
    assert_are_those_of_softposit(format.greater(M, b, a), "lt", n, es)


@pytest.mark.long
@of_each_sort
def test_reals_are_rounded_as_softposit_rounds_them(n: int, es: int):
    format = PositType(n, es)
    ours = format.encode(reals(n, es))
    assert_are_those_of_softposit(ours, "of reals", n, es)
    legal = ours[ours != format.posit.nar]
    np.testing.assert_array_equal(format.encode(format.decode(legal)), legal)


@pytest.mark.parametrize("n", [2, 3, 8, 11, 16])
@pytest.mark.parametrize("es", range(4))
@pytest.mark.parametrize("is_short", [False, True])
def test_a_table_rounds_as_pack_does(n: int, es: int, is_short: bool):
    """Ties, which are posits of one more bit or halves of the least number, their neighbours, and the ends of doubles
    are rounded to the same raws by `_roundings` and by `pack`.
    """
    posit = Posit(n, es, 3 - n if is_short else None, (1 << (n - 1)) * 3 // 4 if is_short else None)
    ties = to_reals(np.arange(1, 1 << n), Posit(n + 1, es))
    halves = np.ldexp(np.arange(1, 64), 2 - n)
    near = np.concatenate([ties, halves])
    ends = [0.0, 5e-324, 2.0**-1022, 1e308, np.finfo(np.float64).max]
    positive = np.concatenate([near, np.nextafter(near, 0), np.nextafter(near, np.inf), ends])
    numbers = np.concatenate([positive, -positive, [np.inf, -np.inf, np.nan]])
    mantissa, exponent = np.frexp(numbers[:-3])
    packed = pack(np.ldexp(mantissa, 53).astype(np.int64), exponent - 53, posit)
    np.testing.assert_array_equal(of_reals(numbers, posit), [*packed, posit.nar, posit.nar, posit.nar])


@pytest.mark.long
@pytest.mark.parametrize(("n", "es", "spread"), DOTS)
def test_dot_products_are_those_of_a_quire(n: int, es: int, spread: int):
    ours = [quire_dot(x, y, Posit(n, es)) for x, y in zip(*factors(n, spread), strict=True)]
    np.testing.assert_array_equal(ours, dots_of(n, es))


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "es", "low", "high"),
    [(8, 0, -6, 7), (8, 1, -12, 3), (8, 2, -15, 0), (12, 2, -15, 0), (16, 1, -28, 1), (16, 2, -28, 0)],
)
def test_sums_of_stored_posits_are_those_of_a_quire(n: int, es: int, low: int, high: int):
    """Of 4,000 dot products in posits of limited range, those inside this range equal the sums in a quire. The bound of
    the sum determines the width of the accumulator, which suffices.
    """
    format = PositType(n, es, low, high)
    random = np.random.default_rng(n)
    a, b = format.encode(random.normal(size=(2, 4_000, 16)) * 2.0 ** (high - 3))
    bound = format.sum_bound([Product(16, Factor(format, a[:, None, :]), Factor(format))])
    accumulator = format.accumulator(format, format, bound)
    sums = accumulator.matmul(a[:, None, :], format, b[:, :, None], format)
    found = format.finish(M, sums, accumulator, bound).ravel()
    expected = np.array([quire_dot(x, y, Posit(n, es)) for x, y in zip(a, b, strict=True)])
    inside = np.minimum(np.abs(expected), np.abs(found)) > _least_whole(format)
    np.testing.assert_array_equal(found[inside], np.clip(expected, *format.raw_limits)[inside])
    assert inside.mean() > 0.9


def _least_whole(format: PositType) -> int:
    """The least positive raw such that this posit and all greater ones are also posits of the standard format with the
    same n and es.
    """
    raws = np.arange(1, format.raw_limits[1] + 1)
    other = raws[format.encode(PositType(format.n.data, format.es.data).decode(raws)) != raws]
    return int(other.max(initial=0)) + 1


@pytest.mark.parametrize(
    "format", [PositType(8, 2, -15, 0), PositType(16, 1, -20, 2), PositType(12, 0, -9, 3)], ids=str
)
def test_bounded_posits_are_multiples_of_2_to_the_low_below_2_to_the_high(format: PositType):
    low, high = format.bounds or (0, 0)
    reals = np.random.default_rng(0).normal(size=20_000) * 2.0**high
    held = format.decode(format.encode(reals))
    assert (np.abs(held) < 2.0**high).all()
    np.testing.assert_array_equal(held, np.round(held * 2.0**-low) * 2.0**low)
    posits = PositType(format.n.data, format.es.data)
    nearest = posits.decode(posits.encode(reals))
    inside = np.abs(reals) < np.max(held)
    np.testing.assert_array_less(np.abs(held - nearest)[inside], 2.0**low)
    # Where posits are coarse nothing changes.
    coarse = inside & (np.abs(posits.encode(reals)) > _least_whole(format))
    np.testing.assert_array_equal(held[coarse], nearest[coarse])


@pytest.mark.parametrize("n", [9, 16])
@pytest.mark.parametrize("high", [1, 2, 4])
@pytest.mark.parametrize("dropped", [0, 3])
def test_posits_with_es_0_are_decoded_by_additions(n: int, high: int, dropped: int):
    format = PositType(n, 0, 2 - n + dropped, high, 5)
    low, last = format.raw_limits
    raws = np.unique(format.encode(format.decode(np.arange(low, last + 1))))
    loaded = format.load(M, raws)
    np.testing.assert_array_equal(loaded.value, format.integers(raws))
    np.testing.assert_array_equal(np.ldexp(format.integers(raws), -format.scale), format.decode(raws))


def test_constants_have_the_es_and_the_shift_of_the_least_error():
    random = np.random.default_rng(0)
    flat, tailed = random.uniform(-400, 400, 1000), 2.0 ** random.uniform(-20, 8, 1000)
    usual = [PositType(8, 2).for_range(-reach, reach) for reach in (400.0, 256.0)]
    assert usual[0] == PositType(8, 0, -6, 1, -8)
    assert usual[0].fitted_to(flat, None, rows=False) == usual[0]
    importance = tailed**-2.0
    assert usual[1].fitted_to(tailed, importance, rows=False).es.data > 0


SOURCE = """
#include "tinyml/posit.h"
#include "tinyml/posit_parts.h"
#define BINARY(NAME) void each_##NAME(const int32_t *a, const int32_t *b, int32_t *y, int32_t n, int8_t w, int8_t es) \\
    { for (int32_t i = 0; i < n; i++) y[i] = NAME(a[i], b[i], w, es); }
BINARY(tm_posit_add) BINARY(tm_posit_sub) BINARY(tm_posit_mul)
#define OF(NAME, IN) \\
    void each_##NAME(const IN *x, int32_t *y, int32_t n, int16_t s, int8_t w, int8_t es, int16_t l, int32_t g) \\
    { for (int32_t i = 0; i < n; i++) y[i] = NAME(x[i], s, w, es, l, g); }
OF(tm_posit_of_s32, int32_t) OF(tm_posit_of_s64, int64_t)
void each_tm_posit_linear_s32(const int32_t *x, int32_t *y, int32_t n, int8_t right, int8_t w, int16_t g)
    { for (int32_t i = 0; i < n; i++) y[i] = tm_posit_linear_s32(x[i], right, w, g); }
void each_tm_posit_to_s32(const int32_t *x, int32_t *y, int32_t n, int16_t s, int8_t w, int8_t es)
    { for (int32_t i = 0; i < n; i++) y[i] = tm_posit_to_s32(x[i], s, w, es); }
#define PARTS(NAME, IN, OUT) \\
    void each_##NAME(const IN *x, OUT *y, int32_t n, int8_t w, int8_t es, int8_t step, int16_t bias) \\
    { for (int32_t i = 0; i < n; i++) y[i] = NAME(x[i], w, es, step, bias); }
PARTS(tm_posit_parts_s16, int16_t, int32_t) PARTS(tm_posit_parts_s32, int32_t, int64_t)
void each_tm_posit_of_f32(const float *x, int32_t *y, int32_t n, int8_t w, int8_t es, int16_t l, int32_t g)
    { for (int32_t i = 0; i < n; i++) y[i] = tm_posit_of_f32(x[i], w, es, l, g); }
void each_tm_posit_to_f32(const int32_t *x, float *y, int32_t n, int8_t w, int8_t es)
    { for (int32_t i = 0; i < n; i++) y[i] = tm_posit_to_f32(x[i], w, es); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return c_library(tmp_path_factory.mktemp("posit"), SOURCE)


def in_c(library: ctypes.CDLL, name: str, arrays: list[Array], dtype: Any, *parameters: Any) -> Array:
    arrays = [np.ascontiguousarray(array) for array in arrays]
    out = np.empty(len(arrays[0]), dtype)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*arrays, out)]
    kinds = {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32}
    library[f"each_{name}"](*pointers, len(out), *(kinds[one.itemsize](int(one)) for one in parameters))
    return out


FORMATS = [
    *(PositType(n, es) for n in (2, 3, 5, 8, 12, 16, 32) for es in range(4)),
    PositType(8, 0, -6, 1), PositType(8, 2, -15, 0), PositType(16, 1, -28, 1), PositType(16, 2, -20, 3),
    PositType(10, 3, -12, 2), PositType(32, 2, -24, 3), PositType(32, 0, -29, 0), PositType(16, 3, -40, -11),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "high"), [(2, 1), (4, 1), (4, 3), (6, 5), (8, 1), (8, 2), (8, 7), (10, 1), (10, 5), (12, 6), (16, 1), (16, 2)]
)
def test_rounding_by_lines_is_that_of_all_posits(library: ctypes.CDLL, n: int, high: int):
    """`tm_posit_linear_s32` rounds sums to posits with es 0 as the general function `tm_posit_of_s32` does, in C and
    numpy.

    Every number of the format is the least positive number times an integer of at most 16 bits. The sums include
    midpoints of adjacent numbers and their neighbours.
    """
    format = PositType(n, 0, 2 - n, high)
    greatest = format.raw_limits[1]
    random = np.random.default_rng(n)
    reach = format.integer_limits[1]
    for right in (0, 1, 5, 8, 9, 15, 17, 31, 40):
        middles = random.integers(-reach, reach, 2_000, endpoint=True) << right >> 1
        x = np.concatenate([middles, middles + 1, middles - 1, random.integers(-(1 << 31), 1 << 31, 2_000)])
        x = x[np.abs(x) < 1 << 31].astype(np.int32)
        expected = RUNTIME_FUNCTIONS["tm_posit_of_s32"].reference(
            x, np.int16(right + n - 2), np.int8(n), np.int8(0), np.int16(2 - n), np.int32(greatest)
        )
        parameters = np.int8(right), np.int8(n), np.int16(greatest)
        np.testing.assert_array_equal(RUNTIME_FUNCTIONS["tm_posit_linear_s32"].reference(x, *parameters), expected)
        np.testing.assert_array_equal(in_c(library, "tm_posit_linear_s32", [x], np.int32, *parameters), expected)


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_c_has_the_bits_of_numpy(library: ctypes.CDLL, format: PositType):
    n, es = np.int8(format.n.data), np.int8(format.es.data)
    low = np.int16(ALL if format.bounds is None else format.bounds[0])
    greatest = np.int32(format.raw_limits[1])
    random = np.random.default_rng(0)
    least = format.posit.nar
    a, b = random.integers(least, -least, (2, 20_000)).astype(np.int32)
    a[:3], b[:3] = (least, 0, 5 % -least), (0, least, 0)
    b[100:5000] = -a[100:5000]
    for name in ("tm_posit_add", "tm_posit_sub", "tm_posit_mul"):
        ours = in_c(library, name, [a, b], np.int32, n, es)
        np.testing.assert_array_equal(ours, RUNTIME_FUNCTIONS[name].reference(a, b, n, es), err_msg=name)
    for name, dtype in (("tm_posit_of_s32", np.int32), ("tm_posit_of_s64", np.int64)):
        bits = dtype(0).itemsize * 8
        x = random.integers(-(1 << bits - 1), 1 << bits - 1, 20_000, dtype) >> random.integers(0, bits, 20_000)
        x = np.concatenate([x, (1 << random.integers(0, bits - 1, 500).astype(dtype)) * 1, [0, 1, -1]]).astype(dtype)
        for scale in (np.int16(0), np.int16(9), np.int16(40), np.int16(-3)):
            ours = in_c(library, name, [x], np.int32, scale, n, es, low, greatest)
            np.testing.assert_array_equal(ours, RUNTIME_FUNCTIONS[name].reference(x, scale, n, es, low, greatest))
    width, bias = (32 if n == 32 else 16), np.int16(format.posit.reach + 2)
    raws = a.astype(f"i{width // 8}")
    function = RUNTIME_FUNCTIONS[f"tm_posit_parts_s{width}"]
    # Significands that are moved fit in half of the result.
    for step in range(min(width - 1 - parts_of_posit(format, format.posit).bits, 2) + 1):
        ours = in_c(library, f"tm_posit_parts_s{width}", [raws], np.dtype(f"i{width // 4}"), n, es, np.int8(step), bias)
        np.testing.assert_array_equal(ours, function.reference(raws, n, es, np.int8(step), bias))
    x = random.integers(0, 1 << 32, 20_000, np.uint64).astype(np.uint32).view(np.float32)
    x[:6] = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0e-45)
    x[6:5000] = random.normal(size=4994)
    ours = in_c(library, "tm_posit_of_f32", [x], np.int32, n, es, low, greatest)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(ours, RUNTIME_FUNCTIONS["tm_posit_of_f32"].reference(x, n, es, low, greatest))
    with np.errstate(over="ignore"):
        floats = RUNTIME_FUNCTIONS["tm_posit_to_f32"].reference(a, n, es)
    ours = in_c(library, "tm_posit_to_f32", [a], np.float32, n, es)
    np.testing.assert_array_equal(ours.view(np.int32), floats.view(np.int32))
    if format.bounds is not None:
        raws = format.encode(random.normal(size=20_000) * 2.0 ** (format.bounds[1] - 2)).astype(np.int32)
        scale = np.int16(format.scale)
        ours = in_c(library, "tm_posit_to_s32", [raws], np.int32, scale, n, es)
        np.testing.assert_array_equal(ours, RUNTIME_FUNCTIONS["tm_posit_to_s32"].reference(raws, scale, n, es))
        np.testing.assert_array_equal(ours, format.integers(raws))


def test_what_a_shift_takes_beyond_doubles_saturates():
    format = PositType(8, 0, -3, 2, 20)
    greatest = format.encode(np.array([1e30]))
    assert format.encode(np.array([1e308, np.inf, -np.inf])).tolist() == [*greatest, *greatest, *-greatest]
