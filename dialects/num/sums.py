"""The ops on a sum of products, from its initial value to its final rounding.

The IR contains the proof that a sum does not overflow: `bound = array<i64: least, greatest>`.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i8, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import Bound, NumberFormat
from tinyml.dialects.num.base import (
    INTEGER_SUM,
    SAME_INTEGER_SUM,
    SAME_SUM,
    SCALAR,
    SUM,
    Computation,
    NumOp,
    accumulator_type,
    format_of,
)

__all__ = [
    "BOUND",
    "AddShiftedOp",
    "AlignOp",
    "FinishOp",
    "JoinOp",
    "LevelOp",
    "MacOp",
    "ShiftOp",
    "StartOp",
    "ZeroOp",
    "bound_of",
    "is_within",
    "proof",
    "verify_bound",
    "verify_room",
]

BOUND = DenseArrayBase.constr(i64)


def proof(bound: Bound | None) -> dict[str, Attribute]:
    """The property `bound` that states a bound, by name; empty if `bound` is None, because the sum needs no proof."""
    return {} if bound is None else {"bound": DenseArrayBase.from_list(i64, bound)}


def bound_of(stated: DenseArrayBase[IntegerType] | None) -> Bound | None:
    """The bound (least, greatest) that the property `stated` contains; None if the property is missing.

    Raises `VerifyException` unless the property is an ordered pair of integers.
    """
    if stated is None:
        return None
    values = stated.get_values()
    if len(values) != 2 or not values[0] <= values[1]:
        raise VerifyException(f"bound must be the least and the greatest of a sum, got {stated}")
    return cast(Bound, tuple(values))


def is_within(derived: Bound | None, stated: Bound | None) -> bool:
    """True if the derived bound does not exceed the stated bound, or if either bound is missing."""
    return stated is None or derived is None or stated[0] <= derived[0] <= derived[1] <= stated[1]


def verify_bound(stated: Bound | None, derived: Bound | None) -> None:
    """Raise `VerifyException` if a sum can exceed the bound that its op states.

    stated: the bound that the op states; None if it states no bound.
    derived: the bound that follows from the operands; None if it is unknown.
    """
    if derived is not None and not is_within(derived, stated):
        raise VerifyException(f"sums go from {derived[0]} to {derived[1]}, beyond the bound")


def verify_room(accumulator: Accumulator, bound: Bound | None, result: NumberFormat) -> None:
    """Raise `VerifyException` if a sum within the known `bound` can overflow its accumulator, as a sum or while it is
    rounded to `result`.
    """
    if bound is not None and not accumulator.holds(bound, result):
        sums = f"sums from {bound[0]} to {bound[1]}"
        raise VerifyException(f"{accumulator.type} cannot hold {sums} and round them into {result.type}")


@irdl_op_definition
class ZeroOp(NumOp):
    """A sum whose initial value is zero."""

    name = "num.zero"
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: Attribute):
        super().__init__(result_types=[type])

    def computation(self) -> Computation:
        accumulator = accumulator_type(self.result)
        return lambda machine, x: accumulator.zero(machine)


@irdl_op_definition
class StartOp(NumOp):
    """A sum whose initial value is a number."""

    name = "num.start"
    value = operand_def(SCALAR)
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue, type: Attribute):
        super().__init__(operands=[value], result_types=[type])

    def verify_(self) -> None:
        if not accumulator_type(self.result).starts(format_of(self.value)):
            raise VerifyException(f"a sum in {self.result.type} does not start from {self.value.type}")

    def computation(self) -> Computation:
        accumulator, format = accumulator_type(self.result), format_of(self.value)
        return lambda machine, x: accumulator.start(machine, x[0], format)


@irdl_op_definition
class AlignOp(NumOp):
    """A sum converted to an accumulator with a finer unit, so that products with another scale can be added to it."""

    name = "num.align"
    sum = operand_def(SUM)
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, type: Attribute):
        super().__init__(operands=[sum], result_types=[type])

    def verify_(self) -> None:
        if not accumulator_type(self.result).follows(accumulator_type(self.sum)):
            raise VerifyException(f"a sum in {self.sum.type} does not go on in {self.result.type}")

    def computation(self) -> Computation:
        accumulator, before = accumulator_type(self.result), accumulator_type(self.sum)
        return lambda machine, x: accumulator.align(machine, x[0], before)


@irdl_op_definition
class MacOp(NumOp):
    """sum + lhs * rhs, in the accumulator of the sum."""

    name = "num.mac"
    sum = operand_def(SAME_SUM)
    lhs = operand_def(SCALAR)
    rhs = operand_def(SCALAR)
    result = result_def(SAME_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[sum, lhs, rhs], result_types=[sum.type])

    def verify_(self) -> None:
        accumulator, lhs, rhs = accumulator_type(self.sum), format_of(self.lhs), format_of(self.rhs)
        if accumulator.below is not None or not accumulator.sums(lhs, rhs):
            raise VerifyException(accumulator.refusal(lhs, rhs))

    def computation(self) -> Computation:
        accumulator, lhs, rhs = accumulator_type(self.sum), format_of(self.lhs), format_of(self.rhs)
        return lambda machine, x: accumulator.mac(machine, x[0], x[1], lhs, x[2], rhs)


@irdl_op_definition
class JoinOp(NumOp):
    """The sum of `sum` and `part`, as one step of a sum that adds products as a tree.

    Within a tree, `part` is a sum of the level below. The sum of a complete tree has the type of `sum`.
    """

    name = "num.join"
    sum = operand_def(SAME_SUM)
    part = operand_def(SUM)
    result = result_def(SAME_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $part attr-dict `:` type($sum) `,` type($part) `->` type($result)"

    def __init__(self, sum: SSAValue, part: SSAValue):
        super().__init__(operands=[sum, part], result_types=[sum.type])

    def verify_(self) -> None:
        below = accumulator_type(self.sum).below
        if below is None or self.part.type not in (self.sum.type, below.type):
            raise VerifyException(f"a sum in {self.sum.type} does not join {self.part.type}")

    def computation(self) -> Computation:
        accumulator, part = accumulator_type(self.sum), accumulator_type(self.part)
        return lambda machine, x: accumulator.join(machine, x[0], x[1], part)


@irdl_op_definition
class ShiftOp(NumOp):
    """sum / 2^places, rounded down. The op applies only to integer sums."""

    name = "num.shift"
    sum = operand_def(SAME_INTEGER_SUM)
    places = operand_def(i8)
    result = result_def(SAME_INTEGER_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $places attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, places: SSAValue):
        super().__init__(operands=[sum, places], result_types=[sum.type])

    def computation(self) -> Computation:
        accumulator = accumulator_type(self.sum)
        return lambda machine, x: accumulator.shifted(machine, x[0], x[1])


@irdl_op_definition
class AddShiftedOp(NumOp):
    """The sum of `sum` and `part * 2^places`, for integer sums.

    The op adds the products of a group with a coarser unit to a sum. `part` may be in a wider register than the sum,
    because a kernel has computed it there. The value of `part` fits in the register of the sum.
    """

    name = "num.add_shifted"
    sum = operand_def(SAME_INTEGER_SUM)
    part = operand_def(INTEGER_SUM)
    places = operand_def(i8)
    result = result_def(SAME_INTEGER_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $part `,` $places attr-dict `:` type($sum) `,` type($part) `->` type($result)"

    def __init__(self, sum: SSAValue, part: SSAValue, places: SSAValue):
        super().__init__(operands=[sum, part, places], result_types=[sum.type])

    def verify_(self) -> None:
        sum, part = accumulator_type(self.sum), accumulator_type(self.part)
        if self.part.type != sum.widened(part.bits).type:
            raise VerifyException(f"a part in {self.part.type} does not join a sum in {self.sum.type}")

    def computation(self) -> Computation:
        accumulator = accumulator_type(self.sum)
        return lambda machine, x: accumulator.add_shifted(machine, x[0], x[1], x[2])


@irdl_op_definition
class LevelOp(NumOp):
    """The complete sum of the row with index `row`, converted from the scale of this row to the scale of all rows."""

    name = "num.level"
    sum = operand_def(SUM)
    row = operand_def(IndexType)
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `row` $row attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, row: SSAValue, type: Attribute):
        super().__init__(operands=[sum, row], result_types=[type])

    def verify_(self) -> None:
        accumulator, result = accumulator_type(self.sum), accumulator_type(self.result)
        if accumulator.FAMILY != result.FAMILY:
            raise VerifyException(f"a sum in {self.sum.type} does not go on in {self.result.type}")
        if result.has_row_scales or type(result) is not type(accumulator):
            raise VerifyException(f"{self.result.type} is not an accumulator of one scale for sums in {self.sum.type}")

    def computation(self) -> Computation:
        accumulator, levelled = accumulator_type(self.sum), accumulator_type(self.result)
        return lambda machine, x: accumulator.level_row(machine, x[0], x[1], levelled)


@irdl_op_definition
class FinishOp(NumOp):
    """A complete sum, rounded to a format.

    `bound` states the least and the greatest possible sum. It proves that the sum does not overflow.
    """

    name = "num.finish"
    sum = operand_def(SUM)
    bound = opt_prop_def(BOUND)
    result = result_def(SCALAR)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sum attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, type: Attribute, bound: Bound | None = None):
        super().__init__(operands=[sum], properties=proof(bound), result_types=[type])

    def verify_(self) -> None:
        accumulator, result = accumulator_type(self.sum), format_of(self.result)
        if not accumulator.rounds_into(result):
            raise VerifyException(f"a sum in {self.sum.type} cannot be rounded into {self.result.type}; convert first")
        verify_room(accumulator, self.sum_bound, result)

    @property
    def sum_bound(self) -> Bound | None:
        return bound_of(self.bound)

    def computation(self) -> Computation:
        accumulator, result, bound = accumulator_type(self.sum), format_of(self.result), self.sum_bound
        return lambda machine, x: result.finish(machine, x[0], accumulator, bound)
