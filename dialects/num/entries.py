"""The op `num.entries`: a separate loop over the entries of a compressed row, for targets whose kernels are not
function calls.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, MemRefType, UnitAttr
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    BaseAttr,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.traits import HasParent, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.num.contractions import ContractOp
from tinyml.dialects.num.kernels.calls import run_length
from tinyml.dialects.num.nests import NextOp, RowLoopOp
from tinyml.dialects.operations import ClockedMemory

__all__ = ["EntriesOp"]

_NUMBERS = BaseAttr(MemRefType) | BaseAttr(ClockedMemory)


@irdl_op_definition
class EntriesOp(RowLoopOp):
    """The sum of terms over the entries of a row, in a `num.contract` of a compressed matrix
    (`dialects/layouts/sparse_rows.py`).

    The arguments of the body are the sum before an entry, the index of the entry in the matrix, and the column of the
    entry. The body adds a term and ends with `num.next`.

    * gaps, lengths: the gaps and row lengths of the matrix. They are arrays or, after `scratch` memories are converted
      to hardware memories, `rtl` memories.
    * products: set if each term is the integer product of the value of the entry and an element of a vector. The index
      of the entry is then used only to load its value, and an entry of value 0 adds nothing.
    """

    name = "num.entries"
    start = operand_def()
    gaps = operand_def(_NUMBERS)
    lengths = operand_def(_NUMBERS)
    products = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    result = result_def()
    traits = traits_def(HasParent(ContractOp), RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$start `,` $gaps `,` $lengths attr-dict"
        " `:` type($start) `,` type($gaps) `,` type($lengths) `->` type($result) $body"
    )

    def __init__(self, start: SSAValue, gaps: SSAValue, lengths: SSAValue, body: Region, *, products: bool = False):
        properties = {"products": UnitAttr() if products else None}
        operands = [start, gaps, lengths]
        super().__init__(operands=operands, regions=[body], properties=properties, result_types=[start.type])

    def verify_(self) -> None:
        types = [self.start.type, IndexType(), IndexType()]
        if list(self.body.block.arg_types) != types:
            raise VerifyException(f"the body expects a sum, an entry and a column, {', '.join(map(str, types))}")
        end = self.body.block.last_op
        if not isinstance(end, NextOp) or [*end.operand_types, self.result.type] != [self.start.type] * 2:
            raise VerifyException(f"the body ends in 'num.next' of {self.start.type}, which is also the result")
        around = self.parent_op()
        rows = run_length(self.lengths) if isinstance(self.lengths.type, MemRefType) else None
        if isinstance(around, ContractOp) and rows is not None and around.shape != (rows,):
            raise VerifyException(f"needs {rows} rows and one window, got {around.shape}")
