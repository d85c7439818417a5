"""Lowering of normalisation, softmax, and softmax over the elements that a mask selects to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.tdsl.masking import LEAST, MaskedSoftmaxOp
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, zero_total
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(tdsl.NormaliseOp)
def lower_normalise(op: tdsl.NormaliseOp, nest: LoopBuilder) -> None:
    """Emit two passes over each row. The first computes the sum of squares, and the second multiplies each element
    by the reciprocal of the square root of this sum.
    """
    *outer, length = tdsl.shape_of(op.out)
    source, format = tdsl.format_of(op.input), tdsl.format_of(op.out)

    def row(indices: Sequence[SSAValue]) -> None:
        def add(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            return [nest.insert(num.AddSquareOp(carried[0], nest.load(op.input, [*indices, i]), format))]

        start = zero_total(format.square_total(op.squares, source), nest)
        if op.least is not None:
            least = nest.insert(num.ConstantOp(op.least.value.data, element_of(op.input)))
            start = nest.insert(num.AddSquareOp(start, least, format))
        [total] = nest.reduce((num.SUM,), range(length), [start], add)
        factor = nest.insert(num.InverseRootOp(total, source, format))
        factor.name_hint = "factor"

        def store(at: Indices) -> None:
            value = nest.load(op.input, [*indices, *at])
            nest.store(nest.insert(num.NormalisedOp(value, factor, total, element_of(op.out))), op.out, [*indices, *at])

        nest.nest((length,), store)

    nest.over(outer, row)


@lowers(tdsl.SoftmaxOp)
def lower_softmax(op: tdsl.SoftmaxOp, nest: LoopBuilder) -> None:
    """Emit the passes of a softmax over the elements of each row."""

    def element(at: Indices) -> SSAValue:
        return nest.load(op.input, at)

    def term(at: Indices, greatest: SSAValue) -> SSAValue:
        return nest.insert(num.SoftmaxTermOp(element(at), greatest, tdsl.format_of(op.out)))

    softmax_rows(op.out, nest, element, term)


def softmax_rows(
    out: SSAValue,
    nest: LoopBuilder,
    element: Callable[[Indices], SSAValue],
    term: Callable[[Indices, SSAValue], SSAValue],
) -> None:
    """Emit three passes over each row: the maximum, the sum of exponentials, and the quotient of each exponential
    and the sum.

    out: the buffer of the result.
    element: emits the element at given indices.
    term: emits the exponential at given indices, from the indices and the maximum of the row.
    """
    *outer, length = tdsl.shape_of(out)
    format = tdsl.format_of(out)

    def row(indices: Indices) -> None:
        def larger(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            value = element([*indices, i])
            greater = nest.insert(num.GreaterOp(value, carried[0]))
            return [nest.insert(arith.SelectOp(greater, value, carried[0]))]

        first = element([*indices, nest.index(0)])
        [greatest] = nest.reduce((num.GREATEST,), range(1, length), [first], larger)
        greatest.name_hint = "greatest"

        def add(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            return [nest.insert(num.SoftmaxAddOp(carried[0], term([*indices, i], greatest), format))]

        [total] = nest.reduce((num.SUM,), range(length), [zero_total(format.softmax_total, nest)], add)

        def share(at: Indices) -> None:
            place = [*indices, *at]
            nest.store(nest.insert(num.SoftmaxShareOp(term(place, greatest), total, element_of(out))), out, place)

        nest.nest((length,), share)

    nest.over(outer, row)


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
