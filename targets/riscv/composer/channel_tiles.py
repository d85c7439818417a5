"""Depthwise kernels for RISC-V. They compute channel by channel, with a filter for each channel, for up to eight
windows at once.

Each element of the windows is loaded once for all windows. The weights of a small filter remain in registers for all
windows of a channel. The weights of a larger filter are loaded row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from tinyml.dialects.tdsl.window_axis import WindowAxis
from tinyml.targets.composer.tile_code import overlapping
from tinyml.targets.composer.weight_streams import (
    DOUBLED,
    MULTIPLIER_AT,
    RIGHT_AT,
    RIGHT_LESS_1,
    START_AT,
    ChannelRecords,
    WeightStream,
)
from tinyml.targets.riscv.assembly import REACH, RiscvCode, V
from tinyml.targets.riscv.composer.fragments import RiscvTileCode, added_product, finished, started_product

_MAX_WINDOWS, _MAX_WEIGHTS = 8, 9
"""The maximum number of sums and of weights in registers."""

_END_SLOT = 0
"""The stack slot of the end of the stream."""


@dataclass(frozen=True)
class RiscvChannelTile(RiscvTileCode):
    """The code for a depthwise tile, channel by channel."""

    FRAME = 64

    @property
    def layout(self) -> WeightStream:
        return self.records.layout

    @cached_property
    def records(self) -> ChannelRecords:
        return ChannelRecords(self.tile, () if self.tile.right else (DOUBLED, RIGHT_LESS_1))

    @property
    def is_kept(self) -> bool:
        """True if all weights of a filter remain in registers for all windows of a channel."""
        return self.records.taps <= _MAX_WEIGHTS

    @property
    def max_windows(self) -> int:
        # There is no code for tiles that are not depthwise, and for filters with too many columns.
        if not self.records.is_by_channel or self.records.columns > _MAX_WEIGHTS:
            return 0
        reached = [count for count in range(1, _MAX_WINDOWS + 1) if self.reach(count) <= REACH]
        return max(reached, default=0)

    def reach(self, windows: int) -> int:
        """The greatest byte offset that the code for `windows` windows needs: between the first and the last element of
        a row of windows, or between their results.
        """
        return max((windows - 1) * self.records.across + self.records.columns - 1, windows - 1) * self.tile.rows

    def write(self, code: RiscvCode[V]) -> None:
        stream, window, out = code.arguments(3)
        frame = code.enter(self.FRAME)
        code.store_word(frame, code.address(stream, self.tile.rows * self.records.bytes), _END_SLOT)

        def channel(pointers: Sequence[V]) -> Sequence[V]:
            stream, window, out = pointers
            return _Channel(code, self, stream).write(window, out)

        end, channels = lambda: code.load(32, frame, _END_SLOT), self.tile.rows
        code.until(end, channels, [stream, window, out], channel, far=True)
        code.leave(self.FRAME)


class _Channel(Generic[V]):
    """The code of a channel.

    code: the code to which instructions are appended.
    tile_code: the kernel of which the code is a part.
    stream: the address of the channel's record in the stream.
    """

    def __init__(self, code: RiscvCode[V], tile_code: RiscvChannelTile, stream: V) -> None:
        self.code, self.tile_code, self.tile, self.records = code, tile_code, tile_code.tile, tile_code.records
        self.start = code.load(32, stream, START_AT)
        places = [] if self.tile.right else [(32, MULTIPLIER_AT), (8, RIGHT_AT)]
        self.factors = [code.load(bits, stream, place) for bits, place in places]
        self.stream = stream
        self.kept = self._weights(stream, self.records.taps if tile_code.is_kept else 0)

    def _weights(self, stream: V, count: int) -> Sequence[V]:
        return [self.code.load(8, stream, self.records.weights_at + number) for number in range(count)]

    def write(self, window: V, out: V) -> Sequence[V]:
        """Append code that computes and stores the results of the channel.

        Return three addresses: the next record in the stream, the first window of the next channel, and its first
        result.
        """
        code, tile = self.code, self.tile
        for times, windows in self.tile_code.windows:

            def some(pointers: Sequence[V], windows: int = windows) -> Sequence[V]:
                stream, window, out = pointers
                return self._windows(stream, window, out, windows)

            self.stream, window, out = code.counted(times, [self.stream, window, out], some)
        return (
            code.moved(self.stream, self.records.bytes),
            code.moved(window, 1 - tile.count * tile.step),
            code.moved(out, 1 - tile.count * tile.rows),
        )

    def _windows(self, stream: V, window: V, out: V, windows: int) -> Sequence[V]:
        """Append code that computes and stores the results of `windows` windows.

        Return three addresses: the current position in the stream, the next windows, and the next results.
        """
        code, channels = self.code, self.tile.rows
        if self.tile_code.is_kept:
            sums = self._by_kept_weights(window, windows)
        else:
            stream, *sums = self._by_loaded_weights(stream, window, windows)
        byte_of = finished(code, self.tile)
        for number, sum in enumerate(sums):
            code.store_byte(out, byte_of(sum, *self.factors), number * channels)
        following = code.moved(window, windows * self.tile.step)
        return stream, following, code.moved(out, windows * channels)

    def _row(self, pointer: V, offset: int, weights: Sequence[V], sums: Sequence[V], *, first: bool) -> Sequence[V]:
        """Append code that adds the products of one row of the filter to the sums of windows. Return the sums.

        offset: the offset in bytes of the row's first element from the pointer.
        first: true if every element of `sums` is the same start value, which the code must preserve.
        """
        code, across, columns = self.code, self.records.across, self.records.columns
        sums = [*sums]
        for column in range(WindowAxis(columns, across).span(len(sums))):
            users = overlapping(column, len(sums), across, columns)
            if users:
                element = code.load(8, pointer, offset + column * self.tile.rows)
                for window, tap in users:
                    added = started_product if first and tap == 0 else added_product
                    sums[window] = added(code, sums[window], weights[tap], element)
        return sums

    def _by_kept_weights(self, window: V, windows: int) -> Sequence[V]:
        pitch, columns, pointer = self.tile.pitch, self.records.columns, window
        is_near = (self.tile.runs - 1) * pitch + self.tile_code.reach(windows) <= REACH
        sums: Sequence[V] = [self.start] * windows
        for row in range(self.tile.runs):
            if row and not is_near:
                pointer = self.code.moved(pointer, pitch) if row > 1 else self.code.address(pointer, pitch)
            weights = self.kept[row * columns : (row + 1) * columns]
            sums = self._row(pointer, row * pitch if is_near else 0, weights, sums, first=row == 0)
        return sums

    def _by_loaded_weights(self, stream: V, window: V, windows: int) -> Sequence[V]:
        """Append code that loads the weights row by row and computes the products of `windows` windows. Return the
        address after the weights, and the sums.
        """
        code, columns = self.code, self.records.columns
        starts = [code.copy(self.start) for _ in range(windows)]
        pointer, end = code.copy(window), code.address(stream, self.records.taps)

        def row(values: Sequence[V]) -> Sequence[V]:
            stream, pointer, *sums = values
            sums = self._row(pointer, 0, self._weights(stream, columns), sums, first=False)
            return [code.moved(stream, columns), code.moved(pointer, self.tile.pitch), *sums]

        stream, _, *sums = code.until(lambda: end, self.tile.runs, [stream, pointer, *starts], row)
        return [code.moved(stream, -self.records.taps), *sums]
