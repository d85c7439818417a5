"""The base class of the ops that number formats define, and the constraints on the types of their operands and
results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import Float32Type, IntegerType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrConstraint, BaseAttr, IRDLOperation, MessageConstraint, VarConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.operations import DialectOp

if TYPE_CHECKING:
    from tinyml.dialects.machine.machine import Machine

__all__ = ["Computation", "NumOp", "accumulator_type", "format_of", "sums_products"]


_FAMILY = "family"
"""The constraint variable for the family of an op's formats."""


class _TypeConstraint(AttrConstraint):
    """The base class of xDSL constraints on types that bind no type variables."""

    def mapping_type_vars(self, type_var_mapping: Mapping[Any, Any]) -> AttrConstraint:
        return self


@dataclass(frozen=True)
class FormatConstraint(_TypeConstraint):
    """The constraint that a type is a number format.

    what: a description of the operand, for error messages.
    one_family: true if all formats with this constraint in one op must belong to one family.
    """

    what: str = "a scalar of a number format"
    one_family: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if (format := number_format(attr)) is None:
            raise VerifyException(f"expected {self.what}, got {attr}")
        if not self.one_family:
            return
        family = constraint_context.get_variable(_FAMILY)
        if isinstance(family, StringAttr) and family.data != format.FAMILY:
            names = ", ".join(sorted((family.data, format.FAMILY)))
            raise VerifyException(f"mixes the families {names}; convert first")
        constraint_context.set_attr_variable(_FAMILY, StringAttr(format.FAMILY))


@dataclass(frozen=True)
class SumConstraint(_TypeConstraint):
    """The constraint that a type is an accumulator.

    integer: true if its sums must be integers, because the op shifts them.
    """

    integer: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if (accumulator := accumulator_of(attr)) is None:
            raise VerifyException(f"expected an accumulator, got {attr}")
        if self.integer and not accumulator.INTEGER:
            raise VerifyException(f"{attr} is not an integer that could be shifted")


class OrderedConstraint(FormatConstraint):
    """The constraint that a type is a number format or an accumulator, whose values can be compared."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if accumulator_of(attr) is None:
            super().verify(attr, constraint_context)


@dataclass(frozen=True)
class SameType(VarConstraint[Attribute]):
    """The constraint that a type is the same wherever the op uses this constraint.

    message: the error message, in which each `{}` is replaced by one of two types that differ.
    """

    message: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        first = constraint_context.get_variable(self.name)
        if first is not None and first != attr:
            raise VerifyException(self.message.format(first, attr))
        super().verify(attr, constraint_context)


SCALAR = FormatConstraint()
OF_ONE_FAMILY = FormatConstraint(one_family=True)
"""The constraint that operands and results are scalars in formats of one family."""
FORMAT = FormatConstraint("a number format")
FORMAT_OF_ONE_FAMILY = FormatConstraint("a number format", one_family=True)
SUM = SumConstraint()
SAME_SUM = SameType("sum", SUM, "the sum changes its type from {} to {}")
"""The constraint that the sum operand and the sum result of a routine have the same type."""
INTEGER_SUM = SumConstraint(integer=True)
SAME_INTEGER_SUM = SameType("sum", INTEGER_SUM, "the sum changes its type from {} to {}")
CLAMPED = SameType("clamped", SCALAR, "a clamp keeps its format, got {} -> {}")
COMPARED = SameType("compared", OrderedConstraint(), "compares one format, got {} and {}")
COMPARED_OF_ONE_FAMILY = SameType("compared", OF_ONE_FAMILY, "compares one format, got {} and {}")
TOTAL = MessageConstraint(BaseAttr(IntegerType) | BaseAttr(Float32Type), "expected a total, an integer or f32")
SAME_TOTAL = SameType("total", TOTAL, "the total changes its type from {} to {}")


Computation: TypeAlias = "Callable[[Machine[Any], Sequence[Any]], Any]"
"""A program over a machine: a function from the machine and the operands to the result."""


class NumOp(DialectOp, ABC):
    """An op on scalars or sums of products that is defined by a method of the `NumberFormat` or the `Accumulator`.

    The evaluator runs this method on the numpy machine. The lowering of the op runs it on the machine that emits IR.
    """

    @abstractmethod
    def computation(self) -> Computation:
        """The program that computes the op on any machine. The program refers to the formats of the current types,
        because later passes may change the types of the op.
        """


def format_of(value: SSAValue) -> NumberFormat:
    """The number format of a scalar. Raises `VerifyException` for a value of any other type."""
    if (format := number_format(value.type)) is None:
        raise VerifyException(f"expected a scalar of a number format, got {value.type}")
    return format


def accumulator_type(value: SSAValue) -> Accumulator:
    """The accumulator that is the type of a sum. Raises `VerifyException` for any other value."""
    if (accumulator := accumulator_of(value.type)) is None:
        raise VerifyException(f"expected an accumulator, got {value.type}")
    return accumulator


def sums_products(sum: Attribute, lhs: NumberFormat, rhs: NumberFormat) -> None:
    """Raise `VerifyException` unless the accumulator `sum` supports products of elements of two formats."""
    if (accumulator := accumulator_of(sum)) is None:
        raise VerifyException(f"expected sums in accumulators, got {sum}")
    if not accumulator.sums(lhs, rhs):
        raise VerifyException(accumulator.refusal(lhs, rhs))


def same_family(op: IRDLOperation, *formats: NumberFormat) -> None:
    """Raise `VerifyException` unless all formats belong to one family."""
    if len(names := {format.FAMILY for format in formats}) > 1:
        raise VerifyException(f"{op.name} mixes the families {', '.join(sorted(names))}; convert first")
