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
from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.dialects.functions import WEIGHTS_AS_DATA
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.ir.forest_room import FOREST_ROOM, known_room, room_of, sizes_of
from tinyml.transforms.ir.sample_room import has_added_samples


@dataclass(frozen=True)
class FreeWeightsPass(ModulePass):
    """Set `tinyml.weights_as_data` on the function of the model.

    Accumulators, kernels and bounds are then valid for every value that the format of a weight represents. Raises
    `InputError` for a sparse matrix without room for other entries, for a forest that compares floats or rounds its
    votes, and for nearest neighbours with added samples if the format has no number below all others for these samples.
    """

    name = "free-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        for each in op.walk():
            if isinstance(each, tdsl.SpmvOp) and each.room is None:
                raise error_at(each, "--weights-at: the zeros of this sparse matrix are a part of the program")
            if isinstance(each, tdsl.ForestOp):
                _free_forest(function, each)
            if isinstance(each, tdsl.TopKMaskOp) and has_added_samples(function):
                _check_ranks(each)
        function.attributes[WEIGHTS_AS_DATA] = UnitAttr()


def _check_ranks(op: tdsl.TopKMaskOp) -> None:
    product = op.input.owner
    if isinstance(product, tdsl.MatrixProductsOp) and product.initial is not None:
        addends, format = product.initial.owner, tdsl.format_of(op.input)
        least = format.decode(format.encode(np.array(-1e30)))
        if isinstance(addends, tdsl.ConstOp) and addends.real([]).min() <= least:
            return
    raise error_at(
        op, "--weights-at: in this format, no number ranks below all samples: use the format " + USUAL_FORMAT
    )


def _free_forest(function: FuncOp, forest: tdsl.ForestOp) -> None:
    """Complete `tinyml.forest_room` by the bits of a vote, as a raw of the format of the sums.

    Without the attribute, as in estimates, the program has room for the forest itself.
    """
    room = known_room(function) or sizes_of(forest)
    if tdsl.format_of(forest.input).dtype.kind != "i":
        raise error_at(forest, "--weights-at: a forest in a blob compares integers, its input has floats")
    machine, votes, constant = NumpyMachine(), tdsl.format_of(forest.votes), tdsl.constant_root(forest.votes)
    if constant is None or forest.added_raws(machine, constant.raws.reshape(tdsl.shape_of(forest.votes))) is None:
        raise error_at(forest, "--weights-at: the sums of votes are rounded: use the format " + USUAL_FORMAT)
    ends = np.stack(votes.ends()).astype(votes.dtype)
    raws = tdsl.format_of(forest.out).recode(machine, ends, votes)
    bits = max((int(raw) if raw >= 0 else ~int(raw)).bit_length() + 1 for raw in raws)
    function.attributes[FOREST_ROOM] = room_of([*room[:3], bits])
