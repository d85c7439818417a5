"""`reconstruction-error`: replaces the reconstruction that an autoencoder returns by a score, the negative of the mean
squared error (L0).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.evaluator import predict_function


@dataclass(frozen=True)
class ReconstructionErrorPass(ModulePass):
    """Replace the only result of an autoencoder by a score, a 1 x 1 tensor.

    The score is the negative of the reconstruction's mean squared error. An autoencoder is a program that returns a
    tensor of more than one element with the shape of its input, except for axes of extent 1. Other programs are
    unchanged.

    false_alarms: the rate of false alarms of an anomaly detector (`set-threshold`); None leaves the program unchanged.

    Raises `InputError` for an autoencoder that already has number formats.
    """

    name = "reconstruction-error"
    false_alarms: float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        last = cast(func.ReturnOp, function.body.block.last_op)
        if self.false_alarms is None or len(last.operands) != 1:
            return
        [given], [result] = function.args, last.operands
        if not isinstance(given.type, TensorType) or not isinstance(result.type, TensorType):
            return
        taken, returned = ([extent for extent in tdsl.shape_of(value) if extent != 1] for value in (given, result))
        if taken != returned or not taken:
            return
        if tdsl.has_formats(op):
            raise InputError(
                "the error of a reconstruction is not computed in the model's own formats: --quantization anew"
            )
        last.operands = [self._score(given, result, last)]
        if function.res_attrs is not None:
            function.res_attrs = ArrayAttr([DictionaryAttr({})])
        function.update_function_type()

    def _score(self, given: SSAValue, result: SSAValue, last: func.ReturnOp) -> SSAValue:
        """Insert ops before `last` that compute minus the mean squared difference of two tensors. Return the result.

        given, result: the two tensors, which are the input and the reconstruction.
        """
        length = prod(tdsl.shape_of(given))

        def put(made: tdsl.TensorOp) -> SSAValue:
            Rewriter.insert_op(made, InsertPoint.before(last))
            return made.out

        row, reconstructed = (put(tdsl.ReshapeOp(value, (1, length))) for value in (given, result))
        # Each factor includes the root of 1 / length, which keeps the sum of squares small.
        root = tdsl.ConstOp(np.array([[length**-0.5]], np.float32), F32_FORMAT)
        Rewriter.insert_op(root, InsertPoint.before(last))
        scaled = put(tdsl.MulOp(put(tdsl.SubOp(row, reconstructed)), root.result))
        score = put(tdsl.NegOp(put(tdsl.MatmulOp(scaled, put(tdsl.ReshapeOp(scaled, (length, 1)))))))
        score.name_hint = "score"
        return score
