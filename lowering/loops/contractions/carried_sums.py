"""Lowering of sums that a loop carries in memory to contractions and loops over scalars (L2 to L3)."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.lowering.loops.contractions.products import contract_rows, finished, row_shifts, sum_start
from tinyml.lowering.loops.elementwise import over_elements
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import broadcast_indices, element_of, elements_from, single_element
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(tdsl.ZeroOp)
def lower_zero(op: tdsl.ZeroOp, nest: LoopBuilder) -> None:
    value = nest.insert(num.ZeroOp(element_of(op.out)))
    nest.nest(tdsl.shape_of(op.out), lambda indices: nest.store(value, op.out, indices))


@lowers(tdsl.StartOp)
def lower_start(op: tdsl.StartOp, nest: LoopBuilder) -> None:
    accumulator = tdsl.accumulator_elements(op.out)
    start = sum_start(op.input, None, accumulator, nest)

    def body(indices: Indices) -> None:
        assert start is not None
        value = nest.load(start, broadcast_indices(indices, start, nest))
        nest.store(nest.insert(num.StartOp(value, accumulator.type)), op.out, indices)

    nest.nest(tdsl.shape_of(op.out), body)


@lowers(tdsl.MacOp)
def lower_mac(op: tdsl.MacOp, nest: LoopBuilder) -> None:
    length = prod(tdsl.shape_of(op.out))
    vectors = [value for value in (op.lhs, op.rhs) if prod(tdsl.shape_of(value)) == length]
    factors = [value for value in (op.lhs, op.rhs) if prod(tdsl.shape_of(value)) == 1]
    if op.sum is op.out and len(vectors) == len(factors) == 1:
        sums, vector = (elements_from(value, nest.index(0), length, nest) for value in (op.out, vectors[0]))
        nest.put(num.CallOp(num.AxpyAttr(), [sums, vector, single_element(factors[0], nest)]))
    else:
        over_elements(op, nest, lambda x: nest.insert(num.MacOp(x[0], x[1], x[2])))


@lowers(tdsl.AccumulateOp)
def lower_accumulate(op: tdsl.AccumulateOp, nest: LoopBuilder) -> None:
    rows, length = tdsl.shape_of(op.lhs)

    weights = nest.insert(scratch.SliceOp(op.lhs, nest.index(0), (rows, length)))
    column, zero = elements_from(op.rhs, nest.index(0), length, nest), nest.index(0)

    def body(row: SSAValue) -> None:
        indices = [row, zero]
        nest.store(nest.insert(num.ProductsOp(nest.load(op.sum, indices), weights, column)), op.out, indices)

    contract_rows(rows, body, nest)


@lowers(tdsl.FinishOp)
def lower_finish(op: tdsl.FinishOp, nest: LoopBuilder) -> None:
    shifts = row_shifts(op, nest)

    def body(indices: Indices) -> None:
        nest.store(finished(op, nest.load(op.input, indices), shifts, indices, nest), op.out, indices)

    nest.nest(tdsl.shape_of(op.out), body)
