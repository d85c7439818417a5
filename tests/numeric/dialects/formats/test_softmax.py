"""Softmax in integers: its documented error bound, its greatest result, and the longest row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType, f32, i32
from xdsl.ir import Block
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.fixed.type import FixedType, SignedType, UnsignedType
from tinyml.dialects.formats.midrise import MidriseType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.tdsl.masking import MaskedSoftmaxOp
from tinyml.runtime.evaluator.arithmetics import Bits

LENGTHS = 1, 2, 3, 16, 100
SOURCES = [
    *(FixedType(8, frac) for frac in (-3, 0, 3, 5, 7, 12)),
    *(FixedType(16, frac) for frac in (1, 5, 8, 9, 11, 14, 17)),
    FixedType(4, 1),
    FixedType(24, 18),
    SignedType(8, 4),
    UnsignedType(4, 1),
]
RESULTS = [
    *(FixedType(8, frac) for frac in (7, 12, 13)),
    FixedType(16, 15),
    FixedType(12, 11),
    UnsignedType(8, 8),
]


def softmax(raws: NDArray[Any], source: NumberFormat, result: NumberFormat) -> NDArray[Any]:
    block = Block(arg_types=[TensorType(source.type, raws.shape[1:])])
    return tdsl.SoftmaxOp(block.args[0], result.type).compute(Bits(), [raws])


def rows(source: Any, length: int) -> NDArray[Any]:
    """60 rows of raws: one that contains only the least raw, one that also contains the greatest raw, and rows around
    random centres with random spreads.
    """
    random = np.random.default_rng(length)
    low, high = source.limits
    spreads = 2.0 ** random.uniform(0, math.log2(high), (60, 1))
    raws = np.clip(random.normal(random.uniform(low, high, (60, 1)), spreads, (60, length)), low, high)
    raws[0], raws[1], raws[1, -1] = low, low, high
    return raws.astype(source.dtype)


@pytest.mark.long
@pytest.mark.parametrize("result", RESULTS, ids=str)
def test_errors_are_within_the_bound(result: Any):
    """The errors for a row of n numbers are at most the sum of half a unit of the result, n + 2 units of the terms,
    2^-16, and the error of rounding the distances.
    """
    narrow = result.stored_width == 8 and result.scale <= 12
    unit = 2.0 ** (-14 if narrow else -18)
    for source in SOURCES:
        for length in LENGTHS:
            raws = rows(source, length)
            x = source.decode(raws)
            terms = np.exp(x - x.max(-1, keepdims=True))
            exact = np.clip(terms / terms.sum(-1, keepdims=True), 0, result.decode(np.array(result.limits[1])))
            distances = (2.0**-12 if source.scale > 9 else 0.0) if narrow else 2.0**-18
            bound = 0.5 * 2.0**-result.scale + (length + 2) * unit + 2.0**-16 + distances
            error = np.abs(result.decode(softmax(raws, source, result)) - exact).max()
            assert error <= bound, f"{source.type}, {length} numbers"


@pytest.mark.parametrize("result", [*RESULTS, PositType(8, 0), F32_FORMAT], ids=lambda result: str(result.type))
def test_a_mask_gives_the_softmax_of_the_other_numbers(result: Any):
    """The results for numbers that are not masked equal, bit for bit, those of a softmax without the masked numbers.
    The results for masked numbers of any magnitude are exactly 0.
    """
    for source in SOURCES if result in RESULTS else [result]:
        raws = rows(source, 16) if result in RESULTS else result.encode(np.random.default_rng(1).normal(size=(60, 16)))
        kept = np.random.default_rng(2).random(16) < 0.5
        raws[:, ~kept] = raws.max()
        block = Block(arg_types=[TensorType(each.type, [16]) for each in (source, source)])
        mask = np.where(kept, 1, 0).astype(raws.dtype)[None]
        got = MaskedSoftmaxOp(block.args[0], block.args[1], result.type).compute(Bits(), [raws, mask])
        np.testing.assert_array_equal(got[:, kept], softmax(raws[:, kept], source, result))
        np.testing.assert_array_equal(result.decode(got[:, ~kept]), 0)


def test_a_mask_may_have_a_format_without_zero():
    """A mask may have a mid-rise format, in which 0 is rounded to 0.25 and 1 to 0.75. An element with the mask 0.25 is
    excluded.
    """
    result, masks = FixedType(8, 7), MidriseType(2, 2)
    block = Block(arg_types=[TensorType(type, [3]) for type in (result, masks)])
    mask = masks.encode(np.array([1.0, 0.0, 1.0]))
    raws = np.array([[0, 100, 0]], np.int8)
    got = MaskedSoftmaxOp(block.args[0], block.args[1], result.type).compute(Bits(), [raws, mask[None]])
    assert got.tolist() == [[64, 0, 64]]


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_the_greatest_number_has_the_greatest_share(source: Any):
    for result in RESULTS:
        raws = rows(source, 16)
        shares = softmax(raws, source, result).astype(int)
        greatest = np.take_along_axis(shares, raws.argmax(-1)[:, None], -1)
        assert (greatest >= shares).all(), f"in {result.type}"


@pytest.mark.parametrize(
    ("result", "total"),
    [(FixedType(16, 15), i32), (FixedType(32, 31), f32), (PositType(8, 0, -6, 6), i32), (PositType(16, 1), f32)],
    ids=str,
)
def test_results_of_more_than_16_bits_and_standard_posits_use_floats(result: NumberFormat, total: object):
    assert result.softmax_total == total


def test_terms_of_standard_posits_are_rounded_to_integers():
    """The softmax of standard posits is accurate to 2^-8 + 2^-12. The differences of its arguments are rounded to
    integers, because no machine register holds them exactly.
    """
    source, result = PositType(16, 1), FixedType(8, 7)
    x = np.array([[-3.0, 0.5, 1.0, 0.25]])
    exact = np.exp(x) / np.exp(x).sum()
    assert result.decode(softmax(source.encode(x), source, result)) == pytest.approx(exact, abs=2.0**-8 + 2.0**-12)


@pytest.mark.long
@pytest.mark.parametrize(("result", "most"), [(FixedType(16, 15), 8_191), (FixedType(8, 7), 131_071)], ids=str)
def test_the_longest_row(result: NumberFormat, most: int):
    """The longest permitted row is the longest for which the sum of equal terms fits in 32 bits: 8,191 or 131,071
    numbers. A longer row is rejected.
    """
    shares = softmax(np.zeros((1, most), np.int8), FixedType(8, 0), result)
    assert (np.abs(result.decode(shares) - 1 / most) <= 0.5 * 2.0**-15 + 2.0**-15).all()
    block = Block(arg_types=[TensorType(FixedType(8, 0), (most + 1,))])
    with pytest.raises(VerifyException, match=f"a softmax in .* has at most {most} numbers, got {most + 1}"):
        tdsl.SoftmaxOp(block.args[0], result.type).verify()
