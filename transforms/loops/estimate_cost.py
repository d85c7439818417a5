"""`estimate-cost`: records an estimate of a program's time, flash and RAM on a target as a module attribute (L3).

Format searches, which work on a higher level, run this pass by its name (`ir/pipeline_names.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.registry import DEFAULT_TARGET
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_on
from tinyml.transforms.ir.levels import PROGRAM_LOOPS
from tinyml.transforms.ir.pipeline_names import ESTIMATE_COST, ProgramCost, set_cost


@dataclass(frozen=True)
class EstimateCostPass(ModulePass):
    """Set `tinyml.cost` of the module: time of a call with floats in the target's unit, flash and RAM (including
    stack) in bytes.

    The program itself is unchanged.

    target: as for `select-kernels`.

    Raises `InputError` for a target without a cost table.
    """

    name = ESTIMATE_COST
    takes = PROGRAM_LOOPS
    target: str = DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_cost(op, self.cost(op))

    def cost(self, op: ModuleOp) -> ProgramCost:
        """Return the estimated time, flash and RAM without setting the attribute. Raises the errors of the pass."""
        return ProgramCost.of(self.estimate(op))

    def estimate(self, op: ModuleOp) -> Estimate:
        """Return the estimate with the shares of operations and constants. Raises the errors of the pass."""
        estimate = estimate_on(op, self.target, OPTIMIZE)
        if estimate is None:
            raise InputError(f"no costs are known of the target '{self.target}'")
        return estimate
