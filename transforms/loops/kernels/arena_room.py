"""Free bytes of the arena, for arrays that are created after its buffers were packed (L3)."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import NamedTuple

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import ArenaOp, SliceOp, ViewOp, bytes_of, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import arena_views


class Taken(NamedTuple):
    """The bytes [low, high) of the arena, which are occupied from op number `first` of the body to number `last`,
    both inclusive.
    """

    low: int
    high: int
    first: int
    last: int

    def conflicts(self, other: Taken) -> bool:
        in_time = self.first <= other.last and other.first <= self.last
        return in_time and self.low < other.high and other.low < self.high


class ArenaRoom:
    """For each range of bytes in a function's arena, the positions in the function's body at which it is occupied.
    Position -1 is the start of the function, before the first op.
    """

    def __init__(self, function: func.FuncOp, arena: ArenaOp):
        self.arena = arena
        self.body = function.body.block
        self.positions = {op: position for position, op in enumerate(self.body.ops)}
        views = [view for view in arena_views(function) if view.result.uses or _is_kept(view)]
        self.taken = [self.occupied(view.result, view.offset.value.data, bytes_of(view.result)) for view in views]

    @classmethod
    def of(cls, function: func.FuncOp) -> ArenaRoom | None:
        """The room in the arena of a function; None without an arena, and with several."""
        arenas = [arena for arena in function.walk() if isinstance(arena, ArenaOp)]
        return cls(function, arenas[0]) if len(arenas) == 1 else None

    def occupied(self, buffer: SSAValue, low: int, size: int) -> Taken:
        """The bytes from `low` that `buffer` occupies while ops use it."""
        positions = [self._position(op) for op in _touching(buffer)]
        if isinstance(view := buffer.owner, ViewOp) and _is_kept(view):
            positions.append(-1)
            if view.state is not None:
                positions.append(len(self.positions))
        return Taken(low, low + size, min(positions), max(positions))

    def during(self, op: Operation, size: int, unit: int) -> Taken | None:
        """The first free bytes of the arena while `op` runs: `size` of them, at a multiple of `unit`. None if there are
        none.
        """
        position = self._position(op)
        return self.first_free(Taken(0, size, position, position), unit)

    def first_free(self, needed: Taken, unit: int) -> Taken | None:
        """`needed` at the first multiple of `unit` at which its bytes are free; None if there is none."""
        size = needed.high - needed.low
        offsets = sorted({0, *(-(-taken.high // unit) * unit for taken in self.taken)})
        candidates = (needed._replace(low=low, high=low + size) for low in offsets)
        free = (candidate for candidate in candidates if not any(map(candidate.conflicts, self.taken)))
        return next((candidate for candidate in free if candidate.high <= self.arena.size), None)

    def grow(self, op: Operation, size: int, unit: int) -> Taken:
        """Append bytes to the arena that are free while `op` runs: `size` of them, at a multiple of `unit`."""
        position, low = self._position(op), -(-self.arena.size // unit) * unit
        Rewriter.replace_value_with_new_type(self.arena.result, MemRefType(i8, [low + size]))
        return Taken(low, low + size, position, position)

    def view(self, low: int, type: MemRefType[Attribute], name: str | None) -> SSAValue:
        """A new view of the arena at offset `low`, which aligns the arena to its elements."""
        self.arena.alignment = IntegerAttr(lcm(self.arena.alignment.value.data, unit_bytes(type)), i64)
        view = ViewOp(self.arena.result, low, type)
        view.result.name_hint = name
        Rewriter.insert_op(view, InsertPoint.after(self.arena))
        return view.result

    def _position(self, op: Operation) -> int:
        inside = self.body.find_ancestor_op_in_block(op)
        assert inside is not None
        return self.positions[inside]


def _is_kept(view: ViewOp) -> bool:
    return view.input is not None or view.state is not None


def _touching(value: SSAValue) -> Iterator[Operation]:
    for use in value.uses:
        yield use.operation
        if isinstance(use.operation, SliceOp):
            yield from _touching(use.operation.result)
