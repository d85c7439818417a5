"""Sums over the entries of a compressed row: the op `num.entries` for targets whose kernels are not function calls, and
the routines of kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IndexTypeConstr, MemRefType, UnitAttr, i8, i16, i32
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    BaseAttr,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.traits import HasParent, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.num.base import SAME_SUM
from tinyml.dialects.num.contractions import ContractOp
from tinyml.dialects.num.kernels.calls import (
    MEMREF,
    SPARSE_DOT,
    Arguments,
    CallOp,
    LoopBuilding,
    LoopRoutineAttr,
    RoutineAttr,
    run_length,
)
from tinyml.dialects.num.kernels.kernel_attributes import ComposedKernelAttr, KernelAttr
from tinyml.dialects.num.kernels.routines import verify_products
from tinyml.dialects.num.nests import NextOp, RowLoopOp
from tinyml.dialects.num.sums import MacOp
from tinyml.dialects.operations import ClockedMemory
from tinyml.dialects.scratch.ops import SliceOp
from tinyml.dialects.scratch.types import memref_type

__all__ = ["EntriesOp", "PackedDotAttr", "SparseDotAttr", "over_entries"]

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


def over_entries(
    start: SSAValue,
    gaps: SSAValue,
    lengths: SSAValue,
    row: SSAValue,
    first: SSAValue,
    add: Callable[[SSAValue, SSAValue, SSAValue], SSAValue],
    loops: LoopBuilding,
) -> SSAValue:
    """Build a loop over the entries of a compressed row, and return the value of the sum after the loop.

    start: the value of the sum before the loop.
    gaps, lengths: the gaps of all entries and the lengths of all rows.
    row: the index of the row.
    first: the index of the row's first entry.
    add: returns the sum after an entry, given the sum before the entry, the index of the entry and the column of the
        entry.
    """

    def step(_: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        sum, column, entry = carried
        column = loops.add(column, loops.unsigned(loops.load(gaps, [entry])))
        return [add(sum, entry, column), column, loops.add(entry, loops.index(1))]

    length = loops.unsigned(loops.load(lengths, [row]))
    return loops.fold(length, [start, loops.index(0), first], step)[0]


@irdl_attr_definition
class SparseDotAttr(LoopRoutineAttr):
    """`(sum, values, gaps, lengths, vector, row, at)`: the sum plus the products of one compressed row and a vector.

    `row` is the index of the row among the compressed rows, whose layout `dialects/layouts/sparse_rows.py` describes.
    `at` is the index of the first entry of the row among all entries.
    """

    name = SPARSE_DOT
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (
        *(SAME_SUM, MEMREF, MEMREF, MEMREF, MEMREF),
        *(IndexTypeConstr, IndexTypeConstr),
    )
    ADDS: ClassVar[bool] = True

    def factors(self, call: CallOp) -> tuple[SSAValue, SSAValue]:
        return call.arguments[1], call.arguments[4]

    def products(self, call: CallOp) -> None:
        return None

    def verify_call(self, call: CallOp) -> None:
        verify_products(call, *self.factors(call))

    def expand(self, call: CallOp, loops: LoopBuilding) -> SSAValue:
        start, values, gaps, lengths, vector, row, at = call.arguments

        def add(sum: SSAValue, entry: SSAValue, column: SSAValue) -> SSAValue:
            return loops.insert(MacOp(sum, loops.load(values, [entry]), loops.load(vector, [column])))

        return over_entries(start, gaps, lengths, row, at, add, loops)

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        def emit(e: Emitter) -> Sequence[SSAValue]:
            sum, values, gaps, lengths, vector, row, at = call.arguments
            runs = [e.insert(SliceOp(run, at, memref_type(run).get_shape())) for run in (values, gaps)]
            length = e.insert(memref.LoadOp.get(lengths, [row]))
            wide = e.insert(arith.ExtUIOp(length, i16 if length.type == i8 else i32))
            return [*runs, vector, e.insert(arith.IndexCastOp(wide, IndexType())), sum]

        return emit


@irdl_attr_definition
class PackedDotAttr(RoutineAttr):
    """`(sum, row, vector)`: the sum plus the products of one packed row (`dialects/layouts/sparse_rows.py`) and a
    vector.
    """

    name = "num.packed_dot"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (SAME_SUM, MEMREF, MEMREF)
    ADDS: ClassVar[bool] = True

    def takes(self, kernel: KernelAttr) -> bool:
        return super().takes(kernel) or (isinstance(kernel, ComposedKernelAttr) and kernel.gaps.data > 0)

    def products(self, call: CallOp) -> None:
        return None

    def verify_call(self, call: CallOp) -> None:
        element_format(call.arguments[2].type)

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        return lambda e: [*call.arguments[1:], call.sum]
