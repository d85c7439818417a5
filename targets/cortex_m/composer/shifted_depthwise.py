"""Depthwise kernels for results in fixed point, for the DSP extension: the sliding window of `depthwise.py` with
shifted sums.

A sum, whose start value includes the rounding bias, is shifted and saturated by one instruction. Fixed point has no raw
-128, which a saturating subtraction and addition of 1 replace by -127.
"""

from __future__ import annotations

from tinyml.targets.composer.instructions import Code
from tinyml.targets.composer.weight_streams import START, WeightStream, shifting
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.depthwise import ChannelFilter, SlidingWindow
from tinyml.targets.tiles import Tile


class ShiftedSlidingWindow(SlidingWindow):
    """The code of the kernel for a depthwise tile with shifted sums. The register for the multiplier contains 1."""

    def filter_of(self, tile: Tile) -> ChannelFilter:
        return ChannelFilter(tile, None, (START,))

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    def factors(self, stream: str, spare: str) -> Code:
        return ()

    def enter(self) -> Code:
        return (t.mov(self.multiplier, 1),) if self.multiplier else ()

    def finish(self, window: int) -> Code:
        sum, one = self.sums[window % self.rounds], self.multiplier or self.taps[0]
        return (
            t.ssat(sum, 8, sum, asr=self.tile.right),
            *(() if self.multiplier else (t.mov(one, 1),)),
            t.qsub8(sum, sum, one),
            t.qadd8(sum, sum, one),
            self.store(sum, window),
        )
