"""Lowering of sums of products (L2 to L3): to contractions over rows, and to dot products for several columns.

Sums are stored in registers. A product has one accumulator for each element of the result, and intermediate products
are never stored in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import i8
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.loops.contractions.computed_zero_points import OffsetSums
from tinyml.lowering.loops.contractions.zero_points import start_without_offsets
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import broadcast_indices, element_of, elements_from, flash_array
from tinyml.targets.nests import Start, constant_start, raws_of
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder

if TYPE_CHECKING:
    from tinyml.lowering.loops.contractions.grouped_products import GroupedWeights

_GROUPED = "tinyml.lowering.loops.contractions.grouped_products"
"""The module of the extension for weights that share scales in groups."""

Products: TypeAlias = Callable[[SSAValue, Indices], SSAValue]
"""A function that adds the products of a term to a sum, for the indices of a result element."""


def row_shifts(op: tdsl.ContractionOp | tdsl.FinishOp, nest: LoopBuilder) -> SSAValue | None:
    """The shift of each row's sum, as an array of bytes in flash; None if the sums of all rows have one scale."""
    return None if op.shifts is None else flash_array(nest, np.array(op.shifts, "i1"), i8, "row_shifts")


def finished(
    op: tdsl.ContractionOp | tdsl.FinishOp, sum: SSAValue, shifts: SSAValue | None, indices: Indices, nest: LoopBuilder
) -> SSAValue:
    """Convert a complete sum to the result's format.

    shifts: the right shift of each row, from `row_shifts`; None for no shifts.
    indices: the indices of the sum in the result.
    """
    if shifts is not None:
        sum = nest.insert(num.ShiftOp(sum, nest.load(shifts, [indices[op.ROW_AXIS]])))
    accumulator = num.accumulator_type(sum)
    if (levelled := accumulator.levelled(tdsl.format_of(op.out))).type != accumulator.type:
        sum = nest.insert(num.LevelOp(sum, indices[op.ROW_AXIS], levelled.type))
    return nest.insert(num.FinishOp(sum, element_of(op.out), op.finished_bound))


@lowers(tdsl.MatrixProductsOp)
def lower_matrices(op: tdsl.MatrixProductsOp, nest: LoopBuilder) -> None:
    """Lower products with one column to contractions over the rows, and products with several columns to dot
    products.

    If possible, the offsets of factors are included in a constant initial value. Sums with weights in groups are
    also lowered to dot products.
    """
    if _have_offsets(op) and OffsetSums.pay_for(op):
        return _lower_computed(op, nest)
    start = start_without_offsets(op)
    rows, columns = tdsl.shape_of(op.out)
    if columns > 1 or any(term.groups is not None for term in op.terms):
        return lower_sums(op, start, lambda term: _row_times_column(term, nest, start is not None), nest)

    def row(term: tdsl.Term) -> Products:
        length = tdsl.shape_of(term.lhs)[1]
        weights, vector = factors(term, (rows, length), (length,), nest, without_offsets=start is not None)
        return lambda sum, _: nest.insert(num.ProductsOp(sum, weights, vector))

    return lower_rows(op, start, row, nest)


def _have_offsets(op: tdsl.MatrixProductsOp) -> bool:
    values = [value for term in op.terms for value in (term.lhs, term.rhs)]
    computed = all(raws_of(value) is None for value in values)
    return computed and any(tdsl.format_of(value).without_offset()[1] for value in values)


def _lower_computed(op: tdsl.MatrixProductsOp, nest: LoopBuilder) -> None:
    """Lower the product of a computed matrix and a computed column to products of raws plus the terms of the zero
    points.
    """
    [term], zero = op.terms, nest.index(0)
    rows, length = tdsl.shape_of(term.lhs)
    weights, vector = factors(term, (rows, length), (length,), nest, without_offsets=True)
    offsets, shifts = OffsetSums(op, nest), row_shifts(op, nest)

    def body(row: SSAValue) -> None:
        sum = offsets.complete(nest.insert(num.ProductsOp(offsets.begun(row), weights, vector)))
        nest.store(finished(op, sum, shifts, [row, zero], nest), op.out, [row, zero])

    contract_rows(rows, body, nest)


@lowers(tdsl.RowProductOp)
def lower_row_product(op: tdsl.RowProductOp, nest: LoopBuilder) -> None:
    """Lower one row of a matrix product in the way in which `lower_matrices` lowers all rows."""
    start = start_without_offsets(op)
    lower_sums(op, start, lambda term: _row_times_column(term, nest, start is not None), nest, op.row)


def lower_sums(
    op: tdsl.ContractionOp,
    start: Start | None,
    products: Callable[[tdsl.Term], Products],
    nest: LoopBuilder,
    row: SSAValue | None = None,
) -> None:
    """Emit the sums of a contraction over the products of all its terms.

    start: constant initial values that replace those of the op; None for the op's own initial values.
    products: returns, for a term, the function that adds its products to a sum.
    row: the only row to compute; None for all rows.
    """
    sum = _sum_at(op, start, products, nest)

    def body(indices: Indices) -> None:
        nest.store(sum(indices if row is None else [row, *indices[1:]]), op.out, indices)

    nest.over(tdsl.shape_of(op.out), body)


def lower_rows(
    op: tdsl.ContractionOp, start: Start | None, products: Callable[[tdsl.Term], Products], nest: LoopBuilder
) -> None:
    """Emit the sums of a contraction whose result has one element for each row of weights.

    start, products: as in `lower_sums`.
    """
    shape, axis = tdsl.shape_of(op.out), op.ROW_AXIS
    sum, zero = _sum_at(op, start, products, nest), nest.index(0)

    def body(row: SSAValue) -> None:
        indices = [row if number == axis else zero for number in range(len(shape))]
        nest.store(sum(indices), op.out, indices)

    contract_rows(shape[axis], body, nest)


def contract_rows(rows: int, body: Callable[[SSAValue], None], nest: LoopBuilder) -> None:
    """Emit a contraction over rows. For a single row, emit only its products."""
    contraction = nest.contract([rows], lambda numbers: body(numbers[0]))
    if rows == 1:
        expand_contraction(contraction)


def _sum_at(
    op: tdsl.ContractionOp, start: Start | None, products: Callable[[tdsl.Term], Products], nest: LoopBuilder
) -> Callable[[Indices], SSAValue]:
    accumulators = op.accumulators
    initial = sum_start(op.initial, start, accumulators[0], nest)
    shifts = row_shifts(op, nest)
    terms = list(map(products, op.terms))

    def sum_at(indices: Indices) -> SSAValue:
        sum, before = begun(accumulators[0], initial, indices, nest), accumulators[0]
        for add, accumulator in zip(terms, accumulators, strict=True):
            if accumulator.type != before.type:
                sum = nest.insert(num.AlignOp(sum, accumulator.type))
            sum, before = add(sum, indices), accumulator
        return finished(op, sum, shifts, indices, nest)

    return sum_at


def factors(
    term: tdsl.Term,
    weights: Sequence[int],
    window: Sequence[int],
    nest: LoopBuilder,
    *,
    without_offsets: bool,
) -> tuple[SSAValue, SSAValue]:
    """Return views of the two factors of a term, in the shapes `weights` and `window`.

    without_offsets: true for views whose element type has no offset, so that kernels multiply raws.
    """
    lhs, rhs = (
        nest.insert(scratch.SliceOp(value, nest.index(0), tuple(shape), _element(value, without_offsets)))
        for value, shape in ((term.lhs, weights), (term.rhs, window))
    )
    return lhs, rhs


def _element(value: SSAValue, without_offsets: bool) -> Attribute | None:
    return tdsl.format_of(value).without_offset()[0].type if without_offsets else None


def grouped(term: tdsl.Term, nest: LoopBuilder) -> GroupedWeights | None:
    """The weights of a term, if groups of their elements share scales; None for other weights."""
    if term.groups is None:
        return None
    return imported(f"{_GROUPED}:GroupedWeights")(term.lhs, term.groups, nest)


def _row_times_column(term: tdsl.Term, nest: LoopBuilder, without_offsets: bool) -> Products:
    if (weights := grouped(term, nest)) is not None:
        return imported(f"{_GROUPED}:of_row")(weights, term)
    length, columns = tdsl.shape_of(term.rhs)
    lhs, rhs = (_element(value, without_offsets) for value in (term.lhs, term.rhs))

    def products(sum: SSAValue, indices: Indices) -> SSAValue:
        i, j = indices
        row = elements_from(term.lhs, nest.times(i, length), length, nest, lhs)
        if columns == 1:
            column = elements_from(term.rhs, nest.index(0), length, nest, rhs)
            return nest.insert(num.CallOp(num.DotAttr(), [sum, row, column]))
        column = elements_from(term.rhs, j, (length - 1) * columns + 1, nest, rhs)
        return nest.insert(num.CallOp(num.StridedDotAttr.of(columns), [sum, row, column]))

    return products


def begun(accumulator: Accumulator, initial: SSAValue | None, indices: Indices, nest: LoopBuilder) -> SSAValue:
    """Emit a sum that consists of its initial value only.

    initial: the buffer of initial values; None for zero.
    indices: the indices of the sum in the result.
    """
    if initial is None:
        sum = nest.insert(num.ZeroOp(accumulator.type))
    else:
        value = nest.load(initial, broadcast_indices(indices, initial, nest))
        sum = nest.insert(num.StartOp(value, accumulator.type))
    sum.name_hint = "sum"
    return sum


def sum_start(
    value: SSAValue | None, start: Start | None, accumulator: Accumulator, nest: LoopBuilder
) -> SSAValue | None:
    """The buffer of initial values of sums; None if the sums start from zero.

    value: the initial values as the op states them; None for zeros.
    start: constant initial values to use instead of `value`; None to use `value`.

    A constant is converted to the accumulator's units during compilation, so that the program only loads it.
    """
    if start is None and (value is None or (start := constant_start(value, value, accumulator)) is None):
        return value
    return flash_array(nest, start.raws, start.format.type, (value and value.name_hint) or "start")
