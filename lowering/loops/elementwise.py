"""Lowering of elementwise ops to nests over the elements (L2 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import broadcast_indices, element_of, single_element
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


def over_elements(op: tdsl.TensorOp, nest: LoopBuilder, compute: Callable[[Sequence[SSAValue]], SSAValue]) -> None:
    """Emit a nest that stores each element of the result, computed from one element of each input."""
    shape = tdsl.shape_of(op.out)
    # An operand of one element is loaded once, before the nest, and one with an element for each row before the row.
    known = {value: single_element(value, nest) for value in op.inputs if prod(tdsl.shape_of(value)) == 1}
    columns = [value for value in op.inputs if value not in known and _is_column(value, shape)]

    def body(indices: Indices) -> None:
        loaded = [known.get(value) or nest.load(value, broadcast_indices(indices, value, nest)) for value in op.inputs]
        nest.store(compute(loaded), op.out, indices)

    def row(before: Indices) -> None:
        first = [*before, nest.index(0)]
        known.update({value: nest.load(value, broadcast_indices(first, value, nest)) for value in columns})
        nest.nest(shape[-1:], lambda indices: body([*before, *indices]))

    if columns:
        nest.over(shape[:-1], row)
    else:
        nest.nest(shape, body)


def _is_column(value: SSAValue, shape: Sequence[int]) -> bool:
    return shape[-1] > 1 and tdsl.shape_of(value)[-1] == 1


@lowers(tdsl.ElementwiseOp)
def lower_elementwise(op: tdsl.ElementwiseOp, nest: LoopBuilder) -> None:
    """Emit a nest that computes each element by the op's scalar body and stores it."""
    element = element_of(op.out)
    over_elements(op, nest, lambda x: op.scalar(x, element, nest.insert))


@lowers(tdsl.SelectOp)
def lower_select(op: tdsl.SelectOp, nest: LoopBuilder) -> None:
    over_elements(op, nest, lambda x: nest.insert(arith.SelectOp(op.condition, x[0], x[1])))


@lowers(tdsl.FillOp)
def lower_fill(op: tdsl.FillOp, nest: LoopBuilder) -> None:
    fill(op.value.value.data, op.out, nest)


def fill(real: float, buffer: SSAValue, nest: LoopBuilder) -> None:
    """Emit a nest that stores a real number, rounded to the buffer's format, in all elements."""
    value = nest.insert(num.ConstantOp(real, element_of(buffer)))
    nest.nest(tdsl.shape_of(buffer), lambda indices: nest.store(value, buffer, indices))
