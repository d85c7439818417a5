"""Rows of constant matrices and tiles that are code, each sum finished where it was summed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.coded_rows import ROWS, TILE, CodedRows, CodedTile
from tinyml.dialects.num.kernels.kernel_attributes import CodeKernelAttr
from tinyml.dialects.num.kernels.kernel_ops import MEMREF, is_of_bytes, run_length

__all__ = ["CodeSize", "CodedOp", "CodedRowsOp", "CodedTileOp"]


class CodeSize(NamedTuple):
    """The cost of a kernel.

    time: of a call, in the unit of the device. once, call: bytes of flash per program and per call. stack: bytes.
    """

    time: int
    once: int
    call: int
    stack: int


def kernel_properties(kernel: CodeKernelAttr, size: CodeSize) -> Mapping[str, Attribute]:
    """The properties for a kernel and its cost."""
    return {"kernel": kernel, "size": DenseArrayBase.from_list(i64, size)}


class CodedOp(IRDLOperation, ABC):
    """Sums of products with constants, computed by a function that contains the constants.

    kernel: the kernel composed for them. size: its cost.
    """

    kernel = prop_def(CodeKernelAttr)
    size = prop_def(DenseArrayBase.constr(i64))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)

    @property
    def code_size(self) -> CodeSize:
        """The numbers of `size`; raises `VerifyException` unless there are four, none of them negative."""
        numbers = [int(number) for number in self.size.get_values()]
        if len(numbers) != len(CodeSize._fields) or min(numbers) < 0:
            raise VerifyException(f"size needs {', '.join(CodeSize._fields)}, got {numbers}")
        return CodeSize(*numbers)

    @property
    @abstractmethod
    def declared(self) -> Mapping[str, Attribute]:
        """The attributes of the function's declaration, which hold the constants."""

    @property
    @abstractmethod
    def runs(self) -> tuple[Sequence[SSAValue], SSAValue]:
        """The runs that the function reads, and the run that it writes."""

    def verify_(self) -> None:
        read, written = self.runs
        for run in (*read, written):
            if not is_of_bytes(run, offset=run is written):
                raise VerifyException(f"needs integers of one byte that are not packed, got {run.type}")
        self.verify_extents()

    @abstractmethod
    def verify_extents(self) -> None:
        """Verify the size of the constants, and the lengths of the runs."""


@irdl_op_definition
class CodedRowsOp(CodedOp):
    """`outputs[r] =` the sum, finished, of start r and the products of row r of each matrix and its vector.

    rows: the attribute of `CodedRows`.
    """

    name = "num.coded_rows"
    outputs = operand_def(MEMREF)
    vectors = var_operand_def(MEMREF)
    rows = prop_def(DictionaryAttr)
    assembly_format = "$outputs `,` $vectors attr-dict `:` type($outputs) `,` type($vectors)"

    def __init__(
        self, outputs: SSAValue, vectors: Sequence[SSAValue], rows: CodedRows, kernel: CodeKernelAttr, size: CodeSize
    ):
        super().__init__(
            operands=[outputs, vectors], properties={"rows": rows.attribute, **kernel_properties(kernel, size)}
        )

    @property
    def declared(self) -> Mapping[str, Attribute]:
        return {ROWS: self.rows}

    @property
    def runs(self) -> tuple[Sequence[SSAValue], SSAValue]:
        return self.vectors, self.outputs

    def verify_extents(self) -> None:
        rows, _ = CodedRows.of(self.rows), self.code_size
        needed = [matrix.shape[1] for matrix in rows.weights]
        lengths = [run_length(vector) for vector in self.vectors]
        if (run_length(self.outputs), lengths) != (rows.rows, needed):
            raise VerifyException(
                f"{rows.rows} rows of {needed} elements do not give {run_length(self.outputs)} results of {lengths}"
            )


@irdl_op_definition
class CodedTileOp(CodedOp):
    """`outputs[p, r] =` the sum, finished, of start r and the products of row r of weights and window p.

    tile: the attribute of `CodedTile`.
    """

    name = "num.coded_tile"
    outputs = operand_def(MEMREF)
    windows = operand_def(MEMREF)
    tile = prop_def(DictionaryAttr)
    assembly_format = "$outputs `,` $windows attr-dict `:` type($outputs) `,` type($windows)"

    def __init__(self, outputs: SSAValue, windows: SSAValue, tile: CodedTile, kernel: CodeKernelAttr, size: CodeSize):
        super().__init__(
            operands=[outputs, windows], properties={"tile": tile.attribute, **kernel_properties(kernel, size)}
        )

    @property
    def declared(self) -> Mapping[str, Attribute]:
        return {TILE: self.tile}

    @property
    def runs(self) -> tuple[Sequence[SSAValue], SSAValue]:
        return [self.windows], self.outputs

    def verify_extents(self) -> None:
        tile, _ = CodedTile.of(self.tile), self.code_size
        results, elements = tile.count * tile.rows, run_length(self.windows)
        if run_length(self.outputs) != results or elements < tile.elements:
            raise VerifyException(
                f"{results} results of {tile.elements} elements are not {run_length(self.outputs)} of {elements}"
            )
