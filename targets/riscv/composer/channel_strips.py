"""Channels along a strip, one after the other: each meets a filter of its own, by up to eight windows at once.

Each element of the windows is loaded once for all of them. The weights of a small filter stay in registers along the
strip; of a larger one those of a row do, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.channel_records import MULTIPLIER_AT, RIGHT_AT, START_AT, WEIGHTS_AT, ChannelRecords
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated, balanced
from tinyml.targets.composer.stream_fields import DOUBLED, RIGHT_LESS_1
from tinyml.targets.composer.tile_code import LoopedCode
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.riscv.composer.epilogues import SATURATED, requantised
from tinyml.targets.riscv.composer.fetch import loaded
from tinyml.targets.riscv.composer.loops import counted, far_until, until
from tinyml.targets.riscv.composer.multiply import added
from tinyml.targets.riscv.composer.registers import REACH, bytes_of, moved, restored, saved

_SUMS = tuple(f"s{number}" for number in range(8))
_WEIGHTS = ("s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "ra")
_STREAM, _WINDOWS, _OUT, _PLACE = "a0", "a1", "a2", "a6"
"""Pointers: to what belongs to the channel, to its first window of those at once, to its result, and to a row."""

_MULTIPLIER, _RIGHT, _START = "a3", "a4", "a5"
_ELEMENT, _PRODUCT, _END, _GROUPS = "a7", "t1", "t0", "t2"

_STREAM_END, _FRAME = 0, 64
"""A place in the frame: where the stream ends."""


@dataclass(frozen=True)
class ChannelStrip(LoopedCode):
    """The code for a tile."""

    SATURATED = SATURATED

    @property
    def layout(self) -> WeightStream:
        return self.records.layout

    @cached_property
    def records(self) -> ChannelRecords:
        return ChannelRecords(self.tile, (DOUBLED, RIGHT_LESS_1))

    @property
    def is_kept(self) -> bool:
        """Do all weights of a filter stay in registers?"""
        return self.records.taps <= len(_WEIGHTS)

    @property
    def most_windows(self) -> int:
        """The windows at once, of which loads and stores have to reach the last one."""
        if not self.records.is_by_channel or self.records.columns > len(_WEIGHTS):
            return 0
        reached = [count for count in range(1, len(_SUMS) + 1) if self.reach(count) <= REACH]
        return max(reached, default=0)

    def reach(self, windows: int) -> int:
        """The bytes from the first element of a row of windows to the last, or between their results."""
        return max((windows - 1) * self.records.across + self.records.columns - 1, windows - 1) * self.tile.rows

    @property
    def fits(self) -> bool:
        return self.most_windows > 0

    @cached_property
    def windows(self) -> list[tuple[int, int]]:
        """How often so many windows are taken at once."""
        return balanced(self.tile.count, self.most_windows)

    def row(self, place: tuple[str, int], weights: tuple[str, ...], windows: int, *, first: bool) -> Lines:
        """A row of a filter by that of windows. place: a pointer and what it is before the first element."""
        (pointer, offset), across, columns = place, self.records.across, self.records.columns
        lines: list[Lines] = []
        for column in range((windows - 1) * across + columns):
            users = [window for window in range(windows) if 0 <= column - window * across < columns]
            if users:
                lines += [loaded(8, pointer, offset + column * self.tile.rows, _ELEMENT)]
            for window in users:
                tap = column - window * across
                product = _ELEMENT if window == users[-1] else _PRODUCT
                start = _START if first and tap == 0 else None
                lines += [added(_SUMS[window], weights[tap], _ELEMENT, product, start)]
        return joined(*lines)

    def kept_rows(self, windows: int) -> Repeated:
        """All rows of a filter whose weights are in registers."""
        pitch, columns = self.tile.pitch, self.records.columns
        straight = (self.tile.runs - 1) * pitch + self.reach(windows) <= REACH
        lines: list[Lines] = []
        for row in range(self.tile.runs):
            place = (_WINDOWS, row * pitch)
            if not straight:
                lines += [moved(_PLACE, pitch if row else 0, _END, _PLACE if row else _WINDOWS)]
                place = (_PLACE, 0)
            weights = _WEIGHTS[row * columns : (row + 1) * columns]
            lines += [self.row(place, weights, windows, first=row == 0)]
        return Repeated.once(joined(*lines))

    def fetched_rows(self, windows: int) -> Repeated:
        """All rows of a filter, whose weights are fetched row by row."""
        columns = self.records.columns
        begin = joined(
            (f"mv {sum}, {_START}" for sum in _SUMS[:windows]),
            f"mv {_PLACE}, {_WINDOWS}",
            moved(_END, self.records.taps, _PRODUCT, _STREAM),
        )
        row = joined(
            *(loaded(8, _STREAM, WEIGHTS_AT + column, _WEIGHTS[column]) for column in range(columns)),
            self.row((_PLACE, 0), _WEIGHTS, windows, first=False),
            moved(_PLACE, self.tile.pitch, _PRODUCT),
            moved(_STREAM, columns, _PRODUCT),
        )
        rows = until(Repeated.once(row), _STREAM, (), _END, self.tile.runs, 3)
        return Repeated.once(begin).followed_by(rows).then(moved(_STREAM, -self.records.taps, _PRODUCT))

    def results(self, windows: int) -> Repeated:
        """The results of some windows, behind which the pointers move to the next ones."""
        channels, zero = self.tile.rows, self.tile.zero
        rows = self.kept_rows(windows) if self.is_kept else self.fetched_rows(windows)
        finish = (
            requantised(sum, _MULTIPLIER, _RIGHT, zero, _PRODUCT, f"{window * channels}({_OUT})")
            for window, sum in enumerate(_SUMS[:windows])
        )
        moves = moved(_WINDOWS, windows * self.tile.step, _END), moved(_OUT, windows * channels, _END)
        return rows.then(joined(*finish, *moves))

    def channel(self) -> Repeated:
        """A channel, behind which the pointers move to the next one."""
        weights = (
            loaded(8, _STREAM, WEIGHTS_AT + tap, _WEIGHTS[tap])
            for tap in range(self.records.taps if self.is_kept else 0)
        )
        factors = (
            loaded(32, _STREAM, START_AT, _START),
            loaded(32, _STREAM, MULTIPLIER_AT, _MULTIPLIER),
            loaded(8, _STREAM, RIGHT_AT, _RIGHT),
        )
        code = Repeated.once(joined(*factors, *weights))
        for label, (times, windows) in enumerate(self.windows, 4):
            code = code.followed_by(counted(self.results(windows), times, _GROUPS, label))
        back = (
            moved(_WINDOWS, 1 - self.tile.count * self.tile.step, _END),
            moved(_OUT, 1 - self.tile.count * self.tile.rows, _END),
            moved(_STREAM, self.records.bytes, _END),
        )
        return code.then(joined(*back))

    def function(self) -> Repeated:
        end = moved(_END, self.tile.rows * self.records.bytes, _PRODUCT, _STREAM)
        code = Repeated.once(joined(saved(_FRAME), end, f"sw {_END}, {_STREAM_END}(sp)"))
        end = loaded(32, "sp", _STREAM_END, _END)
        channels = far_until(self.channel(), _STREAM, end, _END, self.tile.rows, 1)
        return code.followed_by(channels).then(restored(_FRAME))

    @property
    def stack(self) -> int:
        return _FRAME

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)
