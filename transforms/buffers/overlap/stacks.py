"""Results of one loop nest stacked under an operand that it consumes.

A result that a nest starts to write late may be placed in the middle of an operand, much of which has been consumed by
then. But packing keeps each result below the operands that it overlaps. Such results are therefore packed as one
rectangle, with the last to be written on top.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import NamedTuple

from tinyml.transforms.buffers.overlap.pairs import Distances
from tinyml.transforms.buffers.packing import Overlap, Placement, Rectangle, lower_bound


class Part(NamedTuple):
    """Rectangle `number` of a stack, `offset` bytes above the start of the stack."""

    number: int
    offset: int


class Stack(NamedTuple):
    """Results from the lowest to the highest, without margins below or above. size: in bytes."""

    parts: tuple[Part, ...]
    size: int


@dataclass(frozen=True)
class Stacked:
    """A packing problem in which stacks replace their parts.

    whole: the rectangles of the original problem, with their overlaps. stacks: the stack of each rectangle of this
    problem, in order; most have a single part.
    """

    whole: Sequence[Rectangle]
    stacks: Sequence[Stack]
    rectangles: Sequence[Rectangle]

    def lower(self, apart: Placement, placement: Placement) -> Placement:
        """The lower of two placements: `apart` without stacks, and this problem's `placement`, unstacked.

        A search in either problem proves nothing about the other.
        """
        bound = lower_bound(self.whole)
        if apart.height <= placement.height:
            return replace(apart, lower_bound=bound)
        offsets = [0] * len(self.whole)
        for stack, start in zip(self.stacks, placement.offsets, strict=True):
            for number, offset in stack.parts:
                offsets[number] = start + offset
        return replace(placement, offsets=tuple(offsets), lower_bound=bound)


def stacked(rectangles: Sequence[Rectangle], distances: Distances) -> Stacked | None:
    """The problem with a stack wherever one saves more than its highest part alone; None if there is no such stack.

    rectangles: with their overlaps. distances: from which the overlaps were derived, including negative ones.
    """
    overlapped = {k for operands in distances for k in operands}
    together: dict[tuple[int, int, int], list[int]] = {}
    for i, shape in enumerate(rectangles):
        for k in distances[i]:
            if i not in overlapped:
                together.setdefault((k, shape.first, shape.last), []).append(i)
    chosen: dict[int, Stack] = {}
    for (operand, _, _), results in sorted(together.items(), key=lambda entry: -rectangles[entry[0][0]].size):
        free = [i for i in results if i not in chosen]
        stack = _stack(rectangles, distances, operand, free)
        if stack is not None:
            chosen.update((number, stack) for number, _ in stack.parts)
    if not chosen:
        return None
    alone = ((i, Stack((Part(i, 0),), shape.size)) for i, shape in enumerate(rectangles))
    stacks = list(dict.fromkeys(chosen.get(i, stack) for i, stack in alone))
    number = {part.number: s for s, stack in enumerate(stacks) for part in stack.parts}
    return Stacked(rectangles, stacks, [_rectangle(rectangles, distances, stack, number) for stack in stacks])


def _stack(rectangles: Sequence[Rectangle], distances: Distances, operand: int, results: list[int]) -> Stack | None:
    """The stack under an operand that saves most, with as few results as possible.

    Parts are sorted by the number of bytes that they may reach into the operand, counted from their own start, like due
    dates in Jackson's rule (1955) for the least maximum lateness: only bytes above a part that reaches less far matter.
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


def _stack_of(rectangles: Sequence[Rectangle], order: Sequence[int]) -> Stack:
    parts: list[Part] = []
    end = 0
    for i in order:
        start = end + -end % rectangles[i].alignment
        parts.append(Part(i, start))
        end = start + rectangles[i].size
    return Stack(tuple(parts), end)


def _rectangle(
    rectangles: Sequence[Rectangle], distances: Distances, stack: Stack, number: dict[int, int]
) -> Rectangle:
    """A stack as a rectangle of the problem with stacks. number: the new index of each original rectangle."""
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
    rectangles: Sequence[Rectangle], distances: Distances, stack: Stack, number: dict[int, int]
) -> Iterator[Overlap]:
    """The operands that all parts of a stack may overlap or stay below."""
    for operand in dict.fromkeys(k for i, _ in stack.parts for k in distances[i]):
        distance = max(offset + distances[i].get(operand, rectangles[i].size) for i, offset in stack.parts)
        if distance < stack.size:
            yield Overlap(number[operand], max(distance, 0))
