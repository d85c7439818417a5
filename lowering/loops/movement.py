"""Lowering of ops that move elements to nests or, in place, to moves of runs and `scratch.turn` (L2 to L3)."""

from __future__ import annotations

from math import prod
from typing import cast

import xdsl.dialects.memref as upstream_memref
from xdsl.dialects.builtin import MemRefType, i8
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects import scratch, tdsl
from tinyml.lowering.loops.elementwise import fill
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import elements_from
from tinyml.transforms.ir.buffers import place_of
from tinyml.transforms.ir.index_maps import applied
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder

LONG_MOVE = 64
"""The least number of bytes of a shift that calls a function of the runtime instead of being a loop."""


@lowers(upstream_memref.CopyOp)
def copy(op: upstream_memref.CopyOp, nest: LoopBuilder) -> None:
    _copy(op.source, op.destination, nest)


def _copy(source: SSAValue, dest: SSAValue, nest: LoopBuilder) -> None:
    def body(indices: Indices) -> None:
        nest.store(nest.load(source, indices), dest, indices)

    nest.nest(tdsl.shape_of(dest), body)


@lowers(scratch.MoveOp)
def move_buffer(op: scratch.MoveOp, nest: LoopBuilder) -> None:
    """Emit the copy of a buffer to another address.

    If the two address ranges may overlap, the copy runs in the direction that reads each element before it is
    overwritten. Buffers without an address do not overlap. Packed elements are copied by bytes.
    """
    if not op.placed:
        _copy(op.source, op.dest, nest)
        return
    if not op.distance:
        return
    places = [_in_bytes(value, nest) for value in (op.source, op.dest)]
    count = prod(tdsl.shape_of(places[0]))
    source, dest = (elements_from(value, nest.index(0), count, nest) for value in places)

    place = AffineExpr.constant(count - 1) - AffineExpr.dimension(0) if op.upwards else AffineExpr.dimension(0)

    def body(indices: Indices) -> None:
        at = applied(AffineMap(1, 0, (place,)), (count,), indices, (), nest)
        nest.store(nest.load(source, at), dest, at)

    nest.nest((count,), body)


def _in_bytes(value: SSAValue, nest: LoopBuilder) -> SSAValue:
    type, view = scratch.memref_type(value), cast(scratch.ViewOp, value.owner)
    if scratch.packed_bits(type) is None:
        return value
    bytes = MemRefType(i8, [scratch.size_in_bytes(type)])
    return nest.insert(scratch.ViewOp(view.arena, view.offset.value.data, bytes))


@lowers(tdsl.MovementOp)
def lower_moves(op: tdsl.MovementOp, nest: LoopBuilder) -> None:
    """Emit a fill of the whole result, if the op states a number for it, followed by one nest per move. A move that
    leaves its elements at their addresses is omitted.
    """
    if op.filling is not None:
        fill(op.filling, op.out, nest)
    for move in op.moves:
        if move.operand is op.out and move.keeps_index:
            continue

        def body(indices: Indices, move: tdsl.Move = move) -> None:
            source = applied(move.source, move.shape, indices, op.indices, nest)
            element = nest.load(move.operand, source)
            target = applied(move.target, move.shape, indices, op.indices, nest)
            if place_of(move.operand, source) != place_of(op.out, target):
                nest.store(element, op.out, target)

        nest.nest(move.shape, body)


@lowers(tdsl.MoveUpOp)
def move_up(op: tdsl.MoveUpOp, nest: LoopBuilder) -> None:
    """Emit a shift of one run in place as a move of the run, and all other shifts element by element.

    A long move is one `scratch.copy_run`. C compilers turn the loop of a short one into a call of memmove.
    """
    shape, axis = tdsl.shape_of(op.out), op.axis.value.data
    row = prod(shape[axis + 1 :])
    runs, packed = prod(shape[:axis]), scratch.packed_bits(scratch.memref_type(op.out))
    if op.input is not op.out or runs > 1 or packed:
        return lower_moves(op, nest)
    shifted = op.count.value.data * row
    count = prod(shape) - shifted
    if count * scratch.element_bytes(scratch.memref_type(op.out)) >= LONG_MOVE:
        run = elements_from(op.out, nest.index(0), prod(shape), nest)
        copied = nest.index(count)
        nest.put(scratch.CopyRunOp(run, nest.index(shifted), run, nest.index(0), copied, count, down=True))
        return
    source, dest = (elements_from(op.out, nest.index(first), count, nest) for first in (shifted, 0))

    def body(indices: Indices) -> None:
        nest.store(nest.load(source, indices), dest, indices)

    nest.nest((count,), body)


@lowers(tdsl.TransposeOp)
def transpose(op: tdsl.TransposeOp, nest: LoopBuilder) -> None:
    """Emit a transposition, in place if the result shares the operand's buffer, and otherwise element by element."""
    if op.in_place is None:
        return lower_moves(op, nest)
    assert op.matrix is not None
    rows, columns = map(nest.index, op.matrix)
    return turn_image(op.input, nest.index(0), rows, columns, nest)


def turn_image(
    image: SSAValue, first: SSAValue, rows: SSAValue, columns: SSAValue, nest: LoopBuilder, elements: int = 1
) -> None:
    """Emit the transposition in place of a part of an image.

    first: the first pixel of the part.
    rows, columns: the extents of the part.
    elements: the number of elements per pixel.
    """
    type = scratch.memref_type(image)
    size = elements * (scratch.ram_bits(type) or 8 * scratch.element_bytes(type))
    unit = 8 if size % 8 == 0 else 4
    nest.put(scratch.TurnOp(image, first, rows, columns, size // unit, unit))
