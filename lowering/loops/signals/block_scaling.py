"""Lowering of block scaling factors to loops that carry the greatest magnitude so far (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.tdsl import signals
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(signals.BlockFactorOp)
def lower_block_factor(op: signals.BlockFactorOp, nest: LoopBuilder) -> None:
    *outer, length = tdsl.shape_of(op.input)
    source, out = element_of(op.input), element_of(op.out)

    def greater(a: SSAValue, b: SSAValue) -> SSAValue:
        return nest.insert(arith.SelectOp(nest.insert(num.GreaterOp(a, b)), a, b))

    def row(indices: Indices) -> None:
        def step(n: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            x = nest.load(op.input, [*indices, n])
            return [greater(carried[0], greater(x, nest.insert(num.CombineOp([x], [-1], source))))]

        [peak] = nest.fold(nest.index(length), [nest.insert(num.ConstantOp(0.0, source))], step)
        greatest, factors = op.factors(tdsl.format_of(op.out))
        factor = nest.insert(num.ConstantOp(greatest, out))
        for threshold, value in factors:
            reached = nest.insert(num.AtLeastOp(peak, threshold))
            factor = nest.insert(arith.SelectOp(reached, nest.insert(num.ConstantOp(value, out)), factor))
        nest.store(factor, op.out, [*indices, nest.index(0)])

    nest.over(outer, row)
