"""Programs in number formats whose ranges are chosen, and their training in their own arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.training.training import Labelled, Trainer, TrainingSchedule
from tinyml.runtime.training.weights import Array, TrainedWeights
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.tensor_classes import tensor_classes
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.plan_execution import with_rounded_sums
from tinyml.transforms.schedules.table import AUTO

Zooms: TypeAlias = "Mapping[str, int]"
"""By how many powers of two the ranges of tensors are narrower than profiled, by names; the others are as profiled."""

SAMPLES = 512
"""The samples of the training set on which ranges are compared."""

LESS = 0.998
"""The part of the loss that another range may leave at most, to be taken."""

ROUNDS = 2
"""The number of times that ranges are chosen: before the training, and with the weights of its first half."""


class QuantisedProgram:
    """A program at L0 that is brought to L1, with weights rounded to nearest, for any choice of ranges.

    reals: of its constants, by name. Formats are chosen on the inputs of `numbers.data`.
    """

    def __init__(self, module: ModuleOp, ctx: Context, numbers: PipelineOptions):
        self.ctx, self.plan = ctx, numbers.plan
        passes = pipelines.flatten("reals-to-formats", vars(numbers))
        at = next(i for i, step in enumerate(passes) if isinstance(step, AssignFormatPass))
        self.assign, self.later = passes[at], passes[at + 1 :]
        self.profiled = module.clone()
        pipelines.run(self.profiled, ctx, passes[:at])
        self.reals = TrainedWeights(self.profiled).reals()

    @property
    def tensors(self) -> list[str]:
        """The names of the tensors that have a range of their own."""
        return [tensors.name for tensors in tensor_classes(predict_function(self.profiled))]

    def formats(self, zooms: Zooms) -> ModuleOp:
        """The program at L1."""
        formats = self.profiled.clone()
        spelled = tuple(f"{name}:{zoom}" for name, zoom in zooms.items())
        assert isinstance(self.assign, AssignFormatPass)
        pipelines.run(formats, self.ctx, [replace(self.assign, data=None, zooms=spelled), *self.later])
        return formats

    def trainer(self, reals: Mapping[str, Array], zooms: Zooms | None = None) -> Trainer:
        """A trainer of the program, with the sums that its plan rounds. reals: where weights start, by name."""
        return trainer_of(self.formats(zooms or {}), self.ctx, self.plan, reals)

    def better_ranges(self, reals: Mapping[str, Array], zooms: Zooms, data: Labelled) -> Zooms:
        """The ranges with less loss on some samples, for given weights; each is tried half and twice as wide."""
        best = self._loss(reals, zooms, data)
        chosen: dict[str, int] = dict(zooms)
        for name in self.tensors:
            for step in (1, -1):
                tried: dict[str, int] = {**chosen, name: chosen.get(name, 0) + step}
                if (loss := self._loss(reals, tried, data)) < LESS * best:
                    best, chosen = loss, tried
                    break
        return chosen

    def _loss(self, reals: Mapping[str, Array], zooms: Zooms, data: Labelled) -> float:
        trainer = self.trainer(reals, zooms)
        trainer.weights.write()
        return trainer.loss(data)[0]


def train_formats(
    program: QuantisedProgram, train: Labelled, val: Labelled, schedule: TrainingSchedule, learn_ranges: bool = False
) -> Trainer:
    """Train a program in its own arithmetic; learn_ranges: True to choose the ranges of tensors on the way."""
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
        # The last round takes the epochs that do not divide.
        epochs = schedule.epochs // ROUNDS + (part == ROUNDS - 1) * (schedule.epochs % ROUNDS)
        trainer.fit(train, val, replace(schedule, epochs=epochs))
        found.append((trainer.loss(val)[0], trainer))
        reals = trainer.weights.reals()
    return min(found, key=lambda each: each[0])[1]


def trainer_of(formats: ModuleOp, ctx: Context, plan: str = AUTO, reals: Mapping[str, Array] | None = None) -> Trainer:
    """A trainer of a program at L1, which changes in place, or of a copy with the sums that its plan rounds.

    reals: where weights start, by the names of constants, instead of what their raws stand for.
    """
    accumulators = ChooseAccumulatorsPass()
    planned = with_rounded_sums(formats, ctx, plan)
    weights = TrainedWeights(planned or formats, reals, lambda module: accumulators.apply(ctx, module))
    return Trainer(weights, Bits)
