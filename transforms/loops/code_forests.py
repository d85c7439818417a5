"""`code-forests`: turns decision forests into calls of functions (L3).

A function evaluates a forest either by reading tables or by code that contains the thresholds. Code is faster and
larger. Among the programs that fit the flash, the pass chooses the one that is fastest according to the cost model.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.targets.registry import HOST, compile_for
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.pipeline_names import LOOPS_TO_KERNELS, LoweringPasses
from tinyml.transforms.loops.flash.forest_coding import code_forests


@dataclass(frozen=True)
class CodeForestsPass(ModulePass):
    """Replace every `num.forest` by the call of a `#num.coded_forest`.

    target: as for `select-kernels`.
    flash: the maximum size of the program in bytes, by default nine tenths of the board's flash; if no program fits,
        the smallest is chosen.
    ram: as for `spend-flash`; functions that need more stack are not considered.
    packed: as for `pack-constants`.
    pack_buffers: whether `place-arrays` runs.

    Raises `InputError` for an unknown target, and for forests that are too large for the board.
    """

    name = "code-forests"
    takes = LOOPS
    target: str = HOST
    flash: int | None = None
    ram: int | None = None
    packed: str = "auto"
    pack_buffers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(each.name == "num.forest" for each in op.walk()):
            compile_for(op, self.target)
            below = LoweringPasses(
                (LOOPS_TO_KERNELS,), target=self.target, packed=self.packed, pack_buffers=self.pack_buffers
            )
            code_forests(op, self.target, self.flash, self.ram, below)
