"""`spread-entries`: distributes products of sparse matrices to processing elements (hardware).

Each processing element processes one entry per cycle. SeeDot (section 6.2.1) distributes the columns of a sparse
matrix. Three quarters of the columns are assigned before the program runs. Each remaining column is assigned at run
time to an idle element. Here every entry of a row is assigned in advance, because all indices are constants. `n`
elements process the entries of a row `n` at a time, and an adder tree adds their products. `e` entries in `r` rows
therefore fill at most `e / n + r` words, one of which is loaded per cycle; filling the pipeline takes a few more
cycles. In SeeDot's method, the entries take at best `e / n` cycles, and adding the elements' partial sums of each row
takes `r` more cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    ModuleOp,
    TensorType,
    UnitAttr,
    i1,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, rtl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.verilog.fabric import Fabric, fabric_around
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.indices import affine_sum
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.operators import Operators, type_width
from tinyml.transforms.rtl.scheduling.regions import LOGIC, set_lanes, trips_around
from tinyml.transforms.rtl.unrolling.block_rams import blocks, memory_cells
from tinyml.transforms.rtl.unrolling.cell_costs import cells_of, product_in_logic
from tinyml.transforms.rtl.unrolling.entry_rows import EntryRows
from tinyml.transforms.rtl.unrolling.unrolled_sum import adder_tree
from tinyml.transforms.rtl.unrolling.words import element_of_word

MAX_PROCESSING_ELEMENTS = 64
"""The maximum number of processing elements of a product."""


@dataclass(frozen=True)
class SpreadEntriesPass(ConditionalPass):
    """Replace products of compressed matrices by loops over words that contain one entry for each processing element.

    Each product receives a part of the budget in proportion to its multiplications. Each processing element has a copy
    of the vector. Copies, entries and other memories together use no more block RAMs than the device has.

    elements: the number of processing elements of each product; by default the budget determines it.
    cells: the budget for the whole module in percent of the device's LUTs, DSPs and block RAMs.

    Raises `InputError` for fewer than one processing element and for an invalid percentage.
    """

    name = "spread-entries"
    ACTS_ON = (num.ContractOp,)
    elements: int | None = None
    cells: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.elements is not None and self.elements < 1:
            raise InputError(f"spread-entries: {self.elements} elements")
        if not 0 <= self.cells <= 100:
            raise InputError(f"spread-entries: {self.cells} percent of the cells")
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                found = [EntryRows.of(op) for op in function.walk() if isinstance(op, num.ContractOp)]
                counts = [_budgeted(function, rows, self.cells) for rows in found]
                for rows, (count, in_dsps) in zip(found, counts, strict=True):
                    _spread(rows, *((count, in_dsps) if self.elements is None else (self.elements, self.elements)))


def _budgeted(function: func.FuncOp, rows: EntryRows, cells: int) -> tuple[int, int]:
    """Return the number of processing elements, at least one, that a product's part of the budget allows, and how many
    of them multiply in DSPs.

    cells: the budget of the whole module in percent.
    """
    fabric = fabric_around(function)
    operators = Operators(fabric.delays, intervals(function))
    taken = cells_of(function.body.block.ops, operators, fabric)
    products = [op for op in rows.computing if isinstance(op, arith.MuliOp) and not _is_index(op)]
    share = rows.entries / (rows.entries + _products(function))
    there = fabric.there.luts, fabric.there.dsps
    luts, dsps = (share * (cells * have / 100 - used) for have, used in zip(there, taken, strict=True))
    luts_each, dsps_each = cells_of(rows.computing, operators, fabric)
    luts_each += operators.width(rows.term)
    in_logic = sum(product_in_logic(op, operators) for op in products)
    vector = cast("rtl.MemoryType", rows.vector.memory.type)
    copy = -(-vector.depth.data * vector.width.data // fabric.bram_bits)
    others = _blocks_of_others(function, rows, fabric)
    count = in_dsps = 1
    while count < MAX_PROCESSING_ELEMENTS and count * copy < cells * fabric.there.brams // 100:
        if others + (count + 1) * copy + _blocks_of_tables(rows, count + 1, fabric) > fabric.there.brams:
            break
        dsp = dsps >= dsps_each
        luts, dsps = luts - luts_each - (0 if dsp else in_logic), dsps - dsp * dsps_each
        if luts < 0:
            break
        count, in_dsps = count + 1, in_dsps + dsp
    return count, in_dsps


def _blocks_of_others(function: func.FuncOp, rows: EntryRows, fabric: Fabric) -> int:
    own = {rows.values.memory, rows.vector.memory}
    others = [
        op
        for op in function.walk()
        if isinstance(op, rtl.MemoryOp) and op.result not in own
        if not all(rows.nest.is_ancestor(use.operation) for use in op.result.uses)
    ]
    return sum(memory_cells(fabric, op.result.type, op.content)[1] for op in others)


def _blocks_of_tables(rows: EntryRows, count: int, fabric: Fabric) -> int:
    """The number of block RAMs that store the entries of a product and their column indices, in words for `count`
    elements.
    """
    widths = type_width(rows.values.result), _address_width(rows)
    return sum(blocks(fabric, rows.words(count), width * count) for width in widths)


def _address_width(rows: EntryRows) -> int:
    return (_first(rows) + max((entry.column for row in rows.rows for entry in row), default=0)).bit_length() or 1


def _first(rows: EntryRows) -> int:
    return affine_sum(rows.vector.address).constant


def _products(function: func.FuncOp) -> int:
    found = 0
    for op in function.walk():
        if isinstance(op, arith.MuliOp) and not isinstance(op.result.type, IndexType):
            trips = [*trips_around(op)]
            found += prod(trips) if trips else 0
    return found


def _spread(rows: EntryRows, count: int, in_dsps: int) -> None:
    """Replace a product by a loop over words. A word contains an entry of a row for each of `count` processing
    elements.

    If the initial value of a sum is not constant, the sum starts from 0, and the initial value is added at the end
    of the row.

    in_dsps: the number of elements that multiply in DSPs; all other elements multiply in logic.
    """
    words = [row[start : start + count] for row in rows.rows for start in range(0, max(len(row), 1), count)]
    lasts = [last for row in rows.rows for last in [0] * (max(1, -(-len(row) // count)) - 1) + [1]]
    dealt = [word[lane] if lane < len(word) else None for word in words for lane in range(count)]
    content, first = rows.content, _first(rows)
    nest = LoopBuilder(rows.nest)
    values = [0 if entry is None else content[entry.number] for entry in dealt]
    addresses = [0 if entry is None else first + entry.column for entry in dealt]
    tables = (
        _memory(nest, values, type_width(rows.values.result), count, rows.values.memory.name_hint),
        _memory(nest, addresses, _address_width(rows), count, "columns"),
    )
    ends = _memory(nest, lasts, 1, 1, "ends")
    copies = _copies(rows.vector.memory, count)
    known = const_evaluate_operand(rows.sum.start)
    start = nest.constant(known or 0, rows.sum.start.type)

    def step(at: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        row, sum = carried
        row.name_hint, sum.name_hint = "row", "sum"
        read = [_word(nest, table, at) for table in tables]
        last = nest.insert(rtl.LoadOp(ends, at, i1))
        added = [_term(nest, rows, read, copies, lane, logic=lane >= in_dsps) for lane in range(count)]
        total = nest.add(sum, adder_tree(nest, added))
        _finish(nest, rows, row, total, last, starts=known is not None)
        following = nest.add(row, nest.index(1))
        stays = nest.insert(arith.CmpiOp(following, nest.index(len(rows.rows)), "slt"))
        wrapped = nest.insert(arith.SelectOp(stays, following, nest.index(0)))
        return [nest.insert(arith.SelectOp(last, *pair)) for pair in ((wrapped, row), (start, total))]

    loop = nest.fold(nest.index(len(words)), [nest.index(0), start], step)[0].owner
    if count > 1:
        set_lanes(cast("scf.ForOp", loop), count)
    read_by = {rows.sum.gaps, rows.sum.lengths, rows.values.memory}
    Rewriter.erase_op(rows.nest)
    for memory in read_by:
        if isinstance(memory.owner, Operation) and memory.first_use is None:
            Rewriter.erase_op(memory.owner)


def _finish(
    nest: LoopBuilder, rows: EntryRows, row: SSAValue, total: SSAValue, last: SSAValue, *, starts: bool
) -> None:
    new: dict[SSAValue, SSAValue] = {rows.nest.row: row}
    for op in rows.nest.body.block.ops:
        if isinstance(op, num.EntriesOp):
            new[op.result] = total if starts else nest.add(total, new.get(op.start, op.start))
        elif isinstance(op, rtl.StoreOp):
            value, address = (new.get(operand, operand) for operand in (op.value, op.address))
            nest.put(rtl.StoreOp(value, op.memory, address, last))
        else:
            nest.put(op.clone(new))


def _memory(nest: LoopBuilder, numbers: Sequence[int], width: int, count: int, name: str | None) -> SSAValue:
    data = np.array(numbers, f"<u{1 << max((width + 7) // 8 - 1, 0).bit_length()}").tobytes()
    content = DenseIntOrFPElementsAttr(TensorType(IntegerType(width), [len(numbers)]), BytesAttr(data))
    memory = nest.insert(rtl.MemoryOp(rtl.MemoryType(len(numbers) // count, width * count), content))
    memory.name_hint = name
    return memory


def _copies(vector: SSAValue, count: int) -> list[SSAValue]:
    memory = vector.owner
    assert isinstance(memory, rtl.MemoryOp)
    copies = [memory.result]
    for _ in range(count - 1):
        copy = rtl.MemoryOp(memory.result.type)
        Rewriter.insert_op(copy, InsertPoint.after(memory))
        copy.result.name_hint = memory.result.name_hint
        copies.append(copy.result)
    for use in list(memory.result.uses):
        if isinstance(store := use.operation, rtl.StoreOp):
            again = [rtl.StoreOp(store.value, copy, store.address, store.condition) for copy in copies[1:]]
            Rewriter.insert_op(again, InsertPoint.after(store))
    return [*copies]


def _word(nest: LoopBuilder, table: SSAValue, at: SSAValue) -> SSAValue:
    assert isinstance(table.type, rtl.MemoryType)
    return nest.insert(rtl.LoadOp(table, at, IntegerType(table.type.width.data)))


def _term(
    nest: LoopBuilder, rows: EntryRows, read: Sequence[SSAValue], copies: Sequence[SSAValue], lane: int, *, logic: bool
) -> SSAValue:
    """Emit the product that processing element `lane` adds to the sum, and return it.

    read: the loaded words of values and of addresses.
    copies: the copies of the vector.
    logic: true to multiply without a DSP.
    """
    widths = type_width(rows.values.result), _address_width(rows)
    value, place = (element_of_word(nest, word, lane, width) for word, width in zip(read, widths, strict=True))
    unsigned = nest.insert(arith.ExtUIOp(place, IntegerType(widths[1] + 1)))
    address = nest.insert(arith.IndexCastOp(unsigned, IndexType()))
    for variable, factor in affine_sum(rows.vector.address).factors.items():
        if variable is not rows.sum.body.block.args[2]:
            address = nest.add(address, nest.times(variable, factor))
    element = nest.insert(rtl.LoadOp(copies[lane], address, IntegerType(type_width(rows.vector.result))))
    new: dict[SSAValue, SSAValue] = {rows.values.result: value, rows.vector.result: element}
    for op in rows.computing:
        if op is rows.values or op is rows.vector or _is_index(op):
            continue
        copy = op.clone(new)
        if logic and isinstance(copy, arith.MuliOp):
            copy.attributes[LOGIC] = UnitAttr()
        nest.put(copy)
    return new[rows.term]


def _is_index(op: Operation) -> bool:
    return isinstance(op.results[0].type, IndexType)
