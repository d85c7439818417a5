"""Constant numbers of a model, in arrangements that cost no copy."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Parameter:
    """The raws of a constant in a format; for reals, floats in `F32_FORMAT`.

    name: the constant's name in the model, perhaps empty. key: parameters of equal keys are one constant of the
    program; None for a parameter that becomes a constant wherever it is used.
    """

    raws: NDArray[Any]
    format: NumberFormat = F32_FORMAT
    name: str = ""
    key: tuple[Hashable, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.raws.shape

    def transposed(self, axes: Sequence[int]) -> Parameter:
        """The parameter with its axes in another order, as `numpy.transpose` takes it."""
        if list(axes) == sorted(axes):
            return self
        return self.arranged(self.raws.transpose(axes), "transposed", *axes)

    def reshaped(self, shape: Sequence[int]) -> Parameter:
        """The parameter in another shape with the same number of elements."""
        return self if self.shape == tuple(shape) else self.arranged(self.raws.reshape(shape), "reshaped", *shape)

    def arranged(self, raws: NDArray[Any], *how: Hashable) -> Parameter:
        """The parameter with its elements in another arrangement; `how` distinguishes arrangements."""
        return replace(self, raws=raws, key=None if self.key is None else (*self.key, *how))


def reals(numbers: NDArray[Any]) -> Parameter:
    """Reals in single precision."""
    with np.errstate(over="ignore"):
        return Parameter(np.ascontiguousarray(numbers, np.float32))


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
