"""Totals of the channels of an image that is computed part by part, for averages over parts no longer in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, Signedness, TensorType, UnitAttr, f32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array, builtin_dtype
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped, spell

__all__ = ["NoTotalOp", "QuotientOp", "TallyOp"]


@irdl_op_definition
class NoTotalOp(TensorOp):
    """Empty totals, of the builtin type that a number format has for them."""

    name = "tdsl.no_total"
    assembly_format = "attr-dict (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, result: TensorType[Attribute]):
        build(self, [], result)

    def infer_shape(self) -> Shape:
        return shape_of(self.out)

    def verify_formats(self) -> None:
        """Verify that totals are integers or f32; the ops that add to them determine which."""
        element = shaped(self.out).get_element_type()
        integer = cast(IntegerType, element) if isinstance(element, IntegerType) else None
        signless = integer is not None and integer.signedness.data is Signedness.SIGNLESS
        if not signless and element != f32:
            raise VerifyException(f"totals are integers or f32, got {element}")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return np.zeros((1, *shape_of(self.out)), builtin_dtype(shaped(self.out).get_element_type()))


@irdl_op_definition
class TallyOp(TensorOp):
    """`result[0, 0, 0, c] = total[0, 0, 0, c] + sum over y, x of input[0, y, x, c]`, added in row-major order."""

    name = "tdsl.tally"
    total = operand_def(SHAPED)
    input = operand_def(SHAPED)
    assembly_format = (
        "$total `,` $input attr-dict `:` type($total) `,` type($input)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, total: SSAValue, input: SSAValue):
        build(self, [total, input], cast("TensorType[Attribute]", total.type))

    def infer_shape(self) -> Shape:
        total, image = shape_of(self.total), shape_of(self.input)
        if len(image) != 4 or image[0] != 1 or total != (1, 1, 1, image[3]):
            raise VerifyException(f"adds images 1xHxWxC to totals 1x1x1xC, got {spell(image)} and {spell(total)}")
        return total

    @property
    def updated(self) -> SSAValue:
        return self.total

    def reads_in_place(self, operand: SSAValue) -> bool:
        return operand is not self.input

    def verify_formats(self) -> None:
        total = shaped(self.total).get_element_type()
        if shaped(self.out).get_element_type() != total:
            raise VerifyException("the total changes its type")
        if type(total) is not type(format_of(self.input).total(1)):
            raise VerifyException(f"{total} is no total of numbers of {format_of(self.input).type}")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        total, image = x
        _, height, width, _ = shape_of(self.input)
        for row, column in np.ndindex(height, width):
            total = arithmetic.tally(self.input, total, image[:, :, [row]][:, :, :, [column]])
        return total


@irdl_op_definition
class QuotientOp(TensorOp):
    """Totals of `count` elements of the format `of` each, divided by their number and rounded once.

    over_axes: rounded as by `tdsl.mean`, and otherwise as by `tdsl.average_pool`.
    """

    name = "tdsl.quotient"
    STORES_LAST: ClassVar[bool] = True
    total = operand_def(SHAPED)
    count = prop_def(IntegerAttr)
    of = prop_def(AnyAttr())
    over_axes = opt_prop_def(UnitAttr)
    assembly_format = "$total attr-dict `:` type($total) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, total: SSAValue, count: int, of: NumberFormat, over_axes: bool, element: Attribute):
        properties: dict[str, Attribute] = {"count": IntegerAttr(count, i64), "of": of.type}
        if over_axes:
            properties["over_axes"] = UnitAttr()
        build(self, [total], TensorType(element, shape_of(total)), properties)

    @property
    def source(self) -> NumberFormat:
        """The format of the elements that were added."""
        if (format := number_format(self.of)) is None:
            raise VerifyException(f"expected a number format, got {self.of}")
        return format

    @property
    def elements(self) -> int:
        """The number of elements in each total."""
        return self.count.value.data

    def infer_shape(self) -> Shape:
        return shape_of(self.total)

    def verify_formats(self) -> None:
        result, total = format_of(self.out), shaped(self.total).get_element_type()
        if self.source.FAMILY != result.FAMILY:
            raise VerifyException(f"{self.name} mixes the families {self.source.FAMILY} and {result.FAMILY}")
        if self.elements < 1 or self.source.total(self.elements) != total:
            raise VerifyException(f"{total} is no total of {self.elements} numbers of {self.of}")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return arithmetic.average(self.out, self.source, x[0], self.elements, self.over_axes is not None)
