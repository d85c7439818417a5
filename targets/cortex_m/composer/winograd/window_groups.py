"""Winograd's kernels: groups of adjacent windows, transformed in the stack frame once for all rows of weights.

S. Winograd, Arithmetic Complexity of Computations (1980); A. Lavin and S. Gray, Fast Algorithms for Convolutional
Neural Networks (CVPR 2016). Two adjacent windows cover four pixels, d0 to d3, which are multiplied by three columns of
weights, g0 to g2:

    y0 = (a + b) / 2 + c     a = (d1 + d2) (g0 + g1 + g2)     c = (d0 - d2) g0
    y1 = (a - b) / 2 + d     b = (d2 - d1) (g0 - g1 + g2)     d = (d3 - d1) g2

The halves are exact, since a + b = 2 (d2 (g0 + g2) + d1 g1) and a - b = 2 (d1 (g0 + g2) + d2 g1), so that results have
the same bits as sums of products. Everything else is exact modulo 2^32.

A group consists of four windows; the last group may overlap the one before. Four rows of weights at a time are
multiplied by a group, with eight sums in registers; the last rows follow in a block of two and a single one.

Registers are assigned by hand: the transformations take all of them, even those of pointers and arguments.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.nest import RowNest
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import slot
from tinyml.targets.cortex_m.composer.assembly import restored, saved
from tinyml.targets.cortex_m.composer.loops import counted_in_memory

AT_ONCE = 4
"""The number of windows in a line of a group."""

SUMS = (("r4", "r5"), ("r6", "r7"), ("r8", "r9"), ("r10", "r11"))
"""The sums of each row of weights, for the first and the second pair of windows."""

_STREAM, _WINDOWS_AT, _RESULTS_AT, _AT, OUT, FIRST_FREE, _BLOCKS_LEFT, STEPS_LEFT = (4 * place for place in range(8))
KEPT = 32
"""Byte offsets in the stack frame: slots, then spilled sums."""


@dataclass(frozen=True)
class WinogradNest(RowNest):
    """The kernel of a tile: r0 points into the weight stream, r2 to transformed pixels or results."""

    SATURATED = 0

    @property
    @abstractmethod
    def frame(self) -> int:
        """The bytes of the stack frame, 4 more than a multiple of 8."""

    @property
    @abstractmethod
    def transformation(self) -> Repeated:
        """Transforms a group of windows, to which lr points, into the stack frame, to which r2 points."""

    @property
    @abstractmethod
    def data(self) -> int:
        """The byte offset of transformed pixels in the stack frame."""

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        """The groups of windows, of which the last may overlap the one before."""
        return [(-(-self.tile.count // AT_ONCE), AT_ONCE)]

    def enter(self) -> Code:
        arguments = (("r0", _STREAM), ("r1", _WINDOWS_AT), ("r2", _RESULTS_AT))
        stores = [t.str_(name, slot(offset)) for name, offset in arguments]
        return joined(saved(self.frame), stores, t.movw("r3", self.tile.count - AT_ONCE))

    def leave(self) -> Code:
        return restored(self.frame)

    def load_windows(self, windows: int) -> Repeated:
        # Groups are computed from the last to the first.
        addresses = (
            t.str_("r3", slot(_AT)),
            t.movw("r12", self.tile.rows),
            t.mla("r2", "r3", "r12", "r2"),
            t.str_("r2", slot(OUT)),
            t.movw("r12", self.tile.step),
            t.mla("lr", "r3", "r12", "r1"),
            t.add("r2", "sp", self.data),
        )
        return Repeated.once(addresses).followed_by(self.transformation).then((t.ldr("r0", slot(_STREAM)),))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        block = block.then((t.add("r2", "r2", self.layout.groups[group][1]), t.str_("r2", slot(OUT))))
        return counted_in_memory(block, times, slot(_BLOCKS_LEFT), "r3", 2)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        end = (
            t.ldr("r1", slot(_WINDOWS_AT)),
            t.ldr("r2", slot(_RESULTS_AT)),
            t.ldr("r3", slot(_AT)),
            t.cmp("r3", 0),
            t.sub("r3", "r3", AT_ONCE),
            t.usat("r3", 16, "r3"),
            t.bne(back=1),
        )
        return code.looped((), end, times, 1)
