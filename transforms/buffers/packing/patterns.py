"""Normal patterns: the offsets at which a buffer can lie in a packing that has been pushed down.

Sets of offsets are integers whose bit o stands for offset o, all in units of a grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tinyml.transforms.buffers.packing.grid import Grid


def short_patterns(grid: Grid, height: int) -> Iterator[int]:
    """For each buffer, the sums of sizes of buffers alive together with it: few offsets, and mostly enough.

    Some offsets are missing: the buffer below may itself lie on others that are never alive together with this one.
    """
    for b, near in enumerate(_neighbours(grid)):
        yield _aligned(_sums(grid.sizes[k] for k in near), grid.alignments[b]) & _allowed(grid, b, height)


def normal_patterns(grid: Grid, height: int) -> list[int]:
    """For each buffer, all offsets that it can have in a packing of at most `height` that has been pushed down.

    A buffer lies at the bottom or on one that is alive together with it, which lies on another one, and so on.
    """
    count = len(grid.sizes)
    allowed = [_allowed(grid, b, height) for b in range(count)]
    if {*grid.alignments} == {1}:
        allowed = [offsets & _sums(grid.sizes[k] for k in range(count) if k != b) for b, offsets in enumerate(allowed)]
    neighbours = _neighbours(grid)
    patterns = [offsets & 1 for offsets in allowed]
    changed = set(range(count))
    while changed:
        k = changed.pop()
        ends = patterns[k] << grid.sizes[k]
        for b in neighbours[k]:
            more = _aligned(ends, grid.alignments[b]) & allowed[b] & ~patterns[b]
            if more:
                patterns[b] |= more
                changed.add(b)
    return patterns


def _neighbours(grid: Grid) -> list[list[int]]:
    count = len(grid.sizes)
    return [
        [k for k in range(count) if k != b and grid.first[k] <= grid.last[b] and grid.first[b] <= grid.last[k]]
        for b in range(count)
    ]


def _sums(sizes: Iterable[int]) -> int:
    sums = 1
    for size in sizes:
        sums |= sums << size
    return sums


def bits(offsets: int) -> Iterator[int]:
    """The elements of a set, in ascending order."""
    text = bin(offsets)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


def _allowed(grid: Grid, b: int, height: int) -> int:
    """The offsets that the sections of a buffer allow, whatever it lies on.

    In a section the bytes below it are a sum of sizes of other buffers, plus at most the slack: the bytes that stay
    free in the section.
    """
    offsets = (1 << max(height - grid.sizes[b] + 1, 0)) - 1
    for x in range(grid.first[b], grid.last[b] + 1):
        others = [grid.sizes[k] for k in range(len(grid.sizes)) if k != b and grid.first[k] <= x <= grid.last[k]]
        slack = height - grid.sizes[b] - sum(others)
        if slack < 0:
            return 0
        offsets &= _smear(_sums(others), slack)
    return offsets


def _smear(offsets: int, reach: int) -> int:
    """Each element and the `reach` numbers after it."""
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
    return sum(1 << o for o in {o + -o % alignment for o in bits(offsets)})
