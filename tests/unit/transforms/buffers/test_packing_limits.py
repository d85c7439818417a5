"""Packing within limits on time, integers and memory. Some problems have no free bytes, and searches that place buffers
in order cannot solve them.
"""

from math import inf
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured.solved_packings import guillotine, reversed_in_time, split_in_size, split_in_time
from programs.spread import examples

from tinyml.transforms.buffers.packing import MODES, Effort, Rectangle, find_peak, lower_bound, native, pack
from tinyml.transforms.buffers.packing.effort import OutOfTime
from tinyml.transforms.buffers.packing.greedy import best_fit, first_fit
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.minimise import merge_buffers
from tinyml.transforms.buffers.packing.peak import MAX_ALIGNMENTS
from tinyml.transforms.buffers.packing.rectangles import placement_at
from tinyml.transforms.buffers.packing.sweep import sweep
from tinyml.transforms.buffers.packing.validator import complaints


@st.composite
def problems(draw: st.DrawFn) -> list[Rectangle]:
    """Random problems without free bytes, some with a few additional buffers."""
    cut = guillotine(draw(st.integers(1, 30)), draw(st.integers(0, 10_000)), draw(st.integers(1, 20)), 64)
    extra = draw(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5), st.integers(1, 9)), max_size=3))
    alignments = st.sampled_from([1, 1, 4, 1024])
    more = [Rectangle(f"x{i}", size, draw(alignments), at, at + length) for i, (at, length, size) in enumerate(extra)]
    return [*cut, *more]


@settings(max_examples=40)
@given(problems())
def test_packings_are_valid_and_no_higher_than_best_fit(given: list[Rectangle]):
    placement = pack(given, "branch-and-bound", Effort(nodes=3_000))
    assert not list(complaints(given, placement, patience=200))
    assert placement.height <= pack(given, "best-fit").height
    assert lower_bound(given) <= placement.lower_bound <= placement.height


@settings(max_examples=40)
@given(problems(), st.integers(0, 40))
def test_merged_blocks_are_rectangles_of_their_buffers(given: list[Rectangle], seed: int):
    grid = to_grid(given)
    blocks = merge_buffers(grid, seed)
    assert sorted(b for block in blocks for b, _ in block.parts) == [*range(len(given))]
    for block in blocks:
        assert sum(grid.sizes[b] * (grid.last[b] - grid.first[b] + 1) for b, _ in block.parts) == block.size * (
            block.last - block.first + 1
        )
        inside = [
            Rectangle(str(b), grid.sizes[b], grid.alignments[b], grid.first[b], grid.last[b]) for b, _ in block.parts
        ]
        assert height_at(inside, [offset for _, offset in block.parts]) == block.size
        assert all(block.alignment % grid.alignments[b] == 0 for b, _ in block.parts)


def height_at(rectangles: list[Rectangle], offsets: list[int]) -> int:
    """The height of a placement at the given offsets; asserts that the placement is valid."""
    placement = placement_at(rectangles, offsets, 0)
    assert not list(complaints(rectangles, placement))
    return placement.height


CUT = guillotine(200, seed=0, points=100)
"""The search in orders alone does not find its packing within half a million nodes."""


@pytest.mark.long
@pytest.mark.skipif(native.library() is None, reason="no C compiler")
@pytest.mark.parametrize(
    "given",
    [CUT, reversed_in_time(CUT), split_in_time(CUT, 0), split_in_size(CUT, 0)],
    ids=["cut", "reversed", "split in time", "split in size"],
)
def test_problems_without_slack_are_solved(given: list[Rectangle]):
    placement = pack(given, "auto", Effort(nodes=200_000))
    assert placement.height == lower_bound(given) == 1 << 20


@pytest.mark.long
@pytest.mark.skipif(native.library() is None, reason="no C compiler")
@settings(max_examples=examples(30))
@given(st.integers(1, 400), st.integers(1, 300), st.integers(0, 10_000), st.booleans())
def test_greedy_packing_in_c_is_that_in_python(count: int, points: int, seed: int, tightest: bool):
    draw = Random(seed)
    given: list[Rectangle] = []
    for i in range(count):
        first = draw.randrange(points)
        last = first + draw.randrange(1 + draw.choice([1, 3, points]))
        given.append(Rectangle(str(i), draw.randint(1, 50), draw.choice([1, 1, 2, 8]), first, last))
    algorithm = best_fit if tightest else first_fit
    efforts = [Effort(core=core) for core in (True, False)]
    for effort in efforts:
        effort.start(given)
    placement, expected = (algorithm(given, effort) for effort in efforts)
    assert placement == expected
    assert not list(complaints(given, placement))


@settings(max_examples=60)
@given(problems())
def test_the_sweep_is_valid(given: list[Rectangle]):
    assert not list(complaints(given, sweep(given, Effort())))


def crowd(count: int) -> list[Rectangle]:
    """Buffers that are all live at one point."""
    draw = Random(0)
    return [
        Rectangle(str(i), draw.randint(1, 1_000), 1, -draw.randrange(1, count), draw.randrange(1, count))
        for i in range(count)
    ]


@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("core", [True, False])
def test_without_time_every_mode_places_a_crowd(mode: str, core: bool):
    given = crowd(2_000)
    placement = pack(given, mode, Effort(steps=None, seconds=0, core=core))
    assert placement.gap >= 0
    assert not list(complaints(given, placement))


def test_the_best_packing_so_far_counts(monkeypatch: pytest.MonkeyPatch):
    """If the time limit is reached after the first order of first fit, the result is nevertheless a valid packing."""
    given = [Rectangle("a", 1, 1, 0, 1), Rectangle("b", 1, 1, 0, 3), Rectangle("c", 2, 1, 2, 4)]
    late = iter([False, True])

    def check(effort: Effort) -> None:
        if next(late):
            raise OutOfTime

    monkeypatch.setattr(Effort, "check", check)
    placement = pack(given, "first-fit", Effort(seconds=1_000))
    assert not list(complaints(given, placement))


def test_what_the_core_cannot_count_python_packs():
    given = [Rectangle("a", 10**32, 1, 0, 2), Rectangle("b", 1, 1, 1, 1), Rectangle("c", 10**32, 1, 2, 3)]
    for mode in MODES:
        assert pack(given, mode).height in (2 * 10**32, 2 * 10**32 + 1)


@pytest.mark.parametrize("mode", sorted(MODES))
def test_large_alignments_need_no_more_memory(mode: str):
    given = [Rectangle(str(i), 4, alignment, 0, 2) for i, alignment in enumerate((2**30, 2**30 - 1, 2**30 - 3))]
    placement = pack(given, mode, Effort(nodes=1_000))
    assert not list(complaints(given, placement))


def test_the_peak_of_many_alignments():
    given = [Rectangle(str(i), 3, 4 * (i + 1), 0, i) for i in range(MAX_ALIGNMENTS + 5)]
    assert find_peak(given).bytes == max(4 * MAX_ALIGNMENTS - 1, 3 * len(given))
    assert pack(given, "first-fit", Effort(seconds=inf)).height >= find_peak(given).bytes
