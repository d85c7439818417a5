"""Free bytes of the arena, for arrays that are created after its buffers were packed (L3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects.extensions import imported
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import ArenaOp, SliceOp, ViewOp, bytes_of, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import arena_views

if TYPE_CHECKING:
    from tinyml.transforms.buffers.memories.records import Record

_RECORDS = "tinyml.transforms.buffers.memories.records"
"""The module of the extension for several memories."""


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

    @property
    def _record(self) -> Record | None:
        return None if self.arena.memories is None else imported(f"{_RECORDS}:Record").of(self.arena.memories)

    @property
    def _parts(self) -> list[tuple[int, int]]:
        """The first byte and the end of each part of the arena whose bytes are consecutive on the board."""
        if (record := self._record) is None:
            return [(0, self.arena.size)]
        return [(memory.offset, memory.offset + memory.bytes) for memory in record.memories]

    def during(self, op: Operation, size: int, unit: int) -> Taken | None:
        """The first free bytes of the arena while `op` runs: `size` of them, at a multiple of `unit`, in one memory.
        None if there are none.
        """
        position = self._position(op)
        return self.first_free(Taken(0, size, position, position), unit)

    def first_free(self, needed: Taken, unit: int) -> Taken | None:
        """`needed` at the first multiple of `unit` at which its bytes are free and in one memory; None if there is
        none.
        """
        size = needed.high - needed.low
        for first, end in self._parts:
            if first % unit:
                continue
            starts = [first, *(taken.high for taken in self.taken if first <= taken.high < end)]
            offsets = sorted({-(-start // unit) * unit for start in starts})
            candidates = (needed._replace(low=low, high=low + size) for low in offsets if low + size <= end)
            free = (candidate for candidate in candidates if not any(map(candidate.conflicts, self.taken)))
            if (found := next(free, None)) is not None:
                return found
        return None

    def grow(self, op: Operation, size: int, unit: int) -> Taken | None:
        """Enlarge the arena by the bytes that it lacks at its end for `size` bytes, at a multiple of `unit`, that are
        free while `op` runs.

        If the arena is spread over memories, its last part grows; None if the memory of this part has too few bytes,
        or if this part does not begin at a multiple of `unit`.
        """
        position, start = self._position(op), self._parts[-1][0]
        occupied = (taken.high for taken in self.taken if taken.first <= position <= taken.last)
        low = -(-max(start, *occupied, 0) // unit) * unit
        if (record := self._record) is not None:
            *before, last = record.memories
            grown = low + size - last.offset
            if last.offset % unit or grown + last.stack + sum(last.hot.values()) > last.size:
                return None
            self.arena.memories = replace(record, memories=[*before, replace(last, bytes=grown)]).attribute
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
