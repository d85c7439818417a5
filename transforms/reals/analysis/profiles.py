"""Profiles: statistics on the values that each tensor of a program on reals has over a data set, stored as
attributes of ops.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import set_argument_attribute
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import argument_reals, evaluate_as_it_is, predict_function
from tinyml.transforms.reals.analysis.missing_values import origins

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLED_VALUES = 4096
"""Maximum values of an array for the percentiles; extremes are computed from all values."""

MAX_SAMPLED = 2**23
"""Maximum stored values of one tensor, over chunks of samples and iterations of loops."""

GOLDEN = (math.sqrt(5) - 1) / 2
"""The sampling step as a share of the length: the golden ratio is not commensurate with the axes of an array."""


REACH_MULTIPLES = (4.0, 8.0, 16.0, 32.0)
"""Candidate multiples of the normal samples' distance from their mean at which a detector's samples must be in range.

The least at which most of them are anomalies is used; the first if there is none.
"""

ROOM = 1 / 64
"""The margin below the threshold of a detector, as a share of the range of scores above it."""


def stretched(inputs: NDArray[Any], reach: float) -> NDArray[Any]:
    """Move samples (samples, elements) away from their mean: their distance from the mean is multiplied by `reach`."""
    mean = np.nanmean(inputs, 0, dtype=np.float64)
    most = np.finfo(np.float32).max
    return (mean + reach * (inputs - mean)).clip(-most, most).astype(inputs.dtype)


@lru_cache
def _spread(length: int) -> NDArray[np.int64]:
    return (np.arange(SAMPLED_VALUES) * GOLDEN % 1 * length).astype(np.int64)


@dataclass
class _Statistics:
    low: float = float("inf")
    high: float = float("-inf")
    sampled: list[NDArray[Any]] = field(default_factory=list["NDArray[Any]"])
    kept: int = 0
    """The number of values in `sampled`."""
    arrays: int = 0
    stride: int = 1
    """One array in this many is sampled; the number doubles when there are too many values."""

    def add(self, values: NDArray[Any], value: SSAValue) -> None:
        self.widen(values, value)
        if self.arrays % self.stride == 0:
            flat = values.reshape(-1)
            self.sampled.append(flat if len(flat) <= SAMPLED_VALUES else flat[_spread(len(flat))])
            self.kept += len(self.sampled[-1])
        self.arrays += 1
        while self.kept > MAX_SAMPLED and len(self.sampled) > 1:
            self.sampled = self.sampled[::2]
            self.kept = sum(map(len, self.sampled))
            self.stride *= 2

    def widen(self, values: NDArray[Any], value: SSAValue) -> None:
        if not values.size:
            raise InputError(f"%{value.name_hint or '?'} has no elements: {value.type}")
        low, high = float(values.min()), float(values.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InputError(f"%{value.name_hint or '?'} overflows or is undefined on the data, even in reals")
        self.low, self.high = min(self.low, low), max(self.high, high)

    def make_room_below(self, threshold: float) -> None:
        """Extend the range below a threshold, so that values below the threshold do not saturate to it. The extension
        is `ROOM` times the distance between the threshold and the greatest value.
        """
        self.low = min(self.low, threshold - abs(self.high - threshold) * ROOM)

    def profile(self) -> tdsl.Profile:
        percentiles = percentiles_of(np.concatenate(self.sampled), tdsl.PERCENTILES)
        # Zeros of either sign are equal, so that their order is meaningless: a sum with 0 is never -0.0.
        return tdsl.Profile(self.low, self.high, [round(value, 9) + 0.0 for value in percentiles])


def percentiles_of(values: NDArray[np.float64], percentages: Sequence[float]) -> list[float]:
    """Percentiles of values of shape (count,), linearly interpolated between two values. The values are reordered in
    place.

    Selecting two values for each percentile takes at most two thirds of the time of sorting all values.
    """
    positions = np.array(percentages) / 100 * (len(values) - 1)
    before = positions.astype(np.int64)
    after = np.minimum(before + 1, len(values) - 1)
    values.partition(np.concatenate([before, after]))
    low, high = values[before], values[after]
    # Interpolation starts from the nearer value, so that the percentile of equal values is exact.
    share = positions - before
    return np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share)).tolist()


def record_profiles(module: ModuleOp, inputs: NDArray[Any]) -> None:
    """Record the profiles of a program on real inputs of shape (samples, elements).

    In a part of the program that has formats, the profiles are those of the rounded values. For an anomaly detector the
    profiles exceed the range of the normal samples (`REACH_MULTIPLES`). Otherwise numbers would saturate, and anomalies
    could look normal.

    Raises `InputError` for a tensor that is empty, or not finite on the inputs.
    """
    statistics: dict[SSAValue, _Statistics] = {}
    function = predict_function(module)
    forests = {op: np.zeros((op.trees.inner, 2), np.int64) for op in function.walk() if isinstance(op, tdsl.ForestOp)}

    partly = set[SSAValue]()
    if tdsl.read_input(function).missing:
        partly = set(origins(function))

    def observe(value: SSAValue, values: NDArray[Any]) -> None:
        known = values[~np.isnan(values)] if value in partly else values
        statistics.setdefault(value, _Statistics()).add(known, value)
        for op, passed in forests.items():
            if op.input is value:
                passed += op.passed(values)

    outputs = evaluate_as_it_is(module, inputs, observe)
    if (threshold := tdsl.read_interface(module).threshold) is not None:
        assert outputs.scores is not None

        is_usual = outputs.scores[:, 0] >= threshold
        usual = inputs[is_usual] if is_usual.any() else inputs
        for value, extremes in _beyond(module, usual, threshold).items():
            statistics[value].widen(np.array(extremes), value)
        returned = cast("func.ReturnOp", function.get_return_op()).operands
        score = next(value for value in returned if isinstance(value.type, TensorType))
        statistics[score].make_room_below(threshold)
    for op, passed in forests.items():
        # Each sample passes every root once per execution of the op; a forest that no sample reaches has no data.
        roots = op.trees.roots[op.trees.roots >= 0]
        if walks := int(passed[roots].sum(1).max(initial=0)):
            op.properties |= op.trees.with_shares(passed / walks).attributes
    for op in function.walk():
        _record(op, statistics)
    argument = statistics[function.body.block.args[0]].profile()
    set_argument_attribute(function, tdsl.PROFILE, argument)
    if zeros := float((argument_reals(module, inputs) == 0).mean()):
        tdsl.update_input(function, zeros=round(zeros, 6) or None)


def _beyond(module: ModuleOp, usual: NDArray[Any], threshold: float) -> Mapping[SSAValue, tuple[float, float]]:
    """For each tensor of a detector, the least and the greatest value on samples that are moved away from their mean by
    `stretched`.

    The distance is multiplied by the first of `REACH_MULTIPLES` with which the detector classifies more than half of
    the normal samples as anomalies. If there is none, it is multiplied by `REACH_MULTIPLES[0]`.

    usual: the normal samples.
    threshold: the threshold of the detector.
    """
    found: list[dict[SSAValue, tuple[float, float]]] = []

    def observe(value: SSAValue, values: NDArray[Any]) -> None:
        low, high = found[-1].get(value, (math.inf, -math.inf))
        # NaN propagates, unlike in `min` and `max`.
        found[-1][value] = float(np.minimum(low, values.min())), float(np.maximum(high, values.max()))

    for reach in REACH_MULTIPLES:
        found.append({})
        scores = evaluate_as_it_is(module, stretched(usual, reach), observe).scores
        assert scores is not None
        if 2 * (scores[:, 0] < threshold).sum() > len(usual):
            return found[-1]
    return found[0]


def _record(op: Operation, statistics: dict[SSAValue, _Statistics]) -> None:
    if not any(isinstance(result.type, TensorType) for result in op.results):
        return
    profiles: list[Attribute] = []
    for position, result in enumerate(op.results):
        observed = [statistics[result]] if result in statistics else []
        if isinstance(op, scf.ForOp) and (carried := op.body.block.args[1 + position]) in statistics:
            observed.append(statistics[carried])
        profiles.append(_merged(observed) if observed else UnitAttr())
    op.attributes[tdsl.PROFILE] = ArrayAttr(profiles)


def _merged(parts: list[_Statistics]) -> tdsl.Profile:
    whole = _Statistics()
    for part in parts:
        whole.low, whole.high = min(whole.low, part.low), max(whole.high, part.high)
        whole.sampled += part.sampled
    return whole.profile()
