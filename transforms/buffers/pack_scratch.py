"""`pack-scratch`: assigns every buffer in RAM an offset in one arena (L2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import error_at
from tinyml.dialects.remarks import Statistic
from tinyml.dialects.rewriting import Rewriter, inherit_location
from tinyml.dialects.scratch import (
    AllocOp,
    ArenaOp,
    MoveOp,
    ReuseOp,
    SliceOp,
    ViewOp,
    memref_type,
    size_in_bytes,
    unit_bytes,
)
from tinyml.dialects.tdsl.base import TensorOp
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    LiveRange,
    LiveRanges,
    buffer_name,
    buffers_by_location,
    erase_dead_buffers,
    hands_on,
    live_ranges,
)
from tinyml.transforms.buffers.overlap.overlaps import (
    Distances,
    exchange_sources,
    safe_distances,
    stacked,
    with_overlaps,
)
from tinyml.transforms.buffers.packing import (
    FIRST_FIT,
    BufferMove,
    Effort,
    Placement,
    Proof,
    Rectangle,
    find_peak,
    pack,
)
from tinyml.transforms.buffers.packing.effort import COVER_STEPS, STEPS
from tinyml.transforms.buffers.packing.moving import pack_with_moves
from tinyml.transforms.buffers.packing.packing_options import PackingOptions


def place_buffers(
    function: func.FuncOp,
    live: LiveRanges,
    groups: Sequence[Sequence[Buffer]],
    placement: Placement,
    alignment: int,
) -> None:
    """Replace all buffers by views of a new arena at the function's entry.

    A buffer that moves becomes a sequence of views, one for each location. Each view is live from the program point
    before which the buffer moves to its location.

    live: the live ranges of the buffers.
    groups: for each rectangle of the placement, the buffers that occupy its bytes one after another.
    alignment: the alignment of the arena.
    """
    proof = None if placement.proof is Proof.PEAK else placement.proof.value
    packer = None if placement.packer == FIRST_FIT else placement.packer
    arena = ArenaOp(placement.height, alignment, placement.lower_bound, proof, packer)
    arena.result.name_hint = "arena"
    views: dict[Buffer, list[ViewOp]] = {}
    moving: dict[BufferMove, Buffer] = {}
    index = {buffer: i for i, members in enumerate(groups) for buffer in members}
    for buffer, alive in live.ranges.items():
        offset, moves = _moves_of(buffer, alive, index[buffer], placement)
        # A buffer that moves directly after the op that writes it was at its first place only for that op.
        first = min([alive.first, *(move.point - 1 for move in moves)])
        stays = [(first, offset), *((move.point, move.offset) for move in moves)]
        ends = [*(move.point - 1 for move in moves), alive.last]
        views[buffer] = []
        for (first, start), last in zip(stays, ends, strict=True):
            given, kept = (not views[buffer] and name in buffer.properties for name in ("input", "state"))
            view = ViewOp(arena.result, start, memref_type(buffer.result), (first, last), input=given, state=kept)
            if len(groups[index[buffer]]) > 1:
                view.properties["place"] = IntegerAttr(index[buffer], i64)
            view.attributes |= buffer.attributes
            view.result.name_hint = buffer.result.name_hint
            inherit_location(buffer.location, view)
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


def _moves_of(buffer: Buffer, alive: LiveRange, index: int, placement: Placement) -> tuple[int, list[BufferMove]]:
    """Return the offset at which a buffer is first touched, and the later moves of the buffer.

    index: the index of the buffer's rectangle.
    """
    touched = alive.first - isinstance(buffer, ReuseOp)
    offset, moves = placement.offsets[index], list[BufferMove]()
    for move in placement.moves:
        if move.index == index and move.point <= touched:
            offset = move.offset
        elif move.index == index and move.point <= alive.last:
            moves.append(move)
    return offset, moves


def _go_on(before: SSAValue, after: SSAValue, move: Operation, known: Operation) -> None:
    """Replace a view by a new view in all uses after a move. A slice that was taken before the move is taken again
    from the new view.

    known: the op that defines the new view.
    """
    block = move.parent
    assert block is not None
    for use in list(before.uses):
        user = use.operation
        beside = block.find_ancestor_op_in_block(user)
        assert beside is not None
        if move.is_before_in_block(beside):
            user.operands[use.index] = after
        elif isinstance(user, SliceOp) and user is beside:
            again = SliceOp(after, user.offset, memref_type(user.result).get_shape())
            again.result.name_hint = user.result.name_hint
            Rewriter.insert_op(again, InsertPoint.after(known))
            _go_on(user.result, again.result, move, again)


BUFFERS = Statistic("num-buffers", "Number of buffers that are packed")
BYTES = Statistic("num-bytes", "Bytes of the arenas")


@dataclass(frozen=True, kw_only=True)
class PackScratchPass(PackingOptions, ModulePass):
    """Replace every `scratch.alloc` by a view of one `scratch.arena`. The views and the arena are at the entry of the
    function.

    A `scratch.reuse` becomes a view of the bytes that it reuses. A result may overlap an operand if the op or loop nest
    that computes the result is the last reader of the operand. The result then starts at least the safe distance below
    the operand (`overlap/overlap_distance.py`). With the packer `auto`, a `scratch.reuse` uses the bytes of a different
    operand if this saves at least one percent of the arena.

    packer: the packing algorithm.
    align: a power of two that divides all offsets, in addition to the element size.
    limit: the greatest permitted size of the arena, in bytes.
    moves: whether each operand may move at most once, before the op whose result overlaps it, if this saves at least
        one percent of the arena.

    The arena records a lower bound on the bytes of every packing. If the bound exceeds the peak of live bytes, the
    arena also records the search that proved the bound. The arena records the algorithm that found the packing, unless
    it is first fit. The packing is optimal if its size equals the bound. Each view records the program points between
    which it is live. Unused buffers are erased. A function without buffers is unchanged.

    Raises `InputError` for options out of range, for a function that is already packed, and for an arena above the
    limit. In the last case the message names the op at the peak and the buffers that are live there.
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
        problem = problem_of(function, self.align)
        placement = self._placement(problem)
        if self.packer == "auto" and placement.gap > placement.height // 100:
            problem, placement = self._exchanged(function, problem, placement)
        live, rectangles = problem.live, problem.rectangles
        if self.moves:
            placement = pack_with_moves(rectangles, placement, problem.barred, self._packed, problem.size_from)
        if self.limit is not None and placement.height > self.limit:
            raise self._too_high(live, rectangles, placement)
        BUFFERS.add(function, len(live.ranges))
        BYTES.add(function, placement.height)
        place_buffers(function, live, problem.groups, placement, lcm(*(shape.alignment for shape in rectangles)))

    def _exchanged(self, function: func.FuncOp, problem: Problem, placement: Placement) -> tuple[Problem, Placement]:
        """For each op whose result could overwrite another of its operands, change which operand is overwritten if this
        makes the arena smaller. Return the problem and the placement after all changes; without a change, the given
        ones.
        """

        def height(share: float) -> int:
            return self._placement(problem_of(function, self.align), share).height

        if not (former := exchange_sources(function, height)):
            return problem, placement
        new = problem_of(function, self.align)
        if (lower := self._placement(new)).height < placement.height:
            return new, lower
        for reuse, source in former.items():
            reuse.operands[0] = source
        return problem, placement

    def _placement(self, problem: Problem, share: float = 1) -> Placement:
        """The lower of two placements: one of `problem` itself, and one in which each stack of results is a single
        rectangle. Without stacks, the placement of `problem`.

        share: the fraction of the effort to spend.
        """

        def placed(rectangles: Sequence[Rectangle]) -> Placement:
            steps, cover = int(share * STEPS), int(share * COVER_STEPS)
            return self._packed(rectangles, Effort(self.nodes, steps, barred=problem.barred, cover=cover))

        placement = placed(problem.rectangles)
        stacks = stacked(problem.rectangles, problem.distances)
        return placement if stacks is None else stacks.lower(placement, placed(stacks.rectangles))

    def _packed(self, rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
        return pack(rectangles, self.packer, effort, self.coarsen)

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
class Problem:
    """The packing problem of a function, whose buffers are rectangles.

    groups: for each rectangle, the buffers that occupy its bytes one after another.
    distances: for each rectangle, the operands that it may overlap, with the safe distances.
    barred: the program points before which no buffer may move.
    """

    live: LiveRanges
    groups: list[list[Buffer]]
    distances: Distances
    rectangles: list[Rectangle]
    barred: frozenset[int]

    def size_from(self, number: int, point: int) -> int:
        """The size in bytes of the largest buffer of rectangle `number` that is live at or after a program point."""
        members = [member for member in self.groups[number] if self.live.ranges[member].last >= point]
        return max(size_in_bytes(memref_type(member.result)) for member in members)


def problem_of(function: func.FuncOp, align: int) -> Problem:
    live = live_ranges(function)
    groups = buffers_by_location(live)
    shapes = [rectangle(live, members, align) for members in groups]
    distances = safe_distances(live.points, groups, shapes)
    return Problem(live, groups, distances, with_overlaps(shapes, distances), _barred(function, live))


def rectangle(live: LiveRanges, members: Sequence[Buffer], align: int = 1) -> Rectangle:
    """The rectangle of buffers that occupy the same bytes one after another. Its size is that of the largest buffer.

    align: as in `pack-scratch`.
    """
    order = list(live.ranges)
    return Rectangle(
        "/".join(buffer_name(member.result, order.index(member)) for member in members),
        size_in_bytes(memref_type(members[0].result)),
        lcm(*(unit_bytes(memref_type(member.result)) for member in members), align),
        min(live.ranges[member].first for member in members),
        max(live.ranges[member].last for member in members),
    )


def _barred(function: func.FuncOp, live: LiveRanges) -> frozenset[int]:
    """The points inside loops and branches. No buffer may move there, because the addresses in their bodies are fixed.

    If loops or branches carry buffers, no buffer may move at any point, because the addresses of carried buffers are
    unknown.
    """
    anywhere = hands_on(function)
    return frozenset(i for i, op in enumerate(live.points) if anywhere or op.parent_op() is not function)


def _spell(op: Operation) -> str:
    target = op.dest if isinstance(op, TensorOp) else None
    hint = target.name_hint if target is not None else None
    return f"'{op.name}' into {hint}" if hint else f"'{op.name}'"
