"""Lowering of convolutions to loops (L2 to L3), where `tile-windows` has left one window of channels in groups."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import elements_from
from tinyml.lowering.loops.products import lower_contraction, lower_sums
from tinyml.lowering.loops.turned_convolutions import lower_in_turns
from tinyml.lowering.loops.zero_points import start_without_offsets
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


@lowers(tdsl.Conv2dOp)
def lower_convolution(op: tdsl.Conv2dOp, nest: LoopNest) -> None:
    """Multiply each channel of a window by its filter with a strided dot product; other forms element by element.

    Convolutions in place have loops of their own.
    """
    if op.turns is not None:
        return lower_in_turns(op, nest)
    rows, *taps, length = tdsl.shape_of(op.lhs)
    if length > 1 or rows != op.group_count or tdsl.shape_of(op.rhs)[1:3] != tuple(taps):
        return lower_contraction(op, nest)
    start = start_without_offsets(op)
    count = prod(taps)

    def products(term: tdsl.Term, sum: SSAValue, indices: Indices) -> SSAValue:
        channel = indices[op.ROW_AXIS]
        elements = [tdsl.format_of(x).without_offset()[0].type if start else None for x in (term.lhs, term.rhs)]
        filter = elements_from(term.lhs, nest.times(channel, count), count, nest, elements[0])
        column = elements_from(term.rhs, channel, (count - 1) * rows + 1, nest, elements[1])
        return nest.insert(num.StridedDotOp(sum, filter, column, rows))

    lower_sums(op, start, products, nest)
    return None
