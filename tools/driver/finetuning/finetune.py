"""Fine-tuning of a program: pruning, epochs on reals, and epochs in the arithmetic of the compiled program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.training.training import Labelled, Trainer, TrainingSchedule
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.tools.driver.finetuning.finetuning_options import NORMS, FinetuneOptions
from tinyml.tools.driver.finetuning.quantised_program import QuantisedProgram, train_formats
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.reals.channels.channel_groups import ChannelGroups
from tinyml.transforms.reals.channels.importance import importance
from tinyml.transforms.reals.channels.pruning import Channels, prune
from tinyml.transforms.reals.channels.refitting import prune_refitted
from tinyml.transforms.reals.channels.removal import remove_channels
from tinyml.transforms.reals.channels.resource_limits import RAM, ResourceLimits
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.table import schedule_named

SMALLER = 4.0
"""By how much the rate is smaller in the arithmetic of the program than on reals."""


@dataclass(frozen=True)
class Finetuned:
    """A fine-tuned program at L1, with its loss and its accuracy in percent on the validation set.

    before, floats: the same of the program as it came, and in floating point before it was quantised. trainer:
    evaluates the program in its own arithmetic. reals: the program before it was quantised. removed: the number of
    channels. seed: of the training that was best.
    """

    module: ModuleOp
    trainer: Trainer
    before: tuple[float, float]
    floats: tuple[float, float]
    quantised: tuple[float, float]
    reals: ModuleOp
    removed: int
    seed: int


def finetune(
    program: ModuleOp,
    train: Labelled,
    val: Labelled,
    options: FinetuneOptions,
    numbers: PipelineOptions,
) -> Finetuned:
    """Fine-tune a program, which stays as it is; formats are chosen on the inputs of `numbers.data`.

    Raises `InputError` for limits that cannot be kept, for norms with other limits than one on RAM, and for a program
    that cannot be trained.
    """
    from tinyml.dialects.context import context

    if options.pruning == NORMS and list(options.limits) not in ([], [RAM]):
        raise InputError("norms keep a limit on RAM alone: leave out --flash and --macs, or --pruning")
    ctx = context()
    tuned = [
        _finetuned(program, train, val, replace(options, seed=options.seed + i), numbers, ctx)
        for i in range(options.trainings)
    ]
    return min(tuned, key=lambda each: each.quantised[0])


def _finetuned(
    program: ModuleOp,
    train: Labelled,
    val: Labelled,
    options: FinetuneOptions,
    numbers: PipelineOptions,
    ctx: Context,
) -> Finetuned:
    module = program.clone()
    if tdsl.has_formats(module):
        LiftToRealsPass().apply(ctx, module)
    schedule = TrainingSchedule(epochs=options.epochs, rate=options.rate, batch=options.batch, seed=options.seed)
    before = Trainer(TrainedWeights(module), Reals).loss(val)
    bits = format_named(ctx, numbers.format, numbers.width).bits
    limits = ResourceLimits(channels_of(module, numbers.plan, bits), options.limits, bits) if options.limits else None
    if limits is not None:
        grouping = limits.channels.grouping
        if options.pruning == NORMS:
            limits.removed.extend(prune(limits.channels, importance(grouping), limits.limits[RAM]))
        else:
            prune_refitted(module, limits, train.x, options.seed)
        remove_channels(grouping, limits.removed)
        module.verify()
    train_reals(module, train, val, schedule)
    floats = Trainer(TrainedWeights(module), Reals).loss(val)
    formats = QuantisedProgram(module, ctx, numbers)
    schedule = replace(schedule, epochs=options.quantized_epochs, rate=options.rate / SMALLER)
    trainer = train_formats(formats, train, val, schedule, options.learn_ranges)
    removed = 0 if limits is None else len(limits.removed)
    return Finetuned(trainer.weights.module, trainer, before, floats, trainer.loss(val), module, removed, options.seed)


def channels_of(module: ModuleOp, mode: str, bits: int) -> Channels:
    """The channels of a program at L0. bits: of an element."""
    function = predict_function(module)
    return Channels(network_of(function, bits), ChannelGroups(function), schedule_named(mode))


def train_reals(module: ModuleOp, train: Labelled, val: Labelled, schedule: TrainingSchedule) -> None:
    """Train a program at L0 in double precision, in place."""
    Trainer(TrainedWeights(module), Reals).fit(train, val, schedule)


def labelled(program: ModuleOp, file: Path) -> Labelled:
    """The samples of a file with their classes; raises `InputError` for a file without classes."""
    data = load_program_data(program, str(file))
    if data.y is None:
        raise InputError("has no classes `y` to train with", file=str(file))
    return Labelled(data.x.astype("f8"), data.y)
