"""The lowering of scalar reductions to loops (L2 to L3)."""

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
