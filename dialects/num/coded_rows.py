"""Rows of constant matrices that are code, each sum finished where it was summed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, StringAttr, i64
from xdsl.ir import SSAValue
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

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.num.kernels import MEMREF, run_length

__all__ = ["CodeSize", "CodedRowsOp"]


class CodeSize(NamedTuple):
    """What a kernel takes.

    time: of a call, in the unit of the device. once: bytes of flash; call: those of each call. stack: bytes.
    """

    time: int
    once: int
    call: int
    stack: int


@irdl_op_definition
class CodedRowsOp(IRDLOperation):
    """`outputs[r] =` the sum, finished, of start r and the products of row r of each matrix and its vector.

    rows: the attribute of `CodedRows`. kernel: a function that is composed for them. size: what it takes.
    """

    name = "num.coded_rows"
    outputs = operand_def(MEMREF)
    vectors = var_operand_def(MEMREF)
    rows = prop_def(DictionaryAttr)
    kernel = prop_def(StringAttr)
    size = prop_def(DenseArrayBase.constr(i64))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$outputs `,` $vectors attr-dict `:` type($outputs) `,` type($vectors)"

    def __init__(self, outputs: SSAValue, vectors: Sequence[SSAValue], rows: CodedRows, kernel: str, size: CodeSize):
        super().__init__(
            operands=[outputs, vectors],
            properties={
                "rows": rows.attribute,
                "kernel": StringAttr(kernel),
                "size": DenseArrayBase.from_list(i64, size),
            },
        )

    @property
    def code_size(self) -> CodeSize:
        """The numbers of `size`; raises `VerifyException` unless there are four, none of them negative."""
        numbers = [int(number) for number in self.size.get_values()]
        if len(numbers) != len(CodeSize._fields) or min(numbers) < 0:
            raise VerifyException(f"size needs {', '.join(CodeSize._fields)}, got {numbers}")
        return CodeSize(*numbers)

    def verify_(self) -> None:
        rows, _ = CodedRows.of(self.rows), self.code_size
        needed = [matrix.shape[1] for matrix in rows.weights]
        lengths = [run_length(vector) for vector in self.vectors]
        if (run_length(self.outputs), lengths) != (rows.rows, needed):
            raise VerifyException(
                f"{rows.rows} rows of {needed} elements do not give {run_length(self.outputs)} results of {lengths}"
            )
