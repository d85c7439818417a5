"""Whole vectors at once, other than dot products: what a target may have a kernel for."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.num.base import accumulator_type, format_of, keeps_sum, sums_products

MEMREF = BaseAttr[MemRefType[Attribute]](MemRefType)


def run_length(*memrefs: SSAValue) -> int:
    """The common length of memrefs of rank 1; raises `VerifyException` for others."""
    shapes = [cast("MemRefType[Attribute]", value.type).get_shape() for value in memrefs]
    if len(shapes[0]) != 1 or any(shape != shapes[0] for shape in shapes):
        raise VerifyException(f"needs runs of equal length, got shapes {' and '.join(map(str, shapes))}")
    return shapes[0][0]


@irdl_op_definition
class DistanceOp(IRDLOperation):
    """sum + the squares of the exact differences of two runs of memory; `kernel` as in `num.dot`."""

    name = "num.distance"
    sum = operand_def(AnyAttr())
    lhs = operand_def(MEMREF)
    rhs = operand_def(MEMREF)
    kernel = opt_prop_def(StringAttr)
    result = result_def(AnyAttr())
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[sum, lhs, rhs], result_types=[sum.type])

    def verify_(self) -> None:
        if not accumulator_type(self.sum).sums(self.difference, self.difference):
            raise VerifyException(f"{self.sum.type} does not sum squares of {self.difference.type}")
        keeps_sum(self.sum, self.result)
        run_length(self.lhs, self.rhs)

    @property
    def difference(self) -> NumberFormat:
        lhs, rhs = element_format(self.lhs.type), element_format(self.rhs.type)
        if (found := lhs.difference(rhs)) is None:
            raise VerifyException(f"{lhs.type} and {rhs.type} have no exact difference")
        return found


@irdl_op_definition
class DotRowsOp(IRDLOperation):
    """`sums[r] = starts[r] +` the products of row r of a matrix and a vector, for every row, by a kernel.

    The matrix is a run of memory that holds the rows one behind the other; sums may be where starts are.
    """

    name = "num.dot_rows"
    sums = operand_def(MEMREF)
    starts = operand_def(MEMREF)
    matrix = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    kernel = prop_def(StringAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$sums `,` $starts `,` $matrix `,` $vector attr-dict"
        " `:` type($sums) `,` type($starts) `,` type($matrix) `,` type($vector)"
    )

    def __init__(self, sums: SSAValue, starts: SSAValue, matrix: SSAValue, vector: SSAValue, kernel: str):
        super().__init__(operands=[sums, starts, matrix, vector], properties={"kernel": StringAttr(kernel)})

    def verify_(self) -> None:
        rows, elements, length = run_length(self.sums, self.starts), run_length(self.matrix), run_length(self.vector)
        if elements != rows * length:
            raise VerifyException(f"{rows} rows of {length} elements are not {elements}")
        element = cast("MemRefType[Attribute]", self.sums.type).element_type
        sums_products(element, element_format(self.matrix.type), element_format(self.vector.type))


@irdl_op_definition
class AxpyOp(IRDLOperation):
    """`sums[k] = sums[k] + vector[k] * factor` for every element of two runs of memory; `kernel` as in `num.dot`."""

    name = "num.axpy"
    sums = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    factor = operand_def(AnyAttr())
    kernel = opt_prop_def(StringAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sums `,` $vector `,` $factor attr-dict `:` type($sums) `,` type($vector) `,` type($factor)"

    def __init__(self, sums: SSAValue, vector: SSAValue, factor: SSAValue):
        super().__init__(operands=[sums, vector, factor])

    def verify_(self) -> None:
        run_length(self.sums, self.vector)
        element = cast("MemRefType[Attribute]", self.sums.type).element_type
        sums_products(element, element_format(self.vector.type), format_of(self.factor))
