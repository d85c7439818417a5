"""First fit and best fit, applied to several orders of the rectangles."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

from tinyml.dialects.modules import on_call
from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.grid import Grid, to_grid
from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle, placement_at

_NATIVE = "tinyml.transforms.buffers.packing.native"
_library, _place_by_core = on_call(f"{_NATIVE}:library"), on_call(f"{_NATIVE}:place")

MAX_OVERLAPPED = 3_000
"""Limit on the buffers of a problem whose overlaps are used."""

Order = Callable[[Rectangle, int], tuple[int, ...]]
"""The sort key of a rectangle, given the most units alive at any time in its live range."""

ORDERS: dict[str, Order] = {
    "start": lambda shape, need: (shape.first, -shape.size),
    "end": lambda shape, need: (-shape.last, -shape.size),
    "size": lambda shape, need: (-shape.size, shape.first),
    "length": lambda shape, need: (shape.first - shape.last, -shape.size),
    "area": lambda shape, need: (-shape.size * (shape.last - shape.first + 1), shape.first),
    "need": lambda shape, need: (-need, shape.first - shape.last, -shape.size),
}
"""The orders that are tried: by start, latest end, size, length, area, or most units alive."""


def first_fit(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    return _best_order(rectangles, effort, tightest=False)


def best_fit(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    return _best_order(rectangles, effort, tightest=True)


def _best_order(rectangles: Sequence[Rectangle], effort: Effort, tightest: bool) -> Placement:
    """Place the rectangles in several orders, and return the lowest placement.

    Raises `OutOfTime` if the effort is spent; `effort.best` is then the lowest placement so far.

    tightest: true for best fit, false for first fit.
    """
    effort.check()
    grid = to_grid(rectangles)
    needs = grid.fullest()
    # The C core supports neither gaps nor pinned offsets nor overlaps; larger problems need it, without overlaps.
    python = grid.idle or grid.pinned or (grid.overlaps and len(rectangles) <= MAX_OVERLAPPED)
    core = _library() if effort.core and grid.fits_the_core and not python else None
    best: Placement | None = None
    for order in ORDERS.values():
        effort.check()
        keys = [order(shape, need) for shape, need in zip(rectangles, needs, strict=True)]
        numbers = sorted(range(len(rectangles)), key=lambda i: (i not in grid.pinned, keys[i]))
        if core is None:
            offsets = _place(grid, numbers, tightest, effort)
        else:
            offsets = _place_by_core(core, grid, numbers, tightest, effort.seconds_left())
            if offsets is None:
                effort.check()
                raise AssertionError("the core stopped before its time")
        candidate = placement_at(rectangles, [offset * grid.unit for offset in offsets], effort.need)
        effort.keep(candidate)
        if best is None or candidate.height < best.height:
            best = candidate
        if best.optimal:
            break
    assert best is not None
    return best


Placed = tuple[int, int, int, int, int]
"""First unit and end, first and last section, and the buffer."""


def _place(grid: Grid, order: Sequence[int], tightest: bool, effort: Effort) -> list[int]:
    """The offsets of all buffers, in units of the grid, if they are placed in a given order. greedy.c returns the
    same offsets.

    tightest: true for best fit, false for first fit.
    """
    offsets = [0] * len(order)
    placed: list[Placed] = []
    choose = _tightest if tightest else _lowest
    for b in order:
        effort.check()
        size, first, last = grid.sizes[b], grid.first[b], grid.last[b]
        near = [(start, end) for start, end, since, until, _ in placed if since <= last and first <= until]
        if grid.idle:
            near = [(start, end) for start, end, *_, k in placed if grid.meet(b, k)]
        if grid.overlaps:
            alive = [(start, k) for start, _, since, until, k in placed if since <= last and first <= until]
            # A buffer blocks the offsets above `start - size` and below its end, adjusted by the distance of an
            # overlap.
            near = sorted((start + size - grid.above(b, k), start + grid.above(k, b)) for start, k in alive)
        pinned = grid.pinned.get(b)
        offsets[b] = offset = choose(near, size, grid.alignments[b]) if pinned is None else pinned
        insort(placed, (offset, offset + size, first, last, b))
    return offsets


def _lowest(near: Sequence[tuple[int, int]], size: int, alignment: int) -> int:
    lowest = 0
    for start, end in near:
        if lowest + size <= start:
            break
        if end > lowest:
            lowest = end + -end % alignment
    return lowest


def _tightest(near: Sequence[tuple[int, int]], size: int, alignment: int) -> int:
    lowest, best, room = 0, None, 0
    for start, end in near:
        if lowest + size <= start and (best is None or start - lowest < room):
            best, room = lowest, start - lowest
        if end > lowest:
            lowest = end + -end % alignment
    return lowest if best is None else best
