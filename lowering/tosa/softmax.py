"""TensorFlow Lite's 8-bit SOFTMAX in TOSA: exponentials from a table, and a reciprocal by Newton's method."""

from __future__ import annotations

import math

from xdsl.dialects import tosa as xdsl_tosa
from xdsl.dialects.builtin import IntegerAttr, i8, i32
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.machine.gemmlowp import INT32_MAX, RECIPROCAL_SLOPE, RECIPROCAL_START
from tinyml.dialects.xdsl_additions import tosa
from tinyml.lowering.tosa.integers import quantised, softmax_terms
from tinyml.lowering.tosa.layers import Values
from tinyml.lowering.tosa.writer import TosaWriter

SHARE_BITS = 16
"""The number of fraction bits of intermediate results of a softmax whose results do not have the scale 2^-8."""


def softmax(to: TosaWriter, op: tdsl.SoftmaxOp, values: Values) -> SSAValue:
    """Emit exponentials along the last axis, divided by their sum."""
    source, result = quantised(op.input), quantised(op.out)
    raws = to.widened(values(op.input))
    below = to.binary(xdsl_tosa.SubOp, _along_last(to, xdsl_tosa.ReduceMaxOp, raws), raws)
    table = softmax_terms(source.scale)
    terms = to.gathered(to.constant(table), to.clamp(below, 0, len(table) - 1))
    # 12 integer bits.
    total = _along_last(to, xdsl_tosa.ReduceSumOp, to.shifted(terms, to.number(terms, 12)))
    zeros = to.op(tosa.CountLeadingZerosOp, [total], tosa.extents(total))
    bits = 8 if result.scale == 2.0**-8 else SHARE_BITS
    shift = to.binary(xdsl_tosa.SubOp, to.number(zeros, 12 + 31 - bits), zeros)
    share = to.shifted(to.product(terms, _reciprocal(to, total, zeros), 31), shift)
    factor = math.ldexp(1.0, -bits) / result.scale
    return to.requantised(share, factor, 1 << bits, result.zero_point.data, i8)


def _along_last(to: TosaWriter, kind: type[xdsl_tosa.ReductionOperation], value: SSAValue) -> SSAValue:
    *rest, _ = shape = tosa.extents(value)
    return to.op(kind, [value], (*rest, 1), axis=IntegerAttr(len(shape) - 1, i32))


def _reciprocal(to: TosaWriter, total: SSAValue, zeros: SSAValue) -> SSAValue:
    """Emit gemmlowp's one_over_one_plus_x_for_x_in_0_1, and return its result.

    The argument x is chosen such that 1 + x equals `total`, shifted left by the number of its leading zeros.

    zeros: the number of leading zeros of `total`.
    """

    def number(value: int) -> SSAValue:
        return to.number(total, value)

    def sum(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return to.binary(xdsl_tosa.AddOp, lhs, rhs)

    half = to.binary(tosa.LogicalLeftShiftOp, total, to.binary(xdsl_tosa.SubOp, zeros, number(1)))
    y = sum(number(RECIPROCAL_START), to.product(half, number(RECIPROCAL_SLOPE), 31))
    for _ in range(3):
        error = to.binary(xdsl_tosa.SubOp, number(1 << 29), to.product(half, y, 31))
        y = sum(y, to.binary(tosa.LogicalLeftShiftOp, to.product(y, error, 31), number(2)))
    # For a power of two the reciprocal saturates.
    whole = to.binary(tosa.GreaterEqualOp, y, number(1 << 30))
    return to.chosen(whole, number(INT32_MAX), to.binary(tosa.LogicalLeftShiftOp, y, number(1)))
