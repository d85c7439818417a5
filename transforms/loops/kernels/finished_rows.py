"""Loops over the rows of a matrix that become a tile for a kernel, which also finishes their sums (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref, scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.targets.tiles import TileFamily
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.loops.kernels.tiles import call_of_tile


def tile_of_rows(
    loop: scf.ForOp, rows: int, dot: num.DotOp, row: scratch.SliceOp, families: Sequence[TileFamily]
) -> bool:
    """Replace a loop over all rows of a matrix by a tile of one window; False where no kernel is for that.

    dot: the only product of an iteration, of the row that has its number and a vector that is the same for all.
    """
    index, start = loop.body.block.args[0], dot.sum.owner
    stores = [op for op in loop.body.block.ops if isinstance(op, memref.StoreOp)]
    end = dot.result
    if isinstance(level := _only_user(end), num.LevelOp) and level.row is index:
        end = level.result
    finish = _only_user(end)
    if not isinstance(finish, num.FinishOp) or not isinstance(start, num.StartOp) or len(stores) != 1:
        return False
    [store], load = stores, start.value.owner
    if not isinstance(load, memref.LoadOp) or store.value is not finish.result:
        return False
    if not all(
        visits_in_order(op.memref, op.indices, loop, rows) and is_outside(op.memref, loop) for op in (load, store)
    ):
        return False
    if scratch.elements_of(row.source) != rows * dot.length:
        return False
    nest, vector = LoopNest(loop), dot.rhs
    if not is_outside(vector, loop):
        view = vector.owner
        if not isinstance(view, scratch.SliceOp) or not all(is_outside(value, loop) for value in view.operands):
            return False
        vector = nest.insert(view.clone())
    outputs, starts, weights = (
        nest.insert(scratch.SliceOp(value, nest.index(0), (length,), scratch.memref_type(element).element_type))
        for value, length, element in (
            (store.memref, rows, store.memref),
            (load.memref, rows, load.memref),
            (row.source, rows * dot.length, row.result),
        )
    )
    spacing = num.Spacing(1, 0, dot.length)
    accumulator = num.accumulator_type(dot.sum)
    tile = num.DotTilesOp([outputs, starts, weights, vector], accumulator.type, spacing, finish.sum_bound)
    nest.put(tile)
    if call_of_tile(tile, families) is None:
        Rewriter.erase_op(tile)
        return False
    Rewriter.erase_op(loop)
    return True


def _only_user(value: SSAValue) -> Operation | None:
    users = [use.operation for use in value.uses]
    return users[0] if len(users) == 1 else None


def visits_in_order(buffer: SSAValue, indices: Sequence[SSAValue], loop: scf.ForOp, count: int) -> bool:
    """Does a loop of so many iterations access all elements of a buffer, one after the other?"""
    index = loop.body.block.args[0]
    shape = scratch.memref_type(buffer).get_shape()
    axes = [axis for axis, at in enumerate(indices) if at is index]
    others_zero = all(at is index or const_evaluate_operand(at) == 0 for at in indices)
    return len(axes) == 1 and others_zero and prod(shape) == count == shape[axes[0]]


def is_outside(value: SSAValue, loop: scf.ForOp) -> bool:
    """Does a value come from outside of a loop's body?"""
    owner = value.owner
    return owner is not loop.body.block and not (isinstance(owner, Operation) and owner.parent_op() is loop)
