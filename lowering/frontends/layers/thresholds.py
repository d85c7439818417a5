"""Conversion of tree thresholds to single-precision thresholds on the inputs of the program, before any scaler.

A library scales features in double precision. Many samples lie exactly at a threshold, because training places
thresholds midway between data values, which are often decimals of a few digits. The last bit of the scaled feature then
determines the branch, and no computation in single precision reproduces that bit. Thresholds are therefore converted,
in double precision, to thresholds on the inputs of the scaler. Comparisons with the converted thresholds select the
same branches as the library does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Doubles: TypeAlias = NDArray[np.float64]

    Step: TypeAlias = tuple[Callable[..., Doubles], Doubles]
    """A monotonically increasing function of a feature and a constant, and the constant of each feature."""

GREATEST = 3.4028234663852886e38
"""The greatest finite number in single precision."""

_TIES = 1e-12, 1e-7
"""The relative distances from a threshold within which a decimal equals the threshold except for rounding.

The first distance is for features in double precision, the second for scaled features rounded to single precision.
"""


@dataclass(frozen=True, eq=False)
class Scaling:
    """The steps by which a library computes a row of scaled features.

    source: the row before scaling, of equal length.
    """

    source: SSAValue
    steps: Sequence[Step]


@dataclass(frozen=True, eq=False)
class Feature:
    """A feature that the steps of a scaler compute from one element of a row."""

    row: SSAValue
    element: int
    steps: tuple[tuple[Callable[..., Doubles], float], ...] = ()

    def of(self, inputs: Doubles) -> Doubles:
        """Apply the steps of the scaler to values `inputs` of the element."""
        for function, number in self.steps:
            inputs = function(inputs, number)
        return inputs


def features_of(row: SSAValue, scalings: dict[SSAValue, Scaling]) -> list[Feature]:
    """The features of a row, traced back through scalings, slices and concatenations."""
    op = row.owner
    if (scaling := scalings.get(row)) is not None:
        return [
            replace(
                feature,
                steps=(*feature.steps, *((function, float(numbers[at])) for function, numbers in scaling.steps)),
            )
            for at, feature in enumerate(features_of(scaling.source, scalings))
        ]
    if isinstance(op, tdsl.ReshapeOp):
        return features_of(op.input, scalings)
    if isinstance(op, Operation) and prod(shape_of(row)[:-1]) == 1:
        match op:
            case tdsl.ConcatOp() if op.axis.value.data == len(shape_of(row)) - 1:
                return [feature for part in op.parts for feature in features_of(part, scalings)]
            case tdsl.SliceOp() if op.strides is None and prod(shape_of(op.input)[:-1]) == 1:
                offset = op.offsets[-1].owner
                if isinstance(offset, arith.ConstantOp) and isinstance(offset.value, IntegerAttr):
                    first = offset.value.value.data
                    return features_of(op.input, scalings)[first : first + shape_of(row)[-1]]
            case _:
                pass
    return [Feature(row, element) for element in range(prod(shape_of(row)))]


def before_scaling(
    features: Sequence[Feature], indices: NDArray[Any], thresholds: NDArray[Any], double: NDArray[np.bool_]
) -> Doubles:
    """For each threshold, the greatest input, in double precision, for which the feature is at most the threshold.

    indices: the index of the feature of each threshold.
    double: false where the library rounds the feature to single precision.
    """
    inputs = np.asarray(thresholds, np.float64).copy()
    for index, feature in enumerate(features):
        chosen = indices == index
        if feature.steps and chosen.any():
            inputs[chosen] = _greatest(feature, inputs[chosen], double[chosen])
    return inputs


def _greatest(feature: Feature, limits: Doubles, double: NDArray[np.bool_]) -> Doubles:
    """The greatest doubles for which a feature is at most `limits`, found by bisection on the bit patterns of the
    doubles.
    """

    def exceeds(inputs: Doubles) -> NDArray[np.bool_]:
        computed = feature.of(inputs)
        return np.where(double, computed, computed.astype(np.float32)) > limits

    low, high = (np.full(len(limits), _ordered(np.array([end]))[0]) for end in (-GREATEST, GREATEST))
    with np.errstate(over="ignore", invalid="ignore"):
        at_most = ~exceeds(_of_order(high))
        while (high - 1 > low).any():
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            above = exceeds(_of_order(middle))
            low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(at_most, GREATEST, _of_order(low))


_MAGNITUDE = 0x7FFF_FFFF_FFFF_FFFF


def _ordered(numbers: Doubles) -> NDArray[np.int64]:
    """Map doubles to integers in the same order. Adjacent doubles become adjacent integers."""
    bits = numbers.view(np.int64)
    return bits ^ ((bits >> 63) & _MAGNITUDE)


def _of_order(integers: NDArray[np.int64]) -> Doubles:
    return (integers ^ ((integers >> 63) & _MAGNITUDE)).view(np.float64)


def single_thresholds(thresholds: NDArray[Any], double: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Convert double-precision thresholds to thresholds for inputs that are rounded to single precision.

    An input that equals a threshold still equals the threshold after both are rounded to nearest. An input just above a
    threshold may equal it after rounding. This happens in two cases: the threshold is midway between two adjacent
    single-precision numbers, or a rounding error has made it slightly less than zero or than a decimal of a few digits.
    Such a threshold becomes the next lower single-precision number. Infinite thresholds become the outermost finite
    numbers.

    double: false where the library scales an input and rounds the result to single precision, so that thresholds are
        not exact.
    """
    exact = np.clip(np.asarray(thresholds, np.float64), -GREATEST, GREATEST)
    nearest = exact.astype(np.float32)
    lower = np.nextafter(nearest, np.float32(-GREATEST))
    midway = nearest.astype(np.float64) - exact == exact - lower
    decimals = nearest.astype(str).astype(np.float64)
    above = (decimals > exact) & (decimals - exact <= np.where(double, *_TIES) * np.abs(exact)) & (nearest != exact)
    return np.where(midway | above | ((nearest == 0) & (exact < 0)), lower, nearest)
