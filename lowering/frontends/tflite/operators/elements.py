"""Operators on single elements, softmax and normalisation."""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.quantised_numbers import signed
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, input_of, parameter
from tinyml.lowering.frontends.tflite.formats import activation_format, element, format_of
from tinyml.lowering.frontends.tflite.model import Operator

BINARY: dict[str, type[tdsl.BinaryOp]] = {"ADD": tdsl.AddOp, "SUB": tdsl.SubOp, "MUL": tdsl.MulOp}

UNARY: dict[str, type[tdsl.UnaryOp]] = {
    "LOGISTIC": tdsl.SigmoidOp,
    "TANH": tdsl.TanhOp,
    "HARD_SWISH": tdsl.HardSwishOp,
    "QUANTIZE": tdsl.CastOp,
    "DEQUANTIZE": tdsl.CastOp,
}


def binary(to: GraphBuilder, op: Operator) -> None:
    """ADD, SUB and MUL, whose operands broadcast."""
    lhs, rhs, output = to.value(input_of(op, 0)), to.value(input_of(op, 1)), op.outputs[0]
    result = to.op(BINARY[op.kind], lhs, rhs, element(output))
    to.define(output, to.activated(result, op.options["activation"]))


def unary(to: GraphBuilder, op: Operator) -> None:
    """Functions of one element; the conversion of a constant to floats is done here."""
    x, output = input_of(op, 0), op.outputs[0]
    if op.kind == "DEQUANTIZE" and x.data is not None:
        reals = format_of(x).decode(signed(x.data)).astype(np.float32)
        to.define(output, to.parameter(parameter(output, reals, activation_format(output))))
        return
    to.define(output, to.op(UNARY[op.kind], to.value(x), element(output)))


def activation(to: GraphBuilder, op: Operator) -> None:
    """RELU and similar activations as separate operators. Only RELU rescales its input."""
    output = op.outputs[0]
    value = to.value(input_of(op, 0))
    if element(input_of(op, 0)) != element(output):
        if op.kind != "RELU":
            raise VerifyException("expected one quantisation for input and output")
        value = to.requantised(value, element(output))
    to.define(output, to.activated(value, op.kind))


def leaky_relu(to: GraphBuilder, op: Operator) -> None:
    """LEAKY_RELU."""
    output = op.outputs[0]
    to.define(output, to.op(tdsl.LeakyReluOp, to.value(input_of(op, 0)), op.options["alpha"], element(output)))


def l2_normalization(to: GraphBuilder, op: Operator) -> None:
    """L2_NORMALIZATION over the last axis."""
    value = to.op(tdsl.NormaliseOp, to.value(input_of(op, 0)), element(op.outputs[0]))
    to.define(op.outputs[0], to.activated(value, op.options["activation"]))


def softmax(to: GraphBuilder, op: Operator) -> None:
    """SOFTMAX over the last axis."""
    if op.options["beta"] != 1:
        raise VerifyException(f"the factor beta must be 1, got {op.options['beta']}")
    to.define(op.outputs[0], to.op(tdsl.SoftmaxOp, to.value(input_of(op, 0)), element(op.outputs[0])))
