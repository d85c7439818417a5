"""Resizing of images, sequences and other tensors, to the nearest element or by linear interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.margins import repeated
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.layers.network_layers import MAX_RESIZED_EXTENT, image_of, image_result, nearest_pixels
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value, handles, needed, optional
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary
from tinyml.lowering.frontends.onnx.ops.movement import axis_of, integers, part, picked
from tinyml.lowering.frontends.onnx.ops.windows import image

LONGEST_PERIOD = 64
"""Maximum number of slices with a step that replace the runs of an axis."""


@handles("Resize")
def resize(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import resizing to the nearest element, or by linear interpolation along each axis.

    Resizing to the nearest element changes only the height and the width of an image, or the length of a sequence. It
    becomes a `tdsl.resize_nearest` if each source pixel is `y * height div new height`, and otherwise a gather.
    """
    x = needed(to, inputs, 0)
    node.only("mode", "nearest", "linear")
    node.only("antialias", 0)
    node.only("keep_aspect_ratio_policy", "stretch")
    shape, factors = _resized(to, node, inputs, x.shape)
    to.check_shape(shape)
    if max(shape) > MAX_RESIZED_EXTENT:
        raise node.error(f"an extent of {max(shape)} is not supported, only up to {MAX_RESIZED_EXTENT}")
    if node.text("mode", "nearest") == "linear":
        aligned = node.text("coordinate_transformation_mode", "half_pixel") == "align_corners"
        result = to.stored(x)
        for axis, (before, after, factor) in enumerate(zip(x.shape, shape, factors, strict=True)):
            if aligned and before * factor != after:
                raise node.error(f"{before} times {float(factor):g} is no extent: give sizes, runtimes differ")
            positions = [_position(node, at, before, after, factor) for at in range(after)]
            result = interpolated(to, result, axis, positions)
        return result
    if len(x.shape) not in (3, 4):
        raise node.error(f"expected an image or a sequence, got shape {list(x.shape)}")
    sources = [
        [_nearest(node, at, before, after, factor) for at in range(after)]
        for before, after, factor in zip(x.shape, shape, factors, strict=True)
    ]
    if shape[:2] != x.shape[:2]:
        raise node.error("only the height and the width can change")
    if any(indices != nearest_pixels(before, len(indices)) for before, indices in zip(x.shape, sources, strict=True)):
        result = to.stored(x)
        for axis, indices in enumerate(sources):
            result = picked(to, result, axis, indices)
        return result
    size = shape[2:] if len(shape) == 4 else (1, *shape[2:])
    ordered, axes = image(to, x)
    return image_result(to, to.op(tdsl.ResizeNearestOp, image_of(to, ordered, axes), size), axes)


def _resized(to: Builder, node: OnnxNode, inputs: Inputs, shape: tdsl.Shape) -> tuple[tdsl.Shape, list[Fraction]]:
    rank = len(shape)
    axes = [axis_of(node, axis, rank) for axis in node.integers("axes", tuple(range(rank)))]
    sizes, scales = integers(node, inputs, 3, "sizes"), optional(inputs, 2)
    after, factors = list(shape), [Fraction(1)] * rank
    if sizes is not None:
        if len(sizes) != len(axes):
            raise node.error(f"{len(sizes)} sizes do not fit {len(axes)} axes")
        for axis, size in zip(axes, sizes, strict=True):
            after[axis], factors[axis] = size, Fraction(size, shape[axis])
        return tuple(after), factors
    if not isinstance(scales, Constant) or scales.array.size != len(axes) or scales.array.dtype.kind != "f":
        raise node.error("expected constant sizes, or a constant scale for each axis")
    if not np.isfinite(scales.array).all() or scales.array.min() <= 0:
        raise node.error("scales must be positive")
    for axis, scale in zip(axes, scales.array.ravel().tolist(), strict=True):
        factors[axis] = Fraction(scale)
        after[axis] = floor(shape[axis] * factors[axis])
    return tuple(after), factors


def interpolated(to: Builder, tensor: OrderedTensor, axis: int, positions: Sequence[Fraction]) -> OrderedTensor:
    """Emit linear interpolations of the elements of an axis at fractional positions. Positions beyond an end have
    the value of the outermost element.

    An interpolation is the lower neighbour, plus the difference to the upper neighbour times the distance from the
    lower neighbour.
    """
    extent = tensor.shape[axis]
    places = [min(max(position, Fraction(-1)), Fraction(extent)) for position in positions]
    if places == [*range(extent)]:
        return tensor
    low = [floor(place) for place in places]
    high = [ceil(place) for place in places]
    # Positions beyond the ends keep the period of the others if the tensor has margins.
    margins = max(0, -min(low)), max(0, max(high) - extent + 1)
    at = tensor.order.index(axis)
    tensor = OrderedTensor(repeated(to, tensor.value, at, *margins), tensor.order)
    below, above = (_gathered(to, tensor, axis, [index + margins[0] for index in end]) for end in (low, high))
    if low == high:
        return below
    distances = [float(place - index) for place, index in zip(places, low, strict=True)]
    constant = Constant(np.array(distances, np.float32).reshape(-1, *[1] * (len(tensor.shape) - 1 - axis)))
    rise = binary(to, tdsl.MulOp, binary(to, tdsl.SubOp, above, below), constant)
    return binary(to, tdsl.AddOp, below, rise)


def _gathered(to: Builder, tensor: OrderedTensor, axis: int, indices: Sequence[int]) -> OrderedTensor:
    """Emit the elements of an axis at indices, by slices.

    Normally there is one slice per run of consecutive indices. If indices repeat with a period, and if that needs
    fewer slices, there is one strided slice per index in the period, and the elements of the slices are
    interleaved.
    """
    runs = sum(after != before + 1 for before, after in pairwise(indices)) + 1
    for period in range(2, min(runs, len(indices) // 2 + 1, LONGEST_PERIOD + 1)):
        steps = {after - before for before, after in zip(indices, indices[period:], strict=False)}
        if len(steps) == 1 and len(indices) % period == 0 and min(steps) > 0:
            [step], count = steps, len(indices) // period
            slices = [part(to, tensor, axis, first, count, step) for first in indices[:period]]
            at = tensor.order.index(axis)
            stored = list(tdsl.shape_of(slices[0].value))
            columns = [to.reshape(columns.value, (*stored[: at + 1], 1, *stored[at + 1 :])) for columns in slices]
            joined = to.op(tdsl.ConcatOp, columns, at + 1)
            stored[at] = len(indices)
            return OrderedTensor(to.reshape(joined, stored), tensor.order)
    return picked(to, tensor, axis, indices)


def _position(node: OnnxNode, at: int, before: int, after: int, factor: Fraction) -> Fraction:
    """The fractional position, in pixels of the source, of the new pixel `at` on an axis.

    before, after: the extent of the axis before and after resizing.
    factor: the factor by which the extent is multiplied.
    """
    half = Fraction(1, 2)
    match node.text("coordinate_transformation_mode", "half_pixel"):
        case "asymmetric":
            return at / factor
        case "half_pixel":
            return (at + half) / factor - half
        case "pytorch_half_pixel":
            return (at + half) / factor - half if after > 1 else Fraction(0)
        case "align_corners":
            return Fraction(at * (before - 1), after - 1) if after > 1 else Fraction(0)
        case mode:
            raise node.error(f"coordinate_transformation_mode = {mode} is not supported")


def _nearest(node: OnnxNode, at: int, before: int, after: int, factor: Fraction) -> int:
    half, position = Fraction(1, 2), _position(node, at, before, after, factor)
    match node.text("nearest_mode", "round_prefer_floor"):
        case "floor":
            index = floor(position)
        case "ceil":
            index = ceil(position)
        case "round_prefer_ceil":
            index = floor(position + half)
        case "round_prefer_floor":
            index = ceil(position - half)
        case mode:
            raise node.error(f"nearest_mode = {mode} is not known")
    return min(max(index, 0), before - 1)
