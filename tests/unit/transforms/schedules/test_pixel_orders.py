"""Gural and Murmann's lemmas, claims and equations, checked for all sets of pixels and all orders of small
convolutions.

While a result pixel is computed, memory contains all results up to this pixel, and all pixels of the image on which
this pixel or a later one depends. The peak of an order of pixels is the greatest such number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import pytest

from tinyml.dialects.tdsl.convolution import herringbone, single_transpose
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Read
from tinyml.transforms.schedules.plans.least_turns import counted
from tinyml.transforms.schedules.plans.pixel_orders import alive, order_of

Pixel = tuple[int, int]


def dependencies(pixels: Sequence[Pixel], kernel: int) -> int:
    """|B(S)|: the number of pixels of the image on which the results at `pixels` depend.

    kernel: the height and width of a window.
    """
    return len({(y + i, x + j) for y, x in pixels for i in range(kernel) for j in range(kernel)})


def least_dependencies(count: int, kernel: int, extent: int) -> tuple[int, list[tuple[Pixel, ...]]]:
    """The least |B(S)| of all sets of `count` pixels among extent x extent, and the sets that attain it."""
    pixels = [(y, x) for y in range(extent) for x in range(extent)]
    sizes = {chosen: dependencies(chosen, kernel) for chosen in combinations(pixels, count)}
    least = min(sizes.values())
    return least, [chosen for chosen, size in sizes.items() if size == least]


@pytest.mark.parametrize(("side", "kernel", "expected"), [(1, 3, 12), (2, 3, 19), (1, 5, 30), (2, 5, 41)])
def test_lemma_3_1(side: int, kernel: int, expected: int):
    """Gural and Murmann's lemma 3.1: n^2 + 1 pixels depend on at least (n + k - 1)^2 + k pixels, and some sets attain
    this number.
    """
    least, _ = least_dependencies(side**2 + 1, kernel, 4)
    assert least == expected == (side + kernel - 1) ** 2 + kernel


@pytest.mark.parametrize("count", range(1, 6 + 1))
def test_lemma_a_1(count: int):
    """Gural and Murmann's lemma A.1: some of the sets of `count` pixels with the least dependencies are connected and
    orthogonally convex.
    """
    _, sets = least_dependencies(count, 3, 4)
    assert any(is_convex(pixels) and is_connected(pixels) for pixels in sets)


def is_convex(pixels: Sequence[Pixel]) -> bool:
    """Whether the pixels of each row and of each column are adjacent."""
    lines = [[a for a, b in pixels if b == line] for line in range(4)]
    lines += [[b for a, b in pixels if a == line] for line in range(4)]
    return all(not line or max(line) - min(line) + 1 == len(line) for line in lines)


def is_connected(pixels: Sequence[Pixel]) -> bool:
    reached, left = {pixels[0]}, set(pixels[1:])
    while near := {p for p in left if any(abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1 for q in reached)}:
        reached |= near
        left -= near
    return not left


@pytest.mark.parametrize("kernel", [3, 5])
def test_corner_pixels_of_figure_4(kernel: int):
    """In Gural and Murmann's figure 4, a corner pixel of a set has neighbours in the set below it and to its right, and
    no other pixel of the set above and to the left. Without the corner pixel, the set depends on one pixel less.
    """
    pixels = [(y, x) for y in range(3) for x in range(4)]
    found = 0
    for count in range(3, 13):
        for chosen in combinations(pixels, count):
            for y, x in chosen:
                further = [(b, a) for b, a in chosen if b <= y and a <= x]
                if (y + 1, x) in chosen and (y, x + 1) in chosen and further == [(y, x)]:
                    without = [pixel for pixel in chosen if pixel != (y, x)]
                    assert dependencies(without, kernel) == dependencies(chosen, kernel) - 1
                    found += 1
    assert found


def convolution(height: int, width: int, before: int, after: int, kernel: int, across: int | None = None) -> Graph:
    """A convolution with a result of height x width pixels.

    before, after: the numbers of channels of image and result.
    kernel: the height of the kernel.
    across: the width of the kernel; by default its height.

    Elements are bits, so that sizes are numbers of elements.
    """
    across = across or kernel
    image = Image(height + kernel - 1, width + across - 1, before, 1)
    read = Read("x", (kernel, across))
    tensors = {"x": image, "y": Image(height, width, after, 1)}
    return Graph(tensors, ("x",), (Node("y", Kind.CONTRACTION, (read,)),), ("y",))


def least_of_all_orders(height: int, width: int, before: int, after: int, kernel: int) -> int:
    """The least peak of all orders of pixels, by dynamic programming: the best order of a set of pixels extends the
    best order of a smaller set.
    """
    count = height * width
    dependents = [
        sum(
            1 << (y * width + x)
            for y in range(max(0, i - kernel + 1), min(height, i + 1))
            for x in range(max(0, j - kernel + 1), min(width, j + 1))
        )
        for i in range(height + kernel - 1)
        for j in range(width + kernel - 1)
    ]
    least = [0] + [10**6] * ((1 << count) - 1)
    for computed, peak in enumerate(least):
        kept = before * sum(1 for results in dependents if results & ~computed)
        peak = max(peak, (computed.bit_count() + 1) * after + kept)
        for pixel in range(count):
            extended = computed | 1 << pixel
            if extended != computed:
                least[extended] = min(least[extended], peak)
    return least[-1]


SMALL = (
    (3, 3, 1, 2, 3), (3, 3, 1, 3, 3), (3, 3, 2, 3, 3), (4, 3, 1, 3, 3), (4, 3, 2, 5, 3), (4, 3, 1, 2, 5),
    (3, 3, 2, 5, 5), (3, 3, 2, 2, 3), (4, 3, 3, 2, 3), (3, 3, 3, 1, 5),
)  # fmt: skip
"""Height and width of results, channels before and after, and extent of the kernel."""


@pytest.mark.parametrize("shape", SMALL)
def test_no_order_of_pixels_takes_less(shape: tuple[int, int, int, int, int]):
    """No order of pixels has a lower peak than the best order of whole rows and columns: herringbone (Gural and
    Murmann's claims 1 and 2) and `optimal-turns` attain the least peak.
    """
    graph, result = convolution(*shape), shape[:2]
    turned = min(alive(graph, 0, order_of(herringbone(result, rows_first), *result)) for rows_first in (True, False))
    assert least_of_all_orders(*shape) == turned == counted(graph, 0).least()[0]


@pytest.mark.parametrize("shape", [shape for shape in SMALL if shape[3] <= shape[2]])
def test_claim_1(shape: tuple[int, int, int, int, int]):
    """Gural and Murmann's claim 1: if channels do not increase, an order by rows has the least peak of all orders,
    which is the image and one pixel of the result.
    """
    height, width, _, after, _ = shape
    graph = convolution(*shape)
    in_rows = alive(graph, 0, order_of([height], height, width))
    assert in_rows == graph.size("x") + after == least_of_all_orders(*shape)


def peaks(side: int, before: int, after: int) -> tuple[int, int, int]:
    """The maximum number of live elements by replacing, by herringbone and by a single transpose, for a 3 x 3
    convolution with a result of side x side pixels.

    before, after: the numbers of channels of image and result.
    """
    graph = convolution(side, side, before, after, 3)

    def least(orders: Iterator[list[int]]) -> int:
        return min(alive(graph, 0, order_of(order, side, side)) for order in orders)

    rows = iter([[side]])
    herringbones = (herringbone((side, side), rows_first) for rows_first in (True, False))
    transposed = (single_transpose((side, side), last) for last in range(side + 1))
    return least(rows), least(herringbones), least(transposed)


def equations(side: int, before: int, after: int) -> tuple[int, int, int]:
    """The numbers of live elements by equations (1), (2) and (3) for a 3 x 3 convolution with a result of side x side
    pixels.

    before, after: the numbers of channels of image and result.
    """
    image, paid, debt = (side + 2) ** 2 * before, 2 * before, after - before
    critical, rest = paid // debt, paid % debt
    replaced = image + side * (side * debt - paid) + 3 * before
    herringbone = image + (side**2 - critical**2) * after - ((side + 2) ** 2 - (critical + 2) ** 2 - 3) * before
    return replaced, herringbone, herringbone + min(side * rest, paid) - critical * rest


SECOND, THIRD = (10, 5, 8), (8, 8, 11)
"""Layers of the network of section 5: 12 x 12 x 5 to 10 x 10 x 8, and 10 x 10 x 8 to 8 x 8 x 11."""


def test_equations_of_sections_3_4():
    """For Gural and Murmann's published layers, equations (1) to (3) yield 935, 868, 875 and 888, 845, 848 elements. By
    counting, replacing, herringbone and a single transpose need 915, 869, 873 and 880, 846, 848.

    By equation (2), a square of results of side x* = floor(2 f_in / (f_out - f_in)) remains at the peak. The debts D(x)
    of the last 2, 4, 6 ... results come in pairs, so that x* by x* + 1 results remain. If D(x*) is not 0, herringbone
    therefore needs more than the equation states: 869 elements for the second layer, the 434.5 bytes of figure 1.
    """
    assert equations(*SECOND) == (935, 868, 875)
    assert equations(*THIRD) == (888, 845, 848)
    assert peaks(*SECOND) == (915, 869, 873)
    assert peaks(*THIRD) == (880, 846, 848)
    for side, before, after in (SECOND, THIRD):
        critical = 2 * before // (after - before)
        left = critical * (critical + 1)
        kept = (critical + 2) * (critical + 3) + 3
        assert peaks(side, before, after)[1] == (side**2 - left) * after + kept * before
        assert counted(convolution(side, side, before, after, 3), 0).least()[0] == peaks(side, before, after)[1]


def test_equation_2_takes_too_little():
    """For 4 x 3 results and 2 to 5 channels, Gural and Murmann's equation (2) yields 79 elements, but the best of all
    orders of pixels takes 80.
    """
    height, width, before, after, kernel = shape = 4, 3, 2, 5, 3
    critical = (kernel - 1) * before // (after - before)
    image = (height + kernel - 1) * (width + kernel - 1)
    debt = (height * width - critical**2) * after - (image - (critical + kernel - 1) ** 2 - kernel) * before
    assert (image * before + debt, least_of_all_orders(*shape)) == (79, 80)


def with_rows_left(graph: Graph, last: int) -> int:
    """The peak of the single transpose that computes the last `last` rows column by column."""
    height, width, *_ = graph.tensors["y"]
    return alive(graph, 0, order_of(single_transpose((height, width), last), height, width))


def test_the_row_of_equation_4():
    """For the published second layer, Gural and Murmann's equation (4) transposes the image when 3 rows are left, which
    takes the 875 elements of equation (3). With 4 rows left, 873 are alive, the least of all rows.
    """
    graph = convolution(*SECOND[:1], *SECOND, 3)
    found = [with_rows_left(graph, last) for last in range(10 + 1)]
    assert (found[3], found[4], min(found)) == (875, 873, 873)


@pytest.mark.parametrize(("before", "after", "expected", "best", "least"), [(4, 7, 731, 3, 731), (5, 8, 849, 4, 843)])
def test_the_row_of_equation_20(before: int, after: int, expected: int, best: int, least: int):
    """The row of Gural and Murmann's equation (20) for kernels of height 3 and width 2, and results of 10 x 10 pixels.

    From 4 to 7 channels, the equation leaves 3 rows, and no other row needs less: 731 elements. From 5 to 8 channels,
    it also leaves 3 rows, which take 849 elements. With 4 rows left, 843 are alive, the least of all rows.
    """
    graph = convolution(10, 10, before, after, 3, 2)
    rest = 2 * before % (after - before)
    rows = 2 * before // (after - before) + (10 * rest > 2 * before)
    found = [with_rows_left(graph, last) for last in range(10 + 1)]
    assert (rows, found[rows], found[best], min(found)) == (3, expected, least, least)


def test_a_single_transpose_is_optimal_by_equation_15():
    """By Gural and Murmann's equation (15), a single transpose takes as little as herringbone in each of three cases:
    w_out = r, (k - 1) f_in = r alpha, or alpha = 0.

    r and alpha are the quotient and the remainder of (k - 1) f_in and f_out - f_in. The test counts live elements for
    kernels of 3 and 5, images of up to 8 channels, results of up to 16, and squares of 4, 6, 8 and 10 pixels.
    """
    cases = 0
    for kernel, before in product((3, 5), range(1, 8 + 1)):
        for after, side in product(range(before + 1, 16 + 1), (4, 6, 8, 10)):
            paid, debt = (kernel - 1) * before, after - before
            rows, rest = paid // debt, paid % debt
            if rows <= side and (side == rows or paid == rows * rest or rest == 0):
                graph = convolution(side, side, before, after, kernel)
                turned = min(
                    alive(graph, 0, order_of(herringbone((side, side), first), side, side)) for first in (True, False)
                )
                assert min(with_rows_left(graph, last) for last in range(side + 1)) == turned
                cases += 1
    assert cases == 191


@pytest.mark.parametrize("shape", [(8, 8, 1, 3, 3), (6, 9, 2, 5, 3), (7, 7, 3, 7, 5)])
def test_padding_takes_less_than_the_bound_of_appendix_c_2(shape: tuple[int, int, int, int, int]):
    """A padded convolution has a lower peak than the bound of Gural and Murmann's appendix C.2, which assumes that the
    padding is in memory.
    """
    height, width, before, after, kernel = shape
    padded = convolution(height, width, before, after, kernel)
    edge = kernel // 2
    read = Read("x", (kernel, kernel), (1, 1), (edge, edge))
    image = Image(height, width, before, 1)
    graph = Graph({"x": image, "y": padded.tensors["y"]}, ("x",), (Node("y", Kind.CONTRACTION, (read,)),), ("y",))
    assert counted(graph, 0).least()[0] < counted(padded, 0).least()[0]
