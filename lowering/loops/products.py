"""Lowering of sums of products to loops (L2 to L3): rows times columns for matrices, single elements for other maps.

Sums stay in registers: a product has one accumulator for each element of the result, and intermediate products are
never stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.loops.index_maps import mapped
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import broadcast_indices, element_of, elements_from, flash_array
from tinyml.lowering.loops.zero_points import Start, start_without_offsets
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


def row_shifts(op: tdsl.ContractionOp | tdsl.FinishOp, nest: LoopNest) -> SSAValue | None:
    """The row shifts of sums as bytes in flash; None without shifts."""
    return None if op.shifts is None else flash_array(nest, np.array(op.shifts, "i1"), i8, "row_shifts")


def finished(
    op: tdsl.ContractionOp | tdsl.FinishOp, sum: SSAValue, shifts: SSAValue | None, indices: Indices, nest: LoopNest
) -> SSAValue:
    """One complete sum in the result's format. indices: those of the sum among the sums of all rows."""
    if shifts is not None:
        sum = nest.insert(num.ShiftOp(sum, nest.load(shifts, [indices[op.ROW_AXIS]])))
    accumulator = num.accumulator_type(sum)
    if (levelled := accumulator.levelled(tdsl.format_of(op.out))).type != accumulator.type:
        sum = nest.insert(num.LevelOp(sum, indices[op.ROW_AXIS], levelled.type))
    return nest.insert(num.FinishOp(sum, element_of(op.out), op.finished_bound))


@lowers(tdsl.MatrixProductsOp)
def lower_matrices(op: tdsl.MatrixProductsOp, nest: LoopNest) -> None:
    """Lower matrix products to dot products, moving the offsets of factors into a constant start where possible."""
    start = start_without_offsets(op)

    def products(term: tdsl.Term, sum: SSAValue, indices: Indices) -> SSAValue:
        return _row_times_column(term.lhs, term.rhs, indices, sum, nest, start is not None)

    lower_sums(op, start, products, nest)


@lowers(tdsl.RowProductOp)
def lower_row_product(op: tdsl.RowProductOp, nest: LoopNest) -> None:
    """Lower a row of a product of matrices as `lower_matrices` lowers all of them."""
    start = start_without_offsets(op)

    def products(term: tdsl.Term, sum: SSAValue, indices: Indices) -> SSAValue:
        return _row_times_column(term.lhs, term.rhs, indices, sum, nest, start is not None)

    lower_sums(op, start, products, nest, op.row)


@lowers(tdsl.ContractionOp)
def lower_contraction(op: tdsl.ContractionOp, nest: LoopNest) -> None:
    """Lower a contraction to sums over single elements, located by index maps."""

    def products(term: tdsl.Term, sum: SSAValue, indices: Indices) -> SSAValue:
        def step(summed: Indices, sum: SSAValue) -> SSAValue:
            sides = (term.lhs, term.lhs_map), (term.rhs, term.rhs_map)
            lhs, rhs = (nest.load(value, mapped(map, [*indices, *summed], [], nest)) for value, map in sides)
            return nest.insert(num.MacOp(sum, lhs, rhs))

        return _over_summed(term.summed, sum, step, nest)

    lower_sums(op, None, products, nest)


def _over_summed(
    extents: Sequence[int], sum: SSAValue, step: Callable[[Indices, SSAValue], SSAValue], nest: LoopNest
) -> SSAValue:
    """A sum over loops on the summed indices."""
    if not extents:
        return step([], sum)

    def inner(index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        return [_over_summed(extents[1:], carried[0], lambda rest, sum: step([index, *rest], sum), nest)]

    return nest.fold(nest.index(extents[0]), [sum], inner)[0]


def lower_sums(
    op: tdsl.ContractionOp,
    start: Start | None,
    products: Callable[[tdsl.Term, SSAValue, Indices], SSAValue],
    nest: LoopNest,
    row: SSAValue | None = None,
) -> None:
    """Write the sums of a contraction, each over the products of all its terms. row: the only one, if not all."""
    accumulators, shape = op.accumulators, tdsl.shape_of(op.out)
    initial = sum_start(op.initial, start, accumulators[0], nest)
    shifts = row_shifts(op, nest)

    def body(place: Indices) -> None:
        indices = place if row is None else [row, *place[1:]]
        first = accumulators[0].type
        if initial is None:
            sum = nest.insert(num.ZeroOp(first))
        else:
            sum = nest.insert(num.StartOp(nest.load(initial, broadcast_indices(indices, initial, nest)), first))
        sum.name_hint = "sum"
        before = accumulators[0]
        for term, accumulator in zip(op.terms, accumulators, strict=True):
            if accumulator.type != before.type:
                sum = nest.insert(num.AlignOp(sum, accumulator.type))
            sum, before = products(term, sum, indices), accumulator
        nest.store(finished(op, sum, shifts, indices, nest), op.out, place)

    nest.over(shape, body)


def _row_times_column(
    lhs: SSAValue, rhs: SSAValue, indices: Indices, start: SSAValue, nest: LoopNest, without_offsets: bool
) -> SSAValue:
    """The sum `start` plus the products of one row of a matrix and one column of another."""
    i, j = indices
    length, columns = tdsl.shape_of(rhs)
    elements = [tdsl.format_of(x).without_offset()[0].type if without_offsets else None for x in (lhs, rhs)]
    row = elements_from(lhs, nest.times(i, length), length, nest, elements[0])
    if columns == 1:
        return nest.insert(num.DotOp(start, row, elements_from(rhs, nest.index(0), length, nest, elements[1])))
    column = elements_from(rhs, j, (length - 1) * columns + 1, nest, elements[1])
    return nest.insert(num.StridedDotOp(start, row, column, columns))


def sum_start(value: SSAValue | None, start: Start | None, accumulator: Accumulator, nest: LoopNest) -> SSAValue | None:
    """The start of sums; a constant is converted to the accumulator's units, so that it only has to be loaded."""
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

    if start is not None:
        return flash_array(
            nest, start.raws, start.format.type, "start" if value is None else value.name_hint or "start"
        )
    if value is None:
        return None
    constant, format = value.owner, tdsl.format_of(value)
    if not isinstance(constant, scratch.ConstantOp):
        return value
    kept = accumulator.start_format(format)
    raws = kept.recode(NumpyMachine(), constant.raws, format)
    return flash_array(nest, raws, kept.type, value.name_hint or "start")


@lowers(tdsl.SquaredDistanceOp)
def lower_squared_distance(op: tdsl.SquaredDistanceOp, nest: LoopNest) -> None:
    length = prod(tdsl.shape_of(op.lhs))
    zero = nest.insert(num.ZeroOp(op.acc))
    zero.name_hint = "sum"
    lhs, rhs = (elements_from(value, nest.index(0), length, nest) for value in (op.lhs, op.rhs))
    sum = nest.insert(num.DistanceOp(zero, lhs, rhs))
    nest.store(nest.insert(num.FinishOp(sum, element_of(op.out), op.sum_bound)), op.out, [nest.index(0)] * 2)
