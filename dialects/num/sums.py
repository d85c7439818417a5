"""Sums of products: one step, whole runs of memory, and the end."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import IndexType, IndexTypeConstr, IntegerAttr, MemRefType, StringAttr, i8
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
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.formats.product import Bound
from tinyml.dialects.num.base import accumulator_type, format_of, keeps_sum, same_family
from tinyml.dialects.num.proofs import BOUND, bound_of, proof, verify_room

MEMREF = BaseAttr[MemRefType[Attribute]](MemRefType)


@irdl_op_definition
class ZeroOp(IRDLOperation):
    """An empty sum."""

    name = "num.zero"
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: Attribute):
        super().__init__(result_types=[type])

    def verify_(self) -> None:
        accumulator_type(self.result)


@irdl_op_definition
class StartOp(IRDLOperation):
    """A sum that starts from a number."""

    name = "num.start"
    value = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue, type: Attribute):
        super().__init__(operands=[value], result_types=[type])

    def verify_(self) -> None:
        if not accumulator_type(self.result).starts(format_of(self.value)):
            raise VerifyException(f"a sum in {self.result.type} does not start from {self.value.type}")


@irdl_op_definition
class AlignOp(IRDLOperation):
    """The same sum in an accumulator of finer units, for products of another scale."""

    name = "num.align"
    sum = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$sum attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, type: Attribute):
        super().__init__(operands=[sum], result_types=[type])

    def verify_(self) -> None:
        if not accumulator_type(self.result).follows(accumulator_type(self.sum)):
            raise VerifyException(f"a sum in {self.sum.type} does not go on in {self.result.type}")


@irdl_op_definition
class MacOp(IRDLOperation):
    """sum + lhs * rhs."""

    name = "num.mac"
    sum = operand_def(AnyAttr())
    lhs = operand_def(AnyAttr())
    rhs = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[sum, lhs, rhs], result_types=[sum.type])

    def verify_(self) -> None:
        accumulator = accumulator_type(self.sum)
        if accumulator.below is not None or not accumulator.sums(format_of(self.lhs), format_of(self.rhs)):
            raise VerifyException(f"{self.sum.type} does not sum products of {self.lhs.type} and {self.rhs.type}")
        keeps_sum(self.sum, self.result)


@irdl_op_definition
class JoinOp(IRDLOperation):
    """sum + part: a step of a tree sum, which joins two sums of the level below, or adds up whole trees."""

    name = "num.join"
    sum = operand_def(AnyAttr())
    part = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $part attr-dict `:` type($sum) `,` type($part) `->` type($result)"

    def __init__(self, sum: SSAValue, part: SSAValue):
        super().__init__(operands=[sum, part], result_types=[sum.type])

    def verify_(self) -> None:
        below = accumulator_type(self.sum).below
        if below is None or self.part.type not in (self.sum.type, below.type):
            raise VerifyException(f"a sum in {self.sum.type} does not join {self.part.type}")
        keeps_sum(self.sum, self.result)


@irdl_op_definition
class DotOp(IRDLOperation):
    """sum + the products of two runs of memory of equal length, added in order, or as a tree if that is the sum's way.

    `kernel` names the function of the C runtime that computes it, once a pass has chosen one; without it the sum
    becomes a loop of `num.mac`.
    """

    name = "num.dot"
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
        accumulator_type(self.sum)
        same_family(self, element_format(self.lhs.type), element_format(self.rhs.type))
        keeps_sum(self.sum, self.result)
        shapes = [cast("MemRefType[Attribute]", value.type).get_shape() for value in (self.lhs, self.rhs)]
        if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
            raise VerifyException(f"needs two runs of equal length, got shapes {shapes[0]} and {shapes[1]}")


@irdl_op_definition
class StridedDotOp(IRDLOperation):
    """sum + the products of the elements of one run of memory with every `stride`-th one of another, in order.

    The second run begins with the first and ends with the last element that counts: of a column of a matrix.
    `kernel` as in `num.dot`.
    """

    name = "num.strided_dot"
    sum = operand_def(AnyAttr())
    lhs = operand_def(MEMREF)
    rhs = operand_def(MEMREF)
    stride = prop_def(IntegerAttr.constr(IndexTypeConstr))
    kernel = opt_prop_def(StringAttr)
    result = result_def(AnyAttr())
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue, stride: int):
        properties = {"stride": IntegerAttr(stride, IndexType())}
        super().__init__(operands=[sum, lhs, rhs], properties=properties, result_types=[sum.type])

    def verify_(self) -> None:
        accumulator_type(self.sum)
        same_family(self, element_format(self.lhs.type), element_format(self.rhs.type))
        keeps_sum(self.sum, self.result)
        shapes = [cast("MemRefType[Attribute]", value.type).get_shape() for value in (self.lhs, self.rhs)]
        stride = self.stride.value.data
        if stride < 1 or [len(shape) for shape in shapes] != [1, 1] or shapes[1][0] != (shapes[0][0] - 1) * stride + 1:
            needed = f"n and (n - 1) * {stride} + 1"
            raise VerifyException(f"needs runs of {needed} elements, got shapes {shapes[0]} and {shapes[1]}")


@irdl_op_definition
class SparseDotOp(IRDLOperation):
    """sum + the products of one compressed row and the elements of a vector that it points to.

    The row is number `row` of compressed rows as in `dialects/layouts/csr.py`, its first entry is number `at` of all.
    `kernel` as in `num.dot`.
    """

    name = "num.sparse_dot"
    sum = operand_def(AnyAttr())
    values = operand_def(MEMREF)
    gaps = operand_def(MEMREF)
    lengths = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    row = operand_def(IndexType)
    at = operand_def(IndexType)
    kernel = opt_prop_def(StringAttr)
    result = result_def(AnyAttr())
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$sum `,` $values `,` $gaps `,` $lengths `,` $vector `row` $row `from` $at attr-dict"
        " `:` type($sum) `,` type($values) `,` type($gaps) `,` type($lengths) `,` type($vector) `->` type($result)"
    )

    def __init__(
        self,
        sum: SSAValue,
        values: SSAValue,
        gaps: SSAValue,
        lengths: SSAValue,
        vector: SSAValue,
        row: SSAValue,
        at: SSAValue,
    ):
        super().__init__(operands=[sum, values, gaps, lengths, vector, row, at], result_types=[sum.type])

    def verify_(self) -> None:
        accumulator_type(self.sum)
        same_family(self, element_format(self.values.type), element_format(self.vector.type))
        keeps_sum(self.sum, self.result)


@irdl_op_definition
class PackedDotOp(IRDLOperation):
    """sum + the products of one packed row (`tinyml.dialects.layouts.row_stream`) and a vector, by a kernel."""

    name = "num.packed_dot"
    sum = operand_def(AnyAttr())
    row = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    kernel = prop_def(StringAttr)
    result = result_def(AnyAttr())
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$sum `,` $row `,` $vector attr-dict `:` type($sum) `,` type($row) `,` type($vector) `->` type($result)"
    )

    def __init__(self, sum: SSAValue, row: SSAValue, vector: SSAValue, kernel: str):
        super().__init__(
            operands=[sum, row, vector], properties={"kernel": StringAttr(kernel)}, result_types=[sum.type]
        )

    def verify_(self) -> None:
        accumulator_type(self.sum)
        element_format(self.vector.type)
        keeps_sum(self.sum, self.result)


@irdl_op_definition
class ShiftOp(IRDLOperation):
    """sum / 2^places, rounded down; only for sums that are integers."""

    name = "num.shift"
    sum = operand_def(AnyAttr())
    places = operand_def(i8)
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $places attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, places: SSAValue):
        super().__init__(operands=[sum, places], result_types=[sum.type])

    def verify_(self) -> None:
        if not accumulator_type(self.sum).INTEGER:
            raise VerifyException(f"{self.sum.type} is no integer that could be shifted")
        keeps_sum(self.sum, self.result)


@irdl_op_definition
class LevelOp(IRDLOperation):
    """The whole sum of row number `row`, which has a scale of its own, in the units that all rows share."""

    name = "num.level"
    sum = operand_def(AnyAttr())
    row = operand_def(IndexType)
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$sum `row` $row attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, row: SSAValue, type: Attribute):
        super().__init__(operands=[sum, row], result_types=[type])

    def verify_(self) -> None:
        accumulator, result = accumulator_type(self.sum), accumulator_type(self.result)
        if accumulator.FAMILY != result.FAMILY:
            raise VerifyException(f"a sum in {self.sum.type} does not go on in {self.result.type}")


@irdl_op_definition
class FinishOp(IRDLOperation):
    """A sum rounded into a format; `bound`, the least and the greatest that it can be, proves that it is whole."""

    name = "num.finish"
    sum = operand_def(AnyAttr())
    bound = opt_prop_def(BOUND)
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sum attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, type: Attribute, bound: Bound | None = None):
        super().__init__(operands=[sum], properties=proof(bound), result_types=[type])

    def verify_(self) -> None:
        accumulator, result = accumulator_type(self.sum), format_of(self.result)
        if accumulator.FAMILY != result.FAMILY:
            raise VerifyException(f"a sum in {self.sum.type} cannot be rounded into {self.result.type}; convert first")
        verify_room(accumulator, self.sum_bound, result)

    @property
    def sum_bound(self) -> Bound | None:
        return bound_of(self.bound)
