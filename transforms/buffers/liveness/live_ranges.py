"""Live ranges of buffers on L2: from the first op that touches a buffer to the last, loops flattened in order.

Program points are the ops that can touch memory (those with a memref operand) and the ops that steer (with regions,
and terminators), numbered from 0 in program order. Views of a buffer are the buffer. An op's operands and its
destination are alive together at its point, unless one reuses the bytes of the other: then it is alive from the next
point on. A returned buffer is alive to the end, because its content is used after
the return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.disjoint_set import DisjointSet

from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import AllocOp, ArenaOp, MoveOp, ReuseOp, SliceOp, ViewOp, memref_type, root, size_in_bytes
from tinyml.dialects.tdsl.base import TensorOp

Buffer: TypeAlias = AllocOp | ReuseOp
"""What has a live range."""


class Range(NamedTuple):
    """Program points, both inclusive."""

    first: int
    last: int


@dataclass(frozen=True)
class LiveRanges:
    """The ops that are program points, in order, and the range of each buffer, in program order."""

    points: tuple[Operation, ...]
    ranges: dict[Buffer, Range]


class Placed(NamedTuple):
    """One line of the memory map: a buffer's source name, bytes from `offset` on, and program points."""

    name: str
    offset: int
    size: int
    first: int
    last: int


def memory_map(function: func.FuncOp) -> list[Placed]:
    """Where each buffer of a packed function lies and when it is alive, in program order.

    Raises `InputError` for a view that does not say when it is alive: `pack-scratch` writes this.
    """
    lines: list[Placed] = []
    for i, view in enumerate(arena_views(function)):
        if view.live is None:
            raise InputError(f"{buffer_name(view.result, i)} does not say when it is alive")
        first, last = (cast(IntegerAttr, point).value.data for point in view.live)
        size = size_in_bytes(memref_type(view.result))
        lines.append(Placed(buffer_name(view.result, i), view.offset.value.data, size, first, last))
    return lines


def buffers_by_place(live: LiveRanges) -> list[list[Buffer]]:
    """Buffers by the place that they share, the one that reuses none first."""
    places: dict[AllocOp, list[Buffer]] = {}
    for one in live.ranges:
        places.setdefault(base(one), []).append(one)
    return list(places.values())


def arena_views(function: func.FuncOp) -> list[ViewOp]:
    """The buffers of a packed function, without those that lie in the caller's memory."""
    return [op for op in function.walk() if isinstance(op, ViewOp) and isinstance(op.arena.owner, ArenaOp)]


def buffer_name(buffer: SSAValue, index: int) -> str:
    """The name from the source program, or a number where there is none."""
    return buffer.name_hint or f"buffer{index}"


def base(buffer: Buffer) -> AllocOp:
    """The buffer whose bytes another one reuses; one that reuses nothing itself."""
    while isinstance(buffer, ReuseOp):
        buffer = cast(Buffer, buffer.source.owner)
    return buffer


def program_points(function: func.FuncOp) -> tuple[Operation, ...]:
    """The ops that the numbers of live ranges count, before packing and after it."""
    return tuple(op for op in function.body.walk() if _is_point(op))


def live_ranges(function: func.FuncOp) -> LiveRanges:
    """Ranges of all `scratch.alloc` and `scratch.reuse` of a function with structured control flow.

    A buffer that is used inside a loop lives through the whole loop, unless it is allocated inside the loop and no
    iteration can see what an earlier one left: the op that touches it first overwrites all of it, and every other
    one comes after that op in the same block.
    Memrefs carried through loops or chosen by branches count as the same buffer as all they can come from.
    Raises `InputError` for branches between blocks, for a buffer that nothing touches (dead code), and for one that
    the loop in which it is allocated hands to its next iteration, because then it is not one buffer but many.
    """
    _expect_structured(function)
    same = _memref_classes(function)
    points = program_points(function)
    number = {op: i for i, op in enumerate(points)}
    touches: dict[SSAValue, list[Operation]] = {}
    for op in points:
        for buffer in {same.find(value): None for value in _memrefs(op.operands)}:
            touches.setdefault(buffer, []).append(op)
    buffers: dict[SSAValue, list[Buffer]] = {}
    for op in function.body.walk():
        if isinstance(op, Buffer):
            _expect_one_buffer(op, same)
            buffers.setdefault(same.find(op.result), []).append(op)
    ranges: dict[Buffer, Range] = {}
    for buffer, members in buffers.items():
        if buffer not in touches:
            raise InputError(f"nothing uses {buffer_name(members[0].result, 0)}: remove dead code first")
        home = members[0] if len(members) == 1 and _starts_fresh(members[0], touches[buffer], same) else None
        spans = [span for op in touches[buffer] for span in _spans(op, home, number)]
        whole = Range(min(span.first for span in spans), max(span.last for span in spans))
        ranges.update((member, _after_source(member, whole)) for member in members)
    return LiveRanges(points, {op: ranges[op] for op in function.body.walk() if isinstance(op, Buffer)})


def last_use(function: func.FuncOp, argument: SSAValue) -> int:
    """The program point after which nothing reads an argument of a function that hands no buffers on; -1 if never."""
    number = {op: i for i, op in enumerate(program_points(function))}
    uses = [op for op in number if any(root(value) is argument for value in _memrefs(op.operands))]
    return max((span.last for op in uses for span in _spans(op, None, number)), default=-1)


def _after_source(buffer: Buffer, whole: Range) -> Range:
    first, last = whole
    return Range(first + 1, last) if isinstance(buffer, ReuseOp) and first < last else whole


def erase_dead_buffers(function: func.FuncOp) -> None:
    """Removes buffers and views that nothing uses; these have no live range."""
    for op in reversed(list(function.walk())):
        if isinstance(op, AllocOp | ReuseOp | SliceOp | ViewOp) and is_trivially_dead(op):
            Rewriter.erase_op(op)


def _memref_classes(function: func.FuncOp) -> DisjointSet[SSAValue]:
    """The memrefs of a function, in sets of those that may be the same buffer."""
    inner = list(function.body.walk())
    blocks = [block for op in (function, *inner) for region in op.regions for block in region.blocks]
    made = [*(value for op in inner for value in op.results), *(arg for block in blocks for arg in block.args)]
    same = DisjointSet(_memrefs(made))
    for op in inner:
        aliases = _aliases(op)
        for value in aliases[1:]:
            same.union_left(aliases[0], value)
    return same


def hands_on(function: func.FuncOp) -> bool:
    """Do loops or branches of a function hand memrefs on, so that a value can be one of several?"""
    inner = [op for op in function.body.walk() if op.regions]
    return any(
        _memrefs(op.results) or any(_memrefs(block.args) for region in op.regions for block in region.blocks)
        for op in inner
    )


def _expect_structured(function: func.FuncOp) -> None:
    for op in function.walk():
        if any(len(region.blocks) > 1 for region in op.regions):
            raise InputError(f"'{op.name}' branches between blocks; only scf control flow has live ranges")


def _expect_one_buffer(alloc: Buffer, same: DisjointSet[SSAValue]) -> None:
    for loop in loops_around(alloc):
        carried = [*_memrefs(loop.results), *(arg for region in loop.regions for arg in _memrefs(region.block.args))]
        if any(same.find(value) is same.find(alloc.result) for value in carried):
            name = buffer_name(alloc.result, 0)
            raise InputError(f"{name} leaves the iteration of '{loop.name}' that allocates it: allocate it outside")


def loops_around(op: Operation) -> Iterator[Operation]:
    """From the inside out. Whatever has regions and is no branch may run them again."""
    around = op.parent_op()
    while around is not None and not isinstance(around, func.FuncOp):
        if not isinstance(around, scf.IfOp):
            yield around
        around = around.parent_op()


def _memrefs(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, MemRefType)]


def _aliases(op: Operation) -> list[SSAValue]:
    """Memrefs of which an op that hands memrefs on may make the same buffer."""
    if isinstance(op, ReuseOp):
        return []
    handed_on = _memrefs(op.results)
    for region in op.regions:
        for block in region.blocks:
            handed_on += _memrefs(block.args)
            if block.last_op is not None:
                handed_on += _memrefs(block.last_op.operands)
    return [*handed_on, *_memrefs(op.operands)] if handed_on else []


def _is_point(op: Operation) -> bool:
    if isinstance(op, MoveOp | ReuseOp | SliceOp | ViewOp):
        return False
    return bool(op.regions or _memrefs(op.operands)) or op.has_trait(IsTerminator)


def _starts_fresh(alloc: Buffer, touches: list[Operation], same: DisjointSet[SSAValue]) -> bool:
    """Is the whole buffer overwritten, without being read, before anything else in the same run of a block?"""
    first = touches[0]
    if not isinstance(first, TensorOp) or first.dest is None or first.parent is None:
        return False
    buffer = same.find(alloc.result)
    if sum(same.find(value) is buffer for value in _memrefs(first.operands)) > 1:
        return False
    return reshaped(first.dest) is alloc.result and all(first.parent.is_ancestor(op) for op in touches)


def reshaped(value: SSAValue) -> SSAValue:
    """The largest memref of which a memref is all elements under another shape."""
    while isinstance(reshape := value.owner, SliceOp) and _elements(reshape.source) == _elements(value):
        value = reshape.source
    return value


def _elements(buffer: SSAValue) -> int:
    return prod(memref_type(buffer).get_shape())


def _spans(op: Operation, home: Buffer | None, number: dict[Operation, int]) -> Iterator[Range]:
    """Its own point, and the loops around it as far out as its buffer may be seen by a later iteration.

    `home` is the alloc of a buffer that starts fresh wherever it is allocated, so that loops around it do not count.
    """
    yield Range(number[op], number[op])
    for loop in loops_around(op):
        if home is not None and loop.is_ancestor(home):
            return
        yield Range(number[loop], max(number[inner] for inner in loop.walk() if inner in number))
