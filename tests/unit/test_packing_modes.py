"""Packing of rectangles: every mode against what packing means and against exhaustive search; the papers' examples."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyml.transforms.packing import MODES, Move, Placement, Rectangle, find_peak, lower_bound, pack


@st.composite
def rectangles(draw: st.DrawFn, most: int) -> list[Rectangle]:
    def one(index: int) -> Rectangle:
        first = draw(st.integers(0, 8))
        last = first + draw(st.integers(0, 4))
        return Rectangle(f"r{index}", draw(st.integers(0, 12)), draw(st.sampled_from([1, 2, 4])), first, last)

    return [one(i) for i in range(draw(st.integers(0, most)))]


def share_a_point(a: Rectangle, b: Rectangle) -> bool:
    return bool({*range(a.first, a.last + 1)} & {*range(b.first, b.last + 1)})


def exhaustive_height(given: list[Rectangle]) -> int:
    """The least height: some order of placing at the lowest free offset reaches it."""
    heights: list[int] = []
    for order in permutations(given):
        taken: list[tuple[Rectangle, int]] = []
        for one in order:
            offset = 0
            while any(
                share_a_point(one, other) and offset < start + other.size and start < offset + one.size
                for other, start in taken
            ):
                offset += one.alignment
            taken.append((one, offset))
        heights.append(max((offset + one.size for one, offset in taken), default=0))
    return min(heights)


def run(given: list[Rectangle], placement: Placement) -> int:
    """Give every byte to its owner, point by point, as a device would; the bytes that are used."""
    at = dict(enumerate(placement.offsets))
    used = 0
    for point in range(max((one.last for one in given), default=0) + 1):
        alive = {i for i, one in enumerate(given) if one.first <= point <= one.last}
        owner = owners(given, at, {i for i in alive if given[i].first < point})
        for move in (move for move in placement.moves if move.point == point):
            assert move.index in alive
            assert given[move.index].first < point
            assert move.offset % given[move.index].alignment == 0
            at[move.index] = move.offset
            # What else is alive keeps its bytes while this one moves.
            owner = owners(given, at, {*owner.values(), move.index})
            used = max([used, *(byte + 1 for byte in owner)])
        used = max([used, *(byte + 1 for byte in owners(given, at, alive))])
    return used


def owners(given: list[Rectangle], at: dict[int, int], alive: set[int]) -> dict[int, int]:
    owner: dict[int, int] = {}
    for i in sorted(alive):
        for byte in range(at[i], at[i] + given[i].size):
            assert owner.setdefault(byte, i) == i
    return owner


@given(rectangles(most=20), st.sampled_from(sorted(MODES)), st.frozensets(st.integers(0, 8)))
def test_every_mode_places_rectangles_apart(given: list[Rectangle], mode: str, barred: frozenset[int]):
    placement = pack(given, mode, barred=barred)
    assert len(placement.offsets) == len(given)
    assert all(start >= 0 and start % one.alignment == 0 for start, one in zip(placement.offsets, given, strict=True))
    assert placement.height == run(given, placement)
    assert lower_bound(given) <= placement.lower_bound <= placement.height
    assert placement.optimal == (placement.gap == 0)
    assert not barred & {move.point for move in placement.moves}
    assert mode == "shiftry" or not placement.moves
    assert pack(given, mode, barred=barred) == placement


@given(rectangles(most=4))
def test_the_lower_bound_is_one(given: list[Rectangle]):
    least = exhaustive_height(given)
    assert lower_bound(given) <= least
    assert all(least <= pack(given, mode).height for mode in MODES if mode != "shiftry")


def test_a_buffer_belongs_to_no_point_after_its_last():
    relay = [Rectangle(str(i), 10, 1, 2 * i, 2 * i + 1) for i in range(4)]
    assert lower_bound(relay) == pack(relay, "first-fit").height == 10
    meeting = [Rectangle(str(i), 10, 1, i, i + 1) for i in range(4)]
    assert lower_bound(meeting) == pack(meeting, "first-fit").height == 20


def test_the_best_of_the_orders_counts():
    by_size_wins = [Rectangle("a", 1, 1, 0, 1), Rectangle("b", 1, 1, 0, 3), Rectangle("c", 2, 1, 2, 4)]
    assert pack(by_size_wins, "first-fit").height == 3
    another_wins = [
        Rectangle("a", 6, 2, 0, 1),
        Rectangle("b", 6, 2, 1, 4),
        Rectangle("c", 15, 1, 2, 3),
    ]
    assert pack(another_wins, "first-fit").height == 21


def test_the_peak_counts_padding_between_aligned_buffers():
    peak = find_peak([Rectangle("a", 3, 4, 0, 0), Rectangle("b", 3, 4, 1, 2), Rectangle("c", 2, 4, 2, 2)])
    assert (peak.point, peak.bytes, peak.alive) == (2, 6, (1, 2))


FRAGMENTED = [
    Rectangle("x1", 32, 1, 0, 2),
    Rectangle("x2", 32, 1, 1, 4),
    Rectangle("x3", 32, 1, 2, 2),
    Rectangle("x4", 64, 1, 3, 4),
]
"""Shiftry, section 7.1."""


def test_shiftry_places_its_example_of_section_3_as_pseudocode_5():
    example = [
        Rectangle("t1", 4, 2, 0, 1),
        Rectangle("t2", 4, 2, 1, 2),
        Rectangle("t3", 2, 2, 2, 3),
        Rectangle("t4", 2, 2, 3, 4),
    ]
    assert pack(example, "shiftry") == Placement((0, 4, 0, 2), 8, 8)


def test_shiftry_defragments_its_example_of_section_7_1():
    assert pack(FRAGMENTED, "shiftry") == Placement((0, 32, 64, 32), 96, 96, (Move(3, 1, 0),))
    assert pack(FRAGMENTED, "shiftry", barred={3}) == Placement((0, 32, 64, 64), 128, 96)


def test_shiftry_moves_the_least_that_makes_room():
    """Compaction would move b and d; b alone makes room for new."""
    given = [
        Rectangle("a", 8, 1, 0, 3),
        Rectangle("b", 8, 1, 1, 5),
        Rectangle("c", 8, 1, 2, 3),
        Rectangle("d", 8, 1, 3, 5),
        Rectangle("new", 16, 1, 4, 5),
    ]
    assert pack(given, "shiftry") == Placement((0, 8, 16, 24, 0), 32, 32, (Move(4, 1, 16),))


@pytest.mark.parametrize("mode", sorted(MODES))
def test_minun_figure_4(mode: str):
    """A heap that serves A, B, C and D in turn, 64 bytes each, needs 384 bytes: E cannot lie where A and C lay."""
    given = [*(Rectangle(name, 64, 1, 0, last) for name, last in zip("ABCD", (0, 1, 0, 1), strict=True))]
    given.append(Rectangle("E", 128, 1, 1, 1))
    assert pack(given, mode).height == lower_bound(given) == 256
