"""Lowering of averages to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.elementwise import over_elements
from tinyml.lowering.loops.images.pooling import over_windows
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, zero_total
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(tdsl.AveragePoolOp)
def lower_average_pool(op: tdsl.AveragePoolOp, nest: LoopBuilder) -> None:
    """Emit, for each window, the sum of the elements inside the image, and the division by their number."""

    def average(taps: Sequence[int], element: Callable[[Indices], SSAValue]) -> SSAValue:
        total = _total(op.image, taps, element, nest)
        return nest.insert(num.AverageOp(total, prod(taps), tdsl.format_of(op.image), element_of(op.out)))

    over_windows(op, nest, average)


@lowers(tdsl.MeanOp)
def lower_mean(op: tdsl.MeanOp, nest: LoopBuilder) -> None:
    """Emit the sum of the elements along the axes, and the division by their number."""
    shape = tdsl.shape_of(op.input)

    def body(indices: Indices) -> None:
        def element(places: Indices) -> SSAValue:
            at = list(indices)
            for axis, place in zip(op.reduced, places, strict=True):
                at[axis] = place
            return nest.load(op.input, at)

        total = _total(op.input, [shape[axis] for axis in op.reduced], element, nest)
        mean = num.MeanOp(total, op.count, tdsl.format_of(op.input), element_of(op.out))
        nest.store(nest.insert(mean), op.out, indices)

    nest.nest(tdsl.shape_of(op.out), body)


@lowers(tdsl.NoTotalOp)
def lower_no_total(op: tdsl.NoTotalOp, nest: LoopBuilder) -> None:
    zero = zero_total(element_of(op.out), nest)
    nest.nest(tdsl.shape_of(op.out), lambda indices: nest.store(zero, op.out, indices))


@lowers(tdsl.TallyOp)
def lower_tally(op: tdsl.TallyOp, nest: LoopBuilder) -> None:
    """Emit the addition of each channel's elements to the channel's total. The total is in a register during the
    addition.
    """

    def body(indices: Indices) -> None:
        def element(places: Indices) -> SSAValue:
            return nest.load(op.input, [indices[0], *places, indices[3]])

        extents = list(tdsl.shape_of(op.input)[1:3])
        nest.store(_tallied(extents, [], nest.load(op.total, indices), element, nest), op.out, indices)

    nest.nest(tdsl.shape_of(op.out), body)


@lowers(tdsl.QuotientOp)
def lower_quotient(op: tdsl.QuotientOp, nest: LoopBuilder) -> None:
    quotient = num.AverageOp if op.over_axes is None else num.MeanOp

    def share(x: Sequence[SSAValue]) -> SSAValue:
        return nest.insert(quotient(x[0], op.elements, op.source, element_of(op.out)))

    over_elements(op, nest, share)


def _total(
    value: SSAValue, extents: Sequence[int], element: Callable[[Indices], SSAValue], nest: LoopBuilder
) -> SSAValue:
    total = zero_total(tdsl.format_of(value).total(prod(extents)), nest)
    return _tallied(list(extents), [], total, element, nest)


def _tallied(
    extents: list[int], indices: Indices, total: SSAValue, element: Callable[[Indices], SSAValue], nest: LoopBuilder
) -> SSAValue:
    if not extents:
        return nest.insert(num.TallyOp(total, element(indices)))
    if extents[0] == 1:
        return _tallied(extents[1:], [*indices, nest.index(0)], total, element, nest)

    def inner(index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        return [_tallied(extents[1:], [*indices, index], carried[0], element, nest)]

    return nest.reduce((num.SUM,), range(extents[0]), [total], inner)[0]
