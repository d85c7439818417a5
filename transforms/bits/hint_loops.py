"""`hint-loops`: sets unrolling hints in a program's C, from which high-level synthesis generates hardware (L4).

SeeDot adds an unrolling hint for each loop to the C that Vivado HLS compiles (section 6.2.2). Here each hint is the
number of elements that `unroll-loops` would process at once in hardware generated from the same program's IR. Hardware
from C and hardware from IR therefore have the same budget of logic cells.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.targets.registry import board, target_of
from tinyml.transforms.ir.conditional_pass import ConditionalPass


@dataclass(frozen=True)
class HintLoopsPass(ConditionalPass):
    """Add hints for pipelining and unrolling to innermost loops, and hints for partitioning to the arrays from which
    unrolled loops load.

    cells: the budget of logic cells, as in `unroll-loops`.

    Programs whose target is not an FPGA are unchanged. Raises `InputError` for a program that cannot be lowered to
    hardware.
    """

    name = "hint-loops"
    cells: int = 0

    def obstacle(self, module: ModuleOp) -> str | None:
        target = target_of(module)
        return f"{target} has no logic fabric" if board(target).fabric is None else None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is None:
            # Only FPGAs need the dialect rtl, whose ops are slow to load.
            from tinyml.transforms.rtl.unrolling.loop_hints import hint_loops

            hint_loops(op, self.cells)
