"""The values of tensors in the program of a candidate, and their errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, Formats

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals

SAMPLES = 256
"""The number of evaluated samples, evenly spread over the data."""


def value_map(
    evaluator: CandidateEvaluator, formats: Formats, refined: Mapping[int, Raws] | None = None
) -> list[Reals]:
    """For each class of tensors, a vector of the values of its tensors as reals, on some samples and in all iterations.

    In the evaluated program, no ops are fused or accumulated, so that it has the same tensors as its source.

    refined: as in `RoundedConstants.raws`.
    """
    recorded = _rounded_values(evaluator, formats, refined)
    return [np.concatenate([part.reshape(-1) for part in parts]) for parts in recorded]


def tensor_errors(evaluator: CandidateEvaluator, formats: Formats, refined: Mapping[int, Raws] | None) -> list[float]:
    """The mean absolute error of each class of tensors in the program that `value_map` evaluates.

    refined: as in `RoundedConstants.raws`.
    """
    recorder = _ValueRecorder(evaluator, {value: value for value in evaluator.candidates.assignment.class_of})
    evaluate_reals(evaluator.candidates.module, recorder.inputs, recorder.add)
    pairs = zip(_rounded_values(evaluator, formats, refined), recorder.numbers.values(), strict=True)
    return [
        # A value that is equal for all samples may be computed once, such as products with a matrix that rounds to
        # zero.
        float(np.concatenate([np.abs(one - other).reshape(-1) for one, other in zip(*parts, strict=True)]).mean())
        for parts in pairs
    ]


def _rounded_values(
    evaluator: CandidateEvaluator, formats: Formats, refined: Mapping[int, Raws] | None
) -> list[list[Reals]]:
    module, values = evaluator.candidates.in_formats(formats, refined)
    recorder = _ValueRecorder(evaluator, {value: source for source, value in values.items()})

    def observe(value: SSAValue, raws: Reals) -> None:
        recorder.add(value, tdsl.format_of(value).decode(raws))

    evaluate(module, encode_inputs(module, recorder.inputs), observe=observe)
    return [*recorder.numbers.values()]


class _ValueRecorder:
    """A recorder of the values that a program computes, by the class of the tensor that contains them.

    sources: for each tensor of the program, the tensor on reals that it represents.
    """

    def __init__(self, evaluator: CandidateEvaluator, sources: dict[SSAValue, SSAValue]):
        assignment, inputs = evaluator.candidates.assignment, evaluator.reference.inputs
        self.inputs = inputs[np.linspace(0, len(inputs) - 1, min(SAMPLES, len(inputs))).astype(int)]
        self.classes = {value: assignment.class_of[source] for value, source in sources.items()}
        self.numbers: dict[object, list[Reals]] = {tensors: [] for tensors in assignment.classes}

    def add(self, value: SSAValue, numbers: Reals) -> None:
        if value in self.classes:
            self.numbers[self.classes[value]].append(numbers)
