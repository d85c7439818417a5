"""Ops from many elements to fewer."""

from __future__ import annotations

from math import prod

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed
from tinyml.lowering.frontends.onnx.building.values import Constant, Label, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary
from tinyml.lowering.frontends.onnx.ops.movement import axes_of, axis_of, reshaped


@handles("ArgMax", "ArgMin")
def argmax(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The label of a classifier: the index of the greatest, or the least, element of the whole tensor."""
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


@handles("ReduceSum", "ReduceSumSquare")
def total(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Sums over axes, as products with ones."""
    value = to.stored(needed(to, inputs, 0))
    if node.op == "ReduceSumSquare":
        value = binary(to, tdsl.MulOp, value, value)
    rank = len(value.shape)
    axes = axes_of(node, inputs, 1, rank)
    if not axes and node.integer("noop_with_empty_axes", 0):
        return value
    reduced = sorted(set(axes or range(rank)))
    kept = [axis for axis in range(rank) if axis not in reduced]
    length = prod(value.shape[axis] for axis in reduced)
    rows = to.reshape(to.ordered(value, (*kept, *reduced)), (prod(value.shape[axis] for axis in kept), length))
    ones = to.constant(Constant(np.ones((length, 1), np.float32)))
    sums = to.op(tdsl.MatmulOp, rows, ones)
    shape = tuple(1 if axis in reduced else extent for axis, extent in enumerate(value.shape))
    if not node.integer("keepdims", 1):
        shape = tuple(value.shape[axis] for axis in kept)
    return reshaped(to, OrderedTensor.plain(sums), shape)
