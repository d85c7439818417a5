"""Operators that sum products: convolutions and dense layers."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, input_of, integers, optional_input
from tinyml.lowering.frontends.tflite.formats import activation_format, element, format_of, stored, weights_format
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.operators.windows import margins, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

BIASES = {8: "int32", 16: "int64"}
"""The type of a bias by the width of the activations: that of the sums."""


def conv_2d(to: GraphBuilder, op: Operator) -> None:
    """CONV_2D: filters O x KH x KW x C / groups."""
    image, filter = input_of(op, 0), input_of(op, 1)
    if len(image.shape) != 4 or len(filter.shape) != 4:
        raise VerifyException(f"expected an image and a filter of rank 4, got {image.shape} and {filter.shape}")
    if image.shape[3] % filter.shape[3]:
        raise VerifyException(f"filters of {filter.shape[3]} channels do not divide {image.shape[3]}")
    _convolve(to, op, (0, 1, 2, 3), image.shape[3] // filter.shape[3])


def depthwise_conv_2d(to: GraphBuilder, op: Operator) -> None:
    """DEPTHWISE_CONV_2D: a filter 1 x KH x KW x O, whose channels lie in the order of the groups."""
    image, filter = input_of(op, 0), input_of(op, 1)
    if len(image.shape) != 4 or len(filter.shape) != 4 or filter.shape[0] != 1:
        raise VerifyException(f"expected an image and a filter 1xKHxKWxO, got {image.shape} and {filter.shape}")
    _convolve(to, op, (3, 1, 2, 0), image.shape[3])


def _convolve(to: GraphBuilder, op: Operator, axes: tuple[int, ...], groups: int) -> None:
    """A convolution with the filter's axes in another order, which puts the output channels first."""
    image, filter, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    format = weights_format(filter, axes[0], wide=True)
    raws = _weights(filter).transpose(axes)
    strides = op.options["stride_h"], op.options["stride_w"]
    dilations = op.options["dilation_h"], op.options["dilation_w"]
    edges = margins(op, image.shape[1:3], raws.shape[1:3], strides, dilations)
    weights = to.constant(raws, format, filter.name)
    x = padded(to, to.value(image), edges)
    start = bias(to, op, format, activation_format(image), len(raws))
    sums = to.emit(tdsl.Conv2dOp, weights, x, strides, dilations, groups, start, element(output))
    to.define(output, to.activated(sums, op.options["activation"]))


def transpose_conv(to: GraphBuilder, op: Operator) -> None:
    """TRANSPOSE_CONV: the shape of the result, filters O x KH x KW x C, and the image.

    It is a convolution of an image with zeros between its pixels, with filters turned around.
    """
    filter, image, output = input_of(op, 1), input_of(op, 2), op.outputs[0]
    if len(image.shape) != 4 or len(filter.shape) != 4 or integers(op, 0, "the shape") != list(output.shape):
        raise VerifyException(f"expected an image and a filter of rank 4 and a result of shape {output.shape}")
    strides, kernel = (op.options["stride_h"], op.options["stride_w"]), filter.shape[1:3]
    edges = margins(op, output.shape[1:3], kernel, strides, (1, 1))
    low = [size - 1 - before for size, (before, _) in zip(kernel, edges, strict=True)]
    spans = [(extent - 1) * step + 1 for extent, step in zip(image.shape[1:3], strides, strict=True)]
    high = [
        extent - span + size - 1 - before
        for extent, span, size, before in zip(output.shape[1:3], spans, kernel, low, strict=True)
    ]
    if min(*low, *high) < 0:
        raise VerifyException(f"a result of shape {output.shape} cuts off what the image contributes")
    format = weights_format(filter, 0, wide=True)
    weights = to.constant(_weights(filter)[:, ::-1, ::-1], format, filter.name)
    gaps = [0, *(step - 1 for step in strides), 0]
    spread = to.emit(tdsl.PadOp, to.value(image), [0, *low, 0], [0, *high, 0], 0.0, gaps)
    start = bias(to, op, format, activation_format(image), filter.shape[0], position=3)
    sums = to.emit(tdsl.Conv2dOp, weights, spread, (1, 1), (1, 1), 1, start, element(output))
    to.define(output, to.activated(sums, op.options["activation"]))


def fully_connected(to: GraphBuilder, op: Operator) -> None:
    """FULLY_CONNECTED: weights O x I times each vector of length I."""
    x, weights, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    if len(weights.shape) != 2 or op.options["weights_format"]:
        raise VerifyException(f"expected weights that are a plain matrix, got shape {weights.shape}")
    rows, length = weights.shape
    if prod(x.shape) % length:
        raise VerifyException(f"vectors of {length} elements do not divide an input of shape {x.shape}")
    count = prod(x.shape) // length
    format = weights_format(weights, 0)
    raws = _weights(weights)
    start = bias(to, op, format, activation_format(x), rows)
    if count == 1:
        matrix = to.constant(raws, format, weights.name)
        column = to.reshaped(to.value(x), (length, 1))
        if start is None:
            sums = to.emit(tdsl.MatmulOp, matrix, column, element(output))
        else:
            start = to.reshaped(start, (rows, 1))
            sums = to.emit(tdsl.MatmulSumOp, [(matrix, column)], start, element(output))
    else:
        # Several vectors are the pixels of an image, under windows of one pixel.
        filter = to.constant(raws.reshape(rows, 1, 1, length), format, weights.name)
        image = to.reshaped(to.value(x), (1, count, 1, length))
        sums = to.emit(tdsl.Conv2dOp, filter, image, (1, 1), (1, 1), 1, start, element(output))
    to.define(output, to.activated(to.reshaped(sums, output.shape), op.options["activation"]))


def _weights(tensor: Tensor) -> NDArray[Any]:
    if tensor.data is None:
        raise VerifyException(f"the weights {tensor} must be a constant")
    return stored(tensor)


def bias(
    to: GraphBuilder, op: Operator, weights: NumberFormat, x: NumberFormat, rows: int, position: int = 2
) -> SSAValue | None:
    """The numbers that sums start from, None if they start from zero.

    Their scale is that of the products, whatever the file says: TensorFlow Lite adds the raws.
    """
    tensor = optional_input(op, position)
    if tensor is None:
        if x.bits == 16 and op.options.get("quantized_bias_type") == "int32":
            raise VerifyException("sums of 32 bits of activations of 16 bits are not supported")
        return None
    if tensor.data is None or prod(tensor.shape) != rows:
        raise VerifyException(f"the bias {tensor} must be a constant of {rows} numbers")
    if tensor.dtype == "float32":
        return to.constant(tensor.data.ravel(), format_of(tensor), tensor.name)
    if (expected := BIASES.get(x.bits)) != tensor.dtype:
        raise VerifyException(f"the bias {tensor} is of type {tensor.dtype}, expected {expected or x.type}")
    accumulator = x.accumulator(weights, x, None)
    format = accumulator.start_format(weights)
    return to.constant(tensor.data.ravel().astype(format.dtype), format, tensor.name) if np.any(tensor.data) else None
