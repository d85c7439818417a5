"""Parallel loops, whose iterations are evaluated together, and the limit on the number of operations of loops.

The only effect of an iteration of a parallel loop is to insert parts into tensors, as in a pooling over patches. No
iteration reads elements that another iteration writes (`tdsl.insertion_in`). Iterations are therefore evaluated like
samples: every array has a leading axis over the iterations, of extent 1 if the array does not depend on the iteration.
Loops whose tensors are carried through a single inner loop form a nest. The iterations of all loops of a nest share one
axis, in execution order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.limits import step_limit
from tinyml.dialects.locations import error_at
from tinyml.dialects.loops import iterations_of, trips_of
from tinyml.dialects.tdsl.index_maps import insert_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray


Array: TypeAlias = "NDArray[Any]"

MOST_TOGETHER = 1 << 22
"""The maximum number of elements of a tensor over all iterations evaluated together."""


@dataclass(frozen=True)
class Nest:
    """Nested loops that can be evaluated together, outermost first.

    * loops: the loops.
    * taken: the range of each loop.
    * insertions: for each carried tensor, the op that inserts into it.
    * elements: the number of elements of the largest tensor that an iteration of the innermost loop computes.
    """

    loops: Sequence[scf.ForOp]
    taken: Sequence[range]
    insertions: Sequence[tdsl.InsertSliceOp]
    elements: int

    @property
    def iterations(self) -> int:
        return prod(map(len, self.taken))

    def together(self, samples: int) -> int:
        """The number of iterations of the outermost loop to evaluate together for `samples` samples; 0 if memory is
        insufficient for one iteration.
        """
        each = samples * self.elements * prod(map(len, self.taken[1:]))
        return min(MOST_TOGETHER // each, len(self.taken[0]))

    def stages(self, position: int) -> Sequence[SSAValue]:
        """The SSA values that represent the carried tensor at `position` within the loops: the block arguments, the
        result of the insertion, and the results of inner loops.
        """
        arguments = [loop.body.block.args[1 + position] for loop in self.loops]
        return [*arguments, self.insertions[position].out, *(loop.results[position] for loop in self.loops[1:])]


def nest_of(loop: scf.ForOp) -> Nest | None:
    """The nest whose outermost loop is `loop`; None for a loop that must run sequentially."""
    if not (taken := iterations_of(loop)) or not loop.iter_args:
        return None
    block = loop.body.block
    carried, last = block.args[1:], block.last_op
    assert last is not None
    insertions = [op for position in range(len(carried)) if (op := tdsl.insertion_in(loop, position)) is not None]
    if len(insertions) == len(carried):
        others = [value for op in loop.walk() for value in op.results if value not in (*last.operands, *loop.results)]
        sizes = [prod(tdsl.shape_of(value)) for value in others if isinstance(value.type, TensorType)]
        parts = [prod(tdsl.shape_of(op.part)) for op in insertions]
        return Nest([loop], [taken], insertions, max(*sizes, *parts, 1))
    inner = last.operands[0].owner
    if not isinstance(inner, scf.ForOp) or inner.parent is not block or list(inner.iter_args) != list(carried):
        return None
    if list(inner.results) != list(last.operands) or not all(x.has_one_use() for x in (*carried, *inner.results)):
        return None
    below = nest_of(inner)
    return below and Nest([loop, *below.loops], [taken, *below.taken], below.insertions, below.elements)


def captured(op: Operation) -> list[SSAValue]:
    """The values that are defined outside an op and used by ops nested in it."""
    nested = [inner for inner in op.walk() if inner is not op]
    inside = {value for inner in nested for value in inner.results}
    inside |= {argument for inner in op.walk() for region in inner.regions for argument in region.block.args}
    return [operand for inner in nested for operand in inner.operands if operand not in inside]


def counters(taken: Sequence[range]) -> list[Array]:
    """The induction variable of each loop, as an array over all iterations of a nest with the ranges `taken`."""
    return [grid.reshape(-1) for grid in np.meshgrid(*(np.array(each) for each in taken), indexing="ij")]


def insert(op: tdsl.InsertSliceOp, whole: Array, part: Array, offsets: Sequence[Any], iterations: int) -> None:
    """Insert the parts that several iterations of the op `op` computed into the array of each sample, in the order of
    the iterations.

    whole: the array of the carried tensor, shape (samples, ...).
    part: the parts of all iterations.
    offsets: the offsets of the parts along each axis.
    iterations: the number of iterations.
    """
    insert_parts(whole, part, offsets, op.order, np.arange(len(whole) * iterations) // iterations)


def beside(array: Array) -> Array:
    """The arrays of all iterations concatenated along the last axis, in the form of an array for one sample."""
    if len(array) == 1:
        return array
    moved = np.moveaxis(array, 0, -1)
    return moved.reshape(1, *moved.shape[:-2], -1)


def check_steps(function: func.FuncOp, samples: int) -> None:
    """Raise `InputError` if a loop of the function exceeds the limit on operations per inference.

    samples: the number of samples evaluated together. If it is 1, the iterations of a parallel loop that are evaluated
        together count as one iteration.
    """
    if (op := long_loop(function, samples == 1)) is not None:
        steps, limit = _steps(op, samples == 1), step_limit()
        raise error_at(
            op, f"the loop runs {steps:,} operations in an inference, {limit:,} at most; --max-elements raises this"
        )


def long_loop(function: func.FuncOp, parallel: bool) -> scf.ForOp | None:
    """The first loop that exceeds the limit on operations per inference; None if no loop exceeds it.

    parallel: true to count the iterations of a parallel loop that are evaluated together as one iteration.
    """
    loops = [op for op in function.body.block.ops if isinstance(op, scf.ForOp)]
    return next((op for op in loops if _steps(op, parallel) > step_limit()), None)


def loop_steps(function: func.FuncOp, parallel: bool) -> int:
    """The number of operations that the loops of a function execute.

    parallel: true to count the iterations of a parallel loop that are evaluated together as one iteration.
    """
    return sum(_steps(op, parallel) for op in function.body.block.ops if isinstance(op, scf.ForOp))


def _steps(loop: scf.ForOp, parallel: bool, together: int = 1) -> int:
    """The number of operations that a loop executes, including those of nested loops.

    parallel: as in `loop_steps`.
    together: the number of samples and outer iterations that are evaluated together.

    A loop with variable bounds counts as one iteration.
    """
    if parallel and (nest := nest_of(loop)) is not None and (count := nest.together(together)):
        first, *others = map(len, nest.taken)
        within = sum(
            _in_block(each.body.block, nest.loops, parallel, together * count * prod(others)) for each in nest.loops
        )
        return -(-first // count) * within
    trips = trips_of(loop)
    return (1 if trips is None else trips) * _in_block(loop.body.block, (), parallel, together)


def _in_block(block: Block, nest: Sequence[scf.ForOp], parallel: bool, together: int) -> int:
    loops = [op for op in block.ops if isinstance(op, scf.ForOp)]
    return len(block.ops) - len(loops) + sum(_steps(op, parallel, together) for op in loops if op not in nest)
