"""`estimate-cost`: what a program at L3 will take on a device, as an attribute of the module.

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

COST = "tinyml.cost"


@dataclass(frozen=True)
class EstimateCostPass(ModulePass):
    """Sets `tinyml.cost`: time of an inference in the unit of the device, flash and RAM (with stack) in bytes.

    device: as `tinyml run` knows it. Raises `InputError` for a device that no costs are known of.
    """

    name = "estimate-cost"
    device: str = "simavr"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = estimate_on(op, self.device, OPTIMIZE)
        if found is None:
            raise InputError(f"no costs are known of the device '{self.device}'")
        values = {"time": found.time, "flash": found.flash, "ram": found.ram}
        op.attributes[COST] = DictionaryAttr({name: FloatAttr(round(value), 64) for name, value in values.items()})
