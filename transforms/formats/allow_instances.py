"""`allow-instances`: gives a program's memory to its callers, who may have several instances of the model (L1).

Without it the arena is a static array, at addresses that the linker knows, which costs the least.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.ir.attributes import argument_attribute


@dataclass(frozen=True)
class AllowInstancesPass(ModulePass):
    """Set `tdsl.instances` of the module, by which `lower-arith-to-c` writes a structure in place of static arrays.

    Raises `InputError` for an input that arrives row by row, from a function that knows of no instances.
    """

    name = "allow-instances"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function

        if argument_attribute(predict_function(op), tdsl.RECEIVED) is not None:
            raise InputError("an input that arrives row by row is that of one instance: leave out --instances")
        op.attributes[tdsl.INSTANCES] = UnitAttr()
