"""Ops on quantised numbers, in QDQ and in QOperator form.

In QDQ form, sums of products between DequantizeLinear and QuantizeLinear are computed on raws in number formats. In
QOperator form, the scales and zero points of the operands and of the result are inputs of the op.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import format_of
from tinyml.lowering.frontends.layers.dense_layers import dense
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter, signed, start_parameter
from tinyml.lowering.frontends.layers.network_layers import convolution
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value, handles, needed, optional
from tinyml.lowering.frontends.onnx.formats import quantised_format, weights_format
from tinyml.lowering.frontends.onnx.graph import MICROSOFT, OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary, unary
from tinyml.lowering.frontends.onnx.ops.movement import axis_of, concat
from tinyml.lowering.frontends.onnx.ops.windows import filter_of, filter_windows, global_pool, image, pool

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import Attribute


def _array_of(node: OnnxNode, value: Value | None, what: str) -> NDArray[Any] | None:
    if value is None:
        return None
    if not isinstance(value, Constant):
        raise node.error(f"its {what} must be a constant")
    return value.array


@handles("QuantizeLinear")
def quantise(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import QuantizeLinear: round reals to a number format. Numbers already in this format are unchanged."""
    node.only("block_size", 0)
    value, scale = needed(to, inputs, 0), _array_of(node, needed(to, inputs, 1), "scale")
    zero = _array_of(node, optional(inputs, 2), "zero point")
    if isinstance(value, Constant):
        return Constant(_quantised_constant(node, value.array, scale, zero), value.name)
    format = quantised_format(node, scale, zero)
    tensor = to.stored(value)
    return OrderedTensor(to.requantised(tensor.value, format.type), tensor.order)


def _quantised_constant(
    node: OnnxNode, reals: NDArray[Any], scale: NDArray[Any] | None, zero: NDArray[Any] | None
) -> NDArray[Any]:
    if scale is None or reals.dtype.kind != "f":
        raise node.error("expected reals and a scale")
    point = np.zeros((), np.uint8) if zero is None else zero
    scale, offset = (_along(node, numbers, reals) for numbers in (scale.astype(np.float32), point))
    limits = np.iinfo(point.dtype) if point.dtype.kind in "iu" else None
    if limits is None or limits.bits > 32:
        raise node.error(f"raws of {point.dtype} are not supported")
    raws = np.rint(reals.astype(np.float32) / scale).astype(np.float64) + offset
    return np.clip(np.nan_to_num(raws), limits.min, limits.max).astype(point.dtype)


def _along(node: OnnxNode, numbers: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    if numbers.size == 1:
        return numbers.reshape(())
    axis = axis_of(node, node.integer("axis", 1), values.ndim)
    if numbers.shape != (values.shape[axis],):
        raise node.error(f"{numbers.size} scales do not fit axis {axis} of shape {list(values.shape)}")
    return numbers.reshape(-1, *(1,) * (values.ndim - axis - 1))


@handles("DequantizeLinear")
def dequantise(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import DequantizeLinear. Constant raws are converted to reals. A computed tensor is unchanged, since its
    format contains the scale.
    """
    node.only("block_size", 0)
    value, scale = needed(to, inputs, 0), _array_of(node, needed(to, inputs, 1), "scale")
    zero = _array_of(node, optional(inputs, 2), "zero point")
    if isinstance(value, Constant):
        if scale is None or value.array.dtype.kind not in "iu":
            raise node.error("expected integers and a scale")
        return _constant_in_format(node, value, scale, zero)
    tensor = to.stored(value)
    _check_format(to, tensor, scale, zero)
    return tensor


def _check_format(to: Builder, tensor: OrderedTensor, scale: NDArray[Any] | None, zero: NDArray[Any] | None) -> None:
    expected, format = quantised_format(to.node, scale, zero), format_of(tensor.value)
    if format.type != expected.type:
        raise to.error(f"reads raws of {format.type} as {expected.type}")


def _constant_in_format(node: OnnxNode, value: Constant, scale: NDArray[Any], zero: NDArray[Any] | None) -> Constant:
    offset = 0 if zero is None else _along(node, zero.astype(np.int64), value.array)
    differences = (value.array - offset).astype(np.float32)
    reals = (differences * _along(node, scale.astype(np.float32), value.array)).astype(np.float32)
    axis = axis_of(node, node.integer("axis", 1), max(value.array.ndim, 2)) if scale.size > 1 else 0
    return Constant(reals, value.name, signed(value.array), weights_format(node, value.array, scale, zero), axis)


def _convolve(
    to: Builder, node: OnnxNode, x: OrderedTensor, weights: Constant, bias: Constant | None, element: Attribute
) -> OrderedTensor:
    filter = _weights(node, weights)
    if len(filter.shape) != len(x.shape):
        raise node.error(f"a filter {list(filter.shape)} does not fit an input of shape {list(x.shape)}")
    windows = filter_windows(node, x, weights)
    ordered, axes = image(to, x)
    start = _start(to, bias, filter.format, format_of(x.value), len(filter.raws))
    oriented, groups = filter_of(to, filter, len(x.shape)), node.integer("group", 1)
    return convolution(to, ordered, oriented, windows, groups, start, element, axes=axes)


def _multiply(
    to: Builder, node: OnnxNode, x: OrderedTensor, weights: Constant, bias: Constant | None, element: Attribute
) -> OrderedTensor:
    """Emit the products of quantised vectors and a constant matrix (outputs, inputs), plus the bias, if any."""
    matrix = _weights(node, weights)
    if len(matrix.shape) != 2 or not x.shape or x.shape[-1] != matrix.shape[1]:
        raise node.error(f"a matrix {list(matrix.shape[::-1])} does not fit vectors {list(x.shape)}")
    rows = len(matrix.raws)
    start = _start(to, bias, matrix.format, format_of(x.value), rows)
    return OrderedTensor.plain(dense(to, to.tensor(x), matrix, (*x.shape[:-1], rows), start, element))


def _matrix_of(to: Builder, weights: Constant, transposed: bool) -> Constant:
    """The weights of a matrix product as a constant of shape (outputs, inputs). Raises `InputError` unless the weights
    are a quantised matrix with one scale, or with one scale per output.

    transposed: true for weights that already have this shape, false for weights of shape (inputs, outputs).
    """
    if weights.raws is None or weights.format is None or weights.raws.ndim != 2:
        raise to.error("expected a quantised matrix")
    if weights.scales > 1 and weights.axis != (0 if transposed else 1):
        raise to.error("scales along the inputs of a matrix are not supported, only along its outputs")
    if transposed:
        return weights
    return replace(weights, array=weights.array.T, raws=weights.raws.T, axis=0)


def _weights(node: OnnxNode, weights: Constant) -> Parameter:
    if weights.raws is None or weights.format is None:
        raise node.error("expected quantised weights")
    if weights.scales not in (1, len(weights.raws)) or (weights.scales > 1 and weights.axis != 0):
        raise node.error(f"{weights.scales} scales along axis {weights.axis} do not fit its rows")
    return Parameter(weights.raws, weights.format, weights.name)


def _start(to: Builder, bias: Constant | None, weights: NumberFormat, x: NumberFormat, rows: int) -> Parameter | None:
    if bias is None:
        return None
    if bias.array.size != rows:
        raise to.error(f"a bias of {bias.array.size} numbers does not fit {rows} rows")
    numbers = bias.array.astype(np.float64) if bias.raws is None or bias.raws.dtype != np.int32 else bias.raws
    return start_parameter(numbers, weights, x, bias.name)


def conv(to: Builder, node: OnnxNode, inputs: Inputs, element: Attribute) -> OrderedTensor:
    return _convolve(to, node, *_operands(to, inputs), element)


def gemm(to: Builder, node: OnnxNode, inputs: Inputs, element: Attribute) -> OrderedTensor:
    """Import a Gemm on quantised numbers as a product of raws. `element` is the format of the result."""
    for name in ("alpha", "beta"):
        node.only(name, 1.0)
    node.only("transA", 0)
    x, weights, bias = _operands(to, inputs)
    return _multiply(to, node, x, _matrix_of(to, weights, bool(node.integer("transB", 0))), bias, element)


def matmul(to: Builder, node: OnnxNode, inputs: Inputs, element: Attribute) -> OrderedTensor:
    """Import a MatMul on quantised numbers as a product of raws. `element` is the format of the result."""
    x, weights, _ = _operands(to, inputs)
    return _multiply(to, node, x, _matrix_of(to, weights, transposed=False), None, element)


def _operands(to: Builder, inputs: Inputs) -> tuple[OrderedTensor, Constant, Constant | None]:
    x, weights, bias = to.stored(needed(to, inputs, 0)), needed(to, inputs, 1), optional(inputs, 2)
    if not isinstance(weights, Constant) or not (bias is None or isinstance(bias, Constant)):
        raise to.error("weights and bias must be constant")
    return x, weights, bias


SUMS = {"Conv": conv, "Gemm": gemm, "MatMul": matmul}
"""Ops that sum products of quantised numbers and constants."""

COMPUTING = (
    "Add",
    "Sub",
    "Mul",
    "AveragePool",
    "GlobalAveragePool",
    "ReduceMean",
    "Sigmoid",
    "Tanh",
    "LeakyRelu",
    "HardSwish",
    "Softmax",
    "LpNormalization",
    "Concat",
)
"""Ops that compute their result directly in a format from quantised numbers."""


def of_quantised(to: Builder, node: OnnxNode, inputs: Inputs, result: Attribute | None) -> Value | None:
    """Import a sum of products of quantised numbers and constants, and return its quantised output.

    Returns None for any other op, which the handler on reals imports. If all inputs are quantised and the op can
    compute on raws, `to.element` is set to `result`, so that this handler computes in that format.
    """
    to.element = None
    if node.op in SUMS:
        weights = optional(inputs, 1)
        usable = isinstance(weights, Constant) and weights.format is not None and isinstance(inputs[0], OrderedTensor)
        return SUMS[node.op](to, node, inputs, result) if usable and result is not None else None
    if node.op in COMPUTING and all(map(_in_format, inputs)):
        to.element = result
    return None


def _in_format(value: Value | None) -> bool:
    match value:
        case OrderedTensor():
            return value.is_quantised
        case Constant():
            return value.format is not None or value.array.dtype.kind != "f"
        case _:
            return value is None


SINGLE_AXIS = 13
"""The opset since which Softmax normalises a single axis."""


def _operand(to: Builder, node: OnnxNode, inputs: Inputs, first: int) -> OrderedTensor | Constant:
    value = needed(to, inputs, first)
    scale, zero = (_array_of(node, optional(inputs, first + more), "scales and zero points") for more in (1, 2))
    if isinstance(value, Constant):
        if scale is None:
            raise node.error("a constant has no scale")
        return _constant_in_format(node, value, scale, zero)
    tensor = to.stored(value)
    _check_format(to, tensor, scale, zero)
    return tensor


def _result(to: Builder, node: OnnxNode, inputs: Inputs, first: int) -> None:
    scale, zero = (_array_of(node, optional(inputs, first + more), "scale and zero point") for more in (0, 1))
    to.element = quantised_format(node, scale, zero).type


def _sum_operands(to: Builder, node: OnnxNode, inputs: Inputs, axis: int) -> tuple[OrderedTensor, Constant]:
    """Return the activations and the weights of an op.

    axis: the axis of the weights along which scales may vary.
    """
    x = _operand(to, node, inputs, 0)
    value = needed(to, inputs, 3)
    scale, zero = (_array_of(node, optional(inputs, position), "scales and zero points") for position in (4, 5))
    if not isinstance(value, Constant) or scale is None or isinstance(x, Constant):
        raise node.error("expected constant weights, and activations that depend on the input")
    along = OnnxNode(node.op, node.domain, node.version, node.name, (), (), {"axis": axis}, node.file)
    return x, _constant_in_format(along, value, scale, zero)


def _bias(node: OnnxNode, inputs: Inputs, position: int) -> Constant | None:
    array = _array_of(node, optional(inputs, position), "bias")
    if array is None:
        return None
    if array.dtype.name != "int32":
        raise node.error(f"a bias of {array.dtype} is not supported, only of int32")
    return Constant(array, "bias", array)


@handles("QLinearConv")
def qlinear_conv(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x, weights = _sum_operands(to, node, inputs, 0)
    _result(to, node, inputs, 6)
    return _convolve(to, node, x, weights, _bias(node, inputs, 8), _taken(to))


@handles("QLinearMatMul")
def qlinear_matmul(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x, weights = _sum_operands(to, node, inputs, 1)
    _result(to, node, inputs, 6)
    return _multiply(to, node, x, _matrix_of(to, weights, transposed=False), None, _taken(to))


@handles("QGemm", domain=MICROSOFT)
def qgemm(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    node.only("transA", 0)
    node.only("alpha", 1.0)
    transposed = bool(node.integer("transB", 0))
    x, weights = _sum_operands(to, node, inputs, 0 if transposed else 1)
    _result(to, node, inputs, 7)
    return _multiply(to, node, x, _matrix_of(to, weights, transposed), _bias(node, inputs, 6), _taken(to))


def _taken(to: Builder):
    """Return the result format of the builder and reset it, so that the next op does not use it."""
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


@handles("QLinearSoftmax", domain=MICROSOFT)
def qlinear_softmax(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import QLinearSoftmax. Its attribute `opset` states the Softmax that it replaces: before opset 13, it normalises
    all axes from `axis` to the last as one vector.

    onnxruntime multiplies by the reciprocal of the scale, rounded down to an integer n. The program therefore computes
    raws of the scale 1 / n.
    """
    x = to.stored(_operand(to, node, inputs, 0))
    scale, zero = (_array_of(node, optional(inputs, first), "scale and zero point") for first in (3, 4))
    result = quantised_format(node, scale, zero)
    assert scale is not None
    if (count := np.floor(np.float32(1) / scale.astype(np.float32).reshape(()))) < 1:
        raise node.error(f"a scale of {scale.item():g} is not supported, only up to 1")
    computed = quantised_format(node, np.float32(1) / count, zero)
    rank, newer = len(x.shape), node.integer("opset") >= SINGLE_AXIS
    axis = axis_of(node, node.integer("axis", -1 if newer else 1), rank)
    order = (*(other for other in x.order if other != axis), axis) if newer else tuple(range(rank))
    rows = to.ordered(x, order)
    if not newer:
        rows = to.reshape(rows, (prod(x.shape[:axis]), prod(x.shape[axis:])))
    shares = to.op(tdsl.SoftmaxOp, rows, computed.type)
    if computed.type != result.type:
        shares = to.op(tdsl.ReinterpretOp, shares, result.type)
    return OrderedTensor(to.reshape(shares, tuple(x.shape[other] for other in order)), order)


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
    """Whether a pooling window covers the whole image. onnxruntime computes QLinearGlobalAveragePool for such a
    window.
    """
    return node.integers("kernel_shape") == tuple(x.shape[2:]) and not any(node.integers("pads", ()))


@handles("QLinearConcat", domain=MICROSOFT)
def qlinear_concat(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | Sequence[Value]:
    operands = [_operand(to, node, inputs, first) for first in range(2, len(inputs), 3)]
    _result(to, node, inputs, 0)
    result = concat(to, node, operands)
    to.element = None
    return result
