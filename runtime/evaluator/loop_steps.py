"""The limit on loop iterations, checked before a program runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import func, scf
from xdsl.ir import Block
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.limits import step_limit
from tinyml.dialects.locations import error_at
from tinyml.runtime.evaluator.parallel_loops import nest_of


def check_steps(function: func.FuncOp, samples: int) -> None:
    """Raise `InputError` if one of a function's loops runs more operations than an inference may.

    samples: those evaluated together; the iterations of a parallel loop are for one sample, and count as one then.
    """
    if (op := long_loop(function, samples == 1)) is not None:
        steps, limit = _steps(op, samples == 1), step_limit()
        raise error_at(
            op, f"the loop runs {steps:,} operations in an inference, {limit:,} at most; --max-elements raises this"
        )


def long_loop(function: func.FuncOp, parallel: bool) -> scf.ForOp | None:
    """The first loop that runs more operations than an inference may, one iteration at a time unless `parallel`."""
    loops = [op for op in function.body.block.ops if isinstance(op, scf.ForOp)]
    return next((op for op in loops if _steps(op, parallel) > step_limit()), None)


def loop_steps(function: func.FuncOp, parallel: bool) -> int:
    """The operations that the loops of a function run, those of parallel loops together if `parallel`."""
    return sum(_steps(op, parallel) for op in function.body.block.ops if isinstance(op, scf.ForOp))


def _steps(loop: scf.ForOp, parallel: bool, together: int = 1) -> int:
    """The operations that a loop executes, including nested loops; variable bounds count as one iteration."""
    if parallel and (nest := nest_of(loop)) is not None and (count := nest.together(together)):
        first, *others = map(len, nest.taken)
        within = sum(
            _in_block(each.body.block, nest.loops, parallel, together * count * prod(others)) for each in nest.loops
        )
        return -(-first // count) * within
    bounds = [const_evaluate_operand(value) for value in (loop.lb, loop.ub, loop.step)]
    low, high, step = bounds
    trips = 1 if low is None or high is None or step is None or step <= 0 else max(-((low - high) // step), 0)
    return trips * _in_block(loop.body.block, (), parallel, together)


def _in_block(block: Block, nest: Sequence[scf.ForOp], parallel: bool, together: int) -> int:
    loops = [op for op in block.ops if isinstance(op, scf.ForOp)]
    return len(block.ops) - len(loops) + sum(_steps(op, parallel, together) for op in loops if op not in nest)
