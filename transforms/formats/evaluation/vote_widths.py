"""The width of a forest's votes: 8 bits, or that of other constants where the data show that it takes more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.assignment.choices import FormatChoice
from tinyml.transforms.formats.evaluation.evaluator import CandidateEvaluator, EvaluationTask

BITS = 8

REGRESSION_LOSS = 0.01
"""The mean squared error, in percent of the variance, that narrow votes may add to a regressor's."""


def with_narrow_votes(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice]) -> list[FormatChoice]:
    """The choices for all classes of tensors, those for votes narrowed unless more of the answers differ then."""
    assignment, chosen = evaluator.candidates.assignment, list(choices)
    forests = [op for op in evaluator.candidates.module.walk() if isinstance(op, tdsl.ForestOp)]
    classes = {assignment.class_of[op.votes] for op in forests if op.votes in assignment.class_of}
    for index, (tensors, choice) in enumerate(zip(assignment.classes, choices, strict=True)):
        if tensors not in classes or not tensors.is_constant or choice.prototype.bits <= BITS:
            continue
        try:
            narrow = type(choice.prototype).of_width(BITS)
        except InputError:
            continue
        narrowed = [*chosen[:index], replace(choice, prototype=narrow), *chosen[index + 1 :]]
        allowed = REGRESSION_LOSS if evaluator.reference.is_regressor else 0.0
        if _loss(evaluator, narrowed) <= _loss(evaluator, chosen) + allowed:
            chosen = narrowed
    return chosen


def _loss(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice]) -> float:
    """The percentage of answers that differ from those on reals."""
    formats = tuple(evaluator.candidates.assignment.formats(choices))
    outcome = evaluator.outcome(EvaluationTask(formats, "disagreement", math.inf))
    return evaluator.reference.loss(outcome, "disagreement")
