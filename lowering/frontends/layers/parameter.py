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
