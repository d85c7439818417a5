"""Fine-tuning of a program: pruning, epochs on reals, and epochs in the arithmetic of the compiled program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TypeAlias

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering import pipelines
from tinyml.lowering.options import DEFAULT_LOSS, PipelineOptions
from tinyml.runtime.evaluator.arithmetics import Bits, Reals
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.training.training import Labelled, Trainer, TrainingSchedule, logits_of
from tinyml.runtime.training.weights import Array, TrainedWeights
from tinyml.tools.driver.channels import channels_of
from tinyml.tools.driver.finetuning_options import NORMS, FinetuneOptions
from tinyml.transforms.formats.accumulate_sums import renew_sums
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.tensor_classes import tensor_classes
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.fuse_distances import renew_distances
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.formats.plan_execution import in_whole_images, with_rounded_sums
from tinyml.transforms.reals.channels.importance import importance
from tinyml.transforms.reals.channels.pruning import prune
from tinyml.transforms.reals.channels.refitting import prune_refitted
from tinyml.transforms.reals.channels.removal import remove_channels
from tinyml.transforms.reals.channels.resource_limits import FLASH, MACS, RAM, ResourceLimits
from tinyml.transforms.schedules.table import AUTO

LEARNING_RATE_RATIO = 4.0
"""The ratio of the learning rate on reals to that in the program's arithmetic."""

SAMPLES = 512
"""Number of training samples for the comparison of ranges."""

LOSS_RATIO = 0.998
"""Another range is accepted if it reduces the loss below this share."""

ROUNDS = 2
"""The number of times that ranges are chosen: before the training, and with the weights after its first half."""


NOTABLE_LOSS = 2.0
"""The points of accuracy lost from floating point to the formats above which there is a warning."""

Score: TypeAlias = tuple[float, float]
"""A program's loss, and its accuracy in percent, on the validation set."""


@dataclass(frozen=True)
class Finetuned:
    """A fine-tuned program with its scores.

    module: the program at L1.
    trainer: evaluates the program in its own arithmetic.
    before: the score of the original program.
    floats: the score in floating point, after training on reals and before quantisation.
    untrained: the score of the compiled program without training, with the same number of channels.
    quantised: the score of the fine-tuned program.
    reals: the program before quantisation.
    removed: the number of removed channels.
    seed: the seed of the best training.
    """

    module: ModuleOp
    trainer: Trainer
    before: Score
    floats: Score
    untrained: Score
    quantised: Score
    reals: ModuleOp
    removed: int
    seed: int

    @property
    def warning(self) -> str | None:
        """A warning about the loss due to the formats, with advice; None for a small loss."""
        lost = self.floats[1] - self.quantised[1]
        if lost <= NOTABLE_LOSS:
            return None
        helps = "a larger --width, --learn-ranges or more --quantized-epochs may help"
        return f"the program loses {lost:.1f} points of accuracy compared with floating point: {helps}"


def limits_of(options: FinetuneOptions) -> dict[str, int]:
    """The limits that are set, by the name of the resource."""
    given = {RAM: options.ram, FLASH: options.flash, MACS: options.macs}
    return {name: limit for name, limit in given.items() if limit is not None}


def finetune(
    program: ModuleOp,
    train: Labelled,
    val: Labelled,
    options: FinetuneOptions,
    numbers: PipelineOptions,
) -> Finetuned:
    """Fine-tune a copy of a program; the inputs of `numbers.data` determine its formats. If several trainings are
    requested, the result is the one with the least loss on the validation set.

    Raises `InputError` for limits that cannot be met, for pruning by norms with limits other than RAM, for a program
    that cannot be trained, and if training reduces the accuracy on the validation set.
    """
    if options.pruning == NORMS and list(limits_of(options)) not in ([], [RAM]):
        raise InputError("--pruning norms supports only a limit on RAM: omit --flash and --macs, or --pruning")
    ctx = context()
    tuned = [
        _finetuned(program, train, val, replace(options, seed=options.seed + i), numbers, ctx)
        for i in range(options.trainings)
    ]
    best = min(tuned, key=lambda each: each.quantised[0])
    (_, without), (_, trained) = best.untrained, best.quantised
    if trained < without:
        scores = f"{trained:.2f} % of the validation samples are right with it, {without:.2f} % without it"
        raise InputError(f"training reduced the accuracy: {scores}; another --rate or more --epochs may help")
    return best


def _finetuned(
    program: ModuleOp,
    train: Labelled,
    val: Labelled,
    options: FinetuneOptions,
    numbers: PipelineOptions,
    ctx: Context,
) -> Finetuned:
    module, given = program.clone(), tdsl.has_formats(program)
    if given:
        LiftToRealsPass().apply(ctx, module)
    before = Trainer(TrainedWeights(program.clone()), Bits if given else Reals).loss(val)
    schedule = TrainingSchedule(epochs=options.epochs, rate=options.rate, batch=options.batch, seed=options.seed)
    bits = format_named(ctx, numbers.format, numbers.width).bits
    wanted = limits_of(options)
    limits = ResourceLimits(channels_of(module, numbers.plan, bits), wanted, bits) if wanted else None
    if limits is not None:
        grouping = limits.channels.grouping
        if options.pruning == NORMS:
            limits.removed.extend(prune(limits.channels, importance(grouping), limits.limits[RAM]))
        else:
            prune_refitted(module, limits, train.x, options.seed)
        remove_channels(grouping, limits.removed)
        module.verify()
    start = _as_compiled(module, val, numbers, ctx)
    untrained = start.score(val)
    if given and limits is None and tdsl.kept_format(program).bits <= bits:
        # Compilation does not change the program.
        untrained = max(untrained, before, key=lambda score: score[1])
    train_reals(module, train, val, schedule)
    floats = Trainer(TrainedWeights(module), Reals).loss(val)
    # With few bits, weights that are better in floating point may be worse.
    formats = QuantisedProgram(module, ctx, start.numbers)
    if not _is_better(formats.score(val), start.score(val)):
        formats = start
    schedule = replace(schedule, epochs=options.quantized_epochs, rate=options.rate / LEARNING_RATE_RATIO)
    trainer = _train_formats(formats, train, val, schedule, options.learn_ranges)
    removed = 0 if limits is None else len(limits.removed)
    scores = before, floats, untrained, trainer.loss(val)
    return Finetuned(trainer.weights.program(), trainer, *scores, module, removed, options.seed)


def _is_better(score: Score, than: Score) -> bool:
    return score[0] < than[0] and score[1] >= than[1]


def _as_compiled(module: ModuleOp, val: Labelled, numbers: PipelineOptions, ctx: Context) -> QuantisedProgram:
    """Lower a program at L0 to the formats that compilation chooses; use a scale for each feature if this reduces a
    large loss.
    """
    plain = QuantisedProgram(module, ctx, numbers)
    found = plain.score(val)
    if found[1] >= Trainer(TrainedWeights(module), Reals).loss(val)[1] - DEFAULT_LOSS:
        return plain
    scaled = QuantisedProgram(module, ctx, replace(numbers, feature_scales=True))
    return scaled if _is_better(scaled.score(val), found) else plain


def train_reals(module: ModuleOp, train: Labelled, val: Labelled, schedule: TrainingSchedule) -> None:
    """Train a program at L0 in double precision, in place."""
    Trainer(TrainedWeights(module), Reals).fit(train, val, schedule)


def labelled(program: ModuleOp, file: Path) -> Labelled:
    """Load the samples of a file with their classes.

    Raises `InputError` for a file without classes, and for a program that computes a single number.
    """
    data = load_program_data(program, str(file))
    scores = logits_of(predict_function(program))
    uses = [use.operation for use in scores.uses]
    alone = prod(tdsl.shape_of(scores)) == 1
    if alone and all(isinstance(user, func.ReturnOp) for user in uses):
        raise InputError("the program computes a number: train programs that return a class or its probability")
    y = data.y
    if alone and data.targets is not None and np.isin(data.targets, (0, 1)).all():
        # A program that returns only a probability has no class; labels 0 and 1 would be read as one.
        y = data.targets[:, 0].astype(np.int64)
    if y is None:
        raise InputError("has no classes `y` to train with", file=str(file))
    return Labelled(data.x.astype("f8"), y)


Zooms: TypeAlias = "Mapping[str, int]"
"""Powers of two by which the ranges of tensors are narrower than their profile, by name; 0 for the others."""


class QuantisedProgram:
    """A program at L0 that can be lowered to L1 with any choice of ranges. The inputs of `numbers.data` determine the
    formats.

    reals: the values of its constants, by name.
    numbers: the compilation options that determine formats.
    """

    def __init__(self, module: ModuleOp, ctx: Context, numbers: PipelineOptions):
        self.ctx, self.numbers = ctx, numbers
        passes = pipelines.flatten("reals-to-formats", vars(numbers))
        at = next(i for i, step in enumerate(passes) if isinstance(step, AssignFormatPass))
        self.assign, self.later = passes[at], passes[at + 1 :]
        self.profiled = module.clone()
        pipelines.run(self.profiled, ctx, passes[:at])
        self.reals = TrainedWeights(self.profiled).reals()

    @property
    def tensors(self) -> list[str]:
        """The names of the tensors that have separate ranges."""
        return [tensors.name for tensors in tensor_classes(predict_function(self.profiled))]

    @cached_property
    def compiled(self) -> ModuleOp:
        """The program at L1 that compilation produces, with refined constants and the ranges of the profile."""
        return self.formats({}, refined=True)

    def formats(self, zooms: Zooms, *, refined: bool) -> ModuleOp:
        """Lower the program to L1 with some ranges.

        zooms: for each named tensor, N for a range 2^N times narrower than that of the profile.
        refined: True for the constants that compilation refines, False for constants rounded to nearest.
        """
        formats = self.profiled.clone()
        spelled = tuple(f"{name}:{zoom}" for name, zoom in zooms.items())
        assert isinstance(self.assign, AssignFormatPass)
        data = self.assign.data if refined else None
        pipelines.run(formats, self.ctx, [replace(self.assign, data=data, zooms=spelled), *self.later])
        return formats

    def score(self, data: Labelled) -> Score:
        """The score of the program in number formats, as it would be compiled."""
        return self.trainer(self.reals).loss(data)

    def trainer(self, reals: Mapping[str, Array], zooms: Zooms | None = None, *, refined: bool = True) -> Trainer:
        """A trainer of the program, whose plan determines the rounding of sums.

        reals: initial weights by name.
        zooms, refined: as for `formats`; without zooms, the ranges are those of the profile.
        """
        formats = self.compiled.clone() if refined and not zooms else self.formats(zooms or {}, refined=refined)
        return trainer_of(formats, self.ctx, self.numbers.plan, reals)

    def better_ranges(self, reals: Mapping[str, Array], zooms: Zooms, data: Labelled) -> Zooms:
        """Ranges with a smaller loss on some samples, for given weights. Half and twice the width of each range are
        tried.

        reals: the weights by name.
        zooms: the initial ranges; they and the result have the form that `formats` describes.
        """
        best = self._loss(reals, zooms, data)
        chosen: dict[str, int] = dict(zooms)
        for name in self.tensors:
            for step in (1, -1):
                tried: dict[str, int] = {**chosen, name: chosen.get(name, 0) + step}
                if (loss := self._loss(reals, tried, data)) < LOSS_RATIO * best:
                    best, chosen = loss, tried
                    break
        return chosen

    def _loss(self, reals: Mapping[str, Array], zooms: Zooms, data: Labelled) -> float:
        trainer = self.trainer(reals, zooms, refined=False)
        trainer.weights.write()
        return trainer.loss(data)[0]


def _train_formats(
    program: QuantisedProgram, train: Labelled, val: Labelled, schedule: TrainingSchedule, learn_ranges: bool = False
) -> Trainer:
    """Train a program in its own arithmetic, and return the trainer.

    learn_ranges: True to also choose the ranges of tensors.
    """
    if not learn_ranges:
        trainer = program.trainer(program.reals)
        trainer.fit(train, val, schedule)
        return trainer
    chosen = np.random.default_rng(schedule.seed).permutation(len(train.y))[:SAMPLES]
    sample = Labelled(train.x[chosen], train.y[chosen])
    reals: Mapping[str, Array] = program.reals
    zooms: Zooms = {}
    found: list[tuple[float, Trainer]] = []
    for part in range(ROUNDS):
        zooms = program.better_ranges(reals, zooms, sample)
        trainer = program.trainer(reals, zooms)
        # The last round trains for the remaining epochs.
        epochs = schedule.epochs // ROUNDS + (part == ROUNDS - 1) * (schedule.epochs % ROUNDS)
        trainer.fit(train, val, replace(schedule, epochs=epochs))
        found.append((trainer.loss(val)[0], trainer))
        reals = trainer.weights.reals()
    return min(found, key=lambda each: each[0])[1]


def trainer_of(formats: ModuleOp, ctx: Context, plan: str = AUTO, reals: Mapping[str, Array] | None = None) -> Trainer:
    """A trainer that changes a program at L1 in place; if the plan rounds sums, it trains a copy.

    reals: initial weights by the names of constants; by default the reals that the raws represent.
    """
    accumulators = ChooseAccumulatorsPass()

    def renew(module: ModuleOp) -> None:
        accumulators.apply(ctx, module)
        renew_distances(module)
        renew_sums(module)

    planned = with_rounded_sums(formats, ctx, plan)
    evaluated = formats if planned is None else in_whole_images(formats, plan)
    weights = TrainedWeights(evaluated, reals, renew, planned)
    return Trainer(weights, Bits)
