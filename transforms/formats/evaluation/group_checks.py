"""Checks of a number format whose elements share scales in groups, for the tests of the format.

The evaluator and the devices derive the scales from the same type. A comparison of their results therefore cannot
detect a wrong group scale, but a comparison with reals can.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block

from tinyml.dialects import tdsl
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact_numbers
from tinyml.dialects.formats.grouping import Grouping
from tinyml.dialects.formats.groups import MOST_SHIFT
from tinyml.dialects.formats.number_format import NumberFormat, Reals
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.transforms.formats.evaluation.tried_numbers import require

LENGTHS = (1, 16, 32, 37, 70)
"""Lengths of rows: multiples of the group length, and others."""

ROWS = 5

_DROPPED_BITS = 2
"""The bits of precision that the finest groups lose when the checks narrow a format."""

_ERROR_RATIO = 4.5
"""The maximum ratio of squared errors of a group's scale to those of another, such as one that never saturates."""


def check_groups(prototype: NumberFormat) -> None:
    """Raise `AssertionError` unless weights have the right scales and each sum is the exact sum, rounded once.

    The weights include groups of zeros, and groups whose magnitudes differ by factors up to 2^9.

    prototype: any format of the family and width.
    """
    for length in LENGTHS:
        random = np.random.default_rng(length)
        scales = 2.0 ** random.integers(-6, 4, (ROWS, length))
        scales = scales[:, :1] if length < 8 else np.repeat(scales[:, ::8], 8, 1)[:, :length]
        weights: Reals = random.normal(size=(ROWS, length)) * scales
        weights[0, length // 2 :] = 0.0
        format = prototype.grouped(weights, None, Grouping(1, 1))
        assert format is not None, f"{prototype.type}: `grouped` gives no format"
        _check_numbers(format, weights)
        _check_scales(format, weights)
        _check_sums(format, weights)
        _check_sums(format.narrowed(_DROPPED_BITS), weights)


def _check_numbers(format: NumberFormat, weights: Reals) -> None:
    name = f"{format.type}"[:80]
    assert format.groups is not None, f"{name} has no groups"
    format.verify_raws(format.encode(weights))
    numbers = format.decode(format.encode(weights))
    integers = np.ldexp(exact_numbers(format).integers(format.encode(weights)).astype(np.float64), -_scale(format))
    require(integers == numbers, f"{name}: `integers`", integers, numbers, {"weight": weights})
    low, high = exact_numbers(format).integer_limits
    within = (low <= np.ldexp(numbers, _scale(format))) & (np.ldexp(numbers, _scale(format)) <= high)
    require(within, f"{name}: `integer_limits`", numbers, np.clip(numbers, low, high), {"weight": weights})
    away = format.decode(format.encode_away(weights))
    beyond = (away == numbers) | ((away - weights) * (numbers - weights) <= 0)
    require(beyond, f"{name}: `encode_away`", away, weights, {"weight": weights})
    coarser, bits = format.narrowed(_DROPPED_BITS), format.groups.of_elements(weights.shape)
    fewer = coarser.decode(coarser.encode(weights))
    require((bits < _DROPPED_BITS) | (fewer == numbers), f"{name}: `narrowed`", fewer, numbers, {"weight": weights})
    assert format.coding is None, f"{name}: kernels take its `coding` for that of elements with one scale"
    element, length = exact_numbers(format).element, format.groups.length.data
    for row, shifts in enumerate(format.groups.by_run):
        for number, shift in enumerate(shifts.tolist()):
            part = np.s_[row, number * length : (number + 1) * length]
            own = np.ldexp(element.decode(element.encode(np.ldexp(weights[part], -shift))), shift)
            require(numbers[part] == own, f"{name}: group {number} of row {row}", numbers[part], own, {"weight": own})


def _check_scales(format: NumberFormat, weights: Reals) -> None:
    """Check that no other scale would represent a group with a much smaller error."""
    assert format.groups is not None
    element, length = exact_numbers(format).element, format.groups.length.data
    shifts = np.arange(MOST_SHIFT)
    for row, own in enumerate(format.groups.by_run):
        for number, shift in enumerate(own.tolist()):
            reals = weights[row, number * length : (number + 1) * length]
            scaled = np.ldexp(reals, -shifts[:, None])
            errors = (np.ldexp(element.decode(element.encode(scaled)) - scaled, shifts[:, None]) ** 2).sum(1)
            what = f"{format.type}"[:80] + f": group {number} of row {row} has the shift {shift}"
            best = int(errors.argmin())
            assert errors[shift] <= _ERROR_RATIO * errors[best] + 1e-12, (
                f"{what}, with which {errors[shift]:g} is lost, and {errors[best]:g} with {best}"
            )


def _check_sums(format: NumberFormat, weights: Reals) -> None:
    vector = ExactNumbers.INTEGERS(8, 7)
    x = np.random.default_rng(0).uniform(-1, 1, (1, weights.shape[1], 1))
    raws, factors = format.encode(weights)[None], vector.encode(x)
    reach = float(np.abs(weights @ x[0]).max()) or 1.0
    result = vector.for_range(-reach, reach)
    block = Block(arg_types=[TensorType(format.type, weights.shape), TensorType(vector.type, x.shape[1:])])
    op = tdsl.MatmulOp(block.args[0], block.args[1], result.type)
    op.verify()
    found = result.decode(op.compute(Bits(), [raws, factors]))
    integers = exact_numbers(format).integers(raws)
    aligned = result.accumulator(format, vector, None).matmul_aligned(integers, factors, vector)
    sums = integers @ factors.astype(np.int64)
    require(aligned == sums, f"{format.type}"[:80] + ": `matmul_aligned`", aligned, sums, {"sum": sums})
    exact = result.decode(result.encode(format.decode(raws) @ vector.decode(factors)))
    require(found == exact, f"{format.type}"[:80] + ": a sum", found, exact, {"sum": exact})


def _scale(format: NumberFormat) -> int:
    return exact_numbers(format).scale
