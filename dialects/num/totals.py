"""Ops on totals of elements: averages, and the steps of softmax.

A total is a builtin integer or float, as the format in question says.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.num.base import Computation, NumOp, format_of
from tinyml.dialects.num.constraints import (
    COMPARED_OF_ONE_FAMILY,
    FORMAT,
    FORMAT_OF_ONE_FAMILY,
    OF_ONE_FAMILY,
    SAME_TOTAL,
    SCALAR,
    TOTAL,
)

__all__ = ["AverageOp", "MeanOp", "SoftmaxAddOp", "SoftmaxShareOp", "SoftmaxTermOp", "TallyOp"]


@irdl_op_definition
class TallyOp(NumOp):
    """total + value, for `num.average` and `num.mean`."""

    name = "num.tally"
    total = operand_def(SAME_TOTAL)
    value = operand_def(SCALAR)
    result = result_def(SAME_TOTAL)
    traits = traits_def(Pure())
    assembly_format = "$total `,` $value attr-dict `:` type($total) `,` type($value) `->` type($result)"

    def __init__(self, total: SSAValue, value: SSAValue):
        super().__init__(operands=[total, value], result_types=[total.type])

    def computation(self) -> Computation:
        format = format_of(self.value)
        return lambda machine, x: format.tally(machine, x[0], x[1])


class QuotientOp(NumOp, ABC):
    """A total of `count` numbers of the format `of`, divided by their number and rounded into the result's format."""

    METHOD: ClassVar[str]
    """The name of the `NumberFormat` method, which takes the machine, the total, the count and the format."""

    total = operand_def(TOTAL)
    count = prop_def(IntegerAttr)
    of = prop_def(FORMAT_OF_ONE_FAMILY)
    result = result_def(OF_ONE_FAMILY)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$total attr-dict `:` type($total) `->` type($result)"

    def __init__(self, total: SSAValue, count: int, of: NumberFormat, type: Attribute):
        properties = {"count": IntegerAttr(count, i64), "of": of.type}
        super().__init__(operands=[total], properties=properties, result_types=[type])

    def verify_(self) -> None:
        source = _format(self.of)
        if self.count.value.data < 1 or source.total(self.count.value.data) != self.total.type:
            raise VerifyException(f"{self.total.type} is no total of {self.count.value.data} numbers of {self.of}")

    def computation(self) -> Computation:
        source, count, method = _format(self.of), self.count.value.data, getattr(format_of(self.result), self.METHOD)
        return lambda machine, x: method(machine, x[0], count, source)


@irdl_op_definition
class AverageOp(QuotientOp):
    """The average of the elements of a window."""

    name = "num.average"
    METHOD: ClassVar[str] = "average"


@irdl_op_definition
class MeanOp(QuotientOp):
    """The mean over axes, in formats whose published arithmetic rounds it in another way than averages of windows."""

    name = "num.mean"
    METHOD: ClassVar[str] = "mean"


@irdl_op_definition
class SoftmaxTermOp(NumOp):
    """exp(value - greatest), for softmax with results in the format `into`."""

    name = "num.softmax_term"
    value = operand_def(COMPARED_OF_ONE_FAMILY)
    greatest = operand_def(COMPARED_OF_ONE_FAMILY)
    into = prop_def(FORMAT_OF_ONE_FAMILY)
    result = result_def(TOTAL)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$value `,` $greatest attr-dict `:` type($value) `,` type($greatest) `->` type($result)"

    def __init__(self, value: SSAValue, greatest: SSAValue, into: NumberFormat):
        super().__init__(operands=[value, greatest], properties={"into": into.type}, result_types=[into.softmax_total])

    def verify_(self) -> None:
        _is_softmax_total(self.result, self.into)

    def computation(self) -> Computation:
        source, result = format_of(self.value), _format(self.into)
        return lambda machine, x: result.softmax_term(machine, x[0], x[1], source)


@irdl_op_definition
class SoftmaxAddOp(NumOp):
    """total + term, for softmax with results in the format `into`."""

    name = "num.softmax_add"
    total = operand_def(SAME_TOTAL)
    term = operand_def(SAME_TOTAL)
    into = prop_def(FORMAT)
    result = result_def(SAME_TOTAL)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$total `,` $term attr-dict `:` type($total) `,` type($term) `->` type($result)"

    def __init__(self, total: SSAValue, term: SSAValue, into: NumberFormat):
        super().__init__(operands=[total, term], properties={"into": into.type}, result_types=[total.type])

    def verify_(self) -> None:
        _is_softmax_total(self.result, self.into)

    def computation(self) -> Computation:
        format = _format(self.into)
        return lambda machine, x: format.softmax_add(machine, x[0], x[1])


@irdl_op_definition
class SoftmaxShareOp(NumOp):
    """term / total, rounded into the result's format."""

    name = "num.softmax_share"
    term = operand_def(SAME_TOTAL)
    total = operand_def(SAME_TOTAL)
    result = result_def(SCALAR)
    traits = traits_def(Pure())
    assembly_format = "$term `,` $total attr-dict `:` type($term) `,` type($total) `->` type($result)"

    def __init__(self, term: SSAValue, total: SSAValue, type: Attribute):
        super().__init__(operands=[term, total], result_types=[type])

    def verify_(self) -> None:
        _is_softmax_total(self.total, self.result.type)

    def computation(self) -> Computation:
        format = format_of(self.result)
        return lambda machine, x: format.softmax_share(machine, x[0], x[1])


def _format(type: Attribute) -> NumberFormat:
    if (format := number_format(type)) is None:
        raise VerifyException(f"expected a number format, got {type}")
    return format


def _is_softmax_total(total: SSAValue, into: Attribute) -> None:
    if total.type != (expected := _format(into).softmax_total):
        raise VerifyException(f"softmax in {into} has terms and totals of type {expected}, got {total.type}")
