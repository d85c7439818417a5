"""Reductions over axes, and argmax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Label, Value, handles, needed
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import absolute, binary, unary
from tinyml.lowering.frontends.onnx.ops.movement import axes_of, axis_of, reshaped


@handles("ArgMax", "ArgMin")
def argmax(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import ArgMax or ArgMin of a single vector, whose result is the label of a classifier."""
    value = to.tensor(needed(to, inputs, 0))
    if node.op == "ArgMin":
        value = to.op(tdsl.NegOp, value)
    shape = tdsl.shape_of(value)
    axis = axis_of(node, node.integer("axis", 0), len(shape))
    node.only("select_last_index", 0)
    if shape[axis] != prod(shape):
        raise node.error(f"only the axis of a single vector is supported, got axis {axis} of shape {list(shape)}")
    kept = bool(node.integer("keepdims", 1))
    left = (*shape[:axis], *((1,) if kept else ()), *shape[axis + 1 :])
    return Label(to.emit(tdsl.ArgmaxOp, value).result, left)


@handles("ReduceMean")
def mean(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    value = to.stored(needed(to, inputs, 0))
    rank = len(value.shape)
    axes = axes_of(node, inputs, 1, rank)
    if not axes and node.integer("noop_with_empty_axes", 0):
        return value
    reduced = set(axes or range(rank))
    stored = sorted(value.order.index(axis) for axis in reduced)
    means = OrderedTensor(to.op(tdsl.MeanOp, value.value, stored, to.element), value.order)
    if node.integer("keepdims", 1):
        return means
    return reshaped(to, means, tuple(extent for axis, extent in enumerate(value.shape) if axis not in reduced))


@handles("ReduceMax", "ReduceMin")
def extreme(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import the maximum or the minimum over axes. The minimum is the negated maximum of the negated elements."""
    value, axes, keep = _reduced(to, node, inputs)
    if axes is None:
        return value
    if node.op == "ReduceMax":
        return _greatest(to, value, axes, keep)
    return unary(to, tdsl.NegOp, _greatest(to, unary(to, tdsl.NegOp, value), axes, keep))


def _greatest(to: Builder, value: OrderedTensor, axes: Sequence[int], keep: bool) -> OrderedTensor:
    rows = _reduced_rows(to, value, axes)
    image = to.reshape(rows.flat, (1, *tdsl.shape_of(rows.flat), 1))
    return rows.results(to, to.op(tdsl.MaxPoolOp, image, (1, rows.length), (0, 0, 0, 0), (1, 1)), keep)


def _reduced(to: Builder, node: OnnxNode, inputs: Inputs) -> tuple[OrderedTensor, Sequence[int] | None, bool]:
    """Parse the inputs of a reduction. Return the tensor to reduce, the axes (None for no reduction), and whether
    the reduced axes remain with extent 1.
    """
    value = to.stored(needed(to, inputs, 0))
    axes = axes_of(node, inputs, 1, len(value.shape))
    if not axes and node.integer("noop_with_empty_axes", 0):
        return value, None, True
    return value, axes or range(len(value.shape)), bool(node.integer("keepdims", 1))


@dataclass(frozen=True)
class _ReducedRows:
    """A tensor flattened to a matrix, whose rows a reduction maps to one number each.

    flat: the matrix, of shape (results, `length`).
    kept: the shape of the results without the reduced axes.
    single: the shape of the results with reduced axes of extent 1.
    """

    flat: SSAValue
    length: int
    kept: tdsl.Shape
    single: tdsl.Shape

    def results(self, to: Builder, value: SSAValue, keep: bool) -> OrderedTensor:
        return reshaped(to, OrderedTensor.plain(value), self.single if keep else self.kept)


def _reduced_rows(to: Builder, value: OrderedTensor, axes: Sequence[int]) -> _ReducedRows:
    rank, reduced = len(value.shape), sorted(set(axes))
    kept = [axis for axis in range(rank) if axis not in reduced]
    length = prod(value.shape[axis] for axis in reduced)
    flat = to.reshape(to.ordered(value, (*kept, *reduced)), (prod(value.shape[axis] for axis in kept), length))
    single = tuple(1 if axis in reduced else extent for axis, extent in enumerate(value.shape))
    return _ReducedRows(flat, length, tuple(value.shape[axis] for axis in kept), single)


@handles("ReduceSum", "ReduceSumSquare", "ReduceL1", "ReduceLogSum", "ReduceLogSumExp")
def total(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a sum over axes: of the elements, their squares, magnitudes or exponentials. The result of
    ReduceLogSum and ReduceLogSumExp is the logarithm of the sum.
    """
    value, axes, keep = _reduced(to, node, inputs)
    if node.op == "ReduceSumSquare":
        value = binary(to, tdsl.MulOp, value, value)
    if node.op == "ReduceL1":
        value = absolute(to, value)
    if axes is None:
        return value
    if node.op == "ReduceLogSumExp":
        return log_of_sum(to, value, axes, keep=keep)
    sums = _sums(to, value, axes, keep)
    return unary(to, tdsl.LogOp, sums) if node.op == "ReduceLogSum" else sums


def _sums(to: Builder, value: OrderedTensor, axes: Sequence[int], keep: bool) -> OrderedTensor:
    rows = _reduced_rows(to, value, axes)
    ones = to.constant(Constant(np.ones((rows.length, 1), np.float32)))
    return rows.results(to, to.op(tdsl.MatmulOp, rows.flat, ones), keep)


def log_of_sum(to: Builder, value: OrderedTensor, axes: Sequence[int], *, keep: bool) -> OrderedTensor:
    """Emit the logarithm of the sum of exponentials over axes. The maximum is subtracted first, so that no
    exponential overflows.

    keep: whether the reduced axes remain with extent 1.
    """
    greatest = _greatest(to, value, axes, True)
    powers = unary(to, tdsl.ExpOp, binary(to, tdsl.SubOp, value, greatest))
    sums = binary(to, tdsl.AddOp, greatest, unary(to, tdsl.LogOp, _sums(to, powers, axes, True)))
    if keep:
        return sums
    return reshaped(to, sums, tuple(extent for axis, extent in enumerate(value.shape) if axis not in set(axes)))
