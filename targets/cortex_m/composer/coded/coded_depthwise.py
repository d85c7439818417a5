"""Depthwise filters as code, channel by channel, for the DSP extension.

The nest of rows cannot express them: each channel has its own instructions, and there is no weight stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.encodings import REACH
from tinyml.targets.cortex_m.assembly.operands import at
from tinyml.targets.cortex_m.composer.assembly import SAVED, moved
from tinyml.targets.cortex_m.composer.coded.coded_channel import OUT, STRAIGHT, STRIP, CodedChannel
from tinyml.targets.tiles import Sums, Tile


class ConstantChannel:
    """The code of a channel without weights, whose results are all the same byte."""

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
        code = Repeated.once((t.mov("r2", self.byte & 0xFF),))
        if self.loops:
            step = moved(OUT, STRAIGHT * self.tile.rows)
            loop = joined(self.stores(STRAIGHT), step, t.subs("r3", "r3", 1), t.bne(back=1))
            code = code.then((t.mov("r3", self.loops),))
            code = code.followed_by(Repeated.once(loop).counted(1, self.loops))
        return code.then(self.stores(self.rest))

    def stores(self, count: int) -> Code:
        return tuple(t.strb("r2", at(OUT, window * self.tile.rows)) for window in range(count))


@dataclass(frozen=True)
class CodedDepthwise(RepeatedCode):
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

    def function(self) -> Repeated:
        """The whole function."""
        code = Repeated.once(joined(t.push((*SAVED, "lr")), moved("sp", -self.frame)))
        for number, channel in enumerate(self.channels):
            code = code.followed_by(channel.code)
            if number < len(self.channels) - 1:
                code = code.then((t.add(STRIP, STRIP, 1), *moved(OUT, 1 - channel.moved_on * self.tile.rows)))
        return code.then(joined(moved("sp", self.frame), t.pop((*SAVED, "pc"))))
