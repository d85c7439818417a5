"""`follow-missing`: lets forests treat missing values in the same way as the library that trained the forest, if the
data contain any (L0).

Libraries store a direction for missing values at every node, even if no value was ever missing. A direction costs time.
It also requires floats as input, because no number of any other format is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.reals.analysis.missing_values import forests_reached
from tinyml.transforms.reals.compare_floats import compare_floats


@dataclass(frozen=True)
class FollowMissingPass(ConditionalPass):
    """Preserve the directions of missing values in forests, and compare floats, if a sample of the data has a
    missing value.

    If no sample has a missing value, remove the directions from the forests. The directions are also removed from
    forests that read imputed features. After the removal, the interface states that there are no missing values,
    unless another op replaces them.

    data: .npz file with inputs `x`; without it the program is unchanged.

    Raises `InputError` for missing values in an input with a unit, and in an input that ops other than forests read.
    """

    name = "follow-missing"
    data: str | None = None

    def obstacle(self, module: ModuleOp) -> str | None:
        if self.data is None:
            return "only if data"
        return None if _following(module) else "no tdsl.forest follows missing values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forests = _following(op)
        if not forests or self.data is None:
            return
        function = predict_function(op)
        some_miss = tdsl.read_input(op).missing and np.isnan(load_program_data(op, self.data).x).any()
        reached = set[tdsl.ForestOp]()
        if some_miss:
            reached = forests_reached(function)
        for forest in forests:
            if forest not in reached:
                del forest.properties["missing"]
        tdsl.update_input(op, missing=any(map(tdsl.follows_missing, op.walk())))
        if not reached:
            return
        if tdsl.read_input(op).unit is not None:
            raise InputError("missing values are NaN, which no integer of a sensor is: leave out the unit of the input")
        if not compare_floats(op, scaled=True):
            raise InputError(
                "missing values reach trees, which send them where training said, and other steps before or beside"
                " these, which do not: put a SimpleImputer() before the whole model"
            )


def _following(module: ModuleOp) -> list[tdsl.ForestOp]:
    return [op for op in module.walk() if isinstance(op, tdsl.ForestOp) and op.missing is not None]
