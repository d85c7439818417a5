"""Lowering of softmax over the elements that a mask keeps to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.tdsl.masking import LEAST, MaskedSoftmaxOp
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, zero_total
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(MaskedSoftmaxOp)
def lower_masked_softmax(op: MaskedSoftmaxOp, nest: LoopBuilder) -> None:
    """Emit the three passes of a softmax over each row, in which masked elements are replaced: by the lowest number
    where the greatest element is searched, and by 0 where terms are added.
    """
    *outer, length = tdsl.shape_of(op.out)
    format, rank = tdsl.format_of(op.out), len(tdsl.shape_of(op.mask))

    def row(indices: Indices) -> None:
        def kept(i: SSAValue) -> SSAValue:
            at = [*indices, i]
            zero = nest.insert(num.ConstantOp(0.0, element_of(op.mask)))
            return nest.insert(num.GreaterOp(nest.load(op.mask, at[len(at) - rank :]), zero))

        def value(i: SSAValue, keep: SSAValue) -> SSAValue:
            least = nest.insert(num.ConstantOp(LEAST, element_of(op.input)))
            return nest.insert(arith.SelectOp(keep, nest.load(op.input, [*indices, i]), least))

        def larger(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            current = value(i, kept(i))
            greater = nest.insert(num.GreaterOp(current, carried[0]))
            return [nest.insert(arith.SelectOp(greater, current, carried[0]))]

        first = nest.index(0)
        [greatest] = nest.reduce((num.GREATEST,), range(1, length), [value(first, kept(first))], larger)
        greatest.name_hint = "greatest"

        def term(i: SSAValue) -> SSAValue:
            keep = kept(i)
            term = nest.insert(num.SoftmaxTermOp(value(i, keep), greatest, format))
            return nest.insert(arith.SelectOp(keep, term, zero_total(format.softmax_total, nest)))

        def add(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            return [nest.insert(num.SoftmaxAddOp(carried[0], term(i), format))]

        [total] = nest.reduce((num.SUM,), range(length), [zero_total(format.softmax_total, nest)], add)

        def share(at: Indices) -> None:
            nest.store(nest.insert(num.SoftmaxShareOp(term(at[0]), total, element_of(op.out))), op.out, [*indices, *at])

        nest.nest((length,), share)

    nest.over(outer, row)
