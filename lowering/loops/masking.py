"""Lowering of a softmax over the elements that a mask selects to loops (L2 to L3)."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.tdsl.masking import LEAST, MaskedSoftmaxOp
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.normalisation import softmax_rows
from tinyml.lowering.loops.operands import element_of, zero_total
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(MaskedSoftmaxOp)
def lower_masked_softmax(op: MaskedSoftmaxOp, nest: LoopBuilder) -> None:
    """Emit the passes of a softmax over each row. Masked elements count as the lowest number in the search for the
    maximum, and as 0 in the sum.
    """
    format, rank = tdsl.format_of(op.out), len(tdsl.shape_of(op.mask))

    def kept(at: Indices) -> SSAValue:
        zero = nest.insert(num.ConstantOp(0.0, element_of(op.mask)))
        return nest.insert(num.GreaterOp(nest.load(op.mask, at[len(at) - rank :]), zero))

    def value(at: Indices, keep: SSAValue) -> SSAValue:
        least = nest.insert(num.ConstantOp(LEAST, element_of(op.input)))
        return nest.insert(arith.SelectOp(keep, nest.load(op.input, at), least))

    def element(at: Indices) -> SSAValue:
        return value(at, kept(at))

    def term(at: Indices, greatest: SSAValue) -> SSAValue:
        keep = kept(at)
        term = nest.insert(num.SoftmaxTermOp(value(at, keep), greatest, format))
        return nest.insert(arith.SelectOp(keep, term, zero_total(format.softmax_total, nest)))

    softmax_rows(op.out, nest, element, term)
