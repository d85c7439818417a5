"""Bounds of sums of products, which prove the widths of accumulators and of shifts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i8
from xdsl.ir import Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.fixed.type import FixedType, UnsignedType

BYTE = FixedType(8, 0)


def constant(rows: Sequence[Sequence[int]]) -> SSAValue:
    return tdsl.ConstOp(np.array(rows, np.int8), BYTE).result


def unknown(*shape: int, format: FixedType | UnsignedType = BYTE) -> SSAValue:
    return Block(arg_types=[TensorType(format, shape)]).args[0]


def test_products_with_a_constant_on_the_right_sum_along_its_columns():
    """The raws of `fixed.q<8, 0>` are -127 to 127, so that the greatest sum is 127 * (10 + 20 + 30)."""
    op = tdsl.MatmulOp(unknown(2, 3), constant([[1, 10], [2, -20], [3, 30]]))
    assert op.derived_bound == (-7620, 7620)


def test_products_with_a_constant_on_the_left_sum_along_its_rows():
    op = tdsl.MatmulOp(constant([[1, 10], [2, -20], [3, 30]]), unknown(2, 3))
    assert op.derived_bound == (-127 * 33, 127 * 33)


@pytest.mark.parametrize(("start", "sign"), [(100, 1), (-100, -1)])
def test_shifts_move_sums_beyond_the_bound_of_partial_sums(start: int, sign: int):
    """All sums are at least 100, or at most -100. A shift by three bits yields 12, or -13, which the bound of shifted
    sums includes.
    """
    inputs = unknown(2, 1, format=UnsignedType(8, 0))
    op = tdsl.MatmulSumOp([(constant([[sign, sign]]), inputs)], constant([[start]]), BYTE)
    sums = sorted((start, start + sign * 2 * 255))
    assert op.sum_bound == op.finished_bound == (*sums,)
    op.row_shifts = DenseArrayBase.from_list(i8, [3])
    assert op.finished_bound == (min(sums[0], 0), max(sums[1], 0))
