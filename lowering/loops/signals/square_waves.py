"""Lowering of products with square waves to loops in which samples are added or subtracted (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i16, i32
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import integer_constant
from tinyml.dialects.tdsl import signals
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, flash_array, zero_total
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(signals.SquareWavesOp)
def lower_square_waves(op: signals.SquareWavesOp, nest: LoopBuilder) -> None:
    """Emit a loop over frequencies. The two sums and the phase of the current frequency are in registers."""
    source = tdsl.format_of(op.input)
    steps = flash_array(nest, op.advances.astype(np.int16), i16, "steps")
    zero = zero_total(source.total(op.length), nest)
    mask = _number(nest, signals.PERIOD - 1)

    def wave(indices: Indices) -> None:
        step = nest.load(steps, indices)
        turns = nest.insert(arith.MuliOp(nest.insert(arith.IndexCastOp(op.first, i32)), nest.insert(_wide(step))))
        whole = nest.insert(integer_constant(signals.PERIOD - 1, 32))
        start = nest.insert(arith.TruncIOp(nest.insert(arith.AndIOp(turns, whole)), i16))

        def add(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            *totals, phase = carried
            sample = nest.load(op.input, [nest.index(0), k])
            negative = nest.insert(num.NegOp(sample, element_of(op.input)))
            late = nest.insert(arith.AddiOp(phase, _number(nest, 3 * signals.PERIOD // 4)))
            phases = nest.insert(arith.AndIOp(late, mask)), phase
            added: list[SSAValue] = []
            for total, at in zip(totals, phases, strict=True):
                second = nest.insert(arith.CmpiOp(at, _number(nest, signals.PERIOD // 2), "sge"))
                term = nest.insert(arith.SelectOp(second, negative, sample))
                added.append(nest.insert(num.TallyOp(total, term)))
            following = nest.insert(arith.AddiOp(phase, step))
            return [*added, nest.insert(arith.AndIOp(following, mask))]

        *totals, _ = nest.fold(nest.index(op.length), [zero, zero, start], add)
        for row, total in enumerate(totals):
            mean = nest.insert(num.AverageOp(total, op.length, source, element_of(op.out)))
            nest.store(mean, op.out, [nest.index(row), *indices])

    nest.over((len(op.advances),), wave)


def _wide(step: SSAValue) -> arith.ExtSIOp:
    return arith.ExtSIOp(step, i32)


def _number(nest: LoopBuilder, value: int) -> SSAValue:
    return nest.insert(integer_constant(value, 16))
