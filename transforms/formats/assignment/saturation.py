"""Ranges of tensors whose numbers have unlike sizes: the range at which numbers saturate is chosen by the answers.

A scale that represents the greatest number of such a tensor rounds most of its numbers to zero. An example is the
standardised distance from a class in which a feature hardly varies: it is of the order of 1 for samples of the class
and of 1e4 for others, of which only the order of magnitude matters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.ir import BlockArgument, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.assignment.format_assignment import range_of
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, EvaluationTask

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

MIN_ZOOM = 3
"""The least ratio, in bits, of the greatest to the usual numbers of a tensor for which narrower ranges are tried."""

CHANGED = 2.0
"""The percentage of changed answers above which narrower ranges are tried. For regressors, the mean squared difference
in percent of the variance.
"""

GAIN = 0.5
"""The share of the changed answers that may remain; otherwise, narrower ranges are not worth the saturated numbers."""

STEPS = 8, 4, 2, 1, -1, -2, -4, -8
"""The changes of one tensor's zoom that each round of the search tries."""


def disagreement(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice], at_most: float = math.inf) -> float:
    """The percentage of samples whose answer in the chosen formats differs from the answer of the program on reals.

    at_most: the loss above which the evaluation may stop; the result is then only a lower bound.
    """
    formats = tuple(evaluator.candidates.assignment.formats(choices))
    outcome = evaluator.outcome(EvaluationTask(formats, "disagreement", at_most))
    return evaluator.reference.loss(outcome, "disagreement")


def with_saturation(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice]) -> list[FormatChoice]:
    """Narrow the ranges (`FormatChoice.zoom`) of tensors whose numbers have unlike sizes, and return the new choices.

    The ranges are unchanged unless the program changes more than `CHANGED` percent of the answers, and narrower ranges
    leave at most the share `GAIN` of these changes. First, all ranges are narrowed together, then one by one, as long
    as fewer answers change. Ranges that are known, and formats without a scale, are unchanged.
    """
    chosen = list(choices)
    unlike, limits = _zoom_limits(evaluator.candidates.assignment.classes, chosen)
    if not unlike:
        return chosen
    loss = before = _loss(evaluator, chosen)
    if before <= CHANGED:
        return chosen
    for together in unlike:
        for zoom in range(1, max(together.values(), default=0) + 1):
            tried = _zoomed(choices, {index: min(zoom, limit) for index, limit in together.items()})
            if (found := _loss(evaluator, tried, loss)) < loss:
                chosen, loss = tried, found
    improved = True
    while improved:
        improved = False
        for index, limit in limits.items():
            for step in STEPS:
                zoom = chosen[index].zoom + step
                if not 0 <= zoom <= limit:
                    continue
                tried = _zoomed(chosen, {index: zoom})
                if (found := _loss(evaluator, tried, loss)) < loss:
                    chosen, loss, improved = tried, found, True
    return chosen if loss <= GAIN * before else list(choices)


def _loss(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice], at_most: float = math.inf) -> float:
    """As `disagreement`, but infinite for choices for which some sum has no accumulator."""
    try:
        return disagreement(evaluator, choices, at_most)
    except InputError:
        return math.inf


def _zoomed(choices: Sequence[FormatChoice], zooms: Mapping[int, int]) -> list[FormatChoice]:
    return [replace(each, zoom=zooms.get(index, each.zoom)) for index, each in enumerate(choices)]


def _zoom_limits(
    classes: Sequence[TensorClass], choices: Sequence[FormatChoice]
) -> tuple[Sequence[dict[int, int]], dict[int, int]]:
    """The greatest zooms to try, by the index of the class: first, those of the classes that are narrowed together,
    then those of all classes that may saturate.

    Classes whose numbers have unlike sizes are narrowed together, once without and once with the classes that are
    computed from them. Both results are empty unless half of the numbers of some class round to zero in its format.
    """
    unlike: dict[int, int] = {}
    computed: dict[int, int] = {}
    limits: dict[int, int] = {}
    vanishes = False
    for index, (tensors, choice) in enumerate(zip(classes, choices, strict=True)):
        if not _may_saturate(tensors, choice):
            continue
        greatest, sizes = max(map(abs, tensors.range)), _sizes(tensors)
        if not sizes.any():
            continue
        median, bits = float(np.median(sizes)), choice.prototype.bits
        vanishes |= greatest > median * 2.0**bits
        if median and greatest > median * 2.0 ** (bits / 2):
            unlike[index] = math.floor(math.log2(greatest / median))
        if (zoom := math.floor(math.log2(greatest / sizes[sizes > 0].min()))) >= MIN_ZOOM:
            limits[index] = zoom
            if index not in unlike and any(_is_computed_from(tensors, classes[each]) for each in (*unlike, *computed)):
                computed[index] = zoom
    if not vanishes:
        return (), {}
    return [unlike, {**unlike, **computed}] if computed else [unlike], limits


def _may_saturate(tensors: TensorClass, choice: FormatChoice) -> bool:
    """Whether the format of a class follows from its range, and numbers outside of a narrower range may saturate.

    Saturated features would be lost for everything that is computed from them, so that arguments may not saturate.
    """
    prototype = choice.prototype
    if tensors.known or choice.is_made or choice.is_given or choice.zoom or prototype.AS_PUBLISHED:
        return False
    if tensors.functions or range_of(tensors, prototype) != tensors.range or any(map(_is_argument, tensors.members)):
        return False
    return replace(choice, zoom=1).format_for(*tensors.range) != choice.format_for(*tensors.range)


def _is_computed_from(tensors: TensorClass, others: TensorClass) -> bool:
    ops = [value.owner for value in tensors.members if isinstance(value.owner, tdsl.TensorOp)]
    return any(value in others.members for op in ops for value in op.inputs)


def _is_argument(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), func.FuncOp)


def _sizes(tensors: TensorClass) -> Reals:
    """Magnitudes of numbers of a class: the median of the nonzero numbers of its constants, or the percentiles of the
    profile with the greatest range.
    """
    if roots := tensors.roots:
        numbers = np.concatenate([tdsl.format_of(root.result).decode(root.raws).ravel() for root in roots])
        sizes = np.abs(numbers[numbers != 0])
        return np.array([np.median(sizes)] if sizes.size else [])
    profiles = [profile for value in tensors.members for profile in tdsl.result_profiles(value)]
    widest = max(profiles, key=lambda profile: profile.magnitude, default=None)
    return np.abs([] if widest is None else [each.data for each in widest.percentiles])
