"""Functions `factors * u + addends` by element, and the ops with a constant that compute such a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals


@dataclass(frozen=True)
class AffineFunction:
    """The function `factors * u + addends`, both arrays of the shape of u."""

    factors: Reals
    addends: Reals

    @staticmethod
    def identity(shape: tdsl.Shape) -> AffineFunction:
        return AffineFunction(np.ones(shape), np.zeros(shape))

    def reshaped(self, shape: tdsl.Shape) -> AffineFunction:
        return AffineFunction(self.factors.reshape(shape), self.addends.reshape(shape))

    def followed_by(self, factors: Reals | float, addends: Reals | float) -> AffineFunction:
        """The function, then another one with a factor and an addend."""
        return AffineFunction(self.factors * factors, self.addends * factors + addends)

    def thresholds(self, thresholds: Reals, features: NDArray[np.int64]) -> Reals | None:
        """The thresholds t' of u for which `u <= t'` where the function is at most t, in double precision.

        thresholds: t, of any shape. features: the element in row-major order that each is for. None if a factor of
        these is not positive, so that comparisons would turn round. Trees absorb a function in this way.
        """
        factors, addends = self.factors.ravel()[features], self.addends.ravel()[features]
        return (thresholds - addends) / factors if (factors > 0).all() else None


def extended(op: Operation, value: SSAValue, function: AffineFunction) -> AffineFunction | None:
    """The function of a tensor that an op on reals computes if one operand is `function` of it; None for other ops.

    The op adds, subtracts or multiplies by a constant, negates, or changes the shape.
    """
    match op:
        case tdsl.ReshapeOp():
            return function.reshaped(tdsl.shape_of(op.out))
        case tdsl.NegOp():
            return function.followed_by(-1.0, 0.0)
        case tdsl.AddOp() | tdsl.SubOp() | tdsl.MulOp():
            other = (op.rhs if op.lhs is value else op.lhs).owner
            if not isinstance(other, tdsl.ConstOp) or tdsl.shape_of(op.out) != tdsl.shape_of(value):
                return None
            number = tdsl.format_of(other.result).decode(other.raws)
            if isinstance(op, tdsl.MulOp):
                return function.followed_by(number, 0.0)
            if isinstance(op, tdsl.AddOp):
                return function.followed_by(1.0, number)
            return function.followed_by(1.0, -number) if op.lhs is value else function.followed_by(-1.0, number)
        case _:
            return None
