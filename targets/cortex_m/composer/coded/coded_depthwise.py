"""Depthwise filters as code, channel by channel, for the DSP extension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.cortex_m.composer.assembly import REACH, SAVED, SAVED_BYTES, bytes_of, moved
from tinyml.targets.cortex_m.composer.coded.coded_channel import OUT, STRAIGHT, STRIP, CodedChannel
from tinyml.targets.tiles import Sums, Tile


class ConstantChannel:
    """The code of a channel without weights: all its results are the same byte."""

    def __init__(self, tile: Tile, byte: int) -> None:
        self.tile, self.byte = tile, byte
        self.loops, self.rest = (0, tile.count) if tile.count <= STRAIGHT else divmod(tile.count, STRAIGHT)
        self.slots: dict[str, int] = {}

    @property
    def fits(self) -> bool:
        return STRAIGHT * self.tile.rows <= REACH

    @property
    def moved_on(self) -> int:
        """The windows by which the pointer to results advances."""
        return self.loops * STRAIGHT

    @property
    def code(self) -> Repeated:
        """The results of the channel."""
        code = Repeated.once((f"mov r2, #{self.byte & 0xFF}",))
        if self.loops:
            loop = joined(self.stores(STRAIGHT), moved(OUT, STRAIGHT * self.tile.rows), "subs r3, r3, #1", "bne 1b")
            code = code.then((f"mov r3, #{self.loops}",))
            code = code.followed_by(Repeated(joined("1:", loop), self.loops * Repeated.once(loop).time))
        return code.then(self.stores(self.rest))

    def stores(self, count: int) -> Lines:
        return tuple(f"strb r2, [{OUT}, #{window * self.tile.rows}]" for window in range(count))


@dataclass(frozen=True)
class CodedDepthwise:
    """The kernel of a tile; its arguments are pointers to windows and results."""

    tile: Tile
    sums: Sums

    @property
    def fits(self) -> bool:
        tile = self.tile
        by_channel = tile.length % tile.rows == tile.step % tile.rows == 0 and tile.step > 0
        return by_channel and all(channel.fits for channel in self.channels)

    @cached_property
    def channels(self) -> Sequence[CodedChannel | ConstantChannel]:
        """The channels in order."""
        tile, channels = self.tile, list[CodedChannel | ConstantChannel]()
        for row, (weights, start, multiplier, shift) in enumerate(self.sums):
            byte = self.sums.flat(row, tile.zero)
            taps = weights.reshape(tile.runs, -1)
            channel = (
                CodedChannel(tile, taps, start, multiplier, shift) if byte is None else ConstantChannel(tile, byte)
            )
            channels.append(channel)
        return channels

    @property
    def frame(self) -> int:
        words = max(len(channel.slots) for channel in self.channels)
        return -(-4 * words // 8) * 8 + 4 if words else 0

    @cached_property
    def code(self) -> Repeated:
        """The whole function."""
        code = Repeated.once(joined(f"push {{{SAVED}, lr}}", moved("sp", -self.frame)))
        for number, channel in enumerate(self.channels):
            code = code.followed_by(channel.code)
            if number < len(self.channels) - 1:
                code = code.then((f"add {STRIP}, {STRIP}, #1", *moved(OUT, 1 - channel.moved_on * self.tile.rows)))
        return code.then(joined(moved("sp", self.frame), f"pop {{{SAVED}, pc}}"))

    @property
    def lines(self) -> Lines:
        return self.code.lines

    @property
    def time(self) -> float:
        """The instructions of a call."""
        return self.code.time

    @property
    def stack(self) -> int:
        return SAVED_BYTES + self.frame

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)
