"""Lowering of reductions to a label, and of the selection of the k greatest elements, to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, single_element
from tinyml.transforms.ir.loop_nest import LoopBuilder


@lowers(tdsl.ArgmaxOp)
def lower_argmax(op: tdsl.ArgmaxOp, nest: LoopBuilder) -> None:
    count = prod(tdsl.shape_of(op.input))
    run = nest.insert(scratch.SliceOp(op.input, nest.index(0), (count,)))
    zero = nest.index(0)
    best = nest.load(run, [zero])
    best.name_hint = "best"

    def step(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        value = nest.load(run, [i])
        greater = nest.insert(num.GreaterOp(value, carried[0]))
        return [nest.insert(arith.SelectOp(greater, x, y)) for x, y in zip((value, i), carried, strict=True)]

    _, label = nest.reduce((num.GREATEST, num.PLACE), range(1, count), [best, zero], step)
    label.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(label)


@lowers(tdsl.SignOp)
def lower_sign(op: tdsl.SignOp, nest: LoopBuilder) -> None:
    zero = nest.insert(num.ConstantOp(0.0, element_of(op.input)))
    positive = nest.insert(num.GreaterOp(single_element(op.input, nest), zero))
    op.result.replace_all_uses_with(nest.insert(arith.SelectOp(positive, nest.index(1), nest.index(0))))


@lowers(tdsl.AtLeastOp)
def lower_at_least(op: tdsl.AtLeastOp, nest: LoopBuilder) -> None:
    result = nest.insert(num.AtLeastOp(single_element(op.input, nest), op.threshold.value.data))
    op.result.replace_all_uses_with(result)


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
