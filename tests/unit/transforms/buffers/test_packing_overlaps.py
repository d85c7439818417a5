"""Packing in which a result may overlap its operand if the operand begins at least a given distance above the start of
the result. The placements of every mode are valid, and those of exact modes are compared with exhaustive search.
"""

from itertools import product
from math import inf
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyml.transforms.buffers.packing import MODES, Effort, Overlap, Placement, Rectangle, lower_bound, native, pack
from tinyml.transforms.buffers.packing import branch_and_bound as python
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.minimise import merge_buffers
from tinyml.transforms.buffers.packing.sweep import sweep
from tinyml.transforms.buffers.packing.validator import complaints


@st.composite
def problems(draw: st.DrawFn, most: int, largest: int = 12) -> list[Rectangle]:
    """Up to `most` random buffers of up to `largest` bytes that are live at few points. Some of them are results that
    may overlap earlier buffers.
    """
    made: list[Rectangle] = []
    for i in range(draw(st.integers(1, most))):
        first, size = draw(st.integers(0, 5)), draw(st.integers(0, largest))
        last = first + draw(st.integers(0, 3))
        alive = [k for k, shape in enumerate(made) if shape.first <= last and first <= shape.last]
        operands = draw(st.lists(st.sampled_from(alive), max_size=2, unique=True)) if alive else []
        overlaps = tuple(Overlap(k, draw(st.integers(0, size))) for k in operands)
        made.append(Rectangle(f"r{i}", size, draw(st.sampled_from([1, 1, 2, 4])), first, last, overlaps))
    return made


def least_height(shapes: list[Rectangle]) -> int:
    """The least height by exhaustive search over all offsets below the sum of the sizes, for overlaps by their
    definition.
    """

    def fits(a: int, b: int, offsets: dict[int, int]) -> bool:
        first, second = shapes[a], shapes[b]
        if first.last < second.first or second.last < first.first:
            return True
        distance = {a: dict(first.overlaps).get(b, first.size), b: dict(second.overlaps).get(a, second.size)}
        return offsets[b] - offsets[a] >= distance[a] or offsets[a] - offsets[b] >= distance[b]

    best = sum(shape.size + shape.alignment for shape in shapes)

    def place(offsets: dict[int, int], height: int) -> None:
        nonlocal best
        b = len(offsets)
        if b == len(shapes):
            best = min(best, height)
            return
        for start in range(0, best - shapes[b].size, shapes[b].alignment):
            offsets[b] = start
            if max(height, start + shapes[b].size) < best and all(fits(a, b, offsets) for a in range(b)):
                place(offsets, max(height, start + shapes[b].size))
            del offsets[b]

    place({}, 0)
    return best


@pytest.mark.long
@settings(max_examples=60)
@given(problems(most=20), st.sampled_from(sorted(MODES)), st.sampled_from([1, 1, 4]))
def test_every_mode_keeps_the_distances(shapes: list[Rectangle], mode: str, coarsen: int):
    placement = pack(shapes, mode, Effort(nodes=300), coarsen)
    assert not list(complaints(shapes, placement, patience=500))
    assert lower_bound(shapes) <= placement.lower_bound <= placement.height


@settings(max_examples=60)
@given(problems(most=4, largest=6))
def test_exact_modes_find_the_least_height(shapes: list[Rectangle]):
    least = least_height(shapes)
    for mode in ("auto", "exact-cover", "branch-and-bound"):
        placement = pack(shapes, mode)
        assert placement.optimal
        assert placement.height == least
    assert lower_bound(shapes) <= least


@pytest.mark.skipif(native.library() is None, reason="no C compiler")
@given(problems(most=20), st.integers(0, 10_000), st.integers(0, 400))
def test_the_core_searches_as_python_does(shapes: list[Rectangle], seed: int, nodes: int):
    grid = to_grid([shape for shape in shapes if not shape.overlaps and shape.size] or [Rectangle("", 1, 1, 0, 0)])
    if all(shape.size for shape in shapes):
        grid = to_grid(shapes)
    order = grid.results_first(Random(seed).sample(range(len(grid.sizes)), len(grid.sizes)))
    core = native.library()
    assert core is not None
    bound = -(-lower_bound(shapes) // grid.unit)
    for capacity, ordered in product((bound, bound + 1, bound + 5), (grid, grid.in_order(order))):
        expected = python.search(ordered, capacity, nodes, lambda: False)
        assert native.search(core, ordered, capacity, nodes, inf) == expected


@given(problems(most=20))
def test_the_sweep_uses_overlaps_where_the_bytes_are_free(shapes: list[Rectangle]):
    shapes = [Rectangle(s.name, s.size + 1, s.alignment, s.first, s.last, s.overlaps) for s in shapes]
    effort = Effort()
    effort.start(shapes)
    assert not list(complaints(shapes, sweep(shapes, effort), patience=0))


def test_results_slide_along_their_operands():
    """In a chain of four tensors of 10 bytes, each result may begin 2 bytes below its operand. Packers that use
    overlaps need 16 bytes.
    """
    layers = [Rectangle(f"t{i}", 10, 1, i, i + 1, (Overlap(i - 1, 2),) if i else ()) for i in range(4)]
    for mode in MODES:
        placement = pack(layers, mode)
        assert placement.height == {"shiftry": 20, "none": 40}.get(mode, 16)
        assert mode not in ("auto", "branch-and-bound") or placement.optimal


def test_a_result_takes_the_bytes_of_two_operands():
    parts = [Rectangle("a", 4, 1, 0, 2), Rectangle("b", 4, 1, 1, 2)]
    whole = Rectangle("sum", 8, 1, 2, 3, (Overlap(0, 0), Overlap(1, 0)))
    for mode in ("auto", "exact-cover", "branch-and-bound", "best-fit"):
        assert pack([*parts, whole], mode).height == 8


def test_buffers_with_overlaps_are_not_merged():
    shapes = [Rectangle("a", 4, 1, 0, 1), Rectangle("b", 4, 1, 1, 2, (Overlap(0, 1),)), Rectangle("c", 4, 1, 0, 1)]
    assert len(merge_buffers(to_grid(shapes), 0)) == 3


def test_overlaps_that_come_too_close_are_told():
    shapes = [Rectangle("a", 4, 1, 0, 1), Rectangle("b", 4, 1, 1, 2, (Overlap(0, 2),)), Rectangle("c", 2, 1, 1, 1)]
    assert not [*complaints(shapes, Placement((2, 0, 6), 8, 6))]
    assert [*complaints(shapes, Placement((1, 0, 6), 8, 6))] == ["b and a share bytes 1 to 3 at point 1"]
    assert [*complaints(shapes, Placement((2, 0, 5), 7, 6))] == ["c and a share bytes 5 to 5 at point 1"]
