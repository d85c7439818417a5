"""First fit and best fit: one rectangle after the other, in several orders."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle, lower_bound, placement_at

Order = Callable[[Rectangle, int], tuple[int, ...]]
"""Of a rectangle and of the need at its fullest point, in bytes: what it is sorted by."""

ORDERS: dict[str, Order] = {
    "start": lambda one, need: (one.first, -one.size),
    "end": lambda one, need: (-one.last, -one.size),
    "size": lambda one, need: (-one.size, one.first),
    "length": lambda one, need: (one.first - one.last, -one.size),
    "area": lambda one, need: (-one.size * (one.last - one.first + 1), one.first),
    "need": lambda one, need: (-need, one.first - one.last, -one.size),
}
"""The orders that are tried: earlier, later, larger, longer, larger in both, at the fullest point first."""

Choice = Callable[[Sequence[tuple[int, int, int, int]], Rectangle], int]
"""Of the placed (start byte, end byte, first, last), by start byte, and a rectangle: its offset."""


def first_fit(rectangles: Sequence[Rectangle]) -> Placement:
    """Each rectangle at the lowest free offset; the lowest result of all orders, the earlier order where equal."""
    return _best_order(rectangles, _lowest)


def best_fit(rectangles: Sequence[Rectangle]) -> Placement:
    """Each rectangle in the smallest gap that has room, the lower one where equal; of all orders the lowest result."""
    return _best_order(rectangles, _tightest)


def _best_order(rectangles: Sequence[Rectangle], choose: Choice) -> Placement:
    needs, bound = _needs(rectangles), lower_bound(rectangles)
    best: Placement | None = None
    for order in ORDERS.values():
        keys = [order(one, need) for one, need in zip(rectangles, needs, strict=True)]
        offsets = _place(rectangles, sorted(range(len(rectangles)), key=keys.__getitem__), choose)
        found = placement_at(rectangles, offsets, bound)
        if best is None or found.height < best.height:
            best = found
        if best.optimal:
            break
    assert best is not None
    return best


def _needs(rectangles: Sequence[Rectangle]) -> list[int]:
    """The bytes alive at the fullest point of each rectangle's life."""
    points = sorted({one.first for one in rectangles})
    alive = [sum(one.size for one in rectangles if one.first <= point <= one.last) for point in points]
    return [
        max(need for point, need in zip(points, alive, strict=True) if one.first <= point <= one.last)
        for one in rectangles
    ]


def _place(rectangles: Sequence[Rectangle], order: Sequence[int], choose: Choice) -> list[int]:
    offsets = [0] * len(rectangles)
    placed: list[tuple[int, int, int, int]] = []
    for i in order:
        one = rectangles[i]
        offsets[i] = offset = choose(placed, one)
        insort(placed, (offset, offset + one.size, one.first, one.last))
    return offsets


def _lowest(placed: Sequence[tuple[int, int, int, int]], one: Rectangle) -> int:
    lowest = 0
    for start, end, first, last in placed:
        if first <= one.last and one.first <= last:
            if lowest + one.size <= start:
                break
            if end > lowest:
                lowest = end + -end % one.alignment
    return lowest


def _tightest(placed: Sequence[tuple[int, int, int, int]], one: Rectangle) -> int:
    lowest, best, room = 0, None, 0
    for start, end, first, last in placed:
        if first <= one.last and one.first <= last:
            if lowest + one.size <= start and (best is None or start - lowest < room):
                best, room = lowest, start - lowest
            if end > lowest:
                lowest = end + -end % one.alignment
    return lowest if best is None else best
