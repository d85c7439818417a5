"""`block-rows`: multiplies several rows of a matrix by a vector at once if the target has a kernel for several rows
(L3).

A kernel for several rows is called once and loads each element of the vector once for all of these rows.

The sums of a block are stored in small local arrays, one array for each sum of a row. The ops that precede and follow
the products of a row are unchanged, but they run in loops over the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import HOST, chip_of, compile_for
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.loop_nest import LoopBuilder, local_array, needed
from tinyml.transforms.ir.memory_sums import BLOCK_SUMS
from tinyml.transforms.loops.kernels.kernel_rows import KernelRows, RowSum
from tinyml.transforms.loops.kernels.tiles import obstacle_of_tile, usual_tile

TILES = Statistic("num-tiles", "Number of contractions that a tile computes")


@dataclass(frozen=True)
class BlockRowsPass(ModulePass):
    """Split the rows of each `num.contract` into blocks, and call a kernel for each block.

    If a kernel also finishes the sums, the rows become a tile instead. If a row has several sums, kernels compute
    each sum. Contractions with several windows are unchanged, and so are rows without a suitable kernel.

    target: as for printing C.

    Raises `InputError` for an unknown target.
    """

    name = "block-rows"
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        # Kernels read initial values as they read RAM.
        one_space = chip_of(self.target).flash_attribute is None
        for function in defined_functions(op):
            # One array for all contractions: no two of them run at the same time.
            arrays: dict[tuple[Attribute, int, int], SSAValue] = {}
            found = tile_rows(function, self.target, num.DOT_ROWS, num.CHANNEL_DOTS)
            for rows in [rows for rows in found if rows.op.tile is None]:
                kinds = [(each.accumulator.type, rows.block, number) for number, each in enumerate(rows.sums)]
                for type, block, number in kinds:
                    if (type, block, number) not in arrays:
                        arrays[type, block, number] = array = local_array(function, type, block, "sums")
                        cast(Operation, array.owner).attributes[BLOCK_SUMS] = UnitAttr()
                RowBlocks(rows, [arrays[kind] for kind in kinds]).rewrite(constant_zeros=one_space)


def tile_rows(function: FuncOp, target: str, *routines: str) -> list[KernelRows]:
    """Set the tile of each contraction over rows if a kernel of the target also finishes the sums. Return the rows
    that kernels compute, in tiles or in blocks.

    routines: the routines that compute products of several rows; the target must have kernels for them.
    """
    untiled = [op for op in function.walk() if isinstance(op, num.ContractOp) and op.tile is None]
    found = [rows for op in untiled if (rows := KernelRows.find(op, target, routines)) is not None]
    taken = {rows.op for rows in found}
    for op in untiled:
        if op not in taken:
            missed(op, "has neither tile nor blocks: it has several windows, or no kernel takes its rows")
    for rows in found:
        rows.op.tile = tile = usual_tile(rows.op, target)
        if tile is None:
            missed(rows.op, partial(_without_tile, rows))
        else:
            passed(rows.op, f"is computed by the tile {tile}")
            TILES.add(rows.op)
    return found


def _without_tile(rows: KernelRows) -> str:
    return f"has no tile: {obstacle_of_tile(rows.op)}; {rows.block} rows are taken at once"


ZEROS = 8
"""The most sums for which an array of zeros takes less flash than a loop that stores them."""


@dataclass
class RowBlocks:
    """The blocks of a contraction's rows.

    rows: the rows.
    arrays: for each sum, an array for the sums of one block.
    """

    rows: KernelRows
    arrays: Sequence[SSAValue]

    def rewrite(self, *, constant_zeros: bool) -> None:
        """Compute the rows block by block, and the remaining rows in a loop.

        constant_zeros: true if kernels can read the initial values from a constant.
        """
        op, block, sums = self.rows.op, self.rows.block, self.rows.sums
        nest, rest = LoopBuilder(op), op.rows % block
        starts = [
            (constant_zeros and _zeros(nest, each)) or array for each, array in zip(sums, self.arrays, strict=True)
        ]
        stored = [(each, array) for each, array, start in zip(sums, self.arrays, starts, strict=True) if start is array]
        blocks = nest.index((op.rows - rest) // block)

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            first = nest.times(number, block)
            if stored:
                self._begin(nest, first, stored)
            for each, start, array in zip(sums, starts, self.arrays, strict=True):
                _call(nest, each, first, start, array)
            self._finish(nest, first)
            return []

        nest.fold(blocks, [], body)
        if rest:
            expand_contraction(op, op.rows - rest)
        else:
            Rewriter.erase_op(op)

    def _begin(self, nest: LoopBuilder, first: SSAValue, stored: Sequence[tuple[RowSum, SSAValue]]) -> None:
        op = self.rows.op

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            values: dict[SSAValue, SSAValue] = {op.row: nest.add(first, number)}
            self._copy(nest, needed([each.sum.start.owner for each, _ in stored], op), values)
            for each, array in stored:
                nest.store(_initial(nest, each, values), array, [number])
            return []

        nest.fold(nest.index(self.rows.block), [], body)

    def _finish(self, nest: LoopBuilder, first: SSAValue) -> None:
        op, sums = self.rows.op, self.rows.sums

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            values: dict[SSAValue, SSAValue] = {op.row: nest.add(first, number)}
            for each, array in zip(sums, self.arrays, strict=True):
                values[each.last.result] = nest.load(array, [number])
                values[each.last.result].name_hint = each.last.result.name_hint
            self._copy(nest, needed(op.stores, op, but=[each.last for each in sums]), values)
            return []

        nest.fold(nest.index(self.rows.block), [], body)

    def _copy(self, nest: LoopBuilder, ops: Sequence[Operation], values: dict[SSAValue, SSAValue]) -> None:
        for op in ops:
            nest.put(op.clone(value_mapper=values))
            for each in self.rows.sums:
                _widen(each, op, values)


def _zeros(nest: LoopBuilder, row: RowSum) -> SSAValue | None:
    if not row.sum.starts_from_zero or row.rows > ZEROS:
        return None
    raws = np.zeros(row.rows, f"i{row.accumulator.bits // 8}")
    zeros = nest.insert(scratch.ConstantOp.of(raws, row.accumulator.type))
    zeros.name_hint = "zeros"
    return zeros


def _call(nest: LoopBuilder, row: RowSum, first: SSAValue, begin: SSAValue, sums: SSAValue) -> None:
    for products, kernel in row.products:
        place = nest.times(first, products.row_pitch)
        matrix = nest.insert(scratch.SliceOp(products.weights, place, (row.rows * products.row_pitch,)))
        if products.channels is None:
            routine, window = num.DotRowsAttr(), products.vector
        else:
            reach = (products.length - 1) * products.stride + row.rows
            window = nest.insert(scratch.SliceOp(products.vector, first, (reach,)))
            routine = num.ChannelDotsAttr.of(products.stride)
        nest.put(num.CallOp(routine, [sums, begin, matrix, window], kernel.attribute))
        begin = sums


def _initial(nest: LoopBuilder, row: RowSum, values: dict[SSAValue, SSAValue]) -> SSAValue:
    """The initial value of a row's sum, in the width of the accumulator.

    values: the copies of values of the contraction. An op before the contraction is copied if its result is narrower
        than the accumulator.
    """
    start, op, copies = row.sum.start, row.sum.start.owner, dict(values)
    if isinstance(op, Operation) and start not in values and row.accumulator.type != start.type:
        nest.put(op.clone(value_mapper=copies))
        _widen(row, op, copies)
    return copies.get(start, start)


def _widen(row: RowSum, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
    if row.accumulator.type != row.sum.start.type and op in row.begins:
        before, type = op.results[0], num.accumulator_type(op.results[0]).widened(row.accumulator.bits).type
        # Another sum that begins with the same op has widened it.
        if values[before].type != type:
            values[before] = Rewriter.replace_value_with_new_type(values[before], type)
