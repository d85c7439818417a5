"""Ops on single elements."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, StringAttr, f64, i1
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.num.base import format_of, same_family


class UnaryOp(IRDLOperation, ABC):
    """One scalar in, one of another format of the same family out."""

    input = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, type: Attribute):
        super().__init__(operands=[input], result_types=[type])

    def verify_(self) -> None:
        same_family(self, format_of(self.input), format_of(self.result))


class BinaryOp(IRDLOperation, ABC):
    """Two scalars of one family in, one out."""

    lhs = operand_def(AnyAttr())
    rhs = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, type: Attribute):
        super().__init__(operands=[lhs, rhs], result_types=[type])

    def verify_(self) -> None:
        same_family(self, format_of(self.lhs), format_of(self.rhs), format_of(self.result))


@irdl_op_definition
class AddOp(BinaryOp):
    """Sum, rounded once."""

    name = "num.add"


@irdl_op_definition
class SubOp(BinaryOp):
    """Difference, rounded once."""

    name = "num.sub"


@irdl_op_definition
class MulOp(BinaryOp):
    """Product, rounded once."""

    name = "num.mul"


@irdl_op_definition
class NegOp(UnaryOp):
    """Negation."""

    name = "num.neg"


class FunctionOp(UnaryOp, ABC):
    """A transcendental function that every number format supplies, in one of several ways where it has them.

    `scheme` is one of the `SCHEMES` of the result's format.
    """

    FUNCTION: ClassVar[Function]
    scheme = opt_prop_def(StringAttr)
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(self, input: SSAValue, type: Attribute, scheme: StringAttr | None = None):
        super().__init__(input, type)
        self.scheme = scheme

    def verify_(self) -> None:
        super().verify_()
        format = format_of(self.result)
        if self.scheme is not None and self.scheme.data not in format.SCHEMES:
            raise VerifyException(f"{format.type} has no scheme '{self.scheme.data}' for functions")


@irdl_op_definition
class ExpOp(FunctionOp):
    """Natural exponential."""

    name = "num.exp"
    FUNCTION: ClassVar[Function] = "exp"


@irdl_op_definition
class TanhOp(FunctionOp):
    """Hyperbolic tangent."""

    name = "num.tanh"
    FUNCTION: ClassVar[Function] = "tanh"


@irdl_op_definition
class SigmoidOp(FunctionOp):
    """Logistic function."""

    name = "num.sigmoid"
    FUNCTION: ClassVar[Function] = "sigmoid"


@irdl_op_definition
class ConvertOp(UnaryOp, HasFolderInterface):
    """The same real in another format, possibly of another family."""

    name = "num.convert"

    def verify_(self) -> None:
        format_of(self.input)
        format_of(self.result)

    def fold(self) -> tuple[SSAValue] | None:
        return (self.input,) if self.input.type == self.result.type else None


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A real, rounded into the result's format."""

    name = "num.constant"
    value = prop_def(FloatAttr)
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict `->` type($result)"

    def __init__(self, value: float, type: Attribute):
        super().__init__(properties={"value": FloatAttr(value, f64)}, result_types=[type])

    def verify_(self) -> None:
        format_of(self.result)


@irdl_op_definition
class ClampOp(IRDLOperation):
    """A value limited to [low, high], in reals; without `high` only from below."""

    name = "num.clamp"
    input = operand_def(AnyAttr())
    low = prop_def(FloatAttr)
    high = opt_prop_def(FloatAttr)
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, low: float, high: float | None = None):
        properties = {"low": FloatAttr(low, f64)}
        if high is not None:
            properties["high"] = FloatAttr(high, f64)
        super().__init__(operands=[input], properties=properties, result_types=[input.type])

    def verify_(self) -> None:
        format_of(self.input)
        if self.input.type != self.result.type:
            raise VerifyException(f"a clamp keeps its format, got {self.input.type} -> {self.result.type}")


@irdl_op_definition
class AtLeastOp(IRDLOperation):
    """input >= threshold, compared as reals."""

    name = "num.at_least"
    input = operand_def(AnyAttr())
    threshold = prop_def(FloatAttr)
    result = result_def(i1)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, threshold: float):
        super().__init__(operands=[input], properties={"threshold": FloatAttr(threshold, f64)}, result_types=[i1])

    def verify_(self) -> None:
        format_of(self.input)


@irdl_op_definition
class GreaterOp(IRDLOperation):
    """lhs > rhs, both of one format, or sums in one accumulator."""

    name = "num.greater"
    lhs = operand_def(AnyAttr())
    rhs = operand_def(AnyAttr())
    result = result_def(i1)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[i1])

    def verify_(self) -> None:
        if accumulator_of(self.lhs.type) is None:
            format_of(self.lhs)
        if self.lhs.type != self.rhs.type:
            raise VerifyException(f"compares one format, got {self.lhs.type} and {self.rhs.type}")
