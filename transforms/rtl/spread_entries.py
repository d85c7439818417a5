"""`spread-entries`: processing elements for products of sparse matrices, each of which takes an entry a cycle.

SeeDot (section 6.2.1) deals the columns of a sparse matrix out to processing elements, three quarters of them before
the program runs and a quarter to whichever element is free. Here every entry of a row is dealt out beforehand, since
all indices are constants: `n` elements take the entries of a row `n` at a time, and an adder tree joins them, so that
`e` entries in `r` rows take less than `e / n + r` cycles. Columns that are fed to free elements take `e / n` cycles at
best, and `r` more to join the sums that each element has of each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.builder import Builder
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
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import rtl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.registry import fabric_of
from tinyml.targets.verilog.fabric import Fabric
from tinyml.transforms.ir.indices import build_constant, build_index, trips_of
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.scheduling.regions import LOGIC
from tinyml.transforms.rtl.unrolling.block_rams import blocks
from tinyml.transforms.rtl.unrolling.cell_costs import cells_of, product_in_logic
from tinyml.transforms.rtl.unrolling.entry_rows import EntryRows, content_of
from tinyml.transforms.rtl.unrolling.unrolled_sum import adder_tree
from tinyml.transforms.rtl.unrolling.words import width_of

MOST = 64
"""The maximum number of processing elements of a product."""


@dataclass(frozen=True)
class SpreadEntriesPass(ModulePass):
    """Replace products of compressed matrices by loops over words of entries, one for each processing element.

    elements: how many elements each product has; None keeps to the budget. cells: percent of the LUTs, DSPs and block
    RAMs of the device for the whole module, of which a product takes its share of the program's products of numbers.
    Each element has a copy of the vector; copies, entries and other memories take no more block RAMs than there are.
    Raises `InputError` for less than one element and for an invalid share.
    """

    name = "spread-entries"
    elements: int | None = None
    cells: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.elements is not None and self.elements < 1:
            raise InputError(f"spread-entries: {self.elements} elements")
        if not 0 <= self.cells <= 100:
            raise InputError(f"spread-entries: {self.cells} percent of the cells")
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                loops = [loop for loop in function.walk() if isinstance(loop, scf.ForOp)]
                found = [rows for rows in map(EntryRows.of, loops) if rows is not None]
                counts = [_budgeted(function, rows, self.cells) for rows in found]
                for rows, (count, in_dsps) in zip(found, counts, strict=True):
                    _spread(rows, *((count, in_dsps) if self.elements is None else (self.elements, self.elements)))


def _budgeted(function: func.FuncOp, rows: EntryRows, cells: int) -> tuple[int, int]:
    """The processing elements that a product's share of a budget allows, and how many of them multiply by DSPs."""
    fabric = fabric_of(function)
    operators = Operators(fabric.delays, intervals(function))
    taken = cells_of(function.body.block.ops, operators)
    products = [op for op in rows.pure if isinstance(op, arith.MuliOp)]
    share = rows.entries / (rows.entries + _products(function))
    there = fabric.there.luts, fabric.there.dsps
    luts, dsps = (share * (cells * have / 100 - used) for have, used in zip(there, taken, strict=True))
    luts_each, dsps_each = cells_of([*rows.loads, *rows.pure], operators)
    luts_each += operators.width(rows.term)
    in_logic = sum(product_in_logic(op, operators) for op in products)
    vectors = {cast("rtl.MemoryType", load.memory.type) for load in rows.loads if content_of(load) is None}
    bits = sum(vector.depth.data * vector.width.data for vector in vectors)
    copy = max(1, -(-bits // fabric.bram_bits))
    others = _blocks_of_others(function, rows, fabric)
    count = in_dsps = 1
    while count < MOST and count * copy < cells * fabric.there.brams // 100:
        if others + (count + 1) * copy + _blocks_of_tables(rows, count + 1, fabric) > fabric.there.brams:
            break
        dsp = dsps >= dsps_each
        luts, dsps = luts - luts_each - (0 if dsp else in_logic), dsps - dsp * dsps_each
        if luts < 0:
            break
        count, in_dsps = count + 1, in_dsps + dsp
    return count, in_dsps


def _blocks_of_others(function: func.FuncOp, rows: EntryRows, fabric: Fabric) -> int:
    """The block RAMs of the memories of a function other than those of a product."""
    own = {load.memory for load in rows.loads}
    others = [
        memory.type
        for op in function.walk()
        if isinstance(op, rtl.MemoryOp) and (memory := op.result) not in own
        if not all(rows.outer.is_ancestor(use.operation) for use in memory.uses)
    ]
    return sum(blocks(fabric, type.depth.data, type.width.data) for type in others)


def _blocks_of_tables(rows: EntryRows, count: int, fabric: Fabric) -> int:
    """The block RAMs of the entries of a product and of their columns, in words for `count` elements."""
    return sum(blocks(fabric, rows.words(count), _width(rows, place) * count) for place in range(len(rows.loads)))


def _width(rows: EntryRows, place: int) -> int:
    """The bits that an entry stores for a load: an element of a constant, or an address in a vector."""
    load = rows.loads[place]
    if content_of(load) is not None:
        return width_of(load.result)
    return max((entry[place] for row in rows.rows for entry in row), default=0).bit_length() or 1


def _products(function: func.FuncOp) -> int:
    """The number of multiplications of an inference in loops of constant trip counts."""
    found = 0
    for op in function.walk():
        if isinstance(op, arith.MuliOp) and not isinstance(op.result.type, IndexType):
            loops: list[scf.ForOp] = []
            around = op.parent_op()
            while around is not None:
                loops += [around] if isinstance(around, scf.ForOp) else []
                around = around.parent_op()
            trips = [trips_of(loop) for loop in loops]
            found += prod(count or 0 for count in trips) if loops else 0
    return found


def _spread(rows: EntryRows, count: int, in_dsps: int) -> None:
    """Replace a product by a loop over words, each of which holds an entry of a row for every processing element.

    in_dsps: the number of elements that multiply by DSPs; the others use logic.
    """
    words = [row[start : start + count] for row in rows.rows for start in range(0, max(len(row), 1), count)]
    lasts = [last for row in rows.rows for last in [0] * (max(1, -(-len(row) // count)) - 1) + [1]]
    outside = Builder(InsertPoint.before(rows.outer))
    start = rows.inner.iter_args[rows.place]
    zero, one, trips = (build_index(value, outside) for value in (0, 1, len(words)))
    limit = build_index(len(rows.rows), outside)
    tables = [_table(outside, rows, words, i, count) for i in range(len(rows.loads))]
    copies = [_copies(load, count) if content_of(load) is None else [] for load in rows.loads]
    ends = _memory(outside, lasts, 1, 1, "ends")

    body = Block(arg_types=[IndexType(), IndexType(), start.type])
    at, row, sum = body.args
    row.name_hint, sum.name_hint = "row", "sum"
    builder = Builder(InsertPoint.at_end(body))
    read = [_word(builder, table, at) for table in tables]
    last = builder.insert(rtl.LoadOp(ends, at, i1)).result
    terms = [_term(builder, rows, read, copies, lane, logic=lane >= in_dsps) for lane in range(count)]
    total = builder.insert(arith.AddiOp(sum, adder_tree(builder, terms))).result
    new: dict[SSAValue, SSAValue] = {rows.inner.results[rows.place]: total, rows.outer.body.block.args[0]: row}
    for op in rows.after:
        copy = builder.insert(op.clone(new))
        if isinstance(copy, rtl.StoreOp):
            both = copy.condition and builder.insert(arith.AndIOp(copy.condition, last)).result
            builder.insert(rtl.StoreOp(copy.value, copy.memory, copy.address, both or last))
            Rewriter.erase_op(copy)
    following = builder.insert(arith.AddiOp(row, one)).result
    stays = builder.insert(arith.CmpiOp(following, limit, "slt")).result
    wrapped = builder.insert(arith.SelectOp(stays, following, zero)).result
    next_row = builder.insert(arith.SelectOp(last, wrapped, row)).result
    next_sum = builder.insert(arith.SelectOp(last, start, total)).result
    builder.insert(scf.YieldOp(next_row, next_sum))
    outside.insert(scf.ForOp(zero, trips, one, [zero, start], Region(body)))
    memories = {op.memory.owner for op in rows.outer.walk() if isinstance(op, rtl.LoadOp)}
    Rewriter.erase_op(rows.outer)
    for memory in memories:
        if isinstance(memory, Operation) and memory.results[0].first_use is None:
            Rewriter.erase_op(memory)


def _table(
    outside: Builder, rows: EntryRows, words: Sequence[Sequence[Sequence[int]]], place: int, count: int
) -> SSAValue:
    """The memory that a load reads: elements of a constant, or addresses in a vector; 0 for missing entries."""
    load = rows.loads[place]
    content = content_of(load)
    numbers = [
        (entries[lane][place] if content is None else content[entries[lane][place]]) if lane < len(entries) else 0
        for entries in words
        for lane in range(count)
    ]
    return _memory(
        outside, numbers, _width(rows, place), count, load.memory.name_hint if content is not None else "columns"
    )


def _memory(outside: Builder, numbers: Sequence[int], width: int, count: int, name: str | None) -> SSAValue:
    """A memory of unsigned numbers of a width, `count` in a word."""
    data = np.array(numbers, f"<u{1 << max((width + 7) // 8 - 1, 0).bit_length()}").tobytes()
    content = DenseIntOrFPElementsAttr(TensorType(IntegerType(width), [len(numbers)]), BytesAttr(data))
    memory = outside.insert(rtl.MemoryOp(rtl.MemoryType(len(numbers) // count, width * count), content)).result
    memory.name_hint = name
    return memory


def _copies(load: rtl.LoadOp, count: int) -> list[SSAValue]:
    """The memory that a load reads, and copies of it that are written along with it."""
    memory = load.memory.owner
    assert isinstance(memory, rtl.MemoryOp)
    copies: list[SSAValue] = [memory.result]
    for _ in range(count - 1):
        copy = Builder(InsertPoint.after(memory)).insert(rtl.MemoryOp(memory.result.type)).result
        copy.name_hint = memory.result.name_hint
        copies.append(copy)
    for use in list(memory.result.uses):
        if isinstance(store := use.operation, rtl.StoreOp):
            for copy in copies[1:]:
                again = rtl.StoreOp(store.value, copy, store.address, store.condition)
                Builder(InsertPoint.after(store)).insert(again)
    return copies


def _word(builder: Builder, table: SSAValue, at: SSAValue) -> SSAValue:
    assert isinstance(table.type, rtl.MemoryType)
    return builder.insert(rtl.LoadOp(table, at, IntegerType(table.type.width.data))).result


def _term(
    builder: Builder,
    rows: EntryRows,
    read: Sequence[SSAValue],
    copies: Sequence[Sequence[SSAValue]],
    lane: int,
    *,
    logic: bool,
) -> SSAValue:
    """The term of a processing element. logic: without a multiplier."""
    new: dict[SSAValue, SSAValue] = {}
    for load, word, own in zip(rows.loads, read, copies, strict=True):
        width = width_of(load.result) if not own else width_of(word) // len(own)
        part: SSAValue = word
        if lane:
            amount = build_constant(lane * width, word.type, builder)
            part = builder.insert(arith.ShRUIOp(part, amount)).result
        if part.type != IntegerType(width):
            part = builder.insert(arith.TruncIOp(part, IntegerType(width))).result
        if own:
            address = builder.insert(arith.ExtUIOp(part, IntegerType(width + 1))).result
            index = builder.insert(arith.IndexCastOp(address, IndexType())).result
            part = builder.insert(rtl.LoadOp(own[lane], index, IntegerType(width_of(load.result)))).result
        new[load.result] = part
    for op in rows.pure:
        copy: Operation = builder.insert(op.clone(new))
        if logic and isinstance(copy, arith.MuliOp):
            copy.attributes[LOGIC] = UnitAttr()
    return new[rows.term]
