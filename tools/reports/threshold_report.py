"""The report on the thresholds of a program's forests after the rounding of inputs and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.float_functions import GREATEST_FLOAT
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.formats.constants.cuts import Cuts, crossing, forests_of, sides

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.model.data import Data


@dataclass(frozen=True)
class ConstantBranch:
    """A threshold beyond the numbers of the input's format, for which every comparison has the same result.

    feature: the index of the feature in the input of the forest.
    at_most: the result of the comparison `feature <= threshold`.
    """

    feature: int
    threshold: float
    at_most: bool


@dataclass(frozen=True)
class ThresholdReport:
    """The readings of `--val` and the thresholds that rounding affects.

    readings: the number of readings that trees compare.
    crossed: the number of readings that rounding sends to the other side of a threshold, because they share a raw with
        readings on that side.
    constant: the thresholds with one result for all numbers of the input's format.
    """

    readings: int
    crossed: int
    constant: Sequence[ConstantBranch]


def threshold_report(reals: ModuleOp, formats: ModuleOp, data: Data) -> dict[str, Any] | None:
    """The report on the forests whose inputs have a number format. None if there are none.

    reals, formats: the program at L0 and at L1.
    """
    function = predict_function(reals)
    pairs = [
        (old, new)
        for old, new in zip(forests_of(function), forests_of(predict_function(formats)), strict=True)
        if not tdsl.is_real(new.input)
    ]
    if not pairs:
        return None
    all_readings = Cuts(function, data.x.astype(np.float64)).readings
    compared = crossed = 0
    constant = dict[tuple[int, float], bool]()
    for old, new in pairs:
        format, features, readings = tdsl.format_of(new.input), old.trees.features, all_readings[old.input]
        limits, cuts = (each.trees.thresholds.astype(np.float64) for each in (old, new))
        compared += len(readings) * len(np.unique(features))
        crossed += crossing(format, limits, cuts, features, readings)
        for feature, limit, side in zip(features, limits, sides(format, cuts), strict=True):
            if side and abs(limit) < GREATEST_FLOAT:
                constant[int(feature), float(limit)] = bool(side > 0)
    branches = [ConstantBranch(*key, at_most) for key, at_most in sorted(constant.items())]
    return asdict(ThresholdReport(compared, crossed, branches))
