"""Import of layers that slide a window over an image: convolutions, pools and reductions."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.layers.network_layers import (
    TRANSPOSED,
    Pair,
    Windows,
    convolution,
    filter_in,
    pool,
    same_windows,
    transposed_convolution,
)
from tinyml.lowering.frontends.tflite.builder import (
    GraphBuilder,
    activation_format,
    element,
    weights_format,
)
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.operands import axis_in, input_of, integers_of
from tinyml.lowering.frontends.tflite.products import bias, constant_weights

IMAGE = "NHWC"
"""The axes of images."""


def windows_of(op: Operator, image: Sequence[int], filter: Sequence[int], strides: Pair, dilations: Pair) -> Windows:
    """The windows of a convolution or pool.

    image: the shape of an NHWC image.
    filter: the shape of an OHWI filter.
    """
    (_, *extents, _), (_, height, width, _) = image, filter
    if op.options["padding"] == "VALID":
        return Windows((height, width), strides, dilations)
    return same_windows(extents, (height, width), strides, dilations)


def average_pool(to: GraphBuilder, op: Operator) -> None:
    """Import AVERAGE_POOL_2D: for each window, the average of its elements inside the image."""
    _pool(to, op, tdsl.AveragePoolOp)


def max_pool(to: GraphBuilder, op: Operator) -> None:
    """Import MAX_POOL_2D: for each window, the greatest of its elements inside the image."""
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
    """Import MEAN over the constant axes of its second input."""
    x, output = input_of(op, 0), op.outputs[0]
    rank = len(x.shape)
    axes = sorted({axis + rank if axis < 0 else axis for axis in integers_of(op, 1, "the axes")})
    if not axes or axes[0] < 0 or axes[-1] >= rank:
        raise VerifyException(f"axes {axes} of a tensor of rank {rank}")
    averages = to.op(tdsl.MeanOp, to.value(x), axes, element(output))
    to.define(output, to.reshape(averages, output.shape))


def conv_2d(to: GraphBuilder, op: Operator) -> None:
    """Import CONV_2D. Its filters have the shape O x KH x KW x C / groups."""
    image, filter = input_of(op, 0), input_of(op, 1)
    if len(image.shape) != 4 or len(filter.shape) != 4:
        raise VerifyException(f"expected an image and a filter of rank 4, got {image.shape} and {filter.shape}")
    if image.shape[3] % filter.shape[3]:
        raise VerifyException(f"filters of {filter.shape[3]} channels do not divide {image.shape[3]}")
    _convolve(to, op, "OHWI", image.shape[3] // filter.shape[3])


def depthwise_conv_2d(to: GraphBuilder, op: Operator) -> None:
    """Import DEPTHWISE_CONV_2D. Its filter has the shape 1 x KH x KW x O, with channels in the order of the groups."""
    image, filter = input_of(op, 0), input_of(op, 1)
    if len(image.shape) != 4 or len(filter.shape) != 4 or filter.shape[0] != 1:
        raise VerifyException(f"expected an image and a filter 1xKHxKWxO, got {image.shape} and {filter.shape}")
    _convolve(to, op, "IHWO", image.shape[3])


def _convolve(to: GraphBuilder, op: Operator, axes: str, groups: int) -> None:
    image, filter, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    format = weights_format(filter, axes.index("O"))
    weights = filter_in(to, constant_weights(filter, format), axes)
    strides = op.options["stride_h"], op.options["stride_w"]
    dilations = op.options["dilation_h"], op.options["dilation_w"]
    windows = windows_of(op, image.shape, weights.shape, strides, dilations)
    start = bias(op, format, activation_format(image), len(weights.raws))
    sums = convolution(to, to.image(image), weights, windows, groups, start, element(output), axes=IMAGE)
    to.define(output, to.activated(sums.value, op.options["activation"]))


def transpose_conv(to: GraphBuilder, op: Operator) -> None:
    """Import TRANSPOSE_CONV. Its inputs are the shape of the result, filters O x KH x KW x C, and the image.

    If the shape is computed at run time, the declared shape of the output is used, as in TensorFlow Lite Micro.
    """
    filter, image, output = input_of(op, 1), input_of(op, 2), op.outputs[0]
    shape = [*output.shape] if input_of(op, 0).data is None else integers_of(op, 0, "the shape")
    if len(image.shape) != 4 or len(filter.shape) != 4 or shape != list(output.shape):
        raise VerifyException(f"expected an image and a filter of rank 4 and a result of shape {output.shape}")
    strides = op.options["stride_h"], op.options["stride_w"]
    ordinary = windows_of(op, output.shape, filter.shape, strides, (1, 1))
    # The shape of the result determines the cropping below and on the right.
    top, _, left, _ = ordinary.padding
    whole = (
        (extent - 1) * step + size
        for extent, step, size in zip(image.shape[1:3], strides, ordinary.kernel, strict=True)
    )
    bottom, right = (
        full - before - extent for full, before, extent in zip(whole, (top, left), output.shape[1:3], strict=True)
    )
    windows = Windows(ordinary.kernel, strides, (1, 1), (top, bottom, left, right))
    format = weights_format(filter, 0)
    weights = filter_in(to, constant_weights(filter, format), "OHWI", TRANSPOSED)
    start = bias(op, format, activation_format(image), filter.shape[0], position=3)
    sums = transposed_convolution(to, to.image(image), weights, windows, 1, start, element(output), axes=IMAGE)
    to.define(output, to.activated(sums.value, op.options["activation"]))


_PADDINGS = {1: "SAME", 2: "VALID"}
"""The paddings in the options of MediaPipe's operators, by number."""


def transpose_conv_bias(to: GraphBuilder, op: Operator) -> None:
    """Import MediaPipe's Convolution2DTransposeBias, a TRANSPOSE_CONV of floats with a bias. Its inputs are the image,
    filters O x KH x KW x C and the bias.

    Its options are three integers: the padding, and the strides along the width and the height.
    """
    image, filter, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    options: bytes = op.options["custom"]
    if len(options) < struct.calcsize("<3i") or len(image.shape) != 4 or len(filter.shape) != 4:
        raise VerifyException("expected an image and a filter of rank 4, and the padding and the strides as options")
    padding, width, height = struct.unpack_from("<3i", options)
    if padding not in _PADDINGS or min(width, height) < 1:
        raise VerifyException(f"padding {padding} and strides {(height, width)} are unknown")
    strides, kernel = (height, width), filter.shape[1:3]
    cuts = [
        max(0, size - (extent - 1) % step - 1) if _PADDINGS[padding] == "SAME" else 0
        for extent, step, size in zip(image.shape[1:3], strides, kernel, strict=True)
    ]
    edges = tuple(edge for cut in cuts for edge in (cut // 2, cut - cut // 2))
    format = weights_format(filter, 0)
    weights = filter_in(to, constant_weights(filter, format), "OHWI", TRANSPOSED)
    start = bias(op, format, activation_format(image), filter.shape[0])
    windows = Windows((kernel[0], kernel[1]), strides, (1, 1), (edges[0], edges[1], edges[2], edges[3]))
    sums = transposed_convolution(to, to.image(image), weights, windows, 1, start, element(output), axes=IMAGE)
    to.define(output, sums.value)


def reduce_max(to: GraphBuilder, op: Operator) -> None:
    """Import REDUCE_MAX over adjacent axes, as a max pool."""
    x, axes = (
        input_of(op, 0),
        sorted({axis_in(axis, len(input_of(op, 0).shape)) for axis in integers_of(op, 1, "the axes")}),
    )
    if not axes or axes != list(range(axes[0], axes[-1] + 1)):
        raise VerifyException(f"expected axes that follow one another, got {axes}")
    before, after = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
    count = prod(x.shape[axes[0] : axes[-1] + 1])
    image = to.reshape(to.value(x), (1, prod(before), count, prod(after)))
    to.define(op.outputs[0], greatest_of(to, image, (1, count), op.outputs[0]))


def greatest_of(to: GraphBuilder, image: SSAValue, kernel: Pair, output: Tensor) -> SSAValue:
    """Emit the maximum of each of the adjacent, disjoint windows `kernel` of an image, in the shape of `output`."""
    pooled = pool(to, tdsl.MaxPoolOp, OrderedTensor.plain(image), Windows(kernel, kernel), element(output), axes=IMAGE)
    return to.reshape(pooled.value, output.shape)
