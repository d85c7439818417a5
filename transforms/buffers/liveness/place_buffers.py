"""Replacement of buffers by views of an arena, and of a placement's moves by ops (L2)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects.scratch import ArenaOp, MoveOp, ReuseOp, SliceOp, ViewOp, memref_type
from tinyml.transforms.buffers.liveness.live_ranges import Buffer, LiveRange, LiveRanges
from tinyml.transforms.buffers.packing import BufferMove, Placement


def place_buffers(
    function: func.FuncOp,
    live: LiveRanges,
    groups: Sequence[Sequence[Buffer]],
    placement: Placement,
    alignment: int,
) -> ArenaOp:
    """Replace all buffers by views of a new arena at the function's entry.

    groups: for each rectangle of the placement, in its order, the buffers that take its bytes in turn. A buffer that
    moves becomes a sequence of views; each is alive from the point before which the buffer moves there.
    """
    arena = ArenaOp(placement.height, alignment)
    arena.result.name_hint = "arena"
    views: dict[Buffer, list[ViewOp]] = {}
    moving: dict[BufferMove, Buffer] = {}
    index = {buffer: i for i, members in enumerate(groups) for buffer in members}
    for buffer, alive in live.ranges.items():
        offset, moves = _moves_of(buffer, alive, index[buffer], placement)
        stays = [(alive.first, offset), *((move.point, move.offset) for move in moves)]
        ends = [*(move.point - 1 for move in moves), alive.last]
        views[buffer] = []
        for (first, start), last in zip(stays, ends, strict=True):
            given, kept = (not views[buffer] and name in buffer.properties for name in ("input", "state"))
            view = ViewOp(arena.result, start, memref_type(buffer.result), (first, last), input=given, state=kept)
            view.attributes |= buffer.attributes
            view.result.name_hint = buffer.result.name_hint
            views[buffer].append(view)
        moving |= dict.fromkeys(moves, buffer)
        buffer.result.replace_all_uses_with(views[buffer][0].result)
    for buffer in live.ranges:
        Rewriter.erase_op(buffer)
    every = [view for sequence in views.values() for view in sequence]
    Rewriter.insert_op([arena, *every], InsertPoint.at_start(function.body.block))
    for move in placement.moves:
        before, after, *_ = views[moving[move]]
        op = MoveOp(before.result, after.result)
        Rewriter.insert_op(op, InsertPoint.before(live.points[move.point]))
        _go_on(before.result, after.result, op, op)
        del views[moving[move]][0]
    return arena


def _moves_of(buffer: Buffer, alive: LiveRange, index: int, placement: Placement) -> tuple[int, list[BufferMove]]:
    """The offset of a buffer when it is first touched, and its later moves."""
    touched = alive.first - isinstance(buffer, ReuseOp)
    offset, moves = placement.offsets[index], list[BufferMove]()
    for move in placement.moves:
        if move.index == index and move.point <= touched:
            offset = move.offset
        elif move.index == index and move.point <= alive.last:
            moves.append(move)
    return offset, moves


def _go_on(before: SSAValue, after: SSAValue, move: Operation, known: Operation) -> None:
    """Replace the uses of a view after a move by the new view, through new slices for slices made before the move.

    known: the op that defines the new view.
    """
    block = move.parent
    assert block is not None
    for use in list(before.uses):
        user = use.operation
        beside = block.find_ancestor_op_in_block(user)
        if beside is None or user is move:
            continue
        if move.is_before_in_block(beside):
            user.operands[use.index] = after
        elif isinstance(user, SliceOp) and user is beside:
            again = SliceOp(after, user.offset, memref_type(user.result).get_shape())
            again.result.name_hint = user.result.name_hint
            Rewriter.insert_op(again, InsertPoint.after(known))
            _go_on(user.result, again.result, move, again)
