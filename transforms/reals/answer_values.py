"""`answer-values`: removes the class of a program if the data show that its results are values and not scores of
classes (L0, L1).

ONNX files and PyTorch modules do not state whether several numbers are class scores, the values of a regressor or the
reconstruction of an autoencoder. An importer assumes class scores. The targets of a data set determine the actual
meaning.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IndexType, ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data


@dataclass(frozen=True)
class AnswerValuesPass(ModulePass):
    """Remove the class from a program's results if the data show that its scores are values.

    The class is the argmax of a result. It is removed if `y` of the data set has a value for each element of this
    result. A program is unchanged if it has class labels, clusters or no scores, or if its data have classes or no `y`.

    data: .npz file; without it the program is unchanged.

    Raises `InputError` for a data file that does not match the program.
    """

    name = "answer-values"
    data: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function, interface = predict_function(op), tdsl.read_interface(op)
        end = function.get_return_op()
        assert end is not None
        label = next((value for value in end.operands if isinstance(value.type, IndexType)), None)
        if self.data is None or label is None or interface.classes is not None:
            return
        if not isinstance(argmax := label.owner, tdsl.ArgmaxOp) or argmax.input not in end.operands:
            return
        if load_program_data(op, self.data).targets is None:
            return
        at = end.operands.index(label)
        end.operands = [value for value in end.operands if value is not label]
        if function.res_attrs is not None:
            kept = [each for number, each in enumerate(function.res_attrs) if number != at]
            function.res_attrs = ArrayAttr(kept)
        function.update_function_type()
        if not argmax.result.uses:
            Rewriter.erase_op(argmax)
