"""`block-rows`: multiplies several rows of a matrix by a vector at once if the target has a kernel for several rows
(L3).

A kernel for several rows is called once and loads each element of the vector once for all of these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.targets.registry import HOST, chip_of, compile_for
from tinyml.transforms.ir.loop_nest import local_array
from tinyml.transforms.ir.memory_sums import BLOCK_SUMS
from tinyml.transforms.loops.kernels.kernel_rows import KernelRows
from tinyml.transforms.loops.kernels.row_blocks import RowBlocks
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
