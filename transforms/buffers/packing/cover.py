"""Packing as exact cover (MinUn 5.3). An option places a buffer at an offset, and each byte at each moment is covered
at most once.

If a result may overlap an operand, the two buffers cover bytes of different layers. Each such pair has an item for
every offset of the result. The operand, at a given offset, covers the items of those offsets of the result that are
impossible together with its own offset.

MinUn's canvas has an item for each byte and instruction. Here time is divided into sections. A buffer has only the
offsets that occur in packings that have been pushed down (its normal patterns). The only addresses are those at which
some buffer can start. They suffice because if two placed buffers overlap, both contain the higher start. No coarsening
is needed.

A set of offsets is an integer in which bit o stands for offset o, in units of a grid. `check` is called with the work
for each set (`Effort.work`) and may abort the search by raising an exception.
"""

from __future__ import annotations

import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.exact_cover import ExactCover
from tinyml.transforms.buffers.packing.grid import Grid, to_grid
from tinyml.transforms.buffers.packing.rectangles import Placement, Proof, Rectangle

MAX_ONES = 3_000_000
"""Limit on the ones of a matrix in mode exact-cover: some hundred megabytes."""

MAX_CELLS = 1_000_000_000
"""Limit on the addresses of all buffers together; each address needs a bit."""


Check = Callable[[int], None]


def improve_by_exact_cover(rectangles: Sequence[Rectangle], best: Placement, effort: Effort) -> Placement:
    """Lower the placement `best` by exact cover, and return the lowest placement found.

    If the effort is spent between two searches, or if a limit on nodes, addresses or the matrix is exceeded, the result
    is the best placement so far. Raises `OutOfTime` if the seconds or the work of the effort run out while a search is
    prepared. A packing at the lower bound is searched for even if the height of `best` already equals the bound.
    """
    grid = to_grid(rectangles)
    low, high = -(-best.lower_bound // grid.unit), -(-best.height // grid.unit)
    high = max(high, low + 1)
    if high * len(grid.sizes) > MAX_CELLS:
        effort.note("exact cover", 0, time.monotonic(), f"more than {MAX_CELLS:,} addresses")
        return best
    height, heights = low, list[int]()
    while low < high and not effort.is_over():
        offsets, outcome = _cover(grid, height, effort)
        if offsets is not None:
            best = best.moved_to(rectangles, [offset * grid.unit for offset in offsets], Proof.EXACT_COVER.value)
            high = -(-best.height // grid.unit)
        elif outcome == "failed":
            heights = heights or _heights(grid, low, high, effort.check)
            low = heights[bisect_left(heights, height + 1)]
            best = replace(best, lower_bound=low * grid.unit, proof=Proof.EXACT_COVER)
        else:
            break
        effort.best = best
        between = heights[bisect_left(heights, low) : bisect_left(heights, high)]
        height = between[(len(between) - 1) // 2] if between else low
    return best


def _heights(grid: Grid, low: int, high: int, check: Check) -> list[int]:
    ends = {
        offset + size
        for size, pattern in zip(grid.sizes, normal_patterns(grid, high, check), strict=True)
        for offset in _bits(pattern)
    }
    return sorted({high, *(end for end in ends if low <= end <= high)})


def _cover(grid: Grid, height: int, effort: Effort) -> tuple[list[int] | None, str]:
    """Search for a packing of a given height. Return the offsets found, or None, and the outcome; "failed" proves
    that there is no packing of this height.
    """
    offsets, outcome = None, "failed"
    for name, patterns_of in (("short", _short_patterns), ("all", normal_patterns)):
        before = time.monotonic()
        patterns = patterns_of(grid, height, effort.check)
        offsets, nodes, outcome = cover(grid, patterns, effort, MAX_ONES)
        effort.note(f"{height * grid.unit} bytes, exact cover, {name} patterns", nodes, before, outcome)
        if outcome != "failed":
            break
    return offsets, outcome


def cover(grid: Grid, patterns: Iterable[int], effort: Effort, most_ones: int) -> tuple[list[int] | None, int, str]:
    """Search for offsets of the buffers. Return the offsets or None, the number of nodes of the search, and its
    outcome. The outcome is "failed" if there is no solution, begins with "found" if there is one, and otherwise
    states why the search stopped.

    patterns: one set of allowed offsets per buffer.
    most_ones: the maximum number of ones in the matrix, that is, of pairs of an option and an item that it covers.
    """
    offsets: list[list[int]] = []
    left = most_ones
    spans = [grid.span(b) for b in range(len(grid.sizes))]
    for pattern, span in zip(patterns, spans, strict=True):
        # An option covers its own address in each of its sections.
        left -= pattern.bit_count() * len(span)
        if left < 0:
            return None, 0, f"more than {most_ones} ones"
        offsets.append(list(_bits(pattern)))
    starts: list[list[int]] = []
    for x in range(grid.sections):
        effort.check(len(spans))
        present = {offset for own, span in zip(offsets, spans, strict=True) if x in span for offset in own}
        starts.append(sorted(present))

    layers = _Layers(grid, effort.check)
    places: list[list[tuple[int, int]]] = []
    for b, span in enumerate(spans):
        effort.check(sum(layers.count(x) for x in span))
        places.append([(x, layer) for x in span for layer in layers.of(b, x)])

    def cells(b: int, offset: int) -> list[tuple[int, int, range]]:
        """The bytes that a buffer at an offset covers, as triples: the section of time, the layer (`_Layers`), and the
        range of covered start addresses.
        """
        end = offset + grid.sizes[b]
        return [
            (x, layer, range(bisect_left(starts[x], offset), bisect_left(starts[x], end))) for x, layer in places[b]
        ]

    def clashes(b: int, offset: int) -> list[tuple[str, int, int, int]]:
        """For each overlap of a buffer at an offset, the items that the buffer covers, as tuples: "overlap",
        result, operand, offset of the result.
        """
        ruled_out = [("overlap", b, operand, offset) for operand in grid.overlaps.get(b, ())]
        for result in layers.results.get(b, ()):
            below, end = offset - grid.overlaps[result][b], offset + grid.sizes[b]
            between = slice(bisect_right(offsets[result], below), bisect_left(offsets[result], end))
            ruled_out += [("overlap", result, b, start) for start in offsets[result][between]]
        return ruled_out

    ones = 0
    for b, own in enumerate(offsets):
        effort.check()
        for offset in own:
            ones += 1 + sum(len(rows) for *_, rows in cells(b, offset)) + len(clashes(b, offset))
            if ones > most_ones:
                return None, 0, f"more than {most_ones} ones"
    effort.check(sum(layers.count(x) * len(addresses) for x, addresses in enumerate(starts)))
    area = sorted(range(len(spans)), key=lambda b: -len(spans[b]) * grid.sizes[b])
    free: list[tuple[object, ...]] = [
        (x, layer, row)
        for x, addresses in enumerate(starts)
        for layer in range(layers.count(x))
        for row in range(len(addresses))
    ]
    free += [
        ("overlap", result, operand, offset)
        for result, operands in grid.overlaps.items()
        for operand in operands
        for offset in offsets[result]
    ]
    matrix = ExactCover(area, free)
    options: list[tuple[int, int]] = []
    for b in area:
        effort.check()
        for offset in offsets[b]:
            covered = [(x, layer, row) for x, layer, rows in cells(b, offset) for row in rows]
            matrix.add([b, *covered, *clashes(b, offset)])
            options.append((b, offset))
    solution = next(matrix.solutions(effort.ration(sys.maxsize), effort.work, effort.is_late), None)
    effort.work -= matrix.steps
    if solution is None:
        return None, matrix.nodes, "failed" if matrix.exhausted else "out of nodes"
    chosen = dict(options[option] for option in solution)
    return [chosen[b] for b in range(len(grid.sizes))], matrix.nodes, f"found, {ones} ones"


class _Layers:
    """For each section of time, sets of buffers that must not share bytes; each set is a layer.

    Two buffers that may overlap have no layer in common. Every other pair of buffers has a common layer.
    """

    def __init__(self, grid: Grid, check: Check) -> None:
        self.results: dict[int, list[int]] = {}
        """The results that may overlap each operand."""
        self.paired: list[list[int]] = [[] for _ in range(grid.sections)]
        """For each section, the buffers with overlaps; each is in a layer with all buffers that have none."""
        self.apart: list[list[tuple[int, int]]] = [[] for _ in range(grid.sections)]
        """For each section, the pairs of these buffers without an overlap, each a layer of its own."""
        for result, operands in grid.overlaps.items():
            for operand in operands:
                self.results.setdefault(operand, []).append(result)
                both = max(grid.first[result], grid.first[operand]), min(grid.last[result], grid.last[operand])
                for x in range(both[0], both[1] + 1):
                    check(len(self.paired[x]))
                    self.paired[x] += [b for b in (result, operand) if b not in self.paired[x]]
        for x, paired in enumerate(self.paired):
            check(len(paired) ** 2)
            for a, b in combinations(paired, 2):
                if b not in grid.overlaps.get(a, ()) and a not in grid.overlaps.get(b, ()):
                    self.apart[x].append((a, b))

    def count(self, x: int) -> int:
        return max(len(self.paired[x]), 1) + len(self.apart[x])

    def of(self, b: int, x: int) -> Iterable[int]:
        paired = self.paired[x]
        if b not in paired:
            return range(max(len(paired), 1))
        pairs = [len(paired) + i for i, pair in enumerate(self.apart[x]) if b in pair]
        return [paired.index(b), *pairs]


def _short_patterns(grid: Grid, height: int, check: Check) -> Iterator[int]:
    """Yield a set of offsets for each buffer: the total sizes of all combinations of buffers that are live together
    with the buffer. The sets are smaller than those of `normal_patterns`, and usually contain a packing.

    An offset is missing if the buffer rests on a chain of buffers, some of which are never live together with it.
    """
    limits = _Limits(grid, height, check)
    for b, near in enumerate(_neighbours(grid, check)):
        sums = _sums((_steps(grid, k) for k in near), height, check)
        yield _aligned(sums, grid.alignments[b], height) & limits.allowed(b)


def normal_patterns(grid: Grid, height: int, check: Check) -> list[int]:
    """For each buffer, a set that contains its offsets in all packings of at most `height` that have been pushed down.

    In such a packing, a buffer rests on the bottom or on another buffer that is live at the same time and itself rests
    on the bottom or on a buffer.
    """
    count = len(grid.sizes)
    limits = _Limits(grid, height, check)
    allowed = [limits.allowed(b) for b in range(count)]
    if {*grid.alignments} == {1} and not grid.pinned:
        allowed = [
            offsets & _sums((_steps(grid, k) for k in range(count) if k != b), height, check)
            for b, offsets in enumerate(allowed)
        ]
    neighbours = _neighbours(grid, check)
    patterns = [offsets & 1 << grid.pinned.get(b, 0) for b, offsets in enumerate(allowed)]
    changed = set(range(count))
    while changed:
        k = changed.pop()
        for b in neighbours[k]:
            check(_work(height))
            ends = patterns[k] << grid.above(k, b)
            more = _aligned(ends, grid.alignments[b], height) & allowed[b] & ~patterns[b]
            if more:
                patterns[b] |= more
                changed.add(b)
    return patterns


def _work(height: int) -> int:
    return 4 + height // 4096


def _neighbours(grid: Grid, check: Check) -> list[list[int]]:
    neighbours: list[list[int]] = []
    for b, (first, last) in enumerate(zip(grid.first, grid.last, strict=True)):
        check(len(grid.sizes))
        others = enumerate(zip(grid.first, grid.last, strict=True))
        near = [k for k, (since, until) in others if k != b and since <= last and first <= until]
        neighbours.append([k for k in near if grid.meet(b, k)] if grid.idle else near)
    return neighbours


def _steps(grid: Grid, b: int) -> Iterable[int]:
    return {grid.sizes[b], *grid.overlaps[b].values()} if b in grid.overlaps else (grid.sizes[b],)


def _sums(steps: Iterable[Iterable[int]], most: int, check: Check) -> int:
    """The set of all sums of steps that are at most `most`. A sum contains at most one step per buffer.

    steps: the steps of each buffer.
    """
    sums, within = 1, (1 << most + 1) - 1
    for alternatives in steps:
        check(_work(most))
        before = sums
        for step in alternatives:
            if step <= most:
                sums |= before << step & within
    return sums


def _bits(offsets: int) -> Iterator[int]:
    text = bin(offsets)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


class _Limits:
    """For each buffer, the offsets that its sections of time permit, whatever offsets the other buffers have.

    In each section, the number of bytes below a buffer is a sum of sizes of other buffers plus at most the slack. The
    slack is the number of bytes that stay free in the section. For a buffer that may be overlapped, the sum may contain
    the distance of the overlap instead of the size.
    """

    def __init__(self, grid: Grid, height: int, check: Check) -> None:
        self.grid = grid
        self.height = height
        self.check = check
        self.alive: list[list[int]] = [[] for _ in range(grid.sections)]
        for b, (first, last) in enumerate(zip(grid.first, grid.last, strict=True)):
            check(last - first)
            for x in grid.span(b):
                self.alive[x].append(b)

    def allowed(self, b: int) -> int:
        self.check(_work(self.height))
        sizes = self.grid.sizes
        offsets = (1 << max(self.height - sizes[b] + 1, 0)) - 1
        if b in self.grid.pinned:
            offsets &= 1 << self.grid.pinned[b]
        for x in self.grid.span(b):
            others = [_steps(self.grid, k) for k in self.alive[x] if k != b]
            slack = self.height - sum(min(_steps(self.grid, k)) for k in self.alive[x])
            if slack < 0:
                return 0
            offsets &= _smear(_sums(others, self.height, self.check), slack)
        return offsets


def _smear(offsets: int, reach: int) -> int:
    done = 0
    while done < reach:
        step = min(done + 1, reach - done)
        offsets |= offsets << step
        done += step
    return offsets


def _aligned(offsets: int, alignment: int, height: int) -> int:
    if alignment == 1:
        return offsets
    if alignment > height:
        return offsets & 1
    return _smear(offsets & (1 << height + 1) - 1, alignment - 1) & _multiples(alignment, height)


def _multiples(alignment: int, height: int) -> int:
    multiples, count = 1, 1
    while (count - 1) * alignment < height:
        multiples |= multiples << count * alignment
        count *= 2
    return multiples
