"""Quantised constants: raws with a sign, and the numbers that sums of products start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.parameter import Parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNSIGNED_ZERO = 128
"""The least raw of 8 bits, negated: unsigned raws minus this number are signed raws of the same reals."""


def signed(raws: NDArray[Any]) -> NDArray[Any]:
    """Raws as the program stores them: those of 8 bits have a sign."""
    return (raws.astype(np.int16) - UNSIGNED_ZERO).astype(np.int8) if raws.dtype == np.uint8 else raws


def start_format(weights: NumberFormat, x: NumberFormat) -> NumberFormat:
    """The format of the numbers that sums of products start from: their scale is that of the products."""
    return x.accumulator(weights, x, None).start_format(weights)


def start_parameter(bias: NDArray[Any], weights: NumberFormat, x: NumberFormat, name: str = "") -> Parameter:
    """A bias as the constant that sums of quantised numbers start from.

    bias: a number for each output, as raws in units of the products or as reals. weights, x: the formats of the
    factors.
    """
    format = start_format(weights, x)
    raws = format.encode(bias.astype(np.float64)) if bias.dtype.kind == "f" else bias.astype(format.dtype)
    return Parameter(raws.ravel(), format, name)
