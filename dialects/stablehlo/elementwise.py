"""Elementwise ops of StableHLO."""

from __future__ import annotations

from abc import ABC
from typing import cast

from xdsl.dialects.builtin import (
    TensorType,
    i1,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)

from tinyml.dialects.stablehlo.attributes import ComparisonAttr, DirectionAttr
from tinyml.dialects.stablehlo.base import PureOp, expect, expect_shape, shape_of


class ElementwiseOp(PureOp, ABC):
    """An elementwise op whose operands and result have one type."""

    result = result_def(TensorType)

    def verify_(self) -> None:
        for operand in self.operands:
            expect_shape(self.result, shape_of(operand))
            element, own = (cast("TensorType[Attribute]", each.type).element_type for each in (operand, self.result))
            expect(element == own, f"its result has elements of {own}, not of {element}")


class UnaryOp(ElementwiseOp, ABC):
    operand = operand_def(TensorType)


class BinaryOp(ElementwiseOp, ABC):
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)


@irdl_op_definition
class AbsOp(UnaryOp):
    """The absolute value |x|."""

    name = "stablehlo.abs"


@irdl_op_definition
class CeilOp(UnaryOp):
    """The least integer that is not less than x."""

    name = "stablehlo.ceil"


@irdl_op_definition
class ExponentialOp(UnaryOp):
    """exp(x)."""

    name = "stablehlo.exponential"


@irdl_op_definition
class ExponentialMinusOneOp(UnaryOp):
    """exp(x) - 1."""

    name = "stablehlo.exponential_minus_one"


@irdl_op_definition
class FloorOp(UnaryOp):
    """The greatest integer that is not greater than x."""

    name = "stablehlo.floor"


@irdl_op_definition
class LogOp(UnaryOp):
    """The natural logarithm."""

    name = "stablehlo.log"


@irdl_op_definition
class LogPlusOneOp(UnaryOp):
    """log(1 + x)."""

    name = "stablehlo.log_plus_one"


@irdl_op_definition
class LogisticOp(UnaryOp):
    """1 / (1 + exp(-x))."""

    name = "stablehlo.logistic"


@irdl_op_definition
class NegateOp(UnaryOp):
    """The negation -x."""

    name = "stablehlo.negate"


@irdl_op_definition
class NotOp(UnaryOp):
    """The bitwise complement."""

    name = "stablehlo.not"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """1 / sqrt(x)."""

    name = "stablehlo.rsqrt"


@irdl_op_definition
class SqrtOp(UnaryOp):
    """The square root."""

    name = "stablehlo.sqrt"


@irdl_op_definition
class TanhOp(UnaryOp):
    """The hyperbolic tangent."""

    name = "stablehlo.tanh"


@irdl_op_definition
class AddOp(BinaryOp):
    """x + y. For i1, the logical or."""

    name = "stablehlo.add"


@irdl_op_definition
class AndOp(BinaryOp):
    """Bitwise and."""

    name = "stablehlo.and"


@irdl_op_definition
class DivideOp(BinaryOp):
    """x / y. For integers, the quotient is rounded towards zero."""

    name = "stablehlo.divide"


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The greater of two elements."""

    name = "stablehlo.maximum"


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The lesser of two elements."""

    name = "stablehlo.minimum"


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """x * y. For i1, the logical and."""

    name = "stablehlo.multiply"


@irdl_op_definition
class OrOp(BinaryOp):
    """Bitwise or."""

    name = "stablehlo.or"


@irdl_op_definition
class PowerOp(BinaryOp):
    """x to the power of y."""

    name = "stablehlo.power"


@irdl_op_definition
class RemainderOp(BinaryOp):
    """The remainder of a division rounded towards zero."""

    name = "stablehlo.remainder"


@irdl_op_definition
class SubtractOp(BinaryOp):
    """x - y."""

    name = "stablehlo.subtract"


@irdl_op_definition
class CompareOp(PureOp):
    """Elementwise comparison: 1 where the comparison is true, otherwise 0."""

    name = "stablehlo.compare"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    comparison_direction = prop_def(DirectionAttr)
    compare_type = opt_prop_def(ComparisonAttr)
    result = result_def(TensorType)

    def verify_(self) -> None:
        expect(self.lhs.type == self.rhs.type, f"compares {self.lhs.type} and {self.rhs.type}")
        expect_shape(self.result, shape_of(self.lhs))
        expect(self.result.type.element_type == i1, f"its result is {self.result.type}, not of i1")


@irdl_op_definition
class SelectOp(PureOp):
    """The element of the second operand where the first operand is 1, otherwise the element of the third operand.

    The first operand may be a scalar.
    """

    name = "stablehlo.select"
    pred = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)

    def verify_(self) -> None:
        expect(self.on_true.type == self.on_false.type, f"selects of {self.on_true.type} and {self.on_false.type}")
        expect_shape(self.result, shape_of(self.on_true))
        expect(shape_of(self.pred) in ((), shape_of(self.on_true)), f"{self.pred.type} does not select elements")


@irdl_op_definition
class ClampOp(PureOp):
    """min(max(operand, min), max). The limits may be scalars."""

    name = "stablehlo.clamp"
    min = operand_def(TensorType)
    operand = operand_def(TensorType)
    max = operand_def(TensorType)
    result = result_def(TensorType)

    def verify_(self) -> None:
        expect_shape(self.result, shape_of(self.operand))
        for limit in (self.min, self.max):
            expect(shape_of(limit) in ((), shape_of(self.operand)), f"{limit.type} does not limit elements")


@irdl_op_definition
class ConvertOp(PureOp):
    """The elements converted to another type."""

    name = "stablehlo.convert"
    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def verify_(self) -> None:
        expect_shape(self.result, shape_of(self.operand))


@irdl_op_definition
class OptimizationBarrierOp(PureOp):
    """The operands, unchanged."""

    name = "stablehlo.optimization_barrier"
    operand = var_operand_def(AnyAttr())
    result = var_result_def(AnyAttr())

    def verify_(self) -> None:
        expect(self.operand_types == self.result_types, "its results are not of the types of its operands")
