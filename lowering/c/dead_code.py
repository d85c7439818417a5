"""Removal of dead code from a C program: ops on which no store, writing call or returned value depends."""

from __future__ import annotations

from collections import defaultdict

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import c


def remove_dead(program: c.ProgramOp) -> None:
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
    """True for an op of a live one that is not live itself; hints belong to what they stand in."""
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
