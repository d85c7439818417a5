"""Padding around images, and operators on the windows of an image that have no weights."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.same_padding import same_padding
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, input_of, integers
from tinyml.lowering.frontends.tflite.formats import element
from tinyml.lowering.frontends.tflite.model import Operator

Margins = Sequence[tuple[int, int]]
"""Elements before and behind an image along height and width."""


def margins(
    op: Operator, extents: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> Margins:
    """The padding that an operator asks for."""
    if min(strides) < 1 or min(dilations) < 1:
        raise VerifyException(f"strides {tuple(strides)} and dilations {tuple(dilations)} must be at least 1")
    if op.options["padding"] == "VALID":
        return [(0, 0), (0, 0)]
    return [same_padding(*axis) for axis in zip(extents, kernel, strides, dilations, strict=True)]


def padded(to: GraphBuilder, image: SSAValue, edges: Margins) -> SSAValue:
    """An image with zeros around it."""
    if not any(edge for pair in edges for edge in pair):
        return image
    (top, bottom), (left, right) = edges
    return to.emit(tdsl.PadOp, image, (0, top, left, 0), (0, bottom, right, 0))


def average_pool(to: GraphBuilder, op: Operator) -> None:
    """AVERAGE_POOL_2D."""
    _pool(to, op, tdsl.AveragePoolOp)


def max_pool(to: GraphBuilder, op: Operator) -> None:
    """MAX_POOL_2D."""
    _pool(to, op, tdsl.MaxPoolOp)


def _pool(to: GraphBuilder, op: Operator, kind: type[tdsl.PoolOp]) -> None:
    image, output = input_of(op, 0), op.outputs[0]
    if len(image.shape) != 4:
        raise VerifyException(f"expected an image of rank 4, got {image.shape}")
    kernel = op.options["filter_height"], op.options["filter_width"]
    strides = op.options["stride_h"], op.options["stride_w"]
    (top, bottom), (left, right) = margins(op, image.shape[1:3], kernel, strides, (1, 1))
    pooled = to.emit(kind, to.value(image), kernel, (top, bottom, left, right), strides, element(output))
    to.define(output, to.activated(pooled, op.options["activation"]))


def mean(to: GraphBuilder, op: Operator) -> None:
    """MEAN over some axes."""
    x, output = input_of(op, 0), op.outputs[0]
    rank = len(x.shape)
    axes = sorted({axis + rank if axis < 0 else axis for axis in integers(op, 1, "the axes")})
    if not axes or axes[0] < 0 or axes[-1] >= rank:
        raise VerifyException(f"axes {axes} of a tensor of rank {rank}")
    averages = to.emit(tdsl.MeanOp, to.value(x), axes, element(output))
    to.define(output, to.reshaped(averages, output.shape))


def resize_nearest(to: GraphBuilder, op: Operator) -> None:
    """RESIZE_NEAREST_NEIGHBOR where pixels are those of the usual rule, y * H div H'."""
    x, size = input_of(op, 0), integers(op, 1, "the size")
    if len(size) != 2 or min(size) < 1 or len(x.shape) != 4:
        raise VerifyException(f"expected an image of rank 4 and its new height and width, got {size}")
    for before, after in zip(x.shape[1:3], size, strict=True):
        if _nearest(op, before, after) != [number * before // after for number in range(after)]:
            raise VerifyException(f"this alignment of {after} pixels to {before} is not supported")
    to.define(op.outputs[0], to.emit(tdsl.ResizeNearestOp, to.value(x), size))


def _nearest(op: Operator, before: int, after: int) -> list[int]:
    """The pixel that TensorFlow Lite takes for each new one along an axis, computed in single precision."""
    aligned = op.options["align_corners"] and after > 1
    scale = np.float32(before - 1) / np.float32(after - 1) if aligned else np.float32(before) / np.float32(after)
    centres = np.arange(after, dtype=np.float32) + np.float32(0.5 if op.options["half_pixel_centers"] else 0)
    rounded = np.floor(centres * scale + np.float32(0.5 if op.options["align_corners"] else 0))
    return np.clip(rounded.astype(int), 0, before - 1).tolist()
