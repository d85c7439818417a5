"""`profile`: what values every tensor takes on a validation set, as attributes.

The ranges are those of Shiftry 6.1 (algorithm 10, procedure Profile): one per variable, over all samples and, in
loops, over all iterations. Percentiles stand beside the extremes, so that outliers can be seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, ModuleOp, TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLED = 4096
"""Values of one array that percentiles look at; extremes look at all."""

GOLDEN = (math.sqrt(5) - 1) / 2
"""Steps of this share of a whole never fall into step with the axes of an array, and cover it evenly."""


def _spread(length: int) -> NDArray[np.int64]:
    import numpy as np

    return (np.arange(SAMPLED) * GOLDEN % 1 * length).astype(np.int64)


@dataclass
class _Statistics:
    low: float = float("inf")
    high: float = float("-inf")
    sampled: list[NDArray[Any]] = field(default_factory=list["NDArray[Any]"])

    def add(self, values: NDArray[Any], value: SSAValue) -> None:
        low, high = float(values.min()), float(values.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InputError(f"%{value.name_hint or '?'} overflows or is undefined on the data, even in reals")
        self.low, self.high = min(self.low, low), max(self.high, high)
        flat = values.reshape(-1)
        self.sampled.append(flat if len(flat) <= SAMPLED else flat[_spread(len(flat))])

    def profile(self) -> tdsl.Profile:
        import numpy as np

        sampled = np.concatenate(self.sampled)
        percentiles: Sequence[float] = np.percentile(sampled, tdsl.PERCENTILES).tolist()
        return tdsl.Profile(self.low, self.high, [round(value, 9) for value in percentiles])


@dataclass(frozen=True)
class ProfilePass(ModulePass):
    """Runs the float program on the inputs `x` of an .npz file and records `tdsl.profile` on every op with tensors.

    An op carries one profile for each result (unit where a result is no tensor), a loop also covers its carried
    arguments, and the function's argument has its own, with the share of its numbers that are zero. Raises
    `InputError` for a data file that does not fit, and for a program that gives infinity or NaN on the data.
    """

    name = "profile"
    data: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.model.data import load_data
        from tinyml.runtime.model.model_interface import interface_of

        profile(op, load_data(self.data, elements=interface_of(op).input_length).x)


def profile(module: ModuleOp, inputs: NDArray[Any]) -> None:
    """Record the profiles of a program on real inputs of shape (samples, elements)."""
    from tinyml.runtime.evaluator.evaluator import evaluate_reals, predict_function

    statistics: dict[SSAValue, _Statistics] = {}

    def observe(value: SSAValue, values: NDArray[Any]) -> None:
        statistics.setdefault(value, _Statistics()).add(values, value)

    evaluate_reals(module, inputs, observe)
    function = predict_function(module)
    for op in function.walk():
        _record(op, statistics)
    argument = statistics[function.body.block.args[0]].profile()
    set_argument_attribute(function, tdsl.PROFILE, argument)
    if zeros := float((inputs == 0).mean()):
        set_argument_attribute(function, tdsl.ZEROS, FloatAttr(round(zeros, 6), 64))


def _record(op: Operation, statistics: dict[SSAValue, _Statistics]) -> None:
    if not any(isinstance(result.type, TensorType) for result in op.results):
        return
    profiles: list[Attribute] = []
    for position, result in enumerate(op.results):
        found = [statistics[result]] if result in statistics else []
        if isinstance(op, scf.ForOp) and (carried := op.body.block.args[1 + position]) in statistics:
            found.append(statistics[carried])
        profiles.append(_merged(found) if found else UnitAttr())
    op.attributes[tdsl.PROFILE] = ArrayAttr(profiles)


def _merged(found: list[_Statistics]) -> tdsl.Profile:
    whole = _Statistics()
    for one in found:
        whole.low, whole.high = min(whole.low, one.low), max(whole.high, one.high)
        whole.sampled += one.sampled
    return whole.profile()


def set_argument_attribute(function: func.FuncOp, name: str, value: Attribute) -> None:
    """An attribute of the one argument of a predict function."""
    given = function.arg_attrs.data[0] if function.arg_attrs is not None else DictionaryAttr({})
    function.arg_attrs = ArrayAttr([DictionaryAttr({**given.data, name: value})])
