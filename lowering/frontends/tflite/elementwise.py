"""Import of TensorFlow Lite's elementwise operators."""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.dense_layers import GREATEST, limited
from tinyml.lowering.frontends.tflite.builder import (
    WIDE,
    GraphBuilder,
    activation_format,
    element,
    is_unsigned,
    number_of,
    power_of_two,
)
from tinyml.lowering.frontends.tflite.meanings import by_meaning
from tinyml.lowering.frontends.tflite.model import Operator
from tinyml.lowering.frontends.tflite.operands import input_of

BINARY: dict[str, type[tdsl.BinaryOp]] = {"ADD": tdsl.AddOp, "SUB": tdsl.SubOp, "MUL": tdsl.MulOp}


UNARY: dict[str, type[tdsl.UnaryOp]] = {
    "LOGISTIC": tdsl.SigmoidOp,
    "TANH": tdsl.TanhOp,
    "HARD_SWISH": tdsl.HardSwishOp,
    "QUANTIZE": tdsl.CastOp,
    "DEQUANTIZE": tdsl.CastOp,
}


def binary(to: GraphBuilder, op: Operator) -> None:
    """Import ADD, SUB and MUL, whose operands broadcast."""
    lhs, rhs, output = to.value(input_of(op, 0)), to.value(input_of(op, 1)), op.outputs[0]
    result = to.op(BINARY[op.kind], lhs, rhs, element(output))
    to.define(output, to.activated(result, op.options["activation"]))


def unary(to: GraphBuilder, op: Operator) -> None:
    to.define(op.outputs[0], to.op(UNARY[op.kind], to.value(input_of(op, 0)), element(op.outputs[0])))


def activation(to: GraphBuilder, op: Operator) -> None:
    """Import RELU and similar activations that are separate operators. Only RELU may have an output scale that
    differs from its input scale.
    """
    output = op.outputs[0]
    value = to.value(input_of(op, 0))
    if element(input_of(op, 0)) != element(output):
        if op.kind != "RELU":
            raise VerifyException("expected one quantisation for input and output")
        value = to.requantised(value, element(output))
    to.define(output, to.activated(value, op.kind))


def leaky_relu(to: GraphBuilder, op: Operator) -> None:
    """Import LEAKY_RELU: x for x >= 0, otherwise the option `alpha` times x."""
    output = op.outputs[0]
    to.define(output, to.op(tdsl.LeakyReluOp, to.value(input_of(op, 0)), op.options["alpha"], element(output)))


def prelu(to: GraphBuilder, op: Operator) -> None:
    """Import PRELU: x for x >= 0, otherwise x times the slope of its channel.

    On integers, the result is the positive part of x plus the product of the slopes and the negative part of x.
    """
    x, slopes, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    if x.dtype == "float32":
        by_meaning(to, op)
        return
    if slopes.dtype != "int8" or x.dtype != output.dtype:
        raise VerifyException(f"expected one type and slopes of int8, got {x.dtype}, {output.dtype} and {slopes.dtype}")
    value, (low, _) = to.value(x), _bounds(activation_format(x))
    above = to.requantised(limited(to, value, 0.0, GREATEST), element(output))
    below = to.op(tdsl.MulOp, limited(to, value, low, 0.0), to.value(slopes), element(output))
    to.define(output, to.op(tdsl.AddOp, above, below, element(output)))


def extreme(to: GraphBuilder, op: Operator) -> None:
    """Import MAXIMUM and MINIMUM, whose operands broadcast. A constant number becomes a bound of a clamp."""
    x, y, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    x, y = (y, x) if x.data is not None else (x, y)
    if {element(x), element(y)} != {element(output)}:
        raise VerifyException("expected one quantisation for inputs and output")
    if y.data is not None and y.data.size == 1:
        low, high = _bounds(activation_format(output))
        low, high = (number_of(y), high) if op.kind == "MAXIMUM" else (low, number_of(y))
        to.define(output, to.reshape(limited(to, to.value(x), low, high), output.shape))
        return
    make = tdsl.MaximumOp if op.kind == "MAXIMUM" else tdsl.MinimumOp
    to.define(output, to.op(make, to.value(x), to.value(y), element(output)))


def _bounds(format: NumberFormat) -> tuple[float, float]:
    if format.dtype.kind == "f":
        return -GREATEST, GREATEST
    info = np.iinfo(format.dtype)
    low, high = format.decode(np.array([info.min, info.max], format.dtype)).tolist()
    return low, high


def l2_normalization(to: GraphBuilder, op: Operator) -> None:
    """Import L2_NORMALIZATION over the last axis."""
    value = to.op(tdsl.NormaliseOp, to.value(input_of(op, 0)), element(op.outputs[0]))
    to.define(op.outputs[0], to.activated(value, op.options["activation"]))


def softmax(to: GraphBuilder, op: Operator) -> None:
    """Import SOFTMAX over the last axis."""
    if op.options["beta"] != 1:
        raise VerifyException(f"the factor beta must be 1, got {op.options['beta']}")
    x, output = to.value(input_of(op, 0)), op.outputs[0]
    if is_unsigned(output):
        # TensorFlow Lite computes units of 2^-16, whatever the file declares.
        to.define(output, to.op(tdsl.ReinterpretOp, to.op(tdsl.SoftmaxOp, x, power_of_two(WIDE, -16)), element(output)))
        return
    to.define(output, to.op(tdsl.SoftmaxOp, x, element(output)))
