"""Loops over the steps of a sequence. The states are iter_args of the loop; the results of all steps form sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import IndexType, TensorType, f32
from xdsl.ir import Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import Shape, shape_of
from tinyml.dialects.tdsl.base import shaped
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder

Step: TypeAlias = Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""A function that emits an iteration. It accepts the index and the carried tensors, and returns the new carried
tensors, followed by the step results.
"""


def loop_over_steps(to: ModelBuilder, trips: int, carried: Sequence[SSAValue], body: Step) -> Sequence[SSAValue]:
    """Emit a loop over steps. Return the carried tensors after the last iteration, followed by the sequences of step
    results.

    A sequence contains the step results of all iterations along a new first axis. Raises `InputError` for a carried
    tensor whose shape changes.

    trips: the number of iterations.
    carried: the initial values of the carried tensors.
    body: emits one step.
    """
    start, stop, step = (to.index(bound) for bound in (0, trips, 1))
    outer, to.block = to.block, Block(arg_types=[IndexType(), *(value.type for value in carried)])
    inner = to.block
    sequences: list[SSAValue] = []
    try:
        results = list(body(inner.args[0], inner.args[1:]))
        for before, after in zip(carried, results, strict=False):
            if shape_of(before) != shape_of(after):
                raise to.error(f"a state of shape {list(shape_of(before))} becomes {list(shape_of(after))}")
        for position in range(len(carried), len(results)):
            result = results[position]
            to.block = outer
            type = TensorType(shaped(result).get_element_type(), (trips, *shape_of(result)))
            sequences.append(to.op(tdsl.FillOp, 0.0, type))
            to.block = inner
            whole = inner.insert_arg(type, len(inner.args))
            results[position] = _insert_step(to, result, whole, inner.args[0])
        inner.add_op(scf.YieldOp(*results))
    finally:
        to.block = outer
    return to.emit(scf.ForOp, start, stop, step, [*carried, *sequences], inner).results


def collected_over(to: ModelBuilder, shape: Shape, body: Callable[[SSAValue, SSAValue], SSAValue]) -> SSAValue:
    """Emit a loop that fills the row of a tensor of the given shape, element by element, and return the tensor.

    shape: (1, number of elements).
    body: emits the insertion of one element, from its index and the tensor, and returns the new tensor.
    """
    start, stop, step = (to.index(bound) for bound in (0, shape[1], 1))
    empty = to.emit(tensor.EmptyOp, (), TensorType(f32, shape)).tensor
    outer, to.block = to.block, Block(arg_types=[IndexType(), empty.type])
    inner = to.block
    try:
        inner.add_op(scf.YieldOp(body(inner.args[0], inner.args[1])))
    finally:
        to.block = outer
    return to.emit(scf.ForOp, start, stop, step, [empty], inner).results[0]


def _insert_step(to: ModelBuilder, row: SSAValue, whole: SSAValue, step: SSAValue) -> SSAValue:
    shape = shape_of(row)
    return to.op(tdsl.InsertSliceOp, to.reshape(row, (1, *shape)), whole, [step, *(to.index(0) for _ in shape)])
