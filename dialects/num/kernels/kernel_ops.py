"""Ops on contiguous memory, which become calls of a target's kernels, or loops where it has no kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import IndexType, IndexTypeConstr, IntegerAttr, MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
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
from xdsl.traits import MemoryReadEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import INTEGER_CODING, NumberFormat, element_format
from tinyml.dialects.num.base import SAME_SUM, accumulator_type, same_family
from tinyml.dialects.num.kernels.kernel_attributes import (
    KERNEL,
    CodeKernelAttr,
    ComposedKernelAttr,
    KernelAttr,
    TileKernelAttr,
)
from tinyml.dialects.scratch.types import in_flash, memref_type, packed_bits

__all__ = [
    "DenseSumOp",
    "DistanceOp",
    "DotOp",
    "KernelOp",
    "KernelSumOp",
    "PackedDotOp",
    "SparseDotOp",
    "StridedDotOp",
    "has_bytes",
    "is_of_bytes",
    "run_length",
]

MEMREF = BaseAttr[MemRefType[Attribute]](MemRefType)


def run_length(*memrefs: SSAValue) -> int:
    """The common length of memrefs of rank 1; raises `VerifyException` for others."""
    shapes = [memref_type(value).get_shape() for value in memrefs]
    if len(shapes[0]) != 1 or any(shape != shapes[0] for shape in shapes):
        raise VerifyException(f"needs runs of equal length, got shapes {' and '.join(map(str, shapes))}")
    return shapes[0][0]


def has_bytes(run: SSAValue, *, offset: bool = False) -> bool:
    """True if the elements of a run are integers of one byte, packed or not. offset: they may have a zero point."""
    format = element_format(run.type)
    integers = format.without_offset()[0] if offset else format
    return integers.coding is INTEGER_CODING and integers.dtype.itemsize == 1


def is_of_bytes(run: SSAValue, *, offset: bool = False) -> bool:
    """True if the elements of a run are integers of one byte, each in its own byte. offset: as in `has_bytes`."""
    return has_bytes(run, offset=offset) and packed_bits(memref_type(run)) is None


class KernelOp(IRDLOperation, ABC):
    """Sums of products over runs of memory, computed by a function of the C runtime that `kernel` names.

    A pass chooses the kernel. An op without a kernel becomes a loop, unless it `NEEDS_KERNEL`.
    """

    NEEDS_KERNEL: ClassVar[bool] = False
    """True if the op exists only for a kernel, so that it has no loop."""

    kernel = opt_prop_def(KERNEL)
    irdl_options = (ParsePropInAttrDict(),)

    @property
    @abstractmethod
    def factors(self) -> tuple[SSAValue, SSAValue]:
        """The operands that a kernel takes as weights and as vector."""

    @property
    @abstractmethod
    def accumulator(self) -> Accumulator:
        """The accumulator of the sums."""

    @property
    def parts(self) -> Mapping[str, int]:
        """The units other than products that a call takes time for: their number, by name."""
        return {}

    @property
    def length(self) -> int:
        """The number of the vector's elements that are multiplied."""
        return run_length(self.factors[1])

    @property
    def products(self) -> int | None:
        """The number of products that one call adds up; None if it depends on the entries of a sparse row."""
        return self.length

    def verify_(self) -> None:
        if self.NEEDS_KERNEL and self.kernel is None:
            raise VerifyException("needs a kernel")
        if self.kernel is not None and not self.may_call(self.kernel):
            raise VerifyException(f"cannot call {self.kernel}, which computes another op")
        self.verify_runs()

    def may_call(self, kernel: KernelAttr) -> bool:
        """True if a kernel may compute the op, as far as the attribute says."""
        if isinstance(kernel, ComposedKernelAttr):
            return kernel.op.data == self.name
        return not isinstance(kernel, TileKernelAttr | CodeKernelAttr)

    @abstractmethod
    def verify_runs(self) -> None:
        """Verify the rules of a particular op."""


class KernelSumOp(KernelOp, ABC):
    """Add products to one sum, in its own accumulator."""

    if TYPE_CHECKING:
        # Declared by each op, because operands are ordered as declared, with those of bases last.
        sum: SSAValue

    result = result_def(SAME_SUM)
    traits = traits_def(MemoryReadEffect())

    @property
    def accumulator(self) -> Accumulator:
        return accumulator_type(self.sum)


class DenseSumOp(KernelSumOp, ABC):
    """A sum over the elements of two runs of memory."""

    sum = operand_def(SAME_SUM)
    lhs = operand_def(MEMREF)
    rhs = operand_def(MEMREF)
    assembly_format = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue, properties: dict[str, Attribute] | None = None):
        super().__init__(operands=[sum, lhs, rhs], properties=properties or {}, result_types=[sum.type])

    @property
    def numbers(self) -> tuple[IntegerAttr, ...]:
        """Numbers that a kernel takes between the length of the runs and the sum."""
        return ()

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.lhs, self.rhs


@irdl_op_definition
class DotOp(DenseSumOp):
    """sum + the products of two runs of equal length, added in order, or as a tree if the accumulator adds in trees."""

    name = "num.dot"

    def verify_runs(self) -> None:
        same_family(self, element_format(self.lhs.type), element_format(self.rhs.type))
        run_length(self.lhs, self.rhs)


@irdl_op_definition
class StridedDotOp(DenseSumOp):
    """sum + the products of the elements of one run of memory with every `stride`-th one of another, in order.

    The second run spans the elements that count, such as a column of a matrix, from the first to the last.
    """

    name = "num.strided_dot"
    stride = prop_def(IntegerAttr.constr(IndexTypeConstr))

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue, stride: int):
        super().__init__(sum, lhs, rhs, {"stride": IntegerAttr(stride, IndexType())})

    @property
    def numbers(self) -> tuple[IntegerAttr, ...]:
        return (self.stride,)

    @property
    def length(self) -> int:
        return run_length(self.lhs)

    def verify_runs(self) -> None:
        same_family(self, element_format(self.lhs.type), element_format(self.rhs.type))
        shapes = [memref_type(value).get_shape() for value in (self.lhs, self.rhs)]
        stride = self.stride.value.data
        if stride < 1 or [len(shape) for shape in shapes] != [1, 1] or shapes[1][0] != (shapes[0][0] - 1) * stride + 1:
            needed = f"n and (n - 1) * {stride} + 1"
            raise VerifyException(f"needs runs of {needed} elements, got shapes {shapes[0]} and {shapes[1]}")


@irdl_op_definition
class DistanceOp(DenseSumOp):
    """sum + the squares of the exact differences of two runs of memory."""

    name = "num.distance"

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        """Both runs, ordered so that one in flash comes first, as kernels expect."""
        return (self.lhs, self.rhs) if in_flash(memref_type(self.lhs)) else (self.rhs, self.lhs)

    def verify_runs(self) -> None:
        if not accumulator_type(self.sum).sums(self.difference, self.difference):
            raise VerifyException(f"{self.sum.type} does not sum squares of {self.difference.type}")
        run_length(self.lhs, self.rhs)

    @property
    def difference(self) -> NumberFormat:
        """The format of an exact difference."""
        lhs, rhs = element_format(self.lhs.type), element_format(self.rhs.type)
        if (format := lhs.difference(rhs)) is None:
            raise VerifyException(f"{lhs.type} and {rhs.type} have no exact difference")
        return format


@irdl_op_definition
class SparseDotOp(KernelSumOp):
    """sum + the products of one compressed row and the elements of a vector that it points to.

    The row is number `row` of compressed rows as in `dialects/layouts/sparse_rows.py`; `at` is the index of its first
    entry among all.
    """

    name = "num.sparse_dot"
    sum = operand_def(SAME_SUM)
    values = operand_def(MEMREF)
    gaps = operand_def(MEMREF)
    lengths = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    row = operand_def(IndexType)
    at = operand_def(IndexType)
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

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.values, self.vector

    @property
    def products(self) -> None:
        return None

    def verify_runs(self) -> None:
        same_family(self, element_format(self.values.type), element_format(self.vector.type))


@irdl_op_definition
class PackedDotOp(KernelSumOp):
    """sum + the products of one packed row (`tinyml.dialects.layouts.sparse_rows`) and a vector, by a kernel."""

    name = "num.packed_dot"
    NEEDS_KERNEL: ClassVar[bool] = True
    sum = operand_def(SAME_SUM)
    row = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    assembly_format = (
        "$sum `,` $row `,` $vector attr-dict `:` type($sum) `,` type($row) `,` type($vector) `->` type($result)"
    )

    def __init__(self, sum: SSAValue, row: SSAValue, vector: SSAValue, kernel: KernelAttr):
        super().__init__(operands=[sum, row, vector], properties={"kernel": kernel}, result_types=[sum.type])

    def may_call(self, kernel: KernelAttr) -> bool:
        return super().may_call(kernel) or (isinstance(kernel, ComposedKernelAttr) and kernel.gaps.data > 0)

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.row, self.vector

    @property
    def products(self) -> None:
        return None

    def verify_runs(self) -> None:
        element_format(self.vector.type)
