"""Runs many programs that have much in common on one data set, each bit as `evaluate` gives it.

What several programs compute alike is computed once (`shared_results`), and what an iteration of a loop computes from
its index alone is computed for all iterations at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.tdsl.accumulation import accumulator_elements
from tinyml.runtime.evaluator.evaluator import CHUNK, Outputs, compute, predict_function, run_loop
from tinyml.runtime.evaluator.loop_batching import compute_batched, iteration, with_iterations
from tinyml.runtime.evaluator.tapes import Recorded
from tinyml.runtime.evaluator.value_numbering import Kept, Numbering

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

CAPACITY = 1 << 28
"""Bytes of results that are kept for other programs."""

GREATEST_BATCH = 1 << 23
"""Elements of a tensor over samples and iterations up to which iterations are taken together."""


class SharedEvaluator:
    """inputs: reals of shape (samples, elements), in chunks of `CHUNK` samples, which are evaluated one by one."""

    def __init__(self, inputs: Array, capacity: int = CAPACITY):
        self.chunks = [inputs[start : start + CHUNK].astype(np.float64) for start in range(0, len(inputs), CHUNK)]
        self.numbering = Numbering()
        self.kept = Kept(capacity)

    def prepare(self, module: ModuleOp) -> SharedProgram:
        """A program at L1, ready to be evaluated."""
        return SharedProgram(self, module)


class SharedProgram:
    """One program; raises what `evaluate` raises."""

    def __init__(self, evaluator: SharedEvaluator, module: ModuleOp):
        self.evaluator = evaluator
        self.kept = evaluator.kept
        self.function = predict_function(module)
        self.numbers = evaluator.numbering.of_program(module)
        self.recorded = Recorded(evaluator.kept)
        self.arithmetic = self.recorded.arithmetic

    @property
    def score_format(self) -> NumberFormat:
        """The format of the scores, of a program that has some."""
        last = cast(func.ReturnOp, self.function.body.block.last_op)
        return next(tdsl.format_of(value) for value in last.operands if isinstance(value.type, TensorType))

    def outputs(self, chunk: int) -> Outputs:
        """Labels and scores of the samples of one chunk."""
        inputs = self.evaluator.chunks[chunk]
        [argument] = self.function.body.block.args
        last = cast(func.ReturnOp, self.function.body.block.last_op)
        raws = element_format(argument.type).encode(inputs.reshape(-1, *tdsl.shape_of(argument)))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            values = self._demanded(self.function.body.block, last.operands, {argument: raws}, chunk)
        labels = scores = None
        for value in last.operands:
            result = values[value]
            if isinstance(value.type, TensorType):
                scores = np.broadcast_to(result, (len(inputs), *result.shape[1:])).reshape(len(inputs), -1)
            else:
                labels = np.broadcast_to(np.asarray(result, np.int64), (len(inputs),))
        return Outputs(labels, scores)

    def compared(self, chunk: int) -> Array | None:
        """The scores of the samples of one chunk in reals, as finely as the label is found from them.

        Where exact sums are compared, scores that were rounded to an output say less. None without scores.
        """
        block = self.function.body.block
        last = cast(func.ReturnOp, block.last_op)
        scores = next((value for value in last.operands if isinstance(value.type, TensorType)), None)
        if scores is None:
            return None
        format, source, bound = tdsl.format_of(scores), scores, None
        if isinstance(scores.owner, tdsl.FinishOp):
            finish = scores.owner
            if any(isinstance(use.operation, tdsl.ArgmaxOp) for use in finish.input.uses):
                format, source, bound = format.in_register(), finish.input, finish.sum_bound
        inputs = self.evaluator.chunks[chunk]
        [argument] = block.args
        raws = element_format(argument.type).encode(inputs.reshape(-1, *tdsl.shape_of(argument)))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            result = self._demanded(block, [source], {argument: raws}, chunk)[source]
            if source is not scores:
                result = format.finish(self.arithmetic.machine, result, accumulator_elements(source), bound)
        return np.broadcast_to(format.decode(result), (len(inputs), *result.shape[1:])).reshape(len(inputs), -1)

    def _demanded(
        self, block: Block, wanted: Sequence[SSAValue], values: dict[SSAValue, Any], chunk: int
    ) -> dict[SSAValue, Any]:
        """The values of a block that are wanted, and what they need that is not kept."""
        needed: set[Operation] = set()
        waiting = list(wanted)
        while waiting:
            value = waiting.pop()
            key = chunk, self.numbers[value]
            if value in values or value.owner in needed:
                continue
            if key in self.kept:
                values[value] = self.kept[key]
                continue
            assert isinstance(value.owner, Operation)
            needed.add(value.owner)
            waiting += value.owner.operands
            if isinstance(value.owner, scf.ForOp):
                waiting += _captured(value.owner)
        for op in block.ops:
            if op not in needed:
                continue
            if isinstance(op, scf.ForOp):
                results = self._loop(op, values, chunk)
            else:
                results = [compute(self.arithmetic, op, [values[operand] for operand in op.operands])]
            for value, result in zip(op.results, results, strict=True):
                values[value] = result
                if not isinstance(op, tdsl.ConstOp):
                    self.kept[chunk, self.numbers[value]] = result
        return values

    def _loop(self, loop: scf.ForOp, values: dict[SSAValue, Any], chunk: int) -> Sequence[Any]:
        low, high, step = (values[value] for value in (loop.lb, loop.ub, loop.step))
        counter, *carried = loop.body.block.args
        taken = range(low, high, step)
        if not taken:
            return [values[value] for value in loop.iter_args]
        batch = _Batch(self, loop, taken, values, chunk)
        current = [values[value] for value in loop.iter_args]
        summed = [batch.summed(position, start) for position, start in enumerate(current)]
        if all(one is not None for one in summed):
            return cast("list[Array]", summed)
        *steps, last = loop.body.block.ops
        rest = [op for op in steps if op in batch.dependent]
        entering = batch.entering(rest)
        for place, i in enumerate(taken):
            local = {**values, counter: i, **dict(zip(carried, current, strict=True))}
            local |= {value: iteration(value, result, place) for value, result in entering.items()}
            for op in rest:
                arguments = [local[operand] for operand in op.operands]
                if isinstance(op, scf.ForOp):
                    results = run_loop(op, self.arithmetic, local)
                else:
                    results = [self.recorded.compute(op, arguments)]
                local.update(zip(op.results, results, strict=True))
            current = [local[value] for value in last.operands]
        return current


class _Batch:
    """The values that a loop computes from its index alone, for all iterations at once.

    dependent: the ops of the body that need what is carried, and the loops in it. Arrays have two leading axes, over
    samples and over iterations, of extent 1 where nothing depends on them.
    """

    def __init__(self, program: SharedProgram, loop: scf.ForOp, taken: range, values: dict[SSAValue, Any], chunk: int):
        self.program = program
        self.loop = loop
        self.taken = taken
        self.values = values
        self.chunk = chunk
        self.samples = len(program.evaluator.chunks[chunk])
        body = loop.body.block
        self.known: dict[SSAValue, Any] = {body.args[0]: np.array(taken)[None]}
        self.moving: set[SSAValue] = set(body.args[1:])
        self.dependent: set[Operation] = set()
        for op in list(body.ops)[:-1]:
            read = (*op.operands, *(_captured(op) if op.regions else ()))
            if any(value in self.moving for value in read) or self._too_large(op):
                self.dependent.add(op)
                self.moving.update(op.results)

    @property
    def key(self) -> object:
        """Tells what is kept for these iterations from what is for others."""
        return self.taken

    def _too_large(self, op: Operation, times: int = 1) -> bool:
        if isinstance(op, scf.ForOp):
            steps = list(op.body.block.ops)[:-1]
            return times > 1 or _collected(op) is None or any(self._too_large(one, len(_range(op))) for one in steps)
        tensors = [value for value in op.results if isinstance(value.type, TensorType)]
        sizes = [int(np.prod(tdsl.shape_of(value))) for value in tensors]
        return max(sizes, default=1) * times * len(self.taken) * self.samples > GREATEST_BATCH

    def of(self, value: SSAValue) -> Any:
        """A value of the body, or of outside of it, for all iterations."""
        if value in self.known:
            return self.known[value]
        if value in self.values:
            return with_iterations(self.values[value])
        op = value.owner
        assert isinstance(op, Operation)
        key = self.chunk, self.key, self.program.numbers[value]
        kept = self.program.kept
        if key in kept:
            self.known[value] = kept[key]
        else:
            kept[key] = self.known[value] = self._compute(op)
        return self.known[value]

    def _compute(self, op: Operation) -> Any:
        if isinstance(op, scf.ForOp):
            return _Nested(self, op).collected
        return compute_batched(self.program.arithmetic, op, [self.of(operand) for operand in op.operands])

    def entering(self, rest: Sequence[Operation]) -> dict[SSAValue, Any]:
        """The results of independent ops that dependent ones read or the loop carries."""
        last = self.loop.body.block.last_op
        assert last is not None
        used = {operand for op in rest for operand in (*op.operands, *(_captured(op) if op.regions else ()))}
        inside = [value for value in (*used, *last.operands) if value.owner.parent is self.loop.body.block]
        return {value: self.of(value) for value in inside if value not in self.moving}

    def summed(self, position: int, start: Any) -> Array | None:
        """A carried sum of `weights * factor` by a product of matrices, which adds in the same order."""
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
    """The vector that a loop inside another one collects, for all iterations of both at once."""

    def __init__(self, outer: _Batch, loop: scf.ForOp):
        super().__init__(outer.program, loop, _range(loop), {}, outer.chunk)
        self.outer = outer
        self.known = {loop.body.block.args[0]: np.tile(self.taken, len(outer.taken))[None]}

    @property
    def key(self) -> object:
        return self.outer.key, self.taken

    @property
    def collected(self) -> Array:
        """The vector that the loop fills, for each sample and iteration of the outer loop."""
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
    """The iterations of a loop between constants; none of another."""
    bounds = [const_evaluate_operand(value) for value in (loop.lb, loop.ub, loop.step)]
    return range(0) if None in bounds else range(*cast("list[int]", bounds))


def _collected(loop: scf.ForOp) -> SSAValue | None:
    """The single number that a loop puts into a vector in each iteration, and by which it fills it."""
    last = loop.body.block.last_op
    assert last is not None
    if len(last.operands) != 1 or not isinstance(insert := last.operands[0].owner, tdsl.InsertSliceOp):
        return None
    counter, carried = loop.body.block.args
    first, *others = insert.offsets
    whole = insert.input is carried and carried.has_one_use() and first is counter
    starts = [const_evaluate_operand(one) for one in others]
    length = tdsl.shape_of(carried)[0]
    fills = tdsl.shape_of(carried) == (length, 1) and tdsl.shape_of(insert.part) == (1, 1) and starts == [0]
    return insert.part if whole and fills and _range(loop) == range(length) else None


def _captured(op: Operation) -> list[SSAValue]:
    """The values from outside that the ops inside an op read."""
    inside = {value for one in op.walk() for value in one.results if one is not op}
    inside |= {argument for one in op.walk() for region in one.regions for argument in region.block.args}
    return [operand for one in op.walk() for operand in one.operands if one is not op and operand not in inside]
