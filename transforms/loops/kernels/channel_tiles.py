"""Loops over the channels of a window that become one call of a kernel (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref, scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.targets.kernel import Kernel
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.loops.kernels.tiles import can_requantise, raws_of


def call_for_channels(
    loop: scf.ForOp, channels: int, dot: num.StridedDotOp, row: scratch.SliceOp, kernel: Kernel
) -> bool:
    """Replace a loop over all channels by a call of a kernel that also finishes their sums; False where it cannot.

    dot: the only product of an iteration, with a row of the filters and the column of a window that have its number.
    """
    index, start = loop.body.block.args[0], dot.sum.owner
    stores = [op for op in loop.body.block.ops if isinstance(op, memref.StoreOp)]
    end = dot.result
    if isinstance(level := _only_user(end), num.LevelOp) and level.row is index:
        end = level.result
    finish = _only_user(end)
    if not isinstance(finish, num.FinishOp) or not isinstance(start, num.StartOp) or len(stores) != 1:
        return False
    [store], load, column = stores, start.value.owner, dot.rhs.owner
    if not isinstance(load, memref.LoadOp) or not isinstance(column, scratch.SliceOp):
        return False
    by_channel = all(
        _visits_in_order(op.memref, op.indices, index, channels) and _outside(op.memref, loop) for op in (load, store)
    )
    if store.value is not finish.result or channels % kernel.rows or not by_channel:
        return False
    accumulator, result = num.accumulator_type(dot.sum), num.format_of(finish.result)
    filters, starts = raws_of(row.source), raws_of(load.memref)
    plain = scratch.packed_bits(scratch.memref_type(store.memref)) is None
    if filters is None or not plain or not can_requantise(accumulator, result, filters, starts):
        return False
    if scratch.elements_of(row.source) != channels * dot.length:
        return False
    nest = LoopNest(loop)
    fetched = filters.reshape(channels // kernel.rows, kernel.rows, dot.length).transpose(0, 2, 1).reshape(-1)
    element = scratch.memref_type(row.result).element_type
    array = nest.insert(scratch.ConstantOp.of(fetched.astype("i1"), element))
    array.name_hint = row.source.name_hint
    outputs, begins = (_run(op.memref, channels, nest) for op in (store, load))
    window = nest.insert(
        scratch.SliceOp(
            column.source, nest.index(0), (channels * dot.length,), scratch.memref_type(dot.rhs).element_type
        )
    )
    nest.put(num.ChannelTilesOp([outputs, begins, array, window], accumulator.type, finish.sum_bound, kernel.symbol))
    Rewriter.erase_op(loop)
    return True


def _only_user(value: SSAValue) -> Operation | None:
    users = [use.operation for use in value.uses]
    return users[0] if len(users) == 1 else None


def _visits_in_order(buffer: SSAValue, indices: Sequence[SSAValue], index: SSAValue, count: int) -> bool:
    """Does a loop access all elements of a buffer, one after the other?"""
    shape = scratch.memref_type(buffer).get_shape()
    axes = [axis for axis, at in enumerate(indices) if at is index]
    others_zero = all(at is index or const_evaluate_operand(at) == 0 for at in indices)
    return len(axes) == 1 and others_zero and prod(shape) == count == shape[axes[0]]


def _outside(value: SSAValue, loop: scf.ForOp) -> bool:
    return not (isinstance(value.owner, Operation) and value.owner.parent_op() is loop)


def _run(buffer: SSAValue, length: int, nest: LoopNest) -> SSAValue:
    return nest.insert(scratch.SliceOp(buffer, nest.index(0), (length,)))
