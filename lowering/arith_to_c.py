"""`lower-arith-to-c`: one function on integers, floats and memory becomes a C program (L4 to L5)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import c
from tinyml.dialects.c.types import CONST
from tinyml.dialects.errors import InputError
from tinyml.lowering.c.arithmetic import ARITHMETIC
from tinyml.lowering.c.control_flow import CONTROL_FLOW
from tinyml.lowering.c.dead_code import remove_dead
from tinyml.lowering.c.function import FunctionLowering, unsupported
from tinyml.lowering.c.interface.caller_functions import caller_functions
from tinyml.lowering.c.memory import MEMORY
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.transforms.ir.levels import BITS

SPELLINGS = {**ARITHMETIC, **MEMORY, **CONTROL_FLOW}


@dataclass(frozen=True)
class LowerArithToCPass(ModulePass):
    """Replaces the module's content by a `c.program` with the functions `NAME_predict` and `NAME_scores`.

    The module holds one public function with a body, `(memref) -> ([index], [memref])`, and declarations of runtime
    functions. If the input is a view of the arena, the function takes no argument and `NAME_input` returns the input's
    address; if it arrives row by row (`tdsl.received`), from the user's function `NAME_row`, there is no argument
    either. With `tdsl.instances`, the functions take the memory of an instance as their first argument.
    `tinyml.format` attributes (strings: number formats, spelled as types) of the argument, the results,
    constants and views become comments. Raises `InputError` for any other module and for operations without a C
    spelling.
    """

    name = "lower-arith-to-c"
    takes = BITS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = _model(op)
        program = ProgramBuilder(ctx, function)
        arguments = () if program.row_length is not None else function.args
        pointer = c.PointerType(program.input.element_type, CONST)
        types = (pointer if program.pushes is None else IndexType() for _ in arguments)
        names = (argument.name_hint or "X" for argument in arguments)
        body = program.signatures.body(dict(zip(names, types, strict=False)))
        FunctionLowering(program, body, SPELLINGS).lower_function(function)
        lowered = program.finish(body, caller_functions(program, body, SPELLINGS))
        for old in list(op.body.block.ops)[::-1]:
            Rewriter.erase_op(old, safe_erase=False)
        op.body.block.add_op(lowered)
        remove_dead(lowered)


def _model(module: ModuleOp) -> func.FuncOp:
    models: list[func.FuncOp] = []
    for op in module.ops:
        if not isinstance(op, func.FuncOp):
            raise unsupported(op)
        if not op.is_declaration:
            models.append(op)
    if len(models) != 1:
        raise InputError(f"expected one function with a body, got {len(models)}")
    return models[0]
