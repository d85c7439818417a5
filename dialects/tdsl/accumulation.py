"""Ops on sums of products in memory, whose element type is an accumulator instead of a number format."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import Bound, Factor, Product
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.numpy_machine import stacked_matmul
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Shape,
    TensorOp,
    accumulator_elements,
    broadcast,
    build,
    format_of,
    proven_interval,
    shape_of,
    spell,
)
from tinyml.dialects.tdsl.contraction import ShiftsRows, carried_product, raws_taken, verify_shifts
from tinyml.dialects.tdsl.elementwise import PointwiseOp
from tinyml.dialects.tdsl.movement import IndexOp
from tinyml.dialects.tdsl.values import Arithmetic, Array, Derivatives, Factored, ranked, spread, summed_to

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["AccumulateOp", "FinishOp", "MacOp", "StartOp", "ZeroOp"]


@irdl_op_definition
class ZeroOp(TensorOp):
    """A tensor of sums whose initial value is zero."""

    name = "tdsl.zero"
    assembly_format = "attr-dict (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, result: TensorType[Attribute]):
        build(self, [], result)

    def infer_shape(self) -> Shape:
        return shape_of(self.out)

    def verify_formats(self) -> None:
        accumulator_elements(self.out)

    def real(self, x: Sequence[Any]) -> Array:
        return np.zeros((1, *shape_of(self.out)))

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return np.broadcast_to(accumulator_elements(self.out).zero(m), (1, *shape_of(self.out)))


@irdl_op_definition
class StartOp(TensorOp):
    """A tensor of sums with initial values. The initial values are broadcast to the result by numpy's rules."""

    name = "tdsl.start"
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, result: TensorType[Attribute]):
        build(self, [input], result)

    def infer_shape(self) -> Shape:
        shape = shape_of(self.out)
        if broadcast(shape, shape_of(self.input)) != shape:
            raise VerifyException(f"{spell(shape_of(self.input))} does not broadcast to {spell(shape)}")
        return shape

    def verify_formats(self) -> None:
        accumulator, format = accumulator_elements(self.out), format_of(self.input)
        if not accumulator.starts(format):
            raise VerifyException(f"no sum in {accumulator.type} starts from {format.type}")

    def real(self, x: Sequence[Any]) -> Array:
        return self._spread(x[0])

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return self._spread(accumulator_elements(self.out).start(m, x[0], format_of(self.input)))

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives:
        return [summed_to(x[0], slope)]

    def _spread(self, sums: Array) -> Array:
        shape = shape_of(self.out)
        return spread(ranked(sums, 1 + len(shape)), (len(sums), *shape))


class SumOp(TensorOp, ABC):
    """Add products of two factors to sums in their accumulator. The sums are not rounded to a number format."""

    sum = operand_def(SHAPED)
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue):
        build(self, [sum, lhs, rhs], cast("TensorType[Attribute]", sum.type))

    @property
    def updated(self) -> SSAValue:
        return self.sum

    def reads_in_place(self, operand: SSAValue) -> bool:
        return operand not in (self.lhs, self.rhs)

    def verify_formats(self) -> None:
        accumulator = accumulator_elements(self.sum)
        if accumulator_elements(self.out).type != accumulator.type:
            raise VerifyException("the sum changes its accumulator")
        num.sums_products(accumulator.type, format_of(self.lhs), format_of(self.rhs))


@irdl_op_definition
class MacOp(SumOp):
    """`result[..] = sum[..] + lhs[..] * rhs[..]`, with the factors broadcast by numpy's rules. The sums are not
    rounded.
    """

    name = "tdsl.mac"

    def infer_shape(self) -> Shape:
        shape = shape_of(self.sum)
        if broadcast(shape, broadcast(shape_of(self.lhs), shape_of(self.rhs))) != shape:
            raise VerifyException(f"the factors do not broadcast to {spell(shape)}")
        return shape

    def real(self, x: Sequence[Any]) -> Array:
        sum, lhs, rhs = x
        return sum + ranked(lhs, sum.ndim) * ranked(rhs, sum.ndim)

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        sum, lhs, rhs = (ranked(operand, x[0].ndim) for operand in x)
        return accumulator_elements(self.out).mac(m, sum, lhs, format_of(self.lhs), rhs, format_of(self.rhs))

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives:
        lhs, rhs = (ranked(operand, slope.ndim) for operand in x[1:])
        return [slope, summed_to(x[1], slope * rhs), summed_to(x[2], slope * lhs)]


@irdl_op_definition
class AccumulateOp(SumOp):
    """`result[i] = sum[i] + sum_k lhs[i, k] * rhs[k]`, added in ascending order of k. The sums are not rounded to a
    number format.
    """

    name = "tdsl.accumulate"

    def infer_shape(self) -> Shape:
        sum, lhs, rhs = (shape_of(value) for value in (self.sum, self.lhs, self.rhs))
        if len(lhs) != 2 or rhs != (lhs[1], 1) or sum != (lhs[0], 1):
            raise VerifyException(f"adds a matrix times a column vector, got {spell(lhs)} times {spell(rhs)}")
        return sum

    def real(self, x: Sequence[Any]) -> Array:
        return x[0] + stacked_matmul(x[1], x[2])

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return accumulator_elements(self.out).matmul(x[1], format_of(self.lhs), x[2], format_of(self.rhs), x[0])

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives:
        return [slope, Factored(slope, x[2]), x[1].swapaxes(-1, -2) @ slope]


@irdl_op_definition
class FinishOp(PointwiseOp, ShiftsRows):
    """Complete sums, each rounded to a number format. `bound` states the least and the greatest possible sum.

    The last axis is that of the rows of weights, which may have separate scales or `row_shifts`.
    """

    name = "tdsl.finish"
    ROW_AXIS: ClassVar[int] = -1
    input = operand_def(SHAPED)
    bound = opt_prop_def(num.BOUND)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, element: Attribute, bound: Bound | None):
        build(self, [input], TensorType(element, shape_of(input)), num.proof(bound))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)

    def verify_formats(self) -> None:
        accumulator, format = accumulator_elements(self.input), format_of(self.out)
        if not accumulator.rounds_into(format):
            raise VerifyException(f"cannot finish {accumulator.type} in {format.type}")
        num.verify_room(accumulator, self.sum_bound, format)
        if self.shifts is not None:
            verify_shifts(self.shifts, shape_of(self.out)[self.ROW_AXIS])
        if self.sum_bound is not None and (product := self.product) is not None:
            num.verify_bound(self.sum_bound, format.sum_bound([product]))

    @property
    def product(self) -> Product | None:
        """The product whose sums are complete; None if it is unknown.

        It is known if the sums are those of a loop that starts at zero and adds `constant[i] * x` in each iteration,
        where x is a factor or the factors of a block.
        """
        loop = self.input.owner
        if not isinstance(loop, scf.ForOp):
            return None
        body, position = loop.body.block, loop.results.index(cast("OpResult[Attribute]", self.input))
        step = cast(scf.YieldOp, body.last_op).operands[position].owner
        if not (isinstance(step, SumOp) and step.sum is body.args[1 + position]):
            return None
        if not isinstance(loop.iter_args[position].owner, ZeroOp):
            return None
        if isinstance(step, AccumulateOp):
            weights = step.lhs.owner
            return _blocked_product(loop, weights, step.rhs) if isinstance(weights, IndexOp) else None
        sides = (step.lhs, step.rhs), (step.rhs, step.lhs)
        products = (carried_product(loop, w.owner, x) for w, x in sides if isinstance(w.owner, IndexOp))
        return next((product for product in products if product is not None), None)

    @property
    def sum_bound(self) -> Bound | None:
        return num.bound_of(self.bound)

    def real(self, x: Sequence[Any]) -> Array:
        return x[0] if self.shifts is None else np.ldexp(x[0], -np.array(self.shifts))

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        accumulator, [sums] = accumulator_elements(self.input), x
        if self.shifts is not None:
            sums = accumulator.shifted(m, sums, m.constant(np.array(self.shifts, np.int8)))
        return self.rounded(m, sums, accumulator, np.arange(shape_of(self.out)[self.ROW_AXIS]))

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives:
        return [slope if self.shifts is None else np.ldexp(slope, -np.array(self.shifts))]


def _blocked_product(loop: scf.ForOp, weights: IndexOp, factors: SSAValue) -> Product | None:
    """A description of the products `constant[i] * factors` that a loop over blocks i adds, as by `carried_product`.

    weights: a matrix with a column for each element of `factors`.
    """
    if (raws := raws_taken(loop, weights)) is None:
        return None
    rows = raws.swapaxes(0, 1).reshape(raws.shape[1], len(raws) * raws.shape[2])
    known = Factor(format_of(weights.out), rows)
    return Product(rows.shape[1], known, Factor(format_of(factors), interval=proven_interval(factors)))
