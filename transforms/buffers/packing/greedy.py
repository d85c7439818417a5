"""First fit and best fit, for several orders of the rectangles."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle, lower_bound, placement_at

Order = Callable[[Rectangle, int], tuple[int, ...]]
"""The sort key of a rectangle, given the bytes alive at its fullest point."""

ORDERS: dict[str, Order] = {
    "start": lambda shape, need: (shape.first, -shape.size),
    "end": lambda shape, need: (-shape.last, -shape.size),
    "size": lambda shape, need: (-shape.size, shape.first),
    "length": lambda shape, need: (shape.first - shape.last, -shape.size),
    "area": lambda shape, need: (-shape.size * (shape.last - shape.first + 1), shape.first),
    "need": lambda shape, need: (-need, shape.first - shape.last, -shape.size),
}
"""The orders that are tried: first the earliest, the latest, the largest, the longest, the greatest in area, or those
at the fullest point."""

Choice = Callable[[Sequence[tuple[int, int, int, int]], Rectangle], int]
"""Chooses an offset, from the placed (start byte, end byte, first, last), sorted by start byte, and a rectangle."""


def first_fit(rectangles: Sequence[Rectangle]) -> Placement:
    """Places each rectangle at the lowest free offset; the lowest result of all orders, the first of equal ones."""
    return _best_order(rectangles, _lowest)


def best_fit(rectangles: Sequence[Rectangle]) -> Placement:
    """Places each rectangle in the smallest gap with room, the lower of equal ones; the lowest result of all orders."""
    return _best_order(rectangles, _tightest)


def _best_order(rectangles: Sequence[Rectangle], choose: Choice) -> Placement:
    needs, bound = _needs(rectangles), lower_bound(rectangles)
    best: Placement | None = None
    for order in ORDERS.values():
        keys = [order(shape, need) for shape, need in zip(rectangles, needs, strict=True)]
        offsets = _place(rectangles, sorted(range(len(rectangles)), key=keys.__getitem__), choose)
        candidate = placement_at(rectangles, offsets, bound)
        if best is None or candidate.height < best.height:
            best = candidate
        if best.optimal:
            break
    assert best is not None
    return best


def _needs(rectangles: Sequence[Rectangle]) -> list[int]:
    """Bytes alive at the fullest point of each rectangle's live range."""
    points = sorted({shape.first for shape in rectangles})
    alive = [sum(shape.size for shape in rectangles if shape.first <= point <= shape.last) for point in points]
    return [
        max(need for point, need in zip(points, alive, strict=True) if shape.first <= point <= shape.last)
        for shape in rectangles
    ]


def _place(rectangles: Sequence[Rectangle], order: Sequence[int], choose: Choice) -> list[int]:
    offsets = [0] * len(rectangles)
    placed: list[tuple[int, int, int, int]] = []
    for i in order:
        shape = rectangles[i]
        offsets[i] = offset = choose(placed, shape)
        insort(placed, (offset, offset + shape.size, shape.first, shape.last))
    return offsets


def _lowest(placed: Sequence[tuple[int, int, int, int]], shape: Rectangle) -> int:
    lowest = 0
    for start, end, first, last in placed:
        if first <= shape.last and shape.first <= last:
            if lowest + shape.size <= start:
                break
            if end > lowest:
                lowest = end + -end % shape.alignment
    return lowest


def _tightest(placed: Sequence[tuple[int, int, int, int]], shape: Rectangle) -> int:
    lowest, best, room = 0, None, 0
    for start, end, first, last in placed:
        if first <= shape.last and shape.first <= last:
            if lowest + shape.size <= start and (best is None or start - lowest < room):
                best, room = lowest, start - lowest
            if end > lowest:
                lowest = end + -end % shape.alignment
    return lowest if best is None else best
