"""Packing of rectangles: every packer, checked by definition and against exhaustive search, and the papers'
examples.
"""

from collections.abc import Iterator
from math import inf
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyml.transforms.buffers.packing import (
    MODES,
    BufferMove,
    Effort,
    Overlap,
    Placement,
    Proof,
    Rectangle,
    branch_and_bound,
    find_peak,
    lower_bound,
    native,
    pack,
)
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.validator import complaints


@st.composite
def rectangles(draw: st.DrawFn, most: int) -> list[Rectangle]:
    def one(index: int) -> Rectangle:
        first = draw(st.integers(0, 8))
        last = first + draw(st.integers(0, 4))
        return Rectangle(f"r{index}", draw(st.integers(0, 12)), draw(st.sampled_from([1, 2, 4])), first, last)

    return [one(i) for i in range(draw(st.integers(0, most)))]


def share_a_point(a: Rectangle, b: Rectangle) -> bool:
    return bool({*range(a.first, a.last + 1)} & {*range(b.first, b.last + 1)})


def least_height(given: list[Rectangle]) -> int:
    """The least height over all aligned offsets, by exhaustive search: one rectangle is placed after another."""
    ordered = sorted(given, key=lambda one: (one.first, -one.size))
    best = sum(one.size + one.alignment for one in given)
    least = max((sum(one.size for one in given if one.first <= x <= one.last) for x in range(20)), default=0)

    def place(placed: list[tuple[Rectangle, int]], height: int) -> None:
        nonlocal best
        if height >= best or best == least:
            return
        if len(placed) == len(ordered):
            best = height
            return
        one = ordered[len(placed)]
        taken = [(at, at + other.size) for other, at in placed if other.size and share_a_point(one, other)]
        for start in range(0, best - one.size, one.alignment):
            if all(start + one.size <= low or high <= start for low, high in taken):
                place([*placed, (one, start)], max(height, start + one.size))

    place([], 0)
    return best


FEW = 300
"""Nodes that a search may have here."""


def effort(barred: frozenset[int] = frozenset(), core: bool = True) -> Effort:
    return Effort(nodes=FEW, core=core, barred=barred)


@given(
    rectangles(most=20), st.sampled_from(sorted(MODES)), st.frozensets(st.integers(0, 8)), st.sampled_from([1, 1, 4])
)
def test_every_mode_places_rectangles_apart(given: list[Rectangle], mode: str, barred: frozenset[int], coarsen: int):
    placement = pack(given, mode, effort(barred), coarsen)
    assert not list(complaints(given, placement, patience=500))
    assert lower_bound(given) <= placement.lower_bound
    assert placement.optimal == (placement.gap == 0)
    assert not barred & {move.point for move in placement.moves}
    assert mode == "shiftry" or not placement.moves
    assert pack(given, mode, effort(barred), coarsen) == placement


@settings(max_examples=30)
@given(rectangles(most=7))
def test_exact_modes_find_the_least_height(given: list[Rectangle]):
    least = least_height(given)
    for mode in ("auto", "exact-cover", "branch-and-bound"):
        placement = pack(given, mode)
        assert placement.optimal
        assert placement.height == least
    for mode in MODES:
        placement = pack(given, mode)
        assert placement.lower_bound <= least
        assert placement.height >= (lower_bound(given) if mode == "shiftry" else least)


@pytest.mark.long
@settings(max_examples=30)
@given(rectangles(most=25))
def test_searches_agree_and_auto_is_never_worse(given: list[Rectangle]):
    placements = {mode: pack(given, mode, effort()) for mode in MODES}
    proven = {one.height for mode, one in placements.items() if one.optimal and mode != "shiftry"}
    assert len(proven) <= 1
    assert all(placements["auto"].height <= placements[mode].height for mode in ("first-fit", "best-fit"))
    bounds = [one.lower_bound for mode, one in placements.items() if mode != "shiftry"]
    assert max(bounds) <= min(one.height for mode, one in placements.items() if mode != "shiftry")


@pytest.mark.skipif(native.library() is None, reason="no C compiler")
@given(rectangles(most=30), st.integers(0, 10_000), st.integers(0, 400))
def test_the_core_searches_as_python_does(given: list[Rectangle], seed: int, nodes: int):
    given = [one for one in given if one.size]
    if not given:
        return
    grid = to_grid(given)
    grid = grid.in_order(Random(seed).sample(range(len(given)), len(given)))
    core = native.library()
    assert core is not None
    bound = lower_bound(given) // grid.unit
    for capacity in (bound, bound + 1, bound + 5):
        assert native.search(core, grid, capacity, nodes, inf) == branch_and_bound.search(
            grid, capacity, nodes, lambda: False
        )


@given(rectangles(most=15))
def test_without_the_core_all_is_the_same(given: list[Rectangle]):
    assert pack(given, "branch-and-bound", effort()) == pack(given, "branch-and-bound", effort(core=False))


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
    peak = find_peak([Rectangle("a", 1, 4, 0, 1), Rectangle("b", 1, 4, 0, 1), Rectangle("c", 1, 1, 0, 0)])
    assert (peak.point, peak.bytes, peak.alive) == (1, 5, (0, 1))


FRAGMENTED = [
    Rectangle("x1", 32, 1, 0, 2),
    Rectangle("x2", 32, 1, 1, 4),
    Rectangle("x3", 32, 1, 2, 2),
    Rectangle("x4", 64, 1, 3, 4),
]
"""Shiftry, section 7.1."""


@pytest.mark.parametrize("mode", sorted(MODES))
def test_minun_figure_4(mode: str):
    """MinUn, figure 4: every packer places A to E in 256 bytes, since E may use the bytes of A and C. Without reuse
    (`none`) they need 384 bytes.
    """
    given = [*(Rectangle(name, 64, 1, 0, last) for name, last in zip("ABCD", (0, 1, 0, 1), strict=True))]
    given.append(Rectangle("E", 128, 1, 1, 1))
    assert lower_bound(given) == 256
    assert pack(given, mode).height == (384 if mode == "none" else 256)


PAIR = [Rectangle("a", 4, 2, 0, 1), Rectangle("b", 6, 2, 1, 2), Rectangle("c", 4, 2, 2, 3)]
"""Needs 10 bytes."""


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        (Placement((0, 4, 0), 10, 10), []),
        (Placement((0, 4), 10, 10), ["2 offsets for 3 buffers"]),
        (Placement((0, 4, 5), 10, 10), ["c lies at byte 5, not at", "b and c share bytes 5 to 8 at point 2"]),
        (Placement((-2, 4, 0), 10, 10), ["a lies at byte -2, not at a multiple of 2"]),
        (Placement((0, 2, 8), 12, 10), ["a and b share bytes 2 to 3 at point 1"]),
        (Placement((0, 4, 0), 12, 10), ["the height is 10 bytes, not 12"]),
        (Placement((0, 4, 10), 14, 14), ["the lower bound is 14 bytes, but 10 are enough"]),
        (Placement((0, 4, 10), 14, 12), ["the lower bound is 12 bytes, but 10 are enough"]),
        (Placement((0, 4, 0), 10, 11), ["the lower bound of 11 bytes is above the height of 10"]),
        (Placement((0, 4, 0), 12, 10, (BufferMove(2, 1, 6),)), []),
        (Placement((0, 4, 0), 10, 10, (BufferMove(1, 1, 6),)), ["b moves before point 1, where it has no content"]),
    ],
)
def test_the_validator_finds_what_is_wrong(placement: Placement, expected: list[str]):
    found = list(complaints(PAIR, placement))
    assert len(found) == len(expected)
    assert all(one.startswith(start) for one, start in zip(found, expected, strict=True))


def test_the_validator_looks_at_moves_one_after_the_other():
    given = [Rectangle("a", 4, 1, 0, 2), Rectangle("b", 4, 1, 0, 2), Rectangle("c", 4, 1, 1, 1)]
    swapped = Placement((0, 4, 8), 12, 8, (BufferMove(2, 0, 4), BufferMove(2, 1, 0)))
    assert list(complaints(given, swapped)) == ["a moves onto b before point 2"]
    around = Placement((0, 4, 8), 12, 8, (BufferMove(2, 0, 8), BufferMove(2, 1, 0), BufferMove(2, 0, 4)))
    assert list(complaints(given, around)) == []
    late = Placement((0, 4, 8), 12, 8, (BufferMove(2, 0, 8), BufferMove(1, 1, 4)))
    assert list(complaints(given, late)) == ["the moves are not in the order of their points"]


def test_coarse_sizes_of_minun():
    """MinUn, section 5.3: buffers of 32, 56 and 64 bytes need 152 bytes. In units of k = 32 bytes, 56 is rounded up to
    64, so that they need 5 units.
    """
    given = [Rectangle(str(size), size, 1, 0, 0) for size in (32, 56, 64)]
    assert pack(given, "exact-cover", coarsen=1).height == 152
    placement = pack(given, "exact-cover", coarsen=32)
    assert placement.offsets == (0, 32, 96)
    assert placement.height == 160 == 5 * 32


def test_coarse_sizes_cost_memory():
    given = [Rectangle("a", 5, 1, 0, 1), Rectangle("b", 5, 1, 1, 2)]
    assert pack(given, "exact-cover") == Placement((0, 5), 10, 10)
    assert pack(given, "exact-cover", coarsen=8) == Placement((0, 8), 13, 10)


@pytest.fixture
def fresh_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty cache folder, in which no C code has been compiled yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    native.library.cache_clear()
    yield tmp_path
    native.library.cache_clear()


def test_the_core_is_compiled_once(fresh_core: Path):
    if native.library() is None:
        pytest.skip("no C compiler")
    [built] = (fresh_core / "tinyml").iterdir()
    native.library.cache_clear()
    built_at = built.stat().st_mtime_ns
    assert native.library() is not None
    assert built.stat().st_mtime_ns == built_at


@pytest.mark.usefixtures("fresh_core")
def test_a_computer_without_a_compiler_packs_as_well(monkeypatch: pytest.MonkeyPatch):
    with_core = pack(FRAGMENTED, "branch-and-bound")
    native.library.cache_clear()
    monkeypatch.setenv("PATH", "")
    assert native.library() is None
    assert pack(FRAGMENTED, "branch-and-bound") == with_core


def test_a_compiler_that_fails_is_none(fresh_core: Path, monkeypatch: pytest.MonkeyPatch):
    compiler = fresh_core / "cc"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(fresh_core))
    assert native.library() is None
    assert list((fresh_core / "tinyml").iterdir()) == []


@pytest.mark.parametrize("core", [False, True])
def test_time_can_run_out(core: bool):
    """With a time limit of 0 seconds, `auto` returns a valid packing, the best that it has found until then."""
    draw = Random(1)
    given = [Rectangle(str(i), draw.randint(1, 99), 1, i % 40, i % 40 + draw.randint(0, 9)) for i in range(120)]
    placement = pack(given, "auto", Effort(seconds=0, core=core))
    assert not list(complaints(given, placement))


def test_first_fit_suffices_where_it_reaches_the_peak():
    effort = Effort()
    placement = pack(
        [Rectangle("a", 4, 1, 0, 1), Rectangle("b", 2, 1, 1, 2), Rectangle("c", 4, 1, 2, 3)], "auto", effort
    )
    assert (placement.height, placement.packer, placement.proof) == (6, "first-fit", Proof.PEAK)
    assert [phase.name for phase in effort.phases] == ["first-fit"]


def test_small_problems_are_proved_by_exact_cover():
    """Exact cover proves that a problem with alignments of 2 and 4 bytes needs 9 bytes. If the limit on exact cover is
    too small, branch and bound proves this.
    """
    padded = [
        Rectangle("a", 3, 2, 0, 1),
        Rectangle("b", 5, 4, 1, 2, (Overlap(0, 3),)),
        Rectangle("c", 2, 1, 1, 2),
    ]
    found = [pack(padded, "auto", Effort(cover=cover)) for cover in (150_000, 1, 0)]
    assert {placement.height for placement in found} == {9}
    assert [placement.proof for placement in found] == [
        Proof.EXACT_COVER, Proof.BRANCH_AND_BOUND, Proof.BRANCH_AND_BOUND
    ]  # fmt: skip


def test_exact_cover_takes_no_nodes_of_branch_and_bound():
    """If exact cover reaches its limit, branch and bound has its full number of nodes, starts from the greedy packing,
    and returns the same packing as alone.
    """
    given = [Rectangle(str(i), 5 + 7 * i % 11, 1, i % 6, i % 6 + 1 + i % 4) for i in range(40)]
    auto, alone = Effort(nodes=2_000, cover=50), Effort(nodes=2_000)
    placements = pack(given, "auto", auto), pack(given, "branch-and-bound", alone)
    assert placements[0] == placements[1]
    assert auto.spent == alone.spent
    none = Effort(nodes=0)
    assert pack(given, "auto", none).height == pack(given, "best-fit").height
    assert not sum(phase.nodes for phase in none.phases)


def test_exact_cover_goes_first_and_branch_and_bound_goes_on():
    """For Gural and Murmann's network for MNIST in 16 bits, whose least height of 2,008 exceeds the lower bound of
    1,960, exact cover runs first, and branch and bound then proves the height.
    """
    layers = [(392, 0, 7), (1440, 1, 14), (1600, 8, 21), (1408, 15, 23), (20, 23, 25)]
    distances = {1: 1100, 2: 414, 3: 154}
    pixels = [(18, 3, 4), (10, 4, 5), (90, 10, 11), (16, 11, 12), (144, 17, 18), (22, 18, 19)]
    shapes = [
        Rectangle("", size, 2, first, last, (Overlap(index - 1, distances[index]),) if index in distances else ())
        for index, (size, first, last) in enumerate([*layers, *pixels])
    ]
    effort = Effort()
    placement = pack(shapes, "auto", effort)
    assert placement.optimal
    assert (placement.height, lower_bound(shapes)) == (2008, 1960)
    assert effort.spent < 10_000
    names = [phase.name for phase in effort.phases]
    assert names[:2] == ["first-fit", "best-fit"]
    assert ["exact cover" in name for name in names[2:]] == [True, True, *[False] * (len(names) - 4)]
    assert (placement.packer, placement.proof) == ("branch-and-bound", Proof.BRANCH_AND_BOUND)
