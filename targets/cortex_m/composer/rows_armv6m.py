"""Tile kernels that multiply rows of a matrix by windows, with a register tile of four rows by one window, for ARMv6-M.

The low registers contain the end addresses of four rows and of a window, a negative index that is counted up to zero,
and two elements. Because a multiplication overwrites an element, computing a second window at once would not save a
load.

Registers are assigned by hand, because on ARMv6-M, high registers can only be added, copied and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.targets.composer.instructions import Code, Repeated, balanced, joined
from tinyml.targets.composer.tile_code import RowKernel, unrolled
from tinyml.targets.composer.weight_streams import BY_ROW, MULTIPLIER, RIGHT, WeightStream, row_blocks, shifting
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.armv6m import (
    REACH,
    SUMS,
    Armv6mCode,
    again,
    constant,
    low_product,
    moved,
    moved_in_frame,
    restored,
    saved,
)
from tinyml.targets.cortex_m.composer.epilogues_armv6m import GREATEST, SATURATED, requantised_by_halves, shifted
from tinyml.targets.cortex_m.composer.fragments import element_at
from tinyml.targets.cortex_m.thumb import at, slot

_ROWS = ("r0", "r1", "r2", "r3")
_WINDOW, _INDEX, _GAP, _RUN_END = "r4", "r5", "r12", "lr"

_UNROLLED = 8
"""The number of elements in an iteration."""

_STREAM_AT, _WINDOW_AT, _OUT_AT, _ENDS_AT, _OUT_END, _FRAME = 0, 4, 8, (12, 16), 20, 28
"""Stack slots: the addresses of the stream, the window and its results; the ends of groups of blocks and of results.
The last number is the size of the stack frame.
"""


@dataclass(frozen=True)
class RowsArmv6m(Armv6mCode, RowKernel):
    """The code for a tile that computes four rows of weights for one window at a time."""

    SATURATED = SATURATED

    @property
    def layout(self) -> WeightStream:
        layout = row_blocks(self.tile, balanced(self.tile.rows, len(_ROWS)), (MULTIPLIER, RIGHT), BY_ROW)
        return shifting(layout) if self.tile.right else layout

    @property
    def fits(self) -> bool:
        return self.bytes <= REACH

    def step(self, rows: int) -> Code:
        """Code that multiplies one element by the weights of the rows, adds the products and increments the index.

        The instruction that increments the index sets the condition flags.
        """
        products = (
            joined(element_at(8, row, _INDEX, "r7"), low_product(sum))
            for row, sum in zip(_ROWS[:rows], SUMS[:rows], strict=True)
        )
        return joined(element_at(8, _WINDOW, _INDEX, "r6"), *products, t.adds(_INDEX, 1))

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        return [(self.tile.count, 1)]

    def load_windows(self, windows: int) -> Repeated:
        return Repeated.once((t.ldr("r0", slot(_STREAM_AT)),))

    def start(self, rows: int, windows: int) -> Code:
        starts = [f"r{4 + row}" for row in range(rows)]
        return joined(
            t.ldm("r0", (*starts,), update=True),
            (t.mov(sum, start) for sum, start in zip(SUMS[:rows], starts, strict=True)),
            constant(_INDEX, self.tile.runs * self.tile.length),
            (t.adds(row, before, _INDEX) for before, row in zip(("r0", *_ROWS), _ROWS[:rows], strict=False)),
            t.ldr(_WINDOW, slot(_WINDOW_AT)),
            t.adds(_WINDOW, _WINDOW, _INDEX),
            t.rsbs(_INDEX, _INDEX, 0),
        )

    def products(self, rows: int, windows: int) -> Repeated:
        """A loop that counts the index up to 0 along all runs. At the end of each run, the distance to the next run is
        added to the window pointer.
        """
        tile, step = self.tile, self.step(rows)
        straight = tile.length <= 2 * _UNROLLED
        label, tests = (5, ()) if tile.runs == 1 else (7, (t.cmp(_INDEX, _RUN_END),))
        run = unrolled(step, tile.length, _UNROLLED, lambda code, times: again(code, (), tests, times, label))
        end = (t.add(_WINDOW, _WINDOW, _GAP),)
        if straight or tile.runs == 1:
            return again(run, (), end, tile.runs, 5)
        begin = Repeated.once(joined(constant("r6", tile.length), t.add(_RUN_END, _RUN_END, "r6")))
        return again(begin.followed_by(run), (t.mov(_RUN_END, _INDEX),), (*end, t.cmp(_INDEX, 0)), tile.runs, 5)

    def finish(self, rows: int, windows: int) -> Code:
        """Code that stores the results of `rows` rows. In the stream, the factors of the rows follow the weights of the
        last row.
        """
        stream, last = self.layout, _ROWS[rows - 1]
        if self.tile.right:
            shifts = [
                joined(t.mov("r0", sum), shifted(self.tile.right, "r4", at("r7", row)))
                for row, sum in enumerate(SUMS[:rows])
            ]
            return joined(
                t.adds("r5", last, stream.block_bytes(rows) - stream.weights_end(rows)),
                constant("r4", GREATEST),
                t.ldr("r7", slot(_OUT_AT)),
                *shifts,
                t.adds("r7", rows),
                t.str_("r7", slot(_OUT_AT)),
                t.mov("r0", "r5"),
            )
        first = stream.offset("multiplier", rows)
        epilogues: list[Code] = []
        for row, sum in enumerate(SUMS[:rows]):
            multiplier, right = (stream.offset(number, rows, row) - first for number in ("multiplier", "right"))
            epilogue = requantised_by_halves("r5", multiplier, right, "r4", at("r7", row), to_even=self.tile.to_even)
            epilogues += [joined(t.mov("r0", sum), epilogue)]
        return joined(
            t.adds("r5", last, first - stream.weights_end(rows)),
            constant("r4", self.tile.zero),
            t.ldr("r7", slot(_OUT_AT)),
            *epilogues,
            t.adds("r7", rows),
            t.str_("r7", slot(_OUT_AT)),
            t.movs("r0", stream.block_bytes(rows) - first),
            t.adds("r0", "r0", "r5"),
        )

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return again(block, (), (t.ldr("r1", slot(_ENDS_AT[group])), t.cmp("r0", "r1")), times, 3)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return again(code, (), (t.ldr("r1", slot(_OUT_END)), t.cmp("r7", "r1")), times, 1)

    def next_windows(self, windows: int) -> Code:
        return moved_in_frame(_WINDOW_AT, self.tile.step) if self.tile.count > 1 else ()

    def enter(self) -> Code:
        tile = self.tile
        begin = [
            saved(_FRAME),
            (t.str_("r0", slot(_STREAM_AT)), t.str_("r1", slot(_WINDOW_AT)), t.str_("r2", slot(_OUT_AT))),
        ]
        for number, (times, _) in enumerate(self.layout.groups):
            if times > 1:
                end = self.layout.bytes(number + 1)
                begin += [(t.mov("r3", "r0"),), moved("r3", end, "r4"), (t.str_("r3", slot(_ENDS_AT[number])),)]
        if tile.count > 1:
            begin += [moved("r2", tile.count * tile.rows, "r4"), (t.str_("r2", slot(_OUT_END)),)]
        if tile.runs > 1:
            begin += [constant("r4", tile.pitch - tile.length), (t.mov(_GAP, "r4"),)]
        return joined(*begin)

    def leave(self) -> Code:
        return restored(_FRAME)
