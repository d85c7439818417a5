"""Orders in which a search tries buffers: the search that is lucky with one is over in no time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import NamedTuple

from tinyml.transforms.buffers.packing.grid import Grid
from tinyml.transforms.buffers.packing.rectangles import Rectangle


class Features(NamedTuple):
    """Of a buffer: its size, its life in points and in sections; units that are alive then, at most and on average."""

    size: int
    points: int
    sections: int
    fullest: int
    mean: int


Order = Callable[[Features], tuple[int, ...]]
"""Larger comes first."""


def powers(*exponents: int) -> Order:
    """By a product of powers of the features."""

    def key(one: Features) -> tuple[int, ...]:
        return (prod(value**exponent for value, exponent in zip(one, exponents, strict=True)),)

    return key


ORDERS: dict[str, Order] = {
    "fullest, longest": lambda one: (one.fullest, one.points, one.size),
    "area in sections, where it is full": powers(1, 0, 1, 8, 2),
    "area, the longer the better": powers(1, 2, 1, 0, 0),
    "size, where it is full": powers(2, 1, 1, 8, 0),
    "size, where it is full all the time": powers(2, 1, 2, 8, 2),
    "longest, fullest": lambda one: (one.points, one.fullest, one.size),
}
"""MiniMalloc sorts by such features, too. Each of these is the fastest for one of its benchmarks."""


def features(rectangles: Sequence[Rectangle], grid: Grid) -> list[Features]:
    alive = [0] * grid.sections
    spans = [range(first, last + 1) for first, last in zip(grid.first, grid.last, strict=True)]
    for size, span in zip(grid.sizes, spans, strict=True):
        for x in span:
            alive[x] += size
    return [
        Features(
            size,
            one.last - one.first + 1,
            len(span),
            max(alive[x] for x in span),
            sum(alive[x] for x in span) // len(span),
        )
        for one, size, span in zip(rectangles, grid.sizes, spans, strict=True)
    ]


def drawn(seed: int) -> Order:
    """A product of powers, drawn by lot."""
    draw = Random(seed)
    return powers(*(draw.choice(some) for some in ((1, 2, 2), (0, 1, 2), (0, 1, 2), (0, 0, 2, 8), (0, 0, 2, 8))))


def shaken(order: Order, seed: int) -> Order:
    """Nearly the same order: each number up to a tenth larger or smaller, by lot."""
    draw = Random(seed)
    return lambda one: tuple(value * draw.randint(90, 110) for value in order(one))


def arranged(order: Order, of: Sequence[Features]) -> list[int]:
    """The numbers of the buffers in an order."""
    keys = [order(one) for one in of]
    return sorted(range(len(of)), key=keys.__getitem__, reverse=True)
