"""Evaluation of many similar programs on one data set. The results are equal to those of `evaluate` in every bit.

Values that programs share are computed once (`shared_values`), and ops are replayed (`recorded_ops`). `shared_loops`
evaluates loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.loops import captured
from tinyml.dialects.tdsl.base import accumulator_elements
from tinyml.runtime.evaluator.evaluator import CHUNK, Outputs, by_input, predict_function
from tinyml.runtime.evaluator.recorded_ops import Recorded, Tapes
from tinyml.runtime.evaluator.shared_loops import SharedLoops
from tinyml.runtime.evaluator.shared_values import Numbering, ResultCache

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

CAPACITY = 1 << 28
"""The maximum size in bytes of the cached results."""


class SharedEvaluator:
    """An evaluator of programs on the same inputs, in chunks of samples.

    inputs: reals of shape (samples, elements).
    capacity: the maximum size of the cached results, in bytes.
    chunk: the number of samples per chunk. The last chunk may have fewer samples.
    """

    def __init__(self, inputs: Array, capacity: int = CAPACITY, chunk: int = CHUNK):
        self.chunk = chunk
        self.chunks = [inputs[start : start + chunk] for start in range(0, len(inputs), chunk)]
        self.numbering = Numbering()
        self.tapes = Tapes()
        self.kept = ResultCache(capacity)

    def prepare(self, module: ModuleOp) -> SharedProgram:
        return SharedProgram(self, module)


class SharedProgram:
    """A program at level L1, prepared for evaluation. Evaluation raises the same errors as `evaluate`."""

    def __init__(self, evaluator: SharedEvaluator, module: ModuleOp):
        self.evaluator = evaluator
        self.module = module
        self.kept = evaluator.kept
        self.function = predict_function(module)
        self.numbers = evaluator.numbering.of_program(module)
        self.recorded = Recorded(evaluator.kept, evaluator.tapes, self.numbers)
        self.arithmetic = self.recorded.arithmetic

    @cached_property
    def loops(self) -> SharedLoops:
        """The evaluation of the program's loops."""
        evaluator = self.evaluator
        return SharedLoops(self.recorded, evaluator.numbering, [*map(len, evaluator.chunks)], evaluator.chunk)

    @property
    def output_formats(self) -> Sequence[NumberFormat]:
        """The format of the scores, followed by the formats of the outputs after the scores."""
        last = cast(func.ReturnOp, self.function.body.block.last_op)
        return [tdsl.format_of(value) for value in last.operands if isinstance(value.type, TensorType)]

    def outputs(self, chunk: int) -> Outputs:
        """The outputs of the program for one chunk of samples."""
        last = cast(func.ReturnOp, self.function.body.block.last_op)
        given = self._given(chunk)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            values = self._demanded(self.function.body.block, last.operands, given, chunk)
        return Outputs.of(last.operands, [values[value] for value in last.operands], len(self.evaluator.chunks[chunk]))

    def _given(self, chunk: int) -> dict[SSAValue, Any]:
        [argument] = self.function.body.block.args
        key = chunk, self.numbers[argument]
        if key in self.kept:
            return {argument: self.kept[key]}
        inputs = self.evaluator.chunks[chunk].astype(np.float64)
        raws = by_input(self.module, inputs.reshape(len(inputs), -1), lambda format, part: format.encode(part))
        self.kept[key] = raws = raws.reshape(-1, *tdsl.shape_of(argument))
        return {argument: raws}

    def decoded(self, outputs: Outputs) -> Sequence[Array]:
        return [format.decode(raws) for format, raws in zip(self.output_formats, outputs.tensors, strict=True)]

    def compared(self, chunk: int) -> Array | None:
        """The reals whose comparison determines the label, for one chunk of samples; None for a program without scores.

        They are the scores or, if the label is the argmax of exact sums, the sums rounded to the scores' format in a
        register (`in_register`).
        """
        block = self.function.body.block
        last = cast(func.ReturnOp, block.last_op)
        scores = next((value for value in last.operands if isinstance(value.type, TensorType)), None)
        if scores is None:
            return None
        format, source, bound = tdsl.format_of(scores), (scores := tdsl.unreshaped(scores)), None
        if isinstance(finish := scores.owner, tdsl.FinishOp) and any(
            isinstance(use.operation, tdsl.ArgmaxOp) for use in finish.input.uses
        ):
            format, source, bound = format.in_register(), finish.input, finish.sum_bound
        given, samples = self._given(chunk), len(self.evaluator.chunks[chunk])
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            result = self._demanded(block, [source], given, chunk)[source]
            if source is not scores:
                result = format.finish(self.arithmetic.machine, result, accumulator_elements(source), bound)
        return np.broadcast_to(format.decode(result), (samples, *result.shape[1:])).reshape(samples, -1)

    def _demanded(
        self, block: Block, wanted: Sequence[SSAValue], values: dict[SSAValue, Any], chunk: int
    ) -> dict[SSAValue, Any]:
        needed: set[Operation] = set()
        waiting = list(wanted)
        while waiting:
            value = waiting.pop()
            if value in values or value.owner in needed:
                continue
            if (key := self._key(value, chunk)) in self.kept:
                values[value] = self.kept[key]
                continue
            assert isinstance(value.owner, Operation)
            needed.add(value.owner)
            waiting += value.owner.operands
            if isinstance(value.owner, scf.ForOp):
                waiting += captured(value.owner)
        for op in block.ops:
            if op not in needed:
                continue
            if isinstance(op, scf.ForOp):
                results = self.loops.results(op, values, chunk)
            else:
                results = [self.recorded.compute(op, [values[operand] for operand in op.operands])]
            for value, result in zip(op.results, results, strict=True):
                values[value] = self.kept[self._key(value, chunk)] = result
        return values

    def _key(self, value: SSAValue, chunk: int) -> object:
        """The cache key of a value for a chunk of samples. The key of a constant is the same for all chunks."""
        return None if isinstance(value.owner, tdsl.ConstOp) else chunk, self.numbers[value]
