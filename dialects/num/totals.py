"""Ops on totals: averages, and the steps of softmax and of normalisation.

A total is a sum of elements or of their squares. Its type is a builtin integer or float that the format defines. The
factor by which a vector is normalised also has such a type.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import Float32Type, IntegerAttr, IntegerType, f32, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.num.base import (
    COMPARED_OF_ONE_FAMILY,
    FORMAT,
    FORMAT_OF_ONE_FAMILY,
    OF_ONE_FAMILY,
    SAME_TOTAL,
    SCALAR,
    TOTAL,
    Computation,
    NumOp,
    format_of,
)

__all__ = [
    "AddSquareOp",
    "AverageOp",
    "InverseRootOp",
    "MeanOp",
    "NormalisedOp",
    "SoftmaxAddOp",
    "SoftmaxShareOp",
    "SoftmaxTermOp",
    "TallyOp",
]


@irdl_op_definition
class TallyOp(NumOp):
    """total + value, as a step of `num.average` or `num.mean`."""

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
    """A total of `count` numbers of the format `of`, divided by `count` and rounded to the format of the result."""

    METHOD: ClassVar[str]
    """The name of the `NumberFormat` method. Its arguments are the machine, the total, the count and the format."""

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
            raise VerifyException(f"{self.total.type} is not a total of {self.count.value.data} numbers of {self.of}")

    def computation(self) -> Computation:
        source, count, method = _format(self.of), self.count.value.data, getattr(format_of(self.result), self.METHOD)
        return lambda machine, x: method(machine, x[0], count, source)


@irdl_op_definition
class AverageOp(QuotientOp):
    """The average of the `count` elements of a window, computed from their total and rounded to the format of the
    result. `of` is the format of the elements.
    """

    name = "num.average"
    METHOD: ClassVar[str] = "average"


@irdl_op_definition
class MeanOp(QuotientOp):
    """The mean of `count` elements along whole axes, computed from their total. `of` is the format of the elements. It
    is a separate op because some number formats round it differently from the average of a window.
    """

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
    """`term / total`, a result of the softmax, rounded to the format of the result."""

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


WIDTHS = (32, 64)


@irdl_op_definition
class AddSquareOp(NumOp):
    """total + value^2, for a normalisation with results in the format `into`."""

    name = "num.add_square"
    total = operand_def(SAME_TOTAL)
    value = operand_def(OF_ONE_FAMILY)
    into = prop_def(FORMAT_OF_ONE_FAMILY)
    result = result_def(SAME_TOTAL)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$total `,` $value attr-dict `:` type($total) `,` type($value) `->` type($result)"

    def __init__(self, total: SSAValue, value: SSAValue, into: NumberFormat):
        super().__init__(operands=[total, value], properties={"into": into.type}, result_types=[total.type])

    def verify_(self) -> None:
        _check_total(self.total.type, format_of(self.value), _format(self.into))

    def computation(self) -> Computation:
        source, into = format_of(self.value), _format(self.into)
        return lambda machine, x: into.add_square(machine, x[0], x[1], source)


@irdl_op_definition
class InverseRootOp(NumOp):
    """The factor 1 / sqrt(total), in the representation that `num.normalised` expects, for values of the format `of`
    and results in the format `into`.
    """

    name = "num.inverse_root"
    total = operand_def(TOTAL)
    of = prop_def(FORMAT_OF_ONE_FAMILY)
    into = prop_def(FORMAT_OF_ONE_FAMILY)
    result = result_def(TOTAL)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$total attr-dict `:` type($total) `->` type($result)"

    def __init__(self, total: SSAValue, of: NumberFormat, into: NumberFormat):
        properties = {"of": of.type, "into": into.type}
        super().__init__(operands=[total], properties=properties, result_types=[factor_type(total.type)])

    def verify_(self) -> None:
        _check_total(self.total.type, _format(self.of), _format(self.into))
        _check_factor(self.result.type, self.total.type)

    def computation(self) -> Computation:
        source, into = _format(self.of), _format(self.into)
        return lambda machine, x: into.inverse_root(machine, x[0], source)


@irdl_op_definition
class NormalisedOp(NumOp):
    """The product `value * factor`, rounded to the format of the result.

    The factor is the `num.inverse_root` of `total`.
    """

    name = "num.normalised"
    value = operand_def(OF_ONE_FAMILY)
    factor = operand_def(TOTAL)
    total = operand_def(TOTAL)
    result = result_def(OF_ONE_FAMILY)
    traits = traits_def(Pure())
    assembly_format = (
        "$value `,` $factor `,` $total attr-dict `:` type($value) `,` type($factor) `,` type($total) `->` type($result)"
    )

    def __init__(self, value: SSAValue, factor: SSAValue, total: SSAValue, type: Attribute):
        super().__init__(operands=[value, factor, total], result_types=[type])

    def verify_(self) -> None:
        _check_total(self.total.type, format_of(self.value), format_of(self.result))
        _check_factor(self.factor.type, self.total.type)

    def computation(self) -> Computation:
        source, result = format_of(self.value), format_of(self.result)
        return lambda machine, x: result.normalised(machine, x[0], x[1], x[2], source)


def factor_type(total: Attribute) -> Attribute:
    """The type of the normalisation factor for a total: f32 for totals in f32, otherwise i32."""
    return f32 if isinstance(total, Float32Type) else i32


def _check_total(total: Attribute, source: NumberFormat, into: NumberFormat) -> None:
    expected = into.square_total(1, source)
    widths = WIDTHS[WIDTHS.index(expected.bitwidth) :] if isinstance(expected, IntegerType) else ()
    if total != expected and not (isinstance(total, IntegerType) and total.bitwidth in widths):
        raise VerifyException(f"squares of {source.type} are added in {expected}, got {total}")


def _check_factor(factor: Attribute, total: Attribute) -> None:
    if factor != (expected := factor_type(total)):
        raise VerifyException(f"the factor of a total in {total} has type {expected}, got {factor}")
