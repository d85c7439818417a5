"""The steps of normalisation: sums of squares, the reciprocal of their root, and products with it.

A sum of squares and a factor are builtin integers or floats, as the format of the results says.
"""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, IntegerType, f32, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.num.base import Computation, NumOp, format_of
from tinyml.dialects.num.constraints import FORMAT_OF_ONE_FAMILY, OF_ONE_FAMILY, SAME_TOTAL, TOTAL

__all__ = ["AddSquareOp", "InverseRootOp", "NormalisedOp"]

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
    """The factor that stands for 1 / sqrt(total), for values of the format `of` and results in the format `into`."""

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
    """value * factor, rounded into the result's format; the factor is the `num.inverse_root` of the total."""

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
    """The type of a factor: f32 for sums in f32, otherwise i32."""
    return f32 if isinstance(total, Float32Type) else i32


def _format(type: Attribute) -> NumberFormat:
    if (format := number_format(type)) is None:
        raise VerifyException(f"expected a number format, got {type}")
    return format


def _check_total(total: Attribute, source: NumberFormat, into: NumberFormat) -> None:
    expected = into.square_total(1, source)
    widths = WIDTHS[WIDTHS.index(expected.bitwidth) :] if isinstance(expected, IntegerType) else ()
    if total != expected and not (isinstance(total, IntegerType) and total.bitwidth in widths):
        raise VerifyException(f"squares of {source.type} are added in {expected}, got {total}")


def _check_factor(factor: Attribute, total: Attribute) -> None:
    if factor != (expected := factor_type(total)):
        raise VerifyException(f"the factor of a total in {total} has type {expected}, got {factor}")
