"""The builder of a program from a TensorFlow Lite graph, and the number formats of the graph's tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.lowering.frontends.layers.dense_layers import GREATEST, limited
from tinyml.lowering.frontends.layers.model_builder import (
    UNSIGNED_ZERO,
    ModelBuilder,
    OrderedTensor,
    Parameter,
    signed,
    start_format,
)
from tinyml.lowering.frontends.tflite.model import NARROW, Operator, Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.lowering.frontends.onnx.builder import Builder


class GraphBuilder(ModelBuilder):
    """A builder that appends the program's ops for operators of TensorFlow Lite, and stores the values of tensors.

    nodes: the builder for operators that are imported as ONNX nodes; None before the first such operator.
    time: the index of the step in the body of a loop; None outside of loops.
    """

    def __init__(self, file: str):
        super().__init__(file)
        self.values: dict[Tensor, SSAValue] = {}
        self.nodes: Builder | None = None
        self.time: SSAValue | None = None

    def define(self, tensor: Tensor, value: SSAValue) -> None:
        """Record the value of a tensor. Raises `VerifyException` unless the value has the tensor's shape and format."""
        expected = TensorType(element(tensor), tensor.shape)
        if value.type != expected:
            raise VerifyException(f"{tensor} is declared as {expected}, the operator computes {value.type}")
        self.values[tensor] = value
        if tensor.name:
            value.name_hint = _identifier(tensor.name)

    def value(self, tensor: Tensor) -> SSAValue:
        """The value of a tensor. A constant is emitted on first use."""
        if tensor not in self.values:
            if tensor.data is None:
                raise VerifyException(f"{tensor} is read before an operator computes it")
            self.values[tensor] = self.parameter(parameter_of(tensor, tensor.data, activation_format(tensor)))
        return self.values[tensor]

    def image(self, tensor: Tensor) -> OrderedTensor:
        return OrderedTensor.plain(self.value(tensor))

    def activated(self, value: SSAValue, activation: str) -> SSAValue:
        """Apply the fused activation of an operator to a value."""
        if activation == "NONE":
            return value
        if activation not in _ACTIVATIONS:
            known = ", ".join(("NONE", *_ACTIVATIONS))
            raise VerifyException(f"the activation {activation} is not supported; supported are {known}")
        return limited(self, value, *_ACTIVATIONS[activation])


def parameter_of(tensor: Tensor, raws: NDArray[Any], format: NumberFormat) -> Parameter:
    """A parameter with constant raws and the name of a tensor."""
    return Parameter(signed(raws), format, _identifier(tensor.name) if tensor.name else "constant")


def _identifier(name: str) -> str:
    last = name.split(";")[0].rsplit("/", 1)[-1]
    text = "".join(character if character.isascii() and character.isalnum() else "_" for character in last).strip("_")
    return text if text[:1].isalpha() else f"t_{text}"


_WIDTHS = {"int8": 8, "uint8": 8, "int16": 16}
"""Widths of the supported quantised types."""

WIDE = 32
"""The width in bits of results that only conversions compute and read."""


def tensor_format(tensor: Tensor) -> NumberFormat:
    """The number format in which a program computes a tensor. Raises `VerifyException` if no format is supported.

    A quantised type without a scale has the scale 1; `require_scales` rejects operators that would compute with it.
    Quantised int32 has `WIDE` bits. int16 also has `WIDE` bits if its zero point shows that the numbers are
    unsigned.
    """
    if tensor.dtype == "float32":
        return F32_FORMAT
    if tensor.quantization is not None and is_wide(tensor):
        return ZeroSkewType(WIDE, tensor.quantization.scales[0])
    widths = _WIDTHS if tensor.data is None else {**_WIDTHS, **NARROW}
    if tensor.dtype not in widths:
        raise VerifyException(f"{tensor} is of type {tensor.dtype}; supported are float32 and quantised {_supported()}")
    quantization = tensor.quantization
    scales, points = ((1.0,), (0,)) if quantization is None else (quantization.scales, quantization.zero_points)
    zero_points = {point - UNSIGNED_ZERO if tensor.dtype == "uint8" else point for point in points}
    if len(zero_points) > 1:
        raise VerifyException(f"{tensor} has several zero points")
    return ZeroSkewType(widths[tensor.dtype], scales if len(scales) != 1 else scales[0], zero_points.pop())


def is_wide(tensor: Tensor) -> bool:
    """Whether a tensor is quantised to `WIDE` bits."""
    plain = tensor.quantization is not None and not any(tensor.quantization.zero_points)
    return is_unsigned(tensor) or (tensor.dtype == "int32" and plain)


def is_unsigned(tensor: Tensor) -> bool:
    """Whether a tensor is int16 with the least raw as its zero point, such as the result of a softmax of 8-bit
    numbers.
    """
    least = (-(1 << 15),)
    return tensor.dtype == "int16" and tensor.quantization is not None and tensor.quantization.zero_points == least


def require_scales(op: Operator) -> None:
    """Raise `VerifyException` if an operator reads or computes a tensor of a quantised type without a scale. Also raise
    it for a computed tensor of `WIDE` bits, unless the operator is a QUANTIZE, or a SOFTMAX that computes this
    tensor.
    """
    for tensor in (*filter(None, op.inputs), *op.outputs):
        if tensor.dtype in _WIDTHS and tensor.quantization is None:
            raise VerifyException(f"{tensor} is of type {tensor.dtype} without a scale")
        wide = tensor.data is None and is_wide(tensor)
        if wide and op.kind != "QUANTIZE" and not (op.kind == "SOFTMAX" and tensor in op.outputs):
            raise VerifyException(f"{tensor} has numbers of {WIDE} bits, which only QUANTIZE converts")


def power_of_two(bits: int, exponent: int) -> ZeroSkewType:
    """The element type with `bits` bits, the scale 2^exponent and the zero point 0."""
    return ZeroSkewType(bits, 2.0**exponent, 0)


def number_of(tensor: Tensor) -> float:
    """The real value of a constant with a single element."""
    if tensor.data is None or tensor.data.size != 1:
        raise VerifyException(f"{tensor} must be one constant number")
    return float(tensor_format(tensor).decode(signed(tensor.data)).item())


def activation_format(tensor: Tensor) -> NumberFormat:
    """The number format of a tensor other than weights. Raises `VerifyException` for several scales."""
    format = tensor_format(tensor)
    if isinstance(format, ZeroSkewType) and format.per_channel:
        raise VerifyException(f"{tensor} has several scales, which only weights may have")
    return format


def _supported() -> str:
    return ", ".join(_WIDTHS)


def element(tensor: Tensor) -> Attribute:
    """The element type of a tensor other than weights. Raises `VerifyException` for several scales."""
    return activation_format(tensor).type


def weights_format(weights: Tensor, axis: int) -> NumberFormat:
    """The format of weights with one scale per index of an axis, which becomes the first axis. Raises `VerifyException`
    if the number of scales differs from the extent of the axis.

    A single scale is repeated for all indices, unless the weights have a zero point other than 0. TensorFlow Lite
    computes the scale of products in double precision in all layers with weights. Formats with scales per channel do
    the same.
    """
    format = tensor_format(weights)
    if not isinstance(format, ZeroSkewType):
        return format
    rows = weights.shape[axis]
    if len(format.scale_values) not in (1, rows):
        raise VerifyException(f"{weights} has {len(format.scale_values)} scales for {rows} output channels")
    if format.per_channel or format.zero_point.data:
        return format
    return ZeroSkewType(format.bits, format.scale_values * rows)


def rows_format(weights: Tensor, scale: float, rows: int) -> NumberFormat:
    """The format of weights with `rows` rows that have equal scales. Scales per row make programs compute the scale
    of the products in double precision.
    """
    return ZeroSkewType(_WIDTHS[weights.dtype], [scale] * rows)


def short_start_format(weights: NumberFormat, x: NumberFormat) -> NumberFormat:
    """The 32-bit format in which sums of products start. Sums with such an initial value have 32 bits."""
    usual = start_format(weights, x)
    assert isinstance(usual, ZeroSkewType)
    return ZeroSkewType(32, usual.scale_values if usual.per_channel else usual.scale)


_ACTIVATIONS = {"RELU": (0.0, GREATEST), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0)}
"""Fused activations of operators, with their least and greatest result."""
