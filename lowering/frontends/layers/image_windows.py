"""Images and their windows: padding, pooling, and the order of axes in a model.

Layers take an image or a sequence in any order of axes (`axes`, such as `NCHW` or `NLC`) and return their result in the
same order. Programs compute on NHWC images; a sequence is an image of height 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, OrderedTensor, stored_order

Pair = tuple[int, int]
"""A pair of numbers, for height and width."""

Margins = tuple[int, int, int, int]
"""Numbers of rows above and below, and of columns on the left and right."""


@dataclass(frozen=True)
class Windows:
    """The windows of a layer along height and width.

    padding: rows and columns of zeros around the image. Raises `VerifyException` for kernels, strides and dilations
    below 1.
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
        """The distances from the first to the last element of a window."""
        down, across = ((size - 1) * gap for size, gap in zip(self.kernel, self.dilations, strict=True))
        return down, across


def same_windows(extents: Sequence[int], kernel: Pair, strides: Pair = (1, 1), dilations: Pair = (1, 1)) -> Windows:
    """Windows with SAME padding. extents: height and width of the image."""
    windows = Windows(kernel, strides, dilations)
    rows, columns = (same_padding(*axis) for axis in zip(extents, kernel, strides, dilations, strict=True))
    return Windows(windows.kernel, strides, dilations, (*rows, *columns))


def same_padding(extent: int, kernel: int, stride: int, dilation: int) -> Pair:
    """The padding at both ends of an axis that yields a window for every `stride` elements.

    An odd total has one more element at the end.
    """
    span = (kernel - 1) * dilation + 1
    missing = max((-(-extent // stride) - 1) * stride + span - extent, 0)
    return missing // 2, missing - missing // 2


def image_of(to: ModelBuilder, x: OrderedTensor, axes: str) -> SSAValue:
    """Convert an image or a sequence, whose axes in the model are `axes`, to an NHWC image."""
    if len(x.shape) != len(axes):
        raise to.error(f"expected a tensor of axes {axes}, got shape {list(x.shape)}")
    stored = to.reordered(x, stored_order(axes))
    if "L" not in axes:
        return stored
    n, length, channels = shape_of(stored)
    return to.reshape(stored, (n, 1, length, channels))


def image_result(to: ModelBuilder, image: SSAValue, axes: str) -> OrderedTensor:
    """Convert an NHWC image to a tensor of the model, whose axes there are `axes`."""
    if "L" in axes:
        n, _, length, channels = shape_of(image)
        image = to.reshape(image, (n, length, channels))
    return OrderedTensor(image, stored_order(axes))


def padded(to: ModelBuilder, image: SSAValue, padding: Sequence[int]) -> SSAValue:
    """Pad an NHWC image with zeros. padding: as `Margins`."""
    top, bottom, left, right = padding
    return to.op(tdsl.PadOp, image, (0, top, left, 0), (0, bottom, right, 0)) if any(padding) else image


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
    """The maximum or the average of each window.

    element: the type of averages, by default that of the image. include_padding: true if padding counts as elements.
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
    """The maximum or the average of each channel."""
    image = image_of(to, x, axes)
    if kind is tdsl.AveragePoolOp:
        return image_result(to, to.op(tdsl.MeanOp, image, (1, 2), element), axes)
    _, height, width, _ = shape_of(image)
    return image_result(to, to.op(kind, image, (height, width), (0, 0, 0, 0), (1, 1), element), axes)
