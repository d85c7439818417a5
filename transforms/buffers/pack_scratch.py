"""`pack-scratch`: gives every buffer of working memory an offset in one arena."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.dialects.scratch import (
    AllocOp,
    ArenaOp,
    memref_type,
    size_in_bytes,
    unit_bytes,
)
from tinyml.dialects.tdsl.base import TensorOp
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    LiveRanges,
    buffer_name,
    buffers_by_place,
    erase_dead_buffers,
    hands_on,
    live_ranges,
)
from tinyml.transforms.buffers.liveness.place_buffers import place_buffers
from tinyml.transforms.buffers.packing import MODES, Effort, Placement, Rectangle, find_peak, pack

HEIGHT = "scratch.height"
LOWER_BOUND = "scratch.lower_bound"
OPTIMAL = "scratch.optimal"
GAP = "scratch.gap"


@dataclass(frozen=True)
class PackScratchPass(ModulePass):
    """Replaces every `scratch.alloc` by a view of one `scratch.arena`, both at the function's entry.

    A `scratch.reuse` becomes a view of the same bytes.

    `mode` chooses the packing algorithm (docs/packing.md), `align` is a power of two of which all offsets are
    multiples, beside their element's size, and `limit` is the number of bytes that the arena may take. `coarsen` rounds
    sizes up to multiples of so many bytes while the algorithm works, `budget` is how many nodes its searches may have.
    The arena carries its height and the lower bound of every packing, in bytes, and `scratch.optimal` where they are
    equal or else `scratch.gap`, what lies between; each view carries the program points at which it is alive. Buffers
    that nothing uses go; a function without buffers stays as it is. Raises `InputError` for options out of range, a
    function that is packed already, and an arena above the limit; this one names the op at the peak and the buffers
    alive there.
    """

    name = "pack-scratch"
    mode: str = "auto"
    align: int = 1
    limit: int | None = None
    coarsen: int = 1
    budget: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.mode not in MODES:
            raise InputError(f"unknown mode '{self.mode}'; the modes are {', '.join(MODES)}")
        if self.align < 1 or self.align & (self.align - 1):
            raise InputError(f"align must be a power of two, got {self.align}")
        if self.coarsen < 1:
            raise InputError(f"coarsen must be positive, got {self.coarsen}")
        for name, value in (("limit", self.limit), ("budget", self.budget)):
            if value is not None and value < 0:
                raise InputError(f"{name} must not be negative, got {value}")
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            erase_dead_buffers(function)
            if any(isinstance(inner, AllocOp) for inner in function.walk()):
                self._pack(function)

    def _pack(self, function: func.FuncOp) -> None:
        if any(isinstance(inner, ArenaOp) for inner in function.walk()):
            raise InputError(f"@{function.sym_name.data} has an arena already")
        live = live_ranges(function)
        places = buffers_by_place(live)
        rectangles = [rectangle(live, members, self.align) for members in places]
        effort = Effort(nodes=self.budget, barred=_barred(function, live))
        placement = pack(rectangles, self.mode, effort, self.coarsen)
        if self.limit is not None and placement.height > self.limit:
            raise self._too_high(live, rectangles, placement)
        arena = place_buffers(function, live, places, placement, lcm(*(one.alignment for one in rectangles)))
        arena.attributes[HEIGHT] = IntegerAttr(placement.height, i64)
        arena.attributes[LOWER_BOUND] = IntegerAttr(placement.lower_bound, i64)
        if placement.optimal:
            arena.attributes[OPTIMAL] = UnitAttr()
        else:
            arena.attributes[GAP] = IntegerAttr(placement.gap, i64)

    def _too_high(self, live: LiveRanges, rectangles: list[Rectangle], placement: Placement) -> InputError:
        peak = find_peak(rectangles)
        at = live.points[peak.point]
        alive = sorted((rectangles[i] for i in peak.alive), key=lambda one: -one.size)
        names = ", ".join(f"{one.name} ({one.size} bytes)" for one in alive)
        message = (
            f"the arena takes {placement.height} bytes, the limit is {self.limit}; "
            f"alive at the peak of {peak.bytes} bytes, {_spell(at)}: {names}"
        )
        return error_at(at, message)


def rectangle(live: LiveRanges, members: Sequence[Buffer], align: int = 1) -> Rectangle:
    """Of buffers that take the same bytes in turn, the largest first. align: as `pack-scratch` takes it."""
    order = list(live.ranges)
    return Rectangle(
        "/".join(buffer_name(one.result, order.index(one)) for one in members),
        size_in_bytes(memref_type(members[0].result)),
        lcm(*(unit_bytes(memref_type(one.result)) for one in members), align),
        min(live.ranges[one].first for one in members),
        max(live.ranges[one].last for one in members),
    )


def _barred(function: func.FuncOp, live: LiveRanges) -> frozenset[int]:
    """The points inside loops and branches, where nothing may move: a buffer has one place all through them.

    All points, where loops or branches hand buffers on: of these nobody knows which they are.
    """
    anywhere = hands_on(function)
    return frozenset(i for i, op in enumerate(live.points) if anywhere or op.parent_op() is not function)


def _spell(op: Operation) -> str:
    """An op by its name and what it computes, as far as that has a name."""
    target = op.dest if isinstance(op, TensorOp) else None
    hint = target.name_hint if target is not None else None
    return f"'{op.name}' into {hint}" if hint else f"'{op.name}'"
