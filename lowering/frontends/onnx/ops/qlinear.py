"""Ops of the QOperator form, whose operands and results are raws with scales and zero points among the inputs."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.formats import quantised_format
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed, optional
from tinyml.lowering.frontends.onnx.building.values import Constant, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary, unary
from tinyml.lowering.frontends.onnx.ops.movement import concat
from tinyml.lowering.frontends.onnx.ops.quantised import (
    array_of,
    check_format,
    constant_in_format,
    convolve,
    matrix_of,
    multiply,
)
from tinyml.lowering.frontends.onnx.ops.windows import global_pool, pool

MICROSOFT = "com.microsoft"


def _operand(to: Builder, node: OnnxNode, inputs: Inputs, first: int) -> OrderedTensor | Constant:
    """A tensor of raws, whose scale and zero point follow it among the inputs."""
    value = needed(to, inputs, first)
    scale, zero = (array_of(node, optional(inputs, first + more), "scales and zero points") for more in (1, 2))
    if isinstance(value, Constant):
        if scale is None:
            raise node.error("a constant has no scale")
        return constant_in_format(node, value, scale, zero)
    tensor = to.stored(value)
    check_format(to, tensor, scale, zero)
    return tensor


def _result(to: Builder, node: OnnxNode, inputs: Inputs, first: int) -> None:
    """Compute in the format whose scale and zero point are inputs."""
    scale, zero = (array_of(node, optional(inputs, first + more), "scale and zero point") for more in (0, 1))
    to.element = quantised_format(node, scale, zero).type


def _sum_operands(to: Builder, node: OnnxNode, inputs: Inputs, axis: int) -> tuple[OrderedTensor, Constant]:
    """The activations and the weights of an op; if there are several scales of weights, they belong to one axis."""
    x = _operand(to, node, inputs, 0)
    value = needed(to, inputs, 3)
    scale, zero = (array_of(node, optional(inputs, position), "scales and zero points") for position in (4, 5))
    if not isinstance(value, Constant) or scale is None or isinstance(x, Constant):
        raise node.error("expected constant weights, and activations that depend on the input")
    along = OnnxNode(node.op, node.domain, node.version, node.name, (), (), {"axis": axis}, node.file)
    return x, constant_in_format(along, value, scale, zero)


def _bias(node: OnnxNode, inputs: Inputs, position: int) -> Constant | None:
    """A bias of raws in units of the products."""
    array = array_of(node, optional(inputs, position), "bias")
    if array is None:
        return None
    if array.dtype.name != "int32":
        raise node.error(f"a bias of {array.dtype} is not supported, only of int32")
    return Constant(array, "bias", array)


@handles("QLinearConv")
def qlinear_conv(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x, weights = _sum_operands(to, node, inputs, 0)
    _result(to, node, inputs, 6)
    return convolve(to, node, x, weights, _bias(node, inputs, 8), _taken(to))


@handles("QLinearMatMul")
def qlinear_matmul(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x, weights = _sum_operands(to, node, inputs, 1)
    _result(to, node, inputs, 6)
    return multiply(to, node, x, matrix_of(to, weights, transposed=False), None, _taken(to))


@handles("QGemm", domain=MICROSOFT)
def qgemm(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    node.only("transA", 0)
    node.only("alpha", 1.0)
    transposed = bool(node.integer("transB", 0))
    x, weights = _sum_operands(to, node, inputs, 0 if transposed else 1)
    _result(to, node, inputs, 7)
    return multiply(to, node, x, matrix_of(to, weights, transposed), _bias(node, inputs, 6), _taken(to))


def _taken(to: Builder):
    """The format of the result, removed so that no other op uses it."""
    element, to.element = to.element, None
    assert element is not None
    return element


@handles("QLinearAdd", "QLinearMul", domain=MICROSOFT)
def qlinear_binary(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    lhs, rhs = (_operand(to, node, inputs, first) for first in (0, 3))
    _result(to, node, inputs, 6)
    result = binary(to, tdsl.AddOp if node.op == "QLinearAdd" else tdsl.MulOp, lhs, rhs)
    to.element = None
    return result


@handles("QLinearSigmoid", "QLinearLeakyRelu", domain=MICROSOFT)
def qlinear_unary(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x = to.stored(_operand(to, node, inputs, 0))
    _result(to, node, inputs, 3)
    if node.op == "QLinearSigmoid":
        result = unary(to, tdsl.SigmoidOp, x)
    else:
        result = OrderedTensor(to.op(tdsl.LeakyReluOp, x.value, node.number("alpha", 0.01), to.element), x.order)
    to.element = None
    return result


@handles("QLinearAveragePool", "QLinearGlobalAveragePool", domain=MICROSOFT)
def qlinear_pool(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | Sequence[Value]:
    node.only("channels_last", 0)
    x = _operand(to, node, inputs, 0)
    _result(to, node, inputs, 3)
    like = OnnxNode(node.op.removeprefix("QLinear"), "", node.version, node.name, (), (), node.attributes, node.file)
    windows = node.op == "QLinearAveragePool" and not _takes_all(node, x)
    result = (pool if windows else global_pool)(to, like, [x])
    to.element = None
    return result


def _takes_all(node: OnnxNode, x: OrderedTensor | Constant) -> bool:
    """True for a window of the whole image, which onnxruntime computes as QLinearGlobalAveragePool."""
    return node.integers("kernel_shape") == tuple(x.shape[2:]) and not any(node.integers("pads", ()))


@handles("QLinearConcat", domain=MICROSOFT)
def qlinear_concat(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | Sequence[Value]:
    parts = [_operand(to, node, inputs, first) for first in range(2, len(inputs), 3)]
    _result(to, node, inputs, 0)
    result = concat(to, node, parts)
    to.element = None
    return result
