"""Lowering of the selection of the k greatest elements to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of
from tinyml.transforms.ir.loop_nest import LoopBuilder


@lowers(tdsl.TopKMaskOp)
def lower_top_k_mask(op: tdsl.TopKMaskOp, nest: LoopBuilder) -> None:
    """Emit one pass over all elements per selected element. Each pass marks the greatest unmarked element."""
    elements = prod(tdsl.shape_of(op.input))
    values, marks = (nest.insert(scratch.SliceOp(value, nest.index(0), (elements,))) for value in (op.input, op.out))
    zero, one = (nest.insert(num.ConstantOp(real, element_of(op.out))) for real in (0.0, 1.0))
    first, none = nest.load(values, [nest.index(0)]), nest.index(elements)

    def unmark(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        nest.store(zero, marks, [i])
        return []

    def compare(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        best, at = carried
        value = nest.load(values, [i])
        later = nest.insert(arith.SelectOp(nest.insert(num.GreaterOp(value, best)), i, at))
        chosen = nest.insert(arith.SelectOp(nest.insert(arith.CmpiOp(at, none, "eq")), i, later))
        marked = nest.insert(num.GreaterOp(nest.load(marks, [i]), zero))
        chosen = nest.insert(arith.SelectOp(marked, at, chosen))
        taken = nest.insert(arith.CmpiOp(chosen, i, "eq"))
        return [nest.insert(arith.SelectOp(taken, value, best)), chosen]

    def mark(_: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        _, chosen = nest.fold(none, [first, none], compare)
        nest.store(one, marks, [chosen])
        return []

    nest.fold(none, [], unmark)
    nest.fold(nest.index(op.count.value.data), [], mark)
