"""The base class of ops that formats define, the lookup of formats, and rules on operands."""

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
"""A program over a machine: a function from the machine and the operands to the result."""


class NumOp(IRDLOperation, ABC):
    """An op on scalars or sums that is defined by a method of its `NumberFormat` or `Accumulator`.

    The evaluator runs that method on the numpy machine, and the lowering to bits on the machine that emits IR, so that
    one definition serves both.
    """

    @abstractmethod
    def computation(self) -> Computation:
        """The op as a program; formats are looked up now, as types may change before the program runs."""


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


def sums_products(sum: Attribute, lhs: NumberFormat, rhs: NumberFormat) -> None:
    """Verify that an accumulator can hold products of two formats."""
    if (accumulator := accumulator_of(sum)) is None:
        raise VerifyException(f"expected sums in accumulators, got {sum}")
    if not accumulator.sums(lhs, rhs):
        raise VerifyException(f"{sum} does not sum products of {lhs.type} and {rhs.type}")


def same_family(op: IRDLOperation, *formats: NumberFormat) -> None:
    """Verify that formats belong to one family."""
    if len(names := {format.FAMILY for format in formats}) > 1:
        raise VerifyException(f"{op.name} mixes the families {', '.join(sorted(names))}; convert first")
