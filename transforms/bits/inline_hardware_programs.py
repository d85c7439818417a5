"""`inline-hardware-programs`: replaces calls of runtime functions by programs that are slow on processors, for hardware
(L4).

Square roots, reciprocals and logarithms are functions in C. In hardware, which has no function calls, all products of
such a function share one multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.machine.hardware_programs import PROGRAMS
from tinyml.transforms.bits.inline_runtime import inline_programs


@dataclass(frozen=True)
class InlineHardwareProgramsPass(ModulePass):
    """Replace calls of the functions in `hardware_programs.PROGRAMS` by integer ops, and erase the declarations of
    functions that are no longer called. Calls of other functions are unchanged.
    """

    name = "inline-hardware-programs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_programs(op, PROGRAMS)
