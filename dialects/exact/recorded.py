"""Base classes of the ops of `exact`. Each op records a call of one `Machine` method, which `lower-exact-to-arith`
executes.

An op states the interval of its result as an attribute. The interval of an operand is the interval stated by its
defining op. A constant has the interval of its value. Any other operand has the whole interval of its type.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import signature
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntAttr, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.machine.bounds import Bounds, Wire
from tinyml.dialects.machine.exact_integers import Condition, Number
from tinyml.dialects.machine.machine import WIDTHS, Coder, Int, Machine, limits
from tinyml.dialects.operations import DialectOp, width_of

__all__ = ["IntegerOp", "IntervalAttr", "RecordedOp", "WithinOp", "integer_of"]

V = TypeVar("V")


@irdl_attr_definition
class IntervalAttr(ParametrizedAttribute):
    """The least and the greatest integer that a register may contain, both inclusive."""

    name = "exact.interval"
    low: IntAttr
    high: IntAttr

    def __init__(self, low: int, high: int):
        super().__init__(IntAttr(low), IntAttr(high))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_square_brackets():
            low = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            high = parser.parse_integer(allow_boolean=False)
        return [IntAttr(low), IntAttr(high)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_square_brackets():
            printer.print_string(f"{self.low.data}, {self.high.data}")

    @property
    def ends(self) -> tuple[int, int]:
        return self.low.data, self.high.data

    def verify(self) -> None:
        if self.low.data > self.high.data:
            raise VerifyException(f"an interval rises, got {self}")


def integer_of(value: SSAValue) -> Int[SSAValue]:
    """A register as an `Int` with the interval that its defining op states. Without a stated interval, the interval is
    that of the type.
    """
    width = width_of(value)
    if isinstance(op := value.owner, IntegerOp):
        return Int(value, width, *op.interval.ends)
    if isinstance(op, arith.ConstantOp) and (constant := const_evaluate_operand(value)) is not None:
        return Int(value, width, constant, constant)
    return Int(value, width, *limits(width))


class RecordedOp(DialectOp, ABC):
    """An op that records a call of one `Machine` method.

    Its operands and properties have the names of the method's parameters.
    """

    METHOD: ClassVar[str]
    """The name of the recorded method of `Machine`."""

    traits = traits_def(Pure())

    def __init__(self, arguments: Sequence[Argument], made: Int[Any] | Wire, tables: Sequence[SSAValue] = ()):
        registers = [one for one in arguments if isinstance(one, SSAValue)]
        super().__init__(
            operands=self._of_arguments(registers, tables),
            properties=self._properties(arguments) | _interval_of(made),
            result_types=[IntegerType(made.width)],
        )

    @classmethod
    def _of_arguments(cls, registers: Sequence[SSAValue], tables: Sequence[SSAValue]) -> Sequence[Any]:
        return registers

    @classmethod
    def _properties(cls, arguments: Sequence[Argument]) -> dict[str, Attribute]:
        return {
            name: IntegerAttr(one, i64) if isinstance(one, int) else one.type
            for name, one in zip(cls.parameters(), arguments, strict=True)
            if not isinstance(one, SSAValue)
        }

    @classmethod
    @cache
    def parameters(cls) -> Sequence[str]:
        return [*signature(getattr(Machine, cls.METHOD)).parameters][1:]

    @property
    def arguments(self) -> Sequence[Argument]:
        return [_argument(getattr(self, name)) for name in self.parameters()]

    @property
    def given_tables(self) -> Sequence[SSAValue]:
        """The operands of the op that are look-up tables, in the order in which the computation uses the tables."""
        return ()

    def computed(self, machine: Machine[V], operand: Callable[[SSAValue], Int[V]]) -> Int[V] | V:
        """The result of the recorded call, executed on `machine`.

        operand: a function that returns the integer that a register of the IR contains.
        """
        given = [self._given(one, operand) for one in self.arguments]
        return getattr(machine, self.METHOD)(*given)

    @staticmethod
    def _given(argument: Argument, operand: Callable[[SSAValue], Int[V]]) -> int | Coder | V | Int[V]:
        if not isinstance(argument, SSAValue):
            return argument
        integer = operand(argument)
        return integer.value if argument.type == i1 else integer

    @abstractmethod
    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        """The result of the op, not yet clamped, as the format's specification defines it.

        x: the integer operands and properties by name.
        """


Argument: TypeAlias = "SSAValue | int | Coder"
"""A register, an integer, or a format that defines programs for its conversions."""


def _argument(value: Any) -> Argument:
    if isinstance(value, IntegerAttr):
        return cast("IntegerAttr[Any]", value).value.data
    return cast(Argument, number_format(value)) if isinstance(value, Attribute) else value


def _interval_of(made: Int[Any] | Wire) -> dict[str, Attribute]:
    return {"interval": IntervalAttr(made.low, made.high)} if isinstance(made, Int) else {}


class IntegerOp(DialectOp, ABC):
    """An op whose result is an integer. The attribute `interval` states an interval that contains the result."""

    interval = prop_def(IntervalAttr)
    result = result_def(IntegerType)

    def verify_(self) -> None:
        (low, high), width = self.interval.ends, width_of(self.result)
        if width not in WIDTHS:
            raise VerifyException(f"registers have {', '.join(map(str, WIDTHS))} bits, got {width}")
        if not (limits(width)[0] <= low and high <= limits(width)[1]):
            raise VerifyException(f"a register of {width} bits does not hold {self.interval.ends}")


class Step(IntegerOp, RecordedOp, ABC):
    """A recorded op whose result is an integer."""

    def verify_(self) -> None:
        super().verify_()
        bounds = Bounds()
        try:
            implied = self.computed(cast("Machine[Any]", bounds), integer_of)
        except (ArithmeticError, ValueError, InputError) as error:
            raise VerifyException(f"{self.name} cannot be computed: {error}") from error
        assert isinstance(implied, Int)
        low, high = self.interval.ends
        if not (low <= implied.low and implied.high <= high):
            raise VerifyException(f"the result lies in [{implied.low}, {implied.high}], got [{low}, {high}]")
        self.verify_tables([table for _, table in bounds.tables])

    def verify_tables(self, used: Sequence[Any]) -> None:
        """Raise `VerifyException` unless the table operands of the op equal `used`, the tables that its computation
        looks up.
        """


@irdl_op_definition
class WithinOp(IntegerOp):
    """The operand itself, with a narrower interval than its defining op states. The op generates no code."""

    name = "exact.within"
    REGISTER: ClassVar = VarConstraint("register", BaseAttr(IntegerType))
    value = operand_def(REGISTER)
    result = result_def(REGISTER)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `in` $interval"

    def __init__(self, value: SSAValue, low: int, high: int):
        super().__init__(operands=[value], properties={"interval": IntervalAttr(low, high)}, result_types=[value.type])
