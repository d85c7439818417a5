"""The order of rows and columns with the least peak, beside all orders of small convolutions and some of large ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from tinyml.dialects.tdsl.turns import herringbone, lead, single_transpose, turns, window_pixels
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Read
from tinyml.transforms.schedules.plans.least_turns import counted, placed
from tinyml.transforms.schedules.plans.pixel_orders import alive, order_of


def convolution(draw: random.Random, most: int) -> Graph:
    """A convolution with a result of up to most x most pixels, of any kernel, strides and padding."""
    kernel, strides = ((draw.randint(1, limit), draw.randint(1, limit)) for limit in (4, 3))
    before, after = ([draw.randrange(extent) for extent in kernel] for _ in range(2))
    result = draw.randint(1, most), draw.randint(1, most)
    height, width = (
        max(1, (result[side] - 1) * strides[side] + kernel[side] - before[side] - after[side]) for side in (0, 1)
    )
    bits = draw.choice([4, 8])
    tensors = {
        "x": Image(height, width, draw.randint(1, 6), bits),
        "y": Image(*result, draw.randint(1, 8), bits),
    }
    read = Read("x", kernel, strides, (before[0], before[1]))
    return Graph(tensors, ("x",), (Node("y", Kind.CONTRACTION, (read,)),), ("y",))


def every_order(height: int, width: int, number: int = 0) -> Iterator[list[int]]:
    """Yield the rows or columns of each turn of all orders."""
    if not height or not width:
        yield []
        return
    for count in range(0 if number == 0 else 1, height + 1):
        yield from ([count, *rest] for rest in every_order(width, height - count, number + 1))


def bits_of(graph: Graph, order: list[int]) -> int:
    """The bits of the buffer of image and result, by the windows of all turns."""
    image, result = graph.tensors["x"], graph.tensors["y"]
    [read] = graph.nodes[0].reads
    made = turns(order, image[:2], result[:2], read.strides, read.before)
    windows = np.concatenate([window_pixels(turn, read.kernel, read.strides) for turn in made])
    return max(lead(windows, image.channels * image.bits, result.channels * result.bits) + image.size, result.size)


def counted_bits(graph: Graph, order: list[int]) -> int:
    return alive(graph, 0, order_of(order, *graph.tensors["y"][:2]))


def test_no_order_takes_less():
    draw = random.Random(0)
    for _ in range(150):
        graph = convolution(draw, 4)
        orders = list(every_order(*graph.tensors["y"][:2]))
        for (bits, order), of in ((counted(graph, 0).least(), counted_bits), (placed_turns(graph), bits_of)):
            assert bits == of(graph, order) == min(of(graph, other) for other in orders), (graph, order)


def test_no_variant_takes_less():
    """Herringbone, single transpose and replacing, in rows and in columns, on 1,000 shapes."""
    draw = random.Random(1)
    for _ in range(1000):
        graph = convolution(draw, 14)
        height, width, *_ = graph.tensors["y"]
        others = [[height], [0, width], *(herringbone((height, width), rows_first) for rows_first in (True, False))]
        others.append(single_transpose((height, width), draw.randint(0, height)))
        if last := draw.randrange(width):
            others.append([0, width - last, height])
        for (bits, order), of in ((counted(graph, 0).least(), counted_bits), (placed_turns(graph), bits_of)):
            assert bits == of(graph, order) <= min(of(graph, other) for other in others), (graph, order)


def test_of_equal_orders_one_with_the_fewest_transpositions_is_taken():
    """A kernel of one pixel and equally large pixels: each order takes as much."""
    tensors = {name: Image(6, 5, 3) for name in "xy"}
    graph = Graph(tensors, ("x",), (Node("y", Kind.CONTRACTION, (Read("x"),)),), ("y",))
    assert placed_turns(graph)[1] == [6]


def placed_turns(graph: Graph) -> tuple[int, list[int]]:
    [read] = graph.nodes[0].reads
    return placed(read, graph.tensors["x"], graph.tensors["y"]).least()
