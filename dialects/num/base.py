"""The base of the ops that a format defines, the lookup of formats, and the rule that operands are of one family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import NumberFormat, number_format

if TYPE_CHECKING:
    from tinyml.dialects.machine.machine import Machine

__all__ = ["Computation", "NumOp", "accumulator_type", "format_of", "sums_products"]

Computation: TypeAlias = "Callable[[Machine[Any], Sequence[Any]], Any]"
"""A program over a machine, which takes the machine and the operands and gives the result."""


class NumOp(IRDLOperation, ABC):
    """An op on scalars or sums that means a method of its `NumberFormat` or `Accumulator`.

    The evaluator runs it on numpy's machine and the lowering to bits on the machine that emits IR, so that an op is
    defined here once.
    """

    @abstractmethod
    def computation(self) -> Computation:
        """The op as a program; formats are looked up now, so that types may change before it runs."""


def format_of(value: SSAValue) -> NumberFormat:
    """The format of a scalar."""
    if (format := number_format(value.type)) is None:
        raise VerifyException(f"expected a scalar of a number format, got {value.type}")
    return format


def accumulator_type(value: SSAValue) -> Accumulator:
    """The accumulator of a sum."""
    if (accumulator := accumulator_of(value.type)) is None:
        raise VerifyException(f"expected an accumulator, got {value.type}")
    return accumulator


def keeps_sum(sum: SSAValue, result: SSAValue) -> None:
    """The rule that a sum goes on in the accumulator that it came in."""
    if sum.type != result.type:
        raise VerifyException(f"the sum changes its type from {sum.type} to {result.type}")


def sums_products(sum: Attribute, lhs: NumberFormat, rhs: NumberFormat) -> None:
    """The rule that an accumulator can hold products of two formats."""
    if (accumulator := accumulator_of(sum)) is None:
        raise VerifyException(f"expected sums in accumulators, got {sum}")
    if not accumulator.sums(lhs, rhs):
        raise VerifyException(f"{sum} does not sum products of {lhs.type} and {rhs.type}")


def same_family(op: IRDLOperation, *formats: NumberFormat) -> None:
    """The rule that formats meet only within one family."""
    if len(names := {format.FAMILY for format in formats}) > 1:
        raise VerifyException(f"{op.name} mixes the families {', '.join(sorted(names))}; convert first")
