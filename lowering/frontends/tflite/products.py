"""Import of fully connected layers, and the constant weights and biases of all layers."""

from __future__ import annotations

from math import prod

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.dense_layers import dense
from tinyml.lowering.frontends.layers.model_builder import Parameter, start_format
from tinyml.lowering.frontends.tflite.builder import (
    GraphBuilder,
    activation_format,
    element,
    parameter_of,
    short_start_format,
    weights_format,
)
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.operands import input_of, optional_input

BIASES = {8: "int32", 16: "int64"}
"""The type of biases and of sums, by the width of activations."""


def fully_connected(to: GraphBuilder, op: Operator) -> None:
    """Import FULLY_CONNECTED: the product of weights O x I and each vector of I elements."""
    x, weights, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    if len(weights.shape) != 2 or op.options["weights_format"]:
        raise VerifyException(f"expected weights that are a plain matrix, got shape {weights.shape}")
    format = weights_format(weights, 0)
    start = bias(op, format, activation_format(x), weights.shape[0])
    sums = dense(to, to.value(x), constant_weights(weights, format), output.shape, start, element(output))
    to.define(output, to.activated(sums, op.options["activation"]))


def constant_weights(tensor: Tensor, format: NumberFormat) -> Parameter:
    """The constant weights of a tensor as raws in a format. Raises `VerifyException` for weights that are computed."""
    if tensor.data is None:
        raise VerifyException(f"the weights {tensor} must be a constant")
    return parameter_of(tensor, tensor.data, format)


def bias(op: Operator, weights: NumberFormat, x: NumberFormat, rows: int, position: int = 2) -> Parameter | None:
    """The initial values of sums; None for zero.

    The bias has the scale of the products, even if the file declares another scale, since TensorFlow Lite adds the
    raws. If activations have 16 bits and the bias has 32 bits, sums have 32 bits and start from a constant, even from
    zero.

    rows: the number of sums.
    position: the input position of the bias.
    """
    tensor = optional_input(op, position)
    if tensor is None:
        short = x.bits == 16 and op.options.get("quantized_bias_type") == "int32"
        return Parameter(np.zeros(rows, np.int32), short_start_format(weights, x)) if short else None
    if tensor.data is None or prod(tensor.shape) != rows:
        raise VerifyException(f"the bias {tensor} must be a constant of {rows} numbers")
    numbers = tensor.data.ravel()
    if tensor.dtype == "float32":
        return parameter_of(tensor, numbers, activation_format(tensor))
    # TensorFlow Lite has no such depthwise convolution.
    if x.bits == 16 and tensor.dtype == "int32" and op.kind != "DEPTHWISE_CONV_2D":
        return parameter_of(tensor, numbers, short_start_format(weights, x))
    if (expected := BIASES.get(x.bits)) != tensor.dtype:
        raise VerifyException(f"the bias {tensor} is of type {tensor.dtype}, expected {expected or x.type}")
    format = start_format(weights, x)
    return parameter_of(tensor, numbers.astype(format.dtype), format) if np.any(numbers) else None
