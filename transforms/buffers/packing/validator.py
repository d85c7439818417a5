"""Validation of placements. This module shares with the packing algorithms only the types of problems and
placements.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tinyml.transforms.buffers.packing.rectangles import BufferMove, Placement, Rectangle, keep_numbers

PLACEMENT_LIMIT = 20_000
"""The number of buffers that the search for a lower placement places before it gives up."""

STEPS = 2_000_000
"""Limit on this search's visits to other buffers, about a second."""


def complaints(rectangles: Sequence[Rectangle], placement: Placement, patience: int = PLACEMENT_LIMIT) -> Iterator[str]:
    """Yield a message for each error in the offsets, the moves, the height or the lower bound of a placement.

    A lower bound that exceeds the need at every point is a claim that a search found nothing lower. The validator
    checks this claim by a limited search for a placement below the bound, which can refute the bound but not prove it.

    patience: the limit on this search.
    """
    if len(placement.offsets) != len(rectangles):
        yield f"{len(placement.offsets)} offsets for {len(rectangles)} buffers"
        return
    stays = [*_stays(rectangles, placement)]
    for i, start, _, _ in _whole_stays(rectangles, placement):
        shape = rectangles[i]
        if start < 0 or start % shape.alignment:
            yield f"{shape.name} lies at byte {start}, not at a multiple of {shape.alignment}"
        if shape.pinned is not None and start != shape.pinned:
            yield f"{shape.name} lies at byte {start}, not at its pinned offset {shape.pinned}"
    overlapping = {k for i, shape in enumerate(rectangles) for k in (i, *_operands(shape)) if shape.overlaps}
    yield from _overlaps(rectangles, [stay for stay in stays if stay[0] not in overlapping])
    yield from _bad_overlaps(rectangles, stays, overlapping)
    yield from _disturbances(rectangles, placement)
    end = max((start + rectangles[i].size for i, start, _, _ in stays if rectangles[i].size), default=0)
    if end != placement.height:
        yield f"the height is {end} bytes, not {placement.height}"
    if placement.lower_bound > end:
        yield f"the lower bound of {placement.lower_bound} bytes is above the height of {end}"
    elif placement.lower_bound > _most_alive(rectangles):
        lower = _Lower(rectangles, placement.lower_bound, min(patience, STEPS // len(rectangles))).find()
        if lower is not None:
            yield f"the lower bound is {placement.lower_bound} bytes, but {lower} are enough"


def _stays(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[tuple[int, int, int, int]]:
    """Yield index, first byte, first point and last point of every interval in which a buffer stays at one offset,
    outside its gaps.
    """
    for i, start, first, last in _whole_stays(rectangles, placement):
        for low, high in rectangles[i].gaps:
            if first <= high and low <= last:
                if first < low:
                    yield i, start, first, low - 1
                first = high + 1
        if first <= last:
            yield i, start, first, last


def _whole_stays(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[tuple[int, int, int, int]]:
    moves: dict[int, list[BufferMove]] = {}
    for move in placement.moves:
        moves.setdefault(move.index, []).append(move)
    for i, (shape, start) in enumerate(zip(rectangles, placement.offsets, strict=True)):
        since = shape.first
        for move in moves.get(i, ()):
            if shape.first < move.point <= shape.last:
                if move.point > since:
                    yield i, start, since, move.point - 1
                start, since = move.offset, move.point
        yield i, start, since, shape.last


def _overlaps(rectangles: Sequence[Rectangle], stays: Sequence[tuple[int, int, int, int]]) -> Iterator[str]:
    """Yield messages for buffers that overlap a neighbour in memory at the start of a stay, at most two messages
    for each stay.

    stays: the intervals in which buffers stay at one offset, as yielded by `_stays`.
    """
    changes = [(first, 1, start, i) for i, start, first, _ in stays if rectangles[i].size]
    changes += [(last + 1, 0, start, i) for i, start, _, last in stays if rectangles[i].size]
    alive = _SortedPairs()
    for point, begins, start, i in sorted(changes):
        if not begins:
            alive.remove((start, i))
            continue
        for begin, j in alive.add((start, i)):
            low, high = max(start, begin), min(start + rectangles[i].size, begin + rectangles[j].size)
            if low < high:
                yield f"{rectangles[j].name} and {rectangles[i].name} share bytes {low} to {high - 1} at point {point}"


def _operands(shape: Rectangle) -> Iterator[int]:
    return (operand for operand, _ in shape.overlaps)


def _bad_overlaps(
    rectangles: Sequence[Rectangle], stays: Sequence[tuple[int, int, int, int]], overlapping: set[int]
) -> Iterator[str]:
    for i, start, first, last in stays:
        if i not in overlapping:
            continue
        for k, begin, since, until in stays:
            if k == i or (k in overlapping and k < i) or until < first or last < since:
                continue
            low, high = max(start, begin), min(start + rectangles[i].size, begin + rectangles[k].size)
            if low < high and not (
                _is_above(rectangles, i, k, begin - start) or _is_above(rectangles, k, i, start - begin)
            ):
                point = max(first, since)
                yield f"{rectangles[k].name} and {rectangles[i].name} share bytes {low} to {high - 1} at point {point}"


def _is_above(rectangles: Sequence[Rectangle], result: int, operand: int, bytes_: int) -> bool:
    return any(k == operand and distance <= bytes_ for k, distance in rectangles[result].overlaps)


class _SortedPairs:
    """A sorted list of pairs, stored as short lists for fast insertion and removal."""

    LONGEST = 1000

    def __init__(self) -> None:
        self.lists: list[list[tuple[int, int]]] = [[]]
        self.firsts: list[tuple[int, int]] = [(-sys.maxsize, 0)]
        """For each list, a lower bound on its pairs that is greater than all pairs of earlier lists."""

    def add(self, pair: tuple[int, int]) -> list[tuple[int, int]]:
        """Insert a pair. Return its neighbours in the list: the pair before it and the pair after it, if they exist."""
        k = bisect_right(self.firsts, pair) - 1
        pairs = self.lists[k]
        at = bisect_left(pairs, pair)
        before = next((self.lists[m][-1] for m in range(k - 1, -1, -1) if self.lists[m]), None)
        after = next((self.lists[m][0] for m in range(k + 1, len(self.lists)) if self.lists[m]), None)
        near = [pairs[at - 1] if at else before, pairs[at] if at < len(pairs) else after]
        pairs.insert(at, pair)
        if len(pairs) > self.LONGEST:
            half = len(pairs) // 2
            self.lists.insert(k + 1, pairs[half:])
            self.firsts.insert(k + 1, pairs[half])
            del pairs[half:]
        return [other for other in near if other is not None]

    def remove(self, pair: tuple[int, int]) -> None:
        k = bisect_right(self.firsts, pair) - 1
        pairs = self.lists[k]
        del pairs[bisect_left(pairs, pair)]
        if not pairs and k:
            del self.lists[k], self.firsts[k]


def _disturbances(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[str]:
    moves = placement.moves
    if any(before.point > after.point for before, after in pairwise(moves)):
        yield "the moves are not in the order of their points"
        return
    at = list(placement.offsets)
    starting = sorted(range(len(rectangles)), key=lambda i: rectangles[i].first, reverse=True) if moves else []
    alive = list[int]()
    for move in moves:
        moved = rectangles[move.index]
        if not moved.first < move.point <= moved.last:
            yield f"{moved.name} moves before point {move.point}, where it has no content"
        while starting and rectangles[starting[-1]].first < move.point:
            alive.append(starting.pop())
        alive = [j for j in alive if rectangles[j].last >= move.point]
        for j in alive:
            if j != move.index and move.offset < at[j] + rectangles[j].size and at[j] < move.offset + moved.size:
                yield f"{moved.name} moves onto {rectangles[j].name} before point {move.point}"
        at[move.index] = move.offset


def _most_alive(rectangles: Sequence[Rectangle]) -> int:
    changes: list[tuple[int, int, int]] = []
    for shape in rectangles:
        changes += [(shape.first, 1, shape.size), (shape.last + 1, 0, -shape.size)]
        for first, last in shape.gaps:
            changes += [(first, 0, -shape.size), (last + 1, 1, shape.size)]
    changes.sort()
    pinned = [(shape.pinned, shape.size) for shape in rectangles if shape.pinned is not None and shape.size]
    most = max((offset + size for offset, size in pinned), default=0)
    now = 0
    for _, _, size in changes:
        now += size
        most = max(most, now)
    return most


def _meet(a: Rectangle, b: Rectangle) -> bool:
    """Whether two buffers are live at a common point. If they are, one of them begins or resumes at such a point,
    so only such points are tested.
    """
    points = [a.first, b.first, *(last + 1 for shape in (a, b) for _, last in shape.gaps)]
    return any(all(_is_alive(shape, point) for shape in (a, b)) for point in points)


def _is_alive(shape: Rectangle, point: int) -> bool:
    return shape.first <= point <= shape.last and not any(first <= point <= last for first, last in shape.gaps)


class _Lower:
    """A search for a placement below a limit. Buffers are placed in any order, each at its lowest free offset."""

    def __init__(self, rectangles: Sequence[Rectangle], limit: int, patience: int) -> None:
        self.rectangles = keep_numbers(rectangles, [i for i, shape in enumerate(rectangles) if shape.size])
        self.limit = limit
        self.patience = patience

    def find(self) -> int | None:
        """The height of a placement below `limit`. None if no order of the buffers leads to one, or if `patience` steps
        are spent.
        """
        pinned = [(i, shape.pinned) for i, shape in enumerate(self.rectangles) if shape.pinned is not None]
        free = [i for i, shape in enumerate(self.rectangles) if shape.pinned is None]
        return self._place(pinned, free)

    def _place(self, placed: list[tuple[int, int]], left: list[int]) -> int | None:
        if not left:
            return max((start + self.rectangles[i].size for i, start in placed), default=0)
        for i in left:
            if self.patience == 0:
                return None
            self.patience -= 1
            start = self._lowest(i, placed)
            if start + self.rectangles[i].size >= self.limit:
                continue
            height = self._place([*placed, (i, start)], [j for j in left if j != i])
            if height is not None:
                return height
        return None

    def _lowest(self, i: int, placed: list[tuple[int, int]]) -> int:
        shape = self.rectangles[i]
        near = [(start, j, self.rectangles[j]) for j, start in placed]
        near = [(s, j, box) for s, j, box in near if _meet(shape, box)]
        ends = [s + box.size for s, _, box in near]
        ends += [s + distance for s, _, box in near for k, distance in box.overlaps if k == i]
        candidates = sorted({0, *(-(-end // shape.alignment) * shape.alignment for end in ends)})
        return next(
            start
            for start in candidates
            if all(
                start + shape.size <= s
                or s + box.size <= start
                or _is_above(self.rectangles, i, j, s - start)
                or _is_above(self.rectangles, j, i, start - s)
                for s, j, box in near
            )
        )
