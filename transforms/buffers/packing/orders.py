"""Orders in which a search tries buffers; with a good one it ends at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import prod
from random import Random
from typing import NamedTuple

from tinyml.transforms.buffers.packing.grid import Grid
from tinyml.transforms.buffers.packing.rectangles import Rectangle


class Features(NamedTuple):
    """A buffer's size, live range in points and in sections, and the greatest and mean units alive in it."""

    size: int
    points: int
    sections: int
    fullest: int
    mean: int


Order = Callable[[Features], tuple[int, ...]]
"""The sort key of a buffer; larger ones come first."""


def powers(*exponents: int) -> Order:
    """Sort by a product of powers of the features."""

    def key(buffer: Features) -> tuple[int, ...]:
        return (prod(value**exponent for value, exponent in zip(buffer, exponents, strict=True)),)

    return key


ORDERS: dict[str, Order] = {
    "fullest, longest": lambda buffer: (buffer.fullest, buffer.points, buffer.size),
    "area in sections, where it is full": powers(1, 0, 1, 8, 2),
    "area, the longer the better": powers(1, 2, 1, 0, 0),
    "size, where it is full": powers(2, 1, 1, 8, 0),
    "size, where it is full all the time": powers(2, 1, 2, 8, 2),
    "longest, fullest": lambda buffer: (buffer.points, buffer.fullest, buffer.size),
}
"""Orders by features like MiniMalloc's. Each of them is the fastest for one of its benchmarks."""


def features(rectangles: Sequence[Rectangle], grid: Grid) -> list[Features]:
    sums = list(accumulate(grid.alive(), initial=0))
    return [
        Features(
            size,
            shape.last - shape.first + 1,
            last - first + 1,
            fullest,
            (sums[last + 1] - sums[first]) // (last - first + 1),
        )
        for shape, size, first, last, fullest in zip(
            rectangles, grid.sizes, grid.first, grid.last, grid.fullest(), strict=True
        )
    ]


def drawn(seed: int) -> Order:
    """A random product of powers."""
    draw = Random(seed)
    return powers(
        *(draw.choice(exponents) for exponents in ((1, 2, 2), (0, 1, 2), (0, 1, 2), (0, 0, 2, 8), (0, 0, 2, 8)))
    )


def shaken(order: Order, seed: int) -> Order:
    """The same order with each number changed at random by up to a tenth."""
    draw = Random(seed)
    return lambda buffer: tuple(value * draw.randint(90, 110) for value in order(buffer))


def arranged(order: Order, buffers: Sequence[Features]) -> list[int]:
    """The indices of buffers, sorted by an order."""
    keys = [order(buffer) for buffer in buffers]
    return sorted(range(len(buffers)), key=keys.__getitem__, reverse=True)
