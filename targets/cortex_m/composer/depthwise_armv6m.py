"""Depthwise kernels for ARMv6-M, for up to six windows at a time, channel by channel.

Three weights of a filter row at a time are multiplied by the columns of the windows. Each element is loaded once for
all sums, which are in the high registers. Because a multiplication overwrites one factor, this factor is a copy of the
element.

This code is not a `RowKernel`, which computes rows of weights block by block: here the outermost loop runs over
channels, and adjacent windows share columns of a channel's elements.

Registers are assigned by hand, because on ARMv6-M, high registers can only be added, copied and compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.instructions import Code, Repeated, balanced, joined
from tinyml.targets.composer.tile_code import LoopedCode, overlapping
from tinyml.targets.composer.weight_streams import (
    MULTIPLIER,
    MULTIPLIER_AT,
    RIGHT,
    RIGHT_AT,
    ChannelRecords,
    WeightStream,
)
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.armv6m import (
    REACH,
    SUMS,
    Armv6mCode,
    again,
    constant,
    moved,
    moved_in_frame,
    restored,
    saved,
)
from tinyml.targets.cortex_m.composer.epilogues_armv6m import GREATEST, SATURATED, requantised_by_halves, shifted
from tinyml.targets.cortex_m.composer.fragments import element_at
from tinyml.targets.cortex_m.thumb import at, slot

_WEIGHTS = ("r0", "r1", "r2")
_ROW, _COLUMN, _CHANNELS, _PRODUCT, _ELEMENT = "r3", "r4", "r5", "r6", "r7"
"""The address of a row of the first window, the byte offset and the size of a column, the factors of a product."""

_STRAIGHT = 9
"""The greatest number of weights of a filter whose rows are computed without a loop."""

_STREAM_AT, _WINDOW_AT, _OUT_AT, _END_AT, _COUNT_AT, _ROW_AT, _ROWS_END, _FRAME = 0, 4, 8, 12, 16, 20, 24, 28
"""Stack slots: the addresses of the channel's record, windows and results; the end of the stream; the number of groups
of windows that are left; the address of the row's weights, and the end of the last row's; the size of the stack frame.
"""


@dataclass(frozen=True)
class ChannelsArmv6m(Armv6mCode, LoopedCode):
    """The code for a depthwise tile on ARMv6-M."""

    SATURATED = SATURATED

    @property
    def layout(self) -> WeightStream:
        return self.records.layout

    @cached_property
    def records(self) -> ChannelRecords:
        return ChannelRecords(self.tile, () if self.tile.right else (MULTIPLIER, RIGHT))

    @property
    def fits(self) -> bool:
        return self.records.is_by_channel and self.bytes <= REACH

    def part(self, first: int, count: int, windows: int) -> Code:
        """Code that multiplies `count` weights of a filter row, starting at column `first`, by the elements of windows.
        The weights are in registers.
        """
        lines: list[Code] = [constant(_COLUMN, first * self.tile.rows)]
        columns = range(first, (windows - 1) * self.records.across + first + count)
        for column in columns:
            users = overlapping(column - first, windows, self.records.across, count)
            if users:
                lines += [element_at(8, _ROW, _COLUMN, _ELEMENT)]
            for window, tap in users:
                last = (window, tap) == users[-1]
                product = _ELEMENT if last else _PRODUCT
                copy = () if last else (t.mov(_PRODUCT, _ELEMENT),)
                multiplied = t.muls(product, _WEIGHTS[tap], product)
                lines += [(*copy, multiplied, t.add(SUMS[window], SUMS[window], product))]
            if column != columns[-1]:
                lines += [(t.adds(_COLUMN, _COLUMN, _CHANNELS),)]
        return joined(*lines)

    def row(self, stream: int, weights: int, windows: int) -> Code:
        """Code that multiplies one row of a filter by windows.

        stream: the stack slot that contains a pointer into the stream.
        weights: the byte offset of the weights from this pointer.
        windows: the number of windows.
        """
        lines: list[Code] = []
        for first in range(0, self.records.columns, len(_WEIGHTS)):
            count = min(len(_WEIGHTS), self.records.columns - first)
            lines += [(t.ldr(_ELEMENT, slot(stream)),)]
            for number, weight in enumerate(_WEIGHTS[:count]):
                place = constant(_PRODUCT, weights + first + number)
                lines += [place, element_at(8, _ELEMENT, _PRODUCT, weight)]
            lines += [self.part(first, count, windows)]
        return joined(*lines)

    def rows(self, windows: int) -> Repeated:
        """Code that multiplies all rows of a filter by `windows` windows."""
        tile, columns = self.tile, self.records.columns
        following = moved(_ROW, tile.pitch, _PRODUCT)
        if self.records.taps <= _STRAIGHT:
            rows = [self.row(_STREAM_AT, self.records.weights_at + row * columns, windows) for row in range(tile.runs)]
            return Repeated.once(joined(rows[0], *(joined(following, row) for row in rows[1:])))
        begin = joined(
            t.ldr(_ELEMENT, slot(_STREAM_AT)),
            moved(_ELEMENT, self.records.weights_at, _PRODUCT),
            t.str_(_ELEMENT, slot(_ROW_AT)),
            moved(_ELEMENT, self.records.taps, _PRODUCT),
            t.str_(_ELEMENT, slot(_ROWS_END)),
        )
        end = joined(
            following,
            t.ldr(_ELEMENT, slot(_ROW_AT)),
            moved(_ELEMENT, columns, _PRODUCT),
            t.str_(_ELEMENT, slot(_ROW_AT)),
            t.ldr(_PRODUCT, slot(_ROWS_END)),
            t.cmp(_ELEMENT, _PRODUCT),
        )
        row = Repeated.once(self.row(_ROW_AT, 0, windows))
        return Repeated.once(begin).followed_by(again(row, (), end, tile.runs, 7))

    def results(self, windows: int) -> Repeated:
        """Code that computes and stores the results of `windows` windows and advances the pointers in stack slots to
        the next windows.
        """
        tile = self.tile
        begin = joined(
            t.ldr(_ELEMENT, slot(_STREAM_AT)),
            t.ldr(_PRODUCT, at(_ELEMENT)),
            (t.mov(sum, _PRODUCT) for sum in SUMS[:windows]),
            t.ldr(_ROW, slot(_WINDOW_AT)),
            constant(_CHANNELS, tile.rows),
        )
        if tile.right:
            begin_finish, epilogue = constant("r4", GREATEST), shifted(tile.right, "r4", at("r7"))
        else:
            begin_finish = joined(constant("r4", tile.zero), t.ldr("r5", slot(_STREAM_AT)))
            epilogue = requantised_by_halves("r5", MULTIPLIER_AT, RIGHT_AT, "r4", at("r7"), to_even=tile.to_even)
        finish = joined(
            t.mov("r6", _CHANNELS),
            begin_finish,
            t.ldr("r7", slot(_OUT_AT)),
            *(joined(t.mov("r0", sum), epilogue, t.adds("r7", "r7", "r6")) for sum in SUMS[:windows]),
            t.str_("r7", slot(_OUT_AT)),
            moved_in_frame(_WINDOW_AT, windows * tile.step),
        )
        return Repeated.once(begin).followed_by(self.rows(windows)).then(finish)

    def channel(self) -> Repeated:
        """Code that computes a channel and advances the pointers in stack slots to the next channel."""
        code = Repeated.once(())
        for times, windows in balanced(self.tile.count, len(SUMS)):
            begin = joined(constant("r0", times), t.str_("r0", slot(_COUNT_AT)))
            end = t.ldr("r0", slot(_COUNT_AT)), t.subs("r0", 1), t.str_("r0", slot(_COUNT_AT))
            code = code.followed_by(again(self.results(windows), begin, end, times, 3))
        count = self.tile.count
        back = (
            moved_in_frame(_WINDOW_AT, 1 - count * self.tile.step),
            moved_in_frame(_OUT_AT, 1 - count * self.tile.rows),
            moved_in_frame(_STREAM_AT, self.records.bytes),
        )
        return code.then(joined(*back))

    def function(self) -> Repeated:
        begin = joined(
            saved(_FRAME),
            (t.str_("r0", slot(_STREAM_AT)), t.str_("r1", slot(_WINDOW_AT)), t.str_("r2", slot(_OUT_AT))),
            moved("r0", self.tile.rows * self.records.bytes, "r1"),
            t.str_("r0", slot(_END_AT)),
        )
        # The address of the next record is in r0.
        end = t.ldr("r1", slot(_END_AT)), t.cmp("r0", "r1")
        channels = again(self.channel(), (), end, self.tile.rows, 1)
        return Repeated.once(begin).followed_by(channels).then(restored(_FRAME))
