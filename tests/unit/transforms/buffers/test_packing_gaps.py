"""Packing of buffers with gaps and with pinned offsets, by every packer, both searches, the judges and the
validator.
"""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyml.transforms.buffers.packing import (
    MODES,
    Effort,
    Placement,
    Rectangle,
    branch_and_bound,
    find_peak,
    lower_bound,
    native,
    overlap_in_time,
    pack,
)
from tinyml.transforms.buffers.packing.bound_checks import Verdict, check_bound, check_bound_by_search, check_height
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.validator import complaints


def points(shape: Rectangle) -> set[int]:
    gaps = {point for first, last in shape.gaps for point in range(first, last + 1)}
    return {*range(shape.first, shape.last + 1)} - gaps


@st.composite
def problems(draw: st.DrawFn, most: int) -> list[Rectangle]:
    """Up to `most` random buffers, each with up to two gaps. Some buffers are pinned to their offsets in a valid
    packing, increased by a constant.
    """

    def one(index: int) -> Rectangle:
        first = draw(st.integers(0, 6))
        last = first + draw(st.integers(0, 6))
        edges = sorted(draw(st.sets(st.integers(first + 1, last), max_size=4))) if last > first else []
        pairs = zip(edges[::2], edges[1::2], strict=False)
        gaps = tuple((since, until - 1) for since, until in pairs)
        return Rectangle(
            f"r{index}", draw(st.integers(1, 12)), draw(st.sampled_from([1, 1, 2, 4])), first, last, (), gaps
        )

    shapes = [one(i) for i in range(draw(st.integers(1, most)))]
    offsets = pack(shapes, "first-fit").offsets
    above = 4 * draw(st.integers(0, 2))
    pinned = draw(st.sets(st.integers(0, len(shapes) - 1), max_size=3))
    return [replace(shape, pinned=offsets[i] + above) if i in pinned else shape for i, shape in enumerate(shapes)]


def least_height(shapes: list[Rectangle]) -> int:
    """The least height over all offsets, by exhaustive search: one buffer is placed after another."""
    ordered = sorted(shapes, key=lambda shape: (shape.pinned is None, shape.first))
    best = sum(shape.size + shape.alignment for shape in shapes) + max(shape.pinned or 0 for shape in shapes)

    def place(placed: list[tuple[Rectangle, int]], height: int) -> None:
        nonlocal best
        if height >= best:
            return
        if len(placed) == len(ordered):
            best = height
            return
        shape = ordered[len(placed)]
        taken = [(at, at + other.size) for other, at in placed if points(shape) & points(other)]
        offsets = range(0, best - shape.size, shape.alignment) if shape.pinned is None else [shape.pinned]
        for start in offsets:
            if all(start + shape.size <= low or high <= start for low, high in taken):
                place([*placed, (shape, start)], max(height, start + shape.size))

    place([], 0)
    return best


@given(problems(most=15), st.sampled_from(sorted(MODES)), st.sampled_from([1, 1, 4]), st.booleans())
def test_every_mode_honours_gaps_and_fixed_offsets(shapes: list[Rectangle], mode: str, coarsen: int, timed: bool):
    effort = Effort(nodes=300, seconds=60) if timed else Effort(nodes=300)
    placement = pack(shapes, mode, effort, coarsen)
    assert not list(complaints(shapes, placement, patience=500))
    assert lower_bound(shapes) <= placement.lower_bound
    assert all(shape.pinned in (None, offset) for shape, offset in zip(shapes, placement.offsets, strict=True))


@pytest.mark.long
@settings(max_examples=60)
@given(problems(most=6))
def test_exact_modes_find_the_least_height_and_the_judges_agree(shapes: list[Rectangle]):
    least = least_height(shapes)
    for mode in ("auto", "exact-cover", "branch-and-bound"):
        placement = pack(shapes, mode)
        assert (placement.height, placement.optimal) == (least, True)
    assert check_bound(shapes, least).verdict is check_bound_by_search(shapes, least).verdict is Verdict.AGREED
    assert check_bound(shapes, least + 1).verdict is check_bound_by_search(shapes, least + 1).verdict is Verdict.REFUTED
    assert check_height(shapes, least).verdict is Verdict.AGREED


@given(problems(most=12))
def test_the_need_is_that_of_the_fullest_point_and_of_the_highest_fixed_end(shapes: list[Rectangle]):
    plain = [replace(shape, alignment=1) for shape in shapes]
    alive = {point: sum(shape.size for shape in shapes if point in points(shape)) for point in range(20)}
    ends = [shape.pinned + shape.size for shape in shapes if shape.pinned is not None]
    assert lower_bound(plain) == max(*alive.values(), *ends)
    peak = find_peak(shapes)
    assert {*peak.alive} == {i for i, shape in enumerate(shapes) if peak.point in points(shape)}


@given(problems(most=8))
def test_two_buffers_meet_if_they_have_a_common_point(shapes: list[Rectangle]):
    grid = to_grid(shapes)
    for i, a in enumerate(shapes):
        for k, b in enumerate(shapes):
            shared = bool(points(a) & points(b))
            assert overlap_in_time(a, b) is grid.meet(i, k) is bool({*grid.span(i)} & {*grid.span(k)}) is shared


@pytest.mark.skipif(native.library() is None, reason="no C compiler")
@given(problems(most=20), st.integers(0, 10_000), st.integers(0, 400))
def test_the_core_searches_as_python_does(shapes: list[Rectangle], seed: int, nodes: int):
    grid = to_grid(shapes)
    grid = grid.in_order(Random(seed).sample(range(len(shapes)), len(shapes)))
    core = native.library()
    assert core is not None
    for height in (max(grid.alive()), max(grid.alive()) + 2):
        found = branch_and_bound.search(grid, height, nodes, lambda: False)
        assert native.search(core, grid, height, nodes, 60) == found


def test_a_buffer_lives_in_the_gap_of_another_one():
    shapes = [Rectangle("outer", 6, 1, 0, 19, gaps=((5, 11),)), Rectangle("inner", 9, 1, 5, 11)]
    assert pack(shapes) == Placement((0, 0), 9, 9)
    longer = [shapes[0], replace(shapes[1], last=12)]
    assert pack(longer).height == 15


def test_a_fixed_offset_stays_where_pushing_down_would_move_it():
    shapes = [Rectangle("a", 6, 1, 0, 3, pinned=2), Rectangle("b", 2, 1, 0, 3), Rectangle("c", 3, 1, 0, 3)]
    assert pack(shapes).offsets == (2, 0, 8)
    assert pack([replace(shapes[0], pinned=3), *shapes[1:]]).height == 11
    assert pack([replace(shapes[0], pinned=5), *shapes[1:]]).offsets[0] == 5


@pytest.mark.parametrize(
    ("offsets", "said"),
    [
        ((0, 0), []),
        ((0, 1), []),
        ((1, 0), ["outer lies at byte 1, not at its pinned offset 0"]),
    ],
)
def test_the_validator_knows_gaps_and_fixed_offsets(offsets: tuple[int, int], said: list[str]):
    shapes = [Rectangle("outer", 6, 1, 0, 9, gaps=((5, 6),), pinned=0), Rectangle("inner", 6, 1, 5, 6)]
    height = max(offsets) + 6
    assert list(complaints(shapes, Placement(offsets, height, 6))) == said
    late = [shapes[0], replace(shapes[1], last=7)]
    shared = "share bytes 1 to 5 at point 7" if any(offsets) else "share bytes 0 to 5 at point 7"
    assert any(one.endswith(shared) for one in complaints(late, Placement(offsets, height, 6)))


@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("coarsen", [1, 4])
def test_an_empty_buffer_has_its_fixed_offset_and_no_height(mode: str, coarsen: int):
    empty = Rectangle("empty", 0, 1, 0, 3, pinned=8)
    assert pack([empty], mode, coarsen=coarsen) == Placement((8,), 0, 0)
    placement = pack([empty, Rectangle("other", 4, 1, 0, 3)], mode, coarsen=coarsen)
    assert (placement.offsets, placement.height, placement.lower_bound) == ((8, 0), 4, 4)
    assert not list(complaints([empty, Rectangle("other", 4, 1, 0, 3)], placement))
