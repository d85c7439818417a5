"""Groups of windows beside each other, transformed in the frame once for all rows of weights, as Winograd's kernels do.

S. Winograd, Arithmetic Complexity of Computations (1980); A. Lavin and S. Gray, Fast Algorithms for Convolutional
Neural Networks (CVPR 2016). Two windows beside each other lie on four pixels d0 to d3, and meet three columns of
weights, g0 to g2:

    y0 = (a + b) / 2 + c     a = (d1 + d2) (g0 + g1 + g2)     c = (d0 - d2) g0
    y1 = (a - b) / 2 + d     b = (d2 - d1) (g0 - g1 + g2)     d = (d3 - d1) g2

The halves are exact, as a + b = 2 (d2 (g0 + g2) + d1 g1) and a - b = 2 (d1 (g0 + g2) + d2 g1), so that results have the
bits of the sums as they are defined. All else is exact modulo 2^32.

Four windows make a group; the last one may overlap the one before. Four rows of weights at a time meet a group with
eight sums in registers; the last rows go by two and alone.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from tinyml.targets.composer.lines import joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m.composer.assembly import SAVED, SAVED_BYTES, bytes_of, moved
from tinyml.targets.cortex_m.composer.loops import counted_in_memory
from tinyml.targets.cortex_m.composer.winograd_streams import row_blocks
from tinyml.targets.tiles import Tile

AT_ONCE = 4
"""The windows of a group in a line."""

SUMS = (("r4", "r5"), ("r6", "r7"), ("r8", "r9"), ("r10", "r11"))
"""The sums of each row of weights, of the first and of the second pair of windows."""

_STREAM, _WINDOWS_AT, _RESULTS_AT, _AT, OUT, FIRST_FREE, _BLOCKS_LEFT, STEPS_LEFT = (4 * place for place in range(8))
KEPT = 32
"""Places in the frame, in bytes: words, then sums that are kept."""


def slot(place: int) -> str:
    """A word of the frame."""
    return f"[sp, #{place}]"


@dataclass(frozen=True)
class WinogradCode(RepeatedCode):
    """Code for a tile: r0 walks along the stream, r2 along transformed pixels or results."""

    tile: Tile

    @property
    @abstractmethod
    def frame(self) -> int:
        """The bytes of the frame, 4 more than a multiple of 8."""

    @property
    @abstractmethod
    def transformation(self) -> Repeated:
        """Transforms a group, whose first pixel lr points to, into the frame, from r2 on."""

    @property
    @abstractmethod
    def data(self) -> int:
        """The place of transformed pixels in the frame."""

    @abstractmethod
    def block(self, rows: int) -> Repeated:
        """The results of rows, at the place that the frame holds and moves on."""

    @property
    def groups(self) -> int:
        return -(-self.tile.count // AT_ONCE)

    def function(self) -> Repeated:
        """The function."""
        tile = self.tile
        begin = joined(
            f"push {{{SAVED}, lr}}",
            moved("sp", -self.frame),
            [f"str {name}, {slot(at)}" for name, at in (("r0", _STREAM), ("r1", _WINDOWS_AT), ("r2", _RESULTS_AT))],
            f"movw r3, #{tile.count - AT_ONCE}",
        )
        # From the last windows to the first.
        places = joined(
            f"str r3, {slot(_AT)}",
            f"movw r12, #{tile.rows}",
            "mla r2, r3, r12, r2",
            f"str r2, {slot(OUT)}",
            f"movw r12, #{tile.step}",
            "mla lr, r3, r12, r1",
            f"add r2, sp, #{self.data}",
        )
        group = Repeated.once(places).followed_by(self.transformation).then((f"ldr r0, {slot(_STREAM)}",))
        for times, rows in row_blocks(tile.rows):
            block = self.block(rows).then((f"add r2, r2, #{rows}", f"str r2, {slot(OUT)}"))
            group = group.followed_by(counted_in_memory(block, times, slot(_BLOCKS_LEFT), "r3", 2))
        end = (
            f"ldr r1, {slot(_WINDOWS_AT)}",
            f"ldr r2, {slot(_RESULTS_AT)}",
            f"ldr r3, {slot(_AT)}",
            "cmp r3, #0",
            f"sub r3, r3, #{AT_ONCE}",
            "usat r3, #16, r3",
            "bne 1b",
        )
        code = Repeated.once(begin).followed_by(group.looped((), end, self.groups, 1))
        return code.then(joined(moved("sp", self.frame), f"pop {{{SAVED}, pc}}"))

    @property
    def stack(self) -> int:
        return SAVED_BYTES + self.frame

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)
