"""`place-arrays`: packed elements are unpacked into bytes of the arena that are free at the time (L3).

Kernels read packed working memory through a local array, bytes of stack on top of all the others. But where the input
is read, or what little is computed first, most of the arena holds nothing yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.scratch import ArenaOp, SliceOp, ViewOp, memref_type, size_in_bytes, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import arena_views


@dataclass(frozen=True)
class PlaceArraysPass(ModulePass):
    """Puts slices of local arrays that are filled by a copy before all else into the arena, where it has room.

    Bytes are taken from the first op of the function's body that touches them, itself or inside, to the last.
    """

    name = "place-arrays"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [one for one in op.walk() if isinstance(one, func.FuncOp) and not one.is_declaration]:
            arenas = [one for one in function.walk() if isinstance(one, ArenaOp)]
            if len(arenas) == 1:
                room = _Room(function, arenas[0])
                for array in [one for one in function.walk() if isinstance(one, memref.AllocaOp)]:
                    _place(room, array)


class _Taken(NamedTuple):
    """Bytes of the arena, from `low` to before `high`, and the places of ops in the body, both inclusive."""

    low: int
    high: int
    first: int
    last: int

    def conflicts(self, other: _Taken) -> bool:
        in_time = self.first <= other.last and other.first <= self.last
        return in_time and self.low < other.high and other.low < self.high


class _Room:
    """The bytes of the arena of a function, and when they are taken."""

    def __init__(self, function: func.FuncOp, arena: ArenaOp):
        self.arena = arena
        self.body = function.body.block
        self.places = {op: place for place, op in enumerate(self.body.ops)}
        views = [view for view in arena_views(function) if view.result.uses]
        self.taken = [self.of(one.result, one.offset.value.data, _bytes(one.result)) for one in views]

    def of(self, buffer: SSAValue, low: int, size: int) -> _Taken:
        """So many bytes, as long as a buffer is touched."""
        ops = [self.body.find_ancestor_op_in_block(op) for op in _touching(buffer)]
        places = [self.places[op] for op in ops if op is not None]
        return _Taken(low, low + size, min(places), max(places))

    def place(self, array: memref.AllocaOp, part: SSAValue) -> _Taken | None:
        """The lowest bytes in which there is room for an array as long as a part of it is touched."""
        size, unit = _bytes(array.memref), unit_bytes(memref_type(array.memref))
        offsets = sorted({0, *(-(-other.high // unit) * unit for other in self.taken)})
        candidates = (self.of(part, low, size) for low in offsets)
        free = (one for one in candidates if not any(map(one.conflicts, self.taken)))
        return next((one for one in free if one.high <= self.arena.size), None)


def _place(room: _Room, array: memref.AllocaOp) -> None:
    slices = [use.operation for use in array.memref.uses]
    if not all(map(_is_filled_first, slices)):
        return
    # Slices of one array may take the same bytes at the same time, as they did before. A copy unpacks whole groups, up
    # to the array's last element.
    found = [(one, place) for one in slices if (place := room.place(array, one.results[0])) is not None]
    room.taken += [place for _, place in found]
    type = memref_type(array.memref)
    for one, place in found:
        room.arena.alignment = IntegerAttr(lcm(room.arena.alignment.value.data, unit_bytes(type)), i64)
        view = ViewOp(room.arena.result, place.low, type)
        view.result.name_hint = array.memref.name_hint
        Rewriter.insert_op(view, InsertPoint.after(room.arena))
        one.operands[0] = view.result
    if not array.memref.uses:
        Rewriter.erase_op(array)


def _is_filled_first(op: Operation) -> bool:
    """Is an op a slice of the first elements, and the first thing that happens to this a copy into it?"""
    if not isinstance(op, SliceOp) or const_evaluate_operand(op.offset) != 0:
        return False
    users = [use.operation for use in op.result.uses]
    first = next((one for one in _ops_from(op) if one in users), None)
    return isinstance(first, memref.CopyOp) and first.destination is op.result and first.source is not op.result


def _ops_from(op: Operation) -> Iterator[Operation]:
    """The ops that follow one in its block, and what is in them."""
    following = op.next_op
    while following is not None:
        yield from following.walk()
        following = following.next_op


def _touching(value: SSAValue) -> Iterator[Operation]:
    """The ops that use a buffer or a view of it."""
    for use in value.uses:
        yield use.operation
        if isinstance(use.operation, SliceOp):
            yield from _touching(use.operation.result)


def _bytes(buffer: SSAValue) -> int:
    return size_in_bytes(memref_type(buffer))
