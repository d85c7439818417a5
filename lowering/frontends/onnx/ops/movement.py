"""Ops that move elements: reshapes, transpositions, slices, concatenations and padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import Shape, shape_of
from tinyml.lowering.frontends.layers.margins import copied, mirrored, repeated
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, OrderedTensor
from tinyml.lowering.frontends.onnx.builder import (
    Builder,
    Comparison,
    Constant,
    Indicator,
    Inputs,
    Value,
    handles,
    needed,
    optional,
)
from tinyml.lowering.frontends.onnx.graph import OnnxNode


def integers(node: OnnxNode, inputs: Inputs, position: int, what: str) -> tuple[int, ...] | None:
    """The integers of the constant input at `position`; None if the input is omitted.

    what: the name of the input in messages.
    """
    value = optional(inputs, position)
    if value is None:
        return None
    if not isinstance(value, Constant) or value.array.dtype.kind not in "iu":
        raise node.error(f"its {what} must be constant integers")
    return tuple(value.array.ravel().tolist())


def required_integers(node: OnnxNode, inputs: Inputs, position: int, what: str) -> tuple[int, ...]:
    if (values := integers(node, inputs, position, what)) is None:
        raise node.error(f"needs its {what}")
    return values


def axes_of(node: OnnxNode, inputs: Inputs, position: int, rank: int) -> tuple[int, ...] | None:
    """The axes that the input at `position` lists, all in [0, rank); None if the input is omitted."""
    axes = integers(node, inputs, position, "axes")
    return None if axes is None else tuple(axis_of(node, axis, rank) for axis in axes)


def axis_of(node: OnnxNode, axis: int, rank: int) -> int:
    """Convert an axis that may be negative to an index in [0, rank)."""
    if not -rank <= axis < rank:
        raise node.error(f"axis {axis} is not one of the {rank} axes")
    return axis % rank


@handles("Reshape")
def reshape(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    value = to.stored(needed(to, inputs, 0))
    shape = required_integers(node, inputs, 1, "shape")
    if not node.integer("allowzero", 0):
        if any(extent == 0 and axis >= len(value.shape) for axis, extent in enumerate(shape)):
            raise node.error(f"shape {list(shape)} copies an extent that {list(value.shape)} does not have")
        shape = tuple(value.shape[axis] if extent == 0 else extent for axis, extent in enumerate(shape))
    if -1 in shape:
        rest = -prod(shape)
        if shape.count(-1) > 1 or rest == 0 or prod(value.shape) % rest:
            raise node.error(f"cannot reshape {list(value.shape)} to {list(shape)}")
        shape = tuple(prod(value.shape) // rest if extent == -1 else extent for extent in shape)
    return reshaped(to, value, shape)


def reshaped(to: Builder, value: OrderedTensor, shape: Shape) -> OrderedTensor:
    to.check_shape(shape)
    return value if value.shape == shape else OrderedTensor.plain(to.reshape(to.tensor(value), shape))


@handles("Expand")
def expand(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Expand: copies of a tensor along the axes on which it has extent 1."""
    value = to.stored(needed(to, inputs, 0))
    target = required_integers(node, inputs, 1, "shape")
    rank = max(len(target), len(value.shape))
    before, after = ((1,) * (rank - len(shape)) + tuple(shape) for shape in (value.shape, target))
    if min(target, default=1) < 1 or any(
        1 not in (extent, other) and extent != other for extent, other in zip(before, after, strict=True)
    ):
        raise node.error(f"cannot expand {list(value.shape)} to {list(target)}")
    counts = [other if extent == 1 else 1 for extent, other in zip(before, after, strict=True)]
    return _copied(to, reshaped(to, value, before), counts)


@handles("Tile")
def tile(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Tile: copies of a tensor along each axis."""
    value = to.stored(needed(to, inputs, 0))
    counts = required_integers(node, inputs, 1, "repeats")
    if len(counts) != len(value.shape) or min(counts, default=1) < 1:
        raise node.error(f"repeats {list(counts)} do not fit the {len(value.shape)} axes")
    return _copied(to, value, counts)


def _copied(to: Builder, value: OrderedTensor, counts: Sequence[int]) -> OrderedTensor:
    return OrderedTensor(copied(to, value.value, [counts[axis] for axis in value.order]), value.order)


@handles("Flatten")
def flatten(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    value = to.stored(needed(to, inputs, 0))
    rank, axis = len(value.shape), node.integer("axis", 1)
    if not -rank <= axis <= rank:
        raise node.error(f"axis {axis} is not one of the {rank} axes")
    axis = axis + rank if axis < 0 else axis
    return reshaped(to, value, (prod(value.shape[:axis]), prod(value.shape[axis:])))


@handles("Unsqueeze")
def unsqueeze(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    value = to.stored(needed(to, inputs, 0))
    positions = required_integers(node, inputs, 1, "axes")
    rank = len(value.shape) + len(positions)
    axes = {axis_of(node, axis, rank) for axis in positions}
    if len(axes) < len(positions):
        raise node.error(f"axes {list(positions)} name an axis twice")
    extents = iter(value.shape)
    return reshaped(to, value, tuple(1 if axis in axes else next(extents) for axis in range(rank)))


@handles("Squeeze")
def squeeze(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    value = to.stored(needed(to, inputs, 0))
    axes = axes_of(node, inputs, 1, len(value.shape))
    if axes is None:
        axes = tuple(axis for axis, extent in enumerate(value.shape) if extent == 1)
    if any(value.shape[axis] != 1 for axis in axes):
        raise node.error(f"removes axes {list(axes)} of shape {list(value.shape)}, which must have extent 1")
    return reshaped(to, value, tuple(extent for axis, extent in enumerate(value.shape) if axis not in axes))


@handles("Transpose")
def transpose(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a transposition by permuting the recorded order of axes. No elements move until an op needs the
    model's order.
    """
    value = to.stored(needed(to, inputs, 0))
    rank = len(value.shape)
    permutation = node.integers("perm", tuple(reversed(range(rank))))
    if sorted(permutation) != list(range(rank)):
        raise node.error(f"perm {list(permutation)} does not order the {rank} axes")
    return OrderedTensor(value.value, tuple(permutation.index(axis) for axis in value.order))


@handles("Slice")
def slice_(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Slice: slices along several axes, with positive or negative steps."""
    value = to.stored(needed(to, inputs, 0))
    starts, ends = (required_integers(node, inputs, i, "starts and ends") for i in (1, 2))
    axes = axes_of(node, inputs, 3, len(value.shape)) or tuple(range(len(starts)))
    steps = integers(node, inputs, 4, "steps") or (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or max(axes, default=0) >= len(value.shape):
        raise node.error("starts, ends, axes and steps differ in length")
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        extent = value.shape[axis]
        if step == 0:
            raise node.error(f"the step along axis {axis} is 0")
        indices = range(extent)[start : None if step < 0 and end < -extent else end : step]
        if not indices:
            raise node.error(f"no element of axis {axis} is left")
        value = part(to, value, axis, indices[0], len(indices), step)
    return value


def part(to: ModelBuilder, value: OrderedTensor, axis: int, start: int, length: int, step: int = 1) -> OrderedTensor:
    """Emit a slice of `length` elements, from `start` in steps of `step`, along one axis of the model's tensor."""
    stored = list(shape_of(value.value))
    offsets, steps, position = [0] * len(stored), [1] * len(stored), value.order.index(axis)
    # The step is irrelevant for a single element.
    offsets[position], stored[position], steps[position] = start, length, step if length > 1 else 1
    return OrderedTensor(to.part(value.value, offsets, stored, steps), value.order)


@handles("Split")
def split(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value]:
    value = to.stored(needed(to, inputs, 0))
    axis = axis_of(node, node.integer("axis", 0), len(value.shape))
    extent, count = value.shape[axis], max(len(node.outputs), 1)
    lengths = integers(node, inputs, 1, "split")
    if lengths is None:
        length = -(-extent // count)
        lengths = tuple(min(length, extent - length * number) for number in range(count))
    if sum(lengths) != extent or min(lengths) < 1:
        raise node.error(f"parts of {list(lengths)} do not make up the extent {extent} of axis {axis}")
    starts = [sum(lengths[:number]) for number in range(len(lengths))]
    return [part(to, value, axis, start, length) for start, length in zip(starts, lengths, strict=True)]


@handles("Concat")
def concat(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a concatenation, in the axis order of the first tensor that is not in the model's order."""
    values = [to.numbers(needed(to, inputs, position)) for position in range(len(inputs))]
    rank = len(values[0].shape) if values else 0
    if not values or any(len(value.shape) != rank for value in values):
        raise node.error(f"its inputs differ in rank: {[list(value.shape) for value in values]}")
    axis = axis_of(node, node.integer("axis"), rank)
    orders = [value.order for value in values if isinstance(value, OrderedTensor) and not value.is_plain]
    order = orders[0] if orders else tuple(range(rank))
    operands = [to.requantised(to.ordered(value, order), to.element) for value in values]
    return OrderedTensor(to.op(tdsl.ConcatOp, operands, order.index(axis)), order)


@handles("Pad")
def pad(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import padding with a constant number, with mirrored elements or with the outermost elements.

    Negative padding removes elements.
    """
    value = to.stored(needed(to, inputs, 0))
    mode = node.text("mode", "constant")
    if mode not in ("constant", *_MARGINS):
        raise node.error(f"mode = {mode} is not supported, only constant, {', '.join(_MARGINS)}")
    rank = len(value.shape)
    axes = axes_of(node, inputs, 3, rank) or tuple(range(rank))
    pads = required_integers(node, inputs, 1, "pads")
    filling = optional(inputs, 2)
    if len(pads) != 2 * len(axes) or len(set(axes)) < len(axes):
        raise node.error(f"{len(pads)} pads do not fit {len(axes)} axes")
    if filling is not None and (not isinstance(filling, Constant) or filling.array.size != 1):
        raise node.error("the number around the tensor must be constant")
    low, high = [0] * rank, [0] * rank
    for axis, before, after in zip(axes, pads, pads[len(axes) :], strict=False):
        cut = -min(before, 0), -min(after, 0)
        if any(cut):
            value = part(to, value, axis, cut[0], value.shape[axis] - sum(cut))
        position = value.order.index(axis)
        low[position], high[position] = max(before, 0), max(after, 0)
    if not any(low) and not any(high):
        return value
    if mode != "constant":
        result = value.value
        for position, margins in enumerate(zip(low, high, strict=True)):
            result = _MARGINS[mode](to, result, position, *margins)
        return OrderedTensor(result, value.order)
    number = 0.0 if filling is None else float(filling.array.item())
    return OrderedTensor(to.op(tdsl.PadOp, value.value, low, high, number), value.order)


def _reflected(to: Builder, value: SSAValue, axis: int, before: int, after: int) -> SSAValue:
    return mirrored(to, value, axis, before, after, 1)


_MARGINS = {"reflect": _reflected, "edge": repeated}
"""The margins of a tensor along an axis of its stored order, by mode."""


@handles("Gather")
def gather(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Gather: elements of one axis at constant indices. The operand is a tensor, a constant or a comparison."""
    source = needed(to, inputs, 0)
    match source:
        case Comparison():
            return replace(source, tensor=_gathered(to, node, source.tensor, inputs))
        case Indicator(comparisons=[comparison]):
            return Indicator([replace(comparison, tensor=_gathered(to, node, comparison.tensor, inputs))])
        case _:
            return _gathered(to, node, to.stored(needed(to, inputs, 0)), inputs)


def _gathered(to: Builder, node: OnnxNode, tensor: OrderedTensor, inputs: Inputs) -> OrderedTensor:
    indices = required_integers(node, inputs, 1, "indices")
    shape = needed(to, inputs, 1).shape
    axis = axis_of(node, node.integer("axis", 0), len(tensor.shape))
    extent = tensor.shape[axis]
    if not indices or not all(-extent <= index < extent for index in indices):
        raise node.error(f"indices {list(indices)[:8]} do not lie in axis {axis} of extent {extent}")
    elements = picked(to, tensor, axis, [index % extent for index in indices])
    if len(shape) == 1:
        return elements
    return reshaped(to, elements, (*elements.shape[:axis], *shape, *elements.shape[axis + 1 :]))


def picked(to: ModelBuilder, tensor: OrderedTensor, axis: int, indices: Sequence[int]) -> OrderedTensor:
    """Emit the elements of an axis at `indices`. Equidistant indices become one slice; other indices become one
    slice per run of consecutive indices.
    """
    steps = {after - before for before, after in pairwise(indices)}
    if len(steps) <= 1 and 0 not in steps:
        return part(to, tensor, axis, indices[0], len(indices), *steps)
    starts = [at for at, index in enumerate(indices) if at == 0 or index != indices[at - 1] + 1]
    ends = [*starts[1:], len(indices)]
    runs = [part(to, tensor, axis, indices[start], end - start).value for start, end in zip(starts, ends, strict=True)]
    return OrderedTensor(to.op(tdsl.ConcatOp, runs, tensor.order.index(axis)), tensor.order)
