"""Ops on contiguous memory that update several sums at once, as those of `kernels.py` update one."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, ClassVar, cast

from xdsl.dialects.builtin import IndexType, IndexTypeConstr, IntegerAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.num.base import SCALAR, format_of, sums_products
from tinyml.dialects.num.kernels.kernel_attributes import KernelAttr
from tinyml.dialects.num.kernels.kernel_ops import MEMREF, KernelOp, run_length
from tinyml.dialects.scratch.types import memref_type, packed_bits

__all__ = ["AxpyOp", "ChannelDotsOp", "DotRowsOp"]


class VectorSumsOp(KernelOp, ABC):
    """Update sums in memory."""

    if TYPE_CHECKING:
        sums: SSAValue

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def accumulator(self) -> Accumulator:
        return cast(Accumulator, accumulator_of(memref_type(self.sums).element_type))


@irdl_op_definition
class AxpyOp(VectorSumsOp):
    """`sums[k] = sums[k] + vector[k] * factor` for every element of two runs of memory."""

    name = "num.axpy"
    sums = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    factor = operand_def(SCALAR)
    assembly_format = "$sums `,` $vector `,` $factor attr-dict `:` type($sums) `,` type($vector) `,` type($factor)"

    def __init__(self, sums: SSAValue, vector: SSAValue, factor: SSAValue):
        super().__init__(operands=[sums, vector, factor])

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.vector, self.factor

    @property
    def length(self) -> int:
        return run_length(self.vector)

    def verify_runs(self) -> None:
        run_length(self.sums, self.vector)
        element = memref_type(self.sums).element_type
        sums_products(element, element_format(self.vector.type), format_of(self.factor))


@irdl_op_definition
class DotRowsOp(VectorSumsOp):
    """`sums[r] = starts[r] +` the products of row r of a matrix and a vector, for every row, by a kernel.

    The matrix is contiguous, row after row, packed rows in whole groups; `sums` and `starts` may be the same memory.
    """

    name = "num.dot_rows"
    NEEDS_KERNEL: ClassVar[bool] = True
    sums = operand_def(MEMREF)
    starts = operand_def(MEMREF)
    matrix = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    assembly_format = (
        "$sums `,` $starts `,` $matrix `,` $vector attr-dict"
        " `:` type($sums) `,` type($starts) `,` type($matrix) `,` type($vector)"
    )

    def __init__(self, sums: SSAValue, starts: SSAValue, matrix: SSAValue, vector: SSAValue, kernel: KernelAttr):
        super().__init__(operands=[sums, starts, matrix, vector], properties={"kernel": kernel})

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.matrix, self.vector

    @property
    def products(self) -> int:
        return run_length(self.matrix)

    def verify_runs(self) -> None:
        rows, elements, length = run_length(self.sums, self.starts), run_length(self.matrix), run_length(self.vector)
        bits = packed_bits(memref_type(self.matrix))
        padded = length if bits is None else length + -length % group_length(bits)
        if elements != rows * padded:
            raise VerifyException(f"{rows} rows of {padded} elements are not {elements}")
        element = memref_type(self.sums).element_type
        sums_products(element, element_format(self.matrix.type), element_format(self.vector.type))


@irdl_op_definition
class ChannelDotsOp(VectorSumsOp):
    """`sums[r] = starts[r] +` the products of row r of a matrix and every `stride`-th element of a run from its r-th.

    In this way each channel of an image meets a filter of its own. The matrix is contiguous, row after row; `sums` and
    `starts` may be the same memory.
    """

    name = "num.channel_dots"
    NEEDS_KERNEL: ClassVar[bool] = True
    sums = operand_def(MEMREF)
    starts = operand_def(MEMREF)
    matrix = operand_def(MEMREF)
    window = operand_def(MEMREF)
    stride = prop_def(IntegerAttr.constr(IndexTypeConstr))
    assembly_format = (
        "$sums `,` $starts `,` $matrix `,` $window attr-dict"
        " `:` type($sums) `,` type($starts) `,` type($matrix) `,` type($window)"
    )

    def __init__(
        self,
        sums: SSAValue,
        starts: SSAValue,
        matrix: SSAValue,
        window: SSAValue,
        stride: int,
        kernel: KernelAttr,
    ):
        properties: dict[str, Attribute] = {"kernel": kernel, "stride": IntegerAttr(stride, IndexType())}
        super().__init__(operands=[sums, starts, matrix, window], properties=properties)

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.matrix, self.window

    @property
    def length(self) -> int:
        return run_length(self.matrix) // run_length(self.sums)

    @property
    def products(self) -> int:
        return run_length(self.matrix)

    def verify_runs(self) -> None:
        rows, elements, reach = run_length(self.sums, self.starts), run_length(self.matrix), run_length(self.window)
        if elements % rows or reach != (self.length - 1) * self.stride.value.data + rows:
            raise VerifyException(f"{rows} rows of {elements} elements do not meet {reach} elements of a window")
        element = memref_type(self.sums).element_type
        sums_products(element, element_format(self.matrix.type), element_format(self.window.type))
