"""`lower-arith-to-c`: one function on integers, floats and memory becomes a C program (L4 to L5)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp, SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import c
from tinyml.dialects.c.types import CONST
from tinyml.dialects.errors import InputError
from tinyml.lowering.c.arithmetic import ARITHMETIC
from tinyml.lowering.c.caller_functions import caller_functions
from tinyml.lowering.c.control_flow import CONTROL_FLOW
from tinyml.lowering.c.function import FunctionLowering, unsupported
from tinyml.lowering.c.memory import MEMORY
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.transforms.ir.levels import BITS

SPELLINGS = {**ARITHMETIC, **MEMORY, **CONTROL_FLOW}


@dataclass(frozen=True)
class LowerArithToCPass(ModulePass):
    """Replace the module's content by a `c.program` with the functions `NAME_predict` and `NAME_scores`.

    The module holds one public function with a body, `(memref) -> ([index], [memref])`, and declarations of runtime
    functions. If the input is a view of the arena, the function takes no argument and `NAME_input` returns the input's
    address; if it arrives row by row (`received`), from the user's function `NAME_row`, there is no argument either.
    With `instances` in the interface, the functions take the memory of an instance as their first argument.
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
        _remove_dead(lowered)


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


def _remove_dead(program: c.ProgramOp) -> None:
    """Remove expressions, variables, loops, constants and the arena if nothing depends on them.

    Unlike `dce`, this recognises that a variable which is only read to update itself is dead.
    """
    functions = [op for op in program.body.block.ops if isinstance(op, c.FuncOp)]
    for function in functions:
        live = {function, *_live(function)}
        # A dead loop or branch takes its body with it.
        for op in [op for op in function.walk() if _is_dead(op, live)]:
            Rewriter.erase_op(op, safe_erase=False)
    used = {op.symbol for op in program.walk() if isinstance(op, c.SymbolOp)}
    used |= {op.arena for op in program.walk() if isinstance(op, c.ViewOp)}
    for op in list(program.walk()):
        if isinstance(op, c.PragmaOp) and op.symbol is not None and op.symbol not in used:
            Rewriter.erase_op(op)
        if isinstance(op.parent_op(), c.LoadedOp) or not isinstance(op, c.ConstantOp | c.ArenaOp | c.BufferOp):
            continue
        if SymbolRefAttr(op.sym_name) not in used:
            Rewriter.erase_op(op)


def _is_dead(op: Operation, live: set[Operation]) -> bool:
    """True for an op that is not live in one that is; a pragma lives as long as the op around it."""
    return op not in live and op.parent_op() in live and not isinstance(op, c.PragmaOp)


def _live(function: c.FuncOp) -> set[Operation]:
    assigned: dict[SSAValue, list[Operation]] = defaultdict(list)
    for op in function.walk():
        if isinstance(op, c.AssignOp):
            assigned[op.variable].append(op)
    live: set[Operation] = set()
    pending: list[Operation] = [op for op in function.walk() if isinstance(op, c.StoreOp | c.InvokeOp | c.ReturnOp)]
    while pending:
        op = pending.pop()
        if op in live or op is function:
            continue
        live.add(op)
        pending += [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
        if (parent := op.parent_op()) is not None:
            pending.append(parent)
        if isinstance(op, c.VariableOp):
            pending += assigned[op.result]
    return live
