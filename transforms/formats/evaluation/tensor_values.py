"""The values of a candidate's tensors (MinUn 5.1.2, algorithm 5), and their errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.formats.evaluation.evaluator import CandidateEvaluator

SAMPLES = 256
"""The number of samples that are evaluated, evenly spread over the data."""


def value_map(
    evaluator: CandidateEvaluator, formats: Formats, refined: Mapping[int, Raws] | None = None
) -> list[Reals]:
    """The reals in each class of tensors on some samples, in all iterations, as one vector.

    The program still has the tensors of its source: no ops are fused or accumulated.

    refined: as in `RoundedConstants.raws`.
    """
    from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate

    module, values = evaluator.candidates.in_formats(formats, refined)
    recorder = _ValueRecorder(evaluator, {value: source for source, value in values.items()})

    def observe(value: SSAValue, raws: Reals) -> None:
        recorder.add(value, tdsl.format_of(value).decode(raws))

    evaluate(module, encode_inputs(module, recorder.inputs), observe=observe)
    return recorder.maps()


def tensor_errors(evaluator: CandidateEvaluator, formats: Formats, refined: Mapping[int, Raws] | None) -> list[float]:
    """The mean absolute error of each class of tensors in the same program."""
    from tinyml.runtime.evaluator.evaluator import evaluate_reals

    recorder = _ValueRecorder(evaluator, {value: value for value in evaluator.candidates.assignment.class_of})
    evaluate_reals(evaluator.candidates.module, recorder.inputs, recorder.add)
    pairs = zip(value_map(evaluator, formats, refined), recorder.maps(), strict=True)
    return [float(np.abs(rounded - exact).mean()) for rounded, exact in pairs]


class _ValueRecorder:
    """Collects the values of tensors by class. sources: the tensor on reals that each tensor represents."""

    def __init__(self, evaluator: CandidateEvaluator, sources: dict[SSAValue, SSAValue]):
        assignment, inputs = evaluator.candidates.assignment, evaluator.reference.inputs
        self.inputs = inputs[np.linspace(0, len(inputs) - 1, min(SAMPLES, len(inputs))).astype(int)]
        self.classes = {value: assignment.class_of[source] for value, source in sources.items()}
        self.numbers: dict[object, list[Reals]] = {tensors: [] for tensors in assignment.classes}

    def add(self, value: SSAValue, numbers: Reals) -> None:
        if value in self.classes:
            self.numbers[self.classes[value]].append(numbers.reshape(-1))

    def maps(self) -> list[Reals]:
        return [np.concatenate(parts) for parts in self.numbers.values()]
