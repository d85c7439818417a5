"""`free-weights`: turns the weights of a program into data, which the user can replace without changing the program
(L1).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.functions import WEIGHTS_AS_DATA
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at


@dataclass(frozen=True)
class FreeWeightsPass(ModulePass):
    """Set `tinyml.weights_as_data` on the function of the model.

    Accumulators, kernels and bounds are then valid for every value that the format of a weight represents. Raises
    `InputError` for a sparse matrix, such as that of the samples that an estimator stores, because its structure is a
    part of the program. It is also raised for a forest that compares floats or rounds its votes.
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
            if isinstance(each, tdsl.ForestOp):
                _free_forest(function, each)
        function.attributes[WEIGHTS_AS_DATA] = UnitAttr()


def _free_forest(function: FuncOp, forest: tdsl.ForestOp) -> None:
    """Complete `tinyml.forest_room` by the bits of a vote, as a raw of the format of the sums.

    Without the attribute, as in estimates, the program has room for the forest itself.
    """
    from tinyml.dialects.formats.lookup import USUAL_FORMAT
    from tinyml.dialects.machine.numpy_machine import NumpyMachine
    from tinyml.transforms.ir.forest_room import FOREST_ROOM, known_room, room_of, sizes_of

    room = known_room(function) or sizes_of(forest)
    if tdsl.format_of(forest.input).dtype.kind != "i":
        raise error_at(forest, "--weights-at: a forest in a blob compares integers, its input has floats")
    machine, votes, constant = NumpyMachine(), tdsl.format_of(forest.votes), tdsl.constant_root(forest.votes)
    if constant is None or forest.added_raws(machine, constant.raws.reshape(tdsl.shape_of(forest.votes))) is None:
        raise error_at(forest, "--weights-at: the sums of votes are rounded: use the format " + USUAL_FORMAT)
    most = (1 << votes.bits - 1) - 1
    raws = tdsl.format_of(forest.out).recode(machine, np.array([-most, most], votes.dtype), votes)
    bits = max(int(raw).bit_length() + 1 for raw in raws)
    function.attributes[FOREST_ROOM] = room_of([*room[:3], bits])
