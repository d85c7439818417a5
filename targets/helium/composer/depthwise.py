"""Depthwise kernels for Helium: four channels, in 32-bit lanes, for up to four adjacent windows at a time.

No instruction adds products of two vectors lane by lane. Each product therefore needs a VMUL and a VADD, which are
executed in parallel with loads. Several adjacent taps of a row of the filter are in registers at a time. Each pixel
under these taps is loaded once for all windows of a group. If the number of channels is not a multiple of four, the
last channels are loaded and stored with a predicate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.instructions import Code, Repeated, balanced, joined
from tinyml.targets.composer.tile_code import RowKernel, overlapping
from tinyml.targets.composer.weight_streams import BY_ELEMENT, WORD, Weights, WeightStream, shifting
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED, counted_in_memory, moved
from tinyml.targets.cortex_m.thumb import IMMEDIATE, slot
from tinyml.targets.helium.composer.alternation import Alternation
from tinyml.targets.helium.composer.requantise import LANES, finish, in_blocks, requantised, shifted, zero_in
from tinyml.targets.helium.mve import (
    RESTORE_VECTORS,
    SAVE_VECTORS,
    VECTOR,
    integer,
    low_overhead,
    multiply,
    predicate,
    scalar,
    stepped,
)

_VECTORS = tuple(f"q{number}" for number in range(8))
_STREAM, _PIXELS, _OUT, _ZERO, _SCRATCH = "r3", "r1", "r2", "r4", "r0"
_AT_STREAM, _AT_GROUPS = slot(0), slot(4)
_FRAME = 12

_MAX_WINDOWS = 4
"""The most windows of a group."""

_MAX_TAPS = 64
"""The most taps of a filter whose products are written without a loop."""


def masked(rows: int) -> Code:
    """Code that sets the predicate of the next access if the block has `rows` < 4 channels; otherwise empty."""
    return () if rows == LANES else (scalar("vpst"),)


@dataclass(frozen=True)
class Channels(RowKernel):
    """The code for a depthwise tile that computes four channels at a time."""

    SATURATED = 0

    @property
    def columns(self) -> int:
        return self.tile.length // self.tile.rows

    @property
    def across(self) -> int:
        return self.tile.step // self.tile.rows

    @property
    def layout(self) -> WeightStream:
        blocks, few = divmod(self.tile.rows, LANES)
        aligned = VECTOR if few else WORD
        weights = Weights("weights", aligned, elements=self.tile.runs * self.columns, order=BY_ELEMENT)
        return WeightStream(self.tile, in_blocks(blocks, few), (weights, *finish(aligned)), by_channel=True)

    @property
    def fits(self) -> bool:
        tile = self.tile
        whole = tile.length % tile.rows == tile.step % tile.rows == 0
        return (
            whole
            and tile.filters == 1
            and tile.step > 0
            and tile.runs * self.columns <= _MAX_TAPS
            and tile.count <= IMMEDIATE
        )

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        return self._windows

    @cached_property
    def _windows(self) -> Sequence[tuple[int, int]]:
        """The groups of windows, as pairs (number of groups, windows per group).

        The number of windows per group is chosen so that the code has the fewest instructions.
        """

        count, (_, rows) = self.tile.count, self.layout.groups[0]

        def instructions_of(most: int) -> int:
            return sum(times * self.block(rows, few).time for times, few in balanced(count, most))

        return balanced(count, min(range(1, min(count, _MAX_WINDOWS) + 1), key=instructions_of))

    def enter(self) -> Code:
        code = joined(t.push((*SAVED, "lr")), SAVE_VECTORS, moved("sp", -_FRAME))
        return joined(code, t.str_("r0", _AT_STREAM), self.enter_numbers())

    def leave(self) -> Code:
        return joined(moved("sp", _FRAME), RESTORE_VECTORS, t.pop((*SAVED, "pc")))

    def load_windows(self, windows: int) -> Repeated:
        return Repeated.once((t.ldr(_STREAM, _AT_STREAM),))

    def start(self, rows: int, windows: int) -> Code:
        return predicate(rows, 32, _SCRATCH) if rows < LANES else ()

    def _pixels(self, windows: int) -> Iterator[tuple[int, int, Sequence[tuple[int, int]], int]]:
        """Yield a tuple for each pixel of a group of windows: (offset, column, users, first).

        * offset: the offset of the pixel from the first window.
        * column: the index of the pixel among those under the taps that are in registers.
        * users: pairs (window, tap) for the windows that contain the pixel. The tap is an index among the taps in
          registers.
        * first: the index in the filter of the first tap in registers.
        """
        tile, most = self.tile, len(_VECTORS) - 2 - windows
        for run in range(tile.runs):
            for first in range(0, self.columns, most):
                taps = min(most, self.columns - first)
                for column in range((windows - 1) * self.across + taps):
                    if met := overlapping(column, windows, self.across, taps):
                        yield run * tile.pitch + (first + column) * tile.rows, column, met, run * self.columns + first

    def products(self, rows: int, windows: int) -> Repeated:
        sums, (product, pixel), taps = _VECTORS[:windows], _VECTORS[windows : windows + 2], _VECTORS[windows + 2 :]
        pixels = list(self._pixels(windows))
        # At the end the pointer is at the next channels.
        places = [*(place for place, *_ in pixels), rows]
        order, begun, loaded = Alternation(), set[int](), -1
        for number, (place, column, met, first) in enumerate(pixels):
            if column == 0:
                loaded = -1
            for tap in range(loaded + 1, max(tap for _, tap in met) + 1):
                last = first + tap == self.tile.runs * self.columns - 1
                step = rows + (self.layout.padding(0, rows) if last else 0)
                order.load(taps[tap], stepped("vldrb.s32", taps[tap], _STREAM, step))
                loaded = tap
            load = "vldrb.s32" if rows == LANES else "vldrbt.s32"
            order.load(pixel, joined(masked(rows), stepped(load, pixel, _PIXELS, places[number + 1] - place)))
            for window, tap in met:
                to = product if window in begun else sums[window]
                added = (integer("vadd.i32", sums[window], sums[window], product),) if window in begun else ()
                order.multiply((multiply("vmul.i32", to, pixel, taps[tap]), *added), (pixel, taps[tap]))
                begun.add(window)
        return Repeated.once(order.code)

    def finish(self, rows: int, windows: int) -> Code:
        sums, channels = _VECTORS[:windows], self.tile.rows
        numbers, spare = _VECTORS[windows : windows + 2]
        code = self.to_bytes(sums, numbers, spare)
        steps = [*[channels] * (windows - 1), rows - (windows - 1) * channels]
        store = "vstrb.32" if rows == LANES else "vstrbt.32"
        stores = [joined(masked(rows), stepped(store, sum, _OUT, step)) for sum, step in zip(sums, steps, strict=True)]
        return joined(code, *stores)

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return low_overhead(block, times, 5)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return counted_in_memory(code, times, _AT_GROUPS, _SCRATCH, 7)

    def next_windows(self, windows: int) -> Code:
        tile = self.tile
        return joined(moved(_PIXELS, windows * tile.step - tile.rows), moved(_OUT, (windows - 1) * tile.rows))

    def enter_numbers(self) -> Code:
        """Code that loads the values that `to_bytes` uses for all blocks."""
        return zero_in(_ZERO, self.tile.zero)

    def to_bytes(self, sums: Sequence[str], numbers: str, spare: str) -> Code:
        return requantised(sums, _STREAM, numbers, spare, _ZERO if self.tile.zero else None, to_even=self.tile.to_even)


@dataclass(frozen=True)
class ShiftedChannels(Channels):
    """The code for a depthwise tile that computes four channels at a time and shifts the sums."""

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    def enter_numbers(self) -> Code:
        return (t.mov(_ZERO, 1),)

    def to_bytes(self, sums: Sequence[str], numbers: str, spare: str) -> Code:
        return shifted(sums, _STREAM, numbers, self.tile.right, _ZERO)
