"""Ops that make images larger: Resize and ConvTranspose."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.image_windows import Windows, image_of, image_result
from tinyml.lowering.frontends.layers.weighted_sums import TRANSPOSED, filter_in, transposed_convolution
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed, optional
from tinyml.lowering.frontends.onnx.building.values import Constant, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.movement import axis_of, integers
from tinyml.lowering.frontends.onnx.ops.windows import image, with_bias

if TYPE_CHECKING:
    pass

GREATEST = 1 << 14
"""The greatest extent of a resized image, since each of its indices is compared."""


@handles("ConvTranspose")
def convolve_transposed(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x, weights = needed(to, inputs, 0), needed(to, inputs, 1)
    rank, groups = len(x.shape) - 2, node.integer("group", 1)
    if not isinstance(weights, Constant) or len(weights.shape) != len(x.shape) or rank not in (1, 2):
        raise node.error("expected an image or a sequence, and a constant filter of as many axes")
    if groups < 1 or weights.shape[0] != x.shape[1] or weights.shape[0] % groups:
        raise node.error(f"a filter {list(weights.shape)} with {groups} groups does not fit {x.shape[1]} channels")
    node.only("auto_pad", "NOTSET", "VALID")
    kernel = node.integers("kernel_shape", weights.shape[2:])
    strides, dilations = node.integers("strides", (1,) * rank), node.integers("dilations", (1,) * rank)
    pads = node.integers("pads", (0,) * 2 * rank) if node.text("auto_pad", "NOTSET") == "NOTSET" else (0,) * 2 * rank
    more = node.integers("output_padding", (0,) * rank)
    if kernel != weights.shape[2:] or not len(strides) == len(dilations) == len(more) == len(pads) // 2 == rank:
        raise node.error("an attribute does not fit the shape of the filter")
    if "output_shape" in node.attributes:
        raise node.error("the attribute 'output_shape' is not supported, only pads and output_padding are")
    if min(*strides, *dilations) < 1 or min(*pads, *more) < 0:
        raise node.error("strides and dilations are at least 1, padding at least 0")
    # Rows and columns added at the end reduce the cropping there.
    edges = [(low, high - extra) for low, high, extra in zip(pads, pads[rank:], more, strict=False)]
    (rows, columns), ones = [(0, 0), *edges][-2:], [1] * (2 - rank)
    down_right = ([*ones, *each] for each in (kernel, strides, dilations))
    windows = Windows(*((down, right) for down, right in down_right), padding=(*rows, *columns))
    ordered, axes = image(to, x)
    filter = filter_in(to, to.parameter_of(weights), "IOHW" if rank == 2 else "IOL", TRANSPOSED)
    sums = transposed_convolution(to, ordered, filter, windows, groups, axes=axes)
    return with_bias(to, sums, optional(inputs, 2))


@handles("Resize")
def resize(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The nearest pixel of an image, in the modes in which that is pixel `y * height div new height`."""
    x = needed(to, inputs, 0)
    if (mode := node.text("mode", "nearest")) != "nearest":
        raise node.error(f"mode = {mode} is not supported, only nearest: ConvTranspose can interpolate, too")
    node.only("antialias", 0)
    node.only("keep_aspect_ratio_policy", "stretch")
    if len(x.shape) not in (3, 4):
        raise node.error(f"expected an image or a sequence, got shape {list(x.shape)}")
    shape, factors = _resized(to, node, inputs, x.shape)
    to.check_shape(shape)
    if max(shape) > GREATEST:
        raise node.error(f"an extent of {max(shape)} is not supported, only up to {GREATEST}")
    for before, after, factor in zip(x.shape, shape, factors, strict=True):
        taken = [_nearest(node, at, before, after, factor) for at in range(after)]
        if taken != [at * before // after for at in range(after)]:
            raise node.error("this coordinate_transformation_mode and nearest_mode are not supported for these sizes")
    if shape[:2] != x.shape[:2]:
        raise node.error("only the height and the width can change")
    size = shape[2:] if len(shape) == 4 else (1, *shape[2:])
    ordered, axes = image(to, x)
    return image_result(to, to.op(tdsl.ResizeNearestOp, image_of(to, ordered, axes), size), axes)


def _resized(to: Builder, node: OnnxNode, inputs: Inputs, shape: tdsl.Shape) -> tuple[tdsl.Shape, list[Fraction]]:
    """The new shape, and the factor by which each extent grows."""
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


def _nearest(node: OnnxNode, at: int, before: int, after: int, factor: Fraction) -> int:
    """The index of the source pixel of pixel `at` along an axis."""
    half = Fraction(1, 2)
    match node.text("coordinate_transformation_mode", "half_pixel"):
        case "asymmetric":
            position = at / factor
        case "half_pixel":
            position = (at + half) / factor - half
        case "pytorch_half_pixel":
            position = (at + half) / factor - half if after > 1 else Fraction(0)
        case "align_corners":
            position = Fraction(at * (before - 1), after - 1) if after > 1 else Fraction(0)
        case mode:
            raise node.error(f"coordinate_transformation_mode = {mode} is not supported")
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
