"""The integer operations that all formats share. Each op is named after the `Machine` method that computes it.

Operands and results are registers of 8 to 64 bits.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from tinyml.dialects.exact.recorded import Argument, IntervalAttr, RecordedOp, Step
from tinyml.dialects.machine.exact_integers import Condition, Number, choose, clamped, half_up, towards_zero

__all__ = [
    "AddOp",
    "AddWrappedOp",
    "AtLeastOp",
    "ChooseOp",
    "ClampOp",
    "DivideOp",
    "LowBitsOp",
    "MulOp",
    "NearestQuotientOp",
    "ProductToOp",
    "QuotientOp",
    "RescaleOp",
    "RescaleToOp",
    "ShiftLeftOp",
    "ShiftRightOp",
    "SubOp",
    "SumToOp",
    "WrappedOp",
]


class _Pair(Step, ABC):
    """The base class of ops with two integer operands `a` and `b` and no properties."""

    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    assembly_format = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"


@irdl_op_definition
class AddOp(_Pair):
    """Sum of two integers."""

    name = "exact.add"
    METHOD: ClassVar[str] = "add"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] + x["b"]


@irdl_op_definition
class SubOp(_Pair):
    """Difference of two integers."""

    name = "exact.sub"
    METHOD: ClassVar[str] = "sub"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] - x["b"]


@irdl_op_definition
class MulOp(_Pair):
    """Product of two integers."""

    name = "exact.mul"
    METHOD: ClassVar[str] = "mul"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] * x["b"]


@irdl_op_definition
class DivideOp(_Pair):
    """Quotient of a nonnegative and a positive integer, rounded down."""

    name = "exact.divide"
    METHOD: ClassVar[str] = "divide"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["a"] // x["b"]


@irdl_op_definition
class NearestQuotientOp(Step):
    """Quotient of an integer and a positive constant, rounded to nearest, halves upwards."""

    name = "exact.nearest_quotient"
    METHOD: ClassVar[str] = "nearest_quotient"
    x = operand_def(IntegerType)
    divisor = prop_def(IntegerAttr[I64])
    assembly_format = "$x `by` $divisor attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return half_up(x["x"], x["divisor"])


@irdl_op_definition
class ShiftLeftOp(Step):
    """`x * 2^amount`."""

    name = "exact.shift_left"
    METHOD: ClassVar[str] = "shift_left"
    x = operand_def(IntegerType)
    amount = prop_def(IntegerAttr[I64])
    assembly_format = "$x `by` $amount attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] * (1 << x["amount"])


@irdl_op_definition
class ShiftRightOp(Step):
    """`x / 2^amount`, rounded down."""

    name = "exact.shift_right"
    METHOD: ClassVar[str] = "shift_right"
    x = operand_def(IntegerType)
    amount = prop_def(IntegerAttr[I64])
    assembly_format = "$x `by` $amount attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] // (1 << x["amount"])


@irdl_op_definition
class LowBitsOp(Step):
    """The nonnegative remainder of `x` modulo `2^bits`."""

    name = "exact.low_bits"
    METHOD: ClassVar[str] = "low_bits"
    x = operand_def(IntegerType)
    bits = prop_def(IntegerAttr[I64])
    assembly_format = "$x `bits` $bits attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] % (1 << x["bits"])


@irdl_op_definition
class QuotientOp(Step):
    """`x / 2^right`, rounded towards zero."""

    name = "exact.quotient"
    METHOD: ClassVar[str] = "quotient"
    x = operand_def(IntegerType)
    right = prop_def(IntegerAttr[I64])
    assembly_format = "$x `right` $right attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return towards_zero(x["x"], 1 << x["right"])


@irdl_op_definition
class WrappedOp(Step):
    """`x` modulo `2^width`, interpreted as a signed integer of `width` bits."""

    name = "exact.wrapped"
    METHOD: ClassVar[str] = "wrapped"
    x = operand_def(IntegerType)
    width = prop_def(IntegerAttr[I64])
    assembly_format = "$x `to` $width attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return _wrapped(x["x"], x["width"])


@irdl_op_definition
class AddWrappedOp(Step):
    """`a + b` modulo `2^width`, interpreted as a signed integer of `width` bits."""

    name = "exact.add_wrapped"
    METHOD: ClassVar[str] = "add_wrapped"
    a = operand_def(IntegerType)
    b = operand_def(IntegerType)
    width = prop_def(IntegerAttr[I64])
    assembly_format = "$a `,` $b `to` $width attr-dict `:` type($a) `,` type($b) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return _wrapped(x["a"] + x["b"], x["width"])


@irdl_op_definition
class RescaleOp(Step):
    """`x / 2^right`, rounded to nearest, halves upwards. The result is exact if `right` is negative."""

    name = "exact.rescale"
    METHOD: ClassVar[str] = "rescale"
    x = operand_def(IntegerType)
    right = prop_def(IntegerAttr[I64])
    assembly_format = "$x `right` $right attr-dict `:` type($x) `->` type($result) `in` $interval"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return _rescaled(x["x"], x["right"])


class _Saturated(Step, ABC):
    """The base class of ops whose result is clamped to the interval `limits`."""

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
class RescaleToOp(_Saturated):
    """`x / 2^right`, rounded as `exact.rescale` rounds and clamped to the interval `limits`."""

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
    """`(a * 2^left + b) / 2^right`, rounded as `exact.rescale` rounds and clamped to the interval `limits`."""

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
    """`a * b / 2^right`, rounded as `exact.rescale` rounds and clamped to the interval `limits`."""

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
class ClampOp(Step):
    """`x` clamped to the interval that the op states for its result."""

    name = "exact.clamp"
    METHOD: ClassVar[str] = "clamp"
    x = operand_def(IntegerType)
    assembly_format = "$x attr-dict `:` type($x) `->` type($result) `in` $interval"

    @classmethod
    def _properties(cls, arguments: Sequence[Argument]) -> dict[str, Attribute]:
        # A limit that cannot bind is dropped.
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
class ChooseOp(Step):
    """`a` if the condition is true, otherwise `b`."""

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
    """Whether `x >= threshold`, as an i1 value."""

    name = "exact.at_least"
    METHOD: ClassVar[str] = "at_least"
    x = operand_def(IntegerType)
    threshold = prop_def(IntegerAttr[I64])
    result = result_def(i1)
    assembly_format = "$x `,` $threshold attr-dict `:` type($x)"

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return x["x"] >= x["threshold"]


def _rescaled(x: Number, right: int) -> Number:
    return half_up(x, 1 << right) if right > 0 else x * (1 << -right)


def _wrapped(x: Number, width: int) -> Number:
    half = 1 << width - 1
    return (x + half) % (2 * half) - half
