"""`set-steps`: sets how many frames a streaming program reads before its first answer (L0, L1).

It is the number of frames in each sample of a data set.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.operations import index_constant
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.data import load_data
from tinyml.transforms.schedules.table import TIME_LOOPS
from tinyml.transforms.schedules.tiling.stored_image import tensor_like


@dataclass(frozen=True)
class SetStepsPass(ModulePass):
    """Set the number of frames before the first answer of a program that reads its input step by step in a loop. A
    program without `pushed` is unchanged.

    data: .npz file with inputs `x` (samples, ...); each sample concatenates frames.

    Raises `InputError` if a sample does not consist of 2 to `COUNT_LIMIT` frames.
    """

    name = "set-steps"
    data: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        pushes = tdsl.read_input(function).pushed
        if pushes is None:
            return
        sequence = function.body.block.args[0]
        streams = imported(TIME_LOOPS)
        if (found := streams.steps_of(sequence)) is None:
            return
        elements = prod(load_data(self.data).shape)
        steps, rest = divmod(elements, pushes.frame)
        if rest or not 2 <= steps <= streams.COUNT_LIMIT:
            raise InputError(
                f"expected samples of 2 to {streams.COUNT_LIMIT} consecutive frames of {pushes.frame} values,  "
                f"got {elements}",
                file=self.data,
            )
        bound = index_constant(steps)
        Rewriter.insert_op(bound, InsertPoint.before(found.loop))
        found.loop.operands[1] = bound.result
        _, *each = tdsl.shape_of(sequence)
        Rewriter.replace_value_with_new_type(sequence, tensor_like(sequence, (steps, *each)))
        function.update_function_type()
        tdsl.update_input(function, pushed=pushes._replace(steps=steps))
