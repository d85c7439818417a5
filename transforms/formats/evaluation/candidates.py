"""Candidates: programs at L1, each of which is one program on reals with a format for every tensor.

The loss of a candidate compares it with the program on reals. Programs and losses are computed quickly enough for
searches.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, Raws, Reals, ScaleBy
from tinyml.runtime.evaluator.evaluator import Outputs, argument_reals, long_loop, predict_function, samples_together
from tinyml.runtime.evaluator.gradients import Gradients
from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
from tinyml.runtime.model.data import Data
from tinyml.transforms.formats.accumulate_sums import AccumulateSumsPass
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.tensor_classes import check_reals
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome, Reference
from tinyml.transforms.formats.fuse_distances import FuseDistancesPass
from tinyml.transforms.ir.sums import rounded_sums, squared_distances
from tinyml.transforms.programs.digest import digest_of
from tinyml.transforms.programs.store import Program, Programs

if TYPE_CHECKING:
    from numpy.typing import NDArray


Formats: TypeAlias = tuple[NumberFormat, ...]
"""A format for each class of tensors, in the order of `tensor_classes`."""

LEAVE_OUT_ROUNDINGS = (FuseDistancesPass(), AccumulateSumsPass())
"""The passes after `choose-accumulators` that change bits, by omitting roundings. All later passes preserve bits."""


def spelled(formats: Formats) -> str:
    return " ".join(str(format.type) for format in formats)


class Candidates:
    """Programs at L1 that are made from one program on reals, one for each assignment of formats. Raises the errors of
    `assign-format`.

    module: the profiled program on reals, which is not changed.
    inputs: reals of shape (samples, elements) on which weights are rounded.
    scheme: the scheme of exp, tanh and sigmoid, as in `assign-format{functions=...}`.
    scale_by, are_numbers: as for `FormatAssignment`.
    """

    def __init__(
        self,
        module: ModuleOp,
        inputs: Reals | None,
        scheme: str | None,
        scale_by: ScaleBy | None = None,
        *,
        are_numbers: bool = False,
    ):
        self.module = module
        self.scheme = scheme
        self.function = predict_function(module)
        check_reals(self.function)
        self.assignment = FormatAssignment(self.function, inputs, scale_by, are_numbers=are_numbers)
        self.constants = RoundedConstants(self.assignment)
        self._choosing = ChooseAccumulatorsPass()
        self._has_roundings = any(True for find in (squared_distances, rounded_sums) for _ in find(module))
        self.programs = Programs()

    def summed(self, formats: Formats) -> Program:
        """The program that `in_formats` returns, cached. The other programs of a candidate are computed from it."""
        return self.programs.made(formats, lambda: self.in_formats(formats)[0])

    def typed(self, formats: Formats) -> Program:
        """The program that `retyped` returns, cached."""
        return self.programs.made((Candidates.typed, formats), lambda: self.retyped(formats)[0])

    def in_formats(
        self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None
    ) -> tuple[ModuleOp, dict[SSAValue, SSAValue]]:
        """Assign formats to the program, and choose the accumulators of its sums. The ops are otherwise unchanged.

        Returns the new module and, for each tensor on reals, the tensor that replaces it.

        refined: as in `RoundedConstants.raws`.
        """
        copy, tensors = self.retyped(formats, refined)
        self._choosing.apply(Context(), copy)
        return copy, tensors

    def retyped(
        self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None
    ) -> tuple[ModuleOp, dict[SSAValue, SSAValue]]:
        """Assign formats to the program as `assign-format` does. No op has an accumulator yet.

        Returns the new module and, for each tensor on reals, the tensor that replaces it.

        refined: as in `RoundedConstants.raws`.
        """
        return self.constants.retyped(self.module, formats, refined, self.scheme)

    def program(self, formats: Formats, refined: Mapping[int, Raws] | None = None) -> ModuleOp:
        """The program of a candidate, which computes the same bits as a device. The caller must not modify it.
        Raises `InputError` if a sum of products fits no accumulator.

        refined: as in `RoundedConstants.raws`.
        """
        if refined:
            return leave_out_roundings(self.in_formats(formats, refined)[0])
        summed = self.summed(formats)
        return summed.after(*LEAVE_OUT_ROUNDINGS).module if self._has_roundings else summed.module


def leave_out_roundings(module: ModuleOp) -> ModuleOp:
    """Rewrite, in place, a program with accumulators so that it does not round intermediate sums, and return it.
    Programs on devices do not round them either.
    """
    for rewrite in LEAVE_OUT_ROUNDINGS:
        rewrite.apply(Context(), module)
    return module


@dataclass(frozen=True)
class SearchProblem:
    """The complete input of a process that evaluates candidates.

    program: the profiled program on reals, as text.
    x: the input of each sample as real numbers, of shape (samples, elements).
    y: the label of each sample; None for data without labels.
    scheme, scale_by: the options `functions` and `scale_by` of `assign-format`.
    targets: as in `Data`.
    """

    program: str
    x: NDArray[Any]
    y: NDArray[Any] | None
    scheme: str | None
    targets: NDArray[Any] | None = None
    scale_by: ScaleBy | None = None

    @cached_property
    def digest(self) -> str:
        """The SHA-256, in hexadecimal, of the program, the data and the options of the problem."""
        digest = hashlib.sha256(f"{self.scheme} {self.scale_by} {self.program}".encode())
        for array in (self.x, self.y, self.targets):
            digest.update(b"" if array is None else array.tobytes())
        return digest.hexdigest()


BORDER_SAMPLES = 4096
"""The number of samples, nearest to the border between two classes, for which the margins' derivatives are computed.

More samples would need memory and add little.
"""

DERIVATIVE_LIMIT = 1 << 26
"""Maximum stored derivatives with respect to filters, unless one chunk of samples has more."""


@dataclass(frozen=True)
class EvaluationTask:
    """A candidate to be evaluated.

    formats: the format of each class of tensors.
    metric: the name of the metric in which the loss is measured.
    refined: raws of constants, as in `RoundedConstants.raws`.
    at_most: the loss above which the evaluation may stop.
    """

    formats: Formats
    metric: str
    at_most: float
    refined: Mapping[int, Raws] | None = None


class CandidateEvaluator:
    """An evaluator of one program's candidates on one data set, which computes values, losses and derivatives."""

    def __init__(self, module: ModuleOp, data: Data, scheme: str | None, scale_by: ScaleBy | None = None):
        self.data = data
        are_numbers = data.targets is not None or data.y is None
        self.candidates = Candidates(module, data.x.astype("f8"), scheme, scale_by, are_numbers=are_numbers)

    @cached_property
    def digest(self) -> str:
        """A digest of the program, the data and the options for choosing formats, which determine all results."""
        scheme, scale_by = self.candidates.scheme, self.candidates.assignment.scale_by
        return " ".join((digest_of(self.candidates.module), self.data.digest, f"{scheme} {scale_by}"))

    @cached_property
    def reference(self) -> Reference:
        return Reference(self.candidates.module, self.data)

    @cached_property
    def arguments(self) -> Reals:
        """The argument for each sample, in the order of `reference`, as reals of shape (samples, elements)."""
        return argument_reals(self.candidates.module, self.reference.inputs)

    @cached_property
    def shared(self) -> SharedEvaluator:
        return self._shared(self.arguments)

    def shared_on(self, inputs: Reals) -> SharedEvaluator:
        """A new evaluator that runs candidates on inputs of shape (samples, elements)."""
        return self._shared(argument_reals(self.candidates.module, inputs))

    def _shared(self, arguments: Reals) -> SharedEvaluator:
        return SharedEvaluator(arguments, chunk=samples_together(self.candidates.function))

    @cached_property
    def has_gradients(self) -> bool:
        """Whether the derivatives of margins can be computed: the program has scores, and no loop has too many
        steps, since every iteration is recorded.
        """
        return long_loop(self.candidates.function, parallel=False) is None and self.reference.margin_model is not None

    @cached_property
    def gradients(self) -> Gradients:
        """The derivatives of margins with respect to constants, on reals, for the first `nearest` samples. They
        do not depend on the candidate.

        The program must have scores.
        """
        assert self.reference.margin_model is not None
        direction = self.reference.margin_model.direction()
        return Gradients(self.candidates.module, self.arguments[: self.nearest], direction[: self.nearest])

    @cached_property
    def nearest(self) -> int:
        """The number of samples whose margins are differentiated, a multiple of the chunk size and at least one chunk.
        It is about `BORDER_SAMPLES`, or fewer for large filters.
        """
        convolutions = [op for op in self.candidates.module.walk() if isinstance(op, tdsl.Conv2dOp)]
        numbers = sum(prod(tdsl.shape_of(op.lhs)) for op in convolutions)
        most = min(BORDER_SAMPLES, DERIVATIVE_LIMIT // max(numbers, 1))
        return max(most // self.shared.chunk, 1) * self.shared.chunk

    def outcome(self, task: EvaluationTask) -> CandidateOutcome:
        """The outcome of a candidate. The evaluation stops as soon as the loss certainly exceeds `task.at_most`."""
        try:
            module = self.candidates.program(task.formats, task.refined)
        except InputError as error:
            return CandidateOutcome(fault=error.message)
        return evaluate_program(module, self.reference, self.shared, task.metric, task.at_most)


def evaluate_program(
    module: ModuleOp, reference: Reference, shared: SharedEvaluator, metric: str, at_most: float
) -> CandidateOutcome:
    """The outcome of a program at L1. The evaluation stops as soon as the loss certainly exceeds `at_most`.

    shared: an evaluator for the inputs of the reference, in the same order.
    metric: the name of the metric of the loss.
    """
    program = shared.prepare(module)
    outcome = CandidateOutcome()
    parts: list[Outputs] = []
    for chunk in range(len(shared.chunks)):
        if reference.loss(outcome, metric) > at_most:
            break
        outputs = program.outputs(chunk)
        reals = program.decoded(outputs)
        outcome = reference.extended(outcome, outputs, reals, program.compared(chunk))
        if reference.has_figure(metric):
            parts.append(replace(outputs, scores=reals[0] if reals else None))
            if at_most < math.inf or outcome.seen == reference.samples:
                outcome = reference.with_figure(outcome, metric, parts)
    return outcome


def evaluator_of(problem: SearchProblem) -> CandidateEvaluator:
    """The evaluator of a problem's candidates. Each process stores the evaluator of its latest problem, and returns it
    again for the same problem.
    """
    if (known := _evaluators.get(problem.digest)) is None:
        module = Parser(context(), problem.program).parse_module()
        _evaluators.clear()
        data = Data(problem.x, problem.y, targets=problem.targets)
        known = CandidateEvaluator(module, data, problem.scheme, problem.scale_by)
        _evaluators[problem.digest] = known
    return known


_evaluators: dict[str, CandidateEvaluator] = {}
