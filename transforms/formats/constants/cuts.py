"""Cuts: thresholds on reals, rounded to the numbers of the format of the tensor that is compared with them.

A threshold may be a value of the data, such as those of XGBoost's histograms and of ONNX's BRANCH_LT. The format rounds
the data to nearest, so that a reading may move to the other side of a threshold, and two readings on different sides
may have the same raw. No rule that considers only the threshold sends all readings to the right side. The cut is
therefore chosen on the readings of the calibration data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.functions import module_of
from tinyml.dialects.layouts.trees import THRESHOLDS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.float_functions import GREATEST_FLOAT
from tinyml.dialects.tdsl.forest import greatest_raws
from tinyml.runtime.evaluator.evaluator import argument_reals, evaluate_as_it_is

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects import func
    from xdsl.ir import Attribute

    from tinyml.dialects.formats.number_format import Interval, NumberFormat, Raws, Reals


ENOUGH_LEVELS = 1 << 12
"""The numbers of a format in the range of the data that resolve the readings of most sensors."""


@dataclass(frozen=True, eq=False)
class ComparedConstant:
    """A constant that is subtracted from a tensor of equal shape, where only the sign of the difference is read."""

    constant: tdsl.ConstOp
    compared: SSAValue


class Cuts:
    """The cuts of the thresholds of a function on reals, in any formats.

    inputs: calibration data, as reals of shape (samples, elements). Without them, the cut of a forest's threshold is
        the greatest number of the format that does not exceed the threshold, and constants are rounded to nearest.
    """

    def __init__(self, function: func.FuncOp, inputs: Reals | None):
        self.function, self.inputs = function, inputs
        self.constants = {each.constant: each for each in _compared_constants(function)}
        self._placed: dict[object, Attribute] = {}

    def place(self, program: Operation, copy: Operation) -> None:
        """Replace the thresholds of the forests in a copy of `program`, whose tensors have formats, by their cuts.

        program: the function on reals, or the module around it.
        """
        if self.inputs is None:
            return
        for forest, new in zip(forests_of(program), forests_of(copy), strict=True):
            if forest.input in self.readings and not tdsl.is_real(new.input):
                format = tdsl.format_of(new.input)
                if (key := (forest, format.type)) not in self._placed:
                    self._placed[key] = self._attribute(forest, format)
                new.properties[THRESHOLDS] = self._placed[key]

    def _attribute(self, forest: tdsl.ForestOp, format: NumberFormat) -> Attribute:
        trees, readings = forest.trees, self.readings[forest.input]
        cuts = cuts_of(format, trees.thresholds.astype(np.float64), trees.features, readings)
        return trees.with_thresholds(cuts).attributes[THRESHOLDS]

    def raws(self, constant: tdsl.ConstOp, format: NumberFormat) -> Raws | None:
        """The cuts of a `ComparedConstant`, as raws of the format of the compared tensor. None for any other constant
        and without data.
        """
        if constant not in self.constants or self.inputs is None:
            return None
        thresholds = tdsl.format_of(constant.result).decode(constant.raws)
        readings = self.readings[self.constants[constant].compared]
        cuts = cuts_of(format, thresholds.ravel().astype(np.float64), np.arange(thresholds.size), readings)
        return format.encode_clipped(cuts).reshape(thresholds.shape)

    @cached_property
    def readings(self) -> dict[SSAValue, Reals]:
        """The tensors on reals that are compared, on the calibration data, of shape (readings, features). There are
        several readings per sample in a loop. Empty without data.
        """
        inputs = [op.input for op in forests_of(self.function) if tdsl.is_real(op.input)]
        inputs += [each.compared for each in self.constants.values()]
        if self.inputs is None or not inputs:
            return {}
        [argument] = self.function.body.block.args
        if all(tdsl.unreshaped(value) is argument for value in inputs):
            return dict.fromkeys(inputs, argument_reals(module_of(self.function), self.inputs))
        seen: dict[SSAValue, list[Reals]] = {value: [] for value in inputs}

        def observe(value: SSAValue, reals: Reals) -> None:
            if value in seen:
                seen[value].append(reals.reshape(len(reals), -1))

        evaluate_as_it_is(module_of(self.function), self.inputs, observe)
        return {value: np.concatenate(parts) for value, parts in seen.items()}

    def limits(self, members: Sequence[SSAValue]) -> Reals:
        """All thresholds with which the tensors `members` are compared. Empty if anything else reads them, and if the
        thresholds may change later (`limit` of a forest), since formats must not depend on them.
        """
        users = {use.operation for value in members for use in value.uses}
        compared: dict[SSAValue, tdsl.ConstOp] = {each.result: each for each in self.constants}
        found: list[Reals] = []
        for user in users:
            if isinstance(user, tdsl.ForestOp) and user.input in members and user.limit is None:
                found.append(user.trees.thresholds.astype(np.float64))
            elif isinstance(user, tdsl.SubOp) and user.rhs in compared and user.lhs in members:
                constant = compared[user.rhs]
                found.append(tdsl.format_of(constant.result).decode(constant.raws).ravel().astype(np.float64))
            elif not (isinstance(user, tdsl.TensorOp) and user.MOVES_BITS and user.out in members):
                return np.empty(0)
        return np.concatenate(found) if found else np.empty(0)


def _compared_constants(function: func.FuncOp) -> Iterator[ComparedConstant]:
    for op in function.walk():
        if not isinstance(op, tdsl.SubOp) or not isinstance(constant := op.rhs.owner, tdsl.ConstOp):
            continue
        are_steps = [isinstance(use.operation, tdsl.StepOp) for use in op.out.uses]
        if are_steps and all(are_steps) and op.rhs.has_one_use() and tdsl.shape_of(op.lhs) == tdsl.shape_of(op.rhs):
            yield ComparedConstant(constant, op.lhs)


def forests_of(op: Operation) -> Iterator[tdsl.ForestOp]:
    return (each for each in op.walk() if isinstance(each, tdsl.ForestOp))


def cuts_of(format: NumberFormat, thresholds: Reals, features: NDArray[np.int64], readings: Reals) -> Reals:
    """For each threshold, the cut: the greatest number of a format that selects the first child.

    Of the two cuts next to the threshold, the one that sends fewer readings of the feature to the other side than the
    threshold does (`crossing`) is taken. If they are equal, it is the rounding of the input itself if the threshold is
    a reading or, for a strict comparison, the number before a reading; otherwise it is the greatest number that does
    not exceed the threshold. A cut below all numbers of the format is a real below them.

    features: the feature that each threshold is compared with.
    readings: shape (readings, features).
    """
    cuts = thresholds.copy()
    for feature in np.unique(features):
        here = features == feature
        column = readings[:, feature]
        cuts[here] = _cuts_of_feature(format, thresholds[here], np.sort(column[~np.isnan(column)]))
    return cuts


def _cuts_of_feature(format: NumberFormat, thresholds: Reals, readings: Reals) -> Reals:
    """The cuts for thresholds on one feature.

    readings: in ascending order, as their raws then are.
    """
    low = int(format.ends()[0])
    # Rounding ascends: readings up to the threshold become at most this number, the others at least this number.
    nearest = _raws(format, thresholds)
    usual = np.where(format.decode(nearest.astype(format.dtype)) <= thresholds, nearest, nearest - 1)
    singles = readings.astype(np.float32).astype(np.float64)
    after = np.nextafter(thresholds, np.inf)
    own = np.where(np.isin(after, singles), _raws(format, after) - 1, usual)
    own = np.where(np.isin(thresholds, singles), nearest, own)
    cuts = np.stack([own, usual, nearest, nearest - 1])
    first = np.searchsorted(singles, thresholds, side="right")
    wrong = np.abs(np.searchsorted(_raws(format, readings), cuts, side="right") - first)
    best = wrong.argmin(0), np.arange(len(thresholds))
    numbers = format.decode(np.maximum(cuts[best], low).astype(format.dtype))
    return np.where(cuts[best] < low, -GREATEST_FLOAT, numbers)


def _raws(format: NumberFormat, reals: Reals) -> NDArray[np.int64]:
    return format.encode_clipped(np.clip(reals, -GREATEST_FLOAT, GREATEST_FLOAT)).astype(np.int64)


def covering(
    limits: Reals, format: NumberFormat, format_for: Callable[[float, float], NumberFormat], bounds: Interval
) -> NumberFormat:
    """The format for a tensor, extended to numbers on both sides of the thresholds beyond the data, from the nearest
    threshold to the farthest, as long as the data are resolved: the number of raws in their range is halved at most, or
    is at least `ENOUGH_LEVELS`. A comparison with any other threshold has one result for all numbers.

    limits: the thresholds with which the tensor is compared.
    format: the format for the data.
    format_for: a function that returns the format for a range.
    bounds: the range of the data.
    """
    if format.dtype.kind == "f":
        return format
    limits = np.unique(limits)
    limits = limits[(np.abs(limits) < GREATEST_FLOAT) & ~separates(format, limits)]
    # Stable, so that equal distances have one order on all processors.
    limits = limits[np.argsort(np.maximum(bounds[0] - limits, limits - bounds[1]), kind="stable")]
    needed = min(_levels(format, bounds) // 2, ENOUGH_LEVELS)
    # The nearest `covered` thresholds can be covered, and those from `most` on cannot.
    found, covered, most = format, 0, len(limits)
    while covered < most:
        tried = (covered + most + 1) // 2
        wider = _reaching(limits[:tried], format_for, bounds)
        if wider is not None and _levels(wider, bounds) >= needed:
            found, covered = wider, tried
        else:
            most = tried - 1
    return found


def _levels(format: NumberFormat, bounds: Interval) -> int:
    low, high = _raws(format, np.array(bounds))
    return int(high - low)


def separates(format: NumberFormat, thresholds: Reals) -> NDArray[np.bool_]:
    return (sides(format, thresholds) == 0) & (_raws(format, thresholds) < int(format.ends()[1]))


def sides(format: NumberFormat, thresholds: Reals) -> NDArray[np.int64]:
    """For each threshold, 1 if all numbers of a format are at most the threshold, -1 if none is, and 0 otherwise."""
    raws, exists = greatest_raws(format, thresholds)
    return np.where(exists, (raws >= format.ends()[1]).astype(np.int64), -1)


def crossing(format: NumberFormat, thresholds: Reals, cuts: Reals, features: NDArray[np.int64], readings: Reals) -> int:
    """The number of readings that at least one cut sends to the other side than its threshold does.

    features, readings: as in `cuts_of`.
    """
    count = 0
    for feature in np.unique(features):
        here = features == feature
        column = readings[:, feature]
        column = np.sort(column[~np.isnan(column)])
        raws, _ = greatest_raws(format, cuts[here])
        ends = np.where(sides(format, cuts[here]) < 0, int(format.ends()[0]) - 1, raws.astype(np.int64))
        first = np.searchsorted(column.astype(np.float32).astype(np.float64), thresholds[here], side="right")
        second = np.searchsorted(_raws(format, column), ends, side="right")
        starts, stops = (
            np.bincount(each(first, second), minlength=len(column) + 1) for each in (np.minimum, np.maximum)
        )
        count += int((np.cumsum(starts - stops) > 0).sum())
    return count


def _reaching(
    limits: Reals, format_for: Callable[[float, float], NumberFormat], bounds: Interval
) -> NumberFormat | None:
    low, high = min(bounds[0], float(limits.min())), max(bounds[1], float(limits.max()))
    for _ in range(2):
        format = format_for(low, high)
        if separates(format, limits).all():
            return format
        # The limits are at the ends of the range: one more step each way.
        first, last = format.ends()
        low -= float(format.decode(first + 1) - format.decode(first))
        high += float(format.decode(last) - format.decode(last - 1))
    return None
