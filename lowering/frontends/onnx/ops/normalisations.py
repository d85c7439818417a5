"""Normalisations by the mean and the standard deviation of each sample, both of which the program computes at
inference.

`tdsl.normalise` divides a row by its Euclidean norm. The norm of a centred row is the row's standard deviation times
the square root of the number of elements.
"""

from __future__ import annotations

from math import prod, sqrt

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value, handles, needed, optional
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary
from tinyml.lowering.frontends.onnx.ops.movement import axis_of, reshaped
from tinyml.lowering.frontends.onnx.ops.windows import vector


@handles("LayerNormalization", "RMSNormalization")
def over_axes(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import normalisation over the axes from `axis` to the last, with a factor and an addend per element.

    A normalisation that the graph writes out lists its axes, and may divide by the root of a sum of squares.
    """
    value = to.stored(needed(to, inputs, 0))
    if any(node.outputs[1:]):
        raise node.error("its mean and deviation are read, which is not supported")
    rank = len(value.shape)
    listed = node.integers("axes", range(axis_of(node, node.integer("axis", -1), rank), rank))
    axes = sorted({axis_of(node, axis, rank) for axis in listed})
    order = (*(axis for axis in range(rank) if axis not in axes), *axes)
    shape = tuple(value.shape[axis] for axis in order)
    lengths = prod(shape[: rank - len(axes)]), prod(shape[rank - len(axes) :])
    rows = OrderedTensor.plain(to.reshape(to.ordered(value, order), lengths))
    centred, total = node.op == "LayerNormalization", bool(node.integer("total", 0))
    unit = _unit_rows(to, rows, node.number("epsilon", 1e-5), centred, total=total)
    result = OrderedTensor(to.reshape(to.tensor(unit), shape), order)
    return _affine(to, result, needed(to, inputs, 1), optional(inputs, 2))


@handles("GroupNormalization", "InstanceNormalization")
def over_groups(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import normalisation over groups of channels; InstanceNormalization has groups of one channel."""
    value = to.stored(needed(to, inputs, 0))
    if len(value.shape) < 3:
        raise node.error(f"expected an image or a sequence, got shape {list(value.shape)}")
    samples, channels, *extents = value.shape
    scale, addend = (vector(to, needed(to, inputs, position)) for position in (1, 2))
    groups = channels if node.op == "InstanceNormalization" else node.integer("num_groups")
    if groups < 1 or channels % groups:
        raise node.error(f"{channels} channels do not make {groups} groups")
    if node.op == "GroupNormalization" and node.version < 21:
        # Before opset 21, each group had one factor and one addend.
        scale, addend = (Constant(np.repeat(parameter.array, channels // groups)) for parameter in (scale, addend))
    if not scale.array.size == addend.array.size == channels:
        raise node.error(f"{scale.array.size} factors and {addend.array.size} addends do not fit {channels} channels")
    rows = reshaped(to, value, (samples * groups, prod(value.shape[1:]) // groups))
    result = reshaped(to, _unit_rows(to, rows, node.number("epsilon", 1e-5), True), value.shape)
    shape = (channels, *(1 for _ in extents))
    return _affine(
        to, result, *(Constant(parameter.array.reshape(shape), parameter.name) for parameter in (scale, addend))
    )


def _unit_rows(
    to: Builder, rows: OrderedTensor, epsilon: float, centred: bool, *, total: bool = False
) -> OrderedTensor:
    """Divide rows by the square root of their mean square plus `epsilon`.

    centred: true to subtract the mean of each row first.
    total: true for the sum of squares instead of their mean.
    """
    if not epsilon >= 0 or not np.isfinite(epsilon):
        raise to.error(f"epsilon must not be negative, got {epsilon}")
    length = 1 if total else rows.shape[-1]
    if centred:
        means = OrderedTensor.plain(to.op(tdsl.MeanOp, to.tensor(rows), [1], to.element))
        rows = binary(to, tdsl.SubOp, rows, means)
    least = sqrt(length * epsilon) or None
    unit = OrderedTensor.plain(to.op(tdsl.NormaliseOp, to.tensor(rows), to.element, least))
    return unit if total else binary(to, tdsl.MulOp, unit, Constant(np.array(sqrt(length))))


def _affine(to: Builder, value: OrderedTensor, scale: Value, addend: Value | None) -> OrderedTensor:
    result = binary(to, tdsl.MulOp, value, scale)
    return result if addend is None else binary(to, tdsl.AddOp, result, addend)
