"""Lowering of sparse matrix products to contractions over compressed rows (L2 to L3)."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i8, i16, i64
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.functions import DATA, GAPS, LENGTHS
from tinyml.dialects.layouts.sparse_rows import compress, with_room
from tinyml.lowering.loops.contractions.products import begun, contract_rows, finished, row_shifts, sum_start
from tinyml.lowering.loops.contractions.zero_points import start_without_offsets
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, elements_from, flash_array
from tinyml.transforms.ir.loop_nest import LoopBuilder


@lowers(tdsl.SpmvOp)
def lower_spmv(op: tdsl.SpmvOp, nest: LoopBuilder) -> None:
    matrix = cast(scratch.ConstantOp, op.lhs.owner)
    rows, columns = tdsl.shape_of(op.lhs)
    stored = compress(matrix.raws)
    if op.room is not None:
        stored = with_room(stored, op.room.value.data, columns)
    hint = op.lhs.name_hint or "sparse"
    groups = tdsl.format_of(op.lhs).groups
    element = element_of(op.lhs) if groups is None else exact_numbers(tdsl.format_of(op.lhs)).element.type
    values = flash_array(nest, stored.values, element, hint)
    left = None if groups is None else flash_array(nest, groups.by_run.reshape(-1), i8, f"{hint}_shifts")
    gaps = flash_array(nest, stored.gaps.view("i1"), i8, f"{hint}_gaps")
    wide = stored.lengths.itemsize == 2
    lengths = flash_array(nest, stored.lengths.view("i2" if wide else "i1"), i16 if wide else i8, f"{hint}_lengths")
    start = start_without_offsets(op)
    initial = sum_start(None, start, op.accumulator, nest)
    element = None if start is None else tdsl.format_of(op.rhs).without_offset()[0].type
    vector = elements_from(op.rhs, nest.index(0), columns, nest, element)
    shifts = row_shifts(op, nest)
    if op.room is not None:
        for array in (values, gaps, lengths):
            cast(scratch.ConstantOp, array.owner).attributes[DATA] = UnitAttr()
        number = _matrices_before(op)
        for array, name, count in ((gaps, GAPS, columns), (lengths, LENGTHS, len(stored.values))):
            cast(scratch.ConstantOp, array.owner).attributes[name] = DenseArrayBase.from_list(i64, [number, count])

    zero = nest.index(0)

    def row(i: SSAValue) -> None:
        here = [i, zero]
        start = begun(op.accumulator, initial, here, nest)
        first = start if left is None else begun(op.accumulator, None, here, nest)
        sum = nest.insert(num.SparseProductsOp(first, values, gaps, lengths, vector))
        if left is not None:
            sum = nest.insert(num.AddShiftedOp(start, sum, nest.load(left, [i])))
        nest.store(finished(op, sum, shifts, here, nest), op.out, here)

    contract_rows(rows, row, nest)


def _matrices_before(op: tdsl.SpmvOp) -> int:
    function = op.parent_op()
    while not isinstance(function, func.FuncOp):
        assert function is not None
        function = function.parent_op()
    return sum(GAPS in other.attributes for other in function.walk())
