"""The order of rows and columns with the least peak, compared with all orders for small convolutions, and with some
orders for large ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from tinyml.dialects.tdsl.convolution import herringbone, lead, single_transpose, turns, window_pixels
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Read
from tinyml.transforms.schedules.plans.least_turns import counted, placed
from tinyml.transforms.schedules.plans.pixel_orders import alive, order_of


def convolution(draw: random.Random, most: int) -> Graph:
    """A convolution with a result of up to `most` x `most` pixels, of any kernel, strides and padding."""
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
    """Yield all orders of turns for a result of height x width. An order is a list whose entries are numbers of rows
    and numbers of columns in turn.

    number: the number of entries before; only the first entry of an order may be 0.
    """
    if not height or not width:
        yield []
        return
    for count in range(0 if number == 0 else 1, height + 1):
        yield from ([count, *rest] for rest in every_order(width, height - count, number + 1))


def bits_of(graph: Graph, order: list[int]) -> int:
    """The bits of the buffer for image and result, computed from the windows of all turns."""
    image, result = graph.tensors["x"], graph.tensors["y"]
    [read] = graph.nodes[0].reads
    made = turns(order, image[:2], result[:2], read.strides, read.before)
    windows = np.concatenate([window_pixels(turn, read.kernel, read.strides) for turn in made])
    return max(lead(windows, image.channels * image.bits, result.channels * result.bits) + image.size, result.size)


def counted_bits(graph: Graph, order: list[int]) -> int:
    return alive(graph, 0, order_of(order, *graph.tensors["y"][:2]))


@pytest.mark.long
def test_no_order_takes_less():
    draw = random.Random(0)
    for _ in range(150):
        graph = convolution(draw, 4)
        orders = list(every_order(*graph.tensors["y"][:2]))
        for (bits, order), of in ((counted(graph, 0).least(), counted_bits), (placed_turns(graph), bits_of)):
            assert bits == of(graph, order) == min(of(graph, other) for other in orders), (graph, order)


@pytest.mark.long
def test_no_variant_takes_less():
    """The least peak is at most that of herringbone, single transpose and replacing, by rows and by columns, for 1,000
    shapes.
    """
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


def alternating(result: tuple[int, int], first: list[int], along_rows: bool) -> list[int]:
    """An order that begins with the turns in `first`, and then computes one row and one column in turn.

    result: the height and width of the result.
    along_rows: whether a row comes first after `first`.
    """
    (height, width), order = result, [*first]
    height, width = height - sum(first[::2]), width - sum(first[1::2])
    while height and width:
        if along_rows == (len(order) % 2 == 0):
            order.append(0)
        order[-1] += 1
        height, width = (height - 1, width) if along_rows else (height, width - 1)
        along_rows = not along_rows
    return order


def test_published_orders_of_a_kernel_that_is_not_square():
    """For a convolution from 20x20x4 to 14x20x8 with a kernel of height 7 and width 1, the order with the least peak
    begins with 12 columns and needs 2,268 bytes. Herringbone needs 2,292.

    With (k_h - k_w) f_in / (f_out - f_in) = 6, columns of length n add the same debt as rows of length n + 6 by Gural
    and Murmann's equation 16: from 14 rows of 20 pixels on, 12 columns come first.

    The paper states other orders. Appendix C.1.1 begins with 6 rows, which needs 2,508 bytes, or 2,528 if another row
    comes next. If section 3.4.2 is applied to the remaining 8 rows of 20 pixels, 20 - 8 + 1 = 13 columns come next,
    which needs 2,284 bytes, or 2,292 if a row follows. Appendix C.3, whose equation 23 has the other sign for strides
    of 1, begins with 6 columns, which needs 2,292 bytes. By the debts of its equations 21 and 22, rows and columns
    alternate from the beginning, which needs 2,388 bytes.
    """
    tensors = {"x": Image(20, 20, 4), "y": Image(14, 20, 8)}
    graph = Graph(tensors, ("x",), (Node("y", Kind.CONTRACTION, (Read("x", (7, 1)),)),), ("y",))
    result = 14, 20

    def least(first: list[int]) -> int:
        return min(counted_bits(graph, alternating(result, first, along)) for along in (True, False)) // 8

    assert min(counted_bits(graph, herringbone(result, rows_first)) for rows_first in (True, False)) == 8 * 2292
    assert (counted_bits(graph, [14]), counted(graph, 0).least()[0]) == (8 * 2648, 8 * 2268)
    assert [least(first) for first in ([0, 12], [0, 6], [0], [6])] == [2268, 2292, 2388, 2508]
    assert counted_bits(graph, alternating(result, [6], True)) == 8 * 2528
    assert [counted_bits(graph, alternating(result, [6, 13], along)) // 8 for along in (True, False)] == [2292, 2284]


def test_of_equal_orders_one_with_the_fewest_transpositions_is_taken():
    """If the kernel is one pixel and pixels of image and result have equal size, all orders need the same memory. The
    one with the fewest transpositions is chosen.
    """
    tensors = {name: Image(6, 5, 3) for name in "xy"}
    graph = Graph(tensors, ("x",), (Node("y", Kind.CONTRACTION, (Read("x"),)),), ("y",))
    assert placed_turns(graph)[1] == [6]


def placed_turns(graph: Graph) -> tuple[int, list[int]]:
    [read] = graph.nodes[0].reads
    return placed(read, graph.tensors["x"], graph.tensors["y"]).least()
