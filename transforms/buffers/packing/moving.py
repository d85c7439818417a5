"""Moves of operands between ops, before results overlap them, if such moves make the arena smaller.

A result starts below the operand that it overwrites. In a chain of ops, each of which overwrites the previous result,
addresses therefore only decrease. To prevent this, the operand of an op may move once to a higher address before the
op, at the cost of a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.peak import lower_bound
from tinyml.transforms.buffers.packing.rectangles import BufferMove, Overlap, Placement, Rectangle

TRIAL_NODES = 20_000
"""The nodes of the searches that compare moves."""

SizeFrom = Callable[[int, int], int]
"""The bytes that a rectangle, by its index, needs from a point on: fewer if its largest buffer is dead by then."""

Split = dict[int, int]
"""The rectangles that move, each with the point before which it moves."""


def pack_with_moves(
    rectangles: Sequence[Rectangle],
    placed: Placement,
    barred: frozenset[int],
    pack: Callable[[Sequence[Rectangle], Effort], Placement],
    size_from: SizeFrom,
) -> Placement:
    """A placement with moves that is lower than `placed`. `placed` itself if no lower one is found.

    Moves are added one by one, always the move that saves the most bytes, as long as it saves at least one percent of
    the height.

    barred: points before which no buffer may move.
    pack: the function that places rectangles.
    size_from: returns the size of a rectangle from a point on.
    """
    best, chosen = placed, Split()
    bound = lower_bound(rectangles)
    while best.height > bound:
        options = [{**chosen, i: point} for i, point in _candidates(rectangles, barred, chosen)]
        trials = [(_packed(rectangles, split, pack, size_from, TRIAL_NODES), split) for split in options]
        lowest = min(trials, key=lambda trial: trial[0].height, default=None)
        if lowest is None or lowest[0].height > best.height - best.height // 100:
            break
        best, chosen = lowest
    if chosen:
        best = min(best, _packed(rectangles, chosen, pack, size_from, None), key=lambda placement: placement.height)
    return best


def _candidates(rectangles: Sequence[Rectangle], barred: frozenset[int], chosen: Split) -> Iterator[tuple[int, int]]:
    """Yield pairs of an operand and a program point, at most one pair for each op. The operand may move before the op
    at this point, whose result may overlap it.

    barred: points before which no buffer may move.
    chosen: the moves that have already been chosen.
    """
    taken = set(chosen.values())
    for shape in rectangles:
        for operand, _ in shape.overlaps:
            free = shape.first not in barred and shape.first not in taken and operand not in chosen
            if free and rectangles[operand].first < shape.first:
                taken.add(shape.first)
                yield operand, shape.first


def _packed(
    rectangles: Sequence[Rectangle],
    split: Split,
    pack: Callable[[Sequence[Rectangle], Effort], Placement],
    size_from: SizeFrom,
    nodes: int | None,
) -> Placement:
    """The placement of rectangles if some of them move once.

    split: for each moving rectangle, the point before which it moves.
    pack: packs the rectangles, of which each moving one is divided into two.
    size_from: returns the size of a rectangle from a point on.
    nodes: the limit on the nodes of the search; None for the default effort.
    """
    second = {i: len(rectangles) + k for k, i in enumerate(split)}
    parts = [replace(shape, last=split[i] - 1) if i in split else shape for i, shape in enumerate(rectangles)]
    parts += [replace(rectangles[i], size=size_from(i, point), first=point, overlaps=()) for i, point in split.items()]

    def renumbered(shape: Rectangle) -> Rectangle:
        overlaps = [
            Overlap(second[i] if i in split and shape.first >= split[i] else i, distance)
            for i, distance in shape.overlaps
        ]
        return replace(shape, overlaps=tuple(overlaps))

    effort = Effort() if nodes is None else Effort(nodes=nodes, cover=0)
    placement = pack([renumbered(shape) for shape in parts], effort)
    moves = [
        BufferMove(point, i, placement.offsets[second[i]])
        for i, point in split.items()
        if placement.offsets[second[i]] != placement.offsets[i]
    ]
    offsets = placement.offsets[: len(rectangles)]
    bound = lower_bound(rectangles)
    if placement.height < bound:
        bound = lower_bound([replace(shape, size=size_from(i, shape.last)) for i, shape in enumerate(rectangles)])
    return Placement(offsets, placement.height, bound, tuple(moves), packer=placement.packer)
