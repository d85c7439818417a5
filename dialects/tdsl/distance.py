"""The squared distance of two vectors, such as the projected input and a prototype of ProtoNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import Bound, NumberFormat
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, spell
from tinyml.dialects.tdsl.contraction import constant_root
from tinyml.dialects.tdsl.values import Arithmetic, Array, Derivatives, summed_to

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["SquaredDistanceOp"]


@irdl_op_definition
class SquaredDistanceOp(TensorOp):
    """`result = sum_k (lhs[k] - rhs[k])^2` for two column vectors. The sum is rounded once.

    Differences are exact, so the format of `lhs` must define a `NumberFormat.difference`. `acc` is the accumulator of
    the squares. `bound` proves that the accumulator is wide enough, as for a matrix product.
    """

    name = "tdsl.squared_distance"
    STORES_LAST: ClassVar[bool] = True
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    acc = prop_def()
    bound = opt_prop_def(num.BOUND)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute, acc: Attribute, bound: Bound | None):
        build(self, [lhs, rhs], TensorType(element, (1, 1)), {"acc": acc, **num.proof(bound)})

    def infer_shape(self) -> Shape:
        lhs, rhs = shape_of(self.lhs), shape_of(self.rhs)
        if lhs != rhs or len(lhs) != 2 or lhs[1] != 1:
            raise VerifyException(f"expected two column vectors of one length, got {spell(lhs)} and {spell(rhs)}")
        return (1, 1)

    @property
    def difference(self) -> NumberFormat:
        """The format of exact differences between elements. Raises `VerifyException` if there is none."""
        lhs, rhs = format_of(self.lhs), format_of(self.rhs)
        if (format := lhs.difference(rhs)) is None:
            raise VerifyException(f"{lhs.type} and {rhs.type} have no exact difference")
        return format

    @property
    def accumulator(self) -> Accumulator:
        return cast(Accumulator, accumulator_of(self.acc))

    @property
    def sum_bound(self) -> Bound | None:
        return num.bound_of(self.bound)

    @property
    def derived_bound(self) -> Bound | None:
        """The least and the greatest possible partial sum of squares; None if the format needs no bound. The limits are
        exact if a vector is a constant.
        """
        lhs, rhs = format_of(self.lhs), format_of(self.rhs)
        length = shape_of(self.lhs)[0]
        if (constant := constant_root(self.rhs)) is not None:
            return lhs.distance_bound(length, rhs, constant.raws.reshape(-1, length))
        if (constant := constant_root(self.lhs)) is not None:
            return rhs.distance_bound(length, lhs, constant.raws.reshape(-1, length))
        return lhs.distance_bound(length, rhs, None)

    def verify_more(self) -> None:
        difference = self.difference
        num.sums_products(self.acc, difference, difference)
        accumulator = self.accumulator
        if self.dest is None:
            num.verify_bound(self.sum_bound, self.derived_bound)
        num.verify_room(accumulator, self.sum_bound, format_of(self.out))

    def real(self, x: Sequence[Any]) -> Array:
        return ((x[0] - x[1]) ** 2).sum(-2, keepdims=True)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives:
        by_lhs = 2 * (x[0] - x[1]) * slope
        return [summed_to(x[0], by_lhs), summed_to(x[1], -by_lhs)]

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        accumulator, difference = self.accumulator, self.difference
        column = difference.sub(m, x[0], format_of(self.lhs), x[1], format_of(self.rhs))
        sums = accumulator.matmul(column.swapaxes(-1, -2), difference, column, difference)
        return format_of(self.out).finish(m, sums, accumulator, self.sum_bound)

    def bits_of_pairs(self, m: NumpyMachine, lhs: Array, rhs: Array) -> Array | None:
        """The results for each of n left vectors and each of m right vectors, as an array of shape (n, m, 1,
        1).

        lhs: the raws of the left vectors, of shape (n, elements, 1).
        rhs: the raws of the right vectors, of shape (m, elements, 1).

        Returns None if the accumulator must compute each pair separately.
        """
        vectors = lhs[..., 0], format_of(self.lhs), rhs[..., 0], format_of(self.rhs)
        if (sums := self.accumulator.squared_distances(*vectors)) is None:
            return None
        return format_of(self.out).finish(m, sums[..., None, None], self.accumulator, self.sum_bound)
