"""`place-arrays`: moves local arrays for unpacked elements from the stack to free bytes of the arena (L3).

Kernels read packed RAM through a local array. While the input is read, and during the first small computations, most of
the arena is still free.
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
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import ArenaOp, SliceOp, ViewOp, bytes_of, memref_type, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import arena_views


@dataclass(frozen=True)
class PlaceArraysPass(ModulePass):
    """Place slices of local arrays in bytes of the arena that are free at that time. A slice is replaced by a view
    of the arena only if a copy is the first op that writes to the slice.

    A slice occupies its bytes from the first op of the function's body that uses it, directly or in a nested
    region, to the last such op. A slice for which no bytes are free is unchanged.
    """

    name = "place-arrays"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = defined_functions(op)
        for function in functions:
            arenas = [arena for arena in function.walk() if isinstance(arena, ArenaOp)]
            if len(arenas) == 1:
                room = _Room(function, arenas[0])
                for array in [array for array in function.walk() if isinstance(array, memref.AllocaOp)]:
                    _place(room, array)


class _Taken(NamedTuple):
    """The bytes [low, high) of the arena, which are occupied from op number `first` of the body to number `last`,
    both inclusive.
    """

    low: int
    high: int
    first: int
    last: int

    def conflicts(self, other: _Taken) -> bool:
        in_time = self.first <= other.last and other.first <= self.last
        return in_time and self.low < other.high and other.low < self.high


class _Room:
    """For each range of bytes in a function's arena, the positions in the function's body at which it is occupied.
    Position -1 is the start of the function, before the first op.
    """

    def __init__(self, function: func.FuncOp, arena: ArenaOp):
        self.arena = arena
        self.body = function.body.block
        self.positions = {op: position for position, op in enumerate(self.body.ops)}
        views = [view for view in arena_views(function) if view.result.uses or _is_kept(view)]
        self.taken = [self.occupied(view.result, view.offset.value.data, bytes_of(view.result)) for view in views]

    def occupied(self, buffer: SSAValue, low: int, size: int) -> _Taken:
        ops = [self.body.find_ancestor_op_in_block(op) for op in _touching(buffer)]
        positions = [self.positions[op] for op in ops if op is not None]
        if isinstance(view := buffer.owner, ViewOp) and _is_kept(view):
            positions.append(-1)
            if view.state is not None:
                positions.append(len(self.positions))
        return _Taken(low, low + size, min(positions), max(positions))

    def place(self, array: memref.AllocaOp, part: SSAValue) -> _Taken | None:
        size, unit = bytes_of(array.memref), unit_bytes(memref_type(array.memref))
        offsets = sorted({0, *(-(-taken.high // unit) * unit for taken in self.taken)})
        candidates = (self.occupied(part, low, size) for low in offsets)
        free = (candidate for candidate in candidates if not any(map(candidate.conflicts, self.taken)))
        return next((candidate for candidate in free if candidate.high <= self.arena.size), None)


def _is_kept(view: ViewOp) -> bool:
    return view.input is not None or view.state is not None


def _place(room: _Room, array: memref.AllocaOp) -> None:
    slices = [use.operation for use in array.memref.uses]
    if not all(map(_is_filled_first, slices)):
        return
    # Slices of one array may overlap while both are used, as they did before. A copy unpacks whole groups, up to the
    # array's last element.
    placed = [(slice, taken) for slice in slices if (taken := room.place(array, slice.results[0])) is not None]
    room.taken += [taken for _, taken in placed]
    type = memref_type(array.memref)
    for slice, taken in placed:
        room.arena.alignment = IntegerAttr(lcm(room.arena.alignment.value.data, unit_bytes(type)), i64)
        view = ViewOp(room.arena.result, taken.low, type)
        view.result.name_hint = array.memref.name_hint
        Rewriter.insert_op(view, InsertPoint.after(room.arena))
        slice.operands[0] = view.result
    if not array.memref.uses:
        Rewriter.erase_op(array)


def _is_filled_first(op: Operation) -> bool:
    """Whether an op is a slice at offset 0 that a copy fills before any other op uses it."""
    if not isinstance(op, SliceOp) or const_evaluate_operand(op.offset) != 0:
        return False
    users = [use.operation for use in op.result.uses]
    first = next((later for later in _ops_after(op) if later in users), None)
    return isinstance(first, memref.CopyOp) and first.destination is op.result and first.source is not op.result


def _ops_after(op: Operation) -> Iterator[Operation]:
    following = op.next_op
    while following is not None:
        yield from following.walk()
        following = following.next_op


def _touching(value: SSAValue) -> Iterator[Operation]:
    for use in value.uses:
        yield use.operation
        if isinstance(use.operation, SliceOp):
            yield from _touching(use.operation.result)
