"""Pairs of pixels of a convolution, for kernels that meet two windows with each weight that they fetch."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.machine import limits
from tinyml.targets.kernel import LEAST_WINDOW, Kernel

PAIR = 2
WIDE_BYTES = 4096
"""The most stack for the widened elements of two windows, four bytes per element of a window."""


def takes_pairs(op: tdsl.Conv2dOp, kernels: Sequence[Kernel]) -> bool:
    """Has a target a kernel for pairs of a convolution's pixels? `kernels/tiles.py` chooses it."""
    filters, *taps, channels = tdsl.shape_of(op.lhs)
    length, weights = prod(taps) * channels, op.lhs.owner
    if op.group_count > 1 or op.shifts is not None or not isinstance(weights, tdsl.ConstOp):
        return False
    if not (LEAST_WINDOW <= length <= WIDE_BYTES // 4) or tdsl.shape_of(op.out)[2] < PAIR:
        return False
    if op.initial is not None and prod(tdsl.shape_of(op.initial)) != filters:
        return False
    (lhs, _), (rhs, _), result = *(tdsl.format_of(x).without_offset() for x in (op.lhs, op.rhs)), tdsl.format_of(op.out)
    accumulator = op.accumulators[0]
    wanted = Kernel("", _bits(lhs), _bits(rhs), accumulator.bits, op=num.DotTilesOp.name)
    finish = accumulator.requantisation(result, filters) if accumulator.INTEGER else None
    return (
        finish is not None
        and (finish.low, finish.high) == limits(8)
        and finish.shifts.max() < 0
        and lhs.coding is not None
        and any(kernel.computes(wanted) and filters % kernel.rows == 0 for kernel in kernels)
    )


def _bits(format: NumberFormat) -> int:
    return 8 * format.dtype.itemsize
