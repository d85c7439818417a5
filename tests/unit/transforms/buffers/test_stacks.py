"""Results of a loop nest stacked below an operand: no byte of the operand is overwritten before its last use."""

from hypothesis import event, given
from hypothesis import strategies as st

from tinyml.transforms.buffers.overlap.overlaps import Distances, stacked, with_overlaps
from tinyml.transforms.buffers.packing import Rectangle, lower_bound, overlap_in_time, pack


@st.composite
def nests(draw: st.DrawFn) -> tuple[list[Rectangle], Distances]:
    """Random operands that a nest from point 2 to 5 reads for the last time, its results, and buffers that it does not
    access.
    """
    rectangles: list[Rectangle] = []
    distances: list[dict[int, int]] = []

    def add(first: int, last: int, most: int = 10) -> int:
        size = draw(st.integers(1, most))
        rectangles.append(Rectangle(f"r{len(rectangles)}", size, draw(st.sampled_from([1, 1, 2, 4])), first, last))
        distances.append({})
        return len(rectangles) - 1

    operands = [add(draw(st.integers(-1, 1)), draw(st.integers(2, 5)), 40) for _ in range(draw(st.integers(1, 2)))]
    for _ in range(draw(st.integers(2, 5))):
        result = add(2, draw(st.sampled_from([5, 5, 5, 6])))
        for operand in operands:
            size = rectangles[operand].size
            distances[result][operand] = draw(st.integers(-size, rectangles[result].size - 1))
    for _ in range(draw(st.integers(0, 2))):
        first = draw(st.integers(0, 5))
        add(first, draw(st.integers(first, 6)))
    return rectangles, distances


@given(nests())
def test_parts_keep_the_distance_of_each(problem: tuple[list[Rectangle], Distances]):
    shapes, distances = problem
    rectangles = with_overlaps(shapes, distances)
    with_stacks = stacked(rectangles, distances)
    event("stacks" if with_stacks else "no stack")
    if with_stacks is None:
        return
    apart = pack(rectangles, "first-fit")
    placement = with_stacks.lower(apart, pack(with_stacks.rectangles, "first-fit"))
    assert placement.height <= apart.height
    assert placement.lower_bound == lower_bound(rectangles) <= placement.height
    for i, shape in enumerate(shapes):
        assert placement.offsets[i] % shape.alignment == 0
        for k in range(i):
            if overlap_in_time(shape, shapes[k]):
                above = placement.offsets[i] - placement.offsets[k]
                needed = distances[k].get(i, shapes[k].size), distances[i].get(k, shape.size)
                assert above >= needed[0] or -above >= needed[1]


def test_what_is_written_last_reaches_into_the_operand():
    """Two results of 8 bytes are stacked below an operand of 16 bytes. The second one overlaps the operand by 4 bytes,
    since it is not written before half of the operand has been read. The height is 20 instead of 24.
    """
    shapes = [
        Rectangle(name, size, 1, first, 5) for name, size, first in (("x", 16, 0), ("early", 8, 2), ("late", 8, 2))
    ]
    distances = [{}, {0: 4}, {0: -4}]
    rectangles = with_overlaps(shapes, distances)
    problem = stacked(rectangles, distances)
    assert problem is not None
    placement = problem.lower(pack(rectangles), pack(problem.rectangles))
    assert (pack(rectangles).height, placement.height) == (24, 20)
    assert placement.offsets == (4, 0, 8)
