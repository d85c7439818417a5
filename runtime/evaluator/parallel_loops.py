"""The evaluation of loops, the number of operations that they execute, and parallel loops, whose iterations are
evaluated together.

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
from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.loops import captured, iterations_of, trips_of
from tinyml.dialects.tdsl.index_maps import insert_parts
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.runtime.evaluator.execution import Observer, Run

if TYPE_CHECKING:
    from numpy.typing import NDArray


Array: TypeAlias = "NDArray[Any]"

MAX_TOGETHER = 1 << 22
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
        return min(MAX_TOGETHER // each, len(self.taken[0]))

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


def run_loop(loop: scf.ForOp, arithmetic: Arithmetic, values: dict[SSAValue, Any]) -> Sequence[Any]:
    """The results of a loop in the given arithmetic, executed iteration by iteration.

    values: the values of all operands of the loop, and of all values that its body captures.
    """
    run = LoopRun(arithmetic, None)
    run.values = dict(values)
    return run.loop(loop, [values[operand] for operand in loop.operands])


def run_at_once(loop: scf.ForOp, arithmetic: Arithmetic, values: dict[SSAValue, Any]) -> Sequence[Any] | None:
    """The results of a parallel loop, executed for many iterations at once, as `run_loop` returns them.

    values: as in `run_loop`.

    Returns None for a loop that is not parallel, and for several samples.
    """
    run = LoopRun(arithmetic, None)
    run.values = dict(values)
    return run.at_once(loop, [values[operand] for operand in loop.iter_args])


class LoopRun(Run):
    """The evaluation of a program with loops on one chunk of samples.

    together: the number of iterations of parallel loops that are evaluated together for a single sample; 1 outside
        parallel loops.
    """

    def __init__(self, arithmetic: Arithmetic, observe: Observer | None, together: int = 1):
        super().__init__(arithmetic, observe)
        self.together = together
        self.nests: dict[scf.ForOp, Nest | None] = {}

    def bind(self, value: SSAValue, result: Any) -> None:
        if self.together == 1 or self.observe is None or not isinstance(value.type, TensorType):
            super().bind(value, result)
        else:
            self.values[value] = result
            self.observe(value, _beside(result))

    def results(self, op: Operation, arguments: Sequence[Any]) -> Sequence[Any]:
        return self.loop(op, arguments) if isinstance(op, scf.ForOp) else super().results(op, arguments)

    def loop(self, op: scf.ForOp, arguments: Sequence[Any]) -> Sequence[Any]:
        """The results of a loop for the given values of its operands."""
        low, high, step, *carried = arguments
        if (results := self.at_once(op, carried)) is not None:
            return results
        for i in range(low, high, step):
            self.bind(op.body.block.args[0], i)
            for argument, value in zip(op.body.block.args[1:], carried, strict=True):
                self.bind(argument, value)
            carried = list(self.block(op.body.block))
        return carried

    def at_once(self, op: scf.ForOp, carried: Sequence[Any]) -> Sequence[Any] | None:
        """The results of a parallel loop with the initial values `carried`, computed in batches of iterations; None for
        other loops, and for several samples.
        """
        if op not in self.nests:
            self.nests[op] = nest_of(op)
        if (nest := self.nests[op]) is None or (count := nest.together(self.together)) == 0:
            return None
        outside = {value: self.values[value] for value in captured(op)}
        if any(np.ndim(array) and len(array) not in (1, self.together) for array in (*outside.values(), *carried)):
            return None
        first, *others = nest.taken
        wholes = [np.repeat(array, self.together // len(array), 0) for array in carried]
        for start in range(0, len(first), count):
            indices = counters([first[start : start + count], *others])
            run = LoopRun(self.arithmetic, self.observe, self.together * len(indices[0]))
            run.nests = self.nests
            run.values = {value: _repeated(array, len(indices[0])) for value, array in outside.items()}
            for loop, index in zip(nest.loops, indices, strict=True):
                run.values[loop.body.block.args[0]] = np.tile(index, self.together)
            run._iterations(nest, wholes)
        if self.observe is not None:
            for position, whole in enumerate(wholes):
                self.observe(op.body.block.args[1 + position], _beside(carried[position]))
                for value in nest.stages(position):
                    self.observe(value, _beside(whole))
        return wholes

    def _iterations(self, nest: Nest, wholes: Sequence[Array]) -> None:
        targets = dict(zip(nest.insertions, wholes, strict=True))
        for inside in (op for loop in nest.loops for op in loop.body.block.ops):
            if isinstance(inside, tdsl.InsertSliceOp) and inside in targets:
                part, offsets = self.values[inside.part], [self.values[offset] for offset in inside.offsets]
                insert(inside, targets[inside], part, offsets, self.together // len(targets[inside]))
            elif not isinstance(inside, scf.YieldOp) and inside not in nest.loops:
                arguments = [self.values[operand] for operand in inside.operands]
                for value, result in zip(inside.results, self.results(inside, arguments), strict=True):
                    self.bind(value, result)


def _beside(array: Array) -> Array:
    """The arrays of all iterations concatenated along the last axis, in the form of an array for one sample."""
    if len(array) == 1:
        return array
    moved = np.moveaxis(array, 0, -1)
    return moved.reshape(1, *moved.shape[:-2], -1)


def _repeated(value: Any, times: int) -> Any:
    """The value of each current iteration, repeated `times` times, once for each iteration of an inner loop."""
    return np.repeat(value, times, 0) if np.ndim(value) and len(value) > 1 else value


def executed_steps(loop: scf.ForOp, parallel: bool, together: int = 1) -> int:
    """The number of operations that a loop executes, including those of nested loops.

    parallel: true to count the iterations of a parallel loop that are evaluated together as one iteration.
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
    return len(block.ops) - len(loops) + sum(executed_steps(op, parallel, together) for op in loops if op not in nest)
