"""Lane functions in Helium code: each lane executes one iteration. The lanes are wide enough for all values.

If fewer iterations than lanes remain at the end, they are executed separately, with loads and stores under a predicate.
The innermost loop is a low-overhead loop. Short inner loops are unrolled.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from tinyml.dialects.num.kernels.lane_programs import LaneProgram
from tinyml.dialects.num.kernels.lane_unrolling import unrolled
from tinyml.targets.composer.instructions import Repeated, joined, stack_of
from tinyml.targets.composer.tile_code import Refused, RepeatedCode
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED
from tinyml.targets.helium.composer.element_groups import Group, counted
from tinyml.targets.helium.composer.element_registers import KEPT, Registers
from tinyml.targets.helium.mve import RESTORE_VECTORS, SAVE_VECTORS

_MAX_OPS = 64
"""The most ops of an iteration for which inner loops are unrolled."""


@dataclass(frozen=True)
class Elements(RepeatedCode):
    """The code for a lane function.

    `function` raises `Refused` if there are too few registers for runs, counters and values.
    """

    program: LaneProgram

    def function(self) -> Repeated:
        """The function. As many vectors and constants as possible remain in registers. Raises `Refused` if there are
        too few registers or an op is not supported.
        """
        flat = unrolled(self.program)
        for program in (flat, self.program) if len(flat.ops) <= _MAX_OPS else (self.program,):
            for kept in range(len(KEPT), -1, -1):
                with suppress(Refused):
                    return _function(Registers(program, kept, 1 + (program.lines > 1)))
        raise Refused


def _function(kept: Registers) -> Repeated:
    # Vectors are allocated while the iterations are composed.
    code = _lines(kept)
    saved, restored = ([SAVE_VECTORS], [RESTORE_VECTORS]) if kept.saves_vectors else ([], [])
    registers = [register for register in SAVED if register in kept.core]
    begin = joined(t.push((*registers, "lr")), saved)
    entered = Repeated.once(joined(begin, kept.loaded(stack_of(begin))))
    return entered.followed_by(code).then(joined(kept.ended(), restored, t.pop((*registers, "pc"))))


def _lines(kept: Registers) -> Repeated:
    program = kept.program
    whole, rest = divmod(program.count, kept.lanes)
    if rest == 0:
        whole, rest = whole - 1, kept.lanes
    ahead = [kept.lanes * advance * width // 8 for width, advance in zip(program.widths, program.advances, strict=True)]
    code = Repeated.once(())
    if whole:
        code = counted(Group(kept, kept.lanes, ahead).code, whole, kept.outer - 1)
    if program.lines == 1:
        return code.followed_by(Group(kept, rest, None).code)
    pitches = [pitch * width // 8 for width, pitch in zip(program.widths, program.pitches, strict=True)]
    last = [pitch - whole * each for pitch, each in zip(pitches, ahead, strict=True)]
    return counted(code.followed_by(Group(kept, rest, last).code), program.lines, 0)
