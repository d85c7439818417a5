"""Convolutions and pools of images and of sequences, which are images of height 1.

Images are NCHW in a model and NHWC in the program: only the order of axes that an `OrderedTensor` records changes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers import image_windows
from tinyml.lowering.frontends.layers.elementwise_layers import batch_normalisation, binary, by_channel
from tinyml.lowering.frontends.layers.image_windows import Windows, same_padding
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor, stored_order
from tinyml.lowering.frontends.layers.parameter import Parameter
from tinyml.lowering.frontends.layers.weighted_sums import convolution, filter_in
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed, optional
from tinyml.lowering.frontends.onnx.building.values import Constant, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode

if TYPE_CHECKING:
    pass

AXES = {2: "NC", 3: "NCL", 4: "NCHW", 5: "NCDHW"}
"""The axes of samples by their number."""


def image(to: Builder, value: Value) -> tuple[OrderedTensor, str]:
    """An image or a sequence of the model in the program's order, and its axes in the model."""
    numbers = to.numbers(value)
    if len(numbers.shape) not in (3, 4):
        raise to.error(f"expected an image NxCxHxW or a sequence NxCxL, got shape {list(numbers.shape)}")
    axes = AXES[len(numbers.shape)]
    order = stored_order(axes)
    return OrderedTensor(to.ordered(numbers, order), order), axes


def windows_of(node: OnnxNode, extents: Sequence[int], kernel: Sequence[int], *, ceil: bool = False) -> Windows:
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
    """The padding behind an axis for one more window, if that starts before the end of the image."""
    rest = -span % stride
    return rest if rest and span + rest < end else 0


def filter_of(to: Builder, filter: Parameter, rank: int) -> Parameter:
    """A filter OIHW, or OIL, as layers take it."""
    return filter_in(to, filter, "OIHW" if rank == len("OIHW") else "OIL")


@handles("Conv")
def convolve(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """A convolution with groups, strides, dilations and any padding; the bias is added to each channel."""
    x, weights = needed(to, inputs, 0), needed(to, inputs, 1)
    rank = len(x.shape)
    ordered, axes = image(to, x)
    if not isinstance(weights, Constant) or len(weights.shape) != rank:
        raise to.error(f"expected a constant filter of {rank} axes")
    filter, windows = filter_of(to, to.parameter_of(weights), rank), filter_windows(node, x, weights)
    sums = convolution(to, ordered, filter, windows, node.integer("group", 1), axes=axes)
    return with_bias(to, sums, optional(inputs, 2))


def filter_windows(node: OnnxNode, x: Value, weights: Constant) -> Windows:
    """The windows of a convolution, which are as large as its filter."""
    kernel = node.integers("kernel_shape", weights.shape[2:])
    if kernel != weights.shape[2:]:
        raise node.error(f"kernel_shape {list(kernel)} differs from the filter's {list(weights.shape[2:])}")
    return windows_of(node, x.shape[2:], kernel)


def with_bias(to: Builder, value: OrderedTensor, bias: Value | None) -> OrderedTensor:
    """A tensor with a number added to each channel."""
    if bias is None:
        return value
    numbers = by_channel(to.parameter_of(vector(to, bias)), AXES[len(value.shape)])
    return binary(to, tdsl.AddOp, value, numbers, to.element)


def vector(to: Builder, value: Value) -> Constant:
    """A constant with a number for each channel."""
    if not isinstance(value, Constant) or len(value.shape) != 1:
        raise to.error("expected a constant number for each channel")
    return value


@handles("MaxPool", "AveragePool")
def pool(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The greatest element of each window, or the average, which includes zeros around the image on request."""
    value = needed(to, inputs, 0)
    x, axes = image(to, value)
    windows = windows_of(node, value.shape[2:], node.integers("kernel_shape"), ceil=True)
    if node.op == "MaxPool":
        return image_windows.pool(to, tdsl.MaxPoolOp, x, windows, axes=axes)
    include = bool(node.integer("count_include_pad", 0) and any(windows.padding))
    if include and node.integer("ceil_mode", 0):
        raise node.error("count_include_pad with ceil_mode is not supported")
    return image_windows.pool(to, tdsl.AveragePoolOp, x, windows, to.element, axes=axes, include_padding=include)


@handles("GlobalAveragePool", "GlobalMaxPool")
def global_pool(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x, axes = image(to, needed(to, inputs, 0))
    if node.op == "GlobalMaxPool":
        return image_windows.global_pool(to, tdsl.MaxPoolOp, x, axes=axes)
    return image_windows.global_pool(to, tdsl.AveragePoolOp, x, to.element, axes=axes)


@handles("BatchNormalization")
def normalise(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """A factor and an addend for each channel, which are folded into the weights of the layer before it."""
    node.only("training_mode", 0)
    x = to.operand(needed(to, inputs, 0))
    if len(x.shape) not in AXES:
        raise node.error(f"expected samples of {min(AXES)} to {max(AXES)} axes, got shape {list(x.shape)}")
    scale, offset, mean, variance = (vector(to, needed(to, inputs, position)).array for position in range(1, 5))
    epsilon = node.number("epsilon", 1e-5)
    return batch_normalisation(to, x, scale, offset, mean, variance, epsilon, axes=AXES[len(x.shape)])
