"""Packing problems with a solution of known height: guillotine cuts without slack, and variants."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from tinyml.transforms.buffers.packing import Rectangle

UNIT = 1024
"""Sizes are multiples of this many bytes."""


def guillotine(buffers: int, seed: int, points: int, units: int = 1024) -> list[Rectangle]:
    """Rectangles cut from one with `points` program points and a height of `units`, in random order.

    The rectangle to cut is drawn in proportion to its area, and cut in time or size with equal probability. By
    construction, a packing without gaps exists.
    """
    draw = Random(f"{buffers} {seed} {points}")
    shapes = [(0, points, 0, units)]
    while len(shapes) < buffers:
        areas = [(end - start) * (top - bottom) for start, end, bottom, top in shapes]
        [k] = draw.choices(range(len(shapes)), areas)
        start, end, bottom, top = shapes[k]
        if draw.random() < 0.5 and end - start > 1:
            cut = draw.randint(start + 1, end - 1)
            shapes[k : k + 1] = [(start, cut, bottom, top), (cut, end, bottom, top)]
        elif top - bottom > 1:
            cut = draw.randint(bottom + 1, top - 1)
            shapes[k : k + 1] = [(start, end, bottom, cut), (start, end, cut, top)]
    draw.shuffle(shapes)
    return [
        Rectangle(f"b{i}", (top - bottom) * UNIT, 1, start, end - 1)
        for i, (start, end, bottom, top) in enumerate(shapes)
    ]


def split_in_time(rectangles: Sequence[Rectangle], seed: int, share: float = 0.15) -> list[Rectangle]:
    """The buffers with a random `share` of them split in two, one of which is live after the other."""
    draw = Random(f"time {seed}")

    def halves(shape: Rectangle) -> Iterator[Rectangle]:
        cut = draw.randint(shape.first, shape.last - 1)
        yield replace(shape, name=f"{shape.name} before", last=cut)
        yield replace(shape, name=f"{shape.name} after", first=cut + 1)

    drawn = {*draw.sample(range(len(rectangles)), round(share * len(rectangles)))}
    cuts = [
        [*halves(shape)] if i in drawn and shape.first < shape.last else [shape] for i, shape in enumerate(rectangles)
    ]
    return [part for parts in cuts for part in parts]


def split_in_size(rectangles: Sequence[Rectangle], seed: int, share: float = 0.15) -> list[Rectangle]:
    """The buffers with a random `share` of them split in two that are live at the same time."""
    draw = Random(f"size {seed}")

    def halves(shape: Rectangle) -> Iterator[Rectangle]:
        size = UNIT * draw.randint(1, shape.size // UNIT - 1)
        yield replace(shape, name=f"{shape.name} low", size=size)
        yield replace(shape, name=f"{shape.name} high", size=shape.size - size)

    drawn = {*draw.sample(range(len(rectangles)), round(share * len(rectangles)))}
    cuts = [
        [*halves(shape)] if i in drawn and shape.size >= 2 * UNIT else [shape] for i, shape in enumerate(rectangles)
    ]
    return [part for parts in cuts for part in parts]


def reversed_in_time(rectangles: Sequence[Rectangle]) -> list[Rectangle]:
    return [replace(shape, first=-shape.last, last=-shape.first) for shape in rectangles]


def shuffled(rectangles: Sequence[Rectangle], seed: int) -> list[Rectangle]:
    """The same buffers in a random order."""
    return Random(f"order {seed}").sample(rectangles, len(rectangles))
