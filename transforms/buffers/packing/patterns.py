"""Normal patterns: the possible offsets of a buffer in a packing that has been pushed down.

A set of offsets is an integer in which bit o stands for offset o, in units of a grid. `check` is called regularly and
may abort the work by raising an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tinyml.transforms.buffers.packing.grid import Grid


def short_patterns(grid: Grid, height: int, check: Callable[[], None]) -> Iterator[int]:
    """For each buffer, the sums of sizes of buffers alive at the same time: few offsets, and mostly sufficient.

    Some offsets are missing: the buffer below may itself rest on others that are never alive together with this one.
    """
    limits = _Limits(grid, height, check)
    for b, near in enumerate(_neighbours(grid, check)):
        sums = _sums((_steps(grid, k) for k in near), height, check)
        yield _aligned(sums, grid.alignments[b]) & limits.allowed(b)


def normal_patterns(grid: Grid, height: int, check: Callable[[], None]) -> list[int]:
    """For each buffer, all its offsets in packings of at most `height` that have been pushed down.

    A buffer rests on the bottom or on one that is alive at the same time, which rests on another one, and so on.
    """
    count = len(grid.sizes)
    limits = _Limits(grid, height, check)
    allowed = [limits.allowed(b) for b in range(count)]
    if {*grid.alignments} == {1}:
        allowed = [
            offsets & _sums((_steps(grid, k) for k in range(count) if k != b), height, check)
            for b, offsets in enumerate(allowed)
        ]
    neighbours = _neighbours(grid, check)
    patterns = [offsets & 1 for offsets in allowed]
    changed = set(range(count))
    while changed:
        check()
        k = changed.pop()
        for b in neighbours[k]:
            ends = patterns[k] << grid.above(k, b)
            more = _aligned(ends, grid.alignments[b]) & allowed[b] & ~patterns[b]
            if more:
                patterns[b] |= more
                changed.add(b)
    return patterns


def _neighbours(grid: Grid, check: Callable[[], None]) -> list[list[int]]:
    neighbours: list[list[int]] = []
    for b, (first, last) in enumerate(zip(grid.first, grid.last, strict=True)):
        check()
        others = enumerate(zip(grid.first, grid.last, strict=True))
        neighbours.append([k for k, (since, until) in others if k != b and since <= last and first <= until])
    return neighbours


def _steps(grid: Grid, b: int) -> Iterable[int]:
    """The distances from the start of a buffer to those that rest on it."""
    return {grid.sizes[b], *grid.overlaps[b].values()} if b in grid.overlaps else (grid.sizes[b],)


def _sums(steps: Iterable[Iterable[int]], most: int, check: Callable[[], None]) -> int:
    """All sums, up to `most`, of one step each of any subset of the buffers."""
    sums, within = 1, (1 << most + 1) - 1
    for alternatives in steps:
        check()
        before = sums
        for step in alternatives:
            if step <= most:
                sums |= before << step & within
    return sums


def bits(offsets: int) -> Iterator[int]:
    """The elements of a set, in ascending order."""
    text = bin(offsets)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


class _Limits:
    """The offsets that sections permit, whatever a buffer rests on.

    In a section, the bytes below a buffer are a sum of sizes of other buffers, or of distances if these are overlapped,
    plus at most the slack: the bytes that stay free in the section.
    """

    def __init__(self, grid: Grid, height: int, check: Callable[[], None]) -> None:
        self.grid = grid
        self.height = height
        self.check = check
        self.alive: list[list[int]] = [[] for _ in range(grid.sections)]
        for b, (first, last) in enumerate(zip(grid.first, grid.last, strict=True)):
            check()
            for x in range(first, last + 1):
                self.alive[x].append(b)

    def allowed(self, b: int) -> int:
        sizes = self.grid.sizes
        offsets = (1 << max(self.height - sizes[b] + 1, 0)) - 1
        for x in range(self.grid.first[b], self.grid.last[b] + 1):
            others = [_steps(self.grid, k) for k in self.alive[x] if k != b]
            slack = self.height - sum(min(_steps(self.grid, k)) for k in self.alive[x])
            if slack < 0:
                return 0
            offsets &= _smear(_sums(others, self.height, self.check), slack)
        return offsets


def _smear(offsets: int, reach: int) -> int:
    """Each element and the `reach` numbers that follow it."""
    done = 0
    while done < reach:
        step = min(done + 1, reach - done)
        offsets |= offsets << step
        done += step
    return offsets


def _aligned(offsets: int, alignment: int) -> int:
    """Each element, rounded up to a multiple of the alignment."""
    if alignment == 1:
        return offsets
    places = bytearray((offsets.bit_length() + alignment) // 8 + 1)
    for offset in bits(offsets):
        offset += -offset % alignment
        places[offset >> 3] |= 1 << (offset & 7)
    return int.from_bytes(places, "little")
