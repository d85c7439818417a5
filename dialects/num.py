"""Scalar operations shared by all number formats (L3): what one element goes through inside a loop.

Each op means exactly the method of the same name of the result's `NumberFormat` (or `Accumulator`); lowering to bits
asks that method to write itself down.
"""

from __future__ import annotations

from abc import ABC
from typing import cast

from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, MemRefType, StringAttr, f64, i1, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Dialect, SSAValue
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

from tinyml.dialects.number_format import (
    Accumulator,
    NumberFormat,
    accumulator_of,
    element_format,
    number_format,
)

MEMREF = BaseAttr[MemRefType[Attribute]](MemRefType)


def format_of(value: SSAValue) -> NumberFormat:
    """The format of a scalar."""
    if (found := number_format(value.type)) is None:
        raise VerifyException(f"expected a scalar of a number format, got {value.type}")
    return found


def accumulator_type(value: SSAValue) -> Accumulator:
    """The accumulator that a value is."""
    if (found := accumulator_of(value.type)) is None:
        raise VerifyException(f"expected an accumulator, got {value.type}")
    return found


class UnaryOp(IRDLOperation, ABC):
    """One scalar in, one of another format of the same family out."""

    input = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, type: Attribute):
        super().__init__(operands=[input], result_types=[type])

    def verify_(self) -> None:
        _same_family(self, format_of(self.input), format_of(self.result))


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
        _same_family(self, format_of(self.lhs), format_of(self.rhs), format_of(self.result))


def _same_family(op: IRDLOperation, *formats: NumberFormat) -> None:
    if len(names := {one.FAMILY for one in formats}) > 1:
        raise VerifyException(f"{op.name} mixes the families {', '.join(sorted(names))}; convert first")


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


@irdl_op_definition
class ExpOp(UnaryOp):
    """Natural exponential."""

    name = "num.exp"


@irdl_op_definition
class TanhOp(UnaryOp):
    """Hyperbolic tangent."""

    name = "num.tanh"


@irdl_op_definition
class SigmoidOp(UnaryOp):
    """Logistic function."""

    name = "num.sigmoid"


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
        if not accumulator_type(self.sum).sums(format_of(self.lhs), format_of(self.rhs)):
            raise VerifyException(f"{self.sum.type} does not sum products of {self.lhs.type} and {self.rhs.type}")
        if self.sum.type != self.result.type:
            raise VerifyException(f"the sum changes its type from {self.sum.type} to {self.result.type}")


@irdl_op_definition
class DotOp(IRDLOperation):
    """sum + the products of two runs of memory of equal length, added in order.

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
        _same_family(self, element_format(self.lhs.type), element_format(self.rhs.type))
        if self.sum.type != self.result.type:
            raise VerifyException(f"the sum changes its type from {self.sum.type} to {self.result.type}")
        shapes = [cast("MemRefType[Attribute]", value.type).get_shape() for value in (self.lhs, self.rhs)]
        if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
            raise VerifyException(f"needs two runs of equal length, got shapes {shapes[0]} and {shapes[1]}")

    @property
    def length(self) -> int:
        return cast("MemRefType[Attribute]", self.lhs.type).get_shape()[0]


@irdl_op_definition
class SparseDotOp(IRDLOperation):
    """sum + the products of one compressed row and the elements of a vector that it points to.

    The row is number `row` of compressed rows as in `tinyml.dialects.csr`, its first entry is number `at` of all.
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
        _same_family(self, element_format(self.values.type), element_format(self.vector.type))
        if self.sum.type != self.result.type:
            raise VerifyException(f"the sum changes its type from {self.sum.type} to {self.result.type}")


@irdl_op_definition
class PackedDotOp(IRDLOperation):
    """sum + the products of one packed row (`tinyml.dialects.packed_rows`) and a vector, by a kernel."""

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
        if self.sum.type != self.result.type:
            raise VerifyException(f"the sum changes its type from {self.sum.type} to {self.result.type}")


@irdl_op_definition
class FinishOp(IRDLOperation):
    """A sum rounded into a format; `bound` is the proven greatest magnitude of the sum, in its last place."""

    name = "num.finish"
    sum = operand_def(AnyAttr())
    bound = opt_prop_def(IntegerAttr)
    result = result_def(AnyAttr())
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sum attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, type: Attribute, bound: int | None = None):
        properties = {} if bound is None else {"bound": IntegerAttr(bound, i64)}
        super().__init__(operands=[sum], properties=properties, result_types=[type])

    def verify_(self) -> None:
        if accumulator_type(self.sum).FAMILY != format_of(self.result).FAMILY:
            raise VerifyException(f"a sum in {self.sum.type} cannot be rounded into {self.result.type}; convert first")


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
    """lhs > rhs, both of one format."""

    name = "num.greater"
    lhs = operand_def(AnyAttr())
    rhs = operand_def(AnyAttr())
    result = result_def(i1)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[i1])

    def verify_(self) -> None:
        format_of(self.lhs)
        if self.lhs.type != self.rhs.type:
            raise VerifyException(f"compares one format, got {self.lhs.type} and {self.rhs.type}")


NUM = Dialect(
    "num",
    [
        AddOp,
        AtLeastOp,
        ClampOp,
        ConstantOp,
        ConvertOp,
        DotOp,
        ExpOp,
        FinishOp,
        GreaterOp,
        MacOp,
        MulOp,
        NegOp,
        PackedDotOp,
        SigmoidOp,
        SparseDotOp,
        SubOp,
        TanhOp,
        ZeroOp,
    ],
)
