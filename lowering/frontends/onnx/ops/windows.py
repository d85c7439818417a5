"""Convolutions, pools and batch normalisation of images and sequences. A sequence is an image of height 1.

Images are NCHW in a model and NHWC in the program. Converting between them changes only the axis order that an
`OrderedTensor` records.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers import network_layers
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter, stored_order
from tinyml.lowering.frontends.layers.network_layers import (
    TRANSPOSED,
    Windows,
    batch_normalisation,
    binary,
    by_channel,
    convolution,
    filter_in,
    same_padding,
    transposed_convolution,
)
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value, handles, needed, optional
from tinyml.lowering.frontends.onnx.graph import OnnxNode

AXES = {2: "NC", 3: "NCL", 4: "NCHW", 5: "NCDHW"}
"""The axes of a sample by rank."""


def image(to: Builder, value: Value) -> tuple[OrderedTensor, str]:
    """Convert an image or a sequence to the axis order that layers accept. Return the tensor, and the names of its
    axes in the model.
    """
    numbers = to.numbers(value)
    if len(numbers.shape) not in (3, 4):
        raise to.error(f"expected an image NxCxHxW or a sequence NxCxL, got shape {list(numbers.shape)}")
    axes = AXES[len(numbers.shape)]
    order = stored_order(axes)
    return OrderedTensor(to.ordered(numbers, order), order), axes


def windows_of(node: OnnxNode, extents: Sequence[int], kernel: Sequence[int], *, ceil: bool = False) -> Windows:
    """The windows that the attributes of a node describe.

    extents: the extents of the image along one or two axes.
    kernel: the extents of the filter along the same axes.
    ceil: whether the attribute `ceil_mode` applies.
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
    """The padding to add at the end of an axis for a last partial window. It is 0 if the windows cover the axis
    exactly, or if the last window would start at or beyond `end`.

    span: the distance from the first to the last possible start of a window.
    """
    rest = -span % stride
    return rest if rest and span + rest < end else 0


def filter_of(to: Builder, filter: Parameter, rank: int) -> Parameter:
    """Reorder the axes of a filter, OIHW or OIL by its rank, to the order that layers accept, and return the filter."""
    return filter_in(to, filter, "OIHW" if rank == len("OIHW") else "OIL")


@handles("Conv")
def convolve(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a convolution with groups, strides, dilations, any padding, and a bias per channel."""
    x, weights = needed(to, inputs, 0), needed(to, inputs, 1)
    rank = len(x.shape)
    ordered, axes = image(to, x)
    if not isinstance(weights, Constant) or len(weights.shape) != rank:
        raise to.error(f"expected a constant filter of {rank} axes")
    filter, windows = filter_of(to, to.parameter_of(weights), rank), filter_windows(node, x, weights)
    sums = convolution(to, ordered, filter, windows, node.integer("group", 1), axes=axes)
    return with_bias(to, sums, optional(inputs, 2))


def filter_windows(node: OnnxNode, x: Value, weights: Constant) -> Windows:
    """The windows of a convolution. Their extents are those of the filter."""
    kernel = node.integers("kernel_shape", weights.shape[2:])
    if kernel != weights.shape[2:]:
        raise node.error(f"kernel_shape {list(kernel)} differs from the filter's {list(weights.shape[2:])}")
    return windows_of(node, x.shape[2:], kernel)


def with_bias(to: Builder, value: OrderedTensor, bias: Value | None) -> OrderedTensor:
    """Add a constant bias, one number per channel, to a tensor; leave the tensor unchanged if `bias` is None."""
    if bias is None:
        return value
    numbers = by_channel(to.parameter_of(vector(to, bias)), AXES[len(value.shape)])
    return binary(to, tdsl.AddOp, value, numbers, to.element)


def vector(to: Builder, value: Value) -> Constant:
    """Return a value if it is a constant with one number per channel; raise `InputError` otherwise."""
    if not isinstance(value, Constant) or len(value.shape) != 1:
        raise to.error("expected a constant number for each channel")
    return value


@handles("MaxPool", "AveragePool")
def pool(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import the maximum or the average of each window; averages include padding if `count_include_pad` is set."""
    value = needed(to, inputs, 0)
    x, axes = image(to, value)
    windows = windows_of(node, value.shape[2:], node.integers("kernel_shape"), ceil=True)
    if node.op == "MaxPool":
        return network_layers.pool(to, tdsl.MaxPoolOp, x, windows, axes=axes)
    include = bool(node.integer("count_include_pad", 0) and any(windows.padding))
    if include and node.integer("ceil_mode", 0):
        raise node.error("count_include_pad with ceil_mode is not supported")
    return network_layers.pool(to, tdsl.AveragePoolOp, x, windows, to.element, axes=axes, include_padding=include)


@handles("GlobalAveragePool", "GlobalMaxPool")
def global_pool(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x, axes = image(to, needed(to, inputs, 0))
    if node.op == "GlobalMaxPool":
        return network_layers.global_pool(to, tdsl.MaxPoolOp, x, axes=axes)
    return network_layers.global_pool(to, tdsl.AveragePoolOp, x, to.element, axes=axes)


@handles("BatchNormalization")
def normalise(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import BatchNormalization as a factor and an addend per channel.

    Later, `simplify` folds the factors into the weights of the preceding layer, and adds the addends to its bias.
    """
    node.only("training_mode", 0)
    x = to.operand(needed(to, inputs, 0))
    if len(x.shape) not in AXES:
        raise node.error(f"expected samples of {min(AXES)} to {max(AXES)} axes, got shape {list(x.shape)}")
    scale, offset, mean, variance = (vector(to, needed(to, inputs, position)).array for position in range(1, 5))
    if scale.size != x.shape[1]:
        raise node.error(f"{scale.size} factors do not fit the {x.shape[1]} channels (axis 1) of shape {list(x.shape)}")
    epsilon = node.number("epsilon", 1e-5)
    return batch_normalisation(to, x, scale, offset, mean, variance, epsilon, axes=AXES[len(x.shape)])


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
    # Output padding reduces the cropping at the end.
    edges = [(low, high - extra) for low, high, extra in zip(pads, pads[rank:], more, strict=False)]
    (rows, columns), ones = [(0, 0), *edges][-2:], [1] * (2 - rank)
    down_right = ([*ones, *pair] for pair in (kernel, strides, dilations))
    windows = Windows(*((down, right) for down, right in down_right), padding=(*rows, *columns))
    ordered, axes = image(to, x)
    filter = filter_in(to, to.parameter_of(weights), "IOHW" if rank == 2 else "IOL", TRANSPOSED)
    sums = transposed_convolution(to, ordered, filter, windows, groups, axes=axes)
    return with_bias(to, sums, optional(inputs, 2))
