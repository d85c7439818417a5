"""Rows of a matrix by the windows of a strip, four by four with their sums in registers.

A single window meets eight rows at a time. Rows and windows that do not fill blocks are shared out equally among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated, balanced
from tinyml.targets.composer.row_blocks import BY_ELEMENT, row_blocks
from tinyml.targets.composer.stream_fields import DOUBLED, RIGHT_LESS_1
from tinyml.targets.composer.tile_code import LoopedCode
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.riscv.composer.epilogues import SATURATED, requantised
from tinyml.targets.riscv.composer.fetch import loaded
from tinyml.targets.riscv.composer.loops import UNROLLED, counted, far_until, until
from tinyml.targets.riscv.composer.multiply import added
from tinyml.targets.riscv.composer.registers import REACH, bytes_of, moved, restored, saved

_SUMS = (*(f"s{number}" for number in range(12)), "t3", "t4", "t5", "t6")
_ELEMENTS = ("a3", "a4", "a5", "a6")
_STREAM, _WINDOWS, _OUT, _PLACE = "a0", "a1", "a2", "a7"
"""Pointers: into the stream, to the first window of those at once, to its result, and into it."""

_WEIGHT, _PRODUCT, _END, _RUNS = "t0", "t1", "t2", "ra"

_MOST_WINDOWS, _MOST_ROWS, _MOST_ROWS_ALONE = 4, 4, 8
_SHORT = 2 * UNROLLED
"""The most elements without a loop."""

_STREAM_AT, _ENDS_AT, _OUT_AT, _FRAME = 0, (4, 8), 12, 80
"""Places in the frame: where the stream begins, where both groups of blocks end, and where results end."""


@dataclass(frozen=True)
class Strip(LoopedCode):
    """The code for a tile."""

    SATURATED = SATURATED

    @property
    def most_windows(self) -> int:
        """The windows at once, of which loads and stores have to reach the last one."""
        tile = self.tile
        inside = self.offset(tile.runs - 1, tile.length) if self.is_straight else _SHORT
        reached = [
            count
            for count in range(1, _MOST_WINDOWS + 1)
            if (count - 1) * tile.step + inside <= REACH and (count - 1) * tile.rows + _MOST_ROWS_ALONE <= REACH
        ]
        return max(reached, default=0)

    @property
    def fits(self) -> bool:
        return self.most_windows > 0

    @cached_property
    def windows(self) -> list[tuple[int, int]]:
        """How often so many windows are taken at once."""
        return balanced(self.tile.count, self.most_windows)

    @property
    def layout(self) -> WeightStream:
        most = _MOST_ROWS if self.windows[0][1] > 1 else _MOST_ROWS_ALONE
        return row_blocks(self.tile, balanced(self.tile.rows, most), (DOUBLED, RIGHT_LESS_1), BY_ELEMENT)

    @property
    def is_straight(self) -> bool:
        """Do all elements of a window stand one after the other, without a loop?"""
        return self.tile.runs * self.tile.length <= _SHORT

    def offset(self, run: int, element: int) -> int:
        """The bytes from a window to an element."""
        return run * self.tile.pitch + element

    def element(self, rows: int, windows: int, place: tuple[str, int], number: int, *, first: bool = False) -> Lines:
        """The products of an element of all windows.

        place: a pointer and what it is before the element of the first one; number: of the element in the stream.
        first: the sums begin, in the registers of the first window's.
        """
        pointer, offset = place
        lines = [loaded(8, pointer, offset + window * self.tile.step, _ELEMENTS[window]) for window in range(windows)]
        for row in range(rows):
            sums = _SUMS[row * windows : (row + 1) * windows]
            lines += [loaded(8, _STREAM, number * rows + row, _WEIGHT)]
            # The last product takes the weight's register; the first window's sum, which holds the start, comes last.
            for window in reversed(range(windows)):
                product = _PRODUCT if window else _WEIGHT
                start = sums[0] if first else None
                lines += [added(sums[window], _WEIGHT, _ELEMENTS[window], product, start)]
        return joined(*lines)

    def products(self, rows: int, windows: int) -> Repeated:
        """All products, from the starts in the registers of the first window's sums on."""
        tile = self.tile
        if self.is_straight:
            elements = [(run, element) for run in range(tile.runs) for element in range(tile.length)]
            steps = [
                self.element(rows, windows, (_WINDOWS, self.offset(*place)), number, first=number == 0)
                for number, place in enumerate(elements)
            ]
            return Repeated.once(joined(*steps, moved(_STREAM, len(steps) * rows, _END)))
        starts = (_SUMS[row * windows : (row + 1) * windows] for row in range(rows))
        copies = [f"mv {sum}, {first}" for first, *rest in starts for sum in rest]
        runs = self.run(rows, windows).then(moved(_PLACE, tile.pitch - tile.length, _END) if tile.runs > 1 else ())
        begin = Repeated.once(joined(copies, f"mv {_PLACE}, {_WINDOWS}"))
        return begin.followed_by(counted(runs, tile.runs, _RUNS, 4))

    def run(self, rows: int, windows: int) -> Repeated:
        """The products of a run, behind which both pointers move."""
        length = self.tile.length
        single, loops = (length, 0) if length <= _SHORT else (length % UNROLLED, length // UNROLLED)

        def steps(count: int) -> Lines:
            lines = (self.element(rows, windows, (_PLACE, number), number) for number in range(count))
            return joined(*lines, moved(_PLACE, count, _END), moved(_STREAM, count * rows, _END))

        code = Repeated.once(steps(single))
        if loops:
            code = code.then(moved(_END, loops * UNROLLED, _WEIGHT, _PLACE))
            code = code.followed_by(until(Repeated.once(steps(UNROLLED)), _PLACE, (), _END, loops, 5))
        return code

    def finish(self, rows: int, windows: int) -> Lines:
        """Stores the results of rows."""
        # The pointer is behind the last weight.
        begin = self.layout.weights_end(rows)
        lines: list[Lines] = []
        for row in range(rows):
            multiplier, right = (self.layout.offset(number, rows, row) - begin for number in ("multiplier", "right"))
            lines += [loaded(32, _STREAM, multiplier, "a3"), loaded(8, _STREAM, right, "a4")]
            for window, sum in enumerate(_SUMS[row * windows : (row + 1) * windows]):
                target = f"{window * self.tile.rows + row}({_OUT})"
                lines += [requantised(sum, "a3", "a4", self.tile.zero, _PRODUCT, target)]
        behind = moved(_STREAM, self.layout.block_bytes(rows) - begin, _END)
        return joined(*lines, behind, moved(_OUT, rows, _END))

    def block(self, rows: int, windows: int) -> Repeated:
        """Some rows by some windows."""
        starts = joined(*(loaded(32, _STREAM, 4 * row, _SUMS[row * windows]) for row in range(rows)))
        begin = Repeated.once(joined(starts, moved(_STREAM, 4 * rows, _END)))
        return begin.followed_by(self.products(rows, windows)).then(self.finish(rows, windows))

    def all_rows(self, windows: int) -> Repeated:
        """All rows by some windows, behind which the pointers move to the next ones."""
        code = Repeated.once(loaded(32, "sp", _STREAM_AT, _STREAM))
        for number, (times, rows) in enumerate(self.layout.groups):
            end = loaded(32, "sp", _ENDS_AT[number], _END)
            code = code.followed_by(until(self.block(rows, windows), _STREAM, end, _END, times, 3))
        window, out = moved(_WINDOWS, windows * self.tile.step, _END), moved(_OUT, (windows - 1) * self.tile.rows, _END)
        return code.then(joined(window, out))

    def function(self) -> Repeated:
        begin = joined(saved(_FRAME), f"sw {_STREAM}, {_STREAM_AT}(sp)")
        for number, (times, _) in enumerate(self.layout.groups):
            if times > 1:
                end = moved(_END, self.layout.bytes(number + 1), _PRODUCT, _STREAM)
                begin = joined(begin, end, f"sw {_END}, {_ENDS_AT[number]}(sp)")
        code = Repeated.once(begin)
        for times, windows in self.windows:
            if times > 1:
                end = moved(_END, times * windows * self.tile.rows, _PRODUCT, _OUT)
                code = code.then((*end, f"sw {_END}, {_OUT_AT}(sp)"))
            end = loaded(32, "sp", _OUT_AT, _END)
            code = code.followed_by(far_until(self.all_rows(windows), _OUT, end, _END, times, 1))
        return code.then(restored(_FRAME))

    @property
    def stack(self) -> int:
        return _FRAME

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)
