"""The number formats of tensors: the quantisation of the file, or floats."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.lowering.frontends.layers.parameter import UNSIGNED_ZERO
from tinyml.lowering.frontends.tflite.model import Tensor

WIDTHS = {"int8": 8, "uint8": 8, "int16": 16}
"""Widths of the supported quantised types."""


def format_of(tensor: Tensor) -> NumberFormat:
    """The number format in which a program computes a tensor; raises `VerifyException` if there is none."""
    if tensor.dtype == "float32":
        return F32_FORMAT
    if tensor.dtype not in WIDTHS or tensor.quantization is None:
        how = "" if tensor.dtype not in WIDTHS else " without a scale"
        raise VerifyException(
            f"{tensor} is of type {tensor.dtype}{how}; supported are float32 and quantised {supported()}"
        )
    zero_points = {
        point - UNSIGNED_ZERO if tensor.dtype == "uint8" else point for point in tensor.quantization.zero_points
    }
    if len(zero_points) > 1:
        raise VerifyException(f"{tensor} has several zero points")
    scales = tensor.quantization.scales
    return ZeroSkewType(WIDTHS[tensor.dtype], scales if len(scales) != 1 else scales[0], zero_points.pop())


def activation_format(tensor: Tensor) -> NumberFormat:
    """The format of a tensor other than weights, which has a single scale."""
    format = format_of(tensor)
    if isinstance(format, ZeroSkewType) and format.per_channel:
        raise VerifyException(f"{tensor} has several scales, which only weights may have")
    return format


def supported() -> str:
    """The supported types of quantised tensors."""
    return ", ".join(WIDTHS)


def element(tensor: Tensor) -> Attribute:
    """The element type of a tensor other than weights."""
    return activation_format(tensor).type


def weights_format(weights: Tensor, axis: int, *, wide: bool = False) -> NumberFormat:
    """The format of weights, perhaps with a scale per index of an axis, which becomes the first.

    wide: the scale of products is computed in double precision, as it is with scales per channel. TensorFlow Lite does
    that for all convolutions, and for dense layers with scales per channel.
    """
    format = format_of(weights)
    if not isinstance(format, ZeroSkewType):
        return format
    rows = weights.shape[axis]
    if len(format.scale_values) not in (1, rows):
        raise VerifyException(f"{weights} has {len(format.scale_values)} scales for {rows} output channels")
    if not wide or format.per_channel or format.zero_point.data:
        return format
    return ZeroSkewType(format.bits, format.scale_values * rows)
