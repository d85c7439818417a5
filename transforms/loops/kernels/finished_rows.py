"""Contractions over the rows of a matrix that become a tile for a kernel, which also finishes their sums (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.targets.tiles import TileFamily
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.loops.kernels.tiles import call_of_tile


def tile_of_rows(op: num.ContractOp, families: Sequence[TileFamily]) -> bool:
    """Replace a contraction by a tile of one window; False where no kernel is for that."""
    stores = [each for each in op.body.block.ops if isinstance(each, memref.StoreOp)]
    if len(op.sums) != 1 or len(stores) != 1 or not isinstance(sum := op.sums[0], num.ProductsOp):
        return False
    [store], start, end = stores, sum.sum.owner, sum.result
    if sum.channels is not None or not isinstance(start, num.StartOp):
        return False
    if isinstance(level := _only_user(end), num.LevelOp) and level.row is op.row:
        end = level.result
    finish, load = _only_user(end), start.value.owner
    if not isinstance(finish, num.FinishOp) or not isinstance(load, memref.LoadOp):
        return False
    if store.value is not finish.result or sum.row_pitch != sum.length:
        return False
    if not all(visits_in_order(each.memref, each.indices, op) for each in (load, store)):
        return False
    nest, rows = LoopNest(op), op.rows
    outputs, starts, weights = (
        nest.insert(scratch.SliceOp(value, nest.index(0), (length,)))
        for value, length in ((store.memref, rows), (load.memref, rows), (sum.weights, rows * sum.length))
    )
    spacing = num.Spacing(1, 0, sum.length)
    tile = num.DotTilesOp([outputs, starts, weights, sum.vector], sum.accumulator.type, spacing, finish.sum_bound)
    nest.put(tile)
    if call_of_tile(tile, families) is None:
        Rewriter.erase_op(tile)
        return False
    Rewriter.erase_op(op)
    return True


def _only_user(value: SSAValue) -> Operation | None:
    users = [use.operation for use in value.uses]
    return users[0] if len(users) == 1 else None


def visits_in_order(buffer: SSAValue, indices: Sequence[SSAValue], op: num.ContractOp) -> bool:
    """Whether the rows of a contraction access all elements of a buffer from outside, one after the other."""
    shape = scratch.memref_type(buffer).get_shape()
    axes = [axis for axis, at in enumerate(indices) if at is op.row]
    others_zero = all(at is op.row or const_evaluate_operand(at) == 0 for at in indices)
    inside = isinstance(buffer.owner, Operation) and buffer.owner.parent_op() is op
    return len(axes) == 1 and others_zero and prod(shape) == op.rows == shape[axes[0]] and not inside
