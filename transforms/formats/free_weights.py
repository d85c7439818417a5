"""`free-weights`: turns the weights of a program into data, which the user can replace without changing the program
(L1).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.functions import WEIGHTS_AS_DATA
from tinyml.dialects.locations import error_at


@dataclass(frozen=True)
class FreeWeightsPass(ModulePass):
    """Set `tinyml.weights_as_data` on the function of the model.

    Accumulators, kernels and bounds are then valid for every value that the format of a weight represents. Raises
    `InputError` for a sparse matrix and for a forest, whose structure is part of the program, and for the samples that
    an estimator stores.
    """

    name = "free-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function

        function = predict_function(op)
        for each in op.walk():
            if isinstance(each, tdsl.SpmvOp):
                what = "zeros of a sparse matrix"
                if (stored := tdsl.read_interface(function).stored) is not None:
                    what = f"{stored.what} of a model, whose number and classes another training changes,"
                raise error_at(each, f"--weights-at: the {what} are a part of the program")
            if each.name == "tdsl.forest":
                raise error_at(each, "--weights-at: the nodes of a forest are a part of the program")
        function.attributes[WEIGHTS_AS_DATA] = UnitAttr()
