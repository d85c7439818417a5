"""Rows of a matrix by a single window with a register tile of eight rows, for the DSP extension.

Four elements of the window at a time are widened in registers, once for all rows of a block.

Registers are assigned by hand, as in the other nests for rows, with which it shares epilogue and loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.targets.composer.instructions import Code, Instruction, joined
from tinyml.targets.composer.nest import RowNest, unrolled
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.row_blocks import in_powers_of_two
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import at, post, slot
from tinyml.targets.cortex_m.composer.assembly import moved, restored, saved
from tinyml.targets.cortex_m.composer.epilogues import requantised_rows
from tinyml.targets.cortex_m.composer.fetch import QUAD, parted_bytes
from tinyml.targets.cortex_m.composer.loops import counted_in_memory
from tinyml.targets.cortex_m.composer.multiply import halfwords
from tinyml.targets.cortex_m.composer.rows.quads import QUADS, Quads

_SUMS = ("r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
_STREAM, _WINDOW, _ELEMENTS, _WEIGHTS = "r0", "r1", ("r2", "r3"), ("r12", "lr")
_AT_WINDOW, _AT_OUT, _BLOCKS_LEFT, _AT_END = (slot(4 * number) for number in range(4))
_FRAME = 20
_FOUR = (t.ldr("r3", post(_WINDOW, 4)),)
_UNROLLED = {4096: 8, 0: 2}
"""The number of groups of four elements in an iteration, by the least number of weights."""


@dataclass(frozen=True)
class SingleWindow(RowNest):
    """The code for a tile of one window, which is a single run of at least four elements."""

    SATURATED = 0

    @property
    def layout(self) -> WeightStream:
        return Quads(self.tile).stream(in_powers_of_two(self.tile.rows, len(_SUMS)), QUADS)

    @property
    def fits(self) -> bool:
        return self.tile.runs == 1 and self.tile.length >= QUAD

    def quad(self, rows: int, load: Sequence[Instruction] = _FOUR) -> Code:
        """Adds the products of four elements and the weights of each row."""
        even, odd = _ELEMENTS
        *before, last = load
        lines = [before, parted_bytes(last, even, odd)]
        for sum in _SUMS[:rows]:
            lines += [
                parted_bytes(t.ldr("lr", post(_STREAM, 4)), *_WEIGHTS),
                halfwords((sum,), _WEIGHTS[0], even),
                halfwords((sum,), _WEIGHTS[1], odd),
            ]
        return joined(*lines)

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        return [(1, 1)]

    def load_windows(self, windows: int) -> Repeated:
        return Repeated.once(())

    def start(self, rows: int, windows: int) -> Code:
        return (t.ldm(_STREAM, _SUMS[:rows], update=True),)

    def products(self, rows: int, windows: int) -> Repeated:
        whole, rest = divmod(self.tile.length, QUAD)
        weights = self.tile.rows * self.tile.length
        at_once = next(count for least, count in _UNROLLED.items() if weights >= least)
        end = t.ldr("r3", _AT_END), t.cmp(_WINDOW, "r3"), t.bne(back=3)
        code = Repeated.once((t.ldr(_WINDOW, _AT_WINDOW),)).followed_by(
            unrolled(self.quad(rows), whole, at_once, lambda code, times: code.looped((), end, times, 3))
        )
        if rest:
            # The last four elements; those that have already been multiplied are replaced by zeros.
            load = t.ldr("r3", at(_WINDOW, rest - QUAD)), t.lsr("r3", "r3", 8 * (QUAD - rest))
            code = code.then(self.quad(rows, load))
        return code

    def finish(self, rows: int, windows: int) -> Code:
        sums = [(sum,) for sum in _SUMS[:rows]]
        results = requantised_rows(self.layout, sums, [(post("r2", 1),)] * rows)
        return joined(t.ldr("r2", _AT_OUT), results, t.str_("r2", _AT_OUT))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return counted_in_memory(block, times, _BLOCKS_LEFT, "r3", 1)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return code

    def enter(self) -> Code:
        end = moved("r1", self.tile.length - self.tile.length % QUAD)
        return joined(saved(_FRAME), t.str_("r1", _AT_WINDOW), t.str_("r2", _AT_OUT), end, t.str_("r1", _AT_END))

    def leave(self) -> Code:
        return restored(_FRAME)
