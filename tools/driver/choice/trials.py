"""Trials of alternatives: the estimated cost and the outputs of the program of each alternative.

Alternatives with the same program on reals share the profile, the reference and the derivatives that guide the rounding
of constants. Most of the work of a compilation is the computation of these shared results.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering import pipelines
from tinyml.lowering.pipelines import flatten
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.registry import board, chip_of
from tinyml.tools.driver.backend import backend_of
from tinyml.tools.driver.choice.statistics import Detector, Loss, LossModel, sample_groups
from tinyml.tools.driver.stages import compile_formats, passes_to_formats, with_outputs
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.format_options import scaling_rule
from tinyml.transforms.formats.constants.refine_constants import refine_constants
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, Candidates, Formats
from tinyml.transforms.formats.evaluation.reference import Reference
from tinyml.transforms.ir.cost.demand import arena_and_input
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_on
from tinyml.transforms.ir.outputs import SCORES
from tinyml.transforms.ir.pipeline_names import (
    BUFFERS_TO_LOOPS,
    FORMATS_TO_BUFFERS,
    TO_LOOPS,
)
from tinyml.transforms.programs.kept_facts import kept
from tinyml.transforms.programs.store import Program, Programs
from tinyml.transforms.reals.profile import ProfilePass

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from tinyml.dialects.formats.number_format import Raws, ScaleBy
    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.evaluator.shared_evaluator import SharedProgram
    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.choice.alternatives import Alternative
    from tinyml.tools.driver.compiled_program import Compiled


class Prepared:
    """A program on reals, prepared for the assignment of formats.

    program: the result of the passes before the profile.
    profile: the pass that computes the profile.
    data: the data that determine formats.
    scheme: the implementation of functions; None for the default.
    scale_by: the rule of scales; None for the default of the format.
    """

    def __init__(self, program: Program, profile: ModulePass, data: Data, scheme: str | None, scale_by: ScaleBy | None):
        self.program = program
        self.profile = profile
        self.data = data
        self.scheme = scheme
        self.scale_by: ScaleBy | None = scale_by

    @property
    def before(self) -> ModuleOp:
        """The module of the program, without a profile."""
        return self.program.module

    @property
    def reals(self) -> ModuleOp:
        """The program on reals with the profile of its tensors."""
        return self.program.after(self.profile).module

    @cached_property
    def operations(self) -> int:
        return sum(1 for _ in self.before.walk())

    @cached_property
    def evaluator(self) -> CandidateEvaluator:
        """The evaluator of the program's candidates. It rounds constants with the data."""
        return CandidateEvaluator(self.reals, self.data, self.scheme, self.scale_by)

    @cached_property
    def candidates(self) -> Candidates:
        """The candidates with all constants rounded to nearest, which requires no search."""
        return Candidates(self.reals, None, self.scheme)


@dataclass(frozen=True)
class EstimatedCost:
    """The estimated resources of a program.

    time: the time of an inference in units of the target's costs, on floats, including their conversion, or on integers
        if the caller has sensor readings; None on a target whose costs are unknown, such as programmable logic.
    constants: the bytes of flash that are not code.
    flash, ram: bytes. If the costs of the target are unknown, `ram` is the sum of the arena and the input.
    reading: the part of the time in which floats are converted; 0 if it is unknown.
    guessed: the part of the time of steps that were never measured.
    """

    time: float | None
    flash: float
    ram: float
    constants: float = 0
    reading: float = 0.0
    guessed: float = 0.0

    def within(self, flash: float, ram: float) -> bool:
        return self.flash <= flash and self.ram <= ram


class Trials:
    """The alternatives for one model on one data set.

    program: the program on reals.
    options: the pipeline options, without the options that alternatives set.
    data: the data that determine formats.
    groups, division: as `sample_groups` returns them.
    metric: the metric that judges programs, if it is not accuracy.
    scored: whether the scores are judged if programs return them.
    """

    def __init__(
        self,
        program: ModuleOp,
        ctx: Context,
        options: PipelineOptions,
        data: Data,
        metric: str | None = None,
        *,
        scored: bool = True,
    ):
        self.program = program
        self._imported = Programs().of(program)
        self.metric = metric
        self.ctx = ctx
        self.options = options
        self.scored = scored and options.outputs == SCORES
        self.data = data
        self.groups, self.division = sample_groups(options.data, len(data))

    @cached_property
    def loss_model(self) -> LossModel:
        """The loss model of programs, from the outputs of the model before anything is folded into constants."""
        reals = with_outputs(self.program, self.ctx, self.options.outputs)
        threshold = tdsl.read_interface(reals).threshold
        detector = None if threshold is None else Detector.of(reals, self.data, threshold)
        reference = Reference(reals, self.data)
        return LossModel.of(reference, self.groups, detector, scored=self.scored, metric=self.metric)

    @property
    def loss_key(self) -> Sequence[object]:
        """The cache key of the loss model: all its inputs except the data."""
        groups = hashlib.sha256(self.groups.tobytes()).hexdigest()
        return self._imported.digest, self.options.outputs, self.scored, groups, self.metric

    def of(self, alternative: Alternative) -> ProgramTrial:
        """The trial of an alternative, created once. Raises `InputError` if the alternative's program does not
        compile.
        """
        return self._imported.fact(alternative.name, lambda: ProgramTrial(self, alternative))

    def prepare(self, options: PipelineOptions) -> Prepared:
        """The program on reals, prepared for the assignment of formats with the given options."""
        passes = passes_to_formats(options, None)
        profiled = next(i for i, step in enumerate(passes) if isinstance(step, ProfilePass))
        program = self._imported.through(*passes[:profiled])
        rule = scaling_rule(format_named(self.ctx, options.format, options.width), options.format, options.scale_by)
        return program.fact(Prepared, lambda: Prepared(program, passes[profiled], self.data, options.functions, rule))


class ProgramTrial:
    """An alternative: its options, its costs, and the outputs of its program on the validation set.

    Constants are first rounded to nearest. For the final program, `assign-format` refines the constants, which takes
    most of the time.

    trials: the trials to which it belongs.
    """

    def __init__(self, trials: Trials, alternative: Alternative):
        self.alternative = alternative
        self.trials = trials
        self.ctx = trials.ctx
        self.data = trials.data
        self.options = replace(trials.options, **alternative.options)
        self.prepared = trials.prepare(self.options)

    @property
    def evaluator(self) -> CandidateEvaluator:
        """The evaluator of candidates, which all trials with the same program on reals share."""
        return self.prepared.evaluator

    @property
    def reference(self) -> Reference:
        """The program on reals from which the trial starts, evaluated on the data."""
        return self.evaluator.reference

    @cached_property
    def formats(self) -> Formats:
        """The format of each class of tensors."""
        passes = passes_to_formats(self.options, None)
        assign = next(step for step in passes if isinstance(step, AssignFormatPass))
        prototype = format_named(self.ctx, assign.format, assign.width)
        return assign.profiled_formats(self.ctx, self.evaluator, prototype)

    @cached_property
    def raws(self) -> dict[int, Raws]:
        """Refined raws of the constants, by the index of the constant."""
        return refine_constants(self.evaluator, self.formats)

    def cost(self, more: Mapping[str, Any]) -> EstimatedCost:
        """The estimated cost of the program with further options of the levels below formats.

        Raises `TooLargeError` for a program that fits the board but has more constants than the board can address.
        """
        options = replace(self.options, **more)
        passes = [flatten(name, vars(replace(options, data=""))) for name in TO_LOOPS]
        return kept(
            lambda: self._asked("estimate", passes, options.target, options.cells),
            lambda: self._estimated(options),
            lambda answer: EstimatedCost(**answer),
            asdict,
        )

    def _asked(self, what: str, *more: object) -> Sequence[str]:
        """The cache key of a result: the program on reals, the data, and all inputs of the passes.

        what: the kind of result.
        more: further inputs of the result.
        """
        passes = passes_to_formats(replace(self.options, data=""), None)
        return what, self.prepared.program.digest, self.data.digest, str(passes), *map(str, more)

    def _estimated(self, options: PipelineOptions) -> EstimatedCost:
        return self.cost_of(self._at(BUFFERS_TO_LOOPS, options).module, options)

    def cost_of(self, module: ModuleOp, options: PipelineOptions) -> EstimatedCost:
        """The estimated cost of a program at L3. Raises the errors of `cost`."""
        target = board(options.target)
        if (backend := backend_of(target)) is not None:
            return EstimatedCost(backend.cycles(module, target, options.cells), 0, arena_and_input(module))
        estimate: Estimate | None = estimate_on(module, options.target, OPTIMIZE)
        if estimate is None:
            return EstimatedCost(None, 0, arena_and_input(module))
        if target.flash is None or estimate.flash <= target.flash:
            # Larger programs do not fit the board, whatever their constants.
            chip_of(options.target).check_constants(estimate.constants, target, estimate.far)
        sizes = estimate.flash, estimate.ram, estimate.constants
        return EstimatedCost(estimate.call, *sizes, estimate.reading or 0.0, estimate.guessed_time)

    def buffers(self, more: Mapping[str, Any]) -> ModuleOp:
        """The packed program at L2.

        more: further options of the levels below formats.
        """
        return self._at(FORMATS_TO_BUFFERS, replace(self.options, **more)).module

    def _at(self, pipeline: str, options: PipelineOptions) -> Program:
        """The program after the pipeline `pipeline`, with constants rounded to nearest."""
        return self.prepared.candidates.typed(self.formats).at(
            *TO_LOOPS[: TO_LOOPS.index(pipeline) + 1], **vars(options)
        )

    @cached_property
    def _refined(self) -> SharedProgram:
        return self._shared(self.raws)

    def _shared(self, raws: dict[int, Raws] | None) -> SharedProgram:
        return self.evaluator.shared.prepare(self.evaluator.candidates.program(self.formats, raws))

    def look(self, at_most: float = float("inf")) -> Loss:
        """The loss of the program with constants rounded to nearest on the data.

        at_most: as for `loss_of`.
        """
        return self._kept_loss("look", lambda: self._loss(self._shared(None), at_most), at_most)

    def loss(self) -> Loss:
        """The loss of the final program, with refined constants, on the data."""
        return self._kept_loss("loss", lambda: self._loss(self._refined))

    def _kept_loss(self, what: str, find: Callable[[], Loss], *more: object) -> Loss:
        return kept(lambda: self._asked(what, *self.trials.loss_key, *more), find, Loss.of_json, asdict)

    def _loss(self, program: SharedProgram, at_most: float = float("inf")) -> Loss:
        loss_model = self.trials.loss_model
        loss = loss_of(program, self.reference.order, loss_model, at_most)
        if loss_model.detector is None:
            return loss
        far = self.evaluator.shared_on(loss_model.detector.far).prepare(program.module)
        scores = [far.decoded(far.outputs(chunk))[0][:, 0] for chunk in range(len(far.evaluator.chunks))]
        return loss_model.with_far(loss, np.concatenate(scores))

    def changed_answers(self) -> int:
        """The number of samples whose class differs between the refined program and the program on reals."""
        return kept(lambda: self._asked("changed answers"), self._changed_answers, int)

    def _changed_answers(self) -> int:
        classes = np.concatenate(
            [self._refined.outputs(chunk).classes for chunk in range(len(self.evaluator.shared.chunks))]
        )
        return int((classes != self.reference.classes).sum())

    def program(self, more: Mapping[str, Any]) -> ModuleOp:
        """The program at L1 after the pipeline `reals-to-formats`.

        more: as for `cost`.
        """
        module, _ = self.evaluator.candidates.retyped(self.formats, self.raws)
        passes = passes_to_formats(replace(self.options, **more), None)
        assigned = next(i for i, step in enumerate(passes) if isinstance(step, AssignFormatPass))
        pipelines.run(module, self.ctx, passes[assigned + 1 :])
        return module

    def compiled(self, more: Mapping[str, Any]) -> Compiled:
        """The program with refined constants, compiled to C.

        more: as for `cost`.
        """
        options, module = replace(self.options, **more), self.program(more)
        return compile_formats(self.prepared.reals, module, self.ctx, options, row_scales=options.row_scales)


def loss_of(
    program: SharedProgram, order: NDArray[np.intp], loss_model: LossModel, at_most: float = float("inf")
) -> Loss:
    """The loss of a program on the data of a reference, computed from the scores or numbers that determine the
    program's answer.

    order: the order of samples in the reference; samples with the smallest margins come first.
    at_most: the counted loss in points above which the evaluation ends.
    """
    classes: list[NDArray[np.int64]] = []
    compared: list[NDArray[np.float64] | None] = []
    decoded: list[NDArray[np.float64]] = []
    for chunk in range(len(program.evaluator.chunks)):
        outputs = program.outputs(chunk)
        classes.append(outputs.classes)
        if reals := program.decoded(outputs) if loss_model.numbers or loss_model.scored or loss_model.metric else ():
            decoded.append(reals[0])
        if loss_model.metric is not None:
            continue
        compared.append(decoded[-1] if loss_model.numbers else program.compared(chunk))
        if not loss_model.numbers:
            seen = np.concatenate(classes)
            points = 100 * loss_model.net(seen, order[: len(seen)]) / len(order)
            if points > at_most:
                return Loss(points, points, 0, 0, len(order), len(order))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    seen, scores = np.concatenate(classes)[place], np.concatenate(decoded)[place] if decoded else None
    if loss_model.metric is not None:
        loss = loss_model.loss_by_metric(seen, scores)
    elif loss_model.by_probabilities and scores is not None:
        loss = loss_model.loss_of_probabilities(seen, scores)
    else:
        known = [part for part in compared if part is not None]
        loss = loss_model.loss(seen, np.concatenate(known)[place] if known else None)
    return loss if not loss_model.scored or scores is None else replace(loss, scores=loss_model.scores_off(scores))
