"""`inline-runtime`: calls of runtime functions on integers become the arithmetic that they stand for (L4).

For hardware, which has no functions. Shifts and widths among the operands have to be constants.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects.context import own_dialects
from tinyml.dialects.layouts.trees import FOREST
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS, RuntimeFunction


@dataclass(frozen=True)
class InlineRuntimePass(ModulePass):
    """Replace calls of runtime functions and erase the declarations.

    Raises `InputError` for a call of a function that has no such program: floats, kernels and forests.
    """

    name = "inline-runtime"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forests = {one.sym_name.data for one in op.ops if isinstance(one, func.FuncOp) and FOREST in one.attributes}
        for call in list(op.walk()):
            if not isinstance(call, func.CallOp):
                continue
            function = _function(name := call.callee.string_value())
            if name in forests:
                raise error_at(call, "a forest of trees has no hardware module: compile it for a processor")
            if function is None or function.program is None:
                raise error_at(call, f"'{name}' has no integer program")
            result = function.program(IntegerBuilder(call), *call.operands)
            call.results[0].replace_all_uses_with(result)
            Rewriter.erase_op(call)
        for declaration in list(op.ops):
            if isinstance(declaration, func.FuncOp) and declaration.is_declaration:
                Rewriter.erase_op(declaration)


def _function(name: str) -> RuntimeFunction | None:
    """The runtime function of a name; formats add theirs when they are first used."""
    if name not in RUNTIME_FUNCTIONS:
        for load in own_dialects().values():
            load()
    return RUNTIME_FUNCTIONS.get(name)
