"""Live ranges of buffers on L2. A live range extends from the first op to the last op that touches a buffer.

Program points are numbered from 0 in program order; the bodies of loops are numbered in place. Ops with a memref
operand, ops with regions, and terminators are program points. An access to a view counts as an access to its buffer.
The operands and the destination of an op are live together at the point of the op. There is one exception: a buffer
that reuses the bytes of another buffer is live only from the next point on. A move happens between two points, so the
old and the new address range of a buffer may overlap.

A returned buffer is live to the end of the function, because the caller reads its content. The input is live from point
-1, because the caller writes it before the function starts. A buffer with state is live throughout, for the next call.
If a loop nest fills a buffer before the buffer is read, the buffer is live only from this loop nest on.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.disjoint_set import DisjointSet

from tinyml.dialects.errors import InputError
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import (
    AllocOp,
    MoveOp,
    ReuseOp,
    SliceOp,
    ViewOp,
    bytes_of,
    elements_of,
    memref_type,
    packed_bits,
)
from tinyml.dialects.tdsl.base import TensorOp
from tinyml.dialects.tdsl.slices import ReceiveOp
from tinyml.transforms.buffers.overlap.overlap_distance import fills


def _fills_first(alloc: SSAValue, touches: Sequence[Operation], home: Operation) -> bool:
    nest = home.regions[0].block.find_ancestor_op_in_block(touches[0])
    return all(map(home.is_ancestor, touches)) and isinstance(nest, scf.ForOp) and fills(nest, alloc)


Buffer: TypeAlias = AllocOp | ReuseOp
"""Ops with a live range."""


class LiveRange(NamedTuple):
    """A range of program points. Both ends are included."""

    first: int
    last: int


@dataclass(frozen=True)
class LiveRanges:
    """The live ranges of a function's buffers.

    points: the program points in order.
    ranges: the live range of each buffer, in program order of the buffers.
    """

    points: tuple[Operation, ...]
    ranges: dict[Buffer, LiveRange]


class Placed(NamedTuple):
    """A line of the memory map: the name of a buffer in the source program, its offset and size in bytes, and the
    first and last point of its live range.
    """

    name: str
    offset: int
    size: int
    first: int
    last: int


def memory_map(function: func.FuncOp) -> list[Placed]:
    """The offset, size and live range of each buffer of a packed function, in program order.

    Raises `InputError` for a view without the live range that `pack-scratch` records.
    """
    lines: list[Placed] = []
    for i, view in enumerate(arena_views(function)):
        first, last = live_range(view, i)
        size = bytes_of(view.result)
        lines.append(Placed(buffer_name(view.result, i), view.offset.value.data, size, first, last))
    return lines


def live_range(view: ViewOp, index: int = 0) -> LiveRange:
    """The live range that `pack-scratch` recorded on a view. Raises `InputError` if there is none.

    index: the position of the view in the function, for the error message.
    """
    if view.live is None:
        raise InputError(f"{buffer_name(view.result, index)} has no live range")
    first, last = (cast(IntegerAttr, point).value.data for point in view.live)
    return LiveRange(first, last)


def buffers_by_location(live: LiveRanges) -> list[list[Buffer]]:
    """Groups of buffers that share bytes because each reuses the bytes of another. A group starts with its
    allocation, which reuses no buffer's bytes.
    """
    groups: dict[AllocOp, list[Buffer]] = {}
    for buffer in live.ranges:
        groups.setdefault(base(buffer), []).append(buffer)
    return list(groups.values())


def arena_views(function: func.FuncOp) -> list[ViewOp]:
    return [op for op in function.walk() if isinstance(op, ViewOp)]


def buffer_name(buffer: SSAValue, index: int) -> str:
    return buffer.name_hint or f"buffer{index}"


def base(buffer: Buffer) -> AllocOp:
    """The allocation whose bytes a buffer reuses, directly or through other buffers. It is the buffer itself if it
    is an allocation.
    """
    while isinstance(buffer, ReuseOp):
        buffer = cast(Buffer, buffer.source.owner)
    return buffer


def program_points(function: func.FuncOp) -> tuple[Operation, ...]:
    """The ops of a function that are program points. They are the same before and after packing."""
    return tuple(op for op in function.body.walk() if is_point(op))


def live_ranges(function: func.FuncOp) -> LiveRanges:
    """The live ranges of all `scratch.alloc` and `scratch.reuse` ops of a function with structured control flow.

    A buffer that is used in a loop is live throughout the loop. The exception is a buffer that is allocated in the loop
    and whose content no later iteration can read. The first op that touches such a buffer overwrites all of it, and all
    other ops that touch it follow in the same block. A memref that a loop carries or a branch selects counts as all the
    memrefs that it may be.

    Raises `InputError` for branches between blocks, for a buffer that no op touches unless it is the input or has
    state, and for a buffer that the allocating loop passes to its next iteration, because the memref then represents
    several buffers.
    """
    # A single walk collects everything below: every candidate of a search comes here three times.
    ops = list(function.body.walk())
    _expect_structured([function, *ops])
    same = _buffer_classes(function, ops)
    points = tuple(op for op in ops if is_point(op))
    number = {op: i for i, op in enumerate(points)}
    touches: dict[SSAValue, list[Operation]] = {}
    for op in points:
        for buffer in {same.find(value): None for value in _memrefs(op.operands)}:
            touches.setdefault(buffer, []).append(op)
    moved = _moved(function, number, same)
    buffers: dict[SSAValue, list[Buffer]] = {}
    in_order = [cast(Buffer, op) for op in ops if _kind_of(type(op)).is_buffer]
    for op in in_order:
        _expect_one_buffer(op, same)
        buffers.setdefault(same.find(op.result), []).append(op)
    ends = _LoopEnds(number)
    ranges: dict[Buffer, LiveRange] = {}
    for buffer, members in buffers.items():
        kept = any("state" in member.properties for member in members)
        given = kept or any("input" in member.properties for member in members)
        if buffer not in touches and not given:
            raise InputError(f"nothing uses {buffer_name(members[0].result, 0)}: remove dead code first")
        touching = touches.get(buffer, [])
        fresh = False
        if len(members) == 1 and not given:
            own = [value for value in _memrefs(touching[0].operands) if same.find(value) is buffer]
            fresh = starts_fresh(members[0], touching, own)
        home = members[0] if fresh else None
        spans = [span for op in touching for span in _spans(op, home, ends)] + [LiveRange(-1, -1)] * given
        spans += [LiveRange(len(points) - 1, len(points) - 1)] * kept
        spans += moved.get(buffer, [])
        whole = LiveRange(min(span.first for span in spans), max(span.last for span in spans))
        ranges.update((member, _after_source(member, whole)) for member in members)
    return LiveRanges(points, {op: ranges[op] for op in in_order})


def _moved(
    function: func.FuncOp, number: dict[Operation, int], same: DisjointSet[SSAValue]
) -> dict[SSAValue, list[LiveRange]]:
    """For each class of memrefs that a move reads or writes, the program points next to its moves, at which the class
    is live. The source of a move is live at the point before the move, the destination at the point after it.

    number: the program point of each op.
    same: the classes of memrefs that may be the same buffer.
    """
    ranges: dict[SSAValue, list[LiveRange]] = {}
    if not any(isinstance(op, MoveOp) for op in function.body.block.ops):
        return ranges
    before = -1
    for op in function.body.block.ops:
        if isinstance(op, MoveOp):
            ranges.setdefault(same.find(op.source), []).append(LiveRange(before, before))
            ranges.setdefault(same.find(op.dest), []).append(LiveRange(before + 1, before + 1))
        before = max((number[inner] for inner in op.walk() if inner in number), default=before)
    return ranges


def _after_source(buffer: Buffer, whole: LiveRange) -> LiveRange:
    first, last = whole
    return LiveRange(first + 1, last) if isinstance(buffer, ReuseOp) and first < last else whole


def erase_dead_buffers(function: func.FuncOp) -> None:
    """Erase unused buffers and views, which have no live range."""
    for op in reversed(list(function.walk())):
        kind = _kind_of(type(op))
        if op.results and (kind.is_buffer or kind.is_view) and is_trivially_dead(op):
            Rewriter.erase_op(op)


def _buffer_classes(function: func.FuncOp, ops: Iterable[Operation]) -> DisjointSet[SSAValue]:
    values = list[SSAValue]()
    for op in (function, *ops):
        if op.results:
            values += _memrefs(op.results)
        if op.regions:
            values += [arg for region in op.regions for block in region.blocks for arg in _memrefs(block.args)]
    same = DisjointSet(values)
    for op in ops:
        aliases = aliases_of(op) if op.results or op.regions else []
        for alias in aliases[1:]:
            same.union_left(aliases[0], alias)
    return same


def hands_on(function: func.FuncOp) -> bool:
    """Whether loops or branches of a function carry memrefs, so that a memref may be one of several buffers."""
    inner = [op for op in function.body.walk() if op.regions]
    return any(
        _memrefs(op.results) or any(_memrefs(block.args) for region in op.regions for block in region.blocks)
        for op in inner
    )


def _expect_structured(ops: Iterable[Operation]) -> None:
    for op in ops:
        if any(len(region.blocks) > 1 for region in op.regions):
            raise InputError(f"'{op.name}' branches between blocks; only scf control flow has live ranges")


def _expect_one_buffer(alloc: Buffer, same: DisjointSet[SSAValue]) -> None:
    for loop in loops_around(alloc):
        carried = [*_memrefs(loop.results), *(arg for region in loop.regions for arg in _memrefs(region.block.args))]
        if any(same.find(value) is same.find(alloc.result) for value in carried):
            name = buffer_name(alloc.result, 0)
            raise InputError(f"{name} leaves the iteration of '{loop.name}' that allocates it: allocate it outside")


def loops_around(op: Operation) -> Iterator[Operation]:
    """Yield the loops around an op, innermost first. Every op with regions counts as a loop, except for branches."""
    around = op.parent_op()
    while around is not None and not isinstance(around, func.FuncOp):
        if not isinstance(around, scf.IfOp):
            yield around
        around = around.parent_op()


def _memrefs(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, MemRefType)]


def aliases_of(op: Operation) -> list[SSAValue]:
    """The memrefs that an op accepts, returns, yields or carries, any two of which may be the same buffer.

    Empty for an op that neither returns, yields nor carries a memref.
    """
    if isinstance(op, ReuseOp):
        return []
    handed_on = _memrefs(op.results)
    for region in op.regions:
        for block in region.blocks:
            handed_on += _memrefs(block.args)
            if block.last_op is not None:
                handed_on += _memrefs(block.last_op.operands)
    return [*handed_on, *_memrefs(op.operands)] if handed_on else []


def is_point(op: Operation) -> bool:
    """Whether an op is a program point: it has regions or a memref operand, or is a terminator."""
    kind = _kind_of(type(op))
    return not kind.is_view and (kind.ends or bool(op.regions or _memrefs(op.operands)))


class _Kind(NamedTuple):
    """Whether the ops of a class define buffers, whether they define views, and whether they end a block."""

    is_buffer: bool
    is_view: bool
    ends: bool


@cache
def _kind_of(kind: type[Operation]) -> _Kind:
    # Cached per class: every candidate of a search queries each of its ops several times.
    is_view = issubclass(kind, MoveOp | ReuseOp | SliceOp | ViewOp)
    return _Kind(issubclass(kind, Buffer), is_view, kind.has_trait(IsTerminator))


def starts_fresh(alloc: Buffer, touches: Sequence[Operation], own: Container[SSAValue]) -> bool:
    """Whether the first op that touches a buffer overwrites all of it without reading it, and all later ops that touch
    the buffer follow in the same block.

    Instead of an op, a loop nest may fill the buffer. The buffer must then be allocated in the body of a loop that
    contains the nest and all ops that touch the buffer.

    touches: the ops that touch the buffer, starting with the first.
    own: the operands of the first op that are the buffer or a view of the buffer.
    """
    first = touches[0]
    if not isinstance(first, TensorOp) or (dest := first.written) is None or first.parent is None:
        return False
    once = sum(value in own for value in _memrefs(first.operands)) == 1
    if once and reshaped(dest) is alloc.result and all(first.parent.is_ancestor(op) for op in touches):
        return True
    home = next(loops_around(alloc), None)
    return home is not None and alloc.parent is home.regions[0].block and _fills_first(alloc.result, touches, home)


def reshaped(value: SSAValue) -> SSAValue:
    """The memref at the start of a chain of reshapes that ends at `value`. `value` itself if no reshape computes it."""
    while isinstance(reshape := value.owner, SliceOp) and elements_of(reshape.source) == elements_of(value):
        value = reshape.source
    return value


class _LoopEnds(dict[Operation, int]):
    """The last program point in each loop.

    number: the program point of each op.
    """

    def __init__(self, number: dict[Operation, int]):
        super().__init__()
        self.number = number

    def __missing__(self, loop: Operation) -> int:
        self[loop] = max(self.number[inner] for inner in loop.walk() if inner in self.number)
        return self[loop]


def _spans(op: Operation, home: Buffer | None, ends: _LoopEnds) -> Iterator[LiveRange]:
    """Yield the point of an op, and the ranges of the loops around it whose later iterations may access the same
    buffer.

    home: the allocation of a buffer whose old content no later iteration reads, so that loops around it extend no
    range; None for any other buffer.
    """
    number = ends.number
    yield LiveRange(number[op], number[op])
    for loop in loops_around(op):
        if home is not None and loop.is_ancestor(home):
            return
        yield LiveRange(number[loop], ends[loop])


def receives(buffer: SSAValue, *, packed: bool) -> bool:
    """Whether a buffer or a view of it receives rows of the input from the caller.

    packed: true to test for rows with packed elements, false for rows without.
    """
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, ReceiveOp) and op.dest is buffer:
            return (packed_bits(memref_type(op.image)) is not None) == packed
        if isinstance(op, SliceOp) and receives(op.result, packed=packed):
            return True
    return False
