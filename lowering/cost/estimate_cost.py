"""`estimate-cost`: what a program at L3 will take on a target, as an attribute of the module.

So that passes of the levels above, which search for formats, can ask for it by name.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.lowering.cost.model.estimate import estimate_on
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.registry import USUAL

COST = "tinyml.cost"


@dataclass(frozen=True)
class EstimateCostPass(ModulePass):
    """Sets `tinyml.cost`: time of an inference in the unit of the target, flash and RAM (with stack) in bytes.

    target: as `select-kernels` takes it. Raises `InputError` for one without a table of costs.
    """

    name = "estimate-cost"
    target: str = USUAL

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = estimate_on(op, self.target, OPTIMIZE)
        if found is None:
            raise InputError(f"no costs are known of the target '{self.target}'")
        values = {"time": found.time, "flash": found.flash, "ram": found.ram}
        op.attributes[COST] = DictionaryAttr({name: FloatAttr(round(value), 64) for name, value in values.items()})
