"""A scale and a zero for each feature of an input vector, as attributes of the program's argument.

The caller's feature j is `scales[j] * v[j] + zeros[j]`, where v is the argument, all of whose elements share a format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import DenseArrayBase, f32
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import OwnAttribute, numbers
from tinyml.dialects.tdsl.attributes import of_input

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEATURE_SCALES", "FEATURE_ZEROS", "FeatureMap", "shortest_period"]

FEATURE_SCALES = OwnAttribute(
    "tdsl.feature_scales",
    of_input(numbers(f32, "an array of f32", bool)),
    "The unit of each element of the input; numbers that repeat over the whole input are written once.",
)

FEATURE_ZEROS = OwnAttribute(
    "tdsl.feature_zeros",
    of_input(numbers(f32, "an array of f32", bool)),
    "For each element of the input the feature for which it is zero, as `tdsl.feature_scales`.",
)


@dataclass(frozen=True)
class FeatureMap:
    """The affine map between the features of a sample and the elements of a program's argument.

    scales, zeros: arrays of shape (elements,), whose numbers are those of single precision.
    """

    scales: NDArray[np.float64]
    zeros: NDArray[np.float64]

    @staticmethod
    def of(attribute_of: Callable[[str], Attribute | None], elements: int) -> FeatureMap | None:
        """The map that an argument's attributes, by their names, state; None without one.

        Raises `InputError` unless both attributes have a finite number for each element, and no scale is zero.
        """
        given = [attribute_of(name) for name in (FEATURE_SCALES, FEATURE_ZEROS)]
        if given == [None, None]:
            return None
        if not all(isinstance(attribute, DenseArrayBase) for attribute in given):
            raise InputError(f"{FEATURE_SCALES} and {FEATURE_ZEROS} belong together: two arrays of f32")
        arrays = [cast("DenseArrayBase[Any]", attribute) for attribute in given]
        scales, zeros = (np.array(array.get_values(), np.float64) for array in arrays)
        repeats = all(len(numbers) and elements % len(numbers) == 0 for numbers in (scales, zeros))
        if any(array.elt_type != f32 for array in arrays) or not repeats:
            raise InputError(f"{FEATURE_SCALES} and {FEATURE_ZEROS} need an f32 for each of {elements} features")
        scales, zeros = np.resize(scales, elements), np.resize(zeros, elements)
        if not (np.isfinite(scales) & np.isfinite(zeros) & (scales != 0)).all():
            raise InputError(f"{FEATURE_SCALES} and {FEATURE_ZEROS} must be finite, and no scale zero")
        return FeatureMap(scales, zeros)

    @property
    def attributes(self) -> dict[str, Attribute]:
        """The attributes of the argument, rounded to single precision."""
        parts = {FEATURE_SCALES: self.scales, FEATURE_ZEROS: self.zeros}
        return {
            name: DenseArrayBase.from_list(f32, shortest_period(numbers).tolist()) for name, numbers in parts.items()
        }

    def of_features(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """The argument's elements for samples of features, of shape (samples, elements)."""
        return (x.astype(np.float64) - self.zeros) / self.scales

    def features(self, elements: NDArray[Any]) -> NDArray[np.float64]:
        """The features of samples that the argument's elements stand for; the inverse of `of_features`."""
        return elements.astype(np.float64) * self.scales + self.zeros


def shortest_period(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The fewest first numbers that give all of them when they are repeated."""
    lengths = (length for length in range(1, len(numbers) + 1) if len(numbers) % length == 0)
    return next(numbers[:length] for length in lengths if (numbers.reshape(-1, length) == numbers[:length]).all())
