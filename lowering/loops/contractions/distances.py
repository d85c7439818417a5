"""Lowering of squared distances to calls of a kernel (L2 to L3)."""

from __future__ import annotations

from math import prod

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, elements_from
from tinyml.transforms.ir.loop_nest import LoopBuilder


@lowers(tdsl.SquaredDistanceOp)
def lower_squared_distance(op: tdsl.SquaredDistanceOp, nest: LoopBuilder) -> None:
    length = prod(tdsl.shape_of(op.lhs))
    zero = nest.insert(num.ZeroOp(op.acc))
    zero.name_hint = "sum"
    lhs, rhs = (elements_from(value, nest.index(0), length, nest) for value in (op.lhs, op.rhs))
    sum = nest.insert(num.CallOp(num.DistanceAttr(), [zero, lhs, rhs]))
    nest.store(nest.insert(num.FinishOp(sum, element_of(op.out), op.sum_bound)), op.out, [nest.index(0)] * 2)
