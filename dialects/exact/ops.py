"""The operations that formats share, each of the name of the `Machine`'s method that computes it.

Operands and results are registers of 8 to 64 bits. An interval stands at the result; that of an operand is the interval
of the op that made it, and all of its type if that is no op of this dialect and no constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import signature
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, IntAttr, IntegerAttr, IntegerType, MemRefType, i1, i64
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.specification import RoundedOnce
from tinyml.dialects.machine.bounds import Bounds, Wire
from tinyml.dialects.machine.exact_integers import Condition, Number, choose, clamped, half_up, towards_zero
from tinyml.dialects.machine.machine import WIDTHS, Coder, Int, Machine, limits
from tinyml.dialects.scratch import ConstantOp

__all__ = [
    "AddOp",
    "AddWrappedOp",
    "AtLeastOp",
    "ChooseOp",
    "ClampOp",
    "Coder",
    "DecodeOp",
    "DivideOp",
    "EncodeOp",
    "IntegerOp",
    "IntervalAttr",
    "LowBitsOp",
    "MulOp",
    "NearestQuotientOp",
    "ProductToOp",
    "QuotientOp",
    "RecordedOp",
    "RescaleOp",
    "RescaleToOp",
    "ShiftLeftOp",
    "ShiftRightOp",
    "SubOp",
    "SumToOp",
    "WithinOp",
    "WrappedOp",
    "integer_of",
]

V = TypeVar("V")


@irdl_attr_definition
class IntervalAttr(ParametrizedAttribute):
    """The least and the greatest integer of a register, both included."""

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


def width_of(value: SSAValue) -> int:
    return cast("IntegerType[int, Any]", value.type).width.data


def integer_of(value: SSAValue) -> Int[SSAValue]:
    """A register with the interval that its op states."""
    width = width_of(value)
    if isinstance(op := value.owner, IntegerOp):
        return Int(value, width, *op.interval.ends)
    if isinstance(op, arith.ConstantOp) and (constant := const_evaluate_operand(value)) is not None:
        return Int(value, width, constant, constant)
    return Int(value, width, *limits(width))


class RecordedOp(IRDLOperation, ABC):
    """An op that a machine recorded in place of computing it.

    Its operands and properties have the names of the parameters of the `Machine`'s method.
    """

    METHOD: ClassVar[str]
    """The name of the method."""

    traits = traits_def(Pure())

    def __init__(self, arguments: Sequence[Argument], made: Int[Any] | Wire, tables: Sequence[SSAValue] = ()):
        registers = [one for one in arguments if isinstance(one, SSAValue)]
        super().__init__(
            operands=[*registers, tables] if isinstance(self, _CoderOp) else registers,
            properties=self._properties(arguments) | _interval_of(made),
            result_types=[IntegerType(made.width)],
        )

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
        """The names of the method's parameters, in order."""
        return [*signature(getattr(Machine, cls.METHOD)).parameters][1:]

    @property
    def arguments(self) -> Sequence[Argument]:
        """What the method was called with, integers of programs as their registers."""
        return [_argument(getattr(self, name)) for name in self.parameters()]

    @property
    def given_tables(self) -> Sequence[SSAValue]:
        """The tables that the op's program uses, in order."""
        return ()

    def computed(self, machine: Machine[V], operand: Callable[[SSAValue], Int[V]]) -> Int[V] | V:
        """What a machine computes for the op. operand: the integer of a register."""
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
        """The result for the integers of operands and properties, by their names, without any limit."""


Argument: TypeAlias = "SSAValue | int | Coder"
"""A register, an integer, or a format with a program of its own."""


def _argument(value: Any) -> Argument:
    if isinstance(value, IntegerAttr):
        return cast("IntegerAttr[Any]", value).value.data
    return cast(Argument, number_format(value)) if isinstance(value, Attribute) else value


def _interval_of(made: Int[Any] | Wire) -> dict[str, Attribute]:
    return {"interval": IntervalAttr(made.low, made.high)} if isinstance(made, Int) else {}


class IntegerOp(IRDLOperation, ABC):
    """An op whose result is an integer in an interval."""

    interval = prop_def(IntervalAttr)
    result = result_def(IntegerType)

    def verify_(self) -> None:
        (low, high), width = self.interval.ends, width_of(self.result)
        if width not in WIDTHS:
            raise VerifyException(f"registers have {', '.join(map(str, WIDTHS))} bits, got {width}")
        if not (limits(width)[0] <= low and high <= limits(width)[1]):
            raise VerifyException(f"a register of {width} bits does not hold {self.interval.ends}")


class _Step(IntegerOp, RecordedOp, ABC):
    """A recorded op that gives an integer."""

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
        """Raise `VerifyException` unless the op has the tables that its program uses."""


class _Saturated(_Step, ABC):
    """A recorded op whose result is limited to [`low`, `high`]."""

    limits = prop_def(IntervalAttr)

    @classmethod
    def _properties(cls, arguments: Sequence[Argument]) -> dict[str, Attribute]:
        *_, low, high = arguments
        limits = IntervalAttr(cast(int, low), cast(int, high))
        properties = super()._properties(arguments)
        return {name: one for name, one in properties.items() if name not in ("low", "high")} | {"limits": limits}

    @property
    def low(self) -> int:
        return self.limits.low.data

    @property
    def high(self) -> int:
        return self.limits.high.data


@irdl_op_definition
class WithinOp(IntegerOp):
    """A register of which more is known than the op that made it says; nothing is computed."""

    name = "exact.within"
    REGISTER: ClassVar = VarConstraint("register", BaseAttr(IntegerType))
    value = operand_def(REGISTER)
    result = result_def(REGISTER)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `in` $interval"

    def __init__(self, value: SSAValue, low: int, high: int):
        super().__init__(operands=[value], properties={"interval": IntervalAttr(low, high)}, result_types=[value.type])


@irdl_op_definition
class AddOp(_Step):
    """Sum of two integers."""

    name = "exact.add"
    METHOD: ClassVar[str] = "add"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    assembly_format = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] + x["b"]


@irdl_op_definition
class SubOp(_Step):
    """Difference of two integers."""

    name = "exact.sub"
    METHOD: ClassVar[str] = "sub"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    assembly_format = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] - x["b"]


@irdl_op_definition
class MulOp(_Step):
    """Product of two integers."""

    name = "exact.mul"
    METHOD: ClassVar[str] = "mul"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    assembly_format = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] * x["b"]


@irdl_op_definition
class DivideOp(_Step):
    """Quotient of a number from 0 on and a positive one, rounded down."""

    name = "exact.divide"
    METHOD: ClassVar[str] = "divide"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    assembly_format = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] // x["b"]


@irdl_op_definition
class NearestQuotientOp(_Step):
    """Quotient by a positive constant, rounded to nearest, halves upwards."""

    name = "exact.nearest_quotient"
    METHOD: ClassVar[str] = "nearest_quotient"
    x = operand_def(IntegerType)
    divisor = prop_def(IntegerAttr[I64])
    assembly_format = "$x `by` $divisor attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return half_up(x["x"], x["divisor"])


@irdl_op_definition
class ShiftLeftOp(_Step):
    """`x * 2^amount`."""

    name = "exact.shift_left"
    METHOD: ClassVar[str] = "shift_left"
    x = operand_def(IntegerType)
    amount = prop_def(IntegerAttr[I64])
    assembly_format = "$x `by` $amount attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] * (1 << x["amount"])


@irdl_op_definition
class ShiftRightOp(_Step):
    """`x / 2^amount`, rounded down."""

    name = "exact.shift_right"
    METHOD: ClassVar[str] = "shift_right"
    x = operand_def(IntegerType)
    amount = prop_def(IntegerAttr[I64])
    assembly_format = "$x `by` $amount attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] // (1 << x["amount"])


@irdl_op_definition
class LowBitsOp(_Step):
    """`x` modulo `2^bits`, from 0 on."""

    name = "exact.low_bits"
    METHOD: ClassVar[str] = "low_bits"
    x = operand_def(IntegerType)
    bits = prop_def(IntegerAttr[I64])
    assembly_format = "$x `bits` $bits attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] % (1 << x["bits"])


@irdl_op_definition
class QuotientOp(_Step):
    """`x / 2^right`, rounded towards zero."""

    name = "exact.quotient"
    METHOD: ClassVar[str] = "quotient"
    x = operand_def(IntegerType)
    right = prop_def(IntegerAttr[I64])
    assembly_format = "$x `right` $right attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return towards_zero(x["x"], 1 << x["right"])


@irdl_op_definition
class WrappedOp(_Step):
    """`x` modulo `2^width`, as a signed integer of that width."""

    name = "exact.wrapped"
    METHOD: ClassVar[str] = "wrapped"
    x = operand_def(IntegerType)
    width = prop_def(IntegerAttr[I64])
    assembly_format = "$x `to` $width attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return _wrapped(x["x"], x["width"])


@irdl_op_definition
class AddWrappedOp(_Step):
    """`a + b` modulo `2^width`, as a signed integer of that width."""

    name = "exact.add_wrapped"
    METHOD: ClassVar[str] = "add_wrapped"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    width = prop_def(IntegerAttr[I64])
    assembly_format = "$a `,` $b `to` $width attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return _wrapped(x["a"] + x["b"], x["width"])


@irdl_op_definition
class RescaleOp(_Step):
    """`x / 2^right`, rounded to nearest, halves upwards; exact where `right` is negative."""

    name = "exact.rescale"
    METHOD: ClassVar[str] = "rescale"
    x = operand_def(IntegerType)
    right = prop_def(IntegerAttr[I64])
    assembly_format = "$x `right` $right attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return _rescaled(x["x"], x["right"])


@irdl_op_definition
class RescaleToOp(_Saturated):
    """`x / 2^right` as by `exact.rescale`, limited to [`low`, `high`]."""

    name = "exact.rescale_to"
    METHOD: ClassVar[str] = "rescale_to"
    x = operand_def(IntegerType)
    right = prop_def(IntegerAttr[I64])
    limits = prop_def(IntervalAttr)
    assembly_format = "$x `right` $right `to` $limits attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return clamped(_rescaled(x["x"], x["right"]), x["low"], x["high"])


@irdl_op_definition
class SumToOp(_Saturated):
    """`(a * 2^left + b) / 2^right` as by `exact.rescale`, limited to [`low`, `high`]."""

    name = "exact.sum_to"
    METHOD: ClassVar[str] = "sum_to"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    left = prop_def(IntegerAttr[I64])
    right = prop_def(IntegerAttr[I64])
    limits = prop_def(IntervalAttr)
    assembly_format = (
        "$a `left` $left `,` $b `right` $right `to` $limits attr-dict"
        " `:` type($a) `,` type($b) `->` type($result) `in` $interval"
    )

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return clamped(_rescaled(x["a"] * (1 << x["left"]) + x["b"], x["right"]), x["low"], x["high"])


@irdl_op_definition
class ProductToOp(_Saturated):
    """`a * b / 2^right` as by `exact.rescale`, limited to [`low`, `high`]."""

    name = "exact.product_to"
    METHOD: ClassVar[str] = "product_to"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    right = prop_def(IntegerAttr[I64])
    limits = prop_def(IntervalAttr)
    assembly_format = (
        "$a `,` $b `right` $right `to` $limits attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"
    )

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return clamped(_rescaled(x["a"] * x["b"], x["right"]), x["low"], x["high"])


@irdl_op_definition
class ClampOp(_Step):
    """`x` limited to the interval of the result."""

    name = "exact.clamp"
    METHOD: ClassVar[str] = "clamp"
    x = operand_def(IntegerType)
    assembly_format = "$x attr-dict `:` type($x) `->` type($result) `in` $interval"

    @classmethod
    def _properties(cls, arguments: Sequence[Argument]) -> dict[str, Attribute]:
        # A limit that cannot bind is none.
        return {}

    @property
    def low(self) -> int:
        return self.interval.low.data

    @property
    def high(self) -> int:
        return self.interval.high.data

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return clamped(x["x"], x["low"], x["high"])


@irdl_op_definition
class ChooseOp(_Step):
    """`a` where the condition holds, `b` elsewhere."""

    name = "exact.choose"
    METHOD: ClassVar[str] = "choose"
    condition = operand_def(i1)
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    assembly_format = "$condition `,` $a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return choose(x["condition"], x["a"], x["b"])


@irdl_op_definition
class AtLeastOp(RecordedOp):
    """The truth value of `x >= threshold`."""

    name = "exact.at_least"
    METHOD: ClassVar[str] = "at_least"
    x = operand_def(IntegerType)
    threshold = prop_def(IntegerAttr[I64])
    result = result_def(i1)
    assembly_format = "$x `,` $threshold attr-dict `:` type($x)"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] >= x["threshold"]


class _CoderOp(_Step, ABC):
    """A step that a format computes by a program of its own, perhaps by tables."""

    format = prop_def()
    tables = var_operand_def(MemRefType)

    @property
    def given_tables(self) -> Sequence[SSAValue]:
        return self.tables

    def verify_(self) -> None:
        if not isinstance(number_format(self.format), Coder):
            raise VerifyException(f"{self.format} is no format that is decoded")
        super().verify_()

    def verify_tables(self, used: Sequence[Any]) -> None:
        given = [table.owner.raws for table in self.tables if isinstance(table.owner, ConstantOp)]
        if [table.tolist() for table in given] != [table.tolist() for table in used]:
            raise VerifyException(f"the tables are not those of {self.format}")

    @property
    def documented(self) -> RoundedOnce:
        """What the format documents; raises `InputError` if it documents nothing that could be proved."""
        format = number_format(self.format)
        documented = None if format is None else format.specification
        if not isinstance(documented, RoundedOnce):
            raise InputError(f"{self.format} documents nothing that could be proved")
        return documented


@irdl_op_definition
class DecodeOp(_CoderOp):
    """The integer that a raw of a format stands for, in the format's unit."""

    name = "exact.decode"
    METHOD: ClassVar[str] = "decode"
    raws = operand_def(IntegerType)
    assembly_format = (
        "$raws (`from` $tables^ `:` type($tables))? `as` $format attr-dict"
        " `:` type($raws) `->` type($result) `in` $interval"
    )

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return self.documented.integer(x["raws"])


@irdl_op_definition
class EncodeOp(_CoderOp):
    """The raw of a format that is nearest to `x * 2^-scale`."""

    name = "exact.encode"
    METHOD: ClassVar[str] = "encode"
    x = operand_def(IntegerType)
    scale = prop_def(IntegerAttr[I64])
    assembly_format = (
        "$x `scale` $scale (`from` $tables^ `:` type($tables))? `as` $format attr-dict"
        " `:` type($x) `->` type($result) `in` $interval"
    )

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return self.documented.rounded(x["x"], x["scale"])


def _rescaled(x: Number, right: int) -> Number:
    return half_up(x, 1 << right) if right > 0 else x * (1 << -right)


def _wrapped(x: Number, width: int) -> Number:
    half = 1 << width - 1
    return (x + half) % (2 * half) - half
