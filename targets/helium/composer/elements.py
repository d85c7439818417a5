"""Loops over elements: as many iterations at a time as a vector has lanes of the width that all values need.

If fewer iterations than that remain at the end, they run separately, with loads and stores under a predicate. The
innermost loop is a low-overhead one. Short inner loops are unrolled.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.layouts.element_loops import ElementLoop
from tinyml.targets.composer.instructions import Repeated, joined, stack_of
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED
from tinyml.targets.helium.composer.element_groups import Group, counted
from tinyml.targets.helium.composer.element_registers import KEPT, Registers, Unassigned
from tinyml.targets.helium.mve import RESTORE_VECTORS, SAVE_VECTORS

_MOST_STEPS = 64
"""The most steps of an iteration for which inner loops are unrolled."""


@dataclass(frozen=True)
class Elements(RepeatedCode):
    """The code for a loop."""

    loop: ElementLoop

    @cached_property
    def fits(self) -> bool:
        """True if there are registers for runs, counters and values."""
        try:
            return len(self.code.lines) > 0
        except Unassigned:
            return False

    def function(self) -> Repeated:
        """The function in which as many vectors and constants stay in registers as leave enough registers for
        values.
        """
        unrolled = self.loop.unrolled
        for loop in (unrolled, self.loop) if len(unrolled.steps) <= _MOST_STEPS else (self.loop,):
            for kept in range(len(KEPT), -1, -1):
                with suppress(Unassigned):
                    return _function(Registers(loop, kept, 1 + (loop.lines > 1)))
        raise Unassigned


def _function(kept: Registers) -> Repeated:
    # Vectors are allocated while the iterations are composed.
    code = _lines(kept)
    saved, restored = ([SAVE_VECTORS], [RESTORE_VECTORS]) if kept.saves_vectors else ([], [])
    registers = [register for register in SAVED if register in kept.core]
    begin = joined(t.push((*registers, "lr")), saved)
    entered = Repeated.once(joined(begin, kept.loaded(stack_of(begin))))
    return entered.followed_by(code).then(joined(kept.ended(), restored, t.pop((*registers, "pc"))))


def _lines(kept: Registers) -> Repeated:
    """The iterations of all lines; pointers advance from a line to the next."""
    loop = kept.loop
    whole, rest = divmod(loop.count, kept.lanes)
    if rest == 0:
        whole, rest = whole - 1, kept.lanes
    ahead = [kept.lanes * advance * width // 8 for width, advance in zip(loop.widths, loop.advances, strict=True)]
    code = Repeated.once(())
    if whole:
        code = counted(Group(kept, kept.lanes, ahead).code, whole, kept.outer - 1)
    if loop.lines == 1:
        return code.followed_by(Group(kept, rest, None).code)
    pitches = [pitch * width // 8 for width, pitch in zip(loop.widths, loop.pitches, strict=True)]
    last = [pitch - whole * each for pitch, each in zip(pitches, ahead, strict=True)]
    return counted(code.followed_by(Group(kept, rest, last).code), loop.lines, 0)
