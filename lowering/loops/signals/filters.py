"""Lowering of recursive filters to loops that carry the latest inputs and results (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.tdsl import signals
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(signals.BiquadOp)
def lower_biquad(op: signals.BiquadOp, nest: LoopBuilder) -> None:
    *outer, length = tdsl.shape_of(op.out)
    factor = op.coefficient_format().type
    coefficients = [nest.insert(num.ConstantOp(real, factor)) for real in op.reals]
    zeros = [nest.insert(num.ConstantOp(0.0, element_of(value))) for value in (op.input, op.out)]

    def row(indices: Indices) -> None:
        def step(n: SSAValue, before: Sequence[SSAValue]) -> list[SSAValue]:
            x = nest.load(op.input, [*indices, n])
            pairs = zip((x, *before), coefficients, strict=True)
            factors = [value for pair in pairs for value in pair]
            y = nest.insert(num.CombineOp(factors, signals.BIQUAD_TERMS, element_of(op.out)))
            nest.store(y, op.out, [*indices, n])
            return [x, before[0], y, before[2]]

        nest.fold(nest.index(length), [zeros[0], zeros[0], zeros[1], zeros[1]], step)

    nest.over(outer, row)
