"""The limit on loop iterations, checked before a program runs."""

from __future__ import annotations

from xdsl.dialects import func, scf
from xdsl.ir import Block
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.limits import step_limit
from tinyml.dialects.locations import error_at


def check_steps(function: func.FuncOp) -> None:
    """Raise `InputError` if one of a function's loops runs more operations than an inference may."""
    for op in function.body.block.ops:
        if isinstance(op, scf.ForOp) and (steps := _steps(op)) > (limit := step_limit()):
            raise error_at(
                op, f"the loop runs {steps:,} operations in an inference, {limit:,} at most; --max-elements raises this"
            )


def _steps(loop: scf.ForOp) -> int:
    """The operations that a loop executes, including nested loops; variable bounds count as one iteration."""
    bounds = [const_evaluate_operand(value) for value in (loop.lb, loop.ub, loop.step)]
    low, high, step = bounds
    trips = 1 if low is None or high is None or step is None or step <= 0 else max(-((low - high) // step), 0)
    return trips * _in_block(loop.body.block)


def _in_block(block: Block) -> int:
    return sum(_steps(op) if isinstance(op, scf.ForOp) else 1 for op in block.ops)
