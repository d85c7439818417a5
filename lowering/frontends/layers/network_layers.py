"""Layers of neural networks on images and sequences: convolutions, pooling, and elementwise layers.

The parameter `start` of convolutions, transposed convolutions and dense layers (`dense_layers.py`) is a constant with
the initial value of each output's sum. It is the bias for reals, and the result of `start_parameter` for quantised
numbers. The parameter `element` is the element type of the results, by default the type of the input.

Layers accept an image or a sequence in any order of axes (`axes`, such as `NCHW` or `NLC`) and return their result in
the same order. Programs compute on NHWC images; a sequence is an image of height 1. Elementwise layers broadcast as
numpy does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.dialects.tdsl.window_axis import WindowAxis
from tinyml.lowering.frontends.layers.margins import padded
from tinyml.lowering.frontends.layers.model_builder import (
    ModelBuilder,
    OrderedTensor,
    Parameter,
    permutation,
    stored_order,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


FILTER, TRANSPOSED = "OHWI", "IHWO"
"""The axis orders of filters, and of filters of transposed convolutions (O, I: output and input channels)."""


def filter_in(to: ModelBuilder, filter: Parameter, axes: str, target: str = FILTER) -> Parameter:
    """Reorder the axes of a filter to the order that the layers of this module accept. Raises `InputError` unless the
    axes are those of a filter.

    axes: the order in the model, such as `OIHW`, or `OIL` for filters of sequences.
    target: `FILTER` or `TRANSPOSED`.
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
    """Emit a convolution of an image or a sequence.

    filter: O x KH x KW x I / groups.
    axes: the axis order of `x`.
    """
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
    """Emit a transposed convolution, as a convolution of the image with zeros inserted between its pixels.

    filter: I x KH x KW x O / groups.
    windows: `padding` is the number of rows and columns cropped from the result. Negative numbers append rows below
        and columns on the right (output padding).
    axes: the axis order of `x`.
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
    """Rotate a filter I x KH x KW x O / groups by 180 degrees, and reorder it to O x KH x KW x I / groups."""
    channels, down, across, outputs = filter.shape
    groups_of_rows = filter.raws.reshape(groups, channels // groups, down, across, outputs)[:, :, ::-1, ::-1]
    rotated = groups_of_rows.transpose(0, 4, 2, 3, 1).reshape(groups * outputs, down, across, channels // groups)
    return filter.arranged(rotated, "rotated", groups)


Pair = tuple[int, int]
"""A pair of numbers, for height and width."""

Margins = tuple[int, int, int, int]
"""Numbers of rows above and below, and of columns on the left and right."""


@dataclass(frozen=True)
class Windows:
    """The kernel extents, strides, dilations and padding of a layer along height and width.

    padding: the numbers of rows and columns of zeros above, below, left and right of the image.

    Raises `VerifyException` for kernels, strides and dilations below 1.
    """

    kernel: Pair
    strides: Pair = (1, 1)
    dilations: Pair = (1, 1)
    padding: Margins = (0, 0, 0, 0)

    def __post_init__(self):
        if min(*self.kernel, *self.strides, *self.dilations) < 1:
            raise VerifyException(
                f"windows {self.kernel}, strides {self.strides} and dilations {self.dilations} must be at least 1"
            )

    @property
    def reach(self) -> Pair:
        """The distance in pixels from the first to the last element of a window, along height and width."""
        down, across = ((size - 1) * gap for size, gap in zip(self.kernel, self.dilations, strict=True))
        return down, across


def same_windows(extents: Sequence[int], kernel: Pair, strides: Pair = (1, 1), dilations: Pair = (1, 1)) -> Windows:
    """The windows of a layer with SAME padding (`same_padding`).

    extents: the height and width of the image.
    """
    windows = Windows(kernel, strides, dilations)
    rows, columns = (same_padding(*axis) for axis in zip(extents, kernel, strides, dilations, strict=True))
    return Windows(windows.kernel, strides, dilations, (*rows, *columns))


def same_padding(extent: int, kernel: int, stride: int, dilation: int) -> Pair:
    """The padding before and after an axis with which the axis has ceil(extent / stride) windows.

    If the total padding is odd, the end of the axis gets one more element.
    """
    axis = WindowAxis((kernel - 1) * dilation + 1, stride)
    missing = max(axis.span(-(-extent // stride)) - extent, 0)
    return missing // 2, missing - missing // 2


def image_of(to: ModelBuilder, x: OrderedTensor, axes: str) -> SSAValue:
    """Convert an image or a sequence to an NHWC image. Raises `InputError` for a tensor whose rank differs from the
    number of its `axes`.

    axes: the axes of the tensor in the model.
    """
    if len(x.shape) != len(axes):
        raise to.error(f"expected a tensor of axes {axes}, got shape {list(x.shape)}")
    stored = to.reordered(x, stored_order(axes))
    if "L" not in axes:
        return stored
    n, length, channels = shape_of(stored)
    return to.reshape(stored, (n, 1, length, channels))


def image_result(to: ModelBuilder, image: SSAValue, axes: str) -> OrderedTensor:
    """Convert an NHWC image to a tensor in the model's order of axes.

    axes: the axes in the model.
    """
    if "L" in axes:
        n, _, length, channels = shape_of(image)
        image = to.reshape(image, (n, length, channels))
    return OrderedTensor(image, stored_order(axes))


def pool(
    to: ModelBuilder,
    kind: type[tdsl.PoolOp],
    x: OrderedTensor,
    windows: Windows,
    element: Attribute | None = None,
    *,
    axes: str,
    include_padding: bool = False,
) -> OrderedTensor:
    """Emit the pooling op `kind`: the maximum or the average of each window. Raises `InputError` for windows with
    dilations.

    element: the element type of averages, by default the type of the image.
    include_padding: true to count padding as elements of an average.
    """
    if windows.dilations != (1, 1):
        raise to.error("dilations are not supported")
    image, padding = image_of(to, x, axes), windows.padding
    if include_padding:
        image, padding = padded(to, image, padding), (0, 0, 0, 0)
    return image_result(to, to.op(kind, image, windows.kernel, padding, windows.strides, element), axes)


def global_pool(
    to: ModelBuilder,
    kind: type[tdsl.PoolOp],
    x: OrderedTensor,
    element: Attribute | None = None,
    *,
    axes: str,
) -> OrderedTensor:
    """Emit the pooling op `kind` over whole images: the maximum or the average of each channel."""
    image = image_of(to, x, axes)
    if kind is tdsl.AveragePoolOp:
        return image_result(to, to.op(tdsl.MeanOp, image, (1, 2), element), axes)
    _, height, width, _ = shape_of(image)
    return image_result(to, to.op(kind, image, (height, width), (0, 0, 0, 0), (1, 1), element), axes)


def binary(
    to: ModelBuilder,
    make: type[tdsl.BinaryOp],
    lhs: OrderedTensor | Parameter,
    rhs: OrderedTensor | Parameter,
    element: Attribute | None = None,
) -> OrderedTensor:
    """Emit an elementwise op of the class `make` on two operands.

    The result has the axis order of the first operand that has the rank of the result and an order other than the
    model's. If there is no such operand, the result has the model's order.
    """
    rank = max(len(lhs.shape), len(rhs.shape))
    orders = [
        operand.order
        for operand in (lhs, rhs)
        if isinstance(operand, OrderedTensor) and len(operand.order) == rank and not operand.is_plain
    ]
    order = orders[0] if orders else tuple(range(rank))
    left, right = (_ranked(to, operand, rank, order if orders else None) for operand in (lhs, rhs))
    return OrderedTensor(to.op(make, left, right, element), order)


def _ranked(to: ModelBuilder, operand: OrderedTensor | Parameter, rank: int, order: tuple[int, ...] | None) -> SSAValue:
    """Prepend axes of extent 1 to an operand until it has the rank `rank`, and transpose the result to `order`. Scalars
    are unchanged.

    order: the axis order of the result; None to leave the operand in the model's order and at its rank.
    """
    if order is None or not operand.shape:
        return to.parameter(operand) if isinstance(operand, Parameter) else to.plain(operand)
    shape = (1,) * (rank - len(operand.shape)) + operand.shape
    if isinstance(operand, Parameter):
        return to.parameter(operand.reshaped(shape).transposed(order))
    if len(operand.shape) < rank:
        operand = OrderedTensor.plain(to.reshape(to.plain(operand), shape))
    return to.reordered(operand, order)


def by_channel(numbers: Parameter, axes: str) -> Parameter:
    """Reshape `numbers`, one per channel, to broadcast against a tensor whose axes in the model are `axes`."""
    return numbers.reshaped((-1, *(1,) * (len(axes) - 1 - axes.index("C"))))


def batch_normalisation(
    to: ModelBuilder,
    x: OrderedTensor | Parameter,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    epsilon: float = 1e-5,
    *,
    axes: str,
) -> OrderedTensor:
    """Emit `scale * (x - mean) / sqrt(variance + epsilon) + offset`. Each array has one number per channel. Raises
    `InputError` for arrays of different lengths, and unless each `variance + epsilon` is positive.

    The result is a product and a sum. At the end of the import, `simplify` folds the factors into the weights of the
    preceding layer, and adds the addends to its bias.
    """
    scale, offset, mean, variance = (array.astype(np.float64) for array in (scale, offset, mean, variance))
    total = variance + epsilon
    if len({array.size for array in (scale, offset, mean, variance)}) > 1 or not total.size or total.min() <= 0:
        raise to.error("its constants differ in length, or a variance is not positive")
    factor = scale / np.sqrt(total)
    factors, addends = (
        by_channel(Parameter(array.astype(np.float32)), axes) for array in (factor, offset - mean * factor)
    )
    return binary(to, tdsl.AddOp, binary(to, tdsl.MulOp, x, factors), addends)


MAX_RESIZED_EXTENT = 1 << 14
"""Maximum extent of a resized image; each of its indices is computed during import."""


def nearest_pixels(before: int, after: int) -> list[int]:
    """The source pixel of each new pixel along an axis, by the formula `y * before div after` of `tdsl.resize_nearest`.

    before, after: the extent of the axis before and after resizing.
    """
    return [at * before // after for at in range(after)]
