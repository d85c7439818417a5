"""`pack-scratch`: gives every buffer in RAM an offset in one arena."""

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
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import error_at
from tinyml.dialects.own_attributes import UNIT, OwnAttribute, integer
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
    buffers_by_location,
    erase_dead_buffers,
    hands_on,
    live_ranges,
)
from tinyml.transforms.buffers.liveness.place_buffers import place_buffers
from tinyml.transforms.buffers.overlap.pairs import Distances, safe_distances, with_overlaps
from tinyml.transforms.buffers.overlap.reuse import exchange_sources
from tinyml.transforms.buffers.overlap.stacks import stacked
from tinyml.transforms.buffers.packing import Effort, Placement, Rectangle, find_peak, pack
from tinyml.transforms.buffers.packing.effort import STEPS
from tinyml.transforms.buffers.packing.moving import pack_with_moves
from tinyml.transforms.buffers.packing.packing_options import PackingOptions

HEIGHT = OwnAttribute("scratch.height", {"scratch.arena": integer(0)}, "The bytes of the packing, those of the arena.")
LOWER_BOUND = OwnAttribute(
    "scratch.lower_bound", {"scratch.arena": integer(0)}, "The bytes below which no packing fits."
)
OPTIMAL = OwnAttribute("scratch.optimal", {"scratch.arena": UNIT}, "The packing has the least height.")
GAP = OwnAttribute("scratch.gap", {"scratch.arena": integer(0)}, "The bytes between the lower bound and the height.")


@dataclass(frozen=True, kw_only=True)
class PackScratchPass(PackingOptions, ModulePass):
    """Replaces every `scratch.alloc` by a view of one `scratch.arena`, both at the function's entry.

    A `scratch.reuse` becomes a view of the bytes that it reuses. A result may overlap an operand if the op or loop nest
    that computes it is the operand's last reader: it then starts at least the safe distance below the operand
    (`overlap/overlap_distance.py`). In mode `auto` a `scratch.reuse` takes the bytes of a different operand where that
    saves one percent of the arena.

    align: a power of two that divides all offsets, in addition to the element size. limit: the greatest size of the
    arena, in bytes. moves: let operands move, each at most once, before the op whose result overlaps them, where that
    saves one percent of the arena.

    The arena carries its height and a lower bound on every packing, in bytes, and `scratch.optimal` if they are equal
    or else their difference as `scratch.gap`; each view carries the program points between which it is alive. Unused
    buffers are erased; a function without buffers is unchanged. Raises `InputError` for options out of range, for a
    function that is already packed, and for an arena above the limit, with the op at the peak and the buffers alive
    there.
    """

    name = "pack-scratch"
    align: int = 1
    limit: int | None = None
    moves: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.check()
        if self.align < 1 or self.align & (self.align - 1):
            raise InputError(f"align must be a power of two, got {self.align}")
        if self.limit is not None and self.limit < 0:
            raise InputError(f"limit must not be negative, got {self.limit}")
        for function in defined_functions(op):
            erase_dead_buffers(function)
            if any(isinstance(inner, AllocOp) for inner in function.walk()):
                self._pack(function)

    def _pack(self, function: func.FuncOp) -> None:
        if any(isinstance(inner, ArenaOp) for inner in function.walk()):
            raise InputError(f"@{function.sym_name.data} has an arena already")
        problem = _problem(function, self.align)
        placement = self._placement(problem)
        if self.mode == "auto" and placement.gap > placement.height // 100:
            problem, placement = self._exchanged(function, problem, placement)
        live, rectangles = problem.live, problem.rectangles
        if self.moves:
            placement = pack_with_moves(rectangles, placement, problem.barred, self._packed, problem.size_from)
        if self.limit is not None and placement.height > self.limit:
            raise self._too_high(live, rectangles, placement)
        arena = place_buffers(
            function, live, problem.groups, placement, lcm(*(shape.alignment for shape in rectangles))
        )
        arena.attributes[HEIGHT] = IntegerAttr(placement.height, i64)
        arena.attributes[LOWER_BOUND] = IntegerAttr(placement.lower_bound, i64)
        if placement.optimal:
            arena.attributes[OPTIMAL] = UnitAttr()
        else:
            arena.attributes[GAP] = IntegerAttr(placement.gap, i64)

    def _exchanged(self, function: func.FuncOp, problem: _Problem, placement: Placement) -> tuple[_Problem, Placement]:
        """The problem and placement with results in the bytes of other operands; the given ones if not lower."""

        def height(share: float) -> int:
            return self._placement(_problem(function, self.align), share).height

        if not (former := exchange_sources(function, height)):
            return problem, placement
        new = _problem(function, self.align)
        if (lower := self._placement(new)).height < placement.height:
            return new, lower
        for reuse, source in former.items():
            reuse.operands[0] = source
        return problem, placement

    def _placement(self, problem: _Problem, share: float = 1) -> Placement:
        """The lower one of the problem's placement and that of the problem with stacked results of loop nests."""

        def placed(rectangles: Sequence[Rectangle]) -> Placement:
            return self._packed(rectangles, Effort(nodes=self.nodes, steps=int(share * STEPS), barred=problem.barred))

        placement = placed(problem.rectangles)
        stacks = stacked(problem.rectangles, problem.distances)
        return placement if stacks is None else stacks.lower(placement, placed(stacks.rectangles))

    def _packed(self, rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
        return pack(rectangles, self.mode, effort, self.coarsen)

    def _too_high(self, live: LiveRanges, rectangles: list[Rectangle], placement: Placement) -> InputError:
        peak = find_peak(rectangles)
        # The caller writes the input before the first op.
        at = live.points[max(peak.point, 0)]
        alive = sorted((rectangles[i] for i in peak.alive), key=lambda buffer: -buffer.size)
        names = ", ".join(f"{buffer.name} ({buffer.size} bytes)" for buffer in alive)
        message = (
            f"the arena takes {placement.height} bytes, the limit is {self.limit}; "
            f"alive at the peak of {peak.bytes} bytes, {_spell(at)}: {names}"
        )
        return error_at(at, message)


@dataclass(frozen=True)
class _Problem:
    """The buffers of a function as rectangles. groups: the buffers that take the bytes of each rectangle in turn."""

    live: LiveRanges
    groups: list[list[Buffer]]
    distances: Distances
    rectangles: list[Rectangle]
    barred: frozenset[int]

    def size_from(self, number: int, point: int) -> int:
        """The size in bytes of a rectangle's largest buffer that is alive at a point or after it."""
        members = [member for member in self.groups[number] if self.live.ranges[member].last >= point]
        return max(size_in_bytes(memref_type(member.result)) for member in members)


def _problem(function: func.FuncOp, align: int) -> _Problem:
    live = live_ranges(function)
    groups = buffers_by_location(live)
    shapes = [rectangle(live, members, align) for members in groups]
    distances = safe_distances(live, groups, shapes)
    return _Problem(live, groups, distances, with_overlaps(shapes, distances), _barred(function, live))


def rectangle(live: LiveRanges, members: Sequence[Buffer], align: int = 1) -> Rectangle:
    """The rectangle of buffers that take the same bytes in turn, the largest first. align: as in `pack-scratch`."""
    order = list(live.ranges)
    return Rectangle(
        "/".join(buffer_name(member.result, order.index(member)) for member in members),
        size_in_bytes(memref_type(members[0].result)),
        lcm(*(unit_bytes(memref_type(member.result)) for member in members), align),
        min(live.ranges[member].first for member in members),
        max(live.ranges[member].last for member in members),
    )


def _barred(function: func.FuncOp, live: LiveRanges) -> frozenset[int]:
    """The points inside loops and branches, where no buffer may move: its location is fixed throughout them.

    All points, if loops or branches carry buffers, because it is then unknown which ones.
    """
    anywhere = hands_on(function)
    return frozenset(i for i, op in enumerate(live.points) if anywhere or op.parent_op() is not function)


def _spell(op: Operation) -> str:
    """An op's name and, if it has one, the name of its result."""
    target = op.dest if isinstance(op, TensorOp) else None
    hint = target.name_hint if target is not None else None
    return f"'{op.name}' into {hint}" if hint else f"'{op.name}'"
