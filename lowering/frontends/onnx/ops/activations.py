"""Activations with attributes, and activations that are emitted as several `tdsl` ops."""

from __future__ import annotations

from functools import partial, reduce
from math import pi, sqrt

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.dense_layers import GREATEST, limited
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value, handles, needed, optional
from tinyml.lowering.frontends.onnx.graph import MICROSOFT, OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import absolute, binary, reciprocal, unary
from tinyml.lowering.frontends.onnx.ops.movement import axis_of
from tinyml.lowering.frontends.onnx.ops.reductions import log_of_sum


def _limit(to: Builder, inputs: Inputs, position: int, default: float) -> float:
    value = optional(inputs, position)
    if value is None:
        return default
    if not isinstance(value, Constant) or value.array.size != 1 or value.array.dtype.kind not in "fiu":
        raise to.error("its limits must be constant numbers")
    limit = float(value.array.item())
    if np.isnan(limit):
        raise to.error("a limit is NaN")
    return min(max(limit, -GREATEST), GREATEST)


@handles("Clip")
def clip(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    low, high = _limit(to, inputs, 1, -GREATEST), _limit(to, inputs, 2, GREATEST)
    return clipped(to, needed(to, inputs, 0), low, high)


def clipped(to: Builder, value: Value, low: float, high: float) -> OrderedTensor:
    x = to.stored(value)
    return OrderedTensor(limited(to, x.value, low, high), x.order)


@handles("Min", "Max")
def extreme(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Min or Max of tensors. A constant number becomes a bound of a clamp."""
    is_least = node.op == "Min"
    values = [needed(to, inputs, position) for position in range(len(inputs))]
    limits = [value for value in values if isinstance(value, Constant) and value.array.size == 1]
    tensors = [value for value in values if value not in limits]
    result = reduce(partial(binary, to, tdsl.MinimumOp if is_least else tdsl.MaximumOp), tensors)
    for limit in limits:
        at = _limit(to, [limit], 0, 0.0)
        result = clipped(to, result, *((-GREATEST, at) if is_least else (at, GREATEST)))
    return result


@handles("LeakyRelu")
def leaky_relu(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    return _leaky(to, to.stored(needed(to, inputs, 0)), node.number("alpha", 0.01))


@handles("PRelu")
def parametric_relu(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import PRelu: `x` above 0 and slope * x below, with one slope or one per channel."""
    x, slope = to.stored(needed(to, inputs, 0)), needed(to, inputs, 1)
    if not isinstance(slope, Constant):
        raise node.error("a slope that is computed is not supported, only a constant")
    if slope.array.size == 1:
        return _leaky(to, x, float(slope.array.item()))
    above, below = limited(to, x.value, 0.0, GREATEST), limited(to, x.value, -GREATEST, 0.0)
    sloped = binary(to, tdsl.MulOp, OrderedTensor(below, x.order), slope)
    return binary(to, tdsl.AddOp, OrderedTensor(above, x.order), sloped)


def _leaky(to: Builder, x: OrderedTensor, slope: float) -> OrderedTensor:
    return OrderedTensor(to.op(tdsl.LeakyReluOp, x.value, slope, to.element), x.order)


@handles("Elu", "Celu", "Selu")
def exponential_unit(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import ELU and its variants: gain * x for positive x, else gain * alpha * (exp(x / width) - 1)."""
    gain, alpha, width = 1.0, node.number("alpha", 1.67326319217681884765625 if node.op == "Selu" else 1.0), 1.0
    if node.op == "Selu":
        gain = node.number("gamma", 1.05070102214813232421875)
    if node.op == "Celu":
        width = alpha
    if not np.isfinite([gain, alpha, width]).all() or width == 0:
        raise node.error("its attributes must be finite, and the alpha of Celu not 0")
    x = needed(to, inputs, 0)
    above, below = unary(to, tdsl.ReluOp, x), clipped(to, x, -GREATEST, 0.0)
    curve = unary(to, tdsl.ExpOp, _scaled(to, below, 1 / width))
    curve = _scaled(to, binary(to, tdsl.SubOp, curve, Constant(np.array(1.0))), gain * alpha)
    return binary(to, tdsl.AddOp, _scaled(to, above, gain), curve)


def _scaled(to: Builder, value: OrderedTensor, factor: float) -> OrderedTensor:
    return value if factor == 1 else binary(to, tdsl.MulOp, value, Constant(np.array(factor)))


@handles("Swish")
def swish(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Swish: x * sigmoid(alpha * x)."""
    x = to.stored(needed(to, inputs, 0))
    gate = unary(to, tdsl.SigmoidOp, _scaled(to, x, node.number("alpha", 1.0)))
    return binary(to, tdsl.MulOp, x, gate)


@handles("Mish")
def mish(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Mish: x * tanh(softplus(x))."""
    x = to.stored(needed(to, inputs, 0))
    return binary(to, tdsl.MulOp, x, unary(to, tdsl.TanhOp, unary(to, tdsl.SoftplusOp, x)))


@handles("Softsign")
def softsign(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Softsign: x / (1 + |x|)."""
    x = to.stored(needed(to, inputs, 0))
    return binary(to, tdsl.MulOp, x, reciprocal(to, binary(to, tdsl.AddOp, absolute(to, x), Constant(np.array(1.0)))))


@handles("Gelu", domain=MICROSOFT)
@handles("Gelu")
def gelu(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Gelu: x * (1 + erf(x / sqrt(2))) / 2.

    The approximation by tanh is x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3)).
    """
    node.only("approximate", "none", "tanh")
    x = to.stored(needed(to, inputs, 0))
    if node.text("approximate", "none") == "tanh":
        cubed = binary(to, tdsl.MulOp, binary(to, tdsl.MulOp, x, x), x)
        inner = binary(to, tdsl.AddOp, x, _scaled(to, cubed, 0.044715))
        return binary(to, tdsl.MulOp, x, unary(to, tdsl.SigmoidOp, _scaled(to, inner, 2 * sqrt(2 / pi))))
    above = unary(to, tdsl.ErfOp, _scaled(to, x, sqrt(1 / 2)))
    share = _scaled(to, binary(to, tdsl.AddOp, above, Constant(np.array(1.0))), 0.5)
    return binary(to, tdsl.MulOp, x, share)


@handles("HardSigmoid")
def hard_sigmoid(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    alpha, beta = node.number("alpha", 0.2), node.number("beta", 0.5)
    scaled = binary(to, tdsl.MulOp, needed(to, inputs, 0), Constant(np.array(alpha)))
    return clipped(to, binary(to, tdsl.AddOp, scaled, Constant(np.array(beta))), 0.0, 1.0)


@handles("Softmax")
def softmax(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    return _along_axis(to, node, inputs, tdsl.SoftmaxOp)


@handles("LogSoftmax")
def log_softmax(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import LogSoftmax: each element minus the logarithm of the sum of all exponentials."""
    x = to.stored(needed(to, inputs, 0))
    axis = axis_of(node, node.integer("axis", -1), len(x.shape))
    return binary(to, tdsl.SubOp, x, log_of_sum(to, x, [axis], keep=True))


@handles("LpNormalization")
def lp_normalization(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    node.only("p", 2)
    return _along_axis(to, node, inputs, tdsl.NormaliseOp)


def _along_axis(
    to: Builder, node: OnnxNode, inputs: Inputs, op: type[tdsl.SoftmaxOp | tdsl.NormaliseOp]
) -> OrderedTensor:
    x = to.stored(needed(to, inputs, 0))
    axis = axis_of(node, node.integer("axis", -1), len(x.shape))
    order = (*(other for other in x.order if other != axis), axis)
    return OrderedTensor(to.op(op, to.ordered(x, order), to.element), order)
