"""Lowering of normalisation to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, zero_total
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


@lowers(tdsl.NormaliseOp)
def lower_normalise(op: tdsl.NormaliseOp, nest: LoopNest) -> None:
    """Emit two passes over each row: the sum of squares, and the products with the reciprocal of its root."""
    *outer, length = tdsl.shape_of(op.out)
    source, format = tdsl.format_of(op.input), tdsl.format_of(op.out)

    def row(indices: Sequence[SSAValue]) -> None:
        def add(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            return [nest.insert(num.AddSquareOp(carried[0], nest.load(op.input, [*indices, i]), format))]

        start = zero_total(format.square_total(op.squares, source), nest)
        if op.least is not None:
            least = nest.insert(num.ConstantOp(op.least.value.data, element_of(op.input)))
            start = nest.insert(num.AddSquareOp(start, least, format))
        [total] = nest.reduce((num.SUM,), range(length), [start], add)
        factor = nest.insert(num.InverseRootOp(total, source, format))
        factor.name_hint = "factor"

        def store(at: Indices) -> None:
            value = nest.load(op.input, [*indices, *at])
            nest.store(nest.insert(num.NormalisedOp(value, factor, total, element_of(op.out))), op.out, [*indices, *at])

        nest.nest((length,), store)

    nest.over(outer, row)
