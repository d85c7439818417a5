"""Layers with weights: convolutions, transposed convolutions and dense layers.

Sums start from `start`, a constant with a number per output: a bias for reals, the result of `start_parameter`
for quantised numbers. `element` is the type of the results, by default that of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.image_windows import Windows, image_of, image_result, padded
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, OrderedTensor, Parameter, permutation, reals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

FILTER, TRANSPOSED = "OHWI", "IHWO"
"""The axis orders of filters, and of filters of transposed convolutions (O, I: output and input channels)."""


def filter_in(to: ModelBuilder, filter: Parameter, axes: str, target: str = FILTER) -> Parameter:
    """Reorder the axes of a filter to those that layers take.

    axes: in the model, such as `OIHW`, or `OIL` for filters of sequences. target: `FILTER` or `TRANSPOSED`.
    """
    if sorted(axes) not in (sorted(FILTER), sorted("OLI")) or len(filter.shape) != len(axes):
        raise to.error(f"a filter has the axes {FILTER} or OLI in some order, got {axes} of shape {list(filter.shape)}")
    if "L" not in axes:
        return filter.transposed(permutation(axes, target))
    first, length, last = (filter := filter.transposed(permutation(axes, target.replace("HW", "L")))).shape
    return filter.reshaped((first, 1, length, last))


def convolution(
    to: ModelBuilder,
    x: OrderedTensor,
    filter: Parameter,
    windows: Windows,
    groups: int = 1,
    start: Parameter | None = None,
    element: Attribute | None = None,
    *,
    axes: str,
) -> OrderedTensor:
    """A convolution of an image or a sequence with a filter O x KH x KW x I / groups."""
    image, weights = image_of(to, x, axes), to.parameter(filter)
    image = padded(to, image, windows.padding)
    first = None if start is None else to.parameter(start)
    sums = to.op(tdsl.Conv2dOp, weights, image, windows.strides, windows.dilations, groups, first, element)
    return image_result(to, sums, axes)


def transposed_convolution(
    to: ModelBuilder,
    x: OrderedTensor,
    filter: Parameter,
    windows: Windows,
    groups: int = 1,
    start: Parameter | None = None,
    element: Attribute | None = None,
    *,
    axes: str,
) -> OrderedTensor:
    """A transposed convolution, computed as a convolution of the image with zeros inserted between its pixels.

    filter: I x KH x KW x O / groups. windows: `padding` is the number of rows and columns cropped from the result;
    negative numbers add some below and on the right (output padding).
    """
    image, weights = image_of(to, x, axes), to.parameter(_rotated(filter, groups))
    before = [far - cut for far, cut in zip(windows.reach, windows.padding[::2], strict=True)]
    after = [far - cut for far, cut in zip(windows.reach, windows.padding[1::2], strict=True)]
    low, high = ([0, *(max(edge, 0) for edge in edges), 0] for edges in (before, after))
    image = to.op(tdsl.PadOp, image, low, high, 0.0, [0, *(step - 1 for step in windows.strides), 0])
    n, height, width, channels = shape_of(image)
    cut = [max(-edge, 0) for edge in before]
    size = [extent - start - max(-edge, 0) for extent, start, edge in zip((height, width), cut, after, strict=True)]
    image = to.part(image, (0, *cut, 0), (n, *size, channels))
    first = None if start is None else to.parameter(start)
    sums = to.op(tdsl.Conv2dOp, weights, image, (1, 1), windows.dilations, groups, first, element)
    return image_result(to, sums, axes)


def _rotated(filter: Parameter, groups: int) -> Parameter:
    """A filter I x KH x KW x O / groups, rotated by 180 degrees, as a filter O x KH x KW x I / groups."""
    channels, down, across, outputs = filter.shape
    parts = filter.raws.reshape(groups, channels // groups, down, across, outputs)[:, :, ::-1, ::-1]
    rotated = parts.transpose(0, 4, 2, 3, 1).reshape(groups * outputs, down, across, channels // groups)
    return filter.arranged(rotated, "rotated", groups)


def dense(
    to: ModelBuilder,
    x: SSAValue,
    weights: Parameter,
    shape: Sequence[int],
    start: Parameter | None = None,
    element: Attribute | None = None,
) -> SSAValue:
    """Constant weights (outputs, inputs) times each vector of the input, in which vectors are concatenated.

    shape: of the result. A single vector is multiplied as a column; several become the pixels of an image, convolved
    with windows of one pixel.
    """
    rows, length = weights.shape
    if prod(shape_of(x)) % length:
        raise to.error(f"vectors of {length} elements do not divide an input of shape {shape_of(x)}")
    count = prod(shape_of(x)) // length
    first = None if start is None else to.parameter(start)
    if count == 1:
        matrix, column = to.parameter(weights), to.reshape(x, (length, 1))
        if first is None:
            sums = to.op(tdsl.MatmulOp, matrix, column, element)
        else:
            sums = to.op(tdsl.MatmulSumOp, [(matrix, column)], to.reshape(first, (rows, 1)), element)
    else:
        filter = to.parameter(weights.reshaped((rows, 1, 1, length)))
        image = to.reshape(x, (1, count, 1, length))
        sums = to.op(tdsl.Conv2dOp, filter, image, (1, 1), (1, 1), 1, first, element)
    return to.reshape(sums, shape)


def affine(to: ModelBuilder, x: SSAValue, weights: Array, addends: Array | None = None) -> SSAValue:
    """The column `weights x + addends`; x: N numbers of any shape, weights: K x N, addends: K numbers."""
    column = to.reshape(x, (weights.shape[1], 1))
    product = to.op(tdsl.MatmulOp, to.parameter(reals(weights)), column)
    if addends is None or not addends.any():
        return product
    return to.op(tdsl.AddOp, product, to.parameter(reals(addends.reshape(-1, 1))))
