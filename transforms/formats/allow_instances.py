"""`allow-instances`: lets the caller allocate a program's memory, so that several instances of a model can exist (L1).

Without this pass the arena is a static array, whose address the linker knows. Such programs are the fastest and
smallest.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import predict_function


@dataclass(frozen=True)
class AllowInstancesPass(ModulePass):
    """Set `instances` of the interface. `lower-arith-to-c` then emits a structure instead of static arrays.

    Raises `InputError` for an input that arrives row by row, because the function that provides the rows has no
    instance parameter.
    """

    name = "allow-instances"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        if tdsl.read_input(function).received is not None:
            raise InputError("an input that arrives row by row is that of one instance: leave out --instances")
        tdsl.update_interface(function, instances=True)
