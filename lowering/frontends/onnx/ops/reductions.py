"""Ops from many elements to fewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed
from tinyml.lowering.frontends.onnx.building.values import Constant, Label, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import absolute, binary, unary
from tinyml.lowering.frontends.onnx.ops.movement import axes_of, axis_of, reshaped


@handles("ArgMax")
def argmax(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The label of a classifier: the index of the greatest element of the whole tensor."""
    value = to.tensor(needed(to, inputs, 0))
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
    """The greatest or least elements over axes, as max pools; the least is the opposite of the opposites' greatest."""
    value = to.stored(needed(to, inputs, 0))
    axes = axes_of(node, inputs, 1, len(value.shape))
    if not axes and node.integer("noop_with_empty_axes", 0):
        return value
    opposite = node.op == "ReduceMin"
    rows = _reduced_rows(to, unary(to, tdsl.NegOp, value) if opposite else value, axes)
    image = to.reshape(rows.flat, (1, *tdsl.shape_of(rows.flat), 1))
    greatest = to.op(tdsl.MaxPoolOp, image, (1, rows.length), (0, 0, 0, 0), (1, 1))
    result = rows.results(to, node, greatest)
    return unary(to, tdsl.NegOp, result) if opposite else result


@dataclass(frozen=True)
class _ReducedRows:
    """A tensor as a matrix whose rows are reduced to one number each.

    flat: the matrix, of shape (results, `length`). kept, single: the shapes of the results without the reduced axes,
    and with extents of 1 in their stead.
    """

    flat: SSAValue
    length: int
    kept: tdsl.Shape
    single: tdsl.Shape

    def results(self, to: Builder, node: OnnxNode, value: SSAValue) -> OrderedTensor:
        """The numbers of the rows, in the shape that `keepdims` asks for."""
        shape = self.single if node.integer("keepdims", 1) else self.kept
        return reshaped(to, OrderedTensor.plain(value), shape)


def _reduced_rows(to: Builder, value: OrderedTensor, axes: Sequence[int] | None) -> _ReducedRows:
    """A tensor for a reduction over some axes, all of them if there are none."""
    rank = len(value.shape)
    reduced = sorted(set(axes or range(rank)))
    kept = [axis for axis in range(rank) if axis not in reduced]
    length = prod(value.shape[axis] for axis in reduced)
    flat = to.reshape(to.ordered(value, (*kept, *reduced)), (prod(value.shape[axis] for axis in kept), length))
    single = tuple(1 if axis in reduced else extent for axis, extent in enumerate(value.shape))
    return _ReducedRows(flat, length, tuple(value.shape[axis] for axis in kept), single)


@handles("ReduceSum", "ReduceSumSquare", "ReduceL1")
def total(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Sums over axes, as products with ones."""
    value = to.stored(needed(to, inputs, 0))
    if node.op == "ReduceSumSquare":
        value = binary(to, tdsl.MulOp, value, value)
    if node.op == "ReduceL1":
        value = absolute(to, value)
    axes = axes_of(node, inputs, 1, len(value.shape))
    if not axes and node.integer("noop_with_empty_axes", 0):
        return value
    rows = _reduced_rows(to, value, axes)
    ones = to.constant(Constant(np.ones((rows.length, 1), np.float32)))
    return rows.results(to, node, to.op(tdsl.MatmulOp, rows.flat, ones))
