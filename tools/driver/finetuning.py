"""Fine-tuning of a program: pruning, epochs on reals, and epochs in the arithmetic of the compiled program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.arithmetics import Bits, Reals
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.training.training import Labelled, Schedule, Trainer
from tinyml.runtime.training.weights import Weights
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.reals.channels.channel_groups import ChannelGroups
from tinyml.transforms.reals.channels.gates import GatedWeights, closing
from tinyml.transforms.reals.channels.importance import importance
from tinyml.transforms.reals.channels.limits import FLASH, MACS, RAM, Limits
from tinyml.transforms.reals.channels.pruning import Channels, prune
from tinyml.transforms.reals.channels.removal import remove_channels
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.table import schedule_named


def train_reals(module: ModuleOp, train: Labelled, val: Labelled, schedule: Schedule) -> Trainer:
    """Train a program at L0 in double precision, in place."""
    trainer = Trainer(Weights(module), Reals)
    trainer.fit(train, val, schedule)
    return trainer


def channels_of(module: ModuleOp, mode: str, bits: int) -> Channels:
    """The channels of a program at L0 whose elements count with so many bits."""
    function = predict_function(module)
    return Channels(network_of(function, bits), ChannelGroups(function), schedule_named(mode))


def prune_by_norms(module: ModuleOp, mode: str, bits: int, ram: int) -> None:
    """Remove the channels with the least norms at the peak of a plan, as `tinyml prune` does."""
    channels = channels_of(module, mode, bits)
    remove_channels(channels.grouping, prune(channels, importance(channels.grouping), ram))


def prune_by_gates(
    module: ModuleOp, train: Labelled, val: Labelled, schedule: Schedule, limits: Limits, share: float
) -> None:
    """Train a program at L0 with gates, which close until it keeps limits, and remove the channels of closed gates."""
    grouping = limits.channels.grouping
    weights = GatedWeights(module, grouping)
    Trainer(weights, Reals).fit(train, val, schedule, closing(weights, limits, share))
    remove_channels(grouping, limits.removed)
    module.verify()


def quantised(module: ModuleOp, ctx: Context, options: PipelineOptions) -> tuple[ModuleOp, dict[str, Any]]:
    """A program at L0 as one at L1, with weights rounded to nearest, and the reals of its constants by name."""
    passes = [
        replace(step, data=None) if isinstance(step, AssignFormatPass) else step
        for step in pipelines.flatten("reals-to-formats", vars(options))
    ]
    assigned = next(i for i, step in enumerate(passes) if isinstance(step, AssignFormatPass))
    formats = module.clone()
    pipelines.run(formats, ctx, passes[:assigned])
    reals = Weights(formats).reals()
    pipelines.run(formats, ctx, passes[assigned:])
    return formats, reals


def train_formats(
    formats: ModuleOp, reals: Mapping[str, Any], train: Labelled, val: Labelled, schedule: Schedule
) -> Trainer:
    """Train a program at L1 in its own arithmetic, in place. reals: where weights start, by the names of constants."""
    ctx, accumulators = Context(), ChooseAccumulatorsPass()
    trainer = Trainer(Weights(formats, reals, lambda module: accumulators.apply(ctx, module)), Bits)
    trainer.fit(train, val, schedule)
    return trainer
