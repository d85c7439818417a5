"""Convolutions and pools of images and of sequences, which are images of height 1.

Images are NCHW in a model and NHWC in the program: only the order of axes that a `Tensor` notes changes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed, optional
from tinyml.lowering.frontends.onnx.building.values import Constant, Tensor, Value
from tinyml.lowering.frontends.onnx.model.graph import Node
from tinyml.lowering.frontends.onnx.ops.elementwise import binary
from tinyml.lowering.frontends.same_padding import same_padding

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

IMAGE, SEQUENCE = (0, 2, 3, 1), (0, 2, 1)
"""The orders of NHWC images and of sequences of vectors."""


@dataclass(frozen=True)
class Windows:
    """The windows of an op along height and width. padding: [top, bottom, left, right]."""

    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    padding: tuple[int, int, int, int]


def image_of(to: Builder, value: Value) -> SSAValue:
    """An image NHWC, or a sequence as an image of height 1."""
    numbers = to.numbers(value)
    if len(numbers.shape) == len(IMAGE):
        return to.ordered(numbers, IMAGE)
    if len(numbers.shape) != len(SEQUENCE):
        raise to.error(f"expected an image NxCxHxW or a sequence NxCxL, got shape {list(numbers.shape)}")
    n, channels, length = numbers.shape
    return to.reshape(to.ordered(numbers, SEQUENCE), (n, 1, length, channels))


def image_result(to: Builder, image: SSAValue, rank: int) -> Tensor:
    """An image NHWC as a tensor of the model, which has a rank."""
    if rank == len(IMAGE):
        return Tensor(image, IMAGE)
    n, _, length, channels = shape_of(image)
    return Tensor(to.reshape(image, (n, length, channels)), SEQUENCE)


def windows_of(node: Node, extents: Sequence[int], kernel: Sequence[int], *, ceil: bool = False) -> Windows:
    """The windows that the attributes of a node describe.

    extents, kernel: of the axes of the image, one or two. ceil: round the number of windows upwards on request.
    """
    rank = len(extents)
    strides, dilations = node.integers("strides", (1,) * rank), node.integers("dilations", (1,) * rank)
    pads, auto = node.integers("pads", (0,) * 2 * rank), node.text("auto_pad", "NOTSET")
    if not len(kernel) == len(strides) == len(dilations) == rank or len(pads) != 2 * rank:
        raise node.error(f"kernel_shape, strides, dilations or pads do not have {rank} axes")
    if min(*kernel, *strides, *dilations) < 1 or min(pads) < 0:
        raise node.error("windows, strides and dilations are at least 1, padding at least 0")
    edges: list[tuple[int, int]] = []
    for axis, (extent, size, stride, dilation) in enumerate(zip(extents, kernel, strides, dilations, strict=True)):
        low, high = pads[axis], pads[axis + rank]
        match auto:
            case "NOTSET":
                if ceil and node.integer("ceil_mode", 0):
                    span = (size - 1) * dilation + 1
                    high += _rest(extent + low + high - span, stride, extent + low)
            case "VALID":
                low = high = 0
            case "SAME_UPPER" | "SAME_LOWER":
                low, high = same_padding(extent, size, stride, dilation)
                if auto == "SAME_LOWER":
                    low, high = high, low
            case _:
                raise node.error(f"auto_pad = {auto} is not known")
        edges.append((low, high))
    if rank == 1:
        return Windows((1, kernel[0]), (1, strides[0]), (1, dilations[0]), (0, 0, *edges[0]))
    (top, bottom), (left, right) = edges
    return Windows(
        (kernel[0], kernel[1]), (strides[0], strides[1]), (dilations[0], dilations[1]), (top, bottom, left, right)
    )


def _rest(span: int, stride: int, end: int) -> int:
    """The padding behind an axis that one more window needs, if it starts before the end of the image."""
    rest = -span % stride
    return rest if rest and span + rest < end else 0


def padded(to: Builder, image: SSAValue, padding: Sequence[int]) -> SSAValue:
    """An image with zeros around it."""
    top, bottom, left, right = padding
    return to.op(tdsl.PadOp, image, (0, top, left, 0), (0, bottom, right, 0)) if any(padding) else image


def filter_of(to: Builder, value: Value, rank: int) -> SSAValue:
    """A constant filter OIHW, or OIL, as OHWI."""
    if not isinstance(value, Constant) or len(value.shape) != rank:
        raise to.error(f"expected a constant filter of {rank} axes")
    if rank == len(IMAGE):
        return to.constant(value, "OHWI", lambda array: array.transpose(0, 2, 3, 1))
    return to.constant(value, "O1LI", lambda array: array.transpose(0, 2, 1)[:, None])


@handles("Conv")
def convolve(to: Builder, node: Node, inputs: Inputs) -> Value:
    """A convolution with groups, strides, dilations and any padding; the bias is added to each channel."""
    x, weights = needed(to, inputs, 0), needed(to, inputs, 1)
    rank = len(x.shape)
    image, filter = image_of(to, x), filter_of(to, weights, rank)
    kernel = node.integers("kernel_shape", weights.shape[2:])
    if kernel != weights.shape[2:]:
        raise node.error(f"kernel_shape {list(kernel)} differs from the filter's {list(weights.shape[2:])}")
    windows = windows_of(node, x.shape[2:], kernel)
    groups = node.integer("group", 1)
    image = padded(to, image, windows.padding)
    product = to.op(tdsl.Conv2dOp, filter, image, windows.strides, windows.dilations, groups)
    return with_bias(to, image_result(to, product, rank), optional(inputs, 2))


def with_bias(to: Builder, value: Tensor, bias: Value | None) -> Tensor:
    """A tensor with a number added to each channel."""
    return value if bias is None else binary(to, tdsl.AddOp, value, by_channel(to, bias, len(value.shape)))


def by_channel(to: Builder, value: Value, rank: int) -> Constant:
    """A constant vector in a shape that broadcasts along the channels of a tensor of the model."""
    if not isinstance(value, Constant) or len(value.shape) != 1:
        raise to.error("expected a constant number for each channel")
    return Constant(value.array.reshape(-1, *(1,) * (rank - 2)), value.name)


@handles("MaxPool", "AveragePool")
def pool(to: Builder, node: Node, inputs: Inputs) -> Value:
    """The greatest element of each window, or the average, of which zeros around the image are part on request."""
    x = needed(to, inputs, 0)
    image = image_of(to, x)
    windows = windows_of(node, x.shape[2:], node.integers("kernel_shape"), ceil=True)
    if windows.dilations != (1, 1):
        raise node.error("dilations are not supported")
    padding = windows.padding
    if node.op == "AveragePool" and node.integer("count_include_pad", 0) and any(padding):
        if node.integer("ceil_mode", 0):
            raise node.error("count_include_pad with ceil_mode is not supported")
        image, padding = padded(to, image, padding), (0, 0, 0, 0)
    kind, element = (tdsl.MaxPoolOp, None) if node.op == "MaxPool" else (tdsl.AveragePoolOp, to.element)
    return image_result(to, to.op(kind, image, windows.kernel, padding, windows.strides, element), len(x.shape))


@handles("GlobalAveragePool", "GlobalMaxPool")
def global_pool(to: Builder, node: Node, inputs: Inputs) -> Value:
    x = needed(to, inputs, 0)
    image = image_of(to, x)
    if node.op == "GlobalAveragePool":
        pooled = to.op(tdsl.MeanOp, image, (1, 2), to.element)
    else:
        _, height, width, _ = shape_of(image)
        pooled = to.op(tdsl.MaxPoolOp, image, (height, width), (0, 0, 0, 0), (1, 1))
    return image_result(to, pooled, len(x.shape))


@handles("BatchNormalization")
def normalise(to: Builder, node: Node, inputs: Inputs) -> Value:
    """A factor and an addend for each channel, which the weights of the layer before it take up."""
    node.only("training_mode", 0)
    x = needed(to, inputs, 0)
    numbers = [by_channel(to, needed(to, inputs, position), len(x.shape)).array for position in range(1, 5)]
    scale, bias, mean, variance = (array.astype(np.float64) for array in numbers)
    if len({array.size for array in numbers}) > 1 or (total := variance + node.number("epsilon", 1e-5)).min() <= 0:
        raise node.error("its constants differ in length, or a variance is not positive")
    factor = scale / np.sqrt(total)
    scaled = binary(to, tdsl.MulOp, x, Constant(factor))
    return binary(to, tdsl.AddOp, scaled, Constant(bias - mean * factor))
