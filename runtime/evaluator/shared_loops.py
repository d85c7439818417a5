"""The loops of programs that are evaluated on the same data set (`shared_evaluator`).

Values of a loop's body that depend only on the loop's index are computed for all iterations at once. The arrays of such
values have two leading axes, over the samples and over the iterations. An axis has extent 1 if the values do not depend
on the sample or on the iteration. Both axes are merged into the single leading axis that ops expect. All other ops are
replayed iteration by iteration (`recorded_loops`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.loops import captured, iterations_of
from tinyml.dialects.tdsl.base import accumulator_elements
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.runtime.evaluator.execution import compute
from tinyml.runtime.evaluator.parallel_loops import run_at_once, run_loop
from tinyml.runtime.evaluator.recorded_loops import LoopSteps, iteration
from tinyml.runtime.evaluator.recorded_ops import Recorded
from tinyml.runtime.evaluator.shared_values import Numbering

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

GREATEST_BATCH = 1 << 23
"""The maximum number of elements of a tensor over all samples and iterations that are evaluated together."""


class SharedLoops:
    """The evaluation of the loops of one program.

    recorded, numbering: the recorded ops of the program, and the value numbers of all programs.
    samples: the number of samples in each chunk.
    chunk: the maximum of these numbers.
    """

    def __init__(self, recorded: Recorded, numbering: Numbering, samples: Sequence[int], chunk: int):
        self.recorded, self.numbering, self.samples, self.chunk = recorded, numbering, samples, chunk
        self._steps: dict[scf.ForOp, LoopSteps] = {}

    def results(self, loop: scf.ForOp, values: dict[SSAValue, Any], chunk: int) -> Sequence[Any]:
        """The results of a loop for one chunk of samples.

        values: the operands of the loop and the values that its body captures.
        """
        low, high, step = (values[value] for value in (loop.lb, loop.ub, loop.step))
        taken = range(low, high, step)
        if not taken:
            return [values[value] for value in loop.iter_args]
        if (results := run_at_once(loop, self.recorded.arithmetic, values)) is not None:
            return results
        batch = _Batch(self.recorded, loop, taken, values, chunk, self.samples[chunk])
        current = [values[value] for value in loop.iter_args]
        summed = [batch.summed(position, start) for position, start in enumerate(current)]
        if all(sum is not None for sum in summed):
            return cast("list[Array]", summed)
        rest = [op for op in loop.body.block.ops if op in batch.dependent]
        entering = batch.entering(rest)
        begun = 0
        if loop not in self._steps:
            # All iterations if there are nested loops, else the first iteration, in which ops are recorded.
            begun = len(taken) if any(isinstance(op, scf.ForOp) for op in rest) else 1
            current = self._iterations(loop, rest, taken[:begun], values, entering, current)
            if begun == len(taken):
                return current
            most = GREATEST_BATCH // (len(taken) * self.chunk)
            self._steps[loop] = LoopSteps(self.recorded, self.numbering, loop, rest, entering, most)
        return self._steps[loop].run(taken, begun, current, values, entering, chunk, batch.samples)

    def _iterations(
        self,
        loop: scf.ForOp,
        ops: Sequence[Operation],
        taken: range,
        values: Mapping[SSAValue, Any],
        entering: Mapping[SSAValue, Any],
        carried: Sequence[Any],
    ) -> Sequence[Any]:
        """The carried values after the iterations `taken` of a loop, which are evaluated op by op.

        ops: the ops of the body that are evaluated.
        values: the values that the body captures.
        entering: the values that depend only on the iteration.
        carried: the carried values before these iterations.
        """
        body = loop.body.block
        assert body.last_op is not None
        for index, i in enumerate(taken):
            local = {**values, **dict(zip(body.args, (i, *carried), strict=True))}
            local |= {value: iteration(value, result, index) for value, result in entering.items()}
            for op in ops:
                arguments = [local[operand] for operand in op.operands]
                if isinstance(op, scf.ForOp):
                    results = run_loop(op, self.recorded.arithmetic, local)
                else:
                    results = [self.recorded.compute(op, arguments)]
                local.update(zip(op.results, results, strict=True))
            carried = [local[value] for value in body.last_op.operands]
        return carried


class _Batch:
    """The values that a loop's body computes from the loop's index alone, for all iterations at once.

    dependent: the ops of the body that depend on iter_args, and ops whose results are too large to compute for all
        iterations.
    """

    def __init__(
        self,
        recorded: Recorded,
        loop: scf.ForOp,
        taken: range,
        values: dict[SSAValue, Any],
        chunk: int,
        samples: int,
    ):
        self.recorded = recorded
        self.loop = loop
        self.taken = taken
        self.values = values
        self.chunk = chunk
        self.samples = samples
        body = loop.body.block
        self.known: dict[SSAValue, Any] = {body.args[0]: np.array(taken)[None]}
        self.moving: set[SSAValue] = set(body.args[1:])
        self.dependent: set[Operation] = set()
        for op in list(body.ops)[:-1]:
            read = (*op.operands, *(captured(op) if op.regions else ()))
            if any(value in self.moving for value in read) or self._too_large(op):
                self.dependent.add(op)
                self.moving.update(op.results)

    @property
    def key(self) -> object:
        return self.taken

    def _too_large(self, op: Operation, times: int = 1) -> bool:
        if isinstance(op, scf.ForOp):
            steps = list(op.body.block.ops)[:-1]
            return times > 1 or _collected(op) is None or any(self._too_large(step, len(_range(op))) for step in steps)
        tensors = [value for value in op.results if isinstance(value.type, TensorType)]
        sizes = [int(np.prod(tdsl.shape_of(value))) for value in tensors]
        return max(sizes, default=1) * times * len(self.taken) * self.samples > GREATEST_BATCH

    def of(self, value: SSAValue) -> Any:
        if value in self.known:
            return self.known[value]
        if value in self.values:
            return _with_iterations(self.values[value])
        op = value.owner
        assert isinstance(op, Operation)
        key = self.chunk, self.key, self.recorded.numbers[value]
        kept = self.recorded.kept
        if key in kept:
            self.known[value] = kept[key]
        else:
            kept[key] = self.known[value] = self._compute(op)
        return self.known[value]

    def _compute(self, op: Operation) -> Any:
        if isinstance(op, scf.ForOp):
            return _Nested(self, op).collected
        return _compute_batched(self.recorded.arithmetic, op, [self.of(operand) for operand in op.operands])

    def entering(self, rest: Sequence[Operation]) -> dict[SSAValue, Any]:
        """The results of independent ops that dependent ops use or that the loop yields, by SSA value. Independent ops
        are those that are not in `dependent`.

        rest: the dependent ops.
        """
        last = self.loop.body.block.last_op
        assert last is not None
        used = {operand for op in rest for operand in (*op.operands, *(captured(op) if op.regions else ()))}
        inside = [value for value in (*used, *last.operands) if value.owner.parent is self.loop.body.block]
        return {value: self.of(value) for value in inside if value not in self.moving}

    def summed(self, position: int, start: Any) -> Array | None:
        """The sum of products `weights * factor` that the loop carries, computed as a matrix product that adds in the
        same order.

        position: the position of the sum among the carried values.
        start: the initial sum.

        Returns None for other sums.
        """
        carried = self.loop.body.block.args[1 + position]
        last = self.loop.body.block.last_op
        assert last is not None
        mac = last.operands[position].owner
        if not (isinstance(mac, tdsl.MacOp) and mac.sum is carried and carried.has_one_use()):
            return None
        if mac.lhs in self.moving or mac.rhs in self.moving:
            return None
        weight, factor = (mac.lhs, mac.rhs) if tdsl.shape_of(mac.lhs) == tdsl.shape_of(mac.out) else (mac.rhs, mac.lhs)
        if tdsl.shape_of(weight) != tdsl.shape_of(mac.out) or tdsl.shape_of(weight)[1:] != (1,):
            return None
        if tdsl.shape_of(factor) != (1, 1):
            return None
        weights, factors = (
            np.broadcast_to(x, (x.shape[0], len(self.taken), *x.shape[2:]))[..., 0]
            for x in (self.of(weight), self.of(factor))
        )
        formats = tdsl.format_of(weight), tdsl.format_of(factor)
        accumulator = accumulator_elements(mac.out)
        return accumulator.matmul(weights.swapaxes(1, 2), formats[0], factors, formats[1], start)


class _Nested(_Batch):
    """The vector that an inner loop fills, for all iterations of the inner and the outer loop at once."""

    def __init__(self, outer: _Batch, loop: scf.ForOp):
        super().__init__(outer.recorded, loop, _range(loop), {}, outer.chunk, outer.samples)
        self.outer = outer
        self.known = {loop.body.block.args[0]: np.tile(self.taken, len(outer.taken))[None]}

    @property
    def key(self) -> object:
        return self.outer.key, self.taken

    @property
    def collected(self) -> Array:
        """The vector that the inner loop fills, for each sample and each iteration of the outer loop."""
        part = _collected(self.loop)
        assert part is not None
        result = self.of(part)
        whole = np.broadcast_to(result, (len(result), len(self.outer.taken) * len(self.taken), 1, 1))
        return whole.reshape(len(result), len(self.outer.taken), len(self.taken), 1)

    def of(self, value: SSAValue) -> Any:
        if value in self.known or value.owner.parent is self.loop.body.block:
            return super().of(value)
        outside = self.outer.of(value)
        if np.ndim(outside) and outside.shape[1] > 1:
            outside = outside.repeat(len(self.taken), 1)
        return self.known.setdefault(value, outside)


def _range(loop: scf.ForOp) -> range:
    return iterations_of(loop) or range(0)


def _collected(loop: scf.ForOp) -> SSAValue | None:
    """The element that a loop inserts into a vector in each iteration until the vector is filled.

    Returns None for any other loop.
    """
    if len(loop.iter_args) != 1 or (insert := tdsl.insertion_in(loop, 0)) is None:
        return None
    first, *others = insert.offsets
    starts = [const_evaluate_operand(offset) for offset in others]
    length, *width = tdsl.shape_of(insert.out)
    fills = width == [1] and tdsl.shape_of(insert.part) == (1, 1) and starts == [0]
    in_order = first is loop.body.block.args[0] and _range(loop) == range(length)
    return insert.part if fills and in_order else None


def _with_iterations(value: Any) -> Any:
    """A loop-invariant value as an array with an additional axis of extent 1 over iterations. Integers are returned
    unchanged.
    """
    return value[:, None] if np.ndim(value) else value


def _compute_batched(arithmetic: Arithmetic, op: Operation, arguments: Sequence[Any]) -> Any:
    """The result of an op for each sample and iteration, as `compute` returns it for one iteration."""
    if isinstance(op, tdsl.IndexOp) and np.ndim(arguments[1]) and len(arguments[1]) == 1 == arguments[0].shape[1]:
        return arguments[0][:, 0][:, arguments[1][0]]
    if isinstance(op, tdsl.SquaredDistanceOp) and (pairs := _distances(arithmetic, op, *arguments)) is not None:
        return pairs
    arrays = [argument for argument in arguments if np.ndim(argument)]
    samples, iterations = (max((array.shape[axis] for array in arrays), default=1) for axis in (0, 1))
    result = compute(arithmetic, op, [_folded(argument, samples, iterations) for argument in arguments])
    if not np.ndim(result):
        return result
    return result.reshape(*((1, 1) if len(result) == 1 else (samples, iterations)), *result.shape[1:])


def _distances(arithmetic: Arithmetic, op: tdsl.SquaredDistanceOp, lhs: Array, rhs: Array) -> Array | None:
    """The squared distance between the vector of each sample and the vector of each iteration.

    Returns None if an operand depends on both the sample and the iteration.
    """
    if arithmetic.machine is None or lhs.shape[1] > 1 or len(rhs) > 1:
        return None
    return op.bits_of_pairs(arithmetic.machine, lhs[:, 0], rhs[0])


def _folded(value: Any, samples: int, iterations: int) -> Any:
    if not np.ndim(value) or value.shape[:2] == (1, 1):
        return value[0] if np.ndim(value) else value
    whole = np.broadcast_to(value, (samples, iterations, *value.shape[2:]))
    return whole.reshape(samples * iterations, *value.shape[2:])
