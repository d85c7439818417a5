"""Selection of results that overlap operands or reuse the bytes of operands, for the packing problem of a function.

If a loop nest starts to write its result late, it has already read most of an operand by then. The result could
therefore be placed in the middle of the operand. Packing, however, places each result below the operands that it
overlaps. A stack removes this restriction: several results are packed as one rectangle, in which the result that is
written last is on top.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import NamedTuple, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.layouts.packed_bits import group_length, touched_bytes
from tinyml.dialects.scratch import (
    ReuseOp,
    ViewOp,
    bytes_of,
    element_bytes,
    elements_of,
    memref_type,
    packed_bits,
    root,
)
from tinyml.transforms.buffers.liveness.live_ranges import Buffer, LiveRanges, live_ranges, reshaped
from tinyml.transforms.buffers.overlap import overlap_distance
from tinyml.transforms.buffers.packing import Overlap, Placement, Proof, Rectangle, lower_bound

Distances: TypeAlias = Sequence[Mapping[int, int]]
"""For each rectangle, the indices of the rectangles that it may overlap, with safe distances in bytes."""


def safe_distances(
    points: Sequence[Operation], groups: Sequence[Sequence[Buffer | ViewOp]], rectangles: Sequence[Rectangle]
) -> Distances:
    """For each group of buffers, the operands that its result may overlap, each with the safe distance in bytes.

    Only distances below the size of the result are included. The op or loop nest that first touches the result must
    be the last reader of the operand. The group that contains the input overlaps nothing, because the caller writes
    the input before the first op. If two buffers are first touched together and each could overlap the other, only
    the later one may do so. Chains of overlaps are therefore acyclic.
    """
    ends = sorted((shape.last, i) for i, shape in enumerate(rectangles))
    number = {op: point for point, op in enumerate(points)}
    distances: list[dict[int, int]] = []
    for i, (members, shape) in enumerate(zip(groups, rectangles, strict=True)):
        overlapped: dict[int, int] = {}
        distances.append(overlapped)
        if shape.first < 0:
            continue
        op = points[shape.first]
        end = max(number[inner] for inner in op.walk() if inner in number)
        results = {member.result for member in members}
        last = [k for _, k in ends[bisect_left(ends, (shape.first, 0)) : bisect_right(ends, (end, len(ends)))]]
        operands = [k for k in last if k != i and rectangles[k].first <= shape.first]
        if operands:
            values = [{member.result for member in groups[k]} for k in operands]
            found = zip(operands, overlap_distance.safe_distances(op, values, results), strict=True)
            overlapped |= {k: distance for k, distance in found if distance is not None and distance < shape.size}
    for i, overlapped in enumerate(distances):
        for k in [k for k in overlapped if k > i and i in distances[k]]:
            del overlapped[k]
    return distances


def with_overlaps(rectangles: Sequence[Rectangle], distances: Distances) -> list[Rectangle]:
    """Copies of the rectangles, each with the operands that it may overlap. An operand never starts below the
    result that overlaps it.
    """
    return [
        replace(shape, overlaps=tuple(Overlap(k, max(distance, 0)) for k, distance in overlapped.items()))
        for shape, overlapped in zip(rectangles, distances, strict=True)
    ]


class _Part(NamedTuple):
    """A part of a stack: the rectangle with index `number`, `offset` bytes above the start of the stack."""

    number: int
    offset: int


class _Stack(NamedTuple):
    """Results that are packed as one rectangle, in ascending order of their offsets.

    size: the size of the whole stack in bytes.
    """

    parts: tuple[_Part, ...]
    size: int


@dataclass(frozen=True)
class _Stacked:
    """A packing problem in which stacks replace the rectangles that they consist of.

    whole: the rectangles of the original problem, with their overlaps.
    stacks: for each rectangle of this problem, the stack that it represents; most stacks have a single part.
    """

    whole: Sequence[Rectangle]
    stacks: Sequence[_Stack]
    rectangles: Sequence[Rectangle]

    def lower(self, apart: Placement, placement: Placement) -> Placement:
        """The lower of two placements of the original problem. Its lower bound is the peak of live bytes, because a
        bound that a search proved for one of the two problems is not valid for the other.

        apart: a placement found without stacks.
        placement: a placement of the problem with stacks, which is first converted to the original problem.
        """
        bound = lower_bound(self.whole)
        if apart.height <= placement.height:
            return replace(apart, lower_bound=bound, proof=Proof.PEAK)
        offsets = [0] * len(self.whole)
        for stack, start in zip(self.stacks, placement.offsets, strict=True):
            for number, offset in stack.parts:
                offsets[number] = start + offset
        return replace(placement, offsets=tuple(offsets), lower_bound=bound, proof=Proof.PEAK)


def stacked(rectangles: Sequence[Rectangle], distances: Distances) -> _Stacked | None:
    """The problem in which stacks replace rectangles. None if no stack saves bytes.

    A stack is formed wherever it saves more bytes than the overlap of its highest part alone.

    rectangles: the rectangles with their overlaps.
    distances: the distances from which the overlaps were derived, including negative ones.
    """
    overlapped = {k for operands in distances for k in operands}
    together: dict[tuple[int, int, int], list[int]] = {}
    for i, shape in enumerate(rectangles):
        for k in distances[i]:
            if i not in overlapped:
                together.setdefault((k, shape.first, shape.last), []).append(i)
    chosen: dict[int, _Stack] = {}
    for (operand, _, _), results in sorted(together.items(), key=lambda entry: -rectangles[entry[0][0]].size):
        free = [i for i in results if i not in chosen]
        stack = _stack(rectangles, distances, operand, free)
        if stack is not None:
            chosen.update((number, stack) for number, _ in stack.parts)
    if not chosen:
        return None
    alone = ((i, _Stack((_Part(i, 0),), shape.size)) for i, shape in enumerate(rectangles))
    stacks = list(dict.fromkeys(chosen.get(i, stack) for i, stack in alone))
    number = {part.number: s for s, stack in enumerate(stacks) for part in stack.parts}
    return _Stacked(rectangles, stacks, [_rectangle(rectangles, distances, stack, number) for stack in stacks])


def _stack(rectangles: Sequence[Rectangle], distances: Distances, operand: int, results: list[int]) -> _Stack | None:
    """The stack below an operand that saves the most bytes, with as few results as possible. None if no stack saves
    more bytes than a single result.

    For each result, the number of bytes from its start that may lie in the operand is the result's size minus its safe
    distance. The results are sorted by this number. This is the order of due dates in Jackson's rule (1955) for the
    least maximum lateness, since a part is affected only by the bytes above it.

    operand: the index of the operand.
    results: the indices of the results that may be parts.
    """

    def reach(i: int) -> int:
        return rectangles[i].size - distances[i][operand]

    order = sorted(results, key=reach, reverse=True)
    best, saved = None, max((min(reach(i), rectangles[i].size) for i in results), default=0)
    for count in range(2, len(order) + 1):
        stack = _stack_of(rectangles, order[:count][::-1])
        distance = max(offset + distances[i][operand] for i, offset in stack.parts)
        saving = min(stack.size - max(distance, 0), rectangles[operand].size)
        if saving > saved:
            best, saved = stack, saving
    return best


def _stack_of(rectangles: Sequence[Rectangle], order: Sequence[int]) -> _Stack:
    parts: list[_Part] = []
    end = 0
    for i in order:
        start = end + -end % rectangles[i].alignment
        parts.append(_Part(i, start))
        end = start + rectangles[i].size
    return _Stack(tuple(parts), end)


def _rectangle(
    rectangles: Sequence[Rectangle], distances: Distances, stack: _Stack, number: dict[int, int]
) -> Rectangle:
    shapes = [rectangles[i] for i, _ in stack.parts]
    if len(shapes) == 1:
        overlaps = tuple(Overlap(number[k], distance) for k, distance in shapes[0].overlaps)
        return replace(shapes[0], overlaps=overlaps)
    return Rectangle(
        "/".join(shape.name for shape in shapes),
        stack.size,
        lcm(*(shape.alignment for shape in shapes)),
        shapes[0].first,
        shapes[0].last,
        tuple(_overlaps(rectangles, distances, stack, number)),
    )


def _overlaps(
    rectangles: Sequence[Rectangle], distances: Distances, stack: _Stack, number: dict[int, int]
) -> Iterator[Overlap]:
    """Yield the operands that a stack may overlap, each with the least distance at which no part overwrites the
    operand before it is read.

    number: the new index of each original rectangle.
    """
    for operand in dict.fromkeys(k for i, _ in stack.parts for k in distances[i]):
        distance = max(offset + distances[i].get(operand, rectangles[i].size) for i, offset in stack.parts)
        if distance < stack.size:
            yield Overlap(number[operand], max(distance, 0))


MIN_TRIALS = 20
"""The effort is divided into at least this many parts."""


def exchange_sources(function: func.FuncOp, height: Callable[[float], int]) -> dict[ReuseOp, SSAValue]:
    """Change the operand whose bytes a result reuses, wherever this lowers the height by at least one percent. Return
    the previous operand of each changed result.

    In the sum of two images, for example, both operands are often read for the last time. The live ranges of the
    operands before the sum determine which of them the result should overwrite.

    height: packs the function in its current state with a given fraction of the effort, and returns the height in
        bytes; all fractions together are at most 1.
    """
    former: dict[ReuseOp, SSAValue] = {}
    choices = list(_choices(function))
    share = 1 / max(len(choices) + 1, MIN_TRIALS)
    lowest = height(share) if choices else 0
    for reuse, source in choices:
        before = reuse.source
        reuse.operands[0] = source
        if (new := height(share)) <= lowest - max(lowest // 100, 1):
            former.setdefault(reuse, before)
            lowest = new
        else:
            reuse.operands[0] = before
    return former


def _choices(function: func.FuncOp) -> Iterator[tuple[ReuseOp, SSAValue]]:
    """Yield each result that reuses the bytes of an operand, with every other operand whose bytes it could reuse
    instead.
    """
    live = live_ranges(function)
    for reuse, alive in live.ranges.items():
        op = live.points[alive.first - 1]
        if not isinstance(reuse, ReuseOp) or not isinstance(op, tdsl.TensorOp) or op.dest is None:
            continue
        if reshaped(op.dest) is not reuse.result:
            continue
        for value in op.inputs:
            buffer = root(value).owner
            if isinstance(buffer, Buffer) and _is_choice(reuse, buffer, op, live):
                yield reuse, buffer.result


def _is_choice(reuse: ReuseOp, buffer: Buffer, op: tdsl.TensorOp, live: LiveRanges) -> bool:
    if buffer.result in (reuse.source, reuse.result) or live.points[live.ranges[buffer].last] is not op:
        return False
    known = buffer.parent is reuse.parent and buffer.is_before_in_block(reuse)
    return known and bytes_of(buffer.result) == bytes_of(reuse.source) and takes_place(op, buffer.result)


def takes_place(op: tdsl.TensorOp, buffer: SSAValue) -> bool:
    """Whether an op may write its result from the first byte of an operand's buffer on, while it still reads the
    operand.
    """
    operands = [operand for operand in op.inputs if root(operand) is buffer]
    if any(reshaped(operand) is not buffer for operand in operands):
        return False
    packed = any(packed_bits(memref_type(value)) is not None for value in (op.out, *operands))
    if packed or all(elements_of(operand) == elements_of(op.out) for operand in operands):
        out = memref_type(op.out)
        in_place = all(op.reads_in_place(operand) and _no_wider(out, memref_type(operand)) for operand in operands)
        if packed or in_place:
            return in_place
    [distance] = overlap_distance.safe_distances(op, [{buffer}], {root(op.out)})
    return distance is not None and distance <= 0


def _no_wider(result: MemRefType[Attribute], operand: MemRefType[Attribute]) -> bool:
    """Whether the first i elements of a result never need more bytes than the first i elements of an operand, for
    any i.

    Packed elements share bytes with later elements. If the operand is packed, the result must therefore be packed
    in the same way.
    """
    bits, bytes = packed_bits(result), element_bytes(operand)
    if packed_bits(operand) is not None:
        return bits == packed_bits(operand)
    if bits is None:
        return element_bytes(result) <= bytes
    return all(touched_bytes(count, bits) <= count * bytes for count in range(1, group_length(bits) + 1))
