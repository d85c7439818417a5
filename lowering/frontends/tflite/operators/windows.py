"""The windows of operators, and operators on the windows of an image that have no weights."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.image_windows import Pair, Windows, pool, same_windows
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, input_of, integers
from tinyml.lowering.frontends.tflite.formats import element
from tinyml.lowering.frontends.tflite.model import Operator

IMAGE = "NHWC"
"""The axes of images."""


def windows_of(op: Operator, image: Sequence[int], filter: Sequence[int], strides: Pair, dilations: Pair) -> Windows:
    """The windows that an operator asks for; image, filter: the shapes of an image NHWC and a filter OHWI."""
    (_, *extents, _), (_, height, width, _) = image, filter
    if op.options["padding"] == "VALID":
        return Windows((height, width), strides, dilations)
    return same_windows(extents, (height, width), strides, dilations)


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
    windows = windows_of(op, image.shape, (1, *kernel, 1), strides, (1, 1))
    pooled = pool(to, kind, to.image(image), windows, element(output), axes=IMAGE)
    to.define(output, to.activated(pooled.value, op.options["activation"]))


def mean(to: GraphBuilder, op: Operator) -> None:
    """MEAN over some axes."""
    x, output = input_of(op, 0), op.outputs[0]
    rank = len(x.shape)
    axes = sorted({axis + rank if axis < 0 else axis for axis in integers(op, 1, "the axes")})
    if not axes or axes[0] < 0 or axes[-1] >= rank:
        raise VerifyException(f"axes {axes} of a tensor of rank {rank}")
    averages = to.op(tdsl.MeanOp, to.value(x), axes, element(output))
    to.define(output, to.reshape(averages, output.shape))


def resize_nearest(to: GraphBuilder, op: Operator) -> None:
    """RESIZE_NEAREST_NEIGHBOR where pixels are those of the usual rule, y * H div H'."""
    x, size = input_of(op, 0), integers(op, 1, "the size")
    if len(size) != 2 or min(size) < 1 or len(x.shape) != 4:
        raise VerifyException(f"expected an image of rank 4 and its new height and width, got {size}")
    for before, after in zip(x.shape[1:3], size, strict=True):
        if _nearest(op, before, after) != [number * before // after for number in range(after)]:
            raise VerifyException(f"this alignment of {after} pixels to {before} is not supported")
    to.define(op.outputs[0], to.op(tdsl.ResizeNearestOp, to.value(x), size))


def _nearest(op: Operator, before: int, after: int) -> list[int]:
    """The source pixel of each new pixel along an axis, computed in single precision as TensorFlow Lite does."""
    aligned = op.options["align_corners"] and after > 1
    scale = np.float32(before - 1) / np.float32(after - 1) if aligned else np.float32(before) / np.float32(after)
    centres = np.arange(after, dtype=np.float32) + np.float32(0.5 if op.options["half_pixel_centers"] else 0)
    rounded = np.floor(centres * scale + np.float32(0.5 if op.options["align_corners"] else 0))
    return np.clip(rounded.astype(int), 0, before - 1).tolist()
