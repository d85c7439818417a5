"""Constants of a model, on reals or quantised; views of one array share it."""

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

    name: the constant's name in the model, perhaps empty. key: parameters with equal keys share one constant of the
    program; None for a parameter that becomes a constant at each use.
    """

    raws: NDArray[Any]
    format: NumberFormat = F32_FORMAT
    name: str = ""
    key: tuple[Hashable, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.raws.shape

    def transposed(self, axes: Sequence[int]) -> Parameter:
        """The parameter with its axes permuted as by `numpy.transpose`."""
        if list(axes) == sorted(axes):
            return self
        return self.arranged(self.raws.transpose(axes), "transposed", *axes)

    def reshaped(self, shape: Sequence[int]) -> Parameter:
        """The parameter in another shape with the same number of elements."""
        return self if self.shape == tuple(shape) else self.arranged(self.raws.reshape(shape), "reshaped", *shape)

    def arranged(self, raws: NDArray[Any], *how: Hashable) -> Parameter:
        """The parameter with its elements rearranged. how: identifies the arrangement in the key."""
        return replace(self, raws=raws, key=None if self.key is None else (*self.key, *how))


def reals(numbers: NDArray[Any]) -> Parameter:
    """A parameter of reals in single precision."""
    with np.errstate(over="ignore"):
        return Parameter(np.ascontiguousarray(numbers, np.float32))


UNSIGNED_ZERO = 128
"""The difference between unsigned and signed 8-bit raws of the same real."""


def signed(raws: NDArray[Any]) -> NDArray[Any]:
    """Raws as the program stores them: 8-bit raws are signed."""
    return (raws.astype(np.int16) - UNSIGNED_ZERO).astype(np.int8) if raws.dtype == np.uint8 else raws


def start_format(weights: NumberFormat, x: NumberFormat) -> NumberFormat:
    """The format of the initial values of sums of products, whose scale is that of the products."""
    return x.accumulator(weights, x, None).start_format(weights)


def start_parameter(bias: NDArray[Any], weights: NumberFormat, x: NumberFormat, name: str = "") -> Parameter:
    """A bias as the initial values of sums of quantised products.

    bias: a number per output, as reals or as raws at the scale of the products. weights, x: the formats of the factors.
    """
    format = start_format(weights, x)
    raws = format.encode(bias.astype(np.float64)) if bias.dtype.kind == "f" else bias.astype(format.dtype)
    return Parameter(raws.ravel(), format, name)
