"""Evaluation of candidates on the validation set, with the bits that their programs have on a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.evaluation.candidates import Candidates
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome, Metric, Reference

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.runtime.evaluator.gradients import Gradients
    from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
    from tinyml.runtime.model.data import Data
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.formats.evaluation.problem import SearchProblem

NEAREST = 4096
"""The samples for which the margins' derivatives are computed, those nearest to the border between two classes; more
would take memory and add little.
"""

GREATEST = 1 << 26
"""The most derivatives with respect to filters that are kept, unless one chunk of samples has more."""


@dataclass(frozen=True)
class EvaluationTask:
    """A candidate to be evaluated until it is certain to lose more than `at_most`.

    refined: raws of constants, as in `RoundedConstants.raws`.
    """

    formats: Formats
    metric: Metric
    at_most: float
    refined: Mapping[int, Raws] | None = None


class CandidateEvaluator:
    """Evaluates the candidates of one program on one data set."""

    def __init__(self, module: ModuleOp, data: Data, scheme: str | None):
        self.data = data
        self.candidates = Candidates(module, data.x.astype("f8"), scheme)

    @cached_property
    def reference(self) -> Reference:
        """The program on reals, on the data."""
        return Reference(self.candidates.module, self.data)

    @cached_property
    def arguments(self) -> Reals:
        """The reals of the program's argument, in the order of the reference."""
        from tinyml.runtime.evaluator.evaluator import argument_reals

        return argument_reals(self.candidates.module, self.reference.inputs)

    @cached_property
    def shared(self) -> SharedEvaluator:
        """The evaluator of all candidates, on the arguments."""
        from tinyml.runtime.evaluator.evaluator import samples_together
        from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator

        return SharedEvaluator(self.arguments, chunk=samples_together(self.candidates.function))

    @cached_property
    def gradients(self) -> Gradients:
        """The derivatives of margins with respect to constants, on reals: the same for all candidates.

        They are computed on the `nearest` samples, for a program with scores.
        """
        from tinyml.runtime.evaluator.gradients import Gradients

        assert self.reference.margin_model is not None
        direction = self.reference.margin_model.direction()
        return Gradients(self.candidates.module, self.arguments[: self.nearest], direction[: self.nearest])

    @cached_property
    def nearest(self) -> int:
        """The number of samples for which the margins' derivatives are computed: whole chunks, about `NEAREST`."""
        convolutions = [op for op in self.candidates.module.walk() if isinstance(op, tdsl.Conv2dOp)]
        numbers = sum(prod(tdsl.shape_of(op.lhs)) for op in convolutions)
        most = min(NEAREST, GREATEST // max(numbers, 1))
        return max(most // self.shared.chunk, 1) * self.shared.chunk

    def outcome(self, task: EvaluationTask) -> CandidateOutcome:
        """The outcome of a candidate, abandoned once it is certain to lose more than it may."""
        try:
            module = self.candidates.program(task.formats, task.refined)
        except InputError as error:
            return CandidateOutcome(fault=error.message)
        return evaluate_program(module, self.reference, self.shared, task.metric, task.at_most)


def evaluate_program(
    module: ModuleOp, reference: Reference, shared: SharedEvaluator, metric: Metric, at_most: float
) -> CandidateOutcome:
    """The outcome of a program at L1, abandoned once it is certain to lose more than `at_most`.

    shared: an evaluator for the inputs of the reference, in its order.
    """
    program = shared.prepare(module)
    outcome = CandidateOutcome()
    for chunk in range(len(shared.chunks)):
        if reference.loss(outcome, metric) > at_most:
            break
        outputs = program.outputs(chunk)
        outcome = reference.extended(outcome, outputs, program.decoded(outputs), program.compared(chunk))
    return outcome


def outcomes_of(problem: SearchProblem, tasks: Sequence[EvaluationTask]) -> list[CandidateOutcome]:
    """The outcomes of tasks, computed in this process."""
    return [evaluator_of(problem).outcome(task) for task in tasks]


def evaluator_of(problem: SearchProblem) -> CandidateEvaluator:
    """The evaluator of a problem's candidates, made once in each process."""
    if (known := _evaluators.get(problem.digest)) is None:
        from xdsl.parser import Parser

        from tinyml.dialects.context import context
        from tinyml.runtime.model.data import Data

        module = Parser(context(), problem.program).parse_module()
        _evaluators.clear()
        known = CandidateEvaluator(module, Data(problem.x, problem.y, targets=problem.targets), problem.scheme)
        _evaluators[problem.digest] = known
    return known


_evaluators: dict[str, CandidateEvaluator] = {}
